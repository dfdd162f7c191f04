//! Arguments passed to the library: addresses, counts, types, operations, roots and the current
//! context.

use std::{env, process::Command, ptr, thread};

use cuda_nccl::{Collectives, Error, Group, Library, Reduction, UniqueId};
use cuda_safe::{Context, ContextFlags, DeviceBuffer, Stream, sys};

use crate::{
    failure::failure,
    library::{
        Fake, VARIABLE, add_sum, compile, in_separate_process, one_of, options, rank, start,
        verified,
    },
};

/// Constants of `nccl.h`.
const U8: i32 = 1;
const U32: i32 = 3;
const U64: i32 = 5;
const F32: i32 = 7;
const F64: i32 = 8;
const SUM: i32 = 0;
const PRODUCT: i32 = 1;
const MAX: i32 = 2;
const MIN: i32 = 3;
const MEAN: i32 = 4;

/// Formats a call as the fake library does.
fn call(name: &str, [from, to]: [u64; 2], count: usize, [of, op, root]: [i32; 3]) -> String {
    format!("{name}({from},{to},{count},{of},{op},{root})")
}

#[test]
fn reductions_pass_type_operation_and_addresses() {
    let fake = Fake::new();
    let (rank, stream) = one_of(3, 1, options());
    let mut six = DeviceBuffer::<f64>::zeroed(&stream, 6).unwrap();
    let mut other = DeviceBuffer::<f64>::zeroed(&stream, 6).unwrap();
    let mut two = DeviceBuffer::<f64>::zeroed(&stream, 2).unwrap();
    let [a, b, c] = [&six, &other, &two].map(|memory| memory.as_device_ptr());
    fake.arguments();
    for (reduction, op) in [
        (Reduction::Sum, SUM),
        (Reduction::Product, PRODUCT),
        (Reduction::Min, MIN),
        (Reduction::Max, MAX),
        (Reduction::Mean, MEAN),
    ] {
        rank.all_reduce(&stream, &mut six, reduction).unwrap();
        rank.all_reduce_into(&stream, &six, &mut other, reduction)
            .unwrap();
        rank.reduce(&stream, &mut six, reduction, 2).unwrap();
        rank.reduce_scatter(&stream, &six, &mut two, reduction)
            .unwrap();
        rank.reduce_scatter_in_place(&stream, &mut six, reduction)
            .unwrap();
        let expected = [
            call("AllReduce", [a, a], 6, [F64, op, 0]),
            call("AllReduce", [a, b], 6, [F64, op, 0]),
            call("Reduce", [a, a], 6, [F64, op, 2]),
            call("ReduceScatter", [a, c], 2, [F64, op, 0]),
            // At the position of rank 1: after two elements of eight bytes.
            call("ReduceScatter", [a, a + 16], 2, [F64, op, 0]),
        ];
        assert_eq!(fake.arguments(), expected);
    }
    let mut floats = DeviceBuffer::<f32>::zeroed(&stream, 3).unwrap();
    let d = floats.as_device_ptr();
    rank.all_reduce_scaled(&stream, &mut floats, 0.5).unwrap();
    assert_eq!(
        fake.arguments(),
        [call("AllReduce", [d, d], 3, [F32, 77, 0])]
    );
}

