//! Finds the kernels in a source, and their signatures if both languages have the types.

use crate::{
    scan::{Piece, pieces},
    types::{Type, mangled_name, mangled_number},
};

/// A kernel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Kernel {
    pub(crate) name: String,
    /// The linked name, or the name itself if nothing is compiled yet.
    pub(crate) linked: String,
    /// The declaration in the source.
    pub(crate) text: String,
    /// Whether the kernel is in a namespace or a class.
    is_hidden: bool,
    /// Whether several kernels have this name.
    is_overloaded: bool,
    /// The template arguments, if the kernel is an instance of a template. They are empty if the
    /// source leaves them to the compiler.
    arguments: Option<Vec<String>>,
    /// The names and types, or the reason why the kernel can't be declared.
    pub(crate) parameters: Result<Vec<(String, Type)>, String>,
}

impl Kernel {
    /// Returns whether the compiler can find the kernel by its name alone.
    pub(crate) fn is_known_by_name(&self) -> bool {
        let is_named = self.arguments.as_ref().is_none_or(|all| !all.is_empty());
        !self.is_hidden && !self.is_overloaded && is_named
    }

    /// Returns the name without template arguments.
    fn function(&self) -> &str {
        self.name.split('<').next().unwrap_or(&self.name)
    }
}

/// Returns the kernels of a source. If the PTX compiled from it is given, only the kernels in the
/// PTX are returned, and their parameters are compared with it.
pub(crate) fn of(source: &str, ptx: Option<&str>) -> Vec<Kernel> {
    let text = code(source);
    let mut kernels: Vec<Kernel> = Vec::new();
    for kernel in declared(&text) {
        let is_known =
            kernel.arguments.is_none() && kernels.iter().any(|known| known.name == kernel.name);
        if is_known {
            // This is a declaration before the definition, or an overload.
            let same = |known: &&mut Kernel| known.name == kernel.name;
            for known in kernels.iter_mut().filter(same) {
                if known.parameters != kernel.parameters {
                    known.parameters = Err("because several kernels have this name".into());
                    known.is_overloaded = true;
                }
            }
        } else {
            kernels.push(kernel);
        }
    }
    let Some(ptx) = ptx else {
        return kernels;
    };
    let entries = entries(ptx);
    kernels.retain_mut(|kernel| compare(kernel, &entries));
    kernels
}

/// Returns whether the kernel is in the PTX. If so, sets its linked name, and removes the
/// parameters if they differ.
fn compare(kernel: &mut Kernel, entries: &[(String, Vec<Passed>)]) -> bool {
    if kernel.arguments.is_some() {
        return compare_instance(kernel, entries);
    }
    let plain = entries.iter().find(|(name, _)| *name == kernel.name);
    let beginning = format!("_Z{}{}", kernel.name.len(), kernel.name);
    // For a kernel in a namespace, the name is not at the start.
    let within = &beginning[2..];
    let mut mangled = entries.iter().filter(|(name, _)| {
        name.starts_with(&beginning) || kernel.is_hidden && name.contains(within)
    });
    let Some((linked, passed)) = plain.or_else(|| mangled.next()) else {
        return false;
    };
    kernel.linked.clone_from(linked);
    if let Ok(parameters) = &kernel.parameters {
        let types: Vec<_> = parameters.iter().map(|(_, of)| *of).collect();
        let fits = types.len() == passed.len()
            && types.iter().zip(passed).all(|(of, passed)| passed.fits(of))
            && (plain.is_some() || *linked == mangled_name(&kernel.name, &types));
        if !fits || mangled.next().is_some() {
            kernel.parameters = Err("because its compiled code has other parameters".into());
        }
    }
    true
}

