//! A program: its registers, where they begin, and the instructions in order.

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

/// Where each program begins: the kinds of its first registers.
const OPERANDS: [Operand; 10] = [I32, F32, I64, F64, F16x2, F16, Bf16, Truth, I32, Bf16x2];
/// Most instructions of a program.
const LENGTH: usize = 60;

/// The instructions that may stand anywhere, carry chains and vectors in memory: what a lane does alone.
#[must_use]
pub fn pool() -> Vec<Form> {
    let mut all = forms::all();
    all.retain(|form| form.anywhere && !form.optional && !form.name.starts_with("program "));
    carry::add(&mut all);
    memory::add(&mut all);
    all
}

/// Those of [`pool`], and what needs a whole warp: votes, sums over lanes and shuffles of some lanes, products of matrices.
#[must_use]
pub fn warp_pool() -> Vec<Form> {
    let mut all = pool();
    lanes::add(&mut all);
    product::add(&mut all);
    all
}

/// An instruction of a program, or a short sequence that belongs together.
#[derive(Clone, Debug)]
pub struct Step<'a> {
    /// What it does.
    pub form: &'a Form,
    /// The registers that it reads.
    pub operands: Vec<usize>,
    /// The registers that it writes; no other step writes them.
    pub results: Vec<usize>,
    /// The predicate register under which it is done, and whether that is negated; then the registers that the results
    /// hold before.
    pub guard: Option<(usize, bool, Vec<usize>)>,
}

/// A straight-line program and what it is fed.
#[derive(Clone, Debug)]
pub struct Program<'a> {
    /// Tells one from the other.
    pub name: String,
    /// The width of each register.
    pub registers: Vec<Width>,
    /// Registers that have a value at the beginning, one for each case.
    pub inputs: Vec<(usize, Vec<u64>)>,
    /// The instructions.
    pub steps: Vec<Step<'a>>,
    /// The registers that are looked at in the end.
    pub outputs: Vec<usize>,
}

impl<'a> Program<'a> {
    /// A program of `pool`, the same for the same seed.
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
                // Later results more often than early ones, so that chains grow long.
                let chosen = (*random.pick(&fitting)).max(*random.pick(&fitting));
                used[chosen] = true;
                chosen
            };
            let operands = form.operands.iter().map(|o| reg(&mut random, o.width()));
            let operands = operands.collect();
            // A guard holds for one instruction alone. The driver (580) makes several of `set` and `testp`, and does
            // some of them although the guard doesn't hold.
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
        // Everything that nothing reads.
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

    /// The same with every result looked at.
    #[must_use]
    pub fn all_outputs(&self) -> Self {
        let outputs = self.steps.iter().flat_map(|step| &step.results).copied();
        Self {
            outputs: outputs.collect(),
            ..self.clone()
        }
    }

    /// The same without what the outputs don't depend on.
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

    /// Whether lanes look at one another.
    #[must_use]
    pub fn whole_warp(&self) -> bool {
        self.steps.iter().any(|step| step.form.whole_warp)
    }

    /// The same with these cases alone.
    #[must_use]
    pub fn part(&self, cases: std::ops::Range<usize>) -> Self {
        let mut part = self.clone();
        for (_, column) in &mut part.inputs {
            *column = column[cases.clone()].to_vec();
        }
        part
    }

    /// Number of cases.
    #[must_use]
    pub fn cases(&self) -> usize {
        self.inputs
            .first()
            .map_or(BLOCK, |(_, column)| column.len())
    }

    /// The form that runs it. Its results are the outputs, in order.
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

    /// The instructions between braces, from `%a0`, `%a1`, … to `%d0`, `%d1`, ….
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
        // From the last on: the name of the first begins that of the eleventh.
        for (i, &operand) in step.operands.iter().enumerate().rev() {
            let mut place = format!("@{operand}@");
            // The assembler converts a floating-point result to an integer where a shift takes its count from it, or
            // a store its byte; PTX says to take its bits. It doesn't look through another operation.
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

/// Of two NaNs the second goes on, and which operand is second is the compiler's choice: the program makes one of all.
pub(super) fn canonical_nan(form: &Form) -> bool {
    form.results == [Width::B64] && form.operands.len() > 1 && form.operands[0] == F64
}

/// Kinds of instruction come up evenly half of the time, else by how many forms each has.
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
