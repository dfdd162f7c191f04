"""Creates a Markdown table of the benchmark results of this project and of other libraries, and plots over sizes.

    python3 scripts/bench_summary.py            prints the table, and writes it to benches/summary.md and the plots to
                                                benches/plots, in the target folder
    python3 scripts/bench_summary.py --write    also writes the main tables and the plots to docs/PERFORMANCE.md
                                                and docs/plots, and five rows to README.md

It makes no plots of the emulator's times. The results are the *.jsonl files in BENCH_OUT, or in benches in the target folder
(CARGO_TARGET_DIR, or target) if that variable is not set.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import plots

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
FOLDER = Path(os.environ.get("BENCH_OUT", TARGET / "benches"))
ORDER = ["sum", "convolution", "arrays", "sorts", "random", "launch", "graphs", "transfer", "allocation", "compile"]
# The text between these lines of a page is generated.
MARKS = ("<!-- performance: made by scripts/bench_summary.py --write -->", "<!-- end -->")
PLOT_MARKS = ("<!-- plots: made by scripts/bench_summary.py --write -->", "<!-- end of plots -->")
ARRAY_MARKS = ("<!-- arrays: made by scripts/bench_summary.py --write -->", "<!-- end of arrays -->")
SORT_MARKS = ("<!-- sorts: made by scripts/bench_summary.py --write -->", "<!-- end of sorts -->")


def load():
    """Returns devices, ceilings and rows of every bench. Rows of other libraries are under 'peers'."""
    benches = {}
    for path in sorted(FOLDER.glob("*.jsonl")):
        lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
        benches[path.stem] = lines
    return benches


def clocks():
    """Returns the current driver version and clocks from nvidia-smi, or nothing without nvidia-smi."""
    query = "driver_version,clocks.sm,clocks.max.sm,clocks.mem"
    try:
        out = subprocess.run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"],
                             capture_output=True, text=True, check=True, timeout=20).stdout
        return dict(zip(query.split(","), (part.strip() for part in out.splitlines()[0].split(","))))
    except (OSError, subprocess.SubprocessError, IndexError):
        return {}


def number(us):
    if us >= 1e6:
        return f"{us / 1e6:.2f} s"
    if us >= 1e4:
        return f"{us / 1e3:.1f} ms"
    return f"{us:.3f} µs" if us < 10 else f"{us:.1f} µs"


def device_line(benches):
    """Returns the device, which must be the same in all files, and whether it is the emulator."""
    devices = {json.dumps({k: line[k] for k in ("device", "emulated", "driver", "clock_mhz")})
               for name, lines in benches.items() if name != "peers"
               for line in lines if "device" in line}
    if len(devices) != 1:
        sys.exit(f"the results are from {len(devices)} devices. Fix: remove {FOLDER} and run the benches again")
    device = json.loads(devices.pop())
    # Written on the machine of the run, so that the table can be regenerated on other machines.
    kept = FOLDER / "device.txt"
    now = {} if device["emulated"] else clocks()
    if now:
        kept.write_text(f", driver {now['driver_version']}, SM clock {now['clocks.sm']} after the run "
                        f"(most {now['clocks.max.sm']}), memory {now['clocks.mem']}")
    elif device["emulated"] or not kept.exists():
        kept.write_text(f", clock {device['clock_mhz']} MHz")
    text = f"{device['device']}, driver interface {device['driver']}{kept.read_text()}."
    return text, device["emulated"]


def table(lines, peers):
    """Returns a row for each workload, with a column for each implementation and a last column for rates."""
    works, columns, cells, notes = [], [], {}, {}
    for line in [line for line in lines if "work" in line] + peers:
        work, by = line["work"], line["by"]
        if line in peers and work not in works:
            continue
        if work not in works:
            works.append(work)
        if by not in columns:
            columns.append(by)
        cells[work, by] = line["us"]
        if work not in notes and line.get("note"):
            notes[work] = f"{by}: {line['note']}" if by != columns[0] else line["note"]
    out = ["| | " + " | ".join(columns) + " | |", "| --- " * (len(columns) + 2) + "|"]
    for work in works:
        row = [number(cells[work, by]) if (work, by) in cells else "" for by in columns]
        out.append(f"| {work} | " + " | ".join(row) + f" | {notes.get(work, '')} |")
    return out


def launch_note(lines):
    """Removes notes of raw launches, because the launch bench shows the note of the second column."""
    return [{**line, "note": ""} if line.get("by", "").startswith("raw") else line for line in lines]


def summary(benches):
    device, emulated = device_line(benches)
    out = ["# Benches", "", device, ""]
    if emulated:
        out += ["**These are times of the emulator. They don't apply to a GPU.**", ""]
    ceilings = [line for lines in benches.values() for line in lines if "ceiling" in line]
    if ceilings:
        text = ", ".join(f"{c['ceiling']} {c['value']:.4g} {c['unit']}" for c in ceilings)
        out += [f"Ceilings measured in the same run: {text}.", ""]
    peers = benches.get("peers", [])
    for line in [line for lines in benches.values() for line in lines]:
        if "missing" in line:
            out.append(f"- {line['missing']} is missing: {line['why']}")
        if "failed" in line:
            out.append(f"- {line['failed']} failed: {line['why']}")
    rows = [line for line in peers if "work" in line]
    for name in ORDER:
        if name in benches:
            lines = launch_note(benches[name]) if name == "launch" else benches[name]
            out += ["", f"## {name}", ""] + table(lines, rows)
    return "\n".join(out) + "\n", device, emulated


WORK = ["sum of 2^16 f32", "sum of 2^20 f32", "sum of 2^24 f32", "sum of 2^27 - 157 f32",
        "sum of 2^30 f32", "4096² by 3 x 3", "4096² by 5 x 5", "4096² by 7 x 7",
        "4096² by 9 x 9", "4096² by 15 x 15", "4096² by 31 x 31",
        "8192² by separable 31 x 31",
        *[f"4096²{image} by {k} x {k}" for image in (" u8", " x 3 u8", " u16") for k in (3, 5, 9)]]
LAUNCHES = ["launch with 3 arguments", "launch with 3 arguments, waited for",
            "one of 100 kernels, device time", "one of 100 kernels, wall time"]
OURS = "GPU, device time"
LIBRARIES = ("CUB", "NPP", "CuPy", "PyTorch")
CPU = ["CPU, plain loop", "CPU, one thread vectorised", "CPU, all cores vectorised"]

# These rows of the launch bench do not measure other libraries.
OUR_LAUNCHES = ("Function::launch", "raw cuLaunchKernel", "graph replay")
ARRAY_LIBRARIES = ("PyTorch", "torch.compile", "CuPy", "CUB", "candle", "burn, 8 in a row", "cuRAND", "cuRAND, dynamic order")
# Notes below a table, each for a text in the names of rows and columns. Without such a row, there is no note.
NOTES = (("² x 3 ", "In \"4096² x 3 u8\", the image has three interleaved channels. Each result of this kind is a new array."),)
ARRAY_NOTES = (("burn", "burn's times are host times of eight calls and one wait, divided by eight."),)
# The ceilings of plots. The default is that of copying.
PLOT_CEILINGS = {"sum": "read", "100 largest of f32": "read"}
README_WORK = ["sum of 2^20 f32", "sum of 2^27 - 157 f32", "4096² by 5 x 5", "4096² by 15 x 15"]
README_LAUNCH = "launch with 3 arguments"


def cells(benches):
    """Returns all rows, and the time of each workload by implementation."""
    rows = [line for lines in benches.values() for line in lines if "work" in line]
    return rows, {(row["work"], row["by"]): row["us"] for row in rows}


def notes_of(lines, notes):
    """Returns the notes whose text is in a table."""
    return [line for text, note in notes if any(text in row for row in lines) for line in ("", note)]


def page_tables(benches):
    """Returns the main rows: this library's device time next to those of other libraries and the CPU."""
    rows, cell = cells(benches)
    others = [by for by in LIBRARIES if any(r["by"] == by for r in rows)]
    columns = [OURS] + others + CPU
    note = {row["work"]: row["note"] for row in rows if row["by"] == OURS}
    out = ["| | " + " | ".join(columns) + " | reached |", "| --- " * (len(columns) + 2) + "|"]
    for work in WORK:
        if (work, OURS) not in cell:
            continue
        values = [number(cell[work, by]) if (work, by) in cell else "" for by in columns]
        out.append(f"| {work} | " + " | ".join(values) + f" | {note[work]} |")
    out += notes_of(out, NOTES)
    # Launches are transposed: one row per library.
    works = [work for work in LAUNCHES if any(row["work"] == work for row in rows)]
    by = dict.fromkeys(row["by"] for row in rows if row["work"] in works)
    if works:
        out += ["", "| | " + " | ".join(works) + " |", "| --- " * (len(works) + 1) + "|"]
    for who in by:
        values = [number(cell[work, who]) if (work, who) in cell else "" for work in works]
        out.append(f"| {who} | " + " | ".join(values) + " |")
    return out


