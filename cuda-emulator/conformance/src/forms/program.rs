//! Random straight-line programs: instructions of any type, wired through registers of the right
//! width, so that every result becomes an operand whatever its bits mean.

use crate::form::Form;
use crate::operand::{
    Operand::{self, *},
    Width,
};
use crate::random::Random;

const PROGRAMS: usize = 240;
const LENGTH: usize = 40;

/// Programs whose results on a GPU depend on how the driver's compiler optimises, as `record`
/// reports: a conversion of a NaN to its own type is a copy to one level and an operation to
/// another, say. What they give is nobody's promise.
const AMBIGUOUS: [usize; 19] = [
    16, 29, 36, 42, 44, 46, 51, 52, 67, 75, 96, 124, 127, 132, 149, 164, 187, 191, 198,
];

/// Where each program begins: the values of its registers.
const OPERANDS: [Operand; 8] = [I32, F32, I64, F64, F16x2, F16, Bf16, Truth];

/// Programs made of those of `forms` that may stand anywhere.
pub fn programs(forms: &[Form]) -> Vec<Form> {
    let pool: Vec<&Form> = forms.iter().filter(|form| form.anywhere).collect();
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
        // Kinds of instruction come up evenly, not by how many forms each has.
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
            // Later results more often than early ones, so that chains grow long.
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
        // Of two NaNs the second goes on, and which operand is second is the compiler's choice.
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
    // Everything that nothing reads is a result.
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
