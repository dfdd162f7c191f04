//! Driver calls that fail during operations of several ranks. For each failing call, all ranks must
//! end with correct results or with errors, and none may hang. The emulator fails calls on demand,
//! in a separate process for each.

use std::{
    env,
    io::Read,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use cuda_emulator as _; // linked in: these tests never use a GPU
use cuda_nccl::{Collectives, PeerGroup, PeerOptions, PeerRank, Reduction, Result};
use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Stream};

const CHILD: &str = "CUDA_NCCL_FAILURES_CHILD";

/// Makes each call once, and checks the results of the calls that succeed.
fn calls(rank: &PeerRank) -> Result<()> {
    let (stream, other) = (Stream::new(rank.context())?, Stream::new(rank.context())?);
    for len in [8, 3000] {
        let mut data = DeviceBuffer::<u32>::uninit(&other, len)?;
        data.fill(&other, rank.rank() as u32 + 1)?;
        rank.all_reduce(&stream, &mut data, Reduction::Sum)?;
        assert_eq!(data.to_vec(&other)?, vec![3; len]);
        rank.broadcast(&stream, &mut data, 1)?;
        let mut all = DeviceBuffer::<u32>::uninit(&stream, 2 * len)?;
        rank.all_gather(&stream, &data, &mut all)?;
        let mut part = DeviceBuffer::<u32>::uninit(&stream, len)?;
        rank.reduce_scatter(&stream, &all, &mut part, Reduction::Max)?;
        let mut mirrored = DeviceBuffer::<u32>::uninit(&stream, len)?;
        let peer = 1 - rank.rank();
        let mut receives = [(peer, mirrored.view_mut())];
        rank.exchange(&stream, &[(peer, all.slice(..len)?)], &mut receives)?;
        drop((data, all)); // the other rank may still be reading them
        rank.wait(&stream)?;
        assert_eq!(mirrored.to_vec(&stream)?, vec![3; len]);
    }
    Ok(())
}

/// The scenarios of a child: values of its variable.
const DEFAULT: &str = "default";
const WITHOUT_LINKS: &str = "without links";
const ON_ONE_DEVICE: &str = "on one device";
const AFTER_A_FAULT: &str = "after a fault";

fn child(how: &str) {
    let second = u32::from(how != ON_ONE_DEVICE);
    let contexts = [0, second].map(|device| Context::primary(device).unwrap());
    let options = PeerOptions::default()
        .scratch_bytes(512)
        .piece_bytes(2048)
        .links(how != WITHOUT_LINKS)
        .timeout(Duration::from_secs(30));
    if how == AFTER_A_FAULT {
        let stream = Stream::new(&contexts[0]).unwrap();
        let source = r#"extern "C" __global__ void fault() { asm("trap;"); }"#;
        let module = Module::compile(&contexts[0], source).unwrap();
        let fault = module.function("fault").unwrap();
        // SAFETY: The kernel uses no memory.
        unsafe { fault.launch(&stream, LaunchConfig::new(1, 1), ()) }.unwrap();
        stream.synchronize().unwrap_err();
    }
    let ended = PeerGroup::with_options(&contexts, options).and_then(|group| group.run(calls));
    println!("child done: {ended:?}");
}

/// Returns the output if the failure did not occur.
fn fails(function: &str, call: usize) -> Option<String> {
    let text = output_of(
        DEFAULT,
        &format!("{function}:{call}:CUDA_ERROR_OUT_OF_MEMORY"),
    );
    text.contains("never fired").then_some(text)
}

/// Runs a child in a scenario with a failure, and returns its output.
fn output_of(how: &str, failure: &str) -> String {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["every_call_fails_in_turn", "--exact", "--nocapture"])
        .env(CHILD, how)
        .env("CUDA_EMULATOR_DEVICES", "2")
        .env("CUDA_EMULATOR_HOLD", "1")
        // Each process compiles the kernels again, as for a user's first start.
        .env("CUDA_DIRECT_CACHE", "off")
        .env("CUDA_EMULATOR_FAIL", failure)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
            panic!("{how}, {failure}: the child hangs");
        }
        thread::sleep(Duration::from_millis(5));
    }
    let mut text = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert!(
        text.contains("child done") && !text.contains("panicked"),
        "{how}, {failure}: {text}"
    );
    text
}

#[test]
fn every_call_fails_in_turn() {
    if let Ok(how) = env::var(CHILD) {
        return child(&how);
    }
    thread::scope(|scope| {
        for function in [
            "cuMemcpyPeerAsync",
            "cuMemcpyDtoDAsync",
            "cuLaunchKernel",
            "cuEventRecord",
            "cuStreamWaitEvent",
        ] {
            scope.spawn(move || {
                // The calls of the two ranks come in any order. Only every third is tested, to save
                // time.
                let mut call = 1;
                let end = loop {
                    match fails(function, call) {
                        None => call += 3,
                        Some(text) => break text,
                    }
                };
                assert!(call > 1, "{function} is not called: {end}");
            });
        }
    });
}

/// Checks how often a child calls a function of the driver. `times` is the emulator's wording.
#[track_caller]
fn expect_calls(how: &str, function: &str, times: &str) {
    let text = output_of(how, &format!("{function}:999:CUDA_ERROR_UNKNOWN"));
    let wanted = format!("never fired: {function} was called {times}");
    assert!(text.contains(&wanted), "{how}: no {wanted:?} in: {text}");
    assert!(text.contains("child done: Ok([(), ()])"), "{how}: {text}");
}

#[test]
fn linked_devices_enable_peer_access() {
    // Each direction once. The pools are the current pools and those of the group, for both
    // devices.
    expect_calls(DEFAULT, "cuCtxEnablePeerAccess", "2 times");
    expect_calls(DEFAULT, "cuMemPoolCreate", "2 times");
    expect_calls(DEFAULT, "cuMemPoolSetAccess", "4 times");
}

#[test]
fn peer_access_needs_links_and_two_devices() {
    for how in [WITHOUT_LINKS, ON_ONE_DEVICE] {
        for function in [
            "cuCtxEnablePeerAccess",
            "cuMemPoolCreate",
            "cuMemPoolSetAccess",
        ] {
            expect_calls(how, function, "0 times");
        }
    }
}

#[test]
fn devices_without_free_peer_links_copy_through_the_host() {
    for call in ["1", "2", "1+"] {
        let failure = format!("cuCtxEnablePeerAccess:{call}:CUDA_ERROR_TOO_MANY_PEERS");
        let text = output_of(DEFAULT, &failure);
        assert!(text.contains("child done: Ok([(), ()])"), "{text}");
        assert!(!text.contains("never fired"), "{text}");
    }
}

#[test]
fn devices_without_pools_use_other_memory() {
    let text = output_of(DEFAULT, "cuMemPoolCreate:1+:CUDA_ERROR_NOT_SUPPORTED");
    assert!(text.contains("child done: Ok([(), ()])"), "{text}");
    assert!(!text.contains("never fired"), "{text}");
    // Other failures are errors.
    let text = output_of(DEFAULT, "cuMemPoolCreate:1:CUDA_ERROR_OUT_OF_MEMORY");
    assert!(
        text.contains("child done: Err(cuMemPoolCreate failed: "),
        "{text}"
    );
}

#[test]
fn failed_device_is_reported_by_the_first_call() {
    let text = output_of(AFTER_A_FAULT, "cuMemPoolCreate:999:CUDA_ERROR_UNKNOWN");
    assert!(
        text.contains("child done: Err(cuCtxEnablePeerAccess failed: "),
        "{text}"
    );
}