ARRAY_ROWS = (("arrays", OURS), ("arrays", "GPU, host time"), ("random", "GPU"))
SORT_ROWS = (("sorts", OURS), ("sorts", "GPU, host time"))


def array_tables(benches, parts):
    """Returns a table of each bench and way of measuring, with the other libraries' times."""
    _, cell = cells(benches)
    out = []
    for bench, ours in parts:
        lines = [line for line in benches.get(bench, []) if "work" in line and line["by"] == ours]
        others = [by for by in ARRAY_LIBRARIES if any((line["work"], by) in cell for line in lines)]
        if not lines:
            continue
        columns = [ours, *others, "reached"]
        out += [""] * bool(out) + ["| | " + " | ".join(columns) + " |", "| --- " * (len(columns) + 1) + "|"]
        for line in lines:
            work = line["work"]
            values = [number(cell[work, by]) if (work, by) in cell else "" for by in others]
            out.append(f"| {work} | " + " | ".join([number(line["us"]), *values, line["note"]]) + " |")
    return out + notes_of(out, ARRAY_NOTES)


def draw_plots(benches, name, folder):
    """Writes a plot of each workload that a bench measured over sizes, and returns the (title, file name) of each."""
    bench = benches.get(name, [])
    ceilings = {line["ceiling"]: line["value"] for line in bench if "ceiling" in line}
    points = [line for line in bench + benches.get("peers", []) if "plot" in line]
    titles = list(dict.fromkeys(line["plot"] for line in bench if "plot" in line))
    drawn = []
    for title in titles:
        series = {}
        for line in points:
            if line["plot"] == title:
                name = "this library" if line["by"] == OURS else line["by"]
                series.setdefault(name, []).append((line["elements"], line["bytes"] / line["us"] / 1e3))
        limit = PLOT_CEILINGS.get(title, "copy")
        ceiling = (f"{limit}, measured", ceilings[limit]) if limit in ceilings else None
        name = re.sub("[^a-z0-9]+", "-", title.lower()).strip("-") + ".svg"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(plots.plot(title, list(series.items()), ceiling))
        drawn.append((title, name))
    return drawn


