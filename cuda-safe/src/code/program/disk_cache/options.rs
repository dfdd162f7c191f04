//! The files that the compiler reads because of its options.

use super::system;

/// The effects of the options on the files that the compiler reads.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Reads {
    /// The include paths.
    pub(super) directories: Vec<String>,
    /// Headers that are included before the program.
    pub(super) first: Vec<String>,
    /// The macros of `-D`, as `NAME` or `NAME=text`.
    pub(super) definitions: Vec<String>,
    /// Whether the output has debug information, which contains absolute paths.
    pub(super) places: bool,
}

/// Options that have no effect on files, whatever their value, if it has no blanks.
///
/// Other options may read or write files, such as those of precompiled headers and timings.
const HARMLESS: &str = "\
    Ofast-compile Ofc U arch brief-diag brief-diagnostics builtin-initializer-list \
    builtin-move-forward dc default-device device-as-default-execution-space device-c \
    device-float128 device-int128 device-stack-protector device-w diag-error diag-suppress \
    diag-warn disable-warnings display-error-number dlink-time-opt dlto dopt dw err-no ewp \
    extensible-whole-program extra-device-vectorization ffinite-math-only fmad fno-signed-zeros \
    ftz gen-opt-lto gpu-architecture jtd jump-table-density maxrregcount minimal \
    modify-stack-limit no-cache no-display-error-number no-err-no no-source-include prec-div \
    prec-sqrt rdc relocatable-device-code restrict split-compile std undefine-macro use_fast_math w";

/// The accepted options of the assembler. Others, such as `--options-file`, can read files.
const ASSEMBLER: &str = "\
    --verbose --warn-on-double-precision-use --warn-on-local-memory-usage --warn-on-spills -O0 -O1 \
    -O2 -O3 -v -warn-double-usage -warn-lmem-usage -warn-spills";

/// Returns `None` if the files that the options refer to cannot be determined with certainty.
pub(super) fn reads(options: &[String]) -> Option<Reads> {
    let mut reads = Reads::default();
    for option in options {
        // If a value is in the next string, that string has no dash, or the option has no value.
        let (name, value) = split(option)?;
        match name {
            "I" | "include-path" => reads.directories.push(path(value?)?),
            "include" | "pre-include" => reads.first.push(path(value?)?),
            "D" | "define-macro" => reads.definitions.push(line(value?)?),
            "G" | "device-debug" | "generate-line-info" | "lineinfo" => reads.places = true,
            "Xptxas" | "ptxas-options" => is_listed(ASSEMBLER, value?).then_some(())?,
            // Blanks could separate other options.
            _ if value.is_some_and(|value| value.contains(char::is_whitespace)) => return None,
            _ => is_listed(HARMLESS, name).then_some(())?,
        }
    }
    Some(reads)
}

fn is_listed(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

/// Splits an option into its name without dashes and its value, if the same string contains one.
///
/// NVRTC 12.0 to 13.5 were observed to accept `-Ix`, `-I x` and `-I=x`, and the same forms of `-D`
/// and `-U`. For all other options they accept only `--name=value`. They ignore spaces around the
/// whole option.
fn split(option: &str) -> Option<(&str, Option<&str>)> {
    let option = option.trim_matches(' ');
    let name = option.strip_prefix('-')?;
    if let Some(rest) = name.strip_prefix(['I', 'D', 'U']) {
        let value = rest
            .strip_prefix('=')
            .unwrap_or(rest.trim_start_matches(' '));
        return Some((&name[..1], (!rest.is_empty()).then_some(value)));
    }
    let name = name.strip_prefix('-').unwrap_or(name);
    Some(match name.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (name, None),
    })
}

/// Returns `None` for paths with quotes or control characters, and with backslashes unless they
/// separate folders. NVRTC escapes these and therefore searches a different folder.
fn path(value: &str) -> Option<String> {
    let plain = |c: char| !c.is_control() && c != '"';
    let plain = value.chars().all(plain) && system::backslashes_are_plain(value);
    let whole = value.trim_matches(' ') == value && plain;
    whole.then(|| value.to_owned())
}

