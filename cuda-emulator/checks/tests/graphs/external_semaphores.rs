//! External semaphores, and arrays in external memory, through the C ABI. The codes are those of an
//! H200 (driver 580) unless stated otherwise.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs;
use cuda_emulator_checks::graphs::{LOCAL, alone, begin, create, end, instantiate, play};
use std::fs::File;
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};
use std::ptr::{null, null_mut};
use std::time::Duration;

use cuda_emulator_checks::semaphore::Page;

const BINARY: u32 = 1;
const TIMELINE: u32 = 9;

fn described(kind: u32, fd: i32) -> CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
    let mut described = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
        type_: CUexternalSemaphoreHandleType(kind),
        ..Default::default()
    };
    described.handle.fd = fd;
    described
}

fn import(page: &Page, kind: u32) -> CUexternalSemaphore {
    let described = described(kind, page.export().into_raw_fd());
    out!(cuImportExternalSemaphore(_, &described))
}

fn is_open(fd: i32) -> bool {
    // SAFETY: The call fails if the descriptor is not open.
    unsafe { libc::fcntl(fd, libc::F_GETFD) >= 0 }
}

/// Returns whether a descriptor refers to a page's file. The number of a closed descriptor may
/// refer to another file by now.
fn is_of(fd: i32, page: &Page) -> bool {
    let inode = |fd: i32| {
        let mut data = std::mem::MaybeUninit::<libc::stat>::zeroed();
        // SAFETY: The result pointer is valid, and all its bytes are written or zero.
        unsafe { (libc::fstat(fd, data.as_mut_ptr()) == 0).then(|| data.assume_init().st_ino) }
    };
    inode(fd) == inode(page.number())
}

fn to_signal(value: u64) -> CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
    params.params.fence.value = value;
    params
}

fn to_wait(value: u64) -> CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
    params.params.fence.value = value;
    params
}

fn signal(semaphore: CUexternalSemaphore, value: u64, stream: CUstream) {
    let value = to_signal(value);
    ok!(cuSignalExternalSemaphoresAsync(
        &semaphore, &value, 1, stream
    ));
}

fn wait(semaphore: CUexternalSemaphore, value: u64, stream: CUstream) {
    let value = to_wait(value);
    ok!(cuWaitExternalSemaphoresAsync(&semaphore, &value, 1, stream));
}

/// Returns whether a stream is still waiting after a while.
fn waits(stream: CUstream) -> bool {
    std::thread::sleep(Duration::from_millis(5));
    call!(cuStreamQuery(stream)) == NOT_READY
}

#[test]
fn imports_are_checked() {
    let _one = alone();
    let _own = Own::new();
    let page = Page::new(TIMELINE, 0);
    let mut made = null_mut();
    let mut wanted = described(TIMELINE, page.number());
    invalid!(cuImportExternalSemaphore(null_mut(), &wanted));
    invalid!(cuImportExternalSemaphore(&mut made, null()));
    wanted.flags = 1;
    invalid!(cuImportExternalSemaphore(&mut made, &wanted));
    wanted.flags = 0;
    wanted.reserved[0] = 1;
    invalid!(cuImportExternalSemaphore(&mut made, &wanted));
    let import = |kind, fd| result!(cuImportExternalSemaphore(_, &described(kind, fd)));
    for kind in [0, 2, 3, 4, 5, 6, 7, 8, 10, 11] {
        assert_eq!(import(kind, page.number()), Err(INVALID));
    }
    assert_eq!(import(TIMELINE, -1), Err(INVALID));
    assert_eq!(import(BINARY, -1), Err(UNKNOWN));
    // A file that is not a semaphore still belongs to the client.
    let null = OwnedFd::from(File::open("/dev/null").unwrap());
    for kind in [BINARY, TIMELINE] {
        for fd in [9999, null.as_raw_fd()] {
            assert_eq!(import(kind, fd), Err(UNKNOWN));
        }
    }
    assert!(is_open(null.as_raw_fd()) && is_open(page.number()));
    // An H200's driver accepts either kind for the other.
    assert_eq!(import(BINARY, page.number()), Err(UNKNOWN));
    // The driver takes ownership of an imported semaphore.
    let fd = page.export().into_raw_fd();
    assert!(is_of(fd, &page));
    let made = import(TIMELINE, fd).unwrap();
    assert!(!is_of(fd, &page));
    ok!(cuDestroyExternalSemaphore(made));
    invalid!(cuDestroyExternalSemaphore(made));
    invalid!(cuDestroyExternalSemaphore(null_mut()));
}

