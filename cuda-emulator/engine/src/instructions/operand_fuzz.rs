//! A fuzz test of every instruction in the list with operands that do not fit it. Loading must
//! return an error, or create a program whose operands agree with the entry, which `emit` asserts.
//! It must never panic.
//!
//! The test keeps operands that cause a new kind of result and mutates them further.
//! `EMULATOR_FUZZ_FACTOR` multiplies the number of mutations.

use std::collections::{HashMap, HashSet};
use std::panic::catch_unwind;

use super::{FAMILIES, entries, find};
use crate::ir::{Form, Opcode, Role};
use crate::number::tensor::product::Product;
use crate::program::Program;
use crate::ptx::{LoadError, LoadErrorKind};

/// Declarations that operands may name.
const HEAD: &str = "\
.version 9.0
.target sm_121a
.address_size 64
.extern .func (.param .b32 r) declared (.param .b64 a);
.func (.reg .b32 r) narrow (.reg .b32 a) { mov.b32 r, a; ret; }
.func (.param .b64 r) wide (.param .b64 a, .param .align 16 .b8 b[32]) { ret; }
.func plain () { ret; }
.global .align 16 .b8 bytes[64];
.const .f32 number = 0f3f800000;
.shared .align 16 .b8 tile[64];
.extern .shared .align 16 .b8 dynamic[];
.visible .entry k(.param .u64 pointer, .param .align 16 .b8 block[64])
{
.reg .pred %p<4>; .reg .b16 %h<40>; .reg .b32 %r<140>; .reg .f32 %f<8>; .reg .b64 %d<40>; .reg .b128 %q<4>;
.param .b32 word; .param .b64 long; .param .align 16 .b8 many[32];
.local .align 16 .b8 stack[64];
back:
";
/// The end of the module, with names that are used before their declaration.
const TAIL: &str = "
ahead: ret;
inner: .branchtargets back, ahead;
shape: .callprototype (.param .b32 _) _ (.param .b64 _);
}
";
/// With these, vector registers are split before an instruction is lowered.
const VECTORS: &str = ".reg .v4 .b32 %v; .reg .v2 .b64 %w;\n";

const OPERANDS: &str = "\
    %p1 / %p2 / !%p1 / %h1 / %h2 / -%h1 / %r1 / %r2 / %r139 / -%r1 / %f1 / %d1 / %d2 / %q1 / %v / %w / %v.x / %w.y / \
    %v.w / %r1.b0 / %r1.h1 / %r1.b7654 / %r2.h10 / %r1.b99999999999999999999 / %r1.h3210 / %tid.x / %ntid / %clock64 / \
    %laneid / %envreg3 / %gridid / %pm0 / %is_explicit_cluster / %missing / 0 / 1 / 2 / 3 / 7 / 16 / 31 / 32 / 64 / \
    -1 / 256 / 0xffffffff / 0x7fffffffffffffff / -9223372036854775808 / 18446744073709551615 / 1.5 / 0f7fc00000 / \
    0d7ff8000000000000 / 1e999 / [%d1] / [%r1] / [%h1] / [%p1] / [%q1] / [%d1+16] / [%d1+0x7fffffffffffffff] / \
    [%d1-9223372036854775808] / [%r1+9223372036854775807] / [%v] / [0] / [-1] / [bytes] / [bytes+8] / [number] / \
    [tile] / [tile+4] / [dynamic] / [stack] / [pointer] / [pointer+4] / [block+16] / [block+9223372036854775807] / \
    [block-9223372036854775808] / [word] / [long+4] / [many+16] / [many+9223372036854775800] / [missing] / [back] / \
    [plain] / [bytes+9223372036854775807] / [tile-9223372036854775808] / [stack+9223372036854775807] / bytes / \
    bytes+4 / tile / tile+9223372036854775807 / dynamic / stack / stack-9223372036854775808 / pointer / block+16 / \
    word / long / many / number / %r1+1 / %d1+9223372036854775807 / back / ahead / inner / shape / plain / narrow / \
    wide / declared / vprintf / malloc / missing / _ / () / (_) / (%r1) / (%d1) / (%p1) / (%q1) / (%v) / (word) / \
    (long) / (long, many) / (1) / (%r1, %d1) / (missing) / {} / {%p1} / {%h1, %h2} / {%r1, _} / {_, _} / {%r1, %h1} / \
    {%d1, %d2} / {%r1, %d1} / {%p1, %p2} / {%q1, %q2} / {1, 2} / {bytes, tile} / {{%r1, %r2}, %r3} / {[%d1]} / \
    {%v, %v} / %r1|%p1 / %p1|%p2 / _|%p1 / %r1|_ / %p1|_ / %r1|%r2 / %d1|%p1 / %v|%p1 / missing|%p1";

