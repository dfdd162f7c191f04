"""Tests of check_docs.py."""

import pathlib
import tempfile
import unittest

from check_docs import problems


class Links(unittest.TestCase):
    def test_broken_links_are_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.html"
            (pathlib.Path(folder) / "other.html").write_text("")

            def found(html):
                page.write_text(html)
                return list(problems(page))

            self.assertEqual(found('<a href="other.html#part">x</a> <a href="#here">y</a> <code>x[0]</code>'), [])
            self.assertEqual(found('<a href="https://docs.rs/x">x</a> <pre>[<code>x</code>]</pre>'), [])
            self.assertEqual(found("not [<code>bytemuck::Pod</code>]."), ["literal brackets: [bytemuck::Pod]"])
            self.assertEqual(found('<a href="missing.html">x</a>'), ["a broken link: missing.html"])
            pod = "cuda_safe::bytemuck::Pod"
            self.assertEqual(found(f'<a href="{pod}">x</a>'), [f"a broken link: {pod}"])
            # Links for which rustdoc has found no pages yet.
            self.assertEqual(found('[<code>cuda_safe</code>] <a href="cuda_safe::Stream">x</a>'), [])


if __name__ == "__main__":
    unittest.main()
