//! Code that several test files load.

use std::ffi::CStr;
use std::fmt::Write as _;

use super::*;

/// Kernels that fault.
pub const FAULTS: &str = include_str!("../../kernels/faults.ptx");

/// A library with two variables and three kernels.
pub const LIBRARY: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 word = 5;
.visible .global .attribute(.managed) .align 8 .u64 shared = 6;
.visible .entry first(.param .u32 a, .param .u64 b) { ret; }
.visible .entry second() { ret; }
.visible .entry third(.param .u64 p)
{
	.reg .b32 %r<3>; .reg .b64 %d<2>;
	.shared .align 4 .b8 box[100];
	ld.param.u64 %d1, [p];
	mov.u32 %r2, 3;
	st.shared.u32 [box], %r2;
	ld.global.u32 %r1, [word];
	st.global.u32 [%d1], %r1;
	add.u32 %r1, %r1, 1;
	st.global.u32 [word], %r1;
	ret;
}
";

/// Loads [`LIBRARY`].
pub fn library() -> CUlibrary {
    load_library(format!("{LIBRARY}\0").as_bytes()).unwrap()
}

/// Returns a kernel of a library.
pub fn kernel(library: CUlibrary, name: &CStr) -> CUkernel {
    out!(cuLibraryGetKernel(_, library, name.as_ptr()))
}

/// Returns kernels with known resource usage. `live` keeps 120 values alive at once, in three
/// variants of launch bounds.
pub fn kernels() -> String {
    let mut text = String::from(
        ".version 7.0\n.target sm_70\n.address_size 64\n\
         .visible .global .align 4 .u32 word = 5;\n\
         .visible .const .align 8 .b8 small[24];\n.visible .const .align 4 .u32 one = 1;\n\
         .visible .entry plain(.param .u32 a, .param .u64 b, .param .u8 c) { ret; }\n\
         .visible .entry bare() { ret; }\n\
         .visible .entry boxed() { .shared .align 4 .b8 box[1000]; .reg .b32 %r<2>;\n\
         mov.u32 %r1, 1; st.shared.u32 [box], %r1; ret; }\n\
         .visible .entry stacked(.param .u64 p) { .local .align 16 .b8 frame[48]; .reg .b32 %r<3>; .reg .b64 %d<2>;\n\
         ld.param.u64 %d1, [p]; ld.global.u32 %r1, [%d1]; st.local.u32 [frame], %r1;\n\
         ld.local.u32 %r2, [frame]; st.global.u32 [%d1], %r2; ret; }\n\
         .visible .entry bounded() .maxntid 64, 1, 1 { ret; }\n\
         .visible .entry exact() .reqntid 32, 2, 1 { ret; }\n",
    );
    for (name, bounds) in [
        ("live", ""),
        ("live_128", ".maxntid 128, 1, 1"),
        ("live_1000", ".maxntid 1000, 1, 1"),
    ] {
        let _ = write!(
            text,
            ".visible .entry {name}(.param .u64 p) {bounds} {{ .reg .b32 %r<130>; .reg .b64 %d<2>;\n\
             ld.param.u64 %d1, [p];\n"
        );
        for index in 0..120 {
            let _ = writeln!(text, "ld.global.u32 %r{index}, [%d1+{}];", 4 * index);
        }
        for index in 0..120 {
            let _ = writeln!(
                text,
                "st.global.u32 [%d1+{}], %r{index};",
                4 * (119 - index)
            );
        }
        text.push_str("ret; }\n");
    }
    text
}
