//! Older libraries. Errors must name the missing function and the version. Each test is a separate
//! process, because the library is opened once.

use cuda_nccl::{Error, Library, NcclAllocated};
use cuda_safe::DeviceBuffer;

use crate::library::{Fake, VARIABLE, compile, passes_alone, start};

/// Runs one of the ignored tests below with another library.
fn with(test: &str, name: &str, flags: &[&str]) {
    let file = compile(name, flags);
    passes_alone(test, &[(VARIABLE, &file)]);
}

#[test]
fn missing_functions_are_reported() {
    with(
        "old::without_newer_functions",
        "fake-nccl-old",
        &["-DFAKE_OLD"],
    );
}

#[test]
#[ignore = "a part of `missing_functions_are_reported`"]
fn without_newer_functions() {
    let (fake, rank, stream) = start(2);
    let unsupported = |error: Error, name: &str| {
        let text = error.to_string();
        assert!(matches!(error, Error::Unsupported(_)), "{text}");
        assert!(
            text.starts_with("NCCL 2.32.3 (")
                && text.contains(&format!("has no {name}. Fix: install")),
            "{text}"
        );
    };
    unsupported(
        NcclAllocated::zeroed::<u8>(&stream, 4).unwrap_err(),
        "ncclMemAlloc",
    );
    let memory = DeviceBuffer::<u8>::zeroed(&stream, 4).unwrap();
    unsupported(rank.register(memory).unwrap_err(), "ncclCommRegister");
    // Without ncclAlltoAll, an all-to-all consists of sends and receives.
    let from = DeviceBuffer::<u8>::zeroed(&stream, 4).unwrap();
    let mut to = DeviceBuffer::<u8>::zeroed(&stream, 4).unwrap();
    fake.calls();
    fake.arguments();
    rank.all_to_all(&stream, &from, &mut to).unwrap();
    fake.assert_calls(&["GroupStart", "Send", "Recv", "Send", "Recv", "GroupEnd"]);
    let (from, to) = (from.as_device_ptr(), to.as_device_ptr());
    let expected = [
        format!("Send({from},0,2,1,0,0)"),
        format!("Recv(0,{to},2,1,0,0)"),
        format!("Send({},0,2,1,0,1)", from + 2),
        format!("Recv(0,{},2,1,0,1)", to + 2),
    ];
    assert_eq!(fake.arguments(), expected);
}

#[test]
fn old_versions_are_rejected() {
    with("old::too_old", "fake-nccl-217", &["-DFAKE_VERSION=21701"]);
}

#[test]
#[ignore = "a part of `old_versions_are_rejected`"]
fn too_old() {
    let _fake = Fake::new();
    let error = Library::get().unwrap_err();
    assert!(matches!(error, Error::Unsupported(_)), "{error:?}");
    let text = error.to_string();
    assert!(
        text.starts_with("NCCL 2.17.1 (")
            && text.contains("is too old: the oldest supported version is 2.18.0"),
        "{text}"
    );
}
