//! The state that a rank keeps between calls.

use std::{collections::HashMap, sync::Arc};

use cuda_safe::{Context, DeviceBuffer, Event, Stream, StreamOptions};

use super::{Shared, combine::Combine};
use crate::{
    element::{DataType, Reduction},
    error::Result,
    stream_ends::StreamEnds,
};

/// The mutable state of a rank.
pub(super) struct RankState {
    pub(super) calls: usize,
    /// One event for this call and one for the next.
    pub(super) ready: [Event; 2],
    pub(super) done: [Event; 2],
    /// The event after the previous call's reads, if it enqueued anything.
    pub(super) before: Option<Event>,
    /// Recorded after all work that the last call on each stream has enqueued.
    pub(super) ends: StreamEnds,
    /// Events after the reads that other ranks made in the call before the last one.
    pub(super) others_before: Vec<(usize, Event)>,
    /// For each other rank, the last event that this rank's streams waited for since the last
    /// [wait](crate::Collectives::wait).
    pub(super) followed: Vec<Option<Event>>,
    pub(super) kernels: HashMap<(DataType, Reduction), Arc<Combine>>,
    /// For copies that run at the same time as kernels.
    pub(super) side: Stream,
    /// Receives data from the other ranks. Allocated at the first call that needs it.
    pub(super) inbox: Option<Inbox>,
    /// One event for each half of the inbox.
    pub(super) filled: [Event; 2],
    pub(super) emptied: [Event; 2],
}

/// A buffer in two halves, each with one slot for each other rank.
pub(super) struct Inbox {
    memory: DeviceBuffer<u8>,
    rank: usize,
    ranks: usize,
    /// Bytes per slot.
    place: usize,
}

impl RankState {
    pub(super) fn new(context: &Context, ranks: usize) -> Result<Self> {
        let two = || -> Result<[Event; 2]> {
            let event = || Event::without_timing(context);
            Ok([event()?, event()?])
        };
        Ok(Self {
            calls: 0,
            ready: two()?,
            done: two()?,
            before: None,
            ends: StreamEnds::default(),
            others_before: Vec::new(),
            followed: vec![None; ranks],
            kernels: HashMap::new(),
            side: Stream::with_options(context, StreamOptions::default().priority(i32::MIN))?,
            inbox: None,
            filled: two()?,
            emptied: two()?,
        })
    }

    /// Allocates the inbox if there is none, and returns the size of a slot in bytes.
    pub(super) fn open_inbox(&mut self, rank: usize, shared: &Shared) -> Result<usize> {
        if let Some(inbox) = &self.inbox {
            return Ok(inbox.place);
        }
        let (ranks, place) = (shared.size(), shared.place);
        let memory = DeviceBuffer::uninit(&self.side, 2 * (ranks - 1).max(1) * place)?;
        // Other streams use the memory from here on.
        self.side.synchronize()?;
        let inbox = Inbox {
            memory,
            rank,
            ranks,
            place,
        };
        Ok(self.inbox.insert(inbox).place)
    }

    /// Returns the address of the slot for data from `other`, or 0 if there is no inbox.
    pub(super) fn place(&self, half: usize, other: usize) -> u64 {
        self.inbox.as_ref().map_or(0, |inbox| {
            let number = other - usize::from(other > inbox.rank);
            let at = (half * (inbox.ranks - 1) + number) * inbox.place;
            inbox.memory.as_device_ptr() + at as u64
        })
    }
}
