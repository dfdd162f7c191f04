//! `CUDA_EMULATOR_DEVICE`: the emulated architecture.

use cuda_emulator_checks::abi::*;
use std::ffi::{CStr, CString, c_void};
use std::ptr::null_mut;

fn attribute(number: u32) -> i32 {
    let mut value = -77;
    ok!(cuDeviceGetAttribute(
        &mut value,
        CUdevice_attribute(number),
        0
    ));
    value
}

/// Loads an image. Returns the code and the error log.
fn try_load(image: &[u8]) -> (CUresult, String) {
    let mut log = vec![0u8; 1000];
    let mut options = [5, 6].map(CUjit_option);
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), 1000 as *mut c_void];
    let mut module = null_mut();
    let code = call!(cuModuleLoadDataEx(
        &mut module,
        image.as_ptr().cast(),
        2,
        options.as_mut_ptr(),
        values.as_mut_ptr(),
    ));
    let text = CStr::from_bytes_until_nul(&log).unwrap();
    (code, text.to_str().unwrap().to_string())
}

fn ptx(target: &str) -> Vec<u8> {
    let text = format!(
        "// .target sm_999\n.version 8.8\n.target {target}\n.address_size 64\n\
         .visible .entry k() {{ ret; }}\n"
    );
    CString::new(text).unwrap().into_bytes_with_nul()
}

/// Returns a fat binary with one entry: PTX for an architecture.
fn fat_binary(architecture: u32, text: &[u8]) -> Vec<u8> {
    let mut entry = vec![0u8; 64];
    entry[0] = 1;
    entry[4] = 64;
    entry[8..16].copy_from_slice(&(text.len() as u64).to_le_bytes());
    entry[28..32].copy_from_slice(&architecture.to_le_bytes());
    let mut image = 0xba55_ed50u32.to_le_bytes().to_vec();
    image.extend_from_slice(&[1, 0, 16, 0]);
    image.extend_from_slice(&(64 + text.len() as u64).to_le_bytes());
    image.extend_from_slice(&entry);
    image.extend_from_slice(text);
    image
}

/// Checks, in a process whose device is `name`, the values that differ between architectures.
fn differs(name: &str, numbers: [i32; 7]) {
    let _context = Own::new();
    // Compute capability, shared memory per multiprocessor and per block, threads and blocks,
    // double precision.
    let found = [75, 76, 81, 97, 39, 106, 87].map(attribute);
    assert_eq!(found, numbers);
    let (mut major, mut minor) = (0, 0);
    ok!(cuDeviceComputeCapability(&mut major, &mut minor, 0));
    assert_eq!([major, minor], numbers[..2]);
    let mut text = [0; 100];
    ok!(cuDeviceGetName(text.as_mut_ptr(), 100, 0));
    // SAFETY: The call has stored a NUL-terminated text.
    let text = unsafe { CStr::from_ptr(text.as_ptr()) }.to_str().unwrap();
    assert_eq!(text.contains(name), name != "sm_90", "{text}");
    // The binary version of a function is that of the device. Dynamic shared memory is limited by
    // the device's maximum.
    let number = 10 * major + minor;
    let k = function(
        load(
            std::str::from_utf8(&ptx("sm_50"))
                .unwrap()
                .trim_end_matches('\0'),
        ),
        "k",
    );
    let value = out!(cuFuncGetAttribute(_, CUfunction_attribute(6), k));
    assert_eq!(value, number);
    ok!(cuFuncSetAttribute(k, CUfunction_attribute(8), numbers[3]));
    fails!(
        INVALID,
        cuFuncSetAttribute(k, CUfunction_attribute(8), numbers[3] + 1)
    );
    // The maximum number of small blocks per multiprocessor.
    let blocks = out!(cuOccupancyMaxActiveBlocksPerMultiprocessor(_, k, 32, 0));
    assert_eq!(blocks, numbers[5]);
    // PTX for newer architectures is rejected, both plain and in a fat binary.
    for target in [80, 86, 89, 90, 100, 103, 120] {
        let text = ptx(&format!("sm_{target}"));
        let plain = try_load(&text);
        let fat = try_load(&fat_binary(target as u32, &text));
        if target <= number {
            assert_eq!(
                (plain.0, fat.0),
                (SUCCESS, SUCCESS),
                "{target}: {} {}",
                plain.1,
                fat.1
            );
            continue;
        }
        assert_eq!(plain.0, INVALID_PTX, "{target}");
        assert_eq!(fat.0, NO_BINARY_FOR_GPU, "{target}");
        for log in [plain.1, fat.1] {
            for part in [&format!("sm_{target}"), name, &format!("compute_{number}")] {
                assert!(log.contains(part), "no `{part}` in: {log}");
            }
        }
    }
    let own = try_load(&ptx(&format!(
        "sm_{number}{}",
        if number < 90 { "" } else { "a" }
    )));
    assert_eq!(own.0, SUCCESS, "{}", own.1);
    let other = if number == 90 { "sm_80a" } else { "sm_90a" };
    assert_eq!(try_load(&ptx(other)).0, INVALID_PTX);
    // Machine code is rejected, with a hint on the NVRTC options.
    let (code, log) = try_load(b"\x7fELF\0");
    assert_eq!(code, NO_BINARY_FOR_GPU);
    for part in [
        &format!("compute_{number}"),
        "--gpu-architecture",
        "nvrtcGetPTX",
    ] {
        assert!(log.contains(part), "no `{part}` in: {log}");
    }
}

