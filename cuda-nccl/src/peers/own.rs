//! The state that a rank keeps between calls.

use std::{collections::HashMap, sync::Arc};

use cuda_safe::{Context, DeviceBuffer, Event, Stream, StreamOptions};

use super::{combine::Combine, shared::Shared};
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

#[cfg(test)]
mod tests {
    use super::{
        super::{PeerGroup, PeerOptions},
        *,
    };

    #[test]
    fn an_inbox_has_two_places_for_each_of_the_others() {
        let _device = crate::wait_for_device();
        let context = Context::primary(0).unwrap();
        let options = PeerOptions::default()
            .scratch_bytes(3 * 256)
            .piece_bytes(2 * 512);
        for ranks in [1, 3] {
            let group = PeerGroup::with_options(&vec![context.clone(); ranks], options).unwrap();
            let shared = group.0[0].shared();
            let mut own = RankState::new(&context, ranks).unwrap();
            assert_eq!(own.followed.len(), ranks);
            assert_eq!(own.place(1, 2), 0);
            let me = ranks / 2;
            let place = own.open_inbox(me, shared).unwrap();
            let inbox = own.inbox.as_ref().unwrap();
            let start = inbox.memory.as_device_ptr();
            assert_eq!(place, if ranks == 1 { 1024 } else { 512 });
            // Two of 1024 bytes, or four of 512.
            assert_eq!(inbox.memory.len(), 2048);
            // Another call leaves it as it is.
            assert_eq!(own.open_inbox(me, shared).unwrap(), place);
            assert_eq!(own.inbox.as_ref().unwrap().memory.as_device_ptr(), start);
            if ranks == 3 {
                let places =
                    [(0, 0), (0, 2), (1, 0), (1, 2)].map(|(half, other)| own.place(half, other));
                assert_eq!(places, [0, 512, 1024, 1536].map(|at| start + at));
            }
        }
    }
}
