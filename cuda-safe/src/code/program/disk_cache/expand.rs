//! Expands macros in header names.

use std::collections::HashMap;

use super::{
    lexer::is_word,
    scan::{Macro, Request},
};

/// All definitions of all macros. Conditions are not evaluated, so any of them may apply.
#[derive(Default)]
pub(super) struct Macros(HashMap<Vec<u8>, Vec<Macro>>);

/// The maximum number of expansions of one name.
const MOST: usize = 256;

impl Macros {
    pub(super) fn add(&mut self, found: impl IntoIterator<Item = Macro>) {
        for found in found {
            self.0.entry(found.name.clone()).or_default().push(found);
        }
    }

    fn of(&self, name: &[u8]) -> &[Macro] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    pub(super) fn defines(&self, name: &str) -> bool {
        !self.of(name.as_bytes()).is_empty()
    }

    /// Returns the headers that `#include NAME` can refer to, or `None` if this is not certain.
    pub(super) fn headers(&self, name: &str) -> Option<Vec<Request>> {
        let mut requests = Vec::new();
        for definition in self.of(name.as_bytes()) {
            let body = &definition.body;
            let inner = |open, close| body.strip_prefix(open)?.strip_suffix(close);
            if definition.has_parameters {
                return None;
            } else if let Some(name) = inner(b"\"", b"\"") {
                let name = is_plain(name).then_some(name)?;
                requests.push(request(String::from_utf8(name.to_vec()).ok()?, true));
            } else {
                let name = std::str::from_utf8(inner(b"<", b">")?).ok()?;
                for name in self.names(name)? {
                    requests.push(request(name, false));
                }
            }
        }
        Some(requests)
    }

    /// Returns all possible expansions of a name between `<` and `>`.
    pub(super) fn names(&self, name: &str) -> Option<Vec<String>> {
        let names = self.replaced(name.as_bytes(), &mut Vec::new())?;
        names
            .into_iter()
            .map(|name| String::from_utf8(name).ok())
            .collect()
    }

    fn replaced<'a>(&'a self, text: &'a [u8], within: &mut Vec<&'a [u8]>) -> Option<Vec<Vec<u8>>> {
        is_plain(text).then_some(())?;
        let mut results = vec![Vec::new()];
        for part in text.chunk_by(|&a, &b| is_word(a) == is_word(b)) {
            let mut choices = vec![part.to_vec()];
            // A macro is not expanded within its own expansion.
            if !within.contains(&part) {
                let definitions = self.of(part);
                if definitions.is_empty() && may_be_built_in(part) {
                    return None;
                }
                within.push(part);
                for definition in definitions {
                    if !definition.has_parameters {
                        choices.append(&mut self.replaced(&definition.body, within)?);
                    }
                }
                within.pop();
            }
            results = results
                .iter()
                .flat_map(|start| choices.iter().map(|end| [&start[..], end].concat()))
                .collect();
            (results.len() <= MOST).then_some(())?;
        }
        Some(results)
    }
}

/// Returns whether a text contains only characters of paths that all compilers treat alike.
fn is_plain(text: &[u8]) -> bool {
    text.iter()
        .all(|&byte| is_word(byte) || b"/.+-".contains(&byte))
}

/// Returns whether NVRTC may predefine a macro with this name. All its predefined macros have
/// parameters, or contain an uppercase letter or a leading underscore, as `__CUDACC__`,
/// `CUDART_VERSION` and `cudaEventDefault` do.
fn may_be_built_in(word: &[u8]) -> bool {
    word.starts_with(b"_") || word.iter().any(u8::is_ascii_uppercase)
}

