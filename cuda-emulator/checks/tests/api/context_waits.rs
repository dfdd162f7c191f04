//! Waiting for contexts: the synchronizing call, and events that represent all streams of a
//! context.

use cuda_emulator_checks::abi::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

unsafe extern "C" fn slowly(counter: *mut c_void) {
    std::thread::sleep(Duration::from_millis(30));
    // SAFETY: The test passes its counter, which outlives the work.
    unsafe { &*counter.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
}

/// Uses twenty streams: more than a context keeps before it checks for destroyed ones.
#[test]
fn waiting_for_a_context_waits_for_all_its_streams() {
    let context = Own::new();
    let mut streams: Vec<_> = (0..20).map(|at| stream(at % 2)).collect();
    let done = AtomicU32::new(0);
    for (round, destroyed) in [0, 5, 12].into_iter().enumerate() {
        for stream in streams.drain(..destroyed) {
            ok!(cuStreamDestroy_v2(stream));
        }
        let _other = (round == 2).then(Own::new);
        done.store(0, Ordering::SeqCst);
        for stream in &streams {
            ok!(cuLaunchHostFunc(*stream, Some(slowly), arg(&done)));
        }
        match round {
            0 => ok!(cuCtxSynchronize()),
            1 => ok!(cuCtxSynchronize_v2(null_mut())),
            // Another context is current.
            _ => ok!(cuCtxSynchronize_v2(context.0)),
        }
        assert_eq!(done.load(Ordering::SeqCst) as usize, streams.len());
    }
}

/// The legacy stream waits for all blocking streams, an event of the context for every stream.
#[test]
fn context_events_cover_all_streams() {
    let context = Own::new();
    let streams: Vec<_> = (0..12).map(|at| stream(at % 2)).collect();
    let (other, mut event) = (Own::new(), null_mut());
    ok!(cuCtxSetCurrent(context.0));
    ok!(cuEventCreate(&mut event, 0));
    let done = AtomicU32::new(0);
    for handle in [context.0, null_mut()] {
        done.store(0, Ordering::SeqCst);
        for stream in &streams {
            ok!(cuLaunchHostFunc(*stream, Some(slowly), arg(&done)));
        }
        ok!(cuCtxRecordEvent(handle, event));
        ok!(cuEventSynchronize(event));
        assert_eq!(done.load(Ordering::SeqCst), 12);
        // The streams of a context that waits for the event start after it.
        for stream in &streams {
            ok!(cuLaunchHostFunc(*stream, Some(slowly), arg(&done)));
        }
        ok!(cuCtxRecordEvent(handle, event));
        ok!(cuCtxSetCurrent(other.0));
        let waiting = stream(1);
        ok!(cuCtxWaitEvent(other.0, event));
        ok!(cuStreamSynchronize(waiting));
        assert_eq!(done.load(Ordering::SeqCst), 24);
        ok!(cuStreamDestroy_v2(waiting));
        ok!(cuCtxSetCurrent(context.0));
    }
}
