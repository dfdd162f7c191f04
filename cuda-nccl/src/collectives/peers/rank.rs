//! The rank that a thread has.

use std::{
    cell::RefCell,
    fmt,
    sync::{Arc, atomic::Ordering},
    thread,
    time::{Duration, Instant},
};

use cuda_safe::{
    Context, DeviceMemory, DeviceView, DeviceViewMut, Event, Owner, PlainData, Settled, Stream,
    memory::{Storage, StorageMut},
};

use super::{Shared, frame::Frame, own::Own};
use crate::{
    collectives::{Collectives, expect_context},
    element::{Reducible, Reduction},
    error::{Error, Result},
};

/// A device of a [`PeerGroup`](super::PeerGroup): the rank for one thread. What it does with the others are the methods of
/// [`Collectives`].
///
/// When it is dropped, the others' next call ends with [`Error::Lost`], and it waits for what it has enqueued, with the time
/// limit: what goes on after that keeps its memory for ever.
///
/// The first call of a kind loads its kernel, for which the driver may wait for all work of the device, without a time limit.
pub struct PeerRank {
    rank: usize,
    shared: Arc<Shared>,
    /// Also: a rank is for one thread at a time.
    own: RefCell<Own>,
}

impl PeerRank {
    pub(super) fn new(rank: usize, shared: Arc<Shared>) -> Result<Self> {
        let own = Own::new(&shared.contexts[rank], shared.size())?;
        Ok(Self {
            rank,
            shared,
            own: RefCell::new(own),
        })
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Frames a call: `work` does it, and meets the others in [`begin`](Frame::begin). If it fails before that, the others
    /// are told to make no such call.
    pub(super) fn call<'a, R>(
        &self,
        stream: &Stream,
        owners: impl IntoIterator<Item = Owner<'a>> + Clone,
        work: impl FnOnce(&mut Frame<'_>) -> Result<R>,
    ) -> Result<R> {
        // Nothing may be enqueued any more: nobody tells when outboxes have been read.
        if let Some(why) = self.shared.meeting.lost() {
            // Another rank may have met this one's fault before this one did.
            let own = stream
                .query()
                .err()
                .map(Error::from)
                .filter(Error::is_fault);
            return Err(own.unwrap_or(Error::Lost(why)));
        }
        let mut own = self.own.borrow_mut();
        own.calls += 1;
        let mut frame = Frame {
            rank: self,
            stream,
            parity: own.calls % 2,
            own: &mut own,
            met: false,
            bound: false,
        };
        let checked = self.check(stream, owners.clone());
        let may_use = checked.is_ok();
        let result = checked.and_then(|()| frame.follow());
        let result = result.and_then(|()| stream.ordered_with(owners, || work(&mut frame)));
        // The next call comes behind what this one has enqueued, on whatever stream that is, and a wait for this stream ends
        // there.
        let marked = match may_use {
            true => frame.own.ends.record(stream),
            false => Ok(()),
        };
        if let Err(error) = &marked {
            let why = format!("rank {} failed: {error}", self.rank);
            self.shared.meeting.lose(&why);
        }
        let Err(error) = &result else {
            return result.and_then(|done| marked.map(|()| done));
        };
        let why = error.to_string();
        if error.is_fault() {
            let why = format!("the device of rank {} has failed: {why}", self.rank);
            self.shared.meeting.lose(&why);
        } else if !frame.met {
            frame.refuse(why);
        } else if matches!(error, Error::Cuda(_)) {
            // The others count on what was not enqueued.
            let why = format!("rank {} failed: {why}", self.rank);
            self.shared.meeting.lose(&why);
        }
        result
    }

    fn check<'a>(
        &self,
        stream: &Stream,
        owners: impl IntoIterator<Item = Owner<'a>>,
    ) -> Result<()> {
        expect_context(self.rank, self.context(), stream, owners)?;
        if stream.is_capturing()? {
            return Err(Error::Value(
                "the stream is being captured: ranks meet on the host, which a graph does not"
                    .into(),
            ));
        }
        Ok(())
    }
}