#[test]
fn timelines_order_streams_and_the_host() {
    let _one = alone();
    let _own = Own::new();
    let (page, one, other) = (Page::new(TIMELINE, 5), stream(1), stream(1));
    let (semaphore, same) = (import(&page, TIMELINE), import(&page, TIMELINE));
    assert_ne!(semaphore, same);
    wait(semaphore, 3, one); // a value in the past
    ok!(cuStreamSynchronize(one));
    wait(semaphore, 10, one);
    assert!(waits(one));
    page.set(10);
    ok!(cuStreamSynchronize(one));
    wait(same, 11, one);
    assert!(waits(one));
    signal(semaphore, 20, other);
    ok!(cuStreamSynchronize(one));
    assert_eq!(page.value(), 20);
    // As on an H200, any value can be signaled.
    signal(semaphore, 12, one);
    ok!(cuStreamSynchronize(one));
    assert_eq!(page.value(), 12);
    for semaphore in [semaphore, same] {
        ok!(cuDestroyExternalSemaphore(semaphore));
    }
}

#[test]
fn binary_semaphores_release_one_wait() {
    let _one = alone();
    let _own = Own::new();
    let (page, one, other) = (Page::new(BINARY, 0), stream(1), stream(1));
    let semaphore = import(&page, BINARY);
    wait(semaphore, 0, one);
    assert!(waits(one));
    signal(semaphore, 123, other); // the value is ignored
    ok!(cuStreamSynchronize(one));
    assert_eq!(page.value(), 0);
    // Two signals count as one.
    signal(semaphore, 0, one);
    signal(semaphore, 0, one);
    wait(semaphore, 0, one);
    ok!(cuStreamSynchronize(one));
    wait(semaphore, 0, one);
    assert!(waits(one));
    page.set(1);
    ok!(cuStreamSynchronize(one));
    ok!(cuDestroyExternalSemaphore(semaphore));
}

#[test]
fn several_semaphores_in_one_call() {
    let _one = alone();
    let _own = Own::new();
    let pages = [Page::new(TIMELINE, 0), Page::new(TIMELINE, 0)];
    let semaphores = pages.each_ref().map(|page| import(page, TIMELINE));
    let (one, other) = (stream(1), stream(1));
    let waits_for = [to_wait(8), to_wait(9)];
    let signals = [to_signal(8), to_signal(9)];
    let (wait, signal) = (
        cuWaitExternalSemaphoresAsync,
        cuSignalExternalSemaphoresAsync,
    );
    ok!(wait(semaphores.as_ptr(), waits_for.as_ptr(), 2, one));
    pages[0].set(8);
    assert!(waits(one));
    ok!(signal(semaphores.as_ptr(), signals.as_ptr(), 2, other));
    ok!(cuStreamSynchronize(one));
    assert_eq!(pages.each_ref().map(Page::value), [8, 9]);
    // A rejected call has no effect.
    let [first, _] = semaphores;
    invalid!(signal(&first, &to_signal(50), 0, one));
    invalid!(wait(&first, &to_wait(50), 0, one));
    invalid!(signal(null(), &to_signal(50), 1, one));
    let mut wrong = to_signal(50);
    wrong.flags = 1;
    invalid!(signal(&first, &wrong, 1, one));
    wrong.flags = 0;
    wrong.reserved[3] = 1;
    invalid!(signal(&first, &wrong, 1, one));
    let mut wrong = to_wait(50);
    wrong.flags = 2;
    invalid!(wait(&first, &wrong, 1, one));
    invalid!(signal(&first, null(), 1, one));
    invalid!(wait(&first, null(), 1, one));
    stale!(signal(&first, &to_signal(50), 1, 0x1234 as CUstream));
    for semaphore in semaphores {
        ok!(cuDestroyExternalSemaphore(semaphore));
    }
    // An H200's driver treats an invalid handle as an address.
    invalid!(signal(&first, &to_signal(50), 1, one));
    assert!(!waits(one));
    assert_eq!(pages[0].value(), 8);
}