/// Returns whether an instance of the kernel's template is in the PTX. If the instance itself can be
/// identified, sets its linked name.
fn compare_instance(kernel: &mut Kernel, entries: &[(String, Vec<Passed>)]) -> bool {
    let function = kernel.function();
    let beginning = format!("{}{function}I", function.len());
    let of_template: Vec<&String> = entries
        .iter()
        .map(|(name, _)| name)
        .filter(|name| match kernel.is_hidden {
            true => name.contains(&beginning),
            false => name.starts_with(&format!("_Z{beginning}")),
        })
        .collect();
    let arguments = kernel.arguments.iter().flatten();
    let letters: Option<String> = arguments.map(|one| mangled_number(one)).collect();
    // The type of a number is unknown, so its letters may differ from those of the compiler.
    let is_exact = letters
        .as_ref()
        .is_some_and(|letters| !letters.is_empty() && !letters.contains('L'));
    let beginning = letters.map(|letters| format!("_Z{beginning}{letters}Ev"));
    let fits = |name: &&&String| {
        beginning
            .as_ref()
            .is_some_and(|text| name.starts_with(text))
    };
    let linked = of_template.iter().find(fits).or(match &*of_template {
        [only] if !is_exact => Some(only),
        _ => None,
    });
    match linked {
        Some(linked) if kernel.is_known_by_name() => kernel.linked.clone_from(linked),
        _ if kernel.is_hidden => {}
        // For example, in a branch of an `#if` that the compiler skipped.
        None if is_exact => return false,
        _ => kernel.parameters = Err(format!("{INSTANCE}. Its linked name is in the PTX")),
    }
    !of_template.is_empty()
}

/// A parameter as declared in PTX.
struct Passed {
    bytes: usize,
    /// Whether it is a float, or `None` if the type is untyped bits.
    is_float: Option<bool>,
}

impl Passed {
    fn fits(&self, of: &Type) -> bool {
        let (bytes, is_float) = of.passed();
        bytes == self.bytes && self.is_float.is_none_or(|known| known == is_float)
    }
}

/// Returns the kernels in PTX with their parameters.
fn entries(ptx: &str) -> Vec<(String, Vec<Passed>)> {
    let found = ptx.match_indices(".entry").filter_map(|(at, word)| {
        let rest = ptx[at + word.len()..].trim_start();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_$".contains(c)))?;
        let (name, rest) = rest.split_at(end);
        let list = rest
            .trim_start()
            .strip_prefix('(')
            .and_then(|rest| rest.split_once(')'));
        let list = list.map_or("", |(list, _)| list);
        let parameters = list
            .split(',')
            .filter(|one| !one.trim().is_empty())
            .map(passed);
        Some((name.to_owned(), parameters.collect()))
    });
    found.collect()
}

/// `.param .u64 .ptr .align 1 name`
fn passed(declaration: &str) -> Passed {
    let kinds = declaration
        .split_whitespace()
        .filter_map(|word| word.strip_prefix('.'));
    let is_array = declaration.contains('[');
    let number = kinds.filter_map(|kind| {
        let (letter, bits) = kind.split_at_checked(1)?;
        let bits: usize = bits.parse().ok()?;
        let is_float = match letter {
            "f" => Some(true),
            "u" | "s" => Some(false),
            "b" => None,
            _ => return None,
        };
        Some(Passed {
            bytes: bits / 8,
            is_float,
        })
    });
    match number.take(1).next() {
        Some(passed) if !is_array => passed,
        _ => Passed {
            bytes: 0,
            is_float: None,
        },
    }
}

/// Returns the code of a source, with blanks in place of comments, literals and directives.
fn code(source: &str) -> String {
    let text = |piece| match piece {
        Piece::Code(text) => text,
        Piece::Blank | Piece::Directive(_) => " ",
    };
    pieces(source).into_iter().map(text).collect()
}

/// Finds each `__global__` function that is not a template, with its declaration.
fn declared(text: &str) -> Vec<Kernel> {
    let tokens = tokens(text);
    let mut kernels = Vec::new();
    // Whether each open brace belongs to a namespace or a class. Both branches of an `#if` are
    // read, so a function's brace may never be closed.
    let mut braces: Vec<bool> = Vec::new();
    let mut start = 0;
    for (at, token) in tokens.iter().enumerate() {
        match *token {
            "{" => {
                let scopes = ["namespace", "class", "struct", "union"];
                let mut head = tokens[start..at].iter();
                braces.push(head.any(|token| scopes.contains(token)));
                start = at + 1;
            }
            "}" => {
                braces.pop();
                start = at + 1;
            }
            ";" => start = at + 1,
            "__global__" => {
                let is_hidden = braces.iter().any(|hides| *hides);
                let template = tokens[start..at]
                    .iter()
                    .position(|token| *token == "template");
                let is_instance = template.is_some();
                // `template` and `template <>` begin instances, `template <typename T>` a template.
                let list = template.map_or(&[][..], |place| &tokens[start + place + 1..at]);
                if list.first() == Some(&"<") && list.get(1) != Some(&">") {
                    continue;
                }
                if let Some(kernel) = kernel(&tokens[at + 1..], is_hidden, is_instance) {
                    kernels.push(kernel);
                }
            }
            _ => {}
        }
    }
    kernels
}

