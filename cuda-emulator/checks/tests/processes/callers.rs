//! Reports name the lines of the client that launched the kernel and that created and freed the
//! memory. They do so if a check is enabled.

use cuda_emulator_checks::abi::*;
use std::backtrace::Backtrace;
use std::ptr::null_mut;

/// A check that finds nothing in these programs.
const CHECK: [(&str, &str); 1] = [("CUDA_EMULATOR_CHECK", "host")];

fn address_of_a_new_allocation() -> CUdeviceptr {
    let mut address = 0;
    ok!(cuMemAlloc_v2(&mut address, 256)); // the allocation
    address
}

fn free_it(address: CUdeviceptr) {
    ok!(cuMemFree_v2(address)); // the free
}

fn write_to(address: CUdeviceptr) {
    let function = function(load(FAULTS), "put");
    let index = 1;
    let mut arguments = [arg(&address), arg(&index)];
    let (arguments, extra) = (arguments.as_mut_ptr(), null_mut());
    ok!(cuLaunchKernel(
        function,
        1,
        1,
        1,
        1,
        1,
        1,
        0,
        null_mut(),
        arguments,
        extra
    ));
}

/// Returns the place of a line of this file as a report names it. Without line information, that is
/// the function's name.
fn place(text: &str, marker: &str, function: &str) -> String {
    if !text.contains("callers.rs:") {
        return format!(" in processes::callers::{function}");
    }
    let mut lines = include_str!("callers.rs").lines();
    let at = lines.position(|line| line.ends_with(marker)).unwrap();
    format!("callers.rs:{}", at + 1)
}

fn use_after_free() {
    let _context = Own::new();
    let address = address_of_a_new_allocation();
    free_it(address);
    write_to(address);
    assert_eq!(
        call!(cuCtxSynchronize()),
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
    );
    // Whether this program has line information.
    eprintln!("{}", Backtrace::force_capture());
}

#[test]
fn reports_name_the_lines_of_the_client() {
    if inner() {
        return use_after_free();
    }
    let (code, _, text) = rerun(&CHECK);
    assert_eq!(code, Some(0), "{text}");
    let line = |part: &str| {
        let found = text.lines().find(|line| line.contains(part));
        found.unwrap_or_else(|| panic!("no `{part}` in:\n{text}"))
    };
    let allocated = place(&text, "// the allocation", "address_of_a_new_allocation");
    let freed = place(&text, "// the free", "free_it");
    let memory = line("which was freed by cuMemFree");
    assert!(memory.contains("(cuMemAlloc, 256 bytes at 0x"), "{memory}");
    assert!(memory.contains(", allocated "), "{memory}");
    assert!(
        memory.contains(&format!("{allocated}), which was freed")),
        "{memory}"
    );
    assert!(memory.ends_with(&freed), "{memory}");
    let launched = place(&text, "ok!(cuLaunchKernel(", "write_to");
    let launch = line("  launched ");
    assert!(launch.ends_with(&launched), "{launch}");
}

#[test]
fn without_a_check_or_stacks_no_caller_is_named() {
    if inner() {
        return use_after_free();
    }
    for variables in [&[][..], &[CHECK[0], ("RUST_BACKTRACE", "0")]] {
        let (code, _, text) = rerun(variables);
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains("which was freed by cuMemFree\n"), "{text}");
        assert!(
            !text.contains("launched") && !text.contains(", allocated"),
            "{text}"
        );
    }
}
