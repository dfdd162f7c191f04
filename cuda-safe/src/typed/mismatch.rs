//! Determines the signatures of kernels with the compiler. Used only if a declaration does not
//! match.

use std::fmt::Write;

use super::{
    Declaration,
    check::{Facts, facts, prefix, with_query},
    count_difference, signature_error,
};
use crate::{
    code::program::{Architecture, Cache, Program},
    error::{Error, ErrorKind},
};

/// Returns the reason why a program with assertions did not compile, or `None` if the reason
/// cannot be determined.
#[cold]
pub(super) fn reason(
    program: &Program,
    architecture: Architecture,
    declarations: &[Declaration],
) -> Option<Error> {
    let program = program.clone().cache(Cache::Off);
    // If the source itself has errors, they are reported without the appended text.
    if let Err(error) = program.compile(architecture) {
        return Some(error);
    }
    let answer = match query(&program, architecture, declarations) {
        Ok(answer) => answer,
        // One invalid declaration makes the query fail for all of them.
        Err(_) => declarations
            .iter()
            .flat_map(|one| match query(&program, architecture, &[*one]) {
                Ok(answer) => answer,
                Err(log) => vec![Err(log)],
            })
            .collect(),
    };
    let mismatches: Vec<_> = declarations
        .iter()
        .zip(answer)
        .filter_map(|(declaration, answer)| match answer {
            Ok(compiled) => mismatch(declaration, &compiled),
            Err(log) => Some(
                declaration.rejection(&format!("cannot be compared: the compiler reports {log}")),
            ),
        })
        .collect();
    (!mismatches.is_empty()).then(|| signature_error("kernels!", &mismatches))
}

/// The signature of a compiled kernel.
#[derive(Debug, PartialEq, Eq)]
struct Compiled {
    /// For example, `void (*)(float, const Pair *)`.
    signature: String,
    /// The size in bytes of each parameter, or of its target if it is a pointer.
    sizes: Vec<usize>,
    /// A bit for each parameter that differs from the declaration.
    mismatches: u64,
}

type Answer = Result<Compiled, String>;

/// Compiles the program with one more kernel for each declaration. Its code contains the kernel's
/// type as text.
fn query(
    program: &Program,
    architecture: Architecture,
    declarations: &[Declaration],
) -> Result<Vec<Answer>, String> {
    let prefix = prefix(program);
    let mut text = String::new();
    for (number, declaration) in declarations.iter().enumerate() {
        let Facts { actual, declared } = facts(declaration);
        let _ = writeln!(
            text,
            "template __global__ void $text<{number}, $misfits<{actual}, {declared}>::$of, \
             $sizes<{actual}>::$type, {actual}>(const char **);"
        );
    }
    let compiled = with_query(program, declarations, &text)
        .compile(architecture)
        .map_err(|error| match error.kind() {
            ErrorKind::Compile { log } => first_error(log, &prefix),
            _ => error.to_string(),
        })?;
    let texts = texts(compiled.ptx());
    let parse_signature = |text: &String| parse_signature(text, &prefix);
    Ok((0..declarations.len())
        .map(|number| {
            let answer = texts.iter().filter_map(parse_signature);
            let mut answer = answer
                .filter(|(n, _)| *n == number)
                .map(|(_, answer)| answer);
            answer
                .next()
                .ok_or_else(|| "the compiler's answer was not found in the PTX".to_owned())
        })
        .collect())
}

/// Returns the compiler's first error.
fn first_error(log: &str, prefix: &str) -> String {
    let line = log.lines().find(|line| line.contains("error"));
    let line = line.unwrap_or(log);
    let answer = line
        .split_once("error: ")
        .map_or(line, |(_, answer)| answer);
    answer.replace(prefix, "").trim().to_owned()
}

/// Returns the string constants in PTX.
fn texts(ptx: &str) -> Vec<String> {
    ptx.split("= {")
        .skip(1)
        .filter_map(|rest| {
            let (bytes, _) = rest.split_once('}')?;
            let bytes: Option<Vec<u8>> = bytes
                .split(',')
                .map(|byte| byte.trim().parse().ok())
                .collect();
            let text = String::from_utf8(bytes?).ok()?;
            Some(text.trim_end_matches('\0').to_owned())
        })
        .collect()
}

/// Parses the text of `__PRETTY_FUNCTION__` in `$text`. Returns the number of the declaration and
/// the signature.
fn parse_signature(text: &str, prefix: &str) -> Option<(usize, Compiled)> {
    let after = |name: &str| {
        let mut places = text.match_indices(prefix);
        places.find_map(|(at, _)| {
            let rest = text[at + prefix.len()..].strip_prefix(name)?;
            Some(rest.trim_start().strip_prefix('=')?.trim_start())
        })
    };
    let number = digits(after("N")?)?;
    let mismatches = digits(after("M")?)?;
    let (sizes, _) = after("S")?.split_once('<')?.1.split_once('>')?;
    let signature = after("F")?.strip_suffix(']')?;
    Some((
        usize::try_from(number).ok()?,
        Compiled {
            signature: signature.replace("__nv_bool", "bool"),
            sizes: sizes
                .split(',')
                .filter_map(|size| usize::try_from(digits(size.trim())?).ok())
                .collect(),
            mismatches,
        },
    ))
}

fn digits(text: &str) -> Option<u64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text[..end].parse().ok()
}

