//! What to write instead of a header that NVRTC does not find.
//!
//! NVRTC compiles device code alone and has no headers of a host compiler. CUDA's own (libcu++, in `cuda/std`) stand in
//! for many of them.

/// C++ headers with a counterpart in `cuda/std`, as of CUDA 13.
const IN_CUDA_STD: &[&str] = &[
    "array",
    "atomic",
    "barrier",
    "bit",
    "bitset",
    "cassert",
    "cfloat",
    "chrono",
    "climits",
    "cmath",
    "complex",
    "concepts",
    "cstddef",
    "cstdint",
    "cstdlib",
    "cstring",
    "ctime",
    "expected",
    "functional",
    "initializer_list",
    "iterator",
    "latch",
    "limits",
    "mdspan",
    "memory",
    "numbers",
    "numeric",
    "optional",
    "ranges",
    "ratio",
    "semaphore",
    "source_location",
    "span",
    "tuple",
    "type_traits",
    "utility",
    "variant",
    "version",
];

/// Headers of hosts that device code has nothing for.
const HOST_ONLY: &[&str] = &[
    "algorithm",
    "any",
    "cerrno",
    "clocale",
    "condition_variable",
    "csignal",
    "deque",
    "errno.h",
    "exception",
    "execution",
    "filesystem",
    "format",
    "forward_list",
    "fstream",
    "future",
    "iomanip",
    "ios",
    "iostream",
    "istream",
    "list",
    "locale",
    "map",
    "memory_resource",
    "mutex",
    "ostream",
    "pthread.h",
    "queue",
    "random",
    "regex",
    "set",
    "sstream",
    "stack",
    "stdexcept",
    "string",
    "string_view",
    "strings.h",
    "sys/types.h",
    "thread",
    "typeindex",
    "typeinfo",
    "unistd.h",
    "unordered_map",
    "unordered_set",
    "valarray",
    "vector",
];

/// What device code has without any header, for headers that are included for it.
const BUILT_IN: &[(&str, &str)] = &[
    ("cassert", "`assert` needs"),
    ("cmath", "functions such as `sinf` and `sqrt` need"),
    ("cstddef", "`size_t` and `ptrdiff_t` need"),
    ("cstdio", "`printf` needs"),
    ("cstdlib", "`malloc` and `free` need"),
    ("cstring", "`memcpy` and `memset` need"),
    ("ctime", "`clock` and `clock64` need"),
    ("new", "`new` and `delete` need"),
    ("stdbool.h", "`bool` needs"),
];

/// The header in a message such as `a.cu(1): catastrophic error: cannot open source file "cstdint"`.
pub(super) fn missing(message: &str) -> Option<&str> {
    // The second way is NVRTC's where it was given no folder to look at.
    let (_, rest) = ["cannot", "could not"]
        .iter()
        .find_map(|word| message.split_once(&format!("{word} open source file \"")))?;
    rest.split_once('"').map(|(header, _)| header)
}

/// The integers of <cstdint>, and what they are on every device.
const INTEGERS: &[(&str, &str)] = &[
    ("int8_t", "signed char"),
    ("uint8_t", "unsigned char"),
    ("int16_t", "short"),
    ("uint16_t", "unsigned short"),
    ("int32_t", "int"),
    ("uint32_t", "unsigned int"),
    ("int64_t", "long long"),
    ("uint64_t", "unsigned long long"),
    ("intptr_t", "long long"),
    ("uintptr_t", "unsigned long long"),
];

/// The integer in a message such as `a.cu(1): error: identifier "uint32_t" is undefined`.
pub(super) fn unknown_integer(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("identifier \"")?;
    let (name, rest) = rest.split_once('"')?;
    let name = name.strip_prefix("std::").unwrap_or(name);
    let known = INTEGERS.iter().any(|(integer, _)| *integer == name);
    (known && rest.starts_with(" is undefined")).then_some(name)
}

/// What to do about an integer that is unknown.
pub(super) fn instead_of_integer(name: &str) -> String {
    let found = INTEGERS.iter().find(|(integer, _)| *integer == name);
    let built_in = found.map_or("int", |(_, built_in)| built_in);
    format!(
        "`{name}` is known after `#include <cuda/std/cstdint>`, from CUDA's headers; `{built_in}` needs no header"
    )
}