#[test]
fn semaphores_in_graph_nodes() {
    let _alone = alone();
    let _own = Own::new();
    let pages = [Page::new(TIMELINE, 0), Page::new(TIMELINE, 0)];
    let mut semaphores = pages.each_ref().map(|page| import(page, TIMELINE));
    let (graph, stream) = (create(), stream(1));
    let (waits_for, signals) = ([to_wait(1), to_wait(2)], [to_signal(3), to_signal(4)]);
    let mut waiting = CUDA_EXT_SEM_WAIT_NODE_PARAMS {
        extSemArray: semaphores.as_mut_ptr(),
        paramsArray: waits_for.as_ptr(),
        numExtSems: 2,
    };
    let mut signalling = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
        extSemArray: semaphores.as_mut_ptr(),
        paramsArray: signals.as_ptr(),
        numExtSems: 2,
    };
    let (add_wait, add_signal) = (
        cuGraphAddExternalSemaphoresWaitNode,
        cuGraphAddExternalSemaphoresSignalNode,
    );
    let (get_wait, get_signal) = (
        cuGraphExternalSemaphoresWaitNodeGetParams,
        cuGraphExternalSemaphoresSignalNodeGetParams,
    );
    let (set_wait, set_signal) = (
        cuGraphExternalSemaphoresWaitNodeSetParams,
        cuGraphExternalSemaphoresSignalNodeSetParams,
    );
    let first = out!(add_wait(_, graph, null(), 0, &waiting));
    let second = out!(add_signal(_, graph, &first, 1, &signalling));
    assert_eq!([first, second].map(|node| graphs::kind(node).0), [9, 8]);
    // The returned arrays belong to the node.
    let (mut got, mut gotten) = (out!(get_signal(second, _)), out!(get_wait(first, _)));
    assert_eq!((got.numExtSems, gotten.numExtSems), (2, 2));
    assert!(got.extSemArray != signalling.extSemArray && got.paramsArray != signalling.paramsArray);
    // SAFETY: Each array has two elements.
    unsafe {
        assert_eq!(*got.extSemArray.add(1), semaphores[1]);
        assert_eq!((*got.paramsArray.add(1)).params.fence.value, 4);
        assert_eq!((*gotten.paramsArray).params.fence.value, 1);
    }
    invalid!(get_signal(first, &mut got));
    invalid!(get_wait(second, &mut gotten));
    invalid!(set_signal(first, &signalling));
    invalid!(set_wait(second, &waiting));
    invalid!(add_signal(&mut null_mut(), graph, null(), 0, null()));
    // The number of semaphores can change in a graph's node, but not in an executable graph.
    signalling.numExtSems = 1;
    ok!(set_signal(second, &signalling));
    assert_eq!(out!(get_signal(second, _)).numExtSems, 1);
    signalling.numExtSems = 2;
    ok!(set_signal(second, &signalling));
    let exec = instantiate(graph);
    ok!(cuGraphLaunch(exec, stream));
    assert!(waits(stream));
    pages.iter().for_each(|page| page.set(2));
    ok!(cuStreamSynchronize(stream));
    assert_eq!(pages.each_ref().map(Page::value), [3, 4]);
    let (later, more) = ([to_wait(3), to_wait(4)], [to_signal(30), to_signal(40)]);
    (waiting.paramsArray, signalling.paramsArray) = (later.as_ptr(), more.as_ptr());
    let exec_wait = cuGraphExecExternalSemaphoresWaitNodeSetParams;
    let exec_signal = cuGraphExecExternalSemaphoresSignalNodeSetParams;
    ok!(exec_wait(exec, first, &waiting));
    ok!(exec_signal(exec, second, &signalling));
    invalid!(exec_wait(exec, second, &waiting));
    invalid!(exec_signal(exec, first, &signalling));
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuStreamSynchronize(stream));
    assert_eq!(pages.each_ref().map(Page::value), [30, 40]);
    signalling.numExtSems = 1;
    invalid!(exec_signal(exec, second, &signalling));
    // An update of the whole graph.
    pages.iter().for_each(|page| page.set(2));
    out!(cuGraphExecUpdate_v2(exec, graph, _));
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuStreamSynchronize(stream));
    assert_eq!(pages.each_ref().map(Page::value), [3, 4]);
    ok!(cuGraphExecDestroy(exec));
    ok!(cuGraphDestroy(graph));
    for semaphore in semaphores {
        ok!(cuDestroyExternalSemaphore(semaphore));
    }
}

