//! Events: points in a stream's order, with the time they were reached.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use super::abi::CU_EVENT_DISABLE_TIMING;
use super::context::{self, Context};
use super::handle::{Object, Table};
use super::registry::Owner;
use super::status::{Code, Result};
use super::stream::{How, Mark, Siblings, Stream};
use super::streams;
use crate::lock::Unpoisoned;

/// An event.
pub struct Event {
    pub handle: u64,
    pub context: Arc<Context>,
    pub flags: u32,
    /// The last record, if any.
    record: Mutex<Option<Record>>,
}

#[derive(Clone)]
struct Record {
    mark: Mark,
    /// Nanoseconds since the first event, stored when the mark is reached.
    time: Arc<AtomicU64>,
}

static EVENTS: Table<Event> = Table::new();

impl Object for Event {
    const NAME: &'static str = "event";
    const TAG: u8 = 0x13;

    fn owner(&self) -> Option<&Owner> {
        Some(&self.context.owner)
    }

    fn leak(&self) -> Option<String> {
        Some(format!("event {:#x}", self.handle))
    }
}

fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Creates an event in the current context.
pub fn create(flags: u32) -> Result<Arc<Event>> {
    let context = context::current()?;
    now();
    Ok(EVENTS.insert(|handle| Event {
        handle,
        context,
        flags,
        record: Mutex::new(None),
    }))
}

/// The event behind a handle, its context usable.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`; the state of the context.
pub fn get(handle: u64) -> Result<Arc<Event>> {
    let event = EVENTS.get(handle).ok_or(Code::ERROR_INVALID_HANDLE)?;
    event.context.usable()?;
    Ok(event)
}

/// Destroys an event; waits for it that are under way are not disturbed.
pub fn destroy(handle: u64) -> Result {
    get(handle)?;
    EVENTS
        .remove(handle)
        .map(drop)
        .ok_or(Code::ERROR_INVALID_HANDLE)
}

impl Event {
    fn last(&self) -> Option<Record> {
        self.record.lock().unpoisoned().clone()
    }

    /// Records the event on a stream.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_HANDLE` when event and stream belong to different contexts.
    pub fn record(&self, stream: &Arc<Stream>) -> Result {
        if !Arc::ptr_eq(&self.context, &stream.context) {
            return Err(Code::ERROR_INVALID_HANDLE);
        }
        self.record_after(stream, Vec::new());
        Ok(())
    }

    /// Records the event behind all that a context's streams have to do now.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_HANDLE` when the event belongs to another context.
    pub fn record_all(&self, context: &Arc<Context>) -> Result {
        if !Arc::ptr_eq(&self.context, context) {
            return Err(Code::ERROR_INVALID_HANDLE);
        }
        let marks = Siblings::of(context)
            .all()
            .iter()
            .filter_map(|stream| stream.pending())
            .collect();
        self.record_after(&streams::legacy(context), marks);
        Ok(())
    }

    fn record_after(&self, stream: &Arc<Stream>, marks: Vec<Mark>) {
        let mut record = self.record.lock().unpoisoned();
        let time = Arc::new(AtomicU64::new(0));
        let place = time.clone();
        let work = Box::new(move || {
            place.store(now(), Ordering::Release);
            Ok(())
        });
        let mark = stream.submit(How::AtOnce, marks, work);
        *record = Some(Record { mark, time });
    }

    /// Has a stream wait for the event.
    pub fn hold_up(&self, stream: &Arc<Stream>) {
        if let Some(mark) = self.mark() {
            stream.submit(How::Soon, vec![mark], Box::new(|| Ok(())));
        }
    }

    /// The point to wait for; `None` if the event was never recorded or has been reached.
    pub fn mark(&self) -> Option<Mark> {
        self.last()
            .map(|record| record.mark)
            .filter(|mark| !mark.is_reached())
    }

    /// Milliseconds from `start` to this event.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_HANDLE` when one was never recorded or keeps no time, `CUDA_ERROR_NOT_READY`.
    pub fn since(&self, start: &Event) -> Result<f32> {
        if (self.flags | start.flags) & CU_EVENT_DISABLE_TIMING != 0
            || !Arc::ptr_eq(&self.context, &start.context)
        {
            return Err(Code::ERROR_INVALID_HANDLE);
        }
        let (Some(from), Some(to)) = (start.last(), self.last()) else {
            return Err(Code::ERROR_INVALID_HANDLE);
        };
        if !from.mark.is_reached() || !to.mark.is_reached() {
            // Who asks wants them reached, as with a query.
            from.mark.want();
            to.mark.want();
            return Err(Code::ERROR_NOT_READY);
        }
        let [from, to] = [from, to].map(|record| record.time.load(Ordering::Acquire) as i64);
        Ok(((to - from) as f64 / 1e6) as f32)
    }
}
