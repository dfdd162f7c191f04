//! The names of all exported functions.

// `NAMES`, in alphabetical order.
include!(concat!(env!("OUT_DIR"), "/names.rs"));

/// Returns whether the driver exports a function of this name.
pub fn contains(name: &str) -> bool {
    NAMES.binary_search(&name).is_ok()
}

/// Returns the documented name of an exported function: `cuMemcpyHtoD` for `cuMemcpyHtoD_v2_ptds`.
pub fn documented_name(exported: &str) -> &str {
    let plain = exported
        .strip_suffix("_ptsz")
        .or(exported.strip_suffix("_ptds"))
        .unwrap_or(exported);
    match plain.rsplit_once("_v") {
        Some((name, version)) if version.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => plain,
    }
}
