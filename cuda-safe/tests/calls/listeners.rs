//! Calls in listeners for driver messages. The driver runs a listener inside the call that fails.

use std::{
    cell::Cell,
    process,
    sync::{
        Mutex,
        mpsc::{Sender, channel},
    },
    thread,
    time::Duration,
};

#[cfg(feature = "opengl")]
use cuda_safe::opengl::GraphicsResource;
use cuda_safe::{
    Error, Result, logs,
    memory::{MemoryLocation, PoolType},
    module::Linker,
    peer::PeerAccess,
};

use super::*;

/// Runs `body` on another thread. If a call waits for itself, this aborts the process, because
/// dropping anything might also wait.
pub(super) fn in_time<R: Send + 'static>(body: impl FnOnce() -> R + Send + 'static) -> R {
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(body()));
    let result = receiver.recv_timeout(Duration::from_secs(60));
    result.unwrap_or_else(|error| {
        eprintln!("the call did not return: {error}");
        process::abort()
    })
}

/// Listens with a function that makes `calls` and sends their results, while `fail` makes a call
/// that fails. Returns the results.
fn results_in_listener(
    fail: impl FnOnce() + Send + 'static,
    calls: impl Fn(&Sender<Result<()>>) + Send + Sync + 'static,
) -> Vec<Result<()>> {
    let (sender, receiver) = channel();
    let sender = Mutex::new(sender);
    in_time(move || {
        let listener = logs::listen(move |_, _| calls(&sender.lock().unwrap())).unwrap();
        fail();
        listener.close().unwrap();
    });
    receiver.into_iter().collect()
}

#[track_caller]
fn assert_rejected(results: Vec<Result<()>>, count: usize) {
    assert_eq!(results.len(), count, "{results:?}");
    for result in results {
        let error: Error = result.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
        assert!(error.to_string().contains("must not call CUDA"), "{error}");
    }
}

#[test]
fn peer_access_is_rejected_in_listeners() {
    traced("", || {
        let [here, there] = [0, 1].map(|number| Context::primary(number).unwrap());
        let access = here.enable_peer_access(&there).unwrap();
        let other = Mutex::new(Some(there.enable_peer_access(&here).unwrap()));
        let (a, b) = (here.clone(), there.clone());
        let again = here.clone();
        let mut results = results_in_listener(
            move || assert!(again.enable_peer_access(&again).is_err()),
            move |results| {
                let enabled = a.enable_peer_access(&b).map(drop);
                results.send(enabled).unwrap();
                // Peer access cannot be disabled here, so this happens later.
                let closed = other.lock().unwrap().take().map(PeerAccess::close);
                results.send(closed.unwrap()).unwrap();
            },
        );
        results.pop().expect("expected two results").unwrap();
        assert_rejected(results, 1);
        // Outside the listener, dropping ends both accesses.
        drop(access);
        assert_eq!(calls("cuCtxDisablePeerAccess").len(), 2);
        in_time(move || here.enable_peer_access(&there).unwrap());
    });
}

#[test]
fn linker_is_rejected_in_a_listener_of_its_own_call() {
    traced("", || {
        let (context, _) = device();
        let linker = Linker::new(&context).unwrap();
        let (inner, outer) = (linker.clone(), linker.clone());
        let results = results_in_listener(
            move || {
                let wrong = ".version 7.0\n.target sm_50\n.address_size 64\nnonsense";
                assert!(outer.add_ptx("wrong.ptx", wrong).is_err());
            },
            move |results| {
                results.send(inner.add_ptx("set.ptx", PTX)).unwrap();
                results.send(inner.finish_to_image().map(drop)).unwrap();
                results.send(inner.finish().map(drop)).unwrap();
                assert_eq!(inner.info_log(), "");
            },
        );
        assert_rejected(results, 3);
        // Outside the listener, the linker accepts calls again.
        linker.add_ptx("set.ptx", PTX).unwrap();
    });
}

#[test]
fn pools_contexts_and_messages_are_rejected_in_listeners() {
    traced("", || {
        let (context, _) = device();
        let pool = MemoryPool::new(&context).unwrap();
        let (outer, inner) = (pool.clone(), context.clone());
        let second = Device::get(1).unwrap();
        let wrong = MemoryLocation::HOST;
        let results = results_in_listener(
            move || assert!(outer.make_current_at(wrong, PoolType::PINNED).is_err()),
            move |results| {
                let calls = [
                    Context::primary_of(second).map(drop),
                    MemoryPool::current(&inner).map(drop),
                    MemoryPool::default_of(&inner).map(drop),
                    MemoryPool::new(&inner).map(drop),
                    pool.make_current_at(wrong, PoolType::PINNED),
                    logs::position().map(drop),
                    logs::all().map(drop),
                    logs::write_to("/nonexistent/folder/file", None),
                ];
                calls.into_iter().for_each(|one| results.send(one).unwrap());
            },
        );
        assert_rejected(results, 8);
        in_time(move || Context::primary_of(second).unwrap());
    });
}

/// A listener runs on the thread of the failing call, so it can reach objects that must not leave
/// that thread.
#[cfg(feature = "opengl")]
#[test]
fn thread_bound_object_dropped_in_a_listener_is_leaked() {
    thread_local!(static RESOURCE: Cell<Option<GraphicsResource>> = const { Cell::new(None) });
    traced("", || {
        let (context, stream) = device();
        // SAFETY: the emulator looks handles up, and has none of this kind.
        let resource = unsafe { GraphicsResource::from_raw(std::ptr::null_mut(), &context) };
        RESOURCE.set(Some(resource));
        let listener = logs::listen(|_, _| drop(RESOURCE.take())).unwrap();
        // SAFETY: the driver rejects it.
        let code = unsafe { sys::cuMemFree_v2(1) };
        assert_ne!(code, CUresult::CUDA_SUCCESS);
        assert!(RESOURCE.take().is_none(), "the listener was not called");
        listener.close().unwrap();
        // No thread unregisters it, because another OpenGL context may be current there.
        let event = thread::spawn(move || drop(Event::new(&context).unwrap()));
        event.join().unwrap();
        drop(stream);
        assert!(calls("cuGraphicsUnregisterResource").is_empty());
        // SAFETY: the leaked resource has a reference to the context, and nothing else uses either.
        let code = unsafe { sys::cuDevicePrimaryCtxRelease_v2(0) };
        assert_eq!(code, CUresult::CUDA_SUCCESS);
    });
}
