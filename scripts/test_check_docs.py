"""Which links check_docs finds wrong."""

import pathlib
import tempfile
import unittest

from check_docs import problems


class Links(unittest.TestCase):
    def test_what_leads_nowhere_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.html"
            (pathlib.Path(folder) / "other.html").write_text("")

            def told(html):
                page.write_text(html)
                return list(problems(page))

            self.assertEqual(told('<a href="other.html#part">x</a> <a href="#here">y</a> <code>x[0]</code>'), [])
            self.assertEqual(told('<a href="https://docs.rs/x">x</a> <pre>[<code>x</code>]</pre>'), [])
            self.assertEqual(told("not [<code>bytemuck::Pod</code>]."), ["literal brackets: [bytemuck::Pod]"])
            self.assertEqual(told('<a href="missing.html">x</a>'), ["a link to nothing: missing.html"])
            pod = "cuda_safe::bytemuck::Pod"
            self.assertEqual(told(f'<a href="{pod}">x</a>'), [f"a link to nothing: {pod}"])
            # What rustdoc found no pages of yet.
            self.assertEqual(told('[<code>cuda_safe</code>] <a href="cuda_safe::Stream">x</a>'), [])


if __name__ == "__main__":
    unittest.main()
