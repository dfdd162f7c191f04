//! The contents of the installed header, read from the text of the bindings that `cuda-sys`
//! generated from it.

use std::collections::BTreeMap;
use std::fs;
use std::sync::OnceLock;

/// The size of a structure in bytes, and the offsets of its fields.
pub struct Layout {
    pub size: usize,
    pub offsets: BTreeMap<String, usize>,
}

/// Returns the bindings without white space.
fn bindings() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let text = fs::read_to_string(env!("EMULATOR_DEP_CUDA_BINDINGS")).unwrap();
        text.split_whitespace().collect()
    })
}

/// Parses the number at the beginning of a text.
fn number(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text[..end.unwrap_or(text.len())].parse().ok()
}

/// Returns the layout of a structure from the assertions that bindgen generates for it, or `None`
/// if the header does not have it.
pub fn layout(name: &str) -> Option<Layout> {
    let value = |rest: &str| -> usize {
        let (_, number_and_more) = rest.split_once(")-").unwrap();
        number(number_and_more).unwrap() as usize
    };
    let size = bindings().split(&format!("\"Sizeof{name}\"")).nth(1)?;
    let mut offsets = BTreeMap::new();
    for rest in bindings()
        .split(&format!("\"Offsetoffield:{name}::"))
        .skip(1)
    {
        let (field, rest) = rest.split_once('"').unwrap();
        offsets.insert(field.trim_end_matches('_').to_string(), value(rest));
    }
    Some(Layout {
        size: value(size),
        offsets,
    })
}

/// Compares a structure with its C counterpart, if the installed header has it.
macro_rules! compare {
    ($ty:ty, $c:literal $(, $($field:tt).+ = $name:literal)*) => {
        if let Some(found) = $crate::abi::header::layout($c) {
            assert_eq!(size_of::<$ty>(), found.size, "size of {}", $c);
            $({
                let offset = found.offsets.get($name).copied();
                assert_eq!(Some(std::mem::offset_of!($ty, $($field).+)), offset, "{} of {}", $name, $c);
            })*
            true
        } else {
            false
        }
    };
}
pub(super) use compare;

/// Returns the value of a constant, or `None` if the header does not have it.
fn constant(owner: &str, name: &str) -> Option<u64> {
    let (start, of_macro) = match owner {
        "macros" => (format!("pubconst{name}:u32="), true),
        _ => (format!("pubconst{name}:{owner}={owner}("), false),
    };
    let rest = bindings().split(&start).nth(1)?;
    assert!(!of_macro || rest.starts_with(|c: char| c.is_ascii_digit()));
    number(rest)
}

/// Enums that later headers have renamed.
const RENAMED: [(&str, &str); 1] = [(
    "CUdevSmResourceSplit_flags",
    "CUdevSmResourceSplitByCount_flags",
)];

#[test]
fn constants_match_the_header() {
    let (mut found, mut missing) = (0, Vec::new());
    for &(owner, name, value) in super::listed() {
        let renamed = RENAMED.iter().find(|(old, _)| *old == owner);
        let renamed = || constant(renamed?.1, name);
        match constant(owner, name).or_else(renamed) {
            Some(theirs) => {
                assert_eq!(u64::from(value), theirs, "{name}");
                found += 1;
            }
            None => missing.push(name),
        }
    }
    // CUDA 12.0 has all but the newer attributes.
    assert!(found > 270, "{found} found, {missing:?} missing");
    if cuda_sys::CUDA_VERSION >= 13_050 {
        assert_eq!(missing, [""; 0]);
    }
}

#[test]
fn unknown_names_are_not_found() {
    assert!(layout("CUnothing_st").is_none());
    assert_eq!(constant("CUlimit", "CU_LIMIT_NOTHING"), None);
    assert_eq!(constant("CUlimit", "CU_LIMIT_SHMEM_SIZE"), Some(7));
}