impl Collectives for PeerRank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.shared.size()
    }

    fn context(&self) -> &Context {
        &self.shared.contexts[self.rank]
    }

    fn all_reduce<T: Reducible>(
        &self,
        stream: &Stream,
        data: &mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<()> {
        self.reduce_all(stream, data.view_mut(), reduction)
    }

    fn broadcast<T: PlainData>(
        &self,
        stream: &Stream,
        data: &mut DeviceMemory<impl StorageMut, T>,
        root: usize,
    ) -> Result<()> {
        self.copy_from_root(stream, data.view_mut(), root)
    }

    fn all_gather<T: PlainData>(
        &self,
        stream: &Stream,
        part: &DeviceMemory<impl Storage, T>,
        all: &mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<()> {
        self.copy_from_all(stream, part.view(), all.view_mut())
    }

    fn reduce_scatter<T: Reducible>(
        &self,
        stream: &Stream,
        all: &DeviceMemory<impl Storage, T>,
        part: &mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<()> {
        self.reduce_parts(stream, all.view(), part.view_mut(), reduction)
    }

    fn all_to_all<T: PlainData>(
        &self,
        stream: &Stream,
        from: &DeviceMemory<impl Storage, T>,
        to: &mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<()> {
        self.copy_parts(stream, from.view(), to.view_mut())
    }

    fn exchange<T: PlainData>(
        &self,
        stream: &Stream,
        sends: &[(usize, DeviceView<'_, T>)],
        receives: &mut [(usize, DeviceViewMut<'_, T>)],
    ) -> Result<()> {
        self.copy_between(stream, sends, receives)
    }

    fn refuse(&self, why: &str) {
        let side = self.own.borrow().side.clone();
        let _: Result<()> = self.call(&side, [], |_| Err(Error::Value(why.to_owned())));
    }

    fn gather_on_host<T: PlainData>(&self, stream: &Stream, values: &[T]) -> Result<Vec<T>> {
        self.tell_all(stream, values)
    }

    fn wait(&self, stream: &Stream) -> Result<()> {
        expect_context(self.rank, self.context(), stream, [])?;
        let limit = self.shared.options.timeout;
        // The user's work behind the last call on this stream is not this group's, and has no time limit. Neither has work on
        // other streams, where later calls of the group may wait for it.
        let start = Instant::now();
        let end = self.own.borrow().ends.of(stream).cloned();
        while !end.as_ref().map_or(Ok(true), Event::query)? {
            let waited = start.elapsed();
            if waited > limit {
                self.shared.stuck.store(true, Ordering::Relaxed);
                let why = format!(
                    "the work of rank {} has not ended within the time limit of {limit:?}",
                    self.rank
                );
                self.shared.meeting.lose(&why);
                return Err(Error::Lost(why));
            }
            match waited < Duration::from_millis(2) {
                true => thread::yield_now(),
                false => thread::sleep(Duration::from_micros(50)),
            }
        }
        self.expect_healthy(stream)
    }
}

impl PeerRank {
    /// An error if the device of a rank has failed that this one's work has waited for: an event is over then too, and what was
    /// read behind it is not what was meant.
    fn expect_healthy(&self, stream: &Stream) -> Result<()> {
        let mut own = self.own.borrow_mut();
        for (rank, followed) in own.followed.iter_mut().enumerate() {
            match followed.as_ref().map_or(Ok(true), Event::query) {
                Ok(true) => *followed = None,
                // A later call on another stream has waited for it.
                Ok(false) => {}
                Err(error) => {
                    *followed = None;
                    return Err(self.blame(stream, rank, error));
                }
            }
        }
        Ok(())
    }

    /// An error at another rank's event: that rank's, unless this one's own device has failed.
    #[cold]
    pub(super) fn blame(&self, stream: &Stream, other: usize, error: cuda_safe::Error) -> Error {
        if stream.query().is_err() {
            return error.into();
        }
        let why = format!("the device of rank {other} has failed: {error}");
        self.shared.meeting.lose(&why);
        Error::Lost(why)
    }

    /// Whether all that this rank's calls have enqueued is over: waits for it, unless it is known not to end.
    fn is_over(&mut self) -> bool {
        let (own, shared) = (self.own.get_mut(), &self.shared);
        let start = Instant::now();
        // Each call comes behind the one before, on whatever streams, so the end of the last one is enough. Work of the user's
        // may be stuck on other streams.
        loop {
            let last = own.ends.last();
            let last_is_over = last.map_or(Ok(true), |(_, end)| end.query());
            match last_is_over.and_then(|over| Ok(over && own.side.query()?)) {
                Ok(true) => return true,
                Ok(false) => {}
                Err(_) => {
                    let last = last.map(|(stream, _)| stream);
                    let mut streams = last.into_iter().chain([&own.side]);
                    return streams.all(|stream| !matches!(stream.settle(), Settled::Unknown(_)));
                }
            }
            let is_late = start.elapsed() > shared.options.timeout;
            if shared.stuck.fetch_or(is_late, Ordering::Relaxed) || is_late {
                return false;
            }
            thread::sleep(Duration::from_micros(50));
        }
    }
}

impl Drop for PeerRank {
    fn drop(&mut self) {
        let why = match thread::panicking() {
            true => format!("rank {} has panicked", self.rank),
            false => format!("rank {} has ended", self.rank),
        };
        self.shared.meeting.lose(&why);
        // What this rank has enqueued may still use the scratch memory, which goes with the last rank, and the inbox.
        if !self.is_over() {
            std::mem::forget(self.shared.clone());
            let own = self.own.get_mut();
            // A module that goes waits for its whole context.
            std::mem::forget((own.inbox.take(), std::mem::take(&mut own.kernels)));
        }
    }
}

impl fmt::Debug for PeerRank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PeerRank({} of {:?})", self.rank, self.shared)
    }
}
