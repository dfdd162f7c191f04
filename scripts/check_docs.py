"""Looks for links that lead nowhere in the documentation that cargo doc has made.

rustdoc's own lint knows items of all crates, but with --no-deps those of other crates have no pages: what links to them
becomes literal brackets, or a link to a path such as crate::bytemuck::Pod.

Links among the crates of the workspace are left to rustdoc's lint. cargo documents crates side by side, and whether one
finds the pages of the other, and links to them, depends on which is first.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.parse

# A link whose target rustdoc left out: the text alone, still in its brackets.
LEFT_OVER = re.compile(r"\[<code>([^<]*)</code>\](?!\()")
HREF = re.compile(r'<a [^>]*?href="([^"]*)"')
OURS = re.compile(r"cuda_\w+(?!::bytemuck)(::|$)")  # but not what they hand on


def problems(page):
    """What is wrong on a page."""
    # What follows are other crates' texts, about traits that all types have.
    text = page.read_text(encoding="utf-8").split('id="blanket-implementations"')[0]
    body = re.sub(r"<pre.*?</pre>", "", text, flags=re.DOTALL)
    yield from (f"literal brackets: [{found}]" for found in LEFT_OVER.findall(body) if not OURS.match(found))
    for href in HREF.findall(body):
        link = urllib.parse.urlsplit(href)
        if link.scheme in ("http", "https", "javascript") or not link.path:
            continue
        target = page.parent / urllib.parse.unquote(link.path)
        if not target.exists() and not OURS.match(href):
            yield f"a link to nothing: {href}"


def main():
    command = [os.environ.get("CARGO", "cargo"), "metadata", "--locked", "--no-deps", "--format-version=1"]
    target = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["target_directory"]
    root = pathlib.Path(target) / "doc"
    crates = [folder for folder in root.iterdir() if folder.is_dir() and folder.name.startswith("cuda_")]
    if not crates:
        sys.exit(f"check_docs: no documentation in {root}: run cargo doc --workspace --no-deps first")
    pages = [page for folder in crates for page in folder.rglob("*.html")]
    wrong = [f"{page.relative_to(root)}: {what}" for page in pages for what in problems(page)]
    print("\n".join(sorted(set(wrong))) or f"check_docs: {len(pages)} pages, all links lead somewhere")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
