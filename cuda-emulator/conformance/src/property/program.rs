//! A program: its registers, their initial values, and the instructions in order.

use std::fmt::Write as _;

use crate::form::{BLOCK, Form};
use crate::forms;
use crate::operand::{
    Operand::{self, *},
    Width,
};
use crate::random::Random;

use super::memory::{self, SHARED};
use super::{carry, lanes, product};

/// The kinds of a program's initial registers.
const OPERANDS: [Operand; 10] = [I32, F32, I64, F64, F16x2, F16, Bf16, Truth, I32, Bf16x2];
/// Maximum number of instructions in a program.
const LENGTH: usize = 60;

/// Returns instructions that depend on a single lane: those allowed in programs, carry chains, and
/// vectors in memory.
#[must_use]
pub fn pool() -> Vec<Form> {
    let mut all = forms::all();
    all.retain(|form| form.in_programs && !form.optional && !form.name.starts_with("program "));
    carry::add(&mut all);
    memory::add(&mut all);
    all
}

/// Returns the instructions of [`pool`] and those that need a whole warp: votes, sums over lanes,
/// shuffles of some lanes, and matrix products.
#[must_use]
pub fn warp_pool() -> Vec<Form> {
    let mut all = pool();
    lanes::add(&mut all);
    product::add(&mut all);
    all
}

/// An instruction of a program, or a short sequence that must stay together.
#[derive(Clone, Debug)]
pub struct Step<'a> {
    /// The form of the instruction.
    pub form: &'a Form,
    /// The registers that it reads.
    pub operands: Vec<usize>,
    /// The registers that it writes. No other step writes them.
    pub results: Vec<usize>,
    /// The predicate register that guards it, whether it is negated, and the registers with the
    /// results' previous values.
    pub guard: Option<(usize, bool, Vec<usize>)>,
}

/// A straight-line program and its inputs.
#[derive(Clone, Debug)]
pub struct Program<'a> {
    /// The name, for reports.
    pub name: String,
    /// The width of each register.
    pub registers: Vec<Width>,
    /// Registers with initial values, one value for each case.
    pub inputs: Vec<(usize, Vec<u64>)>,
    /// The instructions.
    pub steps: Vec<Step<'a>>,
    /// The registers that are compared at the end.
    pub outputs: Vec<usize>,
}

impl<'a> Program<'a> {
    /// Generates a program from `pool`. The same seed always generates the same program.
    #[must_use]
    pub fn generate(pool: &'a [Form], seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x7072_6f70_6572_7479);
        let mut registers: Vec<Width> = OPERANDS.iter().map(|o| o.width()).collect();
        let mut used = vec![false; registers.len()];
        let mut steps = Vec::new();
        let length = 1 + random.below(LENGTH);
        while steps.len() < length {
            let form = choose(pool, &mut random);
            let mut reg = |random: &mut Random, width: Width| {
                let fitting: Vec<usize> = (0..registers.len())
                    .filter(|&r| registers[r] == width)
                    .collect();
                // Prefer later results, to create long chains.
                let chosen = (*random.pick(&fitting)).max(*random.pick(&fitting));
                used[chosen] = true;
                chosen
            };
            let operands = form.operands.iter().map(|o| reg(&mut random, o.width()));
            let operands = operands.collect();
            // A guard applies to a single instruction only. The driver (580) expands `set` and
            // `testp` to several instructions, and executes some of them even if the guard is
            // false.
            let single = form.body.matches(';').count() == 1
                && !form.body.contains('{')
                && !["set.", "testp."]
                    .iter()
                    .any(|name| form.body.starts_with(name));
            let guard = (single && random.below(5) == 0).then(|| {
                let guard = reg(&mut random, Width::Pred);
                let before = form.results.iter().map(|&w| reg(&mut random, w));
                let before = before.collect();
                (guard, random.bits() & 1 == 1, before)
            });
            let first = registers.len();
            registers.extend(&form.results);
            used.resize(registers.len(), false);
            steps.push(Step {
                form,
                operands,
                results: (first..registers.len()).collect(),
                guard,
            });
        }
        // Every unused register is an output.
        let outputs = (OPERANDS.len()..registers.len()).filter(|&r| !used[r]);
        let outputs = outputs.collect();
        let name = format!("seed {seed}");
        let fed = Form::new(&name, &OPERANDS, &[]).blocks(1).inputs();
        let column = |i: usize| fed.iter().skip(i).step_by(OPERANDS.len()).copied();
        Self {
            name,
            inputs: (0..OPERANDS.len())
                .map(|i| (i, column(i).collect()))
                .collect(),
            registers,
            steps,
            outputs,
        }
    }

    /// Returns the same program with every result as an output.
    #[must_use]
    pub fn all_outputs(&self) -> Self {
        let outputs = self.steps.iter().flat_map(|step| &step.results).copied();
        Self {
            outputs: outputs.collect(),
            ..self.clone()
        }
    }

    /// Returns the same program without steps that do not affect the outputs.
    #[must_use]
    pub fn slice(mut self) -> Self {
        let mut needed = vec![false; self.registers.len()];
        for &output in &self.outputs {
            needed[output] = true;
        }
        let mut kept = Vec::new();
        for step in self.steps.into_iter().rev() {
            if !step.results.iter().any(|&r| needed[r]) {
                continue;
            }
            let guard = step.guard.iter();
            let guarding = guard.flat_map(|(guard, _, before)| before.iter().chain([guard]));
            for &read in step.operands.iter().chain(guarding) {
                needed[read] = true;
            }
            kept.push(step);
        }
        kept.reverse();
        self.steps = kept;
        self.inputs.retain(|&(register, _)| needed[register]);
        self
    }

