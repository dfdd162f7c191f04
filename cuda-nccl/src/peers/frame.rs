//! The frame of a rank's call: its beginning and its end.
//!
//! **When memory may be used.** A call first meets the other ranks on the host. Each rank passes an
//! address and an event that is reached when the others may read there. Then each rank enqueues its
//! work on its own stream, after the events of the others.
//!
//! - Small reductions go through an outbox in the group's memory. No rank reads another rank's
//!   array, so a second rendezvous is not needed. The outbox is written again two calls later,
//!   after events that its readers passed to the call in between.
//! - All other operations read the arrays of the other ranks directly. Between the first and the
//!   last rendezvous of such a call a rank is *bound*: it must reach the last rendezvous in any
//!   case. It passes an event after all work that it has enqueued, or a failure after it has waited
//!   for that work. So every rank's stream waits for all readers of its array before the call
//!   returns, and later work of the owner, including a free, comes after them.

use std::{panic::Location, sync::Arc};

use cuda_safe::{Event, Stream};

use super::{
    loss::Loss,
    meeting::Limit,
    offer::{Call, Offer, agree},
    own::RankState,
    rank::PeerRank,
};
use crate::{
    collectives::Collectives,
    error::{Error, Result},
    record::Record,
};

/// A call in progress.
pub(super) struct Frame<'a> {
    pub(super) rank: &'a PeerRank,
    pub(super) stream: &'a Stream,
    pub(super) own: &'a mut RankState,
    /// The line of the collective's call, for messages.
    pub(super) line: &'static Location<'static>,
    /// Alternates between 0 and 1.
    pub(super) parity: usize,
    /// Whether the first rendezvous has taken place or has failed.
    pub(super) met: bool,
    /// Whether other ranks read this rank's memory and wait for it to finish reading theirs.
    pub(super) bound: bool,
}