#[test]
fn copies_pass_words_and_addresses() {
    let fake = Fake::new();
    let (rank, stream) = one_of(3, 2, options());
    // Transferred as u32, as u64 and as bytes.
    let mut six = DeviceBuffer::<u32>::zeroed(&stream, 6).unwrap();
    let mut more = DeviceBuffer::<u32>::zeroed(&stream, 6).unwrap();
    let mut two = DeviceBuffer::<u32>::zeroed(&stream, 2).unwrap();
    let mut wide = DeviceBuffer::<[u64; 2]>::zeroed(&stream, 3).unwrap();
    let mut odd = DeviceBuffer::<[u16; 3]>::zeroed(&stream, 3).unwrap();
    let [a, b, c] = [&six, &more, &two].map(|memory| memory.as_device_ptr());
    let (d, e) = (wide.as_device_ptr(), odd.as_device_ptr());
    fake.arguments();
    rank.broadcast(&stream, &mut six, 1).unwrap();
    rank.broadcast(&stream, &mut wide, 0).unwrap();
    rank.broadcast(&stream, &mut odd, 2).unwrap();
    rank.all_gather(&stream, &two, &mut six).unwrap();
    rank.all_gather_in_place(&stream, &mut six).unwrap();
    rank.all_to_all(&stream, &six, &mut more).unwrap();
    rank.send(&stream, &wide, 1).unwrap();
    rank.receive(&stream, &mut odd, 0).unwrap();
    let expected = [
        call("Broadcast", [a, a], 6, [U32, 0, 1]),
        call("Broadcast", [d, d], 6, [U64, 0, 0]),
        call("Broadcast", [e, e], 18, [U8, 0, 2]),
        call("AllGather", [c, a], 2, [U32, 0, 0]),
        call("AllGather", [a + 16, a], 2, [U32, 0, 0]),
        call("AlltoAll", [a, b], 2, [U32, 0, 0]),
        call("Send", [d, 0], 6, [U64, 0, 1]),
        call("Recv", [0, e], 18, [U8, 0, 0]),
    ];
    assert_eq!(fake.arguments(), expected);
    // A gather consists of sends and receives, including the root's own part.
    rank.gather(&stream, &two, Some(six.view_mut()), 2).unwrap();
    let expected = [
        call("Send", [c, 0], 2, [U32, 0, 2]),
        call("Recv", [0, a], 2, [U32, 0, 0]),
        call("Recv", [0, a + 8], 2, [U32, 0, 1]),
        call("Recv", [0, a + 16], 2, [U32, 0, 2]),
    ];
    assert_eq!(fake.arguments(), expected);
    rank.scatter(&stream, Some(six.view()), &mut two, 2)
        .unwrap();
    let expected = [
        call("Send", [a, 0], 2, [U32, 0, 0]),
        call("Send", [a + 8, 0], 2, [U32, 0, 1]),
        call("Send", [a + 16, 0], 2, [U32, 0, 2]),
        call("Recv", [0, c], 2, [U32, 0, 2]),
    ];
    assert_eq!(fake.arguments(), expected);
    rank.gather(&stream, &two, None, 0).unwrap();
    rank.scatter(&stream, None, &mut two, 1).unwrap();
    let expected = [
        call("Send", [c, 0], 2, [U32, 0, 0]),
        call("Recv", [0, c], 2, [U32, 0, 1]),
    ];
    assert_eq!(fake.arguments(), expected);
    let sends = [(0, two.view()), (1, six.slice(1..).unwrap())];
    let mut receives = [(1, more.slice_mut(2..).unwrap())];
    rank.exchange(&stream, &sends, &mut receives).unwrap();
    let expected = [
        call("Send", [c, 0], 2, [U32, 0, 0]),
        call("Send", [a + 4, 0], 5, [U32, 0, 1]),
        call("Recv", [0, b + 8], 4, [U32, 0, 1]),
    ];
    assert_eq!(fake.arguments(), expected);
    drop(rank);
}

#[test]
fn calls_without_elements_are_left_out_of_a_group() {
    let (fake, rank, stream) = start(2);
    let mut none = DeviceBuffer::<f32>::zeroed(&stream, 0).unwrap();
    let mut one = DeviceBuffer::<f32>::zeroed(&stream, 1).unwrap();
    let a = one.as_device_ptr();
    fake.arguments();
    let mut group = Group::new();
    add_sum(&mut group, &rank, &stream, &mut none);
    add_sum(&mut group, &rank, &stream, &mut one);
    group.run().unwrap();
    assert_eq!(
        fake.arguments(),
        [call("AllReduce", [a, a], 1, [F32, SUM, 0])]
    );
}

#[test]
fn a_group_waits_for_the_memory_of_other_streams() {
    let (_fake, rank, stream) = start(2);
    let other = Stream::new(rank.context()).unwrap();
    let signal = cuda_safe::memory::Signal::new(rank.context(), 0u32).unwrap();
    let mut data = DeviceBuffer::<f32>::zeroed(&other, 4).unwrap();
    other
        .wait_signal(&signal, cuda_safe::memory::WaitUntil::EQUAL, 1)
        .unwrap();
    let mut group = Group::new();
    add_sum(&mut group, &rank, &stream, &mut data);
    group.run().unwrap();
    assert!(!stream.query().unwrap());
    signal.set(1);
    stream.synchronize().unwrap();
    drop((data, rank));
}