#[test]
fn streams_of_other_contexts_are_rejected() {
    let _one = alone();
    let _own = Own::new();
    let page = Page::new(TIMELINE, 0);
    let semaphore = import(&page, TIMELINE);
    let other = Own::new();
    let foreign = stream(1);
    let (signal, wait) = (
        cuSignalExternalSemaphoresAsync,
        cuWaitExternalSemaphoresAsync,
    );
    invalid!(signal(&semaphore, &to_signal(1), 1, foreign));
    invalid!(wait(&semaphore, &to_wait(0), 1, foreign));
    drop(other);
    assert_eq!(page.value(), 0);
    ok!(cuDestroyExternalSemaphore(semaphore));
}

#[test]
fn destroying_a_semaphore_waits_for_the_context() {
    let _one = alone();
    let _own = Own::new();
    let pages = [Page::new(TIMELINE, 0), Page::new(TIMELINE, 0)];
    let [waited, other] = pages.each_ref().map(|page| import(page, TIMELINE));
    let stream = stream(1);
    wait(waited, 1, stream);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            pages[0].set(1);
        });
        ok!(cuDestroyExternalSemaphore(other));
        assert_eq!(pages[0].value(), 1);
        ok!(cuStreamQuery(stream));
    });
    ok!(cuDestroyExternalSemaphore(waited));
}

#[test]
fn restrictions_of_graphs_with_semaphores() {
    let _alone = alone();
    let _own = Own::new();
    let page = Page::new(TIMELINE, 0);
    let mut semaphore = import(&page, TIMELINE);
    let (graph, params) = (create(), to_signal(1));
    let node = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
        extSemArray: &mut semaphore,
        paramsArray: &params,
        numExtSems: 1,
    };
    let add = cuGraphAddExternalSemaphoresSignalNode;
    let added = out!(add(_, graph, null(), 0, &node));
    // Kernels cannot launch such a graph, and such a node cannot be disabled.
    invalid!(cuGraphInstantiateWithFlags(&mut null_mut(), graph, 4));
    let exec = instantiate(graph);
    invalid!(cuGraphNodeGetEnabled(exec, added, &mut 9));
    invalid!(cuGraphNodeSetEnabled(exec, added, 0));
    // The semaphore stays alive as long as the graph.
    ok!(cuDestroyExternalSemaphore(semaphore));
    let stream = stream(1);
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuStreamSynchronize(stream));
    assert_eq!(page.value(), 1);
    // An update to another number of semaphores is rejected.
    let other = create();
    let none = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
        numExtSems: 0,
        ..node
    };
    out!(add(_, other, null(), 0, &none));
    let mut info = CUgraphExecUpdateResultInfo::default();
    let code = call!(cuGraphExecUpdate_v2(exec, other, &mut info));
    assert_eq!(code, GRAPH_EXEC_UPDATE_FAILURE);
    assert_eq!(info.result.0, 5);
    play(other, stream);
    ok!(cuGraphExecDestroy(exec));
    ok!(cuGraphDestroy(other));
    ok!(cuGraphDestroy(graph));
}

#[test]
fn semaphore_calls_are_captured() {
    let _alone = alone();
    let _own = Own::new();
    let (page, stream) = (Page::new(TIMELINE, 0), stream(1));
    let semaphore = import(&page, TIMELINE);
    begin(stream, LOCAL);
    signal(semaphore, 7, stream);
    wait(semaphore, 7, stream);
    let graph = end(stream);
    assert_eq!(page.value(), 0);
    // Imports are forbidden during a capture.
    begin(stream, LOCAL);
    let wanted = described(TIMELINE, page.number());
    let made = result!(cuImportExternalSemaphore(_, &wanted));
    assert_eq!(made, Err(STREAM_CAPTURE_UNSUPPORTED));
    graphs::end_with(stream, STREAM_CAPTURE_INVALIDATED);
    play(graph, stream);
    assert_eq!(page.value(), 7);
    ok!(cuGraphDestroy(graph));
    ok!(cuDestroyExternalSemaphore(semaphore));
}