fn as_device(name: &str, numbers: [i32; 7]) {
    passes(&[("CUDA_EMULATOR_DEVICE", name)], || differs(name, numbers));
}

#[test]
fn sm_80() {
    as_device("sm_80", [8, 0, 164 << 10, 163 << 10, 2048, 32, 2]);
}

#[test]
fn sm_89() {
    as_device("sm_89", [8, 9, 100 << 10, 99 << 10, 1536, 24, 64]);
}

#[test]
fn sm_90() {
    as_device("sm_90", [9, 0, 228 << 10, 227 << 10, 2048, 32, 2]);
}

#[test]
fn sm_100() {
    as_device("sm_100", [10, 0, 228 << 10, 227 << 10, 2048, 32, 2]);
}

/// Loads one instruction for a target. Returns the code and the log.
fn instruction(text: &str, target: &str) -> (CUresult, String) {
    let text = format!(
        ".version 8.8\n.target {target}\n.address_size 64\n.visible .entry k() {{\n{text}\nret; }}\n"
    );
    try_load(CString::new(text).unwrap().as_bytes_with_nul())
}

const REGISTERS: &str = "setmaxnreg.inc.sync.aligned.u32 64;";

/// `wgmma` is only for `sm_90a`, and `setmaxnreg` is for every newer target with a suffix.
#[test]
fn instructions_of_sm_90a() {
    let _context = Own::new();
    for text in [
        "wgmma.fence.sync.aligned;",
        "wgmma.commit_group.sync.aligned;",
        "wgmma.wait_group.sync.aligned 0;",
        REGISTERS,
    ] {
        let (code, log) = instruction(text, "sm_90a");
        assert_eq!(code, SUCCESS, "{text} {log}");
        for target in ["sm_80", "sm_90"] {
            let (code, log) = instruction(text, target);
            assert_eq!(code, INVALID_PTX, "{text}");
            for part in [
                &format!("the module is for {target}. Fix: "),
                "`.target sm_90a`",
                "`--gpu-architecture=compute_90a`",
                "line 5",
            ] {
                assert!(log.contains(part), "no `{part}` in: {log}");
            }
        }
    }
}

#[test]
fn instructions_of_sm_90a_on_a_newer_device() {
    passes(&[("CUDA_EMULATOR_DEVICE", "sm_100")], || {
        let _context = Own::new();
        for target in ["sm_100a", "sm_100f"] {
            let (code, log) = instruction(REGISTERS, target);
            assert_eq!(code, SUCCESS, "{target} {log}");
        }
        for (text, target, wanted) in [
            (REGISTERS, "sm_100", "sm_100a"),
            (REGISTERS, "sm_90", "sm_90a"),
            ("wgmma.fence.sync.aligned;", "sm_100a", "sm_90a"),
            ("wgmma.fence.sync.aligned;", "sm_100", "sm_90a"),
        ] {
            let (code, log) = instruction(text, target);
            assert_eq!(code, INVALID_PTX, "{text} {target}");
            assert!(log.contains(&format!("`.target {wanted}`")), "{log}");
        }
    });
}

/// Loads an `fma` for a version and a target. Returns the code and the log.
fn fma(name: &str, version: &str, target: &str) -> (CUresult, String) {
    let ty = if name.ends_with("x2") { "b32" } else { "b16" };
    let text = format!(
        ".version {version}\n.target {target}\n.address_size 64\n.visible .entry k() {{\n\
         .reg .{ty} %a<5>; mov.{ty} %a1, 0; {name} %a4, %a1, %a1, %a1; ret; }}\n"
    );
    try_load(CString::new(text).unwrap().as_bytes_with_nul())
}

