//! The files that the compiler reads because of its options.

/// The effects of the options on the files that the compiler reads.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Reads {
    /// The include paths.
    pub(super) directories: Vec<String>,
    /// Headers that are included before the program.
    pub(super) first: Vec<String>,
    /// The macros of `-D`, written as `#define` directives.
    pub(super) definitions: String,
    /// Whether the output has debug information, which contains absolute paths.
    pub(super) places: bool,
}

enum Effect {
    /// No effect on files. The option has no value.
    Flag,
    /// No effect on files, whatever the value.
    Value,
    Places,
    Directory,
    First,
    Definition,
    Dialect,
    Assembler,
}

/// Returns the effect of the option with this name, which has no dashes.
///
/// Returns `None` for unknown options, and for options that read or write other files, such as
/// those of precompiled headers and timings.
fn effect(name: &str) -> Option<Effect> {
    Some(match name {
        "dc"
        | "default-device"
        | "device-as-default-execution-space"
        | "device-c"
        | "device-float128"
        | "device-int128"
        | "device-w"
        | "disable-warnings"
        | "display-error-number"
        | "dlink-time-opt"
        | "dlto"
        | "dw"
        | "err-no"
        | "ewp"
        | "extensible-whole-program"
        | "extra-device-vectorization"
        | "ffinite-math-only"
        | "fno-signed-zeros"
        | "gen-opt-lto"
        | "minimal"
        | "no-cache"
        | "no-display-error-number"
        | "no-err-no"
        | "no-source-include"
        | "restrict"
        | "use_fast_math"
        | "w" => Effect::Flag,
        "Ofast-compile"
        | "Ofc"
        | "U"
        | "arch"
        | "brief-diag"
        | "brief-diagnostics"
        | "builtin-initializer-list"
        | "builtin-move-forward"
        | "device-stack-protector"
        | "diag-error"
        | "diag-suppress"
        | "diag-warn"
        | "dopt"
        | "fmad"
        | "ftz"
        | "gpu-architecture"
        | "jtd"
        | "jump-table-density"
        | "maxrregcount"
        | "modify-stack-limit"
        | "prec-div"
        | "prec-sqrt"
        | "rdc"
        | "relocatable-device-code"
        | "split-compile"
        | "undefine-macro" => Effect::Value,
        "G" | "device-debug" | "generate-line-info" | "lineinfo" => Effect::Places,
        "I" | "include-path" => Effect::Directory,
        "include" | "pre-include" => Effect::First,
        "D" | "define-macro" => Effect::Definition,
        "std" => Effect::Dialect,
        "Xptxas" | "ptxas-options" => Effect::Assembler,
        _ => return None,
    })
}

/// The dialects whose lexical rules the lexer implements. Older ones have no raw strings.
const DIALECTS: [&str; 5] = ["c++11", "c++14", "c++17", "c++20", "c++23"];

/// The accepted options of the assembler. Others, such as `--options-file`, can read files.
const ASSEMBLER: [&str; 12] = [
    "--verbose",
    "--warn-on-double-precision-use",
    "--warn-on-local-memory-usage",
    "--warn-on-spills",
    "-O0",
    "-O1",
    "-O2",
    "-O3",
    "-v",
    "-warn-double-usage",
    "-warn-lmem-usage",
    "-warn-spills",
];

