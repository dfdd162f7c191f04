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
use cuda_safe::{Context, DeviceBuffer, Stream};

const CHILD: &str = "CUDA_NCCL_FAILURES_CHILD";

/// Makes each call once. If it returns results, they are correct.
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

fn child() {
    let contexts = [0, 1].map(|device| Context::primary(device).unwrap());
    let options = PeerOptions::default()
        .scratch_bytes(512)
        .piece_bytes(2048)
        .timeout(Duration::from_secs(30));
    let ended = PeerGroup::with_options(&contexts, options).and_then(|group| group.run(calls));
    println!("child done: {ended:?}");
}

/// Returns the output if the failure did not occur.
fn fails(function: &str, call: usize) -> Option<String> {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["every_call_fails_in_turn", "--exact", "--nocapture"])
        .env(CHILD, "1")
        .env("CUDA_EMULATOR_DEVICES", "2")
        .env("CUDA_EMULATOR_HOLD", "1")
        // Each process compiles the kernels again, as at a user's first start.
        .env("CUDA_DIRECT_CACHE", "off")
        .env(
            "CUDA_EMULATOR_FAIL",
            format!("{function}:{call}:CUDA_ERROR_OUT_OF_MEMORY"),
        )
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
            panic!("{function}, call {call}: it hangs");
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
        "{function}, call {call}: {text}"
    );
    text.contains("never fired").then_some(text)
}

#[test]
fn every_call_fails_in_turn() {
    if env::var(CHILD).is_ok() {
        return child();
    }
    for function in [
        "cuMemcpyPeerAsync",
        "cuMemcpyDtoDAsync",
        "cuLaunchKernel",
        "cuEventRecord",
        "cuStreamWaitEvent",
    ] {
        // The calls of the two ranks come in any order. Only every third is tested, to save time.
        let mut call = 1;
        let end = loop {
            match fails(function, call) {
                None => call += 3,
                Some(text) => break text,
            }
        };
        assert!(call > 1, "{function} is not called: {end}");
    }
}
