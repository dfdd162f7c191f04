//! The sources of loaded modules, used to quote source lines in fault reports.

use std::{
    borrow::Cow,
    fmt::Write,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
};

use super::report;

/// The source texts of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources(Vec<Source>);

#[derive(Clone, Debug)]
struct Source {
    /// The name that line information uses.
    name: String,
    text: String,
    /// For a program without a name.
    unnamed: Option<Unnamed>,
}

#[derive(Clone, Debug)]
struct Unnamed {
    /// The file and line of Rust that created the program.
    made_at: String,
    /// The name in the emulator's reports, which no other program of the process has.
    file: String,
}

impl Source {
    /// Returns the name in the emulator's reports.
    fn file(&self) -> &str {
        self.unnamed.as_ref().map_or(&self.name, |one| &one.file)
    }
}

impl Sources {
    /// Creates the sources from pairs of name and text. `made_at` concerns the first.
    pub(crate) fn new(
        texts: impl Iterator<Item = (String, String)>,
        mut made_at: Option<String>,
    ) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        let source = |(name, text)| {
            let unnamed = made_at.take().map(|made_at| {
                let number = NUMBER.fetch_add(1, Ordering::Relaxed);
                let file = format!("{name} (program {number}, created at {made_at})");
                Unnamed { made_at, file }
            });
            Source {
                name,
                text,
                unnamed,
            }
        };
        Self(texts.map(source).collect())
    }

    /// Returns the PTX for the driver. On the emulator, the line information of a program without a
    /// name gets a name that no other program of the process has. It also names the line of Rust, for
    /// text that the emulator prints itself. Programs that were linked together keep a name that
    /// several of them have.
    pub(crate) fn mark<'a>(&self, ptx: &'a str) -> Cow<'a, str> {
        let is_only = |own: &&Source| self.of_name(|name| name == own.name).is_some();
        match self.0.first().filter(is_only) {
            Some(own) if own.unnamed.is_some() && report::look_up().is_some() => {
                // NVRTC for Windows escapes the separators of a path.
                let separator = if cfg!(windows) { r"\\" } else { "/" };
                let names = [&own.name, own.file()];
                let [name, file] = names.map(|name| format!("{separator}{name}\""));
                Cow::Owned(ptx.replace(&name, &file))
            }
            _ => Cow::Borrowed(ptx),
        }
    }

    /// Adds the sources of another program.
    pub(crate) fn extend(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }

    /// Returns the source at `path`. The compiler adds its folder before the name.
    fn find(&self, path: &str) -> Option<&Source> {
        let ends_with = |name: &str| {
            path.strip_suffix(name).is_some_and(|folder| {
                folder.is_empty() || folder.ends_with(std::path::is_separator)
            })
        };
        let mut sources = self.0.iter();
        (sources.find(|source| ends_with(source.file()))).or_else(|| self.of_name(ends_with))
    }

    /// Returns the source whose name is accepted, if it is the only one.
    fn of_name(&self, accepts: impl Fn(&str) -> bool) -> Option<&Source> {
        let mut found = self.0.iter().filter(|source| accepts(&source.name));
        found.next().filter(|_| found.next().is_none())
    }
}

/// The sources and kernels of a module, registered while the module holds this value.
#[derive(Debug)]
pub(crate) struct Loaded {
    sources: Arc<Sources>,
    /// The linked names.
    kernels: Vec<String>,
    /// Name expressions with their linked names.
    lowered: Vec<(String, String)>,
}

static LOADED: Mutex<Vec<Weak<Loaded>>> = Mutex::new(Vec::new());

impl Loaded {
    pub(crate) fn new(
        sources: &Arc<Sources>,
        kernels: &[String],
        lowered: &[(String, String)],
    ) -> Arc<Self> {
        let loaded = Arc::new(Self {
            sources: Arc::clone(sources),
            kernels: kernels.to_vec(),
            lowered: lowered.to_vec(),
        });
        let mut all = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|one| one.strong_count() > 0);
        all.push(Arc::downgrade(&loaded));
        loaded
    }
}