/// What to do about a header that is missing.
pub(super) fn instead_of(header: &str) -> String {
    // C's headers by their C++ names.
    let cpp = match header.strip_suffix(".h") {
        Some(name) if is_c(&format!("c{name}")) => format!("c{name}"),
        _ => header.to_owned(),
    };
    // NVRTC defines none of the macros of <cfloat>, with libcu++'s header neither.
    let cpp = if cpp == "cfloat" {
        "limits".to_owned()
    } else {
        cpp
    };
    let built_in = BUILT_IN.iter().find(|(name, _)| *name == cpp);
    let built_in = built_in.map(|(_, what)| format!("{what} no header"));
    let counterpart = IN_CUDA_STD.contains(&cpp.as_str()).then(|| {
        format!("write `#include <cuda/std/{cpp}>`, whose names are in the namespace `cuda::std`")
    });
    let advice = match (counterpart, built_in) {
        (Some(counterpart), Some(built_in)) => format!("{built_in}; for the rest {counterpart}"),
        (Some(advice), None) | (None, Some(advice)) => advice,
        (None, None) if HOST_ONLY.contains(&header) => {
            format!("device code has nothing in place of <{header}>")
        }
        (None, None) if is_cudas(header) => {
            return format!(
                "<{header}> comes with CUDA's headers: they were not found, or are of a version or a set that lacks \
                 it. They are looked for in CUDA_PATH, CUDA_HOME and CUDA_ROOT, otherwise where they were when this \
                 program was built. Without a toolkit: `pip install nvidia-cuda-runtime nvidia-cuda-cccl \
                 nvidia-cuda-crt` (nvidia-curand for curand's), and CUDA_PATH=<site-packages>/nvidia/cu13"
            );
        }
        (None, None) => {
            return format!(
                "{header} is neither beside the source nor in a folder given with `Program::include_path`, nor was its \
                 text given with `Program::header`. NVRTC has no headers of a host compiler"
            );
        }
    };
    format!("NVRTC compiles device code and has no headers of a host compiler: {advice}")
}

fn is_c(name: &str) -> bool {
    name == "cstdio" || name.starts_with('c') && IN_CUDA_STD.contains(&name)
}

fn is_cudas(header: &str) -> bool {
    let folders = [
        "cuda/",
        "cub/",
        "thrust/",
        "nv/",
        "cooperative_groups/",
        "crt/",
    ];
    let beginnings = [
        "cuda_",
        "curand",
        "cooperative_groups",
        "device_",
        "math_constants",
        "mma.h",
        "vector_types",
    ];
    folders
        .iter()
        .chain(&beginnings)
        .any(|beginning| header.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_missing_header_is_read_from_the_message() {
        let message = "a.cu(1): catastrophic error: cannot open source file \"sys/types.h\"";
        assert_eq!(missing(message), Some("sys/types.h"));
        let message = "a.cu(1): catastrophic error: could not open source file \"cuda_fp16.h\" (no directories in \
                       search list)";
        assert_eq!(missing(message), Some("cuda_fp16.h"));
        assert_eq!(
            missing("a.cu(1): error: identifier \"x\" is undefined"),
            None
        );
        assert_eq!(missing("cannot open source file \"x"), None);
    }

    #[test]
    fn every_header_gets_its_own_advice() {
        for (header, expected) in [
            ("cstdint", "write `#include <cuda/std/cstdint>`"),
            ("stdint.h", "write `#include <cuda/std/cstdint>`"),
            ("stdio.h", "compiler: `printf` needs no header"),
            ("cstdio", "compiler: `printf` needs no header"),
            (
                "math.h",
                "need no header; for the rest write `#include <cuda/std/cmath>`",
            ),
            ("float.h", "write `#include <cuda/std/limits>`"),
            ("type_traits", "write `#include <cuda/std/type_traits>`"),
            ("stdbool.h", "`bool` needs no header"),
            ("vector", "device code has nothing in place of <vector>"),
            ("cuda/std/nothing", "comes with CUDA's headers"),
            ("curand_kernel.h", "comes with CUDA's headers"),
            ("mine.cuh", "mine.cuh is neither beside the source"),
            ("horus.h", "horus.h is neither"),
        ] {
            let advice = instead_of(header);
            assert!(advice.contains(expected), "{header}: {advice}");
        }
    }
}
