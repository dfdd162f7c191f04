"""Tests that the list of examples is complete: python3 -m unittest discover scripts"""

import re
import unittest
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


class Examples(unittest.TestCase):
    def test_every_example_is_listed(self):
        text = (EXAMPLES / "README.md").read_text()
        listed = set(re.findall(r"^\| \[`(\w+)`\]", text, re.MULTILINE))
        self.assertEqual(listed, {path.stem for path in EXAMPLES.glob("*.rs")} | {"dlpack"})
        for name in re.findall(r"\]\(([^)]+)\)", text):
            self.assertTrue((EXAMPLES / name).exists(), name)

    def test_the_readme_counts_them(self):
        words = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split()
        digits = "one two three four five six seven eight nine".split()
        words += [f"twenty-{digit}" for digit in digits] + ["thirty"] + [f"thirty-{digit}" for digit in digits] + ["forty"]
        text = (EXAMPLES.parent / "README.md").read_text()
        count = re.search(r"\| \[`examples`\]\(examples/README\.md\) \| ([\w-]+) short programs", text)
        self.assertIsNotNone(count)
        self.assertEqual(words.index(count[1]) + 10, len(list(EXAMPLES.glob("*.rs"))))

    def test_arguments_match_the_examples(self):
        for name, arguments in re.findall(r"^\| \[`(\w+)`\]\(\w+\.rs\) \| `([^`]+)` \|", (EXAMPLES / "README.md").read_text(),
                                          re.MULTILINE):
            head = (EXAMPLES / f"{name}.rs").read_text()
            self.assertIn(arguments.strip("[]") if arguments.startswith("[--") else f"//! {name} {arguments}", head)


if __name__ == "__main__":
    unittest.main()