fn request(name: String, quoted: bool) -> Request {
    Request {
        name,
        quoted,
        expands: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::program::disk_cache::scan::Text;

    fn macros(source: &str) -> Macros {
        let mut macros = Macros::default();
        macros.add(Text::scan(source.as_bytes()).unwrap().macros);
        macros
    }

    fn headers(source: &str) -> Option<Vec<(String, bool)>> {
        let headers = macros(source).headers("H")?;
        Some(
            headers
                .into_iter()
                .map(|header| (header.name, header.quoted))
                .collect(),
        )
    }

    #[test]
    fn macros_expand_to_headers() {
        let found = |names: &[(&str, bool)]| {
            Some(
                names
                    .iter()
                    .map(|&(name, quoted)| (name.to_owned(), quoted))
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(headers("#define H \"a/b.h\""), found(&[("a/b.h", true)]));
        assert_eq!(headers("#define H <a/b.h>"), found(&[("a/b.h", false)]));
        // Any of the definitions may apply.
        assert_eq!(
            headers("#define H <a.h>\n#undef H\n#define H \"b.h\""),
            found(&[("a.h", false), ("b.h", true)])
        );
        assert_eq!(headers("#define G <a.h>"), found(&[]));
        assert!(macros("#define H 1").defines("H"));
        assert!(!macros("#define H 1").defines("G"));
        // Macros are not expanded in quotes.
        assert_eq!(
            headers("#define H \"a.h\"\n#define a b"),
            found(&[("a.h", true)])
        );
        for source in [
            "#define H",
            "#define H a.h",
            "#define H G\n#define G <a.h>",
            "#define H(x) <a.h>",
            "#define H <a.h>\n#define H(x) <b.h>",
            "#define H \"a\" \".h\"",
            "#define H \"a b\"",
            "#define H <a b>",
            "#define H <a.h> b",
            "#define H f(<a.h>)",
            "#define H <a##b.h>",
            "#define H <f(a).h>",
            "#define H \"a.h",
            "#define H <",
        ] {
            assert_eq!(headers(source), None, "{source}");
        }
    }

    fn names(source: &str, name: &str) -> Option<Vec<String>> {
        macros(source).names(name)
    }

    #[test]
    fn macros_are_expanded_in_names() {
        let found = |names: &[&str]| {
            Some(
                names
                    .iter()
                    .map(|&name| name.to_owned())
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(names("", "a-1/b+2.h"), found(&["a-1/b+2.h"]));
        assert_eq!(
            names("#define R x/y", "R/a.h"),
            found(&["R/a.h", "x/y/a.h"])
        );
        assert_eq!(names("#define r", "ar/r.h"), found(&["ar/r.h", "ar/.h"]));
        assert_eq!(
            names("#define a b\n#define a c\n#define h d", "a.h"),
            found(&["a.h", "a.d", "b.h", "b.d", "c.h", "c.d"])
        );
        // Expansions are expanded again, but not the same macro within itself.
        assert_eq!(
            names("#define a b/x\n#define b a/y", "a"),
            found(&["a", "b/x", "a/y/x"])
        );
        assert_eq!(
            names("#define a a", "a/a"),
            found(&["a/a", "a/a", "a/a", "a/a"])
        );
        // A macro with parameters is expanded only before parentheses.
        assert_eq!(names("#define a(x) x", "a.h"), found(&["a.h"]));
    }

    #[test]
    fn ambiguous_names_are_rejected() {
        for (source, name) in [
            ("", "a b"),
            ("", "f(a)"),
            ("", "a\"b"),
            ("#define a (b)", "a.h"),
            ("#define a b c", "a.h"),
            ("#define a b\n#define b \"c\"", "a.h"),
            ("", "__CUDA_ARCH__.h"),
            ("", "a/CUDART_VERSION/b.h"),
            ("", "a/cudaEventDefault.h"),
            ("", "_a.h"),
        ] {
            assert_eq!(names(source, name), None, "{name}");
        }
        assert!(
            names(
                "#define CUDART_VERSION 1\n#define _a b",
                "CUDART_VERSION/_a"
            )
            .is_some()
        );
    }

    #[test]
    fn too_many_expansions_are_rejected() {
        let source = "#define a b\n";
        let path = |parts| ["a"; 9][..parts].join("/");
        assert_eq!(names(source, &path(8)).unwrap().len(), MOST);
        assert_eq!(names(source, &path(9)), None);
    }
}
