//! Finds out which signatures kernels have, from the compiler. Used only if they don't match.

use std::fmt::Write;

use super::{
    Declaration,
    check::{Facts, facts, prefix, telling},
    counts, refused,
};
use crate::{
    code::program::{Architecture, Cache, Program},
    error::{Error, ErrorKind},
};

/// Why a program with assertions did not compile; `None` if that can't be found out.
#[cold]
pub(super) fn reason(
    program: &Program,
    architecture: Architecture,
    declarations: &[Declaration],
) -> Option<Error> {
    let program = program.clone().cache(Cache::Off);
    // The source's own errors are reported without the text after it.
    if let Err(error) = program.compile(architecture) {
        return Some(error);
    }
    let told = match ask(&program, architecture, declarations) {
        Ok(told) => told,
        // One bad declaration prevents the answer for all of them.
        Err(_) => declarations
            .iter()
            .flat_map(|one| match ask(&program, architecture, &[*one]) {
                Ok(told) => told,
                Err(log) => vec![Err(log)],
            })
            .collect(),
    };
    let misfits: Vec<_> = declarations
        .iter()
        .zip(told)
        .filter_map(|(declaration, told)| match told {
            Ok(compiled) => misfit(declaration, &compiled),
            Err(log) => {
                Some(declaration.refused(&format!("is not compared: the compiler says {log}")))
            }
        })
        .collect();
    (!misfits.is_empty()).then(|| refused("kernels!", &misfits))
}

/// The signature of a compiled kernel.
#[derive(Debug, PartialEq, Eq)]
struct Compiled {
    /// As in `void (*)(float, const Pair *)`.
    signature: String,
    /// Bytes of each parameter, or of what it points to.
    sizes: Vec<usize>,
    /// A bit for each parameter that differs from the declaration.
    misfits: u64,
}

type Told = Result<Compiled, String>;

/// Compiles the program with one more kernel for each declaration, whose code contains its type as text.
fn ask(
    program: &Program,
    architecture: Architecture,
    declarations: &[Declaration],
) -> Result<Vec<Told>, String> {
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
    let compiled = telling(program, declarations, &text)
        .compile(architecture)
        .map_err(|error| match error.kind() {
            ErrorKind::Compile { log } => first_error(log, &prefix),
            _ => error.to_string(),
        })?;
    let texts = texts(compiled.ptx());
    let compiled_in = |text: &String| compiled_in(text, &prefix);
    Ok((0..declarations.len())
        .map(|number| {
            let told = texts.iter().filter_map(compiled_in);
            let mut told = told.filter(|(n, _)| *n == number).map(|(_, told)| told);
            told.next().ok_or_else(|| "not told".to_owned())
        })
        .collect())
}

/// The first error of the compiler.
fn first_error(log: &str, prefix: &str) -> String {
    let line = log.lines().find(|line| line.contains("error"));
    let line = line.unwrap_or(log);
    let told = line.split_once("error: ").map_or(line, |(_, told)| told);
    told.replace(prefix, "").trim().to_owned()
}

/// The string constants in PTX.
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

/// The text of `__PRETTY_FUNCTION__` in `$text`, and the declaration that it belongs to.
fn compiled_in(text: &str, prefix: &str) -> Option<(usize, Compiled)> {
    let after = |name: &str| {
        let mut places = text.match_indices(prefix);
        places.find_map(|(at, _)| {
            let rest = text[at + prefix.len()..].strip_prefix(name)?;
            Some(rest.trim_start().strip_prefix('=')?.trim_start())
        })
    };
    let number = digits(after("N")?)?;
    let misfits = digits(after("M")?)?;
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
            misfits,
        },
    ))
}

fn digits(text: &str) -> Option<u64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text[..end].parse().ok()
}

/// The parameters' types in `void (*)(A, B<C, D>)`; `None` if that is not a kernel.
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

