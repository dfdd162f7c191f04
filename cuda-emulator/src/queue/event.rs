//! Events: points in a stream's order, with the time at which they were reached.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use super::happens_before;
use super::stream::{ContextStreams, How, Mark, Piece, Stream};
use super::stream_table;
use crate::abi::status::{Code, Result};
use crate::abi::{CU_EVENT_DISABLE_TIMING, CU_EVENT_INTERPROCESS, EdgeData};
use crate::process::context::{self, Context};
use crate::process::handle::{Object, Table};
use crate::process::registry::Owner;
use crate::process::shared_slots::{self, HandleKind, OpenError, SharedEvent, SharedRecord, Slot};
use crate::process::warnings;
use cuda_emulator_engine::Unpoisoned;

/// An event.
pub struct Event {
    pub handle: u64,
    pub context: Arc<Context>,
    pub flags: u32,
    /// The last record by this process, if any.
    record: Arc<Mutex<Option<Record>>>,
    /// The state shared with other processes, for an interprocess event.
    shared: Option<SharedEvent>,
    /// Whether another process created it.
    opened: bool,
}

#[derive(Clone)]
enum Record {
    /// Recorded in a stream's order.
    Done(Point),
    /// Recorded in a capture, so that no stream will reach it.
    Captured(Captured),
}

/// The meaning of an event that was recorded in a capture.
#[derive(Clone)]
pub struct Captured {
    /// The capture's id.
    pub capture: u64,
    /// The last nodes of the stream, with the data of edges from them.
    pub front: Vec<(u64, EdgeData)>,
}

#[derive(Clone)]
struct Point {
    mark: Mark,
    /// Nanoseconds since the first event, stored when the mark is reached.
    time: Arc<AtomicU64>,
    /// The number of the record among those of all processes, for a shared event.
    number: u64,
}

/// The work that a wait for an event must wait for.
enum Wanted {
    /// Work of this process.
    Here(Mark),
    /// A record of another process.
    Elsewhere(SharedEvent, SharedRecord),
}

/// Publishes that a record was reached, when the work is done or discarded.
struct ReachedOnDrop {
    event: SharedEvent,
    number: Arc<AtomicU64>,
}

impl Drop for ReachedOnDrop {
    fn drop(&mut self) {
        self.event.reach(self.number.load(Ordering::Acquire));
    }
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
///
/// # Errors
/// Returns `CUDA_ERROR_OUT_OF_MEMORY` if no slot is left for an interprocess event, or an error if
/// there is no usable current context.
pub fn create(flags: u32) -> Result<Arc<Event>> {
    let context = context::current()?;
    now();
    let shared = match flags & CU_EVENT_INTERPROCESS {
        0 => None,
        _ => {
            warnings::expect_sharing("an event of several processes on Windows")?;
            Some(Slot::new().ok_or(Code::ERROR_OUT_OF_MEMORY)?)
        }
    };
    Ok(EVENTS.insert(|handle| Event {
        handle,
        context,
        flags,
        record: Arc::default(),
        shared: shared.map(SharedEvent),
        opened: false,
    }))
}

/// Opens an event of another process.
///
/// # Errors
/// As on an H200 (driver 580), returns `CUDA_ERROR_INVALID_CONTEXT` if the event is from this
/// process, and `CUDA_ERROR_MAP_FAILED` if the handle is invalid. Also returns
/// `CUDA_ERROR_MAP_FAILED` if the event's process has ended, although an H200 can open such an
/// event.
pub fn open(handle: &shared_slots::Handle) -> Result<Arc<Event>> {
    warnings::expect_sharing("an event of several processes on Windows")?;
    let context = context::current()?;
    let slot = Slot::open(HandleKind::Event, handle).map_err(|error| match error {
        OpenError::SameProcess => Code::ERROR_INVALID_CONTEXT,
        OpenError::Invalid | OpenError::Unreachable => Code::ERROR_MAP_FAILED,
    })?;
    now();
    Ok(EVENTS.insert(|handle| Event {
        handle,
        context,
        flags: CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING,
        record: Arc::default(),
        shared: Some(SharedEvent(slot)),
        opened: true,
    }))
}

/// Returns the event of a handle.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if the handle is not that of a live event, or an error if
/// its context is destroyed or has faulted.
pub fn get(handle: u64) -> Result<Arc<Event>> {
    let event = EVENTS.get(handle).ok_or(Code::ERROR_INVALID_HANDLE)?;
    event.context.usable()?;
    Ok(event)
}

/// Destroys an event. Waits in progress are not affected.
///
/// # Errors
/// Returns the errors of [`get`].
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

    /// Records the event after all current work of a context's streams.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_HANDLE` if the event belongs to another context.
    pub fn record_all(&self, context: &Arc<Context>) -> Result {
        let all = ContextStreams::of(context).all();
        self.record_behind(context, &all, &stream_table::legacy(context))
    }

