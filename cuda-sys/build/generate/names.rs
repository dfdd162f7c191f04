//! Generates aliases and name tables from the header's macros and enums, beyond bindgen's output.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The constants of each enum with their values, in the header's order.
pub type Enums = BTreeMap<String, Vec<(String, i64)>>;

/// The names that the bindings declare.
#[derive(Default)]
pub struct Declared {
    pub functions: BTreeSet<String>,
    pub types: BTreeSet<String>,
}

/// Returns the `(name, replacement)` of each macro that only defines an alias, in the header's
/// order.
///
/// `__CUDA_API_PTDS(name)` and `__CUDA_API_PTSZ(name)` expand to `name`, as in a program that does
/// not request the per-thread default stream.
pub fn renamings(header: &str) -> Vec<(&str, &str)> {
    let identifier =
        |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    header
        .lines()
        .filter_map(|line| {
            let rest = line
                .trim_start()
                .strip_prefix('#')?
                .trim_start()
                .strip_prefix("define")?;
            let mut words = rest.split_whitespace();
            let (name, target) = (words.next()?, words.next()?);
            let target = ["__CUDA_API_PTDS(", "__CUDA_API_PTSZ("]
                .iter()
                .find_map(|prefix| target.strip_prefix(prefix)?.strip_suffix(')'))
                .unwrap_or(target);
            let plain = identifier(name)
                && identifier(target)
                && !target.starts_with(|c: char| c.is_ascii_digit());
            plain.then_some((name, target))
        })
        .collect()
}

/// Returns the header's tag of an enum.
fn tag(name: &str) -> String {
    if name == "CUresult" {
        "cudaError_enum".to_owned()
    } else {
        format!("{name}_enum")
    }
}

/// Returns aliases as Rust items: `cuMemAlloc` for `cuMemAlloc_v2`, and second names of types and
/// enum constants.
pub fn aliases(header: &str, declared: &Declared, enums: &Enums) -> String {
    let owner: BTreeMap<&str, &str> = enums
        .iter()
        .flat_map(|(owner, constants)| {
            constants
                .iter()
                .map(move |(name, _)| (name.as_str(), owner.as_str()))
        })
        .collect();
    let known = |name: &str| declared.functions.contains(name) || declared.types.contains(name);
    let mut seen = BTreeSet::new();
    let mut out = String::new();
    // An enum's tag in C, `CUlimit_enum`, is also one of its names.
    for (name, tag) in enums.keys().map(|name| (name, tag(name))) {
        if name != &tag && !known(&tag) && header.contains(&format!("enum {tag}")) {
            let _ = writeln!(out, "#[doc(hidden)]\npub use self::{name} as {tag};");
        }
    }
    for (name, target) in renamings(header) {
        if known(name) || owner.contains_key(name) || !seen.insert(name) {
            continue;
        }
        if known(target) {
            let _ = writeln!(out, "#[doc(inline)]\npub use self::{target} as {name};");
        } else if let Some(owner) = owner.get(target) {
            let _ = writeln!(
                out,
                "impl {owner} {{\n    /// Another name of [`{target}`](Self::{target}).\n    \
                 pub const {name}: Self = Self::{target};\n}}"
            );
        }
    }
    out
}

/// Returns `name`, `ALL` and `Debug` of each enum, so that a value prints with its documented name.
pub fn enum_tables(enums: &Enums, skip: &[&str]) -> String {
    let mut out = String::new();
    for (name, constants) in enums {
        let _ = writeln!(
            out,
            "impl {name} {{\n    /// Every constant that the header defines, with its name.\n    \
             pub const ALL: &'static [(&'static str, Self)] = &["
        );
        for (constant, _) in constants {
            let _ = writeln!(out, "        ({constant:?}, Self::{constant}),");
        }
        out += "    ];\n}\n";
        if skip.contains(&name.as_str()) {
            continue;
        }
        let _ = writeln!(
            out,
            "impl {name} {{\n    /// Returns the constant's name in the header, or `None` if no constant has this value. If several \
             constants share the value, returns the first one's name.\n    pub const fn name(self) -> Option<&'static str> {{\n        \
             Some(match self.0 {{"
        );
        let mut seen = BTreeSet::new();
        for (constant, value) in constants {
            if seen.insert(value) {
                let _ = writeln!(out, "            {value} => {constant:?},");
            }
        }
        out += "            _ => return None,\n        })\n    }\n}\n";
        let _ = writeln!(
            out,
            "impl ::core::fmt::Debug for {name} {{\n    \
             fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {{\n        \
             match self.name() {{\n            Some(name) => f.write_str(name),\n            \
             None => write!(f, \"{name}({{}})\", self.0),\n        }}\n    }}\n}}"
        );
    }
    out
}
