//! Advice about headers that NVRTC does not find.
//!
//! NVRTC compiles only device code and has no headers of a host compiler. CUDA's headers (libcu++,
//! in `cuda/std`) replace many of them.

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

/// Host headers without a counterpart for device code.
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

/// Features of device code that need no header, by the host header that declares them.
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

/// Returns the header in a message such as
/// `a.cu(1): catastrophic error: cannot open source file "cstdint"`.
pub(super) fn missing(message: &str) -> Option<&str> {
    // NVRTC uses the second wording if it has no folder to search.
    let (_, rest) = ["cannot", "could not"]
        .iter()
        .find_map(|word| message.split_once(&format!("{word} open source file \"")))?;
    rest.split_once('"').map(|(header, _)| header)
}

/// The integer types of <cstdint>, and the built-in types that they are on every device.
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

/// Returns the integer type in a message such as
/// `a.cu(1): error: identifier "uint32_t" is undefined`.
pub(super) fn unknown_integer(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("identifier \"")?;
    let (name, rest) = rest.split_once('"')?;
    let name = name.strip_prefix("std::").unwrap_or(name);
    let known = INTEGERS.iter().any(|(integer, _)| *integer == name);
    (known && rest.starts_with(" is undefined")).then_some(name)
}

/// Returns advice about an undefined integer type.
pub(super) fn integer_advice(name: &str) -> String {
    let found = INTEGERS.iter().find(|(integer, _)| *integer == name);
    let built_in = found.map_or("int", |(_, built_in)| built_in);
    format!(
        "`{name}` needs `#include <cuda/std/cstdint>` from CUDA's headers. `{built_in}` needs no header"
    )
}

/// Returns advice about a missing header.
pub(super) fn header_advice(header: &str) -> String {
    // The C++ names of C's headers.
    let cpp = match header.strip_suffix(".h") {
        Some(name) if is_c(&format!("c{name}")) => format!("c{name}"),
        _ => header.to_owned(),
    };
    // NVRTC defines none of the macros of <cfloat>, not even with libcu++'s header.
    let cpp = if cpp == "cfloat" {
        "limits".to_owned()
    } else {
        cpp
    };
    let built_in = BUILT_IN.iter().find(|(name, _)| *name == cpp);
    let built_in = built_in.map(|(_, what)| format!("{what} no header"));
    let counterpart = IN_CUDA_STD.contains(&cpp.as_str()).then(|| {
        format!(
            "write `#include <cuda/std/{cpp}>`, which has its names in the namespace `cuda::std`"
        )
    });
    let advice = match (counterpart, built_in) {
        (Some(counterpart), Some(built_in)) => {
            format!("{built_in}. For other names, {counterpart}")
        }
        (Some(advice), None) | (None, Some(advice)) => advice,
        (None, None) if HOST_ONLY.contains(&header) => {
            format!("device code has no replacement for <{header}>")
        }
        (None, None) if is_cudas(header) => {
            return format!(
                "<{header}> comes with CUDA's headers. They were not found, or their version or package lacks it. They are \
                 searched for in CUDA_PATH, CUDA_HOME and CUDA_ROOT, then in the folder that was used to build this \
                 program. Fix: install a toolkit, or run `pip install nvidia-cuda-runtime nvidia-cuda-cccl \
                 nvidia-cuda-crt` (and nvidia-curand for cuRAND) and set CUDA_PATH=<site-packages>/nvidia/cu13"
            );
        }
        (None, None) => {
            return format!(
                "{header} is neither next to the source nor in a folder passed to `Program::include_path`, and its text was \
                 not passed to `Program::header`. NVRTC has no headers of a host compiler"
            );
        }
    };
    format!("NVRTC compiles device code and has no headers of a host compiler: {advice}")
}

fn is_c(name: &str) -> bool {
    name == "cstdio" || name.starts_with('c') && IN_CUDA_STD.contains(&name)
}

pub(super) fn is_cudas(header: &str) -> bool {
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
    fn missing_header_is_parsed_from_the_message() {
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
    fn advice_depends_on_the_header() {
        for (header, expected) in [
            ("cstdint", "write `#include <cuda/std/cstdint>`"),
            ("stdint.h", "write `#include <cuda/std/cstdint>`"),
            ("stdio.h", "compiler: `printf` needs no header"),
            ("cstdio", "compiler: `printf` needs no header"),
            (
                "math.h",
                "need no header. For other names, write `#include <cuda/std/cmath>`",
            ),
            ("float.h", "write `#include <cuda/std/limits>`"),
            ("type_traits", "write `#include <cuda/std/type_traits>`"),
            ("stdbool.h", "`bool` needs no header"),
            ("vector", "device code has no replacement for <vector>"),
            ("cuda/std/nothing", "comes with CUDA's headers"),
            ("curand_kernel.h", "comes with CUDA's headers"),
            ("mine.cuh", "mine.cuh is neither next to the source"),
            ("horus.h", "horus.h is neither"),
        ] {
            let advice = header_advice(header);
            assert!(advice.contains(expected), "{header}: {advice}");
        }
    }
}
