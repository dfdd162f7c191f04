//! Reads the parameters of kernels from PTX.

use std::sync::Arc;

use crate::code::parameter::{ParameterInfo, ParameterKind};

/// Returns the parameters of each kernel that PTX defines. Kernels whose parameters cannot be
/// parsed with certainty are omitted, so their kinds stay unknown.
pub(super) fn of(ptx: &str) -> Vec<(String, Arc<[ParameterInfo]>)> {
    ptx.match_indices(".entry")
        .filter_map(|(at, word)| {
            let rest = ptx[at + word.len()..].trim_start();
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_$%".contains(c)))?;
            let (name, rest) = rest.split_at(end);
            let list = match rest.trim_start().strip_prefix('(') {
                Some(rest) => rest.split_once(')')?.0,
                None => "",
            };
            let parameters = parameters(list)?;
            (!name.is_empty()).then(|| (name.to_owned(), parameters))
        })
        .collect()
}

fn parameters(list: &str) -> Option<Arc<[ParameterInfo]>> {
    if list.trim().is_empty() {
        return Some(Arc::new([]));
    }
    let mut end = 0usize;
    list.split(',')
        .map(|declaration| {
            let (size, alignment, kind) = parameter(declaration)?;
            let offset = end.checked_next_multiple_of(alignment)?;
            end = offset.checked_add(size)?;
            Some(ParameterInfo { offset, size, kind })
        })
        .collect()
}

/// Returns the size, alignment and kind of `.param .u64 .ptr .global .align 4 name` or
/// `.param .align 4 .b8 name[12]`.
fn parameter(declaration: &str) -> Option<(usize, usize, ParameterKind)> {
    let mut words = declaration.split_whitespace();
    if words.next()? != ".param" {
        return None;
    }
    let (mut element, mut alignment, mut is_pointer) = (None, None, false);
    let name = loop {
        match words.next()? {
            ".ptr" => is_pointer = true,
            ".align" => {
                let bytes = words.next()?.parse::<usize>().ok()?;
                // After `.ptr` it is the alignment of the memory.
                if !is_pointer {
                    alignment = Some(bytes);
                }
            }
            ".global" | ".const" | ".local" | ".shared" if is_pointer => {}
            word if word.starts_with('.') && element.is_none() => element = Some(scalar(word)?),
            word if word.starts_with('.') => return None,
            name => break name,
        }
    };
    if words.next().is_some() {
        return None;
    }
    let (size, kind) = element?;
    let alignment = alignment.unwrap_or(size);
    if !alignment.is_power_of_two() {
        return None;
    }
    let Some((_, length)) = name.split_once('[') else {
        let kind = if is_pointer {
            ParameterKind::Pointer
        } else {
            kind
        };
        return Some((size, alignment, kind));
    };
    let length = length.strip_suffix(']')?.trim().parse::<usize>().ok()?;
    let kind = ParameterKind::Aggregate { alignment };
    Some((size.checked_mul(length)?, alignment, kind))
}

/// Returns the size and kind of a type. An untyped one (`.b32`) can be of any kind.
fn scalar(word: &str) -> Option<(usize, ParameterKind)> {
    let (letter, bits) = word.strip_prefix('.')?.split_at_checked(1)?;
    let kind = match letter {
        "u" | "s" => ParameterKind::Integer,
        "f" => ParameterKind::Float,
        "b" => ParameterKind::Unknown,
        _ => return None,
    };
    match bits {
        "8" => Some((1, kind)),
        "16" => Some((2, kind)),
        "32" => Some((4, kind)),
        "64" => Some((8, kind)),
        "128" => Some((16, kind)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(list: &str) -> Vec<(usize, usize, ParameterKind)> {
        let ptx = format!(".visible .entry k(\n{list}\n)\n{{ ret; }}");
        let [(name, parameters)] = &of(&ptx)[..] else {
            panic!("cannot parse: {list}");
        };
        assert_eq!(name, "k");
        let row = |p: &ParameterInfo| (p.offset, p.size, p.kind);
        parameters.iter().map(row).collect()
    }

    #[test]
    fn kinds_sizes_and_offsets_are_read() {
        use ParameterKind::{Aggregate, Float, Integer, Pointer, Unknown};
        let list = "\t.param .f32 k_param_0,\n\t.param .u64 k_param_1,\n\t.param .s8 k_param_2,\n\
            \t.param .u64 .ptr .global .align 4 k_param_3,\n\t.param .align 2 .b8 k_param_4[2],\n\
            \t.param .align 16 .b8 k_param_5[48],\n\t.param .b32 x,\n.param .f64 y";
        assert_eq!(
            parsed(list),
            [
                (0, 4, Float),
                (8, 8, Integer),
                (16, 1, Integer),
                (24, 8, Pointer),
                (32, 2, Aggregate { alignment: 2 }),
                (48, 48, Aggregate { alignment: 16 }),
                (96, 4, Unknown),
                (104, 8, Float),
            ]
        );
        assert_eq!(parsed(".param .u64 .ptr x"), [(0, 8, Pointer)]);
        assert_eq!(parsed(".param .u64 .ptr .align 1 x"), [(0, 8, Pointer)]);
        assert_eq!(
            parsed(".param .f32 x[3]"),
            [(0, 12, Aggregate { alignment: 4 })]
        );
        let words = ".param .u16 x, .param .f16 y, .param .b128 z, .param .s16 last";
        let expected = [
            (0, 2, Integer),
            (2, 2, Float),
            (16, 16, Unknown),
            (32, 2, Integer),
        ];
        assert_eq!(parsed(words), expected);
        assert_eq!(parsed(""), []);
    }

    #[test]
    fn each_kernel_has_its_own_parameters() {
        let ptx = ".visible .entry a(.param .u32 x)\n.maxntid 128\n{ }\n.entry b { }\n.entry c()\n{ }\n\
            .func d(.param .u32 x)\n{ }\n.entry\te(\n.param .f64 x\n)";
        let names: Vec<_> = of(ptx).into_iter().map(|(n, p)| (n, p.len())).collect();
        let expected = [("a", 1), ("b", 0), ("c", 0), ("e", 1)];
        assert_eq!(names, expected.map(|(name, n)| (name.to_owned(), n)));
    }

    #[test]
    fn unparsable_kernels_are_omitted() {
        for list in [
            ".param .u32",
            ".u32 x",
            ".param .texref x",
            ".param .u32 .u32 x",
            ".param .align 3 .b8 x[4]",
            ".param .align 4 .b8 x[]",
            ".param .align 4 .b8 x[99999999999999999999]",
            ".param .u64 .global x",
            ".param .u64 .global",
            ".param .u32 .u32",
            ".param .u24 x",
            ".param . x",
            ".param .é x",
            ".param .u32 x // the first",
            ".param .u32 x,",
            ".param .align 8 .b8 x[18446744073709551615], .param .u64 y",
            ".param .b64 x[9223372036854775807]",
        ] {
            let ptx = format!(".entry k({list}) {{ }} .entry l(.param .u8 x)");
            let names: Vec<_> = of(&ptx).into_iter().map(|(name, _)| name).collect();
            assert_eq!(names, ["l"], "{list}");
        }
        assert!(of(".entry").is_empty() && of(".entry (").is_empty());
        assert!(of(".entry k(.param .u32 x").is_empty());
        assert!(of(".entry ()").is_empty());
    }
}
