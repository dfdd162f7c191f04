//! The PTX kernel of an instruction.

use std::fmt::Write as _;

/// The layout of an instruction's operands in the words of a point.
pub struct Shape {
    /// Words per point.
    pub words: usize,
    /// Words per result.
    pub results: usize,
}

/// Returns the number of coordinate words, including the layer.
pub fn coordinates(geometry: &str) -> usize {
    match geometry {
        "1d" => 1,
        "2d" | "a1d" => 2,
        "3d" | "a2d" | "cube" => 3,
        _ => 4,
    }
}

/// Returns `{a, b, b, b}`, padded to a power of two as PTX requires.
fn vector(from: usize, count: usize) -> String {
    let padded = if count == 3 { 4 } else { count };
    let all: Vec<_> = (0..padded)
        .map(|i| format!("%w{}", from + i.min(count - 1)))
        .collect();
    format!("{{{}}}", all.join(", "))
}

/// Returns the instruction's text and shape. Results are in the registers `%o0` to `%o3` and, for
/// sparse forms, in `%p2`.
fn body(op: &str) -> (String, Shape) {
    let (name, sparse) = match op.strip_suffix("|p") {
        Some(name) => (name, true),
        None => (op, false),
    };
    let parts: Vec<&str> = name.split('.').collect();
    let results = if sparse { 5 } else { 4 };
    let geometries = ["1d", "2d", "3d", "a1d", "a2d", "cube", "acube"];
    let geometry = parts.iter().copied().find(|part| geometries.contains(part));
    match parts[0] {
        "txq" | "suq" => {
            let (operand, words) = match parts[1] {
                "level" => ("[%obj], %w0", 1),
                _ => ("[%obj]", 0),
            };
            let text = format!("{name} %o0, {operand};");
            (
                text,
                Shape {
                    words: words.max(1),
                    results: 4,
                },
            )
        }
        "istypep" => {
            let text = format!("{name} %p3, %obj;\nselp.b32 %o0, 1, 0, %p3;");
            (
                text,
                Shape {
                    words: 1,
                    results: 4,
                },
            )
        }
        "suld" | "sust" | "sured" => {
            let count = coordinates(geometry.expect("a geometry"));
            let width = match parts.iter().find_map(|p| p.strip_prefix('v')) {
                Some(width) => width.parse().expect("a number"),
                None => 1,
            };
            let at = vector(0, count);
            let element = parts[parts.len() - 2];
            // 64-bit values take two words. 8-bit and 16-bit values are truncated from a word.
            let (class, each) = match &element[1..] {
                "64" => ("l", 2),
                "8" | "16" => ("h", 1),
                _ => ("o", 1),
            };
            let all: Vec<_> = (0..width).map(|i| format!("%{class}{i}")).collect();
            let values = match parts[0] {
                "sured" => all[0].clone(),
                _ => format!("{{{}}}", all.join(", ")),
            };
            let mut text = String::new();
            if parts[0] == "suld" {
                writeln!(text, "{name} {values}, [%obj, {at}];").unwrap();
            }
            for i in 0..width {
                let w = count + i * each;
                match (parts[0], class) {
                    ("suld", "l") => {
                        writeln!(text, "mov.b64 {{%o{}, %o{}}}, %l{i};", 2 * i, 2 * i + 1)
                    }
                    ("suld", "h") => writeln!(text, "cvt.u32.u16 %o{i}, %h{i};"),
                    ("suld", _) => Ok(()),
                    (_, "l") => writeln!(text, "mov.b64 %l{i}, {{%w{w}, %w{}}};", w + 1),
                    (_, "h") => writeln!(text, "cvt.u16.u32 %h{i}, %w{w};"),
                    _ => writeln!(text, "mov.b32 %o{i}, %w{w};"),
                }
                .unwrap();
            }
            if parts[0] != "suld" {
                writeln!(text, "{name} [%obj, {at}], {values};").unwrap();
            }
            let words = match parts[0] {
                "suld" => count,
                _ => count + width * each,
            };
            (text, Shape { words, results: 4 })
        }
        _ => {
            let geometry = geometry.expect("a geometry");
            let mut words = coordinates(geometry);
            let to = if sparse { "|%p2" } else { "" };
            let mut text = format!(
                "{name} {{%o0, %o1, %o2, %o3}}{to}, [%obj, {}]",
                vector(0, words)
            );
            match parts[1] {
                "level" => {
                    write!(text, ", %w{words}").unwrap();
                    words += 1;
                }
                "grad" => {
                    let count = match geometry {
                        "1d" | "a1d" => 1,
                        "2d" | "a2d" => 2,
                        _ => 3,
                    };
                    for _ in 0..2 {
                        write!(text, ", {}", vector(words, count)).unwrap();
                        words += count;
                    }
                }
                _ => {}
            }
            text += ";";
            if sparse {
                text += "\nselp.b32 %o4, 1, 0, %p2;";
            }
            (text, Shape { words, results })
        }
    }
}

pub fn shape(op: &str) -> Shape {
    body(op).1
}

/// Returns a module with a kernel `k`. Its parameters are the handle, the points, the address of
/// the results, and the number of points.
pub fn module(op: &str) -> String {
    let (text, shape) = body(op);
    let mut ptx = String::from(
        ".version 8.1\n.target sm_90\n.address_size 64\n\n\
         .visible .entry k(.param .u64 p_h, .param .u64 p_in, .param .u64 p_out, .param .u32 p_n)\n{\n\
         .reg .pred %p<4>;\n.reg .b16 %h<4>;\n.reg .b32 %w<16>, %o<8>, %i, %n, %x, %y;\n\
         .reg .b64 %obj, %l<4>, %in, %out, %from, %to;\n\
         ld.param.u64 %obj, [p_h];\nld.param.u64 %in, [p_in];\nld.param.u64 %out, [p_out];\n\
         ld.param.u32 %n, [p_n];\n\
         mov.u32 %x, %ctaid.x;\nmov.u32 %y, %ntid.x;\nmov.u32 %i, %tid.x;\nmad.lo.u32 %i, %x, %y, %i;\n\
         again:\nsetp.ge.u32 %p0, %i, %n;\n@%p0 bra done;\n",
    );
    let (words, results) = (shape.words * 4, shape.results * 4);
    writeln!(ptx, "mad.wide.u32 %from, %i, {words}, %in;").unwrap();
    writeln!(ptx, "mad.wide.u32 %to, %i, {results}, %out;").unwrap();
    for word in 0..shape.words {
        writeln!(ptx, "ld.global.b32 %w{word}, [%from+{}];", word * 4).unwrap();
    }
    for result in 0..shape.results {
        writeln!(ptx, "mov.b32 %o{result}, 0;").unwrap();
    }
    writeln!(ptx, "{text}").unwrap();
    for result in 0..shape.results {
        writeln!(ptx, "st.global.b32 [%to+{}], %o{result};", result * 4).unwrap();
    }
    ptx += "mov.u32 %x, %nctaid.x;\nmad.lo.u32 %i, %x, %y, %i;\nbra again;\ndone:\nret;\n}\n";
    ptx
}