#[test]
fn context_is_current_only_during_calls() {
    let (fake, rank, stream) = start(2);
    let other = Context::create(rank.context().device(), ContextFlags::default()).unwrap();
    let mut data = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
    let current = || {
        let mut current = ptr::null_mut();
        // SAFETY: The pointer is valid for writes.
        let code = unsafe { sys::cuCtxGetCurrent(&mut current) };
        assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
        current
    };
    let mut reduce = || {
        let before = current();
        rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
        assert_eq!(fake.context(), rank.context().as_raw().cast());
        assert_eq!(current(), before);
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            reduce();
            let _other = other.push_current().unwrap();
            reduce();
            let _own = stream.context().push_current().unwrap();
            reduce();
        });
    });
    drop((data, rank));
}

#[test]
fn different_exchanges_name_both_ranks() {
    let _fake = Fake::new();
    let (rank, stream) = rank(3, verified());
    let mut data = DeviceBuffer::<u8>::zeroed(&stream, 9).unwrap();
    let (from, mut to) = data.split_at_mut(5).unwrap();
    // Every rank of the fake library sends and receives the same as this one.
    for other in 0..3 {
        let error = rank
            .exchange(&stream, &[(other, from.view())], &mut [])
            .unwrap_err();
        let text = format!(
            "the call is {} (sent by rank 0, received by rank {other})",
            match other {
                0 => "transfer on rank 0 and nothing on rank 0".to_owned(),
                _ => format!("nothing on rank {other} and transfer on rank 0"),
            }
        );
        assert!(error.to_string().starts_with(&text), "{error}");
        let receives = &mut [(other, to.view_mut())];
        let error = rank.exchange(&stream, &[], receives).unwrap_err();
        let text = format!(
            "the call is {} (sent by rank {other}, received by rank 0)",
            match other {
                0 => "nothing on rank 0 and transfer on rank 0".to_owned(),
                _ => format!("nothing on rank {other} and transfer on rank 0"),
            }
        );
        assert!(error.to_string().starts_with(&text), "{error}");
    }
    let whole = DeviceBuffer::<u8>::zeroed(&stream, 4).unwrap();
    let halves = [
        (0, whole.slice(..1).unwrap()),
        (0, whole.slice(1..).unwrap()),
    ];
    let error = rank.exchange(&stream, &halves, &mut [(0, to.view_mut())]);
    let text = error.unwrap_err().to_string();
    let expected =
        "the length is 1 on rank 0 and 4 on rank 0 (transfer, sent by rank 0, received by rank 0)";
    assert!(text.starts_with(expected), "{text}");
    drop((data, rank));
}

#[test]
fn a_verified_exchange_is_compared_once() {
    let fake = Fake::new();
    let (rank, stream) = rank(2, verified());
    let data = DeviceBuffer::<u8>::zeroed(&stream, 4).unwrap();
    let mut to = DeviceBuffer::<u8>::zeroed(&stream, 8).unwrap();
    let (mut low, mut high) = to.split_at_mut(4).unwrap();
    let sends = [(0, data.view()), (1, data.view())];
    let mut receives = [(0, low.view_mut()), (1, high.view_mut())];
    fake.calls();
    rank.exchange(&stream, &sends, &mut receives).unwrap();
    let expected = "GroupStart AllGather GroupEnd GroupStart AllGather GroupEnd GroupStart Send Send Recv Recv GroupEnd";
    assert_eq!(fake.calls().join(" "), expected);
    drop(rank);
}

#[test]
fn reported_errors_reach_the_other_ranks() {
    fn through_the_trait(rank: &impl Collectives) {
        rank.report_error("on purpose");
    }
    let fake = Fake::new();
    let (notifying, _) = rank(2, verified());
    let (silent, _) = rank(2, options());
    fake.calls();
    notifying.report_error("on purpose");
    fake.assert_calls(&["GroupStart", "AllGather", "GroupEnd"]);
    through_the_trait(&notifying);
    fake.assert_calls(&["GroupStart", "AllGather", "GroupEnd"]);
    silent.report_error("on purpose");
    assert!(fake.calls().is_empty());
    drop((notifying, silent));
}

