//! Random straight-line programs: instructions of any type, connected through registers of the
//! right width. Any result can become an operand, whatever its bits mean.

use crate::form::Form;
use crate::operand::{
    Operand::{self, *},
    Width,
};
use crate::random::Random;

const PROGRAMS: usize = 240;
const LENGTH: usize = 40;

/// The numbers of programs whose results on a GPU depend on the assembler.
///
/// All lines but the last list programs whose results depend on its optimization, as `record`
/// reports. For instance, it treats a conversion of a NaN to its own type as a copy at one level
/// and as an operation at another. The last line lists programs in which a 64-bit shift takes its
/// count from a floating-point result. The assembler converts the number to an integer, although
/// PTX specifies that its bits are used.
const AMBIGUOUS: [usize; 24] = [
    16, 29, 36, 42, 44, 46, 51, 52, 67, 75, 96, 124, 127, 132, 149, 164, 187, 191, 198, //
    14, 32, 79, 81, 120,
];

/// The kinds of the initial registers' values.
const OPERANDS: [Operand; 8] = [I32, F32, I64, F64, F16x2, F16, Bf16, Truth];

/// Creates programs from the forms that are allowed in them.
pub fn programs(forms: &[Form]) -> Vec<Form> {
    let pool: Vec<&Form> = forms.iter().filter(|form| form.in_programs).collect();
    let seeds = (0..PROGRAMS).filter(|seed| !AMBIGUOUS.contains(seed));
    seeds.map(|seed| program(&pool, seed)).collect()
}

fn program(pool: &[&Form], seed: usize) -> Form {
    let mut random = Random::new(seed as u64 ^ 0x70_6f67_7261_6d73);
    let mut registers: Vec<(String, Width)> = OPERANDS
        .iter()
        .enumerate()
        .map(|(i, operand)| (format!("%a{i}"), operand.width()))
        .collect();
    let mut used = vec![false; registers.len()];
    let (mut declarations, mut body) = (String::new(), String::new());
    for step in 0..LENGTH {
        // Choose kinds of instruction evenly, regardless of the number of forms of each.
        let kind = random
            .pick(pool)
            .name
            .split('.')
            .next()
            .unwrap_or_default()
            .to_owned();
        let rare = random.pick(pool);
        let of_kind: Vec<_> = pool
            .iter()
            .filter(|f| f.name.split('.').next() == Some(&kind))
            .collect();
        let form = if random.bits() & 1 == 0 {
            rare
        } else {
            random.pick(&of_kind)
        };
        let mut text = form.body.clone();
        for (i, operand) in form.operands.iter().enumerate() {
            let fitting: Vec<usize> = (0..registers.len())
                .filter(|&r| registers[r].1 == operand.width())
                .collect();
            // Prefer later results, to create long chains.
            let (first, second) = (*random.pick(&fitting), *random.pick(&fitting));
            let chosen = first.max(second);
            used[chosen] = true;
            text = text.replace(&format!("%a{i}"), &format!("@{chosen}@"));
        }
        for (i, width) in form.results.iter().enumerate() {
            let name = format!("%t{step}_{i}");
            let class = match width {
                Width::Pred => "pred".to_owned(),
                width => format!("b{}", width.bits()),
            };
            declarations.push_str(&format!(".reg .{class} {name};\n"));
            text = text.replace(&format!("%d{i}"), &name);
            registers.push((name, *width));
            used.push(false);
        }
        // Of two NaNs, the second operand's is returned, and the compiler chooses which operand is
        // second.
        if form.results == [Width::B64] && form.operands.len() > 1 && form.operands[0] == F64 {
            let result = format!("%t{step}_0");
            text.push_str(&format!(
                "\n{{\n.reg .pred nan;\nsetp.nan.f64 nan, {result}, {result};\n\
                 selp.b64 {result}, 0x7ff8000000000000, {result}, nan;\n}}"
            ));
        }
        for (i, (name, _)) in registers.iter().enumerate() {
            text = text.replace(&format!("@{i}@"), name);
        }
        body.push_str(&text);
        body.push('\n');
    }
    // Every unused register is a result.
    let ends: Vec<usize> = (OPERANDS.len()..registers.len())
        .filter(|&r| !used[r])
        .collect();
    for (i, &end) in ends.iter().enumerate() {
        let (name, width) = &registers[end];
        let class = match width {
            Width::Pred => "pred".to_owned(),
            width => format!("b{}", width.bits()),
        };
        body.push_str(&format!("mov.{class} %d{i}, {name};\n"));
    }
    let widths: Vec<Width> = ends.iter().map(|&end| registers[end].1).collect();
    Form::new(format!("program {seed}"), &OPERANDS, &widths)
        .body(format!("{{\n{declarations}{body}}}"))
        .one_warp()
}