/// Adds the source lines to a fault report.
///
/// Each line of the report that names a source line is followed by that source line and its
/// neighbors. If the program has no name, the line also names the line of Rust that created the
/// program. A kernel that was requested by a name expression is shown by that. Nothing is added if
/// modules with that kernel were compiled from different texts of the same name. Names are those that
/// [`Program::name`](crate::Program::name) sets, so no such file need exist.
pub(crate) fn explain(report: &str) -> String {
    let all: Vec<_> = {
        let all = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter_map(Weak::upgrade).collect()
    };
    explain_by(&all, report)
}

fn explain_by(all: &[Arc<Loaded>], report: &str) -> String {
    let kernels: Vec<&str> = report.lines().filter_map(kernel).collect();
    let of_kernel =
        |one: &&Arc<Loaded>| (one.kernels.iter()).any(|name| kernels.contains(&name.as_str()));
    let find = |path: &str| {
        let mut found = all
            .iter()
            .filter(of_kernel)
            .filter_map(|one| one.sources.find(path));
        let first = found.next()?;
        let mut same = Some(first);
        for other in found {
            if other.name != first.name {
                return None;
            }
            same = same.filter(|one| one.text == other.text);
        }
        Some((&first.name, same))
    };
    let mut explained = String::with_capacity(report.len() * 2);
    for line in report.lines() {
        // The line itself, and the place into which it is inlined.
        let labels = ["source: ", "inlined at: "];
        let place = labels.iter().find_map(|label| {
            let place = line.trim_start().strip_prefix(label)?;
            let (path, number) = place.rsplit_once(':')?;
            Some((label, path, number))
        });
        if let Some((label, path, number)) = place
            && let Some((name, source)) = find(path)
            && let Ok(line_number) = number.parse()
        {
            let indent = &line[..line.len() - line.trim_start().len()];
            explained.push_str(&format!("{indent}{label}{name}:{number}"));
            if let Some(Unnamed { made_at, .. }) = source.and_then(|source| source.unnamed.as_ref())
            {
                explained.push_str(&format!(", in the program created at {made_at}"));
            }
            explained.push('\n');
            if let Some(source) = source {
                explained.push_str(&around(&source.text, line_number, None));
            }
        } else {
            let linked = kernel(line);
            let mut lowered = all.iter().filter(of_kernel).flat_map(|one| &one.lowered);
            let line = match linked.zip(lowered.find(|(_, name)| linked == Some(name))) {
                Some((linked, (expression, _))) => {
                    // `linked` is a part of the line.
                    let start = linked.as_ptr().addr() - line.as_ptr().addr();
                    let end = start + linked.len();
                    &format!("{}{expression}{}", &line[..start], &line[end..])
                }
                None => line,
            };
            explained.push_str(line);
            explained.push('\n');
        }
    }
    explained.truncate(explained.trim_end().len());
    explained
}

/// Returns the linked name of the kernel that a line of a report is about: `kernel k, block (0, 0, 0)`,
/// or "written by kernel `k` (cuLaunchKernel on stream 0x12)".
fn kernel(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = match line.split_once("by kernel `") {
        Some((_, rest)) => rest,
        None => line.strip_prefix("kernel ")?,
    };
    rest.split([' ', ',', '`']).next()
}

