"""Tests of plots.py and bench_summary.py, with invented times: python3 -m unittest discover scripts"""

import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

import bench_summary
import plots

SVG = "{http://www.w3.org/2000/svg}"


def made_up(by, us, plot="2x + 3", elements=1024):
    return {"plot": plot, "elements": elements, "bytes": 8 * elements, "by": by, "us": us}


class Plots(unittest.TestCase):
    def test_points_match_sizes_and_rates(self):
        text = plots.plot("a < b", [("one", [(1 << 20, 50.0), (1 << 10, 100.0)]), ("two", [(1 << 15, 0.0)])],
                          ("copy", 100.0))
        picture = xml.fromstring(text)
        self.assertIn("a < b", [node.text for node in picture.iter(SVG + "text")])
        curve = next(node for node in picture.iter(SVG + "path")
                     if node.get("stroke") == plots.STYLES[0][0] and "L" in node.get("d"))
        first, last = [tuple(map(float, point.split())) for point in curve.get("d")[1:].split("L")]
        bottom = plots.HEIGHT - plots.BOTTOM
        self.assertEqual([first[0], last[0]], [plots.LEFT, plots.WIDTH - plots.RIGHT], "sorted, over the whole width")
        self.assertAlmostEqual(bottom - first[1], 2 * (bottom - last[1]), delta=0.2)
        self.assertGreaterEqual(first[1], plots.TOP)
        dashed = next(node for node in picture.iter(SVG + "path") if node.get("stroke-dasharray"))
        self.assertAlmostEqual(float(dashed.get("d").split()[1].split("H")[0]), first[1], delta=0.1)

    def test_a_ceiling_is_drawn_only_if_it_was_measured(self):
        self.assertNotIn("dasharray", plots.plot("sum", [("one", [(1024, 1.0)])]))

    def test_plots_need_measurements(self):
        with self.assertRaises(ValueError):
            plots.plot("sum", [("one", [])])

    def test_colours_have_contrast_on_white_and_dark_pages(self):
        def luminance(colour):
            parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
            red, green, blue = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
            return 0.2126 * red + 0.7152 * green + 0.0722 * blue

        for colour in [plots.INK] + [colour for colour, _ in plots.STYLES]:
            on_white = 1.05 / (luminance(colour) + 0.05)
            on_dark = (luminance(colour) + 0.05) / (luminance("#0d1117") + 0.05)
            self.assertGreaterEqual(min(on_white, on_dark), 3, colour)


class Summary(unittest.TestCase):
    def test_plots_contain_the_bench_and_its_peers(self):
        benches = {
            "arrays": [{"ceiling": "copy", "value": 4000.0, "unit": "GB/s"}, made_up(bench_summary.OURS, 2.0),
                       made_up(bench_summary.OURS, 8.0, elements=4096)],
            "peers": [made_up("CUB", 4.0), made_up("CUB", 4.0, plot="of a peer alone")],
        }
        with tempfile.TemporaryDirectory() as folder:
            drawn = bench_summary.draw_plots(benches, "arrays", Path(folder) / "plots")
            self.assertEqual(drawn, [("2x + 3", "2x-3.svg")])
            text = (Path(folder) / "plots" / "2x-3.svg").read_text()
        for name in ("this library", "CUB", "copy, measured: 4000 GB/s"):
            self.assertIn(f">{name}</text>", text)

    def test_no_plots_without_sizes(self):
        with tempfile.TemporaryDirectory() as folder:
            row = {"work": "2x + 3, 2^20 f32", "by": bench_summary.OURS, "us": 1.0, "note": ""}
            self.assertEqual(bench_summary.draw_plots({"arrays": [row]}, "arrays", Path(folder) / "plots"), [])
            self.assertFalse((Path(folder) / "plots").exists())

    def test_tables_have_a_column_per_implementation(self):
        def row(work, by, us=1.0):
            return {"work": work, "by": by, "us": us, "note": ""}

        table = bench_summary.array_tables({
            "arrays": [row("sum", bench_summary.OURS), row("selection", "GPU, host time")],
            "random": [row("normal", "GPU")],
            "peers": [row("sum", "CUB", 20.0), row("normal", "cuRAND", 3.0), row("selection", "CuPy", 40.0)],
        }, bench_summary.ARRAY_ROWS)
        self.assertEqual(table[0], "| | GPU, device time | CUB | reached |")
        self.assertEqual(table[2], "| sum | 1.000 µs | 20.0 µs |  |")
        self.assertIn("| | GPU, host time | CuPy | reached |", table)
        self.assertIn("| | GPU | cuRAND | reached |", table)

    def test_notes_are_only_about_existing_rows(self):
        def row(work, by):
            return {"work": work, "by": by, "us": 1.0, "note": ""}

        def page(work):
            return bench_summary.page_tables({"sum": [row(work, bench_summary.OURS)]})

        note = bench_summary.NOTES[0][1]
        self.assertIn(note, page("4096² x 3 u8 by 5 x 5"))
        self.assertNotIn(note, page("4096² by 5 x 5"))
        note = bench_summary.ARRAY_NOTES[0][1]
        arrays = [row("sum", bench_summary.OURS)]
        self.assertNotIn(note, bench_summary.array_tables({"arrays": arrays}, bench_summary.ARRAY_ROWS))
        peers = [row("sum", "burn, 8 in a row")]
        self.assertIn(note, bench_summary.array_tables({"arrays": arrays, "peers": peers}, bench_summary.ARRAY_ROWS))


if __name__ == "__main__":
    unittest.main()
