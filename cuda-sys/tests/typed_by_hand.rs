//! Compares the constants and structures that `cuda-safe` declares by hand with the header from
//! which the bindings were generated.
//!
//! `cuda-safe` declares them by hand because headers of CUDA 12.0 lack some of them. The test is in
//! this crate so that it runs with every header that `make headers` tries.

#[allow(dead_code, unused_imports, reason = "cuda-safe uses all of it")]
#[path = "../../cuda-safe/src/raw/structures.rs"]
mod structures;

use std::{collections::BTreeMap, fs, mem::offset_of, path::Path};

use structures::*;

/// Returns the bindings without white space.
fn bindings() -> String {
    dense(&fs::read_to_string(concat!(env!("OUT_DIR"), "/bindings.rs")).unwrap())
}

fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Returns the number at the beginning of a text.
fn number(text: &str) -> Option<u64> {
    let end = text
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(text.len());
    let digits = text[..end].trim_end_matches("usize");
    match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => digits.parse().ok(),
    }
}

/// Returns the constants of the bindings by name: `pub const NAME: Type = Type(1);` or `pub const
/// NAME: u32 = 1;`.
fn header_constants(bindings: &str) -> BTreeMap<&str, u64> {
    let mut found = BTreeMap::new();
    for rest in bindings.split("pubconst").skip(1) {
        let Some((name, rest)) = rest.split_once(':') else {
            continue;
        };
        let Some((_, value)) = rest.split_once('=') else {
            continue;
        };
        let value = &value[..value.find(';').unwrap_or(value.len())];
        let value = value.split_once('(').map_or(value, |(_, inner)| inner);
        if let Some(value) = number(value) {
            found.insert(name, value);
        }
    }
    found
}

/// Returns the constants of `cuda-safe` with their files: `NAME = 1, "CU_NAME";` in `raw`, and
/// `NAME = 1,` for each device attribute.
fn typed_constants() -> Vec<(String, String, u64)> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cuda-safe/src");
    let mut found = Vec::new();
    for entry in fs::read_dir(source.join("raw")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        for line in fs::read_to_string(&path).unwrap().lines() {
            let Some((before, name)) = line.trim().split_once(", \"CU") else {
                continue;
            };
            let Some(name) = name.strip_suffix("\";") else {
                continue;
            };
            let (_, value) = before.split_once(" = ").unwrap();
            found.push((
                format!("raw/{file}"),
                format!("CU{name}"),
                number(value).unwrap(),
            ));
        }
    }
    let file = "device/attribute.rs";
    for line in fs::read_to_string(source.join(file)).unwrap().lines() {
        let entry = line.trim().strip_suffix(',');
        let Some((name, value)) = entry.and_then(|entry| entry.split_once(" = ")) else {
            continue;
        };
        if let Ok(value) = value.parse() {
            found.push((
                file.to_owned(),
                format!("CU_DEVICE_ATTRIBUTE_{name}"),
                value,
            ));
        }
    }
    found
}

/// Compares the constants. Returns the names that the bindings lack.
fn compare_constants(bindings: &str) -> Vec<String> {
    let header = header_constants(bindings);
    let typed = typed_constants();
    let count = typed.len();
    assert!(count > 400, "{count}");
    let mut missing = Vec::new();
    for (file, name, value) in typed {
        match header.get(name.as_str()) {
            Some(found) => assert_eq!(value, *found, "{name} in cuda-safe/src/{file}"),
            None => missing.push(name),
        }
    }
    assert!(missing.len() < count / 2, "{missing:?}");
    // The bindings do not include the names of cudaGL.h.
    missing.retain(|name| !name.starts_with("CU_GL_"));
    missing
}

#[test]
fn constants_match_the_header() {
    compare_constants(&bindings());
}

/// The bundled bindings were generated from the newest header.
#[test]
fn the_newest_header_has_all_constants() {
    let missing = compare_constants(&dense(include_str!("../bindings/cuda.rs")));
    assert!(missing.is_empty(), "{missing:?}");
}

struct Layout {
    size: usize,
    offsets: BTreeMap<String, usize>,
}