/// Returns the line `number` with its neighbors, and a mark under one of its columns, counted from
/// 0. Returns an empty string if the line does not exist.
pub(crate) fn around(source: &str, number: usize, column: Option<usize>) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let mut text = String::new();
    if !(1..=lines.len()).contains(&number) {
        return text;
    }
    let (first, last) = (
        number.saturating_sub(2).max(1),
        (number + 1).min(lines.len()),
    );
    for n in first..=last {
        let mark = if n == number { '>' } else { ' ' };
        let _ = writeln!(text, " {mark}{n:5} | {}", lines[n - 1]);
        if let Some(column) = column.filter(|_| n == number) {
            let _ = writeln!(text, "        | {:column$}^", "");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(texts: &[(&str, &str)]) -> Arc<Sources> {
        let texts = texts.iter();
        Arc::new(Sources::new(
            texts.map(|(name, text)| (name.to_string(), text.to_string())),
            None,
        ))
    }

    fn loaded(name: &str, text: &str, kernel: &str) -> Arc<Loaded> {
        let texts = [(name, text), ("h.cuh", "header\n")];
        Arc::new(Loaded {
            sources: sources(&texts),
            kernels: vec![kernel.into()],
            lowered: Vec::new(),
        })
    }

    #[test]
    fn explain_quotes_known_lines() {
        let all = [
            loaded("a.cu", "one\ntwo\nthree\n", "k"),
            loaded("a.cu", "other\n", "l"),
        ];
        let report = "write\n  kernel k, block (0, 0, 0)\n  source: /x/a.cu:2\n  PTX line 5: st";
        assert_eq!(
            explain_by(&all, report),
            "write\n  kernel k, block (0, 0, 0)\n  source: a.cu:2\n      1 | one\n >    2 | two\n      3 | three\n  \
             PTX line 5: st"
        );
        let inlined = report.replace(
            "source: /x/a.cu:2",
            "source: builtin.h:7\n  inlined at: /x/a.cu:2",
        );
        assert!(explain_by(&all, &inlined).contains(
            "  source: builtin.h:7\n  inlined at: a.cu:2\n      1 | one\n >    2 | two\n"
        ));
        let header = report.replace("/x/a.cu:2", "h.cuh:1");
        assert!(explain_by(&all, &header).contains(" >    1 | header\n"));
    }

    /// A module of a program without a name, and its name in the emulator's reports.
    fn unnamed(text: &str, made_at: &str) -> (Arc<Loaded>, String) {
        let texts = [("a.cu", text), ("h.cuh", "header\n")];
        let texts = texts.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let sources = Sources::new(texts.into_iter(), Some(made_at.into()));
        let file = sources.0[0].file().to_owned();
        let loaded = Loaded {
            sources: Arc::new(sources),
            kernels: vec!["k".into()],
            lowered: Vec::new(),
        };
        (Arc::new(loaded), file)
    }

    #[test]
    fn linked_programs_are_found_by_a_name_that_only_one_has() {
        let source = |name: &str, made_at: Option<&str>| {
            let texts = [(name.to_owned(), "text".to_owned())];
            Sources::new(texts.into_iter(), made_at.map(str::to_owned))
        };
        let (named, unnamed) = (source("x.cu", None), source("program.cu", Some("a.rs:1")));
        let mut linked = named.clone();
        linked.extend(&unnamed);
        assert!(linked.find("/program.cu").unwrap().unnamed.is_some());
        assert_eq!(linked.find("/x.cu").unwrap().name, "x.cu");
        // Nothing tells two unnamed programs apart after they were linked.
        let mut both = unnamed.clone();
        both.extend(&source("program.cu", Some("b.rs:2")));
        assert!(both.find("/program.cu").is_none());
        assert_eq!(both.mark("/program.cu\""), "/program.cu\"");
    }

    #[test]
    fn kernels_are_shown_by_their_name_expressions() {
        let mut one = loaded("a.cu", "", "e");
        let lowered = &mut Arc::get_mut(&mut one).unwrap().lowered;
        lowered.push(("ns::e".into(), "e".into()));
        let shown = explain_by(&[one], "  kernel e, block (0, 0, 0)");
        assert_eq!(shown, "  kernel ns::e, block (0, 0, 0)");
    }

    #[test]
    fn explain_names_where_an_unnamed_program_was_created() {
        let (one, one_file) = unnamed("one\n", "src/main.rs:9");
        // Another program with the same kernel, created by the same line.
        let (other, other_file) = unnamed("other\n", "src/main.rs:9");
        assert!(one_file.starts_with("a.cu (program ") && one_file != other_file);
        assert!(one_file.ends_with(", created at src/main.rs:9)"));
        for (file, text) in [(one_file, "one"), (other_file, "other")] {
            assert_eq!(
                explain_by(
                    &[one.clone(), other.clone()],
                    &format!("  kernel k, block\n  source: /x/{file}:1\n  inlined at: h.cuh:1")
                ),
                format!(
                    "  kernel k, block\n  source: a.cu:1, in the program created at src/main.rs:9\n >    1 | {text}\n  \
                     inlined at: h.cuh:1\n >    1 | header"
                )
            );
        }
    }

    #[test]
    fn explain_quotes_the_sources_of_two_kernels_on_two_streams() {
        let all = [
            loaded("a.cu", "one\n", "put"),
            loaded("b.cu", "two\n", "get"),
        ];
        let report = "race between streams\n  written by kernel `put` (cuLaunchKernel on stream 0x1)\n    source: a.cu:1\n  \
                      read by kernel `get` (cuLaunchKernel on stream 0x2)\n    source: b.cu:1";
        let explained = explain_by(&all, report);
        for line in [
            "\n    source: a.cu:1\n >    1 | one\n",
            "\n    source: b.cu:1\n >    1 | two",
        ] {
            assert!(explained.contains(line), "{explained}");
        }
    }

    #[test]
    fn explain_shows_kernels_by_their_name_expressions() {
        let lowered = [
            ("sums", "_Z4sumsPKfPfj"),
            ("scale<float>", "_Z5scaleIfEvPT_"),
        ];
        let lowered = lowered.map(|(expression, linked)| (expression.into(), linked.into()));
        let all = [Arc::new(Loaded {
            sources: sources(&[("a.cu", "one\n")]),
            kernels: vec!["_Z4sumsPKfPfj".into(), "_Z5scaleIfEvPT_".into()],
            lowered: lowered.to_vec(),
        })];
        for (report, expected) in [
            (
                "  kernel _Z4sumsPKfPfj, block (0, 0, 0)",
                "  kernel sums, block (0, 0, 0)",
            ),
            (
                "  read by kernel `_Z5scaleIfEvPT_` (cuLaunchKernel",
                "  read by kernel `scale<float>` (cuLaunchKernel",
            ),
            ("  kernel _Z4sumsPKf, block", "  kernel _Z4sumsPKf, block"),
        ] {
            assert_eq!(explain_by(&all, report), expected);
        }
    }

    #[test]
    fn explain_skips_ambiguous_sources() {
        let all = [
            loaded("a.cu", "one\ntwo\n", "k"),
            loaded("a.cu", "another\ntext\n", "k"),
            loaded("b.cu", "one\n", "k"),
            loaded("b.cu", "one\n", "k"),
        ];
        let report = |kernel: &str, place: &str| format!("kernel {kernel}, block\nsource: {place}");
        for (kernel, place) in [
            ("k", "a.cu:2"),
            ("l", "/x/b.cu:1"),
            ("k", "/x/yb.cu:1"),
            ("k", "b.cu:9"),
            ("k", "/x/b.cu:one"),
            ("k", "/x/b.cu"),
        ] {
            let report = report(kernel, place);
            assert_eq!(explain_by(&all, &report), report);
        }
        assert!(explain_by(&all, &report("k", "/x/b.cu:1")).contains(">    1 | one"));
        // All modules agree on the name, but not on the text.
        let short = report("k", "a.cu:2");
        assert_eq!(explain_by(&all, &report("k", "/x/a.cu:2")), short);
        assert_eq!(
            explain_by(&all, "source: b.cu:1"),
            "source: b.cu:1",
            "without a kernel"
        );
    }

    #[test]
    fn sources_are_removed_with_their_module() {
        let sources = sources(&[("sources-test.cu", "text")]);
        let report = "kernel of_sources_test, block\nsource: sources-test.cu:1";
        let held = Loaded::new(&sources, &["of_sources_test".into()], &[]);
        assert!(explain(report).ends_with(">    1 | text"));
        drop(held);
        assert_eq!(explain(report), report);
    }
}