/// Returns `None` if the definition could contain other directives.
fn line(value: &str) -> Option<String> {
    (!value.contains(['\n', '\r'])).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(options: &[&str]) -> Option<Reads> {
        let options: Vec<_> = options.iter().map(|&option| option.to_owned()).collect();
        reads(&options)
    }

    #[test]
    fn include_paths_are_found_in_every_form() {
        for option in [
            "-Ia b",
            "-I a b",
            "-I   a b",
            "-I=a b",
            "--include-path=a b",
            "  -Ia b ",
            " --include-path=a b  ",
        ] {
            assert_eq!(of(&[option]).unwrap().directories, ["a b"], "{option:?}");
        }
        let several = of(&["-Ib", "-w", "--include-path=a", "-I="]).unwrap();
        assert_eq!(several.directories, ["b", "a", ""]);
        assert_eq!(of(&["-I==a"]).unwrap().directories, ["=a"]);
        assert_eq!(of(&["-I =a"]).unwrap().directories, ["=a"]);
        // NVRTC would search a different folder for these, or rejects them, or the value is in
        // another string.
        for options in [
            &["-I= a"][..],
            &["-I\ta"],
            &["-Ia\nb"],
            &["-Ia\"b"],
            &["-I\\\\a\\b"],
            &["-I", "a"],
            &["--include-path", "a"],
            &["--include-path", "-w"],
            &["--include-path a"],
            &["Ia"],
            &["a"],
            &[""],
            &["-"],
        ] {
            assert_eq!(of(options), None, "{options:?}");
        }
    }

    #[test]
    fn backslashes_are_accepted_where_they_separate_folders() {
        for option in ["-IC:\\a\\b", "-I a\\b", "--include-path=C:\\a\\b\\"] {
            assert_eq!(of(&[option]).is_some(), cfg!(windows), "{option}");
        }
    }

    #[test]
    fn pre_included_headers_and_macros_are_found() {
        for option in ["-include=a.h", "--pre-include=a.h"] {
            assert_eq!(of(&[option]).unwrap().first, ["a.h"], "{option:?}");
        }
        for (option, expected) in [
            ("-DA", "A"),
            ("-D A=b=c", "A=b=c"),
            ("-D=A=\"x y\"", "A=\"x y\""),
            ("--define-macro=F(x)=x", "F(x)=x"),
        ] {
            let found = of(&[option, "-DB="]).unwrap().definitions;
            assert_eq!(found, [expected, "B="], "{option:?}");
        }
        for option in ["-DA=1\n#include", "-DA=1\r"] {
            assert_eq!(of(&[option]), None, "{option:?}");
        }
    }

    #[test]
    fn options_without_effect_on_files_are_accepted() {
        for name in HARMLESS.split_whitespace() {
            for option in [format!("-{name}"), format!("--{name}=x")] {
                assert_eq!(of(&[&option]), Some(Reads::default()), "{option}");
            }
        }
        for option in ASSEMBLER.split_whitespace() {
            let option = format!("-Xptxas={option}");
            assert_eq!(of(&[&option]), Some(Reads::default()), "{option}");
        }
        for flag in ["-G", "--device-debug", "-lineinfo", "--generate-line-info"] {
            assert!(of(&[flag, "-w"]).unwrap().places, "{flag}");
        }
    }

    #[test]
    fn other_options_are_rejected() {
        for option in [
            "--pch",
            "--create-pch=a",
            "--use-pch=a",
            "--pch-dir=a",
            "--time=a",
            "--options-file=a",
            "--fdevice-time-trace=a",
            "-Xcudafe=-H",
            "-optf=a",
            "@a",
            "--no-such-option",
            "-Xptxas=--options-file=a",
            "-Xptxas=-v -O1",
            "--std=c++17 -Ia",
            "--optimization-info=inline",
            "---w",
            "-Xptxas",
            "-D",
            "-I",
            "-include",
            "-include=\\\\a\\b",
        ] {
            assert_eq!(of(&[option]), None, "{option}");
            assert_eq!(of(&["-w", option]), None, "{option}");
        }
    }
}