/// Returns the parameter types in `void (*)(A, B<C, D>)`, or `None` if it is not a kernel.
fn parameters(signature: &str) -> Option<Vec<&str>> {
    let list = signature.strip_prefix("void (*)(")?.strip_suffix(')')?;
    let (mut all, mut start, mut depth) = (Vec::new(), 0, 0i32);
    for (at, c) in list.char_indices() {
        match c {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                all.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    all.push(list[start..].trim());
    Some(if list.trim().is_empty() {
        Vec::new()
    } else {
        all
    })
}

/// Returns the error text for a declaration that does not match, or `None` if it matches.
fn mismatch(declaration: &Declaration, compiled: &Compiled) -> Option<String> {
    let types = (declaration.signature)();
    let Some(parameters) = parameters(&compiled.signature) else {
        return Some(declaration.mismatch(&compiled.signature, "it is not a kernel"));
    };
    let whole = format!("{}({})", declaration.name, parameters.join(", "));
    if parameters.len() != types.len() {
        let difference = count_difference(types.len(), parameters.len());
        return Some(declaration.mismatch(&whole, &difference));
    }
    if compiled.mismatches == 0 {
        return None;
    }
    let mut differences = Vec::new();
    for (i, ((name, exact), declared)) in declaration.parameters.iter().zip(&types).enumerate() {
        if compiled.mismatches >> i & 1 == 0 {
            continue;
        }
        let (here, there) = (declared.in_cpp(*exact), parameters[i]);
        let mut text = format!("`{name}` is declared as `{here}` and is `{there}`");
        if let (Some((bytes, rust)), Some(size)) =
            (declared.ambiguous_size(*exact), compiled.sizes.get(i))
        {
            let _ = write!(text, " ({rust} has {bytes} bytes, the C++ type {size})");
        }
        differences.push(text);
    }
    Some(declaration.mismatch(&whole, &differences.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::{Read, Signature, Value};

    const PREFIX: &str = "cuda_direct_";

    #[test]
    fn texts_are_found_in_ptx() {
        let ptx = ".global .align 1 .b8 __unnamed_1[4] = {104, 105};\n\
            .global .align 1 .b8 x[3] = {111,107,0};\n.global .u32 y = 5;\n\
            .global .b8 z[2] = {300, 1};\n.global .f32 f[1] = {0f3F800000};\nst [a], {%r1, %r2};";
        assert_eq!(texts(ptx), ["hi", "ok"]);
        assert!(texts("= {1, 2").is_empty());
    }

    #[test]
    fn compiler_output_is_parsed() {
        for (mask, equals) in [("5ULL", " = "), ("5UL", "="), ("5", " = ")] {
            let text = format!(
                "void cuda_direct_text(const char **) [with cuda_direct_N{equals}3, \
                 cuda_direct_M{equals}{mask}, cuda_direct_S{equals}cuda_direct_list<4ULL, 0ULL>, \
                 cuda_direct_F{equals}void (*)(float, const __nv_bool *)]"
            );
            let expected = Compiled {
                signature: "void (*)(float, const bool *)".into(),
                sizes: vec![4, 0],
                mismatches: 5,
            };
            assert_eq!(parse_signature(&text, PREFIX), Some((3, expected)));
        }
        let none = "void cuda_direct_text(const char **) [with cuda_direct_N = 0, cuda_direct_M = 0ULL, \
            cuda_direct_S = cuda_direct_list<>, cuda_direct_F = void (*)()]";
        let (number, answer) = parse_signature(none, PREFIX).unwrap();
        assert_eq!((number, answer.sizes, answer.mismatches), (0, vec![], 0));
        assert_eq!(parse_signature("any other string", PREFIX), None);
        assert_eq!(parse_signature("cuda_direct_N = 3", PREFIX), None);
    }

    #[test]
    fn parameters_are_split() {
        for (signature, expected) in [
            ("void (*)()", Some(vec![])),
            ("void (*)(int)", Some(vec!["int"])),
            (
                "void (*)(const A<int, B<2>> *, void (*)(int, float), int (&)[3], long)",
                Some(vec![
                    "const A<int, B<2>> *",
                    "void (*)(int, float)",
                    "int (&)[3]",
                    "long",
                ]),
            ),
            ("int (*)(int)", None),
            ("float *", None),
        ] {
            assert_eq!(parameters(signature), expected, "{signature}");
        }
    }

    #[test]
    fn first_error_omits_internal_names() {
        let log = "program.cu(3): warning: x\nprogram.cu(12): error: identifier \"k\" is undefined\n  \
            static_assert\n2 errors detected";
        assert_eq!(first_error(log, PREFIX), "identifier \"k\" is undefined");
        assert_eq!(first_error("nothing more", PREFIX), "nothing more");
    }

    #[test]
    fn only_differing_parameters_are_reported() {
        let declaration = Declaration {
            name: "k",
            rust: "fn k(x: &[f32], n: i32)",
            parameters: &[("x", None), ("n", None)],
            signature: <(Read<f32>, Value<i32>)>::declared,
        };
        let mut compiled = Compiled {
            signature: "void (*)(const float *, int)".into(),
            sizes: vec![4, 4],
            mismatches: 0,
        };
        assert_eq!(mismatch(&declaration, &compiled), None);
        compiled.mismatches = 2;
        let text = mismatch(&declaration, &compiled).unwrap();
        assert!(
            text.contains("`n` is declared") && !text.contains("`x` is"),
            "{text}"
        );
        compiled.signature = "void (*)(int)".into();
        let text = mismatch(&declaration, &compiled).unwrap();
        assert!(
            text.contains("2 parameters are declared, but the kernel has 1"),
            "{text}"
        );
    }
}