/// Returns the layout of a structure from the assertions that bindgen generates, or `None` if the
/// header lacks it.
fn layout(bindings: &str, name: &str) -> Option<Layout> {
    let value = |rest: &str| number(rest.split_once(")-").unwrap().1).unwrap() as usize;
    let size = bindings.split(&format!("\"Sizeof{name}\"")).nth(1)?;
    let mut offsets = BTreeMap::new();
    for rest in bindings.split(&format!("\"Offsetoffield:{name}::")).skip(1) {
        let (field, rest) = rest.split_once('"').unwrap();
        offsets.insert(field.trim_end_matches('_').to_owned(), value(rest));
    }
    Some(Layout {
        size: value(size),
        offsets,
    })
}

/// Compares the size of a structure and the offsets of some of its fields. Returns whether the
/// header declares it.
macro_rules! compare {
    ($bindings:expr, $type:ty, $c:literal $(, $field:ident = $name:literal)*) => {
        match layout($bindings, $c) {
            None => false,
            Some(found) => {
                assert_eq!(size_of::<$type>(), found.size, "size of {}", $c);
                $({
                    match found.offsets.get($name) {
                        Some(offset) => {
                            assert_eq!(offset_of!($type, $field), *offset, "{} of {}", $name, $c);
                        }
                        // Older headers have reserved bytes instead of some fields.
                        None => assert!(cuda_sys::CUDA_VERSION < 13000, "{} of {}", $name, $c),
                    }
                })*
                true
            }
        }
    };
}

#[test]
fn structures_match_the_header() {
    let text = bindings();
    let text = text.as_str();
    let found = [
        compare!(
            text,
            RawEdgeData,
            "CUgraphEdgeData_st",
            from_port = "from_port",
            to_port = "to_port",
            kind = "type"
        ),
        compare!(
            text,
            RawCopyAttributes,
            "CUmemcpyAttributes_st",
            order = "srcAccessOrder",
            places = "srcLocHint",
            flags = "flags"
        ),
        compare!(
            text,
            RawCopyOperand,
            "CUmemcpy3DOperand_st",
            kind = "type",
            words = "op"
        ),
        compare!(
            text,
            RawCopyOperation,
            "CUDA_MEMCPY3D_BATCH_OP_st",
            from = "src",
            to = "dst",
            extent = "extent",
            order = "srcAccessOrder",
            flags = "flags"
        ),
        compare!(text, RawResource, "CUdevResource_st", kind = "type"),
        compare!(
            text,
            RawMulticast,
            "CUmulticastObjectProp_st",
            devices = "numDevices",
            size = "size",
            handles = "handleTypes",
            flags = "flags"
        ),
        compare!(text, RawConditional, "CUgraphNodeParams_st", kind = "type"),
        compare!(text, RawUpdatable, "CUlaunchAttributeValue_union"),
        compare!(
            text,
            RawMemoryHandle,
            "CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st",
            kind = "type",
            file = "handle",
            size = "size",
            flags = "flags"
        ),
        compare!(
            text,
            RawSemaphoreHandle,
            "CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st",
            kind = "type",
            file = "handle",
            flags = "flags"
        ),
        compare!(
            text,
            RawSemaphoreValue,
            "CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st",
            value = "params",
            flags = "flags"
        ),
        compare!(
            text,
            RawSemaphoreValue,
            "CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st",
            value = "params",
            flags = "flags"
        ),
        compare!(
            text,
            RawMemoryOperation,
            "CUstreamBatchMemOpParams_union",
            operation = "operation"
        ),
        compare!(
            text,
            RawPoolProperties,
            "CUmemPoolProps_st",
            kind = "allocType",
            handle_types = "handleTypes",
            location = "location",
            security = "win32SecurityAttributes",
            max_size = "maxSize"
        ),
        compare!(
            text,
            RawLock,
            "CUcheckpointLockArgs_st",
            timeout_ms = "timeoutMs"
        ),
        compare!(
            text,
            RawPair,
            "CUcheckpointGpuPair_st",
            old = "oldUuid",
            new = "newUuid"
        ),
        compare!(
            text,
            RawRestore,
            "CUcheckpointRestoreArgs_st",
            pairs = "gpuPairs",
            count = "gpuPairsCount"
        ),
    ];
    let all = cuda_sys::CUDA_VERSION >= 13000;
    assert!(!all || found.iter().all(|found| *found), "{found:?}");
    assert!(
        found.iter().filter(|found| **found).count() >= 6,
        "{found:?}"
    );
}
