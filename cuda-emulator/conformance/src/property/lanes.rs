//! Votes, sums over lanes and shuffles by a part of a warp: exactly the lanes of the mask.

use crate::form::Form;
use crate::operand::{
    Operand::{I32, Truth},
    Width::{B32, Pred},
};

/// Constant masks.
const MASKS: [u32; 8] = [
    0xffff_ffff,
    0xffff,
    0x4924_9249,
    0x1,
    0x8000_0001,
    0xaaaa_aaaa,
    0xdead_beef,
    0x7fff_fffe,
];
/// Clamp values and segment masks of shuffles: whole warps, segments, odd ones.
const BOUNDS: [u32; 8] = [0x1f, 0x0, 0x101f, 0x1000, 0x181f, 0x1c03, 0x7, 0xa05];
const VOTES: [&str; 4] = ["all", "any", "uni", "ballot"];
const SUMS: [&str; 7] = [
    "add.s32", "min.u32", "max.u32", "min.s32", "max.s32", "and.b32", "xor.b32",
];
const SHUFFLES: [&str; 4] = ["up", "down", "bfly", "idx"];

/// The lanes that execute an instruction, and the way in which the others skip it.
struct Company {
    /// A constant, or None for a ballot over the last operand.
    mask: Option<u32>,
    branch: bool,
}

impl Company {
    fn all() -> Vec<Self> {
        let masks = MASKS.map(Some).into_iter().chain([None; 4]);
        let both = |mask| [true, false].map(|branch| Self { mask, branch });
        masks.flat_map(both).collect()
    }

    fn name(&self) -> String {
        let mask = self.mask.map_or("ballot".into(), |m| format!("{m:#x}"));
        format!("{mask} {}", if self.branch { "branch" } else { "guard" })
    }

    /// Returns the instruction for the lanes of the mask, preceded and followed by code for all
    /// lanes.
    fn body(&self, before: &str, instruction: &str, after: &str, last: usize) -> String {
        let (mask, inside) = match self.mask {
            Some(mask) => (
                format!("{mask:#x}"),
                format!(
                    "mov.u32 at, %laneid;\nshr.u32 at, {mask:#x}, at;\nand.b32 at, at, 1;\n\
                     setp.ne.u32 inside, at, 0;\n"
                ),
            ),
            None => (
                "mask".to_owned(),
                format!(
                    "and.pred inside, %a{last}, %a{last};\n\
                     vote.sync.ballot.b32 mask, %a{last}, 0xffffffff;\n"
                ),
            ),
        };
        let instruction = instruction.replace("MASK", &mask);
        let done = match self.branch {
            true => format!("@!inside bra skip;\n{instruction}\nskip:\n"),
            false => format!("@inside {instruction}\n"),
        };
        let (before, after) = (before.replace("MASK", &mask), after.replace("MASK", &mask));
        format!(
            "{{\n.reg .b32 at, mask, source, low;\n.reg .pred inside, within;\n\
             {inside}{before}bar.warp.sync 0xffffffff;\n{done}{after}}}"
        )
    }
}

/// Adds forms named `lanes MASK (branch|guard) INSTRUCTION …`. Lanes outside the mask have zeros.
pub fn add(forms: &mut Vec<Form>) {
    for (number, company) in Company::all().iter().enumerate() {
        let mut add = |name: &str, kinds: &[_], results: &[_], [before, text, after]: [&str; 3]| {
            let mut operands = kinds.to_vec();
            if company.mask.is_none() {
                operands.push(Truth);
            }
            let form = Form::new(
                format!("lanes {} {name}", company.name()),
                &operands,
                results,
            );
            let body = company.body(before, text, after, kinds.len());
            forms.push(form.body(body).whole_warp());
        };
        let zero = "mov.b32 %d0, 0;\n";
        let no = "setp.ne.b32 %d0, 0, 0;\n";
        for vote in VOTES {
            let (t, width, start) = match vote {
                "ballot" => ("b32", B32, zero),
                _ => ("pred", Pred, no),
            };
            let text = format!("vote.sync.{vote}.{t} %d0, %a0, MASK;");
            add(
                &format!("vote {vote}"),
                &[Truth],
                &[width],
                [start, &text, ""],
            );
        }
        for sum in SUMS {
            let text = format!("redux.sync.{sum} %d0, %a0, MASK;");
            add(&format!("redux {sum}"), &[I32], &[B32], [zero, &text, ""]);
        }
        for (i, mode) in SHUFFLES.into_iter().enumerate() {
            // Each mask is combined with two of the bounds in each mode.
            for step in [0, 3] {
                let bound = BOUNDS[(number + i + step) % BOUNDS.len()];
                let text = format!("shfl.sync.{mode}.b32 %d0|within, %a0, %a1, {bound:#x}, MASK;");
                let before = format!("{}{zero}setp.ne.b32 within, 0, 0;\n", source(mode, bound));
                // The value from a lane outside the mask is undefined, so it is replaced by zero.
                let after = "shr.u32 at, MASK, source;\nand.b32 at, at, 1;\nsetp.ne.u32 inside, at, 0;\n\
                     selp.b32 %d0, %d0, 0, inside;\nselp.b32 %d1, 1, 0, within;\n";
                let name = format!("shfl {mode} {bound:#x}");
                add(&name, &[I32, I32], &[B32, B32], [&before, &text, after]);
            }
        }
    }
}

