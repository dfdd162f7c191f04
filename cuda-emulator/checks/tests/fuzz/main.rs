//! Malformed PTX must end in an error, never in a panic. The test mutates valid modules
//! deterministically. Malformed images are in `images`.
//!
//! `EMULATOR_FUZZ_FACTOR` multiplies the number of mutations.

#[path = "../../../engine/tests/common/mod.rs"]
mod common;
mod images;

use cuda_emulator_engine::Program;

struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % below.max(1)
    }
}

const PIECES: [&str; 40] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    "<4294967295>",
    "%r1",
    "%rd1",
    "%p1",
    "%f1",
    "-1",
    "0x7fffffffffffffff",
    "99999999999999999999",
    ".u32",
    ".f64",
    ".pred",
    ".b128",
    ".param",
    ".shared",
    ".align 1048576",
    "@%p1",
    "!",
    "_",
    "|",
    "+",
    "0f",
    "0d00",
    ".v4",
    ".sat",
    ".cc",
    "bra",
    "call",
    "brx.idx",
    "[-9223372036854775808]",
    "/*",
    "\"",
];

/// Splits into words and single other characters.
fn split(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let bytes = text.as_bytes();
    let word = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'%' | b'.');
    for i in 1..=bytes.len() {
        if i == bytes.len() || !word(bytes[i]) || !word(bytes[i - 1]) {
            out.push(&text[start..i]);
            start = i;
        }
    }
    out
}

/// Returns the numbers of `count` runs, or of a multiple of them.
fn runs(count: usize) -> std::ops::RangeInclusive<usize> {
    let factor = std::env::var("EMULATOR_FUZZ_FACTOR");
    let factor = factor.ok().and_then(|text| text.parse().ok());
    1..=count * factor.unwrap_or(1)
}

fn fuzz(name: &str, text: &str, count: usize) {
    let tokens = split(text);
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut loaded = 0;
    for run in runs(count) {
        let mut list = tokens.clone();
        // A slice of the module keeps a run short, and its head keeps it plausible.
        if random.next(3) > 0 {
            let keep = 200 + random.next(3000);
            list.truncate(keep);
        }
        for _ in 0..=random.next(6) {
            let at = random.next(list.len());
            match random.next(6) {
                0 => {
                    list.remove(at);
                }
                1 => list.insert(at, PIECES[random.next(PIECES.len())]),
                2 => list[at] = PIECES[random.next(PIECES.len())],
                3 => {
                    let other = random.next(list.len());
                    list.swap(at, other);
                }
                4 => {
                    let other = list[random.next(list.len())];
                    list.insert(at, other);
                }
                _ => {
                    let length = random.next(40).min(list.len() - at);
                    let part = list[at..at + length].to_vec();
                    let to = random.next(list.len());
                    list.splice(to..to, part);
                }
            }
            if list.is_empty() {
                break;
            }
        }
        let text = list.concat();
        match std::panic::catch_unwind(|| Program::load(&text).map(drop)) {
            Ok(Ok(())) => loaded += 1,
            Ok(Err(error)) => assert!(!error.to_string().is_empty()),
            Err(_) => {
                let path = std::env::temp_dir().join("cuda-emulator-fuzz.ptx");
                std::fs::write(&path, &text).unwrap();
                panic!(
                    "{name}: run {run} panicked; the text is in {}",
                    path.display()
                );
            }
        }
    }
    println!("{name}: {loaded} mutated modules still load");
}

#[test]
fn mutated_modules() {
    let simple = include_str!("../../../engine/tests/ptx/simple.ptx");
    let features = include_str!("../../../engine/tests/ptx/features.ptx");
    let registers = include_str!("../../../engine/tests/ptx/registers.ptx");
    for (name, text, count) in [
        ("simple", simple, 2000),
        ("features", features, 150),
        ("registers", registers, 10_000),
    ] {
        fuzz(name, text, count);
    }
    // Only the kernels, without the variables of the headers before them.
    let bulk = include_str!("../../../engine/tests/ptx/bulk.ptx");
    let kernels = &bulk[bulk.find(".visible .entry").unwrap()..];
    let bulk = format!(".version 8.8\n.target sm_90\n.address_size 64\n{kernels}");
    Program::load(&bulk).unwrap_or_else(|e| panic!("{e}"));
    fuzz("bulk", &bulk, 2000);
}

#[test]
fn hostile_modules() {
    let head = ".version 8.0\n.target sm_90\n.address_size 64\n";
    let deep = format!(
        "{head}.global .u32 x = {}1{};",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    let braces = format!(
        "{head}.visible .entry k() {{ {} {} ret; }}",
        "{".repeat(100_000),
        "}".repeat(100_000)
    );
    let operands = format!(
        "{head}.visible .entry k() {{ mov.u32 {}1; ret; }}",
        "{".repeat(100_000)
    );
    let minus = format!("{head}.global .u32 x = {}1;", "-".repeat(100_000));
    let large = format!("{head}.global .b8 x[99999999999999];");
    let frame = format!("{head}.visible .entry k() {{ .param .b8 x[999999999]; ret; }}");
    let local = format!("{head}.visible .entry k() {{ .local .b8 x[9999999999]; ret; }}");
    let parameter = format!(
        "{head}.visible .entry k(.param .u64 p) {{ .reg .b64 %r; ld.param.u64 %r, [p+0x7ffffffffffffff8]; ret; }}"
    );
    let predicate = format!(
        "{head}.visible .entry k() {{ .reg .pred %p; .reg .b64 %r; ld.global.u8 %p, [%r]; ret; }}"
    );
    let kept = format!(
        "{head}.visible .entry k() {{ .reg .pred %p; .reg .b64 %r; st.global.u8 [%r], %p; ret; }}"
    );
    let registers = format!(
        "{head}.visible .entry k() {{ .reg .b32 %r<4294967295>; mov.u32 %r4294967294, 1; ret; }}"
    );
    let chain: String = (0..20_000)
        .map(|i| format!(".func f{i}() {{ call f{}; ret; }}\n", i + 1))
        .collect();
    let chain =
        format!("{head}{chain}.func f20000() {{ ret; }}\n.visible .entry k() {{ call f0; ret; }}");
    for (text, fails) in [
        (deep, true),
        (braces, false),
        (operands, true),
        (minus, true),
        (large, true),
        (frame, true),
        (local, true),
        (parameter, true),
        (predicate, true),
        (kept, true),
        (registers, false),
        (chain, false),
    ] {
        let result = Program::load(&text);
        assert_eq!(
            result.is_err(),
            fails,
            "{}: {:?}",
            &text[..80],
            result.err().map(|e| e.to_string())
        );
    }
    for text in [
        "",
        "\0",
        ".",
        "@",
        ".version",
        ".version 9.0",
        ".version 9.0 .target sm_",
        "\u{e9}",
        ".version 99.0\n",
        "\"",
        "/*",
    ] {
        // The call only has to return. A header alone is a valid module without contents.
        let _ = Program::load(text);
    }
}
