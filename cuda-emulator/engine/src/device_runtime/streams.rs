//! Streams and events of a grid.

use super::call::Call;
use super::errors::Error;
use super::grid::Key;

/// `cudaStreamDefault` and `cudaStreamNonBlocking`. An H200 accepts both, and they mean the same.
const STREAM_FLAGS: [u32; 2] = [0, 1];
/// `cudaEventDisableTiming`, the only kind of event that kernels can create.
const DISABLE_TIMING: u32 = 2;

/// `cudaStreamCreateWithFlags(stream, flags)`
pub(super) fn create_stream(call: &mut Call<'_, '_>) -> Option<u64> {
    let place = call.long(0);
    if place == 0 || !STREAM_FLAGS.contains(&call.word(1)) {
        return call.fail(Error::InvalidValue);
    }
    let handle = call.grid.create_stream();
    call.put_long(place, handle)?;
    Some(0)
}

/// `cudaStreamDestroy(stream)`. Enqueued work still runs.
pub(super) fn destroy_stream(call: &mut Call<'_, '_>) -> Option<u64> {
    match call.grid.destroy_stream(call.long(0)) {
        true => Some(0),
        false => call.fail(Error::InvalidValue),
    }
}

/// Returns the stream passed as an argument. Returns `None` if it does not exist, or if it is the
/// tail-launch or fire-and-forget stream, which do not support events.
fn ordered(call: &Call<'_, '_>, index: usize) -> Option<Key> {
    call.stream(index)
        .filter(|key| !matches!(key, Key::Tail | Key::Free))
}

/// `cudaStreamWaitEvent(stream, event, flags)`
pub(super) fn wait(call: &mut Call<'_, '_>) -> Option<u64> {
    let event = call.long(1);
    match ordered(call, 0) {
        Some(key) if call.word(2) == 0 && call.grid.wait(key, event) => Some(0),
        _ => call.fail(Error::InvalidValue),
    }
}

/// `cudaEventCreateWithFlags(event, flags)`
pub(super) fn create_event(call: &mut Call<'_, '_>) -> Option<u64> {
    let place = call.long(0);
    if place == 0 || call.word(1) != DISABLE_TIMING {
        return call.fail(Error::InvalidValue);
    }
    match call.grid.create_event() {
        Ok(handle) => {
            call.put_long(place, handle)?;
            Some(0)
        }
        Err(error) => call.fail(error),
    }
}

/// `cudaEventRecord(event, stream)`, also with flags, which have no effect.
pub(super) fn record(call: &mut Call<'_, '_>) -> Option<u64> {
    let event = call.long(0);
    match ordered(call, 1) {
        Some(key) if call.grid.record(event, key) => Some(0),
        _ => call.fail(Error::InvalidValue),
    }
}

/// `cudaEventDestroy(event)`
pub(super) fn destroy_event(call: &mut Call<'_, '_>) -> Option<u64> {
    match call.grid.destroy_event(call.long(0)) {
        true => Some(0),
        false => call.fail(Error::InvalidValue),
    }
}