/// Computes the lane that a shuffle reads according to PTX.
fn source(mode: &str, bound: u32) -> String {
    let (segment, clamp) = (bound >> 8 & 0x1f, bound & 0x1f);
    let other = !segment & 0x1f;
    let mut text =
        format!("mov.u32 at, %laneid;\nand.b32 low, at, {segment};\nand.b32 source, %a1, 31;\n");
    text += &match mode {
        "up" => "sub.s32 source, at, source;\n".to_owned(),
        "down" => "add.s32 source, at, source;\n".to_owned(),
        "bfly" => "xor.b32 source, at, source;\n".to_owned(),
        _ => format!("and.b32 source, source, {other};\nor.b32 source, source, low;\n"),
    };
    let test = if mode == "up" { "ge" } else { "le" };
    text + &format!(
        "or.b32 low, low, {};\nsetp.{test}.s32 within, source, low;\nselp.b32 source, source, at, within;\n",
        clamp & other
    )
}

/// Returns the results of a warp's lanes.
pub fn reference(name: &str, lanes: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let words: Vec<&str> = name.split(' ').collect();
    let number = |text: &str| u32::from_str_radix(text.strip_prefix("0x")?, 16).ok();
    let [mask, _, kind, what, ..] = words[..] else {
        return None;
    };
    let ballot = |i: usize| (0..32).fold(0, |sum, l| sum | (lanes[l][i] as u32 & 1) << l);
    let mask = match mask {
        "ballot" => ballot(lanes[0].len() - 1),
        constant => number(constant)?,
    };
    let inside: Vec<usize> = (0..32).filter(|lane| mask >> lane & 1 == 1).collect();
    let values = inside.iter().map(|&lane| lanes[lane][0] as u32);
    let signed = values.clone().map(|v| v as i32);
    let shared = match (kind, what) {
        ("vote", "all") => u32::from(ballot(0) & mask == mask),
        ("vote", "any") => u32::from(ballot(0) & mask != 0),
        ("vote", "uni") => u32::from([0, mask].contains(&(ballot(0) & mask))),
        ("vote", _) => ballot(0) & mask,
        ("redux", "add.s32") => values.fold(0, u32::wrapping_add),
        ("redux", "min.u32") => values.min().unwrap_or(0),
        ("redux", "max.u32") => values.max().unwrap_or(0),
        ("redux", "min.s32") => signed.min().unwrap_or(0) as u32,
        ("redux", "max.s32") => signed.max().unwrap_or(0) as u32,
        ("redux", "and.b32") => values.fold(u32::MAX, |a, b| a & b),
        ("redux", "xor.b32") => values.fold(0, |a, b| a ^ b),
        _ => 0,
    };
    let lane = |lane: usize| -> Option<Vec<u64>> {
        let outside = mask >> lane & 1 == 0;
        if kind != "shfl" {
            return Some(vec![if outside { 0 } else { shared.into() }]);
        }
        if outside {
            return Some(vec![0, 0]);
        }
        let bound = number(words.get(4)?)?;
        let (segment, clamp) = ((bound >> 8 & 31) as usize, (bound & 31) as usize);
        let by = lanes[lane][1] as usize & 31;
        let last = lane & segment | clamp & !segment;
        let from = match what {
            "up" => lane.checked_sub(by).filter(|&from| from >= last),
            "down" => Some(lane + by).filter(|&from| from <= last),
            "bfly" => Some(lane ^ by).filter(|&from| from <= last),
            _ => Some(lane & segment | by & !segment).filter(|&from| from <= last),
        };
        let source = from.unwrap_or(lane);
        let there = mask >> source & 1 == 1;
        let value = if there { lanes[source][0] } else { 0 };
        Some(vec![value, from.is_some().into()])
    };
    (0..32).map(lane).collect()
}
