//! User objects: the references that keep them alive, and the calls of their destructors.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

const NO_SYNC: u32 = 1;
const MOVE: u32 = 1;

/// The number of calls of a destructor.
struct Calls(&'static AtomicU32);

unsafe extern "C" fn destroy(data: *mut c_void) {
    fails!(NOT_PERMITTED, cuCtxGetCurrent(&mut null_mut()));
    // SAFETY: The tests pass a counter that is never freed.
    unsafe { &*data.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
}

/// Creates an object with this number of references, which belong to the caller.
fn object(references: u32) -> (CUuserObject, Calls) {
    let calls: &'static AtomicU32 = Box::leak(Box::default());
    let (data, destroy) = (arg(calls), Some(destroy as _));
    let object = out!(cuUserObjectCreate(_, data, destroy, references, NO_SYNC));
    (object, Calls(calls))
}

impl Calls {
    /// Checks that the object is still alive after a while.
    fn none(&self) {
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(self.0.load(Ordering::SeqCst), 0);
    }

    /// Waits until the destructor has been called once, by another thread.
    fn once(&self) {
        let end = Instant::now() + Duration::from_secs(20);
        while self.0.load(Ordering::SeqCst) == 0 && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(self.0.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn client_references_keep_objects_alive() {
    let _alone = alone();
    let _context = Own::new();
    let (object, calls) = object(2);
    ok!(cuUserObjectRetain(object, 3));
    ok!(cuUserObjectRelease(object, 4));
    invalid!(cuUserObjectRelease(object, 2));
    for count in [0, 1 << 31] {
        invalid!(cuUserObjectRetain(object, count));
        invalid!(cuUserObjectRelease(object, count));
    }
    calls.none();
    ok!(cuUserObjectRelease(object, 1));
    calls.once();
    invalid!(cuUserObjectRelease(object, 1));
    invalid!(cuUserObjectRetain(object, 1));
    let (mut wrong, data, destroy) = (null_mut(), null_mut(), Some(destroy as _));
    invalid!(cuUserObjectCreate(&mut wrong, data, None, 1, NO_SYNC));
    invalid!(cuUserObjectCreate(&mut wrong, data, destroy, 0, NO_SYNC));
    invalid!(cuUserObjectCreate(&mut wrong, data, destroy, 1, 0));
    invalid!(cuUserObjectCreate(null_mut(), data, destroy, 1, NO_SYNC));
}

#[test]
fn graphs_and_their_copies_keep_objects_alive() {
    let _alone = alone();
    let _context = Own::new();
    let (graph, outer) = (create(), create());
    let (object, calls) = object(1);
    ok!(cuGraphRetainUserObject(graph, object, 2, 0));
    ok!(cuUserObjectRelease(object, 1));
    calls.none();
    // The client has no references left to move.
    invalid!(cuGraphRetainUserObject(graph, object, 1, MOVE));
    invalid!(cuGraphRetainUserObject(graph, object, 0, 0));
    invalid!(cuGraphRetainUserObject(graph, object, 1, 2));
    ok!(cuGraphReleaseUserObject(graph, object, 1));
    invalid!(cuGraphReleaseUserObject(graph, object, 2));
    invalid!(cuGraphReleaseUserObject(outer, object, 1));
    let clone = out!(cuGraphClone(_, graph));
    let child = add_child(outer, graph).unwrap();
    ok!(cuGraphDestroy(graph));
    calls.none();
    ok!(cuGraphDestroy(clone));
    calls.none();
    ok!(cuGraphDestroyNode(child));
    calls.once();
    // Released through the graph.
    let (object, calls) = self::object(1);
    ok!(cuGraphRetainUserObject(outer, object, 1, MOVE));
    invalid!(cuUserObjectRelease(object, 1));
    ok!(cuGraphReleaseUserObject(outer, object, 1));
    calls.once();
    invalid!(cuGraphRetainUserObject(outer, object, 1, 0));
    invalid!(cuGraphRetainUserObject(null_mut(), object, 1, 0));
}

#[test]
fn executable_graphs_and_launches_keep_objects_alive() {
    let _alone = alone();
    let _context = Own::new();
    let (stream, word) = (stream(1), alloc(4));
    begin(stream, GLOBAL);
    ok!(cuMemsetD32Async(word, 1, 1, stream));
    let graph = end(stream);
    let (object, calls) = object(1);
    ok!(cuGraphRetainUserObject(graph, object, 1, MOVE));
    let exec = instantiate(graph);
    ok!(cuGraphDestroy(graph));
    calls.none();
    let gate = block(stream);
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuGraphExecDestroy(exec));
    calls.none();
    gate.open();
    ok!(cuStreamSynchronize(stream));
    calls.once();
}

#[test]
fn updates_take_objects_of_the_other_graph() {
    let _alone = alone();
    let _context = Own::new();
    let (graph, new) = (create(), create());
    let ((one, first), (two, second)) = (object(1), object(1));
    ok!(cuGraphRetainUserObject(graph, one, 1, MOVE));
    ok!(cuGraphRetainUserObject(new, two, 1, MOVE));
    let exec = instantiate(graph);
    ok!(cuGraphDestroy(graph));
    first.none();
    out!(cuGraphExecUpdate_v2(exec, new, _));
    first.once();
    ok!(cuGraphDestroy(new));
    second.none();
    ok!(cuGraphExecDestroy(exec));
    second.once();
}
