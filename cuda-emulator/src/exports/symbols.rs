//! Exported symbols by name, and the symbol that a documented name means for a CUDA version.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::process::device::DRIVER_VERSION;

/// A symbol and its address.
pub struct Symbol {
    pub name: &'static str,
    pub address: *const (),
}

// SAFETY: the addresses are those of functions.
unsafe impl Sync for Symbol {}

// `SYMBOLS`, and the functions that only report that they are not implemented.
include!(concat!(env!("OUT_DIR"), "/symbols.rs"));

/// Documented name, first CUDA version, exported name, exported name of the per-thread variant or
/// `-`.
static VERSIONS: &str = include_str!("symbols.txt");

struct Version {
    since: i32,
    legacy: &'static str,
    per_thread: Option<&'static str>,
}

/// The result of a search.
pub enum Search {
    Found(*const ()),
    /// The function exists, but only in newer CUDA versions.
    TooNew,
    Unknown,
}

fn versions() -> &'static HashMap<&'static str, Vec<Version>> {
    static TABLE: OnceLock<HashMap<&'static str, Vec<Version>>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: HashMap<&str, Vec<Version>> = HashMap::new();
        for line in VERSIONS.lines() {
            let mut fields = line.split(' ');
            let mut next = || fields.next().expect("four fields a line");
            let (name, since, legacy, per_thread) = (next(), next(), next(), next());
            table.entry(name).or_default().push(Version {
                since: since.parse().expect("a version"),
                legacy,
                per_thread: (per_thread != "-").then_some(per_thread),
            });
        }
        table
    })
}

/// Returns every documented name.
#[cfg(test)]
pub fn names() -> impl Iterator<Item = &'static str> {
    versions().keys().copied()
}

/// Returns the address of an exported symbol.
pub fn exported(name: &str) -> Option<*const ()> {
    static TABLE: OnceLock<HashMap<&'static str, usize>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        SYMBOLS
            .iter()
            .map(|symbol| (symbol.name, symbol.address as usize))
            .collect()
    });
    table.get(name).map(|address| *address as *const ())
}

/// Finds a function for `cuGetProcAddress`: the newest form that `version` has.
pub fn find(name: &str, version: i32, per_thread: bool) -> Search {
    let Some(forms) = versions().get(name) else {
        return Search::Unknown;
    };
    let known = forms.iter().filter(|form| form.since <= DRIVER_VERSION);
    let Some(form) = known
        .clone()
        .filter(|form| form.since <= version)
        .max_by_key(|form| form.since)
    else {
        return if known.count() > 0 {
            Search::TooNew
        } else {
            Search::Unknown
        };
    };
    let symbol = form
        .per_thread
        .filter(|_| per_thread)
        .unwrap_or(form.legacy);
    exported(symbol).map_or(Search::Unknown, Search::Found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_symbol_in_the_table_is_exported() {
        for forms in versions().values() {
            for form in forms {
                assert!(exported(form.legacy).is_some(), "{}", form.legacy);
                if let Some(name) = form.per_thread {
                    assert!(exported(name).is_some(), "{name}");
                }
            }
        }
    }

    #[test]
    fn version_selects_the_form() {
        let address = |name, version, per_thread| match find(name, version, per_thread) {
            Search::Found(address) => Some(address),
            _ => None,
        };
        assert_eq!(
            address("cuMemAlloc", 3020, false),
            exported("cuMemAlloc_v2")
        );
        assert_eq!(address("cuMemAlloc", 2000, false), exported("cuMemAlloc"));
        assert_eq!(
            address("cuMemcpyHtoD", 12000, true),
            exported("cuMemcpyHtoD_v2_ptds")
        );
        assert_eq!(
            address("cuCtxCreate", 12000, false),
            exported("cuCtxCreate_v3")
        );
        assert_eq!(
            address("cuCtxCreate", 13000, false),
            exported("cuCtxCreate_v4")
        );
        assert_eq!(address("cuInit", 13000, true), exported("cuInit"));
        assert!(matches!(
            find("cuMemAllocAsync", 10000, false),
            Search::TooNew
        ));
        assert!(matches!(find("cuNonsense", 13000, false), Search::Unknown));
    }
}