/// The text for a declaration that does not match; `None` for one that does.
fn misfit(declaration: &Declaration, compiled: &Compiled) -> Option<String> {
    let types = (declaration.signature)();
    let Some(parameters) = parameters(&compiled.signature) else {
        return Some(declaration.misfit(&compiled.signature, "it is no kernel"));
    };
    let whole = format!("{}({})", declaration.name, parameters.join(", "));
    if parameters.len() != types.len() {
        let difference = counts(types.len(), parameters.len());
        return Some(declaration.misfit(&whole, &difference));
    }
    if compiled.misfits == 0 {
        return None;
    }
    let mut differences = Vec::new();
    for (i, ((name, exact), declared)) in declaration.parameters.iter().zip(&types).enumerate() {
        if compiled.misfits >> i & 1 == 0 {
            continue;
        }
        let (here, there) = (declared.in_cpp(*exact), parameters[i]);
        let mut text = format!("`{name}` is declared as `{here}` and is `{there}`");
        if let (Some((bytes, rust)), Some(size)) =
            (declared.size_that_counts(*exact), compiled.sizes.get(i))
        {
            let _ = write!(text, " ({rust} has {bytes} bytes, and that has {size})");
        }
        differences.push(text);
    }
    Some(declaration.misfit(&whole, &differences.join(", ")))
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
    fn what_the_compiler_tells_is_read() {
        for (mask, equals) in [("5ULL", " = "), ("5UL", "="), ("5", " = ")] {
            let text = format!(
                "void cuda_direct_text(const char **) [with cuda_direct_N{equals}3, \
                 cuda_direct_M{equals}{mask}, cuda_direct_S{equals}cuda_direct_list<4ULL, 0ULL>, \
                 cuda_direct_F{equals}void (*)(float, const __nv_bool *)]"
            );
            let expected = Compiled {
                signature: "void (*)(float, const bool *)".into(),
                sizes: vec![4, 0],
                misfits: 5,
            };
            assert_eq!(compiled_in(&text, PREFIX), Some((3, expected)));
        }
        let none = "void cuda_direct_text(const char **) [with cuda_direct_N = 0, cuda_direct_M = 0ULL, \
            cuda_direct_S = cuda_direct_list<>, cuda_direct_F = void (*)()]";
        let (number, told) = compiled_in(none, PREFIX).unwrap();
        assert_eq!((number, told.sizes, told.misfits), (0, vec![], 0));
        assert_eq!(compiled_in("any other string", PREFIX), None);
        assert_eq!(compiled_in("cuda_direct_N = 3", PREFIX), None);
    }

    #[test]
    fn parameters_are_told_apart() {
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
    fn the_first_error_is_told_in_the_user_s_words() {
        let log = "program.cu(3): warning: x\nprogram.cu(12): error: identifier \"k\" is undefined\n  \
            static_assert\n2 errors detected";
        assert_eq!(first_error(log, PREFIX), "identifier \"k\" is undefined");
        assert_eq!(first_error("nothing more", PREFIX), "nothing more");
    }

    #[test]
    fn a_match_is_no_misfit() {
        let declaration = Declaration {
            name: "k",
            rust: "fn k(x: &[f32], n: i32)",
            parameters: &[("x", None), ("n", None)],
            signature: <(Read<f32>, Value<i32>)>::declared,
        };
        let mut compiled = Compiled {
            signature: "void (*)(const float *, int)".into(),
            sizes: vec![4, 4],
            misfits: 0,
        };
        assert_eq!(misfit(&declaration, &compiled), None);
        compiled.misfits = 2;
        let text = misfit(&declaration, &compiled).unwrap();
        assert!(
            text.contains("`n` is declared") && !text.contains("`x` is"),
            "{text}"
        );
        compiled.signature = "void (*)(int)".into();
        let text = misfit(&declaration, &compiled).unwrap();
        assert!(
            text.contains("2 parameters are declared and it has 1"),
            "{text}"
        );
    }
}
