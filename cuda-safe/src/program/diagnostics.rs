//! The compiler's log, with the source lines that it refers to.

use std::fmt::Write;

/// The log, where each line that names a place in one of the texts, which have names, is followed by the numbered source
/// around that place.
pub(super) fn explain<'a>(
    log: &str,
    texts: impl Iterator<Item = (&'a str, &'a str)> + Clone,
) -> String {
    let mut text = String::with_capacity(log.len() * 2);
    for message in log.trim_end().lines() {
        text.push_str(message);
        text.push('\n');
        let named = |(name, source)| Some((place(message, name)?, source));
        let Some((number, source)) = texts.clone().find_map(named) else {
            continue;
        };
        let lines: Vec<&str> = source.lines().collect();
        if !(1..=lines.len()).contains(&number) {
            continue;
        }
        let (first, last) = (
            number.saturating_sub(2).max(1),
            (number + 1).min(lines.len()),
        );
        for n in first..=last {
            let Some(line) = lines.get(n - 1) else {
                continue;
            };
            let mark = if n == number { '>' } else { ' ' };
            let _ = writeln!(text, " {mark}{n:5} | {line}");
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// The line in `name(12): error: ...`.
fn place(message: &str, name: &str) -> Option<usize> {
    let (number, rest) = message
        .strip_prefix(name)?
        .strip_prefix('(')?
        .split_once(')')?;
    rest.starts_with(':').then(|| number.parse().ok())?
}

#[cfg(test)]
mod tests {
    fn explain(log: &str, name: &str, source: &str) -> String {
        super::explain(log, [(name, source)].into_iter())
    }

    #[test]
    fn the_line_is_shown_with_its_neighbours() {
        let log = "a.cu(2): error: identifier \"y\" is undefined\n    x = y;\n        ^\n";
        let text = explain(log, "a.cu", "int x;\nx = y;\nint z;\n");
        assert!(
            text.contains("     1 | int x;\n >    2 | x = y;\n      3 | int z;\n"),
            "{text}"
        );
        assert!(text.ends_with('^'), "{text:?}");
    }

    #[test]
    fn the_first_and_the_last_line_have_one_neighbour_less() {
        let source = "one\ntwo\nthree\nfour\nfive\n";
        let shown = |number: u32| {
            let text = explain(&format!("a.cu({number}): error: x\n\n"), "a.cu", source);
            let numbers = text.lines().skip(1).map(|line| line[..9].trim().to_owned());
            numbers.collect::<Vec<_>>()
        };
        assert_eq!(shown(1), [">    1 |", "2 |"]);
        assert_eq!(shown(2), ["1 |", ">    2 |", "3 |"]);
        assert_eq!(shown(3), ["1 |", "2 |", ">    3 |", "4 |"]);
        assert_eq!(shown(5), ["3 |", "4 |", ">    5 |"]);
        assert_eq!(explain("x\n\n\n", "a.cu", source), "x");
    }

    #[test]
    fn headers_are_shown_too() {
        let log = "b.cuh(1): error: x\na.cu(2): note: y\n";
        let texts = [("a.cu", "one\ntwo\n"), ("b.cuh", "three\n")];
        let text = super::explain(log, texts.into_iter());
        assert_eq!(
            text,
            "b.cuh(1): error: x\n >    1 | three\na.cu(2): note: y\n      1 | one\n >    2 | two"
        );
    }

    #[test]
    fn other_files_and_wild_numbers_are_left_alone() {
        for log in [
            "b.cu(2): error: x",
            "a.cu(x): error",
            "a.cu(2) error",
            "a.cu(99): error: x",
            "a.cu(0): error: x",
        ] {
            assert_eq!(explain(log, "a.cu", "one\ntwo\n"), log);
        }
    }
}