const MODIFIERS: &str = "\
    async bulk commit_group wait_group wait_all read prefetch reduce tensor ca cg shared shared::cta shared::cluster \
    global local param const mbarrier mbarrier::complete_tx::bytes bulk_group cp_mask ignore-src multicast::cluster \
    arrive arrive_drop init inval test_wait try_wait expect_tx complete_tx pending_count noinc noComplete parity \
    acquire release relaxed cta cluster b8 b16 b32 b64 b128 u8 u32 s32 u64 f16 f32 f64 bf16 f16x2 pred v2 v4 v8 sat \
    ftz cc L2::cache_hint L2::128B L1::no_allocate sync aligned x4 trans m8n8 fractional range add uni to volatile";

struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % below.max(1)
    }

    /// Returns a random item.
    fn of(&mut self, all: impl Iterator<Item = &'static str>) -> &'static str {
        let all: Vec<&str> = all.collect();
        all[self.next(all.len())]
    }

    fn operand(&mut self) -> String {
        if self.next(6) > 0 {
            return self.of(OPERANDS.split(" / ")).to_string();
        }
        // The number of registers in a fragment of a matrix.
        let kind = ["%r", "%r", "%r", "%d", "%h", "%f"][self.next(6)];
        let count = [1, 2, 3, 4, 6, 8, 10, 12, 16, 32, 64, 128][self.next(12)];
        registers(kind, count)
    }
}

fn registers(kind: &str, count: usize) -> String {
    let most = if kind == "%r" {
        140
    } else if kind == "%f" {
        8
    } else {
        40
    };
    let list: Vec<String> = (0..count).map(|i| format!("{kind}{}", i % most)).collect();
    format!("{{{}}}", list.join(", "))
}

/// Returns a register that fits a field.
fn register(role: Role) -> Option<&'static str> {
    let (Role::Read(ty) | Role::Write(ty) | Role::Update(ty)) = role else {
        return None;
    };
    Some(match ty.size() {
        0 => "%p1",
        1 | 2 => "%h1",
        4 => "%r1",
        8 => "%d1",
        _ => "%q1",
    })
}

/// Returns fitting operands, for forms that the entry describes completely.
fn fitting(opcode: &Opcode) -> Option<Vec<String>> {
    let code = &opcode.code;
    if !matches!(opcode.form, Form::Operands | Form::Together) {
        return None;
    }
    let roles = [code.d, code.a, code.b, code.c, code.x];
    let roles = roles.into_iter().filter(|r| *r != Role::Unused);
    roles.map(|r| register(r).map(String::from)).collect()
}

/// Returns initial operands for the other forms.
fn seeds(opcode: &Opcode, imm: u64) -> Vec<Vec<String>> {
    let code = &opcode.code;
    let roles = [code.d, code.a, code.b, code.c, code.x];
    let named: Vec<&str> = roles.into_iter().filter_map(register).collect();
    let list = |text: &[&str]| text.iter().map(|s| (*s).to_string()).collect::<Vec<_>>();
    let mut out = vec![list(&[]), list(&named)];
    for text in [
        &["%r1", "[%d1]"][..],
        &["[%d1]", "%r1"],
        &["%r1", "[%d1]", "%r2"],
        &["%d1", "[%r1]", "%r2"],
        &["%r1", "[%d1]", "%r2", "%r3"],
        &["[%r1]", "[%d1]", "16"],
        &["[%r1]", "[%d1]", "%r2", "[%r3]"],
        &["%p1", "%r1", "%r2", "%p2"],
        &["%r1", "%r2", "%r3", "%p1"],
        &["%r1", "%r2", "%r3", "%r4", "7"],
        &["back"],
        &["%r1", "inner"],
        &["(%r1)", "narrow", "(%r2)"],
        &["(long)", "wide", "(long, many)"],
        &["(word)", "%d1", "(long)", "shape"],
        &["%p1", "[%d1]", "%d2"],
        &["%p1", "[%d1]", "%r2", "%r3"],
        &["%r1", "%h1", "%h2"],
        &["%r1", "%d1", "%d2"],
        &["%p1", "%h1", "%h2"],
        &["%p1", "%d1", "%d2", "%p2"],
        &["%d1", "[%d2]", "%d3"],
        &["%h1", "[%d1]", "%h2", "%h3"],
        &["%q1", "[%d1]", "%q2", "%q3"],
        &["0", "32"],
    ] {
        out.push(list(text));
    }
    let matrix = |count| registers("%r", count);
    let tail = |first: Vec<String>, text: &[&str]| [first, list(text)].concat();
    if matches!(opcode.form, Form::Product | Form::Group) {
        let [a, b, c, d] = Product::unpack(imm).registers();
        for kind in ["%r", "%d"] {
            let product = [d, a, b, c].map(|count| registers(kind, count)).to_vec();
            out.push(product.clone());
            out.push(tail(product, &["%r9", "0"]));
        }
        for factor in [matrix(a), "%d1".into()] {
            for rest in [
                &["%d2", "%p1"][..],
                &["%d2", "%p1", "1", "1"],
                &["%d2", "%p1", "1", "1", "0"],
                &["%d2", "%p1", "1", "1", "0", "0"],
                &["%d2", "%r9", "0", "%p1", "1", "1"],
            ] {
                out.push(tail(vec![matrix(c), factor.clone()], rest));
            }
        }
    }
    for count in [1, 2, 4, 8] {
        out.push(vec![matrix(count), "[%d1]".into()]);
        out.push(vec!["[%d1]".into(), matrix(count), "%r9".into()]);
    }
    out
}