impl Frame<'_> {
    /// Orders this call after the last one, which may have used another stream.
    pub(super) fn follow(&mut self) -> Result<()> {
        if let Some((last, end)) = self.own.ends.last()
            && last != self.stream
        {
            self.stream.wait_event(end)?;
        }
        self.own.ends.prepare([self.stream])
    }

    /// Makes the stream wait until the others have read the previous contents of this parity's
    /// outbox, and returns its address.
    pub(super) fn reuse_outbox(&mut self) -> Result<u64> {
        for (other, event) in &self.own.others_before {
            self.follow_other(self.stream, *other, event)?;
        }
        let outbox = &self.rank.shared().scratch[self.rank.rank()].0[self.parity];
        Ok(outbox.as_device_ptr())
    }

    /// Meets the other ranks. If the calls differ, all ranks return the same error, and the caller
    /// returns it without further cleanup.
    ///
    /// `call` sets the address that the other ranks read. They read it after the work that this
    /// rank has enqueued so far. `bound` is true if the address is that of this rank's array.
    pub(super) fn begin(
        &mut self,
        record: Record,
        bound: bool,
        call: impl FnOnce(&mut Call),
    ) -> Result<Arc<[Offer]>> {
        let ready = self.own.ready[self.parity].clone();
        ready.record(self.stream)?;
        let offers = self.begin_on_host(record, |mine| {
            mine.ready = Some(ready);
            call(mine);
        })?;
        self.bound = bound;
        Ok(offers)
    }

    /// Meets the other ranks for a call in which no device memory is read.
    pub(super) fn begin_on_host(
        &mut self,
        record: Record,
        call: impl FnOnce(&mut Call),
    ) -> Result<Arc<[Offer]>> {
        let mut mine = Call {
            record,
            line: self.line,
            address: 0,
            ready: None,
            before: self.own.before.clone(),
            sends: Vec::new(),
            receives: Vec::new(),
            bytes: Vec::new(),
        };
        call(&mut mine);
        let (line, number) = (self.line, self.own.calls);
        let offers = self.meet(Offer::Call(mine), record.call);
        let offers = offers.map_err(|why| {
            let call = format!("{} at {line}, collective number {number}", record.call);
            self.rank.lost(self.stream, &why, &call)
        })?;
        agree(&offers, number)?;
        Ok(offers)
    }

    fn meet(&mut self, offer: Offer, call: &str) -> Result<Arc<[Offer]>, Loss> {
        self.met = true;
        let (rank, shared) = (self.rank.rank(), self.rank.shared());
        let limit = Some(Limit {
            time: shared.options.timeout,
            call,
        });
        let offers = shared.rendezvous.meet(rank, offer, limit)?;
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
                Offer::Rejected(_, before) => before.clone(),
                _ => None,
            };
            Some((other, before?))
        });
        self.own.others_before = others.collect();
        Ok(offers)
    }

    /// Reports to the other ranks that this rank cannot take part. They return an error too, or are
    /// lost.
    pub(super) fn report_error(&mut self, why: String) {
        let before = self.own.before.clone();
        let _ = self.meet(Offer::Rejected(why, before), "report_error");
    }

    /// Makes the stream wait until the other rank's data may be read.
    pub(super) fn wait_ready(&self, stream: &Stream, other: usize, call: &Call) -> Result<()> {
        match &call.ready {
            Some(ready) => self.follow_other(stream, other, ready),
            None => Ok(()),
        }
    }

    /// Makes the stream wait for an event of another rank.
    fn follow_other(&self, stream: &Stream, other: usize, event: &Event) -> Result<()> {
        stream
            .wait_event(event)
            .map_err(|error| self.rank.blame(self.stream, other, error))
    }

    /// Ends a call in which no rank is bound.
    pub(super) fn end(&mut self) -> Result<()> {
        let done = &self.own.done[self.parity];
        done.record(self.stream)?;
        self.own.before = Some(done.clone());
        Ok(())
    }

    /// Meets the other ranks in the middle or at the end of a bound call. Work that is enqueued on
    /// the stream from here on comes after all work that the ranks have enqueued so far.
    ///
    /// `event` is recorded here. If `result` is an error on any rank, no rank is bound any more. If
    /// this rank cannot wait for another rank's event, it stays bound, and reports the error at the
    /// next rendezvous.
    pub(super) fn barrier(&mut self, event: &Event, result: Result<()>) -> Result<()> {
        let recorded = result.and_then(|()| Ok(event.record(self.stream)?));
        let offer = match &recorded {
            Ok(()) => Offer::Done(event.clone()),
            Err(error) => {
                self.settle();
                Offer::Failed(error.to_string())
            }
        };
        let (rank, rendezvous) = (self.rank.rank(), &self.rank.shared().rendezvous);
        // All ranks are bound, so all arrive.
        let offers = rendezvous.meet(rank, offer, None);
        let offers = offers.map_err(|why| Error::Lost(why.text(rank, "")))?;
        self.bound = recorded.is_ok();
        let mut result = recorded;
        for (other, offer) in others(&offers, rank) {
            match offer {
                Offer::Done(done) => {
                    if let Err(error) = self.stream.wait_event(done) {
                        // Otherwise this rank's memory could be freed while another rank reads it.
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
                    rendezvous.lose(Loss::Failed(why.clone()));
                    result = result.and(Err(Error::Lost(why)));
                }
                Offer::Call(_) | Offer::Rejected(..) => {
                    result = result.and(Err(Error::Lost(format!(
                        "rank {other} makes a different call"
                    ))));
                }
            }
        }
        result
    }

    pub(super) fn is_bound(&self) -> bool {
        self.bound
    }

    /// Ends a bound call: every rank's stream waits for all readers of its memory.
    pub(super) fn end_bound(&mut self, result: Result<()>) -> Result<()> {
        let done = self.own.done[self.parity].clone();
        let result = self.barrier(&done, result);
        self.bound = false;
        // The other ranks have already waited for it.
        self.own.before = result.is_ok().then_some(done);
        result
    }

    /// Waits until nothing that this call has enqueued reads memory of other ranks.
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
        // The call panicked, or returned without its end. The others wait for it.
        let event = self.own.done[self.parity].clone();
        let _ = self.barrier(&event, Err(Error::Lost("it panicked".into())));
        // Streams that own the array were ordered before this stream waited for the others.
        let _ = self.stream.settle().or_abort_without_fault();
        self.bound = false;
    }
}

/// Returns each other rank with its offer.
fn others(offers: &[Offer], rank: usize) -> impl Iterator<Item = (usize, &Offer)> {
    let all = offers.iter().enumerate();
    all.filter(move |&(other, _)| other != rank)
}