#[test]
fn split_creates_one_id_for_each_color() {
    let fake = Fake::new();
    let gather = "GroupStart AllGather GroupEnd";
    let (zero, _) = rank(3, options());
    fake.calls();
    assert!(zero.split(None, 0).unwrap().is_none());
    assert_eq!(fake.calls().join(" "), format!("{gather} {gather}"));
    // The first rank of the color is another rank. Its id is zero, because all ranks of the fake
    // library send the same data.
    let (one, _) = one_of(3, 1, options());
    fake.calls();
    fake.arguments();
    let split = one.split(Some(5), -1).unwrap().unwrap();
    assert_eq!((split.rank(), split.size()), (1, 3));
    assert_eq!(
        fake.calls().join(" "),
        format!("{gather} {gather} InitRankConfig Split")
    );
    assert!(
        fake.arguments()
            .contains(&"InitRankConfig(0,0,3,0,0,1)".to_owned())
    );
    // Rank 0 has another color, so rank 1 makes an id.
    fake.set("apart", 1);
    let split_off = one.split(Some(5), 0).unwrap().unwrap();
    assert_eq!((split_off.rank(), split_off.size()), (0, 2));
    assert_eq!(
        fake.calls().join(" "),
        format!("{gather} GetUniqueId {gather} InitRankConfig Split")
    );
    let made = UniqueId::new().unwrap().to_bytes();
    let number = i32::from_le_bytes(made[..4].try_into().unwrap()) - 1;
    let start = format!("InitRankConfig(0,0,2,{number},7,0)");
    let arguments = fake.arguments();
    assert!(arguments.contains(&start), "{start}? {arguments:?}");
    drop((zero, one, split, split_off));
}

#[test]
fn shrink_keeps_the_order_of_ranks() {
    let fake = Fake::new();
    let (rank, _) = one_of(4, 2, options());
    fake.set("polls", 3); // the call is in progress for several polls
    for (exclude, number, size) in [
        (&[0][..], 1, 3),
        (&[3], 2, 3),
        (&[1, 0], 0, 2),
        (&[3, 0, 1], 0, 1),
        (&[], 2, 4),
    ] {
        fake.arguments();
        let less = rank.shrink(exclude).unwrap();
        assert_eq!((less.rank(), less.size()), (number, size), "{exclude:?}");
        let mut sorted = exclude.to_vec();
        sorted.sort_unstable();
        let expected: Vec<_> = sorted
            .iter()
            .enumerate()
            .map(|(place, rank)| format!("Excluded(0,0,{},{place},0,{rank})", sorted.len()))
            .collect();
        assert_eq!(fake.arguments(), expected);
    }
    for exclude in [&[2][..], &[4]] {
        let error = rank.shrink(exclude).unwrap_err();
        assert!(matches!(error, Error::Value(_)), "{error}");
    }
    fake.set("polls", 0);
}

#[test]
fn loaded_library_is_found_by_its_name() {
    let file = compile("fake-nccl-present", &["-Wl,-soname,libnccl.so.2"]);
    for variable in [None, Some("")] {
        let mut command = Command::new(env::current_exe().unwrap());
        command
            .args([
                "--ignored",
                "--exact",
                "arguments::finds_the_loaded_library",
            ])
            .env("CUDA_NCCL_TEST_FILE", &file)
            .env_remove(VARIABLE);
        if let Some(value) = variable {
            command.env(VARIABLE, value);
        }
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.contains("1 passed"),
            "{text}"
        );
    }
}

#[test]
#[ignore = "a part of `loaded_library_is_found_by_its_name`"]
fn finds_the_loaded_library() {
    let file = env::var_os("CUDA_NCCL_TEST_FILE").unwrap();
    // SAFETY: The library runs no code when it is loaded.
    let _opened = unsafe { libloading::Library::new(&file) }.unwrap();
    let library = Library::get().unwrap();
    assert_eq!(library.file(), std::path::Path::new(&file));
    assert_eq!(library.version().to_string(), "2.32.3");
}

