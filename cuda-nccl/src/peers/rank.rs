//! One rank of a peer group.

use std::{
    cell::RefCell,
    fmt,
    panic::Location,
    sync::{Arc, atomic::Ordering},
    thread,
    time::{Duration, Instant},
};

use cuda_safe::{
    Context, DeviceMemory, DeviceView, DeviceViewMut, Event, Owner, PlainData, Settled, Stream,
    memory::{Storage, StorageMut},
};

use super::{frame::Frame, loss::Loss, own::RankState, shared::Shared};
use crate::{
    collectives::{Collectives, expect_context},
    element::{Reducible, Reduction},
    error::{Error, Result},
    notice::rounded,
    pause,
};

/// One rank of a [`PeerGroup`](super::PeerGroup), for one thread. The operations are methods of
/// [`Collectives`].
///
/// **Drop.** Dropping a rank makes the next call of the other ranks return [`Error::Lost`]. The
/// drop waits for the rank's enqueued work, with the time limit. The memory of work that takes
/// longer is never freed.
///
/// The first call of a kind loads its kernel. The driver may then wait for all work of the device,
/// without a time limit.
pub struct PeerRank {
    rank: usize,
    shared: Arc<Shared>,
    /// The `RefCell` also restricts the rank to one thread at a time.
    own: RefCell<RankState>,
}

impl PeerRank {
    pub(super) fn new(rank: usize, shared: Arc<Shared>) -> Result<Self> {
        let own = RankState::new(&shared.contexts[rank], shared.size())?;
        Ok(Self {
            rank,
            shared,
            own: RefCell::new(own),
        })
    }

    pub(super) fn number(&self) -> usize {
        self.rank
    }

    /// Ends the group with the result of this rank's closure. The drop of the rank does not know it.
    pub(super) fn end<R>(&self, result: &Result<R>) {
        self.lose(match result {
            Ok(_) => Loss::Returned(self.rank),
            Err(error) if error.is_fault() => Loss::DeviceFailed(self.rank, error.to_string()),
            Err(error) => Loss::ReturnedError(self.rank, error.to_string()),
        });
    }

    /// Returns the error of a call after a loss. `call` describes the call, and may be empty.
    #[cold]
    pub(super) fn lost(&self, stream: &Stream, why: &Loss, call: &str) -> Error {
        // A fault ends all contexts of the process. This query sees it here too, so cuda-safe does not
        // print it a second time when the process exits.
        let own = stream.query().err().map(Error::from);
        let of_other = matches!(why, Loss::DeviceFailed(rank, _) if *rank != self.rank);
        // Another rank may have noticed this rank's fault first.
        let own = own.filter(|error| error.is_fault() && !of_other);
        own.unwrap_or_else(|| Error::Lost(why.text(self.rank, call)))
    }