    /// Returns whether lanes depend on each other.
    #[must_use]
    pub fn whole_warp(&self) -> bool {
        self.steps.iter().any(|step| step.form.whole_warp)
    }

    /// Returns the same program with only these cases.
    #[must_use]
    pub fn part(&self, cases: std::ops::Range<usize>) -> Self {
        let mut part = self.clone();
        for (_, column) in &mut part.inputs {
            *column = column[cases.clone()].to_vec();
        }
        part
    }

    /// Returns the number of cases.
    #[must_use]
    pub fn cases(&self) -> usize {
        self.inputs
            .first()
            .map_or(BLOCK, |(_, column)| column.len())
    }

    /// Returns the form that runs the program. Its results are the outputs, in order.
    #[must_use]
    pub fn form(&self) -> Form {
        let operands: Vec<Operand> = self
            .inputs
            .iter()
            .map(|&(register, _)| match self.registers[register] {
                Width::Pred => Truth,
                Width::B16 => I16,
                Width::B32 => I32,
                Width::B64 => I64,
            })
            .collect();
        let results: Vec<Width> = self.outputs.iter().map(|&r| self.registers[r]).collect();
        let mut form = Form::new(self.name.clone(), &operands, &results).body(self.body());
        form.whole_warp = self.whole_warp();
        let versions = self.steps.iter().map(|step| step.form.version);
        form.version = versions.fold(form.version, Ord::max);
        form.cases = self.cases();
        for case in 0..form.cases {
            let values = self.inputs.iter().map(|(_, column)| column[case]);
            form.given.extend(values);
        }
        form
    }

    /// Returns the instructions in braces, from `%a0`, `%a1`, … to `%d0`, `%d1`, ….
    fn body(&self) -> String {
        let mut names: Vec<String> = (0..self.registers.len())
            .map(|r| format!("%t{r}"))
            .collect();
        for (i, &(register, _)) in self.inputs.iter().enumerate() {
            names[register] = format!("%a{i}");
        }
        let mut text = String::from("{\n");
        if self.steps.iter().any(|s| s.form.body.contains(SHARED)) {
            text += &memory::own_shared();
        }
        for step in &self.steps {
            for &result in &step.results {
                let class = class(self.registers[result]);
                writeln!(text, ".reg .{class} {};", names[result]).unwrap();
            }
        }
        for step in &self.steps {
            text.push_str(&self.instructions(step, &names));
        }
        for (i, &output) in self.outputs.iter().enumerate() {
            let class = class(self.registers[output]);
            writeln!(text, "mov.{class} %d{i}, {};", names[output]).unwrap();
        }
        text.push('}');
        text
    }

    fn instructions(&self, step: &Step<'_>, names: &[String]) -> String {
        let form = step.form;
        let (mut before, mut text) = (String::new(), form.body.clone());
        // In reverse order, since the first name is a prefix of the eleventh.
        for (i, &operand) in step.operands.iter().enumerate().rev() {
            let mut place = format!("@{operand}@");
            // If a shift takes its count, or a store its byte, from a floating-point result, the
            // assembler converts the result to an integer, although PTX specifies its bits. An
            // operation in between prevents that.
            let cut = match form.operands[i] {
                Count => Some(("b32", 0x8000_01ff_u32)),
                Byte => Some(("b16", 0xff)),
                _ => None,
            };
            if let Some((class, mask)) = cut {
                let bits = format!("%c{}_{i}", step.results[0]);
                writeln!(
                    before,
                    ".reg .{class} {bits};\nand.{class} {bits}, {place}, {mask:#x};"
                )
                .unwrap();
                place = bits;
            }
            text = text.replace(&format!("%a{i}"), &place);
        }
        for (i, &result) in step.results.iter().enumerate() {
            text = text.replace(&format!("%d{i}"), &names[result]);
        }
        if let Some((guard, not, starts)) = &step.guard {
            for (&result, &start) in step.results.iter().zip(starts) {
                let class = class(self.registers[result]);
                writeln!(before, "mov.{class} {}, @{start}@;", names[result]).unwrap();
            }
            text = format!("@{}@{guard}@ {text}", if *not { "!" } else { "" });
        }
        text = before + &text + "\n";
        if canonical_nan(form) {
            let result = &names[step.results[0]];
            write!(
                text,
                "{{\n.reg .pred nan;\nsetp.nan.f64 nan, {result}, {result};\n\
                 selp.b64 {result}, 0x7ff8000000000000, {result}, nan;\n}}\n"
            )
            .unwrap();
        }
        for (register, name) in names.iter().enumerate() {
            text = text.replace(&format!("@{register}@"), name);
        }
        text
    }
}

/// Returns whether the program must canonicalize NaNs. Of two NaNs, the second operand's is
/// returned, and the compiler chooses which operand is second.
pub(super) fn canonical_nan(form: &Form) -> bool {
    form.results == [Width::B64] && form.operands.len() > 1 && form.operands[0] == F64
}

/// Chooses an instruction, half of the time evenly by kind, otherwise evenly among all forms.
fn choose<'a>(pool: &'a [Form], random: &mut Random) -> &'a Form {
    let kind = |form: &Form| form.name.split(['.', ' ']).next().map(str::to_owned);
    let any = random.pick(pool);
    if random.bits() & 1 == 0 {
        return any;
    }
    let mut kinds: Vec<_> = pool.iter().map(kind).collect();
    kinds.dedup();
    let chosen = random.pick(&kinds).clone();
    let of_kind: Vec<&Form> = pool.iter().filter(|form| kind(form) == chosen).collect();
    of_kind[random.below(of_kind.len())]
}

fn class(width: Width) -> &'static str {
    match width {
        Width::Pred => "pred",
        Width::B16 => "b16",
        Width::B32 => "b32",
        Width::B64 => "b64",
    }
}
