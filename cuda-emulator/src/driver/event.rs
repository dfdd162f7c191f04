//! Events: points in a stream's order, with the time they were reached.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use super::abi::{CU_EVENT_DISABLE_TIMING, EdgeData};
use super::context::{self, Context};
use super::handle::{Object, Table};
use super::registry::Owner;
use super::status::{Code, Result};
use super::stream::{How, Mark, Piece, Siblings, Stream};
use super::streams;
use crate::lock::Unpoisoned;

/// An event.
pub struct Event {
    pub handle: u64,
    pub context: Arc<Context>,
    pub flags: u32,
    /// The last record, if any.
    record: Arc<Mutex<Option<Record>>>,
}

#[derive(Clone)]
enum Record {
    /// In a stream's order.
    Done(Point),
    /// In a capture: no stream will reach it.
    Captured(Captured),
}

/// What an event means that was recorded in a capture.
#[derive(Clone)]
pub struct Captured {
    /// The capture's id.
    pub capture: u64,
    /// The nodes that were the last of the stream, with the data of edges from them.
    pub front: Vec<(u64, EdgeData)>,
}

#[derive(Clone)]
struct Point {
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
        record: Arc::default(),
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

    /// Records the event behind all that a context's streams have to do now.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_HANDLE` when the event belongs to another context.
    pub fn record_all(&self, context: &Arc<Context>) -> Result {
        let all = Siblings::of(context).all();
        self.record_behind(context, &all, &streams::legacy(context))
    }

    /// Records the event, on one stream, behind all that some streams of a context have to do now.
    ///
    /// # Errors
    /// As [`record_all`](Self::record_all).
    pub fn record_behind(
        &self,
        context: &Arc<Context>,
        streams: &[Arc<Stream>],
        on: &Arc<Stream>,
    ) -> Result {
        if !Arc::ptr_eq(&self.context, context) {
            return Err(Code::ERROR_INVALID_HANDLE);
        }
        on.submit(Piece {
            after: streams
                .iter()
                .filter_map(|stream| stream.pending())
                .collect(),
            ..self.recording()
        });
        Ok(())
    }

    /// The piece of work that records the event.
    pub fn recording(&self) -> Piece {
        let time = Arc::new(AtomicU64::new(0));
        let (place, record) = (time.clone(), self.record.clone());
        let work = Box::new(move || {
            place.store(now(), Ordering::Release);
            Ok(())
        });
        Piece {
            placed: Some(Box::new(move |mark| {
                *record.lock().unpoisoned() = Some(Record::Done(Point { mark, time }));
            })),
            ..Piece::new(How::AtOnce, work)
        }
    }

    /// The piece of work that waits for the event as it was last recorded.
    pub fn waiting(&self) -> Piece {
        Piece {
            after: self.mark().into_iter().collect(),
            ..Piece::new(How::Soon, Box::new(|| Ok(())))
        }
    }

    /// Records the event in a capture.
    pub fn capture(&self, captured: Captured) {
        *self.record.lock().unpoisoned() = Some(Record::Captured(captured));
    }

    /// What the event means, if it was last recorded in a capture.
    pub fn captured(&self) -> Option<Captured> {
        match self.last()? {
            Record::Captured(captured) => Some(captured),
            Record::Done(_) => None,
        }
    }

    /// Whether the event was ever recorded.
    pub fn is_recorded(&self) -> bool {
        self.record.lock().unpoisoned().is_some()
    }

    /// Has a stream wait for the event.
    pub fn hold_up(&self, stream: &Arc<Stream>) {
        if self.mark().is_some() {
            stream.submit(self.waiting());
        }
    }

    fn point(&self) -> Option<Point> {
        match self.last()? {
            Record::Done(point) => Some(point),
            Record::Captured(_) => None,
        }
    }

    /// The point to wait for; `None` if the event was never recorded or has been reached.
    pub fn mark(&self) -> Option<Mark> {
        self.point()
            .map(|point| point.mark)
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
        let (Some(from), Some(to)) = (start.point(), self.point()) else {
            return Err(Code::ERROR_INVALID_HANDLE);
        };
        if !from.mark.is_reached() || !to.mark.is_reached() {
            // Who asks wants them reached, as with a query.
            from.mark.want();
            to.mark.want();
            return Err(Code::ERROR_NOT_READY);
        }
        let [from, to] = [from, to].map(|point| point.time.load(Ordering::Acquire) as i64);
        Ok(((to - from) as f64 / 1e6) as f32)
    }
}