/// Returns `None` if the files that the options refer to cannot be determined with certainty.
pub(super) fn reads(options: &[String]) -> Option<Reads> {
    let mut reads = Reads::default();
    let mut options = options.iter();
    while let Some(option) = options.next() {
        let (name, attached) = split(option)?;
        let effect = effect(name)?;
        let value = match effect {
            Effect::Flag | Effect::Places => attached.is_none().then_some("")?,
            _ => attached.or_else(|| options.next().map(String::as_str))?,
        };
        match effect {
            Effect::Flag | Effect::Value => {}
            Effect::Places => reads.places = true,
            Effect::Directory => reads.directories.push(path(value)?),
            Effect::First => reads.first.push(path(value)?),
            Effect::Definition => reads.definitions += &definition(value)?,
            Effect::Dialect => DIALECTS.contains(&value).then_some(())?,
            Effect::Assembler => ASSEMBLER.contains(&value).then_some(())?,
        }
    }
    Some(reads)
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

/// Returns `None` for paths with quotes, backslashes or control characters. NVRTC escapes these and
/// therefore searches a different folder.
fn path(value: &str) -> Option<String> {
    let plain = |c: char| !c.is_control() && c != '"' && c != '\\';
    let whole = value.trim_matches(' ') == value && value.chars().all(plain);
    whole.then(|| value.to_owned())
}

/// Converts `NAME` or `NAME=text` to a `#define` directive.
fn definition(value: &str) -> Option<String> {
    // A continued line or a comment would hide the text after it from the lexer.
    let hides = ["\n", "\r", "\\", "//", "/*"];
    if hides.iter().any(|text| value.contains(text)) {
        return None;
    }
    let (name, text) = value.split_once('=').unwrap_or((value, "1"));
    Some(format!("#define {name} {text}\n"))
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
        for options in [
            &["-Ia b"][..],
            &["-I a b"],
            &["-I   a b"],
            &["-I=a b"],
            &["-I", "a b"],
            &["--include-path=a b"],
            &["--include-path", "a b"],
            &["  -Ia b "],
            &[" --include-path=a b  "],
        ] {
            assert_eq!(of(options).unwrap().directories, ["a b"], "{options:?}");
        }
        let several = of(&["-Ib", "-w", "--include-path=a", "-I", "c", "-I="]).unwrap();
        assert_eq!(several.directories, ["b", "a", "c", ""]);
        assert_eq!(of(&["-I==a"]).unwrap().directories, ["=a"]);
        assert_eq!(of(&["-I =a"]).unwrap().directories, ["=a"]);
        assert_eq!(of(&["-Ia", "-DX"]).unwrap().definitions, "#define X 1\n");
        // NVRTC would search a different folder for these, or rejects them.
        for options in [
            &["-I= a"][..],
            &["-I\ta"],
            &["-Ia\nb"],
            &["-Ia\"b"],
            &["-Ia\\b"],
            &["-I", " a"],
            &["-I", "a "],
            &["-I"],
            &["--include-path"],
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
    fn pre_included_headers_are_found() {
        for options in [
            &["-include=a.h"][..],
            &["-include", "a.h"],
            &["--pre-include=a.h"],
            &["--pre-include", "a.h"],
        ] {
            assert_eq!(of(options).unwrap().first, ["a.h"], "{options:?}");
        }
        assert_eq!(of(&["-include=a\\b"]), None);
    }

    #[test]
    fn macros_become_directives() {
        for (options, expected) in [
            (&["-DA"][..], "#define A 1\n"),
            (&["-D", "A"], "#define A 1\n"),
            (&["-D A=b=c"], "#define A b=c\n"),
            (&["-D=A=\"x y\""], "#define A \"x y\"\n"),
            (
                &["--define-macro=F(x)=x", "-DB="],
                "#define F(x) x\n#define B \n",
            ),
        ] {
            assert_eq!(of(options).unwrap().definitions, expected, "{options:?}");
        }
        for hides in ["A=\\", "A=1\n#include", "A=1\r", "A=//", "A=/*"] {
            assert_eq!(of(&["-D", hides]), None, "{hides}");
        }
    }

    #[test]
    fn options_without_effect_on_files_are_accepted() {
        for flag in [
            "-dc",
            "--device-c",
            "-dw",
            "--device-w",
            "-ewp",
            "--extensible-whole-program",
            "-w",
            "--disable-warnings",
            "-use_fast_math",
            "--use_fast_math",
            "-restrict",
            "--restrict",
            "-default-device",
            "--device-as-default-execution-space",
            "-no-source-include",
            "-dlto",
            "--no-source-include",
            "--dlink-time-opt",
            "--gen-opt-lto",
            "--minimal",
            "--no-cache",
            "--extra-device-vectorization",
            "--device-int128",
            "--device-float128",
            "-err-no",
            "--display-error-number",
            "--no-display-error-number",
            "-no-err-no",
        ] {
            assert_eq!(of(&[flag]), Some(Reads::default()), "{flag}");
            assert_eq!(of(&[&format!("{flag}=x")]), None, "{flag}");
        }
        for option in [
            "--gpu-architecture=sm_90",
            "-arch=sm_90",
            "--maxrregcount=32",
            "-maxrregcount=32",
            "--ftz=true",
            "--prec-sqrt=true",
            "--prec-div=true",
            "--fmad=false",
            "-rdc=true",
            "--relocatable-device-code=true",
            "--undefine-macro=A",
            "-UA",
            "-U A",
            "-U=A",
            "-dopt=on",
            "--dopt=on",
            "-Ofc=max",
            "--Ofast-compile=max",
            "--brief-diagnostics=true",
            "-brief-diag=true",
            "--builtin-move-forward=true",
            "--builtin-initializer-list=true",
            "--device-stack-protector=true",
            "--diag-error=1",
            "--diag-suppress=1",
            "--diag-warn=1",
            "--jump-table-density=1",
            "-jtd=1",
            "--modify-stack-limit=true",
            "--split-compile=2",
            "--std=c++11",
            "-std=c++14",
            "--std=c++17",
            "--std=c++20",
            "--std=c++23",
            "--ptxas-options=-v",
            "-Xptxas=--verbose",
            "-Xptxas=-O0",
            "-Xptxas=-O1",
            "-Xptxas=-O2",
            "-Xptxas=-O3",
            "-Xptxas=--warn-on-spills",
            "-Xptxas=-warn-spills",
            "-Xptxas=--warn-on-local-memory-usage",
            "-Xptxas=-warn-lmem-usage",
            "-Xptxas=--warn-on-double-precision-use",
            "-Xptxas=-warn-double-usage",
        ] {
            assert_eq!(of(&[option]), Some(Reads::default()), "{option}");
            if let Some((name, value)) = option.split_once('=') {
                assert_eq!(of(&[name, value]), Some(Reads::default()), "{option}");
            }
        }
    }

    #[test]
    fn debug_options_depend_on_the_current_folder() {
        for flag in ["-G", "--device-debug", "-lineinfo", "--generate-line-info"] {
            assert!(of(&[flag, "-w"]).unwrap().places, "{flag}");
            assert_eq!(of(&[&format!("{flag}=x")]), None, "{flag}");
        }
        assert!(!of(&["-w", "--fmad=true"]).unwrap().places);
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
            "--std=c++03",
            "--std=gnu++17",
            "--no-such-option",
            "-Xptxas=--options-file=a",
            "-Xptxas=-v -O1",
            "--optimization-info=inline",
            "---w",
            "--ftz",
            "--std",
            "-D",
            "-U",
            "-include",
        ] {
            assert_eq!(of(&[option]), None, "{option}");
            assert_eq!(of(&["-w", option]), None, "{option}");
        }
    }
}
