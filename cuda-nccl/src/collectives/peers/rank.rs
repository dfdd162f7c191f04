//! A rank, and what each of its calls begins and ends with.
//!
//! **Whose memory is used when.** A call meets the others on the host first. What a rank brings there is an address and an
//! event, which is reached when the others may read. Then each enqueues on its own stream, behind the others' events.
//!
//! - Small reductions go through an outbox of the group's memory, so that nobody reads a rank's own array: there is no
//!   second meeting. An outbox is written again two calls later, behind events that the readers have brought to the call
//!   between.
//! - All else reads the arrays of the others themselves. Between the first meeting and the last one of such a call a rank is
//!   *bound*: it comes to the last meeting whatever happens, with an event behind all that it has enqueued, or with a failure
//!   after it has waited for that. So everybody's stream waits for all who read from its array before the call returns, and
//!   what the owner does next, freeing included, comes behind.

use std::{
    cell::RefCell,
    collections::HashMap,
    fmt,
    sync::{Arc, atomic::Ordering},
    thread,
    time::{Duration, Instant},
};

use cuda_safe::{
    Context, DeviceBuffer, DeviceMemory, DeviceView, DeviceViewMut, ErrorKind, Event, Owner,
    PlainData, Settled, Storage, StorageMut, Stream, StreamOptions,
};

use super::{
    Shared,
    combine::Combine,
    offer::{Call, Offer, What, agreed},
};
use crate::{
    collectives::{Collectives, expect_context},
    element::{DataType, Reducible, Reduction},
    error::{Error, Result},
};

/// A device of a [`PeerGroup`](super::PeerGroup): the rank for one thread. What it does with the others are the methods of
/// [`Collectives`].
///
/// When it is dropped, the others' next call ends with [`Error::Lost`], and it waits for what it has enqueued, with the time
/// limit: what goes on after that keeps its memory for ever.
pub struct PeerRank {
    rank: usize,
    shared: Arc<Shared>,
    /// Also: a rank is for one thread at a time.
    own: RefCell<Own>,
}

/// What changes from call to call.
pub(super) struct Own {
    calls: usize,
    /// For this call and for the next.
    pub(super) ready: [Event; 2],
    pub(super) done: [Event; 2],
    /// Of the call before, if anything was enqueued.
    before: Option<Event>,
    /// Reached when a call that failed has done what it had enqueued.
    tail: Event,
    /// The others have read what they read in the call before the last one.
    others_before: Vec<(usize, Event)>,
    /// What the last call was given.
    last: Option<Stream>,
    pub(super) kernels: HashMap<(DataType, Reduction), Arc<Combine>>,
    /// For copies that go on while kernels run.
    pub(super) side: Stream,
    /// What comes from the others, from the first call on that needs it.
    inbox: Option<Inbox>,
    /// For the two halves of the inbox.
    pub(super) filled: [Event; 2],
    pub(super) emptied: [Event; 2],
}

/// Two halves, each of a place for each of the other ranks.
struct Inbox {
    memory: DeviceBuffer<u8>,
    rank: usize,
    ranks: usize,
    /// Bytes of a place.
    place: usize,
}

impl Own {
    /// Makes the inbox if there is none: the bytes of a place.
    pub(super) fn open_inbox(&mut self, rank: usize, shared: &Shared) -> Result<usize> {
        if let Some(inbox) = &self.inbox {
            return Ok(inbox.place);
        }
        let (ranks, place) = (shared.size(), shared.place);
        let memory = DeviceBuffer::uninit(&self.side, 2 * (ranks - 1).max(1) * place)?;
        // Other streams use it from now on.
        self.side.synchronize()?;
        let inbox = Inbox {
            memory,
            rank,
            ranks,
            place,
        };
        Ok(self.inbox.insert(inbox).place)
    }

    /// The address of a place for what comes from `other`: 0 if there is no inbox.
    pub(super) fn place(&self, half: usize, other: usize) -> u64 {
        self.inbox.as_ref().map_or(0, |inbox| {
            let number = other - usize::from(other > inbox.rank);
            let at = (half * (inbox.ranks - 1) + number) * inbox.place;
            inbox.memory.as_device_ptr() + at as u64
        })
    }
}