    /// Records the event on stream `on`, after all current work of `streams`.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_HANDLE` if the event belongs to another context.
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
                .filter_map(|stream| stream.end_to_await())
                .collect(),
            ..self.recording()
        });
        Ok(())
    }

    /// Returns its handle for other processes.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_HANDLE` unless this process created it as an interprocess event.
    pub fn export(&self) -> Result<shared_slots::Handle> {
        let own = self.shared.as_ref().filter(|_| !self.opened);
        let SharedEvent(slot) = own.ok_or(Code::ERROR_INVALID_HANDLE)?;
        Ok(slot.handle(HandleKind::Event))
    }

    /// Returns the stream work that records the event.
    pub fn recording(&self) -> Piece {
        let time = Arc::new(AtomicU64::new(0));
        let (place, record) = (time.clone(), self.record.clone());
        let publish = self.shared.clone().map(|event| ReachedOnDrop {
            event,
            number: Arc::default(),
        });
        let published = publish
            .as_ref()
            .map(|publish| (publish.event.clone(), publish.number.clone()));
        let work = Box::new(move || {
            place.store(now(), Ordering::Release);
            drop(publish);
            Ok(())
        });
        Piece {
            placed: Some(Box::new(move |mark| {
                let number = published.map_or(0, |(shared, number)| {
                    let own = shared.record();
                    number.store(own, Ordering::Release);
                    own
                });
                *record.lock().unpoisoned() = Some(Record::Done(Point { mark, time, number }));
            })),
            ..Piece::new(How::AtOnce, work)
        }
    }

    /// Returns the stream work that waits for the event as it was last recorded.
    pub fn waiting(&self) -> Piece {
        let (after, elsewhere) = match self.awaited() {
            None => (Vec::new(), None),
            Some(Wanted::Here(mark)) => (vec![mark], None),
            Some(Wanted::Elsewhere(event, record)) => (Vec::new(), Some((event, record))),
        };
        // A wait for another process can take long, so only the stream's own thread does it.
        let how = match elsewhere {
            None => How::Soon,
            Some(_) => How::ByWorker,
        };
        let work = Box::new(move || {
            if let Some((event, record)) = elsewhere {
                event.wait(record);
                happens_before::acquire_all();
            }
            Ok(())
        });
        Piece {
            after,
            ..Piece::new(how, work)
        }
    }

    /// Returns the work of this process after which it was recorded.
    pub fn mark(&self) -> Option<Mark> {
        self.point().map(|point| point.mark)
    }

    /// Returns the work that a wait orders other work after. If the order of work is not checked,
    /// returns `None` if that work is done.
    fn awaited(&self) -> Option<Wanted> {
        let own = self.point();
        if let Some(shared) = &self.shared {
            let last = shared.last();
            if own.as_ref().is_none_or(|own| own.number != last.number) {
                let open = last.number > 0 && !shared.is_reached(last);
                return open.then(|| Wanted::Elsewhere(shared.clone(), last));
            }
        }
        let mark = own.map(|point| point.mark);
        let is_needed = |mark: &Mark| mark.position.is_some() || !mark.is_reached();
        mark.filter(is_needed).map(Wanted::Here)
    }

    /// Returns whether the last record has been reached, or there is none. Like a wait, this query
    /// starts delayed work.
    pub fn is_reached(&self) -> bool {
        match self.awaited() {
            None => true,
            Some(Wanted::Here(mark)) => {
                // Delayed work that starts now counts as not reached, however fast it ends.
                let reached = mark.is_reached();
                if reached {
                    mark.show_host();
                } else {
                    mark.want();
                }
                reached
            }
            Some(Wanted::Elsewhere(..)) => false,
        }
    }

    /// Waits for the event as it was last recorded.
    pub fn wait(&self) {
        match self.awaited() {
            None => {}
            Some(Wanted::Here(mark)) => {
                mark.wait_for_client();
                mark.show_host();
            }
            Some(Wanted::Elsewhere(event, record)) => event.wait(record),
        }
    }

    /// Records the event in a capture.
    pub fn capture(&self, captured: Captured) {
        *self.record.lock().unpoisoned() = Some(Record::Captured(captured));
    }

    /// Returns the meaning of the event if it was last recorded in a capture.
    pub fn captured(&self) -> Option<Captured> {
        match self.last()? {
            Record::Captured(captured) => Some(captured),
            Record::Done(_) => None,
        }
    }

    /// Returns whether the event was ever recorded.
    pub fn is_recorded(&self) -> bool {
        let elsewhere = self.shared.as_ref().is_some_and(|one| one.recorded() > 0);
        elsewhere || self.record.lock().unpoisoned().is_some()
    }

    /// Makes a stream wait for the event.
    pub fn make_wait(&self, stream: &Arc<Stream>) {
        if self.awaited().is_some() {
            stream.submit(self.waiting());
        }
    }

    fn point(&self) -> Option<Point> {
        match self.last()? {
            Record::Done(point) => Some(point),
            Record::Captured(_) => None,
        }
    }

    /// Returns the milliseconds from `start` to this event.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_HANDLE` if one of the events was never recorded, was created
    /// without timing or belongs to another context. Returns `CUDA_ERROR_NOT_READY` if one has not
    /// been reached yet.
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
            // As with a query, delayed work begins.
            from.mark.want();
            to.mark.want();
            return Err(Code::ERROR_NOT_READY);
        }
        for point in [&from, &to] {
            point.mark.show_host();
        }
        let [from, to] = [from, to].map(|point| point.time.load(Ordering::Acquire) as i64);
        Ok(((to - from) as f64 / 1e6) as f32)
    }
}
