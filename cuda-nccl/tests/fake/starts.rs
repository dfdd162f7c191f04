//! Creation of communicators.

use std::{
    env,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use cuda_nccl::{Communicator, Error, Reduction, UniqueId};
use cuda_safe::{
    Context, ContextFlags, DeviceBuffer,
    memory::{Signal, WaitUntil},
};

use crate::{
    failure::failure,
    library::{
        Fake, LIMIT, VARIABLE, in_separate_process, library, one_of, options, rank, start, verified,
    },
};

#[test]
fn a_communicator_has_two_nccl_communicators() {
    let fake = Fake::new();
    fake.set("polls", 3); // both are in progress for several polls
    let (rank, _stream) = rank(2, options());
    assert_eq!((rank.rank(), rank.size()), (0, 2));
    fake.assert_calls(&["GetUniqueId", "InitRankConfig", "Split"]);
    assert_eq!(fake.get("live"), 2);
    assert!(!rank.as_raw().is_null());
    assert_eq!(
        format!("{rank:?}"),
        "Communicator { rank: 0, size: 2, device: 0, lost: None, .. }"
    );
    drop(rank);
    fake.assert_calls(&["Destroy", "DestroyControl"]);
}

#[test]
fn missing_ranks_are_an_error_in_time() {
    if !in_separate_process() {
        return;
    }
    let fake = Fake::new();
    fake.set("polls", -1);
    let context = Context::primary(0).unwrap();
    let since = Instant::now();
    let error = Communicator::new(&context, UniqueId::new().unwrap(), 1, 3, options()).unwrap_err();
    assert!(since.elapsed() < LIMIT + Duration::from_secs(5));
    assert!(matches!(error, Error::Lost(_)), "{error:?}");
    let text = error.to_string();
    let start = "rank 1 of 3: the other ranks have not arrived within the time limit of 1s \
                 (CommunicatorOptions::timeout, ncclCommInitRankConfig). Fix: check that all 3 ranks run";
    assert!(text.starts_with(start), "{text}");
    fake.assert_calls(&["GetUniqueId", "InitRankConfig", "AbortControl"]);
}

#[test]
fn for_devices_starts_in_one_group() {
    let fake = Fake::new();
    let contexts = [Context::primary(0).unwrap()];
    drop(Communicator::for_devices(&contexts, options()).unwrap());
    assert!(!fake.calls().contains(&"GroupStart".to_owned()));
    // A device cannot be two ranks, and a group needs at least one rank.
    let twice = [contexts[0].clone(), contexts[0].clone()];
    for contexts in [&twice[..], &[]] {
        let error = Communicator::for_devices(contexts, options()).unwrap_err();
        assert!(matches!(error, Error::Value(_)), "{error:?}");
    }
    assert!(fake.calls().is_empty());
}

#[test]
fn invalid_arguments_are_rejected() {
    let fake = Fake::new();
    let context = Context::primary(0).unwrap();
    let id = UniqueId::from_bytes([1; 128]);
    failure(Communicator::new(&context, id, 2, 2, options()))
        .mentions("there is no rank 2 in a group of 2");
    let other = Context::create(context.device(), ContextFlags::default()).unwrap();
    failure(Communicator::new(&other, id, 0, 2, options())).mentions("Context::primary");
    let bad = options().name(Some("a\0".into()));
    assert!(matches!(
        Communicator::new(&context, id, 0, 2, bad),
        Err(Error::Value(_))
    ));
    assert!(fake.calls().is_empty());
}

#[test]
fn split_and_shrink_create_communicators() {
    if !in_separate_process() {
        return;
    }
    let (fake, rank, _stream) = start(3);
    fake.calls();
    // Every rank of the fake library sends the same words as this one, so three ranks share the
    // color.
    let split = rank.split(Some(4), 0).unwrap().unwrap();
    assert_eq!((split.rank(), split.size()), (0, 3));
    // First the colors are exchanged, then the id from the first rank of each color.
    let gather = ["GroupStart", "AllGather", "GroupEnd"];
    let expected = [
        &gather[..],
        &["GetUniqueId"],
        &gather[..],
        &["InitRankConfig", "Split"],
    ]
    .concat();
    assert_eq!(fake.calls(), expected);
    assert!(rank.split(None, 0).unwrap().is_none());
    let less = rank.shrink(&[2]).unwrap();
    assert_eq!((less.rank(), less.size()), (0, 2));
    for wrong in [&[0][..], &[3]] {
        assert!(matches!(rank.shrink(wrong), Err(Error::Value(_))));
    }
    fake.set("polls", -1);
    failure(rank.shrink(&[1])).mentions("the remaining ranks have not arrived");
    fake.set("polls", 0);
    assert!(matches!(rank.shrink(&[1]), Err(Error::Lost(_))));
    drop((split, less, rank));
}

#[test]
fn split_is_rejected_with_nccl_comm_id() {
    if !in_separate_process() {
        return; // the processes of other tests would inherit the variable
    }
    let (_fake, rank, _stream) = start(3);
    // SAFETY: this process runs only this test, and nothing else here reads variables at the same
    // time.
    unsafe { std::env::set_var("NCCL_COMM_ID", "node1:29400") };
    let error = rank.split(Some(0), 0).unwrap_err();
    // SAFETY: as above.
    unsafe { std::env::remove_var("NCCL_COMM_ID") };
    assert!(matches!(error, Error::Start(_)), "{error:?}");
    assert!(
        error.to_string().contains("NCCL_COMM_ID=node1:29400"),
        "{error}"
    );
}

/// The program of the processes in the test below.
#[test]
#[ignore = "a part of `rank_0_reports_missing_nccl`"]
fn one_of_two_ranks() {
    let started = cuda_nccl::start(verified().timeout(Duration::from_secs(60)));
    println!("SAYS {}", started.unwrap_err());
}

#[test]
fn rank_0_reports_missing_nccl() {
    library();
    let port = 29_000 + std::process::id() % 1000;
    let ranks = [0, 1].map(|rank| {
        let mut command = Command::new(env::current_exe().unwrap());
        command
            .args([
                "--exact",
                "starts::one_of_two_ranks",
                "--ignored",
                "--nocapture",
            ])
            .env("CUDA_NCCL_RANK", rank.to_string())
            .env("CUDA_NCCL_SIZE", "2")
            .env("CUDA_NCCL_ADDRESS", format!("127.0.0.1:{port}"))
            .env("CUDA_EMULATOR_DEVICES", "2")
            .env_remove("CUDA_NCCL_LOCAL_RANK")
            .stdout(Stdio::piped());
        if rank == 0 {
            command.env(VARIABLE, "/no/such/libnccl.so.2");
        }
        command.spawn().unwrap()
    });
    let outputs = ranks.map(|rank| {
        let output = rank.wait_with_output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    });
    for (output, start) in outputs.iter().zip(["SAYS ", "rank 0 reports: "]) {
        let part = format!("{start}NCCL does not run on cuda-emulator. Fix: use PeerGroup");
        assert!(output.contains(&part), "no {part:?} in {output}");
    }
}

/// The program of the process in the test below: three waits at once that end after their limit.
#[test]
#[ignore = "a part of `long_waits_are_noticed_before_the_limit`"]
fn three_long_waits() {
    let fake = Fake::new();
    let options = options().timeout(Duration::from_secs(6));
    let (host, host_stream) = rank(2, options.clone());
    let (device, device_stream) = one_of(3, 1, options.clone());
    let signal = &Signal::new(device.context(), 0u32).unwrap();
    let mut data = [&host_stream, &device_stream]
        .map(|stream| DeviceBuffer::<f32>::zeroed(stream, 4).unwrap());
    let [on_host, on_device] = &mut data;
    device_stream
        .wait_signal(signal, WaitUntil::EQUAL, 1)
        .unwrap();
    device
        .all_reduce(&device_stream, on_device, Reduction::Sum)
        .unwrap();
    fake.set("hang", 1);
    fake.set("polls", -1);
    let context = device.context();
    thread::scope(|scope| {
        scope.spawn(|| {
            let error = host.all_reduce(&host_stream, on_host, Reduction::Sum);
            failure(error).mentions("a call has waited on the host for longer");
        });
        scope.spawn(|| {
            failure(device.wait(&device_stream)).mentions("the enqueued work has not ended");
        });
        scope.spawn(|| {
            // The wait has a grace period after its failure. The end of the work ends it.
            while format!("{device:?}").contains("lost: None") {
                thread::sleep(Duration::from_millis(10));
            }
            signal.set(1);
        });
        let late = Communicator::new(context, UniqueId::new().unwrap(), 3, 4, options);
        failure(late).mentions("the other ranks have not arrived within the time limit of 6s");
    });
    device_stream.synchronize().unwrap();
}

#[test]
fn long_waits_are_noticed_before_the_limit() {
    library();
    let output = Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "starts::three_long_waits",
            "--ignored",
            "--nocapture",
        ])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{text}");
    let mut notices: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("cuda-nccl: "))
        .collect();
    notices.sort_unstable();
    let rest = "It fails after 6s (CommunicatorOptions::timeout). Another rank may be late, have ended, or make different calls";
    let expected = [
        "cuda-nccl: rank 0 of 2 has waited 1s for a call",
        "cuda-nccl: rank 1 of 3 has waited 1s for its enqueued work",
        "cuda-nccl: rank 3 of 4 has waited 1s for the other ranks",
    ];
    assert_eq!(notices, expected.map(|start| format!("{start}. {rest}")));
}
