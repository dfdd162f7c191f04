//! What a rank keeps from call to call.

use std::{collections::HashMap, sync::Arc};

use cuda_safe::{Context, DeviceBuffer, Event, Stream, StreamOptions};

use super::{Shared, combine::Combine};
use crate::{
    element::{DataType, Reduction},
    error::Result,
    stream_ends::StreamEnds,
};

/// What changes from call to call.
pub(super) struct Own {
    pub(super) calls: usize,
    /// For this call and for the next.
    pub(super) ready: [Event; 2],
    pub(super) done: [Event; 2],
    /// Of the call before, if anything was enqueued.
    pub(super) before: Option<Event>,
    /// Recorded behind everything that the last call on each stream has enqueued.
    pub(super) ends: StreamEnds,
    /// The others have read what they read in the call before the last one.
    pub(super) others_before: Vec<(usize, Event)>,
    /// The last event of each other rank that this one's streams were made to wait for, since the last
    /// [wait](crate::Collectives::wait).
    pub(super) followed: Vec<Option<Event>>,
    pub(super) kernels: HashMap<(DataType, Reduction), Arc<Combine>>,
    /// For copies that go on while kernels run.
    pub(super) side: Stream,
    /// What comes from the others, from the first call on that needs it.
    pub(super) inbox: Option<Inbox>,
    /// For the two halves of the inbox.
    pub(super) filled: [Event; 2],
    pub(super) emptied: [Event; 2],
}

/// Two halves, each of a place for each of the other ranks.
pub(super) struct Inbox {
    memory: DeviceBuffer<u8>,
    rank: usize,
    ranks: usize,
    /// Bytes of a place.
    place: usize,
}

impl Own {
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
