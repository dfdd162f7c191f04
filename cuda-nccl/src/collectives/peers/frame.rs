//! A call of a rank: what it begins and ends with.
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

use std::sync::Arc;

use cuda_safe::{Event, Stream};

use super::{
    offer::{Call, Offer, What, agreed},
    own::Own,
    rank::PeerRank,
};
use crate::{
    collectives::Collectives,
    error::{Error, Result},
};

/// A call that is being made.
pub(super) struct Frame<'a> {
    pub(super) rank: &'a PeerRank,
    pub(super) stream: &'a Stream,
    pub(super) own: &'a mut Own,
    /// Which of two: 0 and 1 in turn.
    pub(super) parity: usize,
    /// The others have been met, or are lost.
    pub(super) met: bool,
    /// The others read this rank's memory, and wait for it to say that it has read theirs.
    pub(super) bound: bool,
}

impl Frame<'_> {
    /// Work of the last call, on whatever stream, comes first.
    pub(super) fn follow(&mut self) -> Result<()> {
        if let Some((last, end)) = self.own.ends.last()
            && last != self.stream
        {
            self.stream.wait_event(end)?;
        }
        self.own.ends.prepare([self.stream])
    }

    /// Makes the stream wait until the others have read what this parity's outbox had.
    pub(super) fn reuse_outbox(&mut self) -> Result<u64> {
        for (other, event) in &self.own.others_before {
            self.follow_other(self.stream, *other, event)?;
        }
        let outbox = &self.rank.shared().scratch[self.rank.rank()].0[self.parity];
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
        let offers = self.meet(Offer::Call(mine)).map_err(|error| match error {
            Error::Lost(why) => Error::Lost(format!(
                "{why}; this rank calls {what}: all ranks make as many calls"
            )),
            error => error,
        })?;
        agreed(&offers)?;
        Ok(offers)
    }

    fn meet(&mut self, offer: Offer) -> Result<Arc<[Offer]>> {
        self.met = true;
        let (rank, shared) = (self.rank.rank(), self.rank.shared());
        let limit = Some(shared.options.timeout);
        let offers = shared
            .meeting
            .meet(rank, offer, limit)
            .map_err(Error::Lost)?;
        for (other, offer) in others(&offers, rank) {
            if let Offer::Call(call) = offer
                && let Some(ready) = &call.ready
            {
                self.own.followed[other] = Some(ready.clone());
            }
        }
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
    pub(super) fn refuse(&mut self, why: String) {
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
            .map_err(|error| self.rank.blame(self.stream, other, error))
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
        let (rank, meeting) = (self.rank.rank(), &self.rank.shared().meeting);
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
                            let _ = done.context().settle().or_abort_without_fault();
                        }
                        result = result.and(Err(self.rank.blame(self.stream, other, error)));
                    }
                    self.own.followed[other] = Some(done.clone());
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
        let _ = self.own.side.settle().or_abort_without_fault();
        let _ = self.stream.settle().or_abort_without_fault();
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
        let _ = self.stream.settle().or_abort_without_fault();
        self.bound = false;
    }
}

/// What the others brought.
fn others(offers: &[Offer], rank: usize) -> impl Iterator<Item = (usize, &Offer)> {
    let all = offers.iter().enumerate();
    all.filter(move |&(other, _)| other != rank)
}