/// Splits the text into words (with `::`) and signs.
fn tokens(text: &str) -> Vec<&str> {
    let of_word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let length = match of_word(c) {
            true => rest.find(|c| !of_word(c)).unwrap_or(rest.len()),
            false => c.len_utf8(),
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}

/// The reason why an instance of a template is not declared.
const INSTANCE: &str = "because it is an instance of a template";

/// Parses the kernel after `__global__`: `void __launch_bounds__(128) name(float *x)`.
fn kernel(tokens: &[&str], is_hidden: bool, is_instance: bool) -> Option<Kernel> {
    let mut at = 0;
    let mut arguments: Option<Vec<String>> = is_instance.then(Vec::new);
    let name = loop {
        let token = *tokens.get(at)?;
        if is_instance && tokens.get(at + 1) == Some(&"<") {
            let behind = tokens[at + 1..].iter().position(|token| *token == "(")? + at + 1;
            let list = tokens[at + 2..behind].split_last().map(|(_, list)| list)?;
            let all = list.split(|token| *token == ",");
            arguments = Some(all.map(|one| one.join(" ").replace(" <", "<")).collect());
            at = behind - 1;
            break token;
        }
        let is_call = tokens.get(at + 1) == Some(&"(");
        if is_call
            && matches!(
                token,
                "__launch_bounds__"
                    | "__cluster_dims__"
                    | "__maxnreg__"
                    | "__attribute__"
                    | "__block_size__"
            )
        {
            at = closing(tokens, at + 1)? + 1;
        } else if is_call {
            break token;
        } else if token.chars().all(|c| c.is_alphanumeric() || c == '_') {
            at += 1;
        } else {
            return None;
        }
    };
    let end = closing(tokens, at + 1)?;
    let list = &tokens[at + 2..end];
    let name = match &arguments {
        Some(all) if !all.is_empty() => format!("{name}<{}>", all.join(", ")),
        _ => name.to_owned(),
    };
    let parameters = match (is_hidden, &arguments) {
        (true, _) => Err("because it is in a namespace or a class".to_owned()),
        (_, Some(all)) if all.is_empty() => Err(INSTANCE.to_owned()),
        (_, Some(_)) => Err(format!(
            "{INSTANCE}. Get it with `Module::function(\"{name}\")`"
        )),
        (_, None) => parameters(list).and_then(expect_few),
    };
    let text = list.join(" ").replace(" ,", ",").replace("* ", "*");
    Some(Kernel {
        text: format!("void {name}({text})"),
        linked: name.clone(),
        name,
        is_hidden,
        is_overloaded: false,
        arguments,
        parameters,
    })
}

/// Returns the position of the bracket that closes the one at `open`.
fn closing(tokens: &[&str], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match *token {
            "(" => depth += 1,
            ")" if depth == 1 => return Some(at),
            ")" => depth -= 1,
            _ => {}
        }
    }
    None
}

fn parameters(list: &[&str]) -> Result<Vec<(String, Type)>, String> {
    if list.is_empty() || list == ["void"] {
        return Ok(Vec::new());
    }
    let mut all: Vec<(String, Type)> = Vec::new();
    for (number, one) in list.split(|token| *token == ",").enumerate() {
        let reason = || format!("because of the parameter `{}`", one.join(" "));
        let is_word = |token: &&str| token.chars().all(|c| c.is_alphanumeric() || c == '_');
        // The last word is the name, if the words before it are a type.
        let named = one
            .split_last()
            .filter(|(last, before)| is_word(last) && Type::of(before).is_some());
        let (name, of) = match named {
            Some((name, before)) => ((*name).to_owned(), Type::of(before)),
            None => (format!("argument_{number}"), Type::of(one)),
        };
        let mut name = in_rust(&name);
        while all.iter().any(|(known, _)| *known == name) {
            name.push('_');
        }
        all.push((name, of.ok_or_else(reason)?));
    }
    Ok(all)
}