def readme_table(benches):
    """Returns a few of the same rows, each with the fastest other library."""
    rows, cell = cells(benches)

    def fastest(work, candidates):
        times = [(cell[work, by], by) for by in candidates if (work, by) in cell]
        return f"{number(min(times)[0])} ({min(times)[1]})" if times else ""

    note = {row["work"]: row["note"] for row in rows if row["by"] == OURS}
    out = ["| | this library | fastest other library | CPU, all cores vectorised | reached |",
           "| --- " * 5 + "|"]
    for work in README_WORK:
        if (work, OURS) in cell:
            cpu = number(cell[work, CPU[-1]]) if (work, CPU[-1]) in cell else ""
            out.append(f"| {work} | {number(cell[work, OURS])} | {fastest(work, LIBRARIES)} | {cpu} | {note[work]} |")
    ours, raw = ((README_LAUNCH, by) for by in OUR_LAUNCHES[:2])
    if ours in cell and raw in cell:
        others = [by for work, by in cell if work == README_LAUNCH and by not in OUR_LAUNCHES]
        out.append(f"| {README_LAUNCH}, host time | {number(cell[ours])} | {fastest(README_LAUNCH, others)} | "
                   f"| the raw call: {number(cell[raw])} |")
    return out


def put(name, lines, marks=MARKS):
    """Replaces the lines between the marks of a page."""
    path = ROOT / name
    before = path.read_text()
    if marks[0] not in before:
        sys.exit(f"{name} has no line {marks[0]!r}")
    head, rest = before.split(marks[0], 1)
    path.write_text(head + "\n".join([marks[0], "", *lines, "", marks[1]]) + rest.split(marks[1], 1)[1])


def criterion_home():
    """Returns criterion's report folder."""
    return Path(os.environ.get("CRITERION_HOME", TARGET / "criterion"))


def main():
    benches = load()
    if not any(name in benches for name in ORDER):
        sys.exit(f"no results in {FOLDER}. Fix: run `cargo bench` first")
    text, device, emulated = summary(benches)
    print(text)
    (FOLDER / "summary.md").write_text(text)
    print(f"This table: {FOLDER / 'summary.md'}")
    if not emulated:
        for bench in ("arrays", "sorts"):
            for _, name in draw_plots(benches, bench, FOLDER / "plots"):
                print(f"Plot: {FOLDER / 'plots' / name}")
    report = criterion_home() / "report" / "index.html"
    if report.exists():
        print(f"Criterion's plots: {report}")
    if "--write" in sys.argv[1:]:
        if emulated:
            sys.exit("times of the emulator can't be written to these pages")
        # Each table depends only on its own benches, so that one bench can be repeated separately.
        if "sum" in benches and "convolution" in benches:
            put("docs/PERFORMANCE.md", [device, "", *page_tables(benches)])
            put("README.md", [device, "", *readme_table(benches)])
        if "arrays" in benches:
            put("docs/PERFORMANCE.md", [device, "", *array_tables(benches, ARRAY_ROWS)], ARRAY_MARKS)
            pictures = drawn(benches, "arrays")
            if pictures:
                put("docs/PERFORMANCE.md", [device, "", *pictures], PLOT_MARKS)
        if "sorts" in benches:
            tables = array_tables(benches, SORT_ROWS)
            put("docs/PERFORMANCE.md", [device, "", *tables, "", *drawn(benches, "sorts")], SORT_MARKS)


def drawn(benches, name):
    """Draws a bench's plots for the page, and returns the lines that show them."""
    pictures = draw_plots(benches, name, ROOT / "docs" / "plots")
    return ["\n\n".join(f"![{title}: GB/s over sizes](plots/{file})" for title, file in pictures)] if pictures else []


if __name__ == "__main__":
    main()