#[test]
fn trait_methods_use_the_same_rank_and_wait() {
    if !in_separate_process() {
        return;
    }
    fn of<C: Collectives>(rank: &C, stream: &Stream) -> (usize, usize, cuda_nccl::Result<()>) {
        (rank.rank(), rank.size(), rank.wait(stream))
    }
    let _fake = Fake::new();
    let (rank, stream) = one_of(5, 3, options());
    let held = Stream::new(rank.context()).unwrap();
    let mut data = DeviceBuffer::<f32>::zeroed(&held, 4).unwrap();
    let signal = cuda_safe::memory::Signal::new(rank.context(), 0u32).unwrap();
    stream
        .wait_signal(&signal, cuda_safe::memory::WaitUntil::EQUAL, 1)
        .unwrap();
    rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
    let (number, size, waited) = of(&rank, &stream);
    assert_eq!((number, size), (3, 5));
    assert!(matches!(waited, Err(Error::Lost(_))), "{waited:?}");
    signal.set(1);
    stream.synchronize().unwrap();
    drop((data, rank));
}

#[test]
fn a_group_compares_with_each_partner_once() {
    let fake = Fake::new();
    let (rank, stream) = rank(3, verified());
    let data = DeviceBuffer::<u8>::zeroed(&stream, 6).unwrap();
    let mut other = DeviceBuffer::<u8>::zeroed(&stream, 6).unwrap();
    fake.set("partner", 1);
    fake.arguments();
    let mut group = Group::new();
    group.send(&rank, &stream, &data, 1).unwrap();
    group.send(&rank, &stream, &data, 1).unwrap();
    group.receive(&rank, &stream, &mut other, 2).unwrap();
    group.run().unwrap();
    let partners: Vec<_> = fake
        .arguments()
        .iter()
        .map(|call| {
            let (name, arguments) = call.split_once('(').unwrap();
            let partner = arguments.trim_end_matches(')').rsplit(',').next();
            format!("{name} {}", partner.unwrap())
        })
        .collect();
    let expected = [
        "Send 1", "Recv 1", "Send 2", "Recv 2", // the comparisons
        "Send 1", "Send 1", "Recv 2",
    ];
    assert_eq!(partners, expected);
}

#[test]
fn failures_at_the_ends_of_groups_are_reported() {
    let fake = Fake::new();
    for (variable, text, calls) in [
        (
            "started",
            "ncclGroupStart failed: ncclSystemError (2)",
            &["GroupStart", "AbortControl", "Abort"][..],
        ),
        (
            "ended",
            "ncclGroupEnd failed: ncclSystemError (2)",
            &[
                "GroupStart",
                "AllReduce",
                "GroupEnd",
                "AbortControl",
                "Abort",
            ],
        ),
    ] {
        let (rank, stream) = rank(2, options());
        let mut data = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
        let mut group = Group::new();
        add_sum(&mut group, &rank, &stream, &mut data);
        fake.calls();
        fake.set(variable, 2);
        failure(group.run()).begins_with(text);
        assert_eq!(fake.calls(), calls);
        drop((data, rank));
    }
}

#[test]
fn exchanges_are_compared_with_other_ranks() {
    let fake = Fake::new();
    let (rank, stream) = rank(3, verified());
    let text = || {
        let error = rank.exchange::<u8>(&stream, &[], &mut []).unwrap_err();
        assert!(matches!(error, Error::Value(_)), "{error}");
        error.to_string()
    };
    fake.set("receives", 7);
    let expected = "the length is 7 on rank 1 and 0 on rank 0 (nothing, sent by rank 0, received by rank 1). Fix: ";
    assert!(text().starts_with(expected));
    fake.set("receives", 0);
    fake.set("sends", 7);
    let expected = "the length is 7 on rank 1 and 0 on rank 0 (nothing, sent by rank 1, received by rank 0). Fix: ";
    assert!(text().starts_with(expected));
    fake.set("sends", 0);
    rank.exchange::<u8>(&stream, &[], &mut []).unwrap();
    drop(rank);
}