/// The maximum number of parameters that `cuda_safe::kernels!` can declare.
const MOST_PARAMETERS: usize = 32;

fn expect_few(parameters: Vec<(String, Type)>) -> Result<Vec<(String, Type)>, String> {
    match parameters.len() {
        ..=MOST_PARAMETERS => Ok(parameters),
        count => Err(format!(
            "because it has {count} parameters, but a method has at most {MOST_PARAMETERS}: launch it with an `ArgumentList`"
        )),
    }
}

/// Changes a C++ name to one that Rust accepts. The result is not a keyword, not a name of the
/// method's own parameters, and not a constant in scope.
pub(crate) fn in_rust(name: &str) -> String {
    const TAKEN: &[&str] = &[
        "EMBEDDED", "Err", "None", "Ok", "Self", "Some", "abstract", "as", "async", "await",
        "become", "box", "break", "config", "const", "continue", "crate", "do", "dyn", "else",
        "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
        "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self",
        "static", "stream", "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe",
        "unsized", "use", "virtual", "where", "while", "yield", "_",
    ];
    let mut text: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit()) {
        text.insert(0, '_');
    }
    if TAKEN.contains(&text.as_str()) {
        text.push('_');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptions(source: &str, ptx: Option<&str>) -> Vec<String> {
        let describe = |kernel: Kernel| match kernel.parameters {
            Ok(parameters) => {
                let all = parameters
                    .iter()
                    .map(|(name, of)| format!("{name}: {}", of.in_rust()));
                format!(
                    "{} {}({})",
                    kernel.linked,
                    kernel.name,
                    all.collect::<Vec<_>>().join(", ")
                )
            }
            Err(why) => format!("{}: {why}", kernel.name),
        };
        of(source, ptx).into_iter().map(describe).collect()
    }

    #[test]
    fn kernels_are_found_in_the_text() {
        let source = r#"
            // __global__ void comment() {}
            /* __global__ void other() {} */
            #define KERNEL \
                __global__ void macro() {}
            const char *text = "__global__ void literal() {}";
            const char *raw = R"x(__global__ void raw() {})x";
            __global__ void __launch_bounds__(128, 2) saxpy(float a, const float *__restrict__ x, float *y,
                unsigned n) { if (n) { y[0] = a; } }
            extern "C" { __global__ void plain(void); }
            extern "C" __global__ void many(float *in, size_t type, int) {}
            template <typename T> __global__ void generic(T *x) {}
            namespace a { __global__ void inner() {} }
            __global__ void pair(float2 p) {}
            static __global__ void twice(int); __global__ void twice(int x) {}
        "#;
        assert_eq!(
            descriptions(source, None),
            [
                "saxpy saxpy(a: f32, x: &[f32], y: &mut [f32], n: u32)",
                "plain plain()",
                "many many(in_: &mut [f32], type_: usize, argument_2: i32)",
                "inner: because it is in a namespace or a class",
                "pair: because of the parameter `float2 p`",
                "twice: because several kernels have this name",
            ]
        );
    }

    #[test]
    fn kernels_after_quotes_are_found() {
        let source = r##"
            __device__ char quote() { return '"'; }
            __global__ void first(int x) {}
            __device__ int separated() { return 1'000'000 + '\'' + '"'; }
            __global__ void second(int x) {}
            #if 0
            Don't read this: " __global__ void never() {}
            #endif
            // A comment that goes on \
            __global__ void never() {}
            #define TWO_LINES 1 /* " goes
                on */
            __global__ void third(int x) {}
        "##;
        assert_eq!(
            descriptions(source, None),
            [
                "first first(x: i32)",
                "second second(x: i32)",
                "third third(x: i32)"
            ]
        );
    }

    #[test]
    fn braces_in_both_branches_of_a_condition_hide_no_kernel() {
        let source = "
            #ifdef FAST
            __device__ int f(float x) {
            #else
            __device__ int f(int x) {
            #endif
            return 1; }
            __global__ void k(int x) {}
            struct S { __global__ void hidden(int x); };
        ";
        assert_eq!(
            descriptions(source, None),
            [
                "k k(x: i32)",
                "hidden: because it is in a namespace or a class"
            ]
        );
    }

    #[test]
    fn kernels_with_more_parameters_than_a_method_are_not_declared() {
        let source = |count: usize| {
            let all: Vec<_> = (0..count).map(|number| format!("int x{number}")).collect();
            format!("__global__ void k({}) {{}}", all.join(", "))
        };
        assert!(descriptions(&source(32), None)[0].ends_with(", x31: i32)"));
        assert_eq!(
            descriptions(&source(33), None),
            [
                "k: because it has 33 parameters, but a method has at most 32: launch it with an `ArgumentList`"
            ]
        );
    }

    #[test]
    fn parameter_names_are_distinct_and_bindable() {
        let source = "__global__ void k(int in, int in_, int None, int EMBEDDED) {}";
        assert_eq!(
            descriptions(source, None),
            ["k k(in_: i32, in__: i32, None_: i32, EMBEDDED_: i32)"]
        );
    }

    #[test]
    fn instances_of_templates_are_listed_with_their_names() {
        let source = "
            template <typename T, int N> __global__ void fill(T *x, T a) { x[N] = a; }
            template __global__ void fill<float, 2>(float *x, float a);
            template __global__ void __launch_bounds__(128) fill<unsigned int, 2>(unsigned int *x, unsigned int a);
            template <> __global__ void fill<double, 3>(double *x, double a) {}
            template <class T> __global__ void copy(T *x) {}
            template __global__ void copy(int *x);
            template __global__ void copy(char *x);
            template <class T> __global__ void one(T x) {}
            template __global__ void one<float4>(float4 x);
            namespace a { template __global__ void hidden<int>(int); }
        ";
        let instance = |name: &str| {
            format!(
                "{name}: because it is an instance of a template. Get it with `Module::function(\"{name}\")`"
            )
        };
        let unknown = |name: &str| {
            format!(
                "{name}: because it is an instance of a template. Its linked name is in the PTX"
            )
        };
        assert_eq!(
            descriptions(source, None),
            [
                &instance("fill<float, 2>"),
                &instance("fill<unsigned int, 2>"),
                &instance("fill<double, 3>"),
                "copy: because it is an instance of a template",
                "copy: because it is an instance of a template",
                &instance("one<float4>"),
                "hidden<int>: because it is in a namespace or a class",
            ]
        );
        let ptx = ".entry _Z4fillIfLi2EEvPT_S0_() .entry _Z4fillIjLi2EEvPT_S0_() .entry _Z4copyIiEvPT_() \
            .entry _Z4copyIcEvPT_() .entry _Z3oneI6float4EvT_() .entry _ZN1a6hiddenIiEEvT_()";
        assert_eq!(
            descriptions(source, Some(ptx)),
            [
                &instance("fill<float, 2>"),
                &instance("fill<unsigned int, 2>"),
                &unknown("fill<double, 3>"),
                &unknown("copy"),
                &unknown("copy"),
                &instance("one<float4>"),
                "hidden<int>: because it is in a namespace or a class",
            ]
        );
        let linked: Vec<_> = of(source, Some(ptx))
            .into_iter()
            .map(|one| one.linked)
            .collect();
        assert_eq!(
            linked[..2],
            ["_Z4fillIfLi2EEvPT_S0_", "_Z4fillIjLi2EEvPT_S0_"]
        );
        assert_eq!(linked[5], "_Z3oneI6float4EvT_");
        // A template without instances has no code.
        assert_eq!(descriptions(source, Some("")), [""; 0]);
    }

    #[test]
    fn compiled_code_determines_kernels_and_parameters() {
        let source = "__global__ void a(int *x, float y) {} __global__ void b(int x) {}\n\
            extern \"C\" __global__ void c(unsigned x) {} extern \"C\" __global__ void d(float x) {}\n\
            #if 0\n__global__ void e() {}\n#endif\n";
        let ptx = ".visible .entry _Z1aPif(\n.param .u64 .ptr .align 1 a_0,\n.param .f32 a_1\n)\n{ }\n\
            .visible .entry _Z1bj(.param .u32 b_0) { }\n.visible .entry c(.param .u32 c_0) { }\n\
            .visible .entry d(.param .u32 d_0) { }";
        assert_eq!(
            descriptions(source, Some(ptx)),
            [
                "_Z1aPif a(x: &mut [i32], y: f32)",
                "b: because its compiled code has other parameters",
                "c c(x: u32)",
                "d: because its compiled code has other parameters",
            ]
        );
    }
}