/// The tried operands, and the ones to mutate further, by mnemonic.
#[derive(Default)]
struct Corpus {
    lists: Vec<Vec<String>>,
    answers: HashSet<String>,
}

struct Fuzz {
    random: Random,
    kept: HashMap<&'static str, Corpus>,
    loaded: HashSet<*const Opcode>,
    runs: usize,
    panics: Vec<String>,
}

/// Returns the error message without the quoted names in it, or an empty string on success.
fn kind_of(answer: &Result<(), LoadError>) -> String {
    match answer {
        Ok(()) => String::new(),
        Err(error) => error.message.split('`').step_by(2).collect(),
    }
}

impl Fuzz {
    /// Loads a module with one instruction. Returns None if loading panicked.
    fn load(
        &mut self,
        spelling: &str,
        guard: &str,
        vectors: bool,
        list: &[String],
    ) -> Option<Result<(), LoadError>> {
        let vectors = if vectors { VECTORS } else { "" };
        // Newer targets do not have `wgmma`.
        let head = match spelling.starts_with("wgmma") {
            true => HEAD.replace("sm_121a", "sm_90a") + vectors,
            false => format!("{HEAD}{vectors}"),
        };
        let line = head.lines().count() as u32 + 1;
        let instruction = format!("{guard}{spelling} {};", list.join(", "));
        let text = format!("{head}{instruction}{TAIL}");
        self.runs += 1;
        let Ok(answer) = catch_unwind(|| Program::load(&text).map(|p| p.listing().len())) else {
            self.panics.push(instruction);
            return None;
        };
        match answer {
            Ok(length) => {
                assert!(length > 0, "{instruction}");
                Some(Ok(()))
            }
            Err(error) => {
                assert!(!error.message.is_empty(), "{instruction}");
                // Errors about inconsistent inputs have no line.
                let link = error.kind == LoadErrorKind::Link;
                assert!(link || error.line == line, "{instruction}: {error}");
                Some(Err(error))
            }
        }
    }

    fn attempt(&mut self, opcode: &'static Opcode, spelling: &str, list: Vec<String>) {
        let guard = ["", "", "@%p1 ", "@!%p2 "][self.random.next(4)];
        let vectors =
            list.iter().any(|o| o.contains("%v") || o.contains("%w")) || self.random.next(8) == 0;
        let Some(answer) = self.load(spelling, guard, vectors, &list) else {
            return;
        };
        if answer.is_ok() {
            self.loaded.insert(opcode);
        }
        let kept = self.kept.entry(opcode.mnemonic()).or_default();
        // Of the operands that load, keep one list for each number of operands.
        let answer = format!(
            "{}{}",
            kind_of(&answer),
            if answer.is_ok() { list.len() } else { 0 }
        );
        if kept.answers.insert(answer) {
            kept.lists.push(list);
        }
    }

    /// Returns operands that differ from kept ones by one to three changes.
    fn changed(&mut self, opcode: &Opcode) -> Vec<String> {
        let random = &mut self.random;
        let Some(kept) = self
            .kept
            .get(opcode.mnemonic())
            .filter(|_| random.next(8) > 0)
        else {
            return (0..random.next(7)).map(|_| random.operand()).collect();
        };
        let mut list = kept
            .lists
            .get(random.next(kept.lists.len()))
            .cloned()
            .unwrap_or_default();
        for _ in 0..=random.next(3) {
            let at = random.next(list.len());
            match random.next(5) {
                0 if !list.is_empty() => drop(list.remove(at)),
                1 => list.insert(at, random.operand()),
                2 if !list.is_empty() => {
                    let other = random.next(list.len());
                    list.swap(at, other);
                }
                _ if !list.is_empty() => list[at] = random.operand(),
                _ => list.push(random.operand()),
            }
        }
        list
    }

