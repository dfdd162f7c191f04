"""Tests of package.py: python3 -m unittest discover scripts"""

import tempfile
import unittest
from pathlib import Path

import package

CRATE = {"description": "d", "license": "MIT", "readme": "README.md", "documentation": "https://docs.rs/x", "keywords": ["a"],
         "categories": ["science"], "rust_version": "1.88", "metadata": {"docs": {"rs": {"targets": ["t"]}}}}


class Packages(unittest.TestCase):
    def test_missing_metadata_is_reported(self):
        self.assertEqual(package.lacking(CRATE), [])
        self.assertEqual(package.lacking({**CRATE, "readme": None, "rust_version": None}), ["no readme", "no rust-version"])
        self.assertEqual(package.lacking({**CRATE, "metadata": None}), ["no [package.metadata.docs.rs]"])
        for words in (["a"] * 6, ["a" * 21], ["two words"]):
            self.assertEqual(package.lacking({**CRATE, "keywords": words}), ["crates.io accepts at most five keywords of 20 letters"])

    def test_files_that_sources_name(self):
        text = '#[path = "../shared/a.rs"]\nmod a;\n// #[path = "b.rs"]\nconst C: &str = include_str!(\n    "c.cu",\n);\n'
        self.assertEqual(package.named("tests/x/main.rs", text), ["tests/shared/a.rs", "tests/x/c.cu"])
        self.assertEqual(package.named("src/lib.rs", '#[path = "../../other/a.rs"]'), ["../other/a.rs"])

    def test_missing_files_are_reported(self):
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work)
            for name in package.FILES:
                (folder / name).touch()
            (folder / "lib.rs").write_text('const A: &[u8] = include_bytes!("a.bin");')
            self.assertEqual(package.absent(folder), ["lib.rs names a.bin"])
            (folder / "a.bin").touch()
            (folder / "LICENSE-MIT").unlink()
            self.assertEqual(package.absent(folder), ["no LICENSE-MIT"])


if __name__ == "__main__":
    unittest.main()