impl PeerRank {
    pub(super) fn new(rank: usize, shared: Arc<Shared>) -> Result<Self> {
        let context = &shared.contexts[rank];
        let two = || -> Result<[Event; 2]> {
            let event = || Event::without_timing(context);
            Ok([event()?, event()?])
        };
        let own = Own {
            calls: 0,
            ready: two()?,
            done: two()?,
            before: None,
            tail: Event::without_timing(context)?,
            others_before: Vec::new(),
            last: None,
            kernels: HashMap::new(),
            side: Stream::with_options(context, StreamOptions::default().priority(i32::MIN))?,
            inbox: None,
            filled: two()?,
            emptied: two()?,
        };
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
            let own = stream.query().err().map(Error::from).filter(is_fault);
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
        let Err(error) = &result else { return result };
        let why = error.to_string();
        if is_fault(error) {
            let why = format!("the device of rank {} has failed: {why}", self.rank);
            self.shared.meeting.lose(&why);
        } else if !frame.met {
            frame.refuse(why);
        } else if matches!(error, Error::Cuda(_)) {
            // The others count on what was not enqueued.
            let why = format!("rank {} failed: {why}", self.rank);
            self.shared.meeting.lose(&why);
        }
        // What was enqueued all the same comes before the next call, on whatever stream that is.
        if may_use && let Err(error) = frame.own.tail.record(stream) {
            let why = format!("rank {} failed: {error}", self.rank);
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

/// A call that is being made.
pub(super) struct Frame<'a> {
    pub(super) rank: &'a PeerRank,
    pub(super) stream: &'a Stream,
    pub(super) own: &'a mut Own,
    /// Which of two: 0 and 1 in turn.
    pub(super) parity: usize,
    /// The others have been met, or are lost.
    met: bool,
    /// The others read this rank's memory, and wait for it to say that it has read theirs.
    bound: bool,
}

impl Frame<'_> {
    /// Work of the last call, on whatever stream, comes first.
    fn follow(&mut self) -> Result<()> {
        match &self.own.last {
            Some(last) if last == self.stream => return Ok(()),
            Some(_) => {
                self.stream.wait_event(&self.own.tail)?;
                if let Some(before) = &self.own.before {
                    self.stream.wait_event(before)?;
                }
            }
            None => {}
        }
        self.own.last = Some(self.stream.clone());
        Ok(())
    }

    /// Makes the stream wait until the others have read what this parity's outbox had.
    pub(super) fn reuse_outbox(&mut self) -> Result<u64> {
        for (other, event) in &self.own.others_before {
            self.follow_other(self.stream, *other, event)?;
        }
        let outbox = &self.rank.shared.scratch[self.rank.rank].0[self.parity];
        Ok(outbox.as_device_ptr())
    }

    /// Meets the others. Nothing is left to do if they don't agree, and the others have found the same.
    ///
    /// `address`: of what the others read, when all that is enqueued so far is done. `bound`: it is this rank's array.
    pub(super) fn begin(
        &mut self,
        what: What,
        bound: bool,
        call: impl FnOnce(&mut Call),
    ) -> Result<Arc<[Offer]>> {
        let ready = self.own.ready[self.parity].clone();
        ready.record(self.stream)?;
        let offers = self.begin_on_host(what, |mine| {
            mine.ready = Some(ready);
            call(mine);
        })?;
        self.bound = bound;
        Ok(offers)
    }

    /// The same, where nobody reads memory of the devices.
    pub(super) fn begin_on_host(
        &mut self,
        what: What,
        call: impl FnOnce(&mut Call),
    ) -> Result<Arc<[Offer]>> {
        let mut mine = Call {
            what,
            address: 0,
            ready: None,
            before: self.own.before.clone(),
            sends: Vec::new(),
            receives: Vec::new(),
            bytes: Vec::new(),
        };
        call(&mut mine);
        let offers = self.meet(Offer::Call(mine))?;
        agreed(&offers)?;
        Ok(offers)
    }

    fn meet(&mut self, offer: Offer) -> Result<Arc<[Offer]>> {
        self.met = true;
        let (rank, shared) = (self.rank.rank, &self.rank.shared);
        let limit = Some(shared.options.time_limit);
        let offers = shared
            .meeting
            .meet(rank, offer, limit)
            .map_err(Error::Lost)?;
        let others = others(&offers, rank).filter_map(|(other, offer)| {
            let before = match offer {
                Offer::Call(call) => call.before.clone(),
                Offer::Refused(_, before) => before.clone(),
                _ => None,
            };
            Some((other, before?))
        });
        self.own.others_before = others.collect();
        Ok(offers)
    }

    /// Tells the others that this rank can't take part. They have an error too, or are lost.
    fn refuse(&mut self, why: String) {
        let before = self.own.before.clone();
        let _ = self.meet(Offer::Refused(why, before));
    }

    /// Makes the stream wait until the rank whose call this is allows to read.
    pub(super) fn wait_ready(&self, stream: &Stream, other: usize, call: &Call) -> Result<()> {
        match &call.ready {
            Some(ready) => self.follow_other(stream, other, ready),
            None => Ok(()),
        }
    }

    /// Makes the stream wait for another rank's event.
    fn follow_other(&self, stream: &Stream, other: usize, event: &Event) -> Result<()> {
        stream
            .wait_event(event)
            .map_err(|error| self.blame(other, error))
    }

    /// An error at another rank's event: that rank's, unless this one's own device has failed.
    #[cold]
    fn blame(&self, other: usize, error: cuda_safe::Error) -> Error {
        if self.stream.query().is_err() {
            return error.into();
        }
        let why = format!("the device of rank {other} has failed: {error}");
        self.rank.shared.meeting.lose(&why);
        Error::Lost(why)
    }

    /// The end of a call that nobody is bound in.
    pub(super) fn end(&mut self) -> Result<()> {
        let done = &self.own.done[self.parity];
        done.record(self.stream)?;
        self.own.before = Some(done.clone());
        Ok(())
    }

    /// A meeting in the middle of a bound call, or at its end: what is enqueued on the stream from here on comes behind what
    /// all ranks have enqueued so far.
    ///
    /// `event` is recorded here. If a rank brings a failure, nobody is bound any more, on any rank. Where this rank alone has
    /// an error, it is bound as before, and says so at the next meeting.
    pub(super) fn barrier(&mut self, event: &Event, result: Result<()>) -> Result<()> {
        let recorded = result.and_then(|()| Ok(event.record(self.stream)?));
        let offer = match &recorded {
            Ok(()) => Offer::Done(event.clone()),
            Err(error) => {
                self.settle();
                Offer::Failed(error.to_string())
            }
        };
        let (rank, meeting) = (self.rank.rank, &self.rank.shared.meeting);
        // All are bound, and come.
        let offers = meeting.meet(rank, offer, None).map_err(Error::Lost)?;
        self.bound = recorded.is_ok();
        let mut result = recorded;
        for (other, offer) in others(&offers, rank) {
            match offer {
                Offer::Done(done) => {
                    if let Err(error) = self.stream.wait_event(done) {
                        // Else this rank's memory could go while somebody reads it.
                        if done.synchronize().is_err() {
                            let _ = done.context().settle().or_abort();
                        }
                        result = result.and(Err(self.blame(other, error)));
                    }
                }
                Offer::Failed(why) => {
                    self.bound = false;
                    let why = format!("rank {other} failed: {why}");
                    meeting.lose(&why);
                    result = result.and(Err(Error::Lost(why)));
                }
                Offer::Call(_) | Offer::Refused(..) => {
                    result =
                        result.and(Err(Error::Lost(format!("rank {other} is in another call"))));
                }
            }
        }
        result
    }

    pub(super) fn is_bound(&self) -> bool {
        self.bound
    }

    /// The end of a bound call: everybody's stream waits for all who read its memory.
    pub(super) fn end_bound(&mut self, result: Result<()>) -> Result<()> {
        let done = self.own.done[self.parity].clone();
        let result = self.barrier(&done, result);
        self.bound = false;
        // The others have waited for it.
        self.own.before = result.is_ok().then_some(done);
        result
    }

    /// Nothing that this call has enqueued reads others' memory any more.
    fn settle(&self) {
        let _ = self.own.side.settle().or_abort();
        let _ = self.stream.settle().or_abort();
    }
}

impl Drop for Frame<'_> {
    fn drop(&mut self) {
        if !self.bound {
            return;
        }
        // Somebody panicked, or forgot the end. The others wait for it.
        let event = self.own.done[self.parity].clone();
        let _ = self.barrier(&event, Err(Error::Lost("it panicked".into())));
        // Streams that own the array were told before this one was made to wait for the others.
        let _ = self.stream.settle().or_abort();
        self.bound = false;
    }
}

