//! Compiles and runs a small program with all its mutants.

use std::fs;
use std::process::Command;

use crate::find;
use crate::rewrite;

const PROGRAM: &str = r#"
use std::alloc::{GlobalAlloc, Layout, System};

// Allocations query the switches, even while the switches are being initialised.
struct Asking;
#[global_allocator]
static ALLOCATOR: Asking = Asking;
unsafe impl GlobalAlloc for Asking {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let size = layout.size() + 8;
        unsafe { System.alloc(Layout::from_size_align(size, layout.align()).unwrap()) }
    }
    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[derive(Default)]
struct Options { loud: bool, times: u32 }

fn base() -> Options {
    Options { loud: true, times: 1 }
}

const fn twice(a: i32) -> i32 {
    a * 2
}

macro_rules! named {
    ($($name:ident = $value:expr),*) => {$(
        fn $name() -> i32 {
            twice($value) - $value % 2 - 1
        }
    )*};
}
named!(four = 3, seven = 4);

fn kind(number: i32) -> &'static str {
    match number {
        0 => "none",
        n if n < 0 => "negative",
        _ => "some",
    }
}

fn even(limit: i32) -> impl Iterator<Item = i32> {
    (0..limit).filter(|n| n & 1 == 0 && *n > 2)
}

fn both(a: bool, b: bool) -> bool {
    a && !b
}

fn main() {
    let mut sum = four() * 10 + -seven();
    sum += 11;
    let found: Vec<i32> = even(8).collect();
    if let Some(last) = found.last() && *last > 5 {
        sum <<= 1;
    }
    let options = Options { times: 2, ..base() };
    let text = match options.loud {
        true => kind(sum),
        _ => "",
    };
    let all = [both(true, false), both(true, true)];
    println!("{sum} {text} {found:?} {} {} {} {all:?}", kind(0), kind(-1), options.times);
}
"#;

#[test]
fn mutants_are_activated_one_at_a_time() {
    let folder = std::env::temp_dir().join(format!("mutants-program-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let found = find::search("main.rs", PROGRAM).unwrap();
    let new = rewrite::rewrite(PROGRAM, &found, &|index| Some(index as u32 + 1));
    let (source, program) = (folder.join("main.rs"), folder.join("main"));
    fs::write(&source, new.text + include_str!("runtime/mutants.rs")).unwrap();
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler)
        .args(["--edition=2024", "--cap-lints=allow", "-o"])
        .args([&program, &source])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let run = |variable: &str, value: &str| {
        let output = Command::new(&program)
            .env(variable, value)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let expected = "88 some [4, 6] none negative 2 [true, false]\n";
    assert_eq!(run("NOTHING", ""), expected);
    assert_eq!(run("MUTANT", "0"), expected);

    let mut same = Vec::new();
    for (index, mutant) in found.mutants.iter().enumerate() {
        if run("MUTANT", &(index + 1).to_string()) == expected {
            same.push(mutant.change.clone());
        }
    }
    // All mutants change the output, except those that are equivalent here.
    let alike = [
        "< becomes <= in n < 0",
        "> becomes >= in *last > 5",
        "+ becomes * in layout.size() + 8",
    ];
    same.retain(|change| !alike.contains(&change.as_str()));
    assert_eq!(same, [""; 0]);
    assert!(found.mutants.len() > 40);

    // All mutants are also reached, and recorded once each.
    let reached = folder.join("reached");
    assert_eq!(run("MUTANTS_REACHED", reached.to_str().unwrap()), expected);
    let text = fs::read_to_string(&reached).unwrap();
    let mut numbers: Vec<usize> = text.lines().map(|line| line.parse().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=found.mutants.len()).collect::<Vec<_>>());
    fs::remove_dir_all(&folder).unwrap();
}