/// Accepted and rejected as on an H200 (driver 580).
#[test]
fn oob_fma_forms_are_checked() {
    let _context = Own::new();
    for name in [
        "fma.rn.oob.f16",
        "fma.rn.oob.relu.f16",
        "fma.rn.oob.sat.f16",
        "fma.rn.sat.oob.f16",
        "fma.rn.relu.oob.f16",
        "fma.rn.oob.bf16",
        "fma.rn.oob.relu.bf16",
        "fma.rn.oob.f16x2",
        "fma.rn.oob.relu.f16x2",
        "fma.rn.oob.bf16x2",
        "fma.rn.oob.relu.bf16x2",
    ] {
        let (code, log) = fma(name, "8.1", "sm_90");
        assert_eq!(code, SUCCESS, "{name} {log}");
    }
    for name in [
        "fma.rn.oob.ftz.f16",
        "fma.rn.ftz.oob.f16",
        "fma.oob.f16",
        "fma.rn.oob.ftz.relu.f16",
        "fma.rn.ftz.oob.relu.f16",
        "fma.rn.ftz.oob.f16x2",
    ] {
        let (code, log) = fma(name, "8.1", "sm_90");
        // The H200 returns CUDA_ERROR_INVALID_PTX. The emulator cannot distinguish invalid PTX from
        // unknown PTX.
        assert_eq!(code, NOT_SUPPORTED, "{name} {log}");
    }
    for (version, target, part) in [
        ("8.0", "sm_90", "`.version 8.1`"),
        ("7.8", "sm_90", "`.version 8.1`"),
        ("8.1", "sm_80", "for sm_90 or newer"),
    ] {
        let (code, log) = fma("fma.rn.oob.f16", version, target);
        assert_eq!(code, INVALID_PTX, "{version} {target}");
        assert!(log.contains(part), "{log}");
    }
}

/// Targets and versions are accepted and rejected as on an H200 (driver 580), always with an error
/// log. The H200's driver supports PTX up to 9.0. The emulator accepts newer versions.
#[test]
fn targets_and_versions_of_modules() {
    let _context = Own::new();
    for (target, version, wanted) in [
        ("sm_120", "8.7", INVALID_PTX),
        ("sm_100", "8.6", INVALID_PTX),
        ("sm_100a", "8.6", INVALID_PTX),
        ("sm_100f", "8.8", INVALID_PTX),
        ("sm_90a", "8.0", SUCCESS),
        ("sm_90a", "7.8", INVALID_PTX),
        ("sm_80", "7.0", SUCCESS),
        ("sm_91", "8.1", INVALID_PTX),
        ("sm_999", "8.1", INVALID_PTX),
        ("sm_90", "99.9", UNSUPPORTED_PTX_VERSION),
        ("sm_90", "9.0", SUCCESS),
        ("sm_90", "1.0", INVALID_PTX),
        // Not newer than the device, but not an existing target.
        ("sm_81", "8.1", INVALID_PTX),
    ] {
        let text = format!(
            ".version {version}\n.target {target}\n.address_size 64\n.visible .entry k() {{ ret; }}\n"
        );
        let (code, log) = try_load(CString::new(text).unwrap().as_bytes_with_nul());
        assert_eq!(code, wanted, "{target} {version}: {log}");
        assert_eq!(log.is_empty(), code == SUCCESS, "{target} {version}: {log}");
    }
    // Also in a function that is never called.
    let text = ".version 8.1\n.target sm_90\n.address_size 64\n.func f() { wgmma.fence.sync.aligned; ret; }\n\
                .visible .entry k() { ret; }\n";
    let code = try_load(CString::new(text).unwrap().as_bytes_with_nul()).0;
    assert_eq!(code, INVALID_PTX);
}

#[test]
fn the_default_device_is_sm_90() {
    ok!(cuInit(0));
    assert_eq!([75, 76].map(attribute), [9, 0]);
}

#[test]
fn unknown_devices_are_reported_with_the_known_ones() {
    if inner() {
        invalid!(cuInit(0));
        return;
    }
    for name in ["sm_70", "90", "sm_90a", "H200"] {
        let (code, output, text) = rerun(&[("CUDA_EMULATOR_DEVICE", name)]);
        assert_eq!(code, Some(0), "{output}{text}");
        let part =
            format!("CUDA_EMULATOR_DEVICE={name}: expected one of sm_80, sm_89, sm_90, sm_100");
        assert!(text.contains(&part), "{text}");
    }
}