/// Whether the context can't be used any more.
fn is_fault(error: &Error) -> bool {
    let Error::Cuda(error) = error else {
        return false;
    };
    matches!(error.kind(), ErrorKind::Fault | ErrorKind::Poisoned)
}

/// What the others brought.
fn others(offers: &[Offer], rank: usize) -> impl Iterator<Item = (usize, &Offer)> {
    let all = offers.iter().enumerate();
    all.filter(move |&(other, _)| other != rank)
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

    fn gather_on_host<T: PlainData>(&self, stream: &Stream, values: &[T]) -> Result<Vec<T>> {
        self.tell_all(stream, values)
    }

    fn wait(&self, stream: &Stream) -> Result<()> {
        expect_context(self.rank, self.context(), stream, [])?;
        let limit = self.shared.options.time_limit;
        let (start, mark) = (Instant::now(), stream.record_event()?);
        while !mark.query()? {
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
        Ok(())
    }
}

impl PeerRank {
    /// Whether all that this rank's calls have enqueued is over: waits for it, unless it is known not to end.
    fn is_over(&mut self) -> bool {
        let (own, shared) = (self.own.get_mut(), &self.shared);
        let start = Instant::now();
        // Each call comes behind the one before, on whatever streams: the last one is enough.
        own.last.iter().chain([&own.side]).all(|stream| {
            while matches!(stream.query(), Ok(false)) {
                if shared.stuck.load(Ordering::Relaxed)
                    || start.elapsed() > shared.options.time_limit
                {
                    shared.stuck.store(true, Ordering::Relaxed);
                    return false;
                }
                thread::sleep(Duration::from_micros(50));
            }
            !matches!(stream.settle(), Settled::Unknown(_))
        })
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