    /// Returns the spelling, sometimes with a modifier added, removed or changed.
    fn respelled(&mut self, opcode: &Opcode, spelling: &str) -> String {
        let open = opcode.name.ends_with('*');
        if self.random.next(8) > 0 && !open {
            return spelling.to_string();
        }
        let mut parts: Vec<&str> = spelling.split('.').collect();
        for _ in 0..=self.random.next(if open { 6 } else { 2 }) {
            let modifier = self.random.of(MODIFIERS.split(' '));
            let at = 1 + self.random.next(parts.len());
            match self.random.next(3) {
                0 if at < parts.len() => drop(parts.remove(at)),
                1 if at < parts.len() => parts[at] = modifier,
                _ => parts.insert(at.min(parts.len()), modifier),
            }
        }
        parts.join(".")
    }
}

fn opcodes() -> impl Iterator<Item = &'static Opcode> {
    let all = FAMILIES.iter().flat_map(|f| f.lists).copied().flatten();
    all.filter(|o| o.form != Form::Internal)
}

#[test]
fn wrong_operands_never_panic() {
    let factor = std::env::var("EMULATOR_FUZZ_FACTOR");
    let factor = factor.ok().and_then(|text| text.parse().ok());
    let mut fuzz = Fuzz {
        random: Random(0x1234_5678_9abc_def1),
        kept: HashMap::new(),
        loaded: HashSet::new(),
        runs: 0,
        panics: Vec::new(),
    };
    let all: Vec<(&Opcode, Vec<String>)> = opcodes().map(|o| (o, o.spellings())).collect();
    // Tries every entry once with all operands that are plausible for some entry.
    for (opcode, spellings) in &all {
        // An entry for products covers many shapes and types.
        let product = matches!(opcode.form, Form::Product | Form::Group);
        let step = if product { 7 } else { spellings.len() };
        for spelling in spellings.iter().step_by(step) {
            let modifiers: Vec<&str> = spelling.split('.').skip(1).collect();
            let known = entries(opcode.mnemonic()).unwrap();
            let imm = find(known, &modifiers).map_or(0, |(_, imm)| imm);
            for list in seeds(opcode, imm) {
                fuzz.attempt(opcode, spelling, list);
            }
        }
    }
    for _ in 0..8 * factor.unwrap_or(1) {
        for (opcode, spellings) in &all {
            for spelling in spellings {
                let list = fuzz.changed(opcode);
                let spelling = fuzz.respelled(opcode, spelling);
                fuzz.attempt(opcode, &spelling, list);
            }
        }
    }
    let spellings: usize = all.iter().map(|(_, s)| s.len()).sum();
    println!(
        "{} instructions, {} of {} entries loaded, {spellings} spellings, {} answers",
        fuzz.runs,
        fuzz.loaded.len(),
        all.len(),
        fuzz.kept.values().map(|k| k.answers.len()).sum::<usize>()
    );
    assert!(
        fuzz.panics.is_empty(),
        "{} panic:\n{}",
        fuzz.panics.len(),
        fuzz.panics.join("\n")
    );
}

/// Fitting operands are accepted. With one fewer or one more, loading returns an error.
#[test]
fn wrong_operand_counts_are_rejected() {
    let mut fuzz = Fuzz {
        random: Random(1),
        kept: HashMap::new(),
        loaded: HashSet::new(),
        runs: 0,
        panics: Vec::new(),
    };
    let mut entries_tried = 0;
    for opcode in opcodes() {
        let Some(list) = fitting(opcode) else {
            continue;
        };
        for spelling in opcode.spellings() {
            let modifiers: Vec<&str> = spelling.split('.').skip(1).collect();
            let known = entries(opcode.mnemonic()).unwrap();
            if !find(known, &modifiers).is_some_and(|(found, _)| std::ptr::eq(found, opcode)) {
                continue;
            }
            entries_tried += 1;
            let answer = fuzz.load(&spelling, "", false, &list).unwrap();
            assert!(
                answer.is_ok(),
                "{spelling} {list:?}: {}",
                answer.unwrap_err()
            );
            let mut more = list.clone();
            more.push("%r1".into());
            for wrong in [&list[..list.len().saturating_sub(1)], &more] {
                let answer = fuzz.load(&spelling, "", false, wrong).unwrap();
                assert!(
                    list.is_empty() || answer.is_err(),
                    "{spelling} {wrong:?} is accepted"
                );
            }
        }
    }
    assert!(entries_tried > 0);
}