    fn lose(&self, why: Loss) {
        self.shared.rendezvous.lose(why);
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Runs a call. `work` does it, and meets the other ranks in [`begin`](Frame::begin). If it
    /// fails before that, the other ranks return an error too.
    #[track_caller]
    pub(super) fn call<'a, R>(
        &self,
        stream: &Stream,
        owners: impl IntoIterator<Item = Owner<'a>> + Clone,
        work: impl FnOnce(&mut Frame<'_>) -> Result<R>,
    ) -> Result<R> {
        // Nothing may be enqueued any more, because no rank reports when outboxes have been read.
        if let Some(why) = self.shared.rendezvous.lost() {
            return Err(self.lost(stream, &why, ""));
        }
        let mut own = self.own.borrow_mut();
        own.calls += 1;
        let mut frame = Frame {
            rank: self,
            stream,
            line: Location::caller(),
            parity: own.calls % 2,
            own: &mut own,
            met: false,
            bound: false,
        };
        let checked = self.check(stream, owners.clone());
        let may_use = checked.is_ok();
        let result = checked.and_then(|()| frame.follow());
        let result = result.and_then(|()| stream.ordered_with(owners, || work(&mut frame)));
        // The next call is ordered after this mark even if it uses another stream, and a wait for
        // this stream ends here.
        let marked = match may_use {
            true => frame.own.ends.record(stream),
            false => Ok(()),
        };
        if let Err(error) = &marked {
            self.lose(Loss::Failed(format!("rank {} failed: {error}", self.rank)));
        }
        let Err(error) = &result else {
            return result.and_then(|done| marked.map(|()| done));
        };
        let why = error.to_string();
        if error.is_fault() {
            self.lose(Loss::DeviceFailed(self.rank, why));
        } else if !frame.met {
            frame.report_error(why);
        } else if matches!(error, Error::Cuda(_)) {
            // The other ranks depend on the work that was not enqueued.
            self.lose(Loss::Failed(format!("rank {} failed: {why}", self.rank)));
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
                "the stream is capturing: ranks of a PeerGroup synchronize on the host, which a graph cannot do. Fix: use a \
                 stream that is not capturing"
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

    fn report_error(&self, why: &str) {
        let side = self.own.borrow().side.clone();
        let _: Result<()> = self.call(&side, [], |_| Err(Error::Value(why.to_owned())));
    }

    fn gather_on_host<T: PlainData>(&self, stream: &Stream, values: &[T]) -> Result<Vec<T>> {
        self.tell_all(stream, values)
    }

    fn wait(&self, stream: &Stream) -> Result<()> {
        expect_context(self.rank, self.context(), stream, [])?;
        let limit = self.shared.options.timeout;
        // Work of the user after the last call on this stream does not belong to the group, and has
        // no time limit. The same holds for work on other streams that later calls of the group may
        // wait for.
        let start = Instant::now();
        let end = self.own.borrow().ends.of(stream).cloned();
        while !end.as_ref().map_or(Ok(true), Event::query)? {
            let waited = start.elapsed();
            if waited > limit {
                self.shared.stuck.store(true, Ordering::Relaxed);
                let why = Loss::Failed(format!(
                    "the work of rank {} has not ended within the time limit of {:?} (PeerOptions::timeout)",
                    self.rank,
                    rounded(limit)
                ));
                let text = why.text(self.rank, "");
                self.lose(why);
                return Err(Error::Lost(text));
            }
            match waited < Duration::from_millis(2) {
                true => thread::yield_now(),
                false => thread::sleep(pause::after(waited)),
            }
        }
        self.expect_healthy(stream)
    }
}

impl PeerRank {
    /// Returns an error if the device of a rank that this rank's work has waited for has failed.
    /// Events of a failed device are over too, so the data that was read after them is invalid.
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

    /// Returns the error for another rank's event. It is attributed to that rank, unless this
    /// rank's own device has failed.
    #[cold]
    pub(super) fn blame(&self, stream: &Stream, other: usize, error: cuda_safe::Error) -> Error {
        if stream.query().is_err() {
            return error.into();
        }
        let why = Loss::DeviceFailed(other, error.to_string());
        let text = why.text(self.rank, "");
        self.lose(why);
        Error::Lost(text)
    }

    /// Waits for all work that this rank's calls have enqueued, and returns whether it is over.
    /// Does not wait if the work is known to be stuck.
    fn is_over(&mut self) -> bool {
        let (own, shared) = (self.own.get_mut(), &self.shared);
        let start = Instant::now();
        // Each call is ordered after the previous one, even on another stream, so the end of the
        // last call is sufficient. Other streams may be stuck in the user's work.
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
            let waited = start.elapsed();
            let is_late = waited > shared.options.timeout;
            if shared.stuck.fetch_or(is_late, Ordering::Relaxed) || is_late {
                return false;
            }
            thread::sleep(pause::after(waited));
        }
    }
}

impl Drop for PeerRank {
    fn drop(&mut self) {
        self.lose(match thread::panicking() {
            true => Loss::Panicked(self.rank),
            false => Loss::Dropped(self.rank),
        });
        // This rank's work may still use its inbox, and the scratch memory, which is freed with the
        // last rank.
        if !self.is_over() {
            std::mem::forget(self.shared.clone());
            let own = self.own.get_mut();
            // Unloading a module waits for its whole context.
            std::mem::forget((own.inbox.take(), std::mem::take(&mut own.kernels)));
        }
    }
}

impl fmt::Debug for PeerRank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PeerRank({} of {:?})", self.rank, self.shared)
    }
}
