//! Operations that copy data between ranks without combining it.

use std::{
    any::TypeId,
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
};

use cuda_safe::{Context, DeviceView, DeviceViewMut, PlainData, Stream, bytemuck, sys};

use super::{
    frame::Frame,
    offer::{Offer, calls},
    rank::PeerRank,
};
use crate::{
    collectives::{Collectives, expect_parts},
    error::{Error, Result},
    record::Record,
};

/// Enqueues a copy between memory of two contexts, which may be the same.
///
/// # Safety
/// The caller must ensure that, when the stream executes the copy:
/// - both ranges are live memory of `bytes` bytes in these contexts, and do not overlap;
/// - no other work writes to either range.
pub(super) unsafe fn copy(
    stream: &Stream,
    (target, to): (&Context, u64),
    (source, from): (&Context, u64),
    bytes: usize,
) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let context = stream.context();
    let _current = context.push_current()?;
    let raw = stream.as_raw();
    let (call, code) = if target == source {
        // SAFETY: guaranteed by this function's caller.
        let code = unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes, raw) };
        ("cuMemcpyDtoDAsync_v2", code)
    } else {
        let (target, source) = (target.as_raw(), source.as_raw());
        // SAFETY: guaranteed by this function's caller. The group keeps both contexts alive.
        let code = unsafe { sys::cuMemcpyPeerAsync(to, target, from, source, bytes, raw) };
        ("cuMemcpyPeerAsync", code)
    };
    Ok(context.check(call, code)?)
}

pub(super) fn record<T: 'static>(call: &'static str, len: usize) -> Record {
    Record {
        identity: BuildHasherDefault::<DefaultHasher>::default().hash_one(TypeId::of::<T>()),
        ..Record::new::<T>(call, len)
    }
}

impl PeerRank {
    fn expect_rank(&self, call: &str, rank: usize) -> Result<()> {
        if rank < self.size() {
            return Ok(());
        }
        Err(Error::Value(format!(
            "{call}: there is no rank {rank}: the group has ranks 0 to {}",
            self.size() - 1
        )))
    }

    #[track_caller]
    pub(super) fn copy_from_root<T: PlainData>(
        &self,
        stream: &Stream,
        data: DeviceViewMut<'_, T>,
        root: usize,
    ) -> Result<()> {
        let record = Record {
            root,
            ..record::<T>("broadcast", data.len())
        };
        let address = data.as_device_ptr();
        self.call(stream, [data.owner()], |frame| {
            self.expect_rank("broadcast", root)?;
            let offers = frame.begin(record, true, |call| call.address = address)?;
            let mut copied = Ok(());
            if self.rank() != root {
                let all = Piece {
                    from: root,
                    source: Source::Array(0),
                    to: address,
                    bytes: data.size_bytes(),
                };
                copied = pull(frame, &offers, [all]);
            }
            frame.end_bound(copied)
        })
    }

    #[track_caller]
    pub(super) fn copy_from_all<T: PlainData>(
        &self,
        stream: &Stream,
        part: DeviceView<'_, T>,
        all: DeviceViewMut<'_, T>,
    ) -> Result<()> {
        let record = record::<T>("all_gather", part.len());
        let (size, me) = (self.size(), self.rank());
        let (from, bytes) = (part.as_device_ptr(), part.size_bytes());
        self.call(stream, [part.owner(), all.owner()], |frame| {
            expect_parts(
                "all_gather",
                [("part", part.len()), ("all", all.len())],
                size,
            )?;
            let offers = frame.begin(record, true, |call| call.address = from)?;
            let pieces = from_own(me, size).map(|rank| Piece {
                from: rank,
                source: Source::Array(0),
                to: all.as_device_ptr() + (rank * bytes) as u64,
                bytes,
            });
            let copied = pull(frame, &offers, pieces);
            frame.end_bound(copied)
        })
    }

    #[track_caller]
    pub(super) fn copy_parts<T: PlainData>(
        &self,
        stream: &Stream,
        from: DeviceView<'_, T>,
        to: DeviceViewMut<'_, T>,
    ) -> Result<()> {
        let record = record::<T>("all_to_all", from.len());
        let (size, me) = (self.size(), self.rank());
        self.call(stream, [from.owner(), to.owner()], |frame| {
            if from.len() != to.len() || !from.len().is_multiple_of(size) {
                return Err(Error::Value(format!(
                    "all_to_all: `from` has {} elements and `to` {}: both must have the same length, a multiple of {size} (one part per rank)",
                    from.len(),
                    to.len()
                )));
            }
            let part = from.len() / size;
            let bytes = part * size_of::<T>();
            let address = from.as_device_ptr();
            let offers = frame.begin(record, true, |call| call.address = address)?;
            let pieces = from_own(me, size).map(|rank| Piece {
                from: rank,
                source: Source::Array((me * bytes) as u64),
                to: to.as_device_ptr() + (rank * bytes) as u64,
                bytes,
            });
            let copied = pull(frame, &offers, pieces);
            frame.end_bound(copied)
        })
    }

    #[track_caller]
    pub(super) fn copy_between<T: PlainData>(
        &self,
        stream: &Stream,
        sends: &[(usize, DeviceView<'_, T>)],
        receives: &mut [(usize, DeviceViewMut<'_, T>)],
    ) -> Result<()> {
        let sent = sends.iter().map(|(_, memory)| memory.owner());
        let received = receives.iter().map(|(_, memory)| memory.owner());
        let owners: Vec<_> = sent.chain(received).collect();
        self.call(stream, owners, |frame| {
            let ranks = sends.iter().map(|(rank, _)| *rank);
            for rank in ranks.chain(receives.iter().map(|(rank, _)| *rank)) {
                self.expect_rank("exchange", rank)?;
            }
            let offers = frame.begin(record::<T>("exchange", 0), true, |call| {
                call.sends = sends
                    .iter()
                    .map(|(to, memory)| (*to, memory.as_device_ptr(), memory.len()))
                    .collect();
                call.receives = receives
                    .iter()
                    .map(|(from, memory)| (*from, memory.len()))
                    .collect();
            })?;
            // The n-th buffer that receives from a rank gets the n-th buffer that the rank sends.
            let mut numbers = vec![0; self.size()];
            let copies: Vec<_> = receives
                .iter()
                .map(|(from, memory)| {
                    let number = numbers[*from];
                    numbers[*from] += 1;
                    Piece {
                        from: *from,
                        source: Source::Sent(number),
                        to: memory.as_device_ptr(),
                        bytes: memory.size_bytes(),
                    }
                })
                .collect();
            let copied = pull(frame, &offers, copies);
            frame.end_bound(copied)
        })
    }

    #[track_caller]
    pub(super) fn tell_all<T: PlainData>(&self, stream: &Stream, values: &[T]) -> Result<Vec<T>> {
        self.call(stream, [], |frame| {
            let record = record::<T>("gather_on_host", values.len());
            let offers = frame.begin_on_host(record, |call| {
                call.bytes = bytemuck::cast_slice(values).to_vec();
            })?;
            let bytes = calls(&offers).into_iter().flat_map(|call| {
                let each = call.bytes.chunks_exact(size_of::<T>().max(1));
                each.map(bytemuck::pod_read_unaligned)
            });
            Ok(bytes.collect())
        })
    }
}

/// Data to copy to this rank.
struct Piece {
    /// The rank that owns the source.
    from: usize,
    source: Source,
    to: u64,
    bytes: usize,
}

/// Location of the source on the rank that owns it.
enum Source {
    /// At this offset in bytes from the beginning of the array that the rank passed to the call.
    Array(u64),
    /// In the n-th buffer that the rank sends to this rank.
    Sent(usize),
}

/// Enqueues the copies of the pieces.
fn pull(
    frame: &Frame<'_>,
    offers: &[Offer],
    pieces: impl IntoIterator<Item = Piece>,
) -> Result<()> {
    let calls = calls(offers);
    let (me, stream) = (frame.rank.rank(), frame.stream);
    let contexts = &frame.rank.shared().contexts;
    for Piece {
        from,
        source,
        to,
        bytes,
    } in pieces
    {
        let call = calls[from];
        let address = match source {
            Source::Array(offset) => call.address + offset,
            Source::Sent(number) => match call.sent_to(me).nth(number) {
                Some((address, _)) => address,
                None => continue, // the lists were compared
            },
        };
        if from != me {
            frame.wait_ready(stream, from, call)?;
        }
        let (target, source) = (&contexts[me], &contexts[from]);
        // SAFETY: the lengths were compared. The other rank's call borrows the source and does not
        // return before this rank reaches the last rendezvous, with an event after this copy. This
        // call borrows the target exclusively.
        unsafe { copy(stream, (target, to), (source, address), bytes)? };
    }
    Ok(())
}

/// Iterates over the ranks starting with `me`, so that the ranks do not all read from the same one.
fn from_own(me: usize, size: usize) -> impl Iterator<Item = usize> {
    (0..size).map(move |step| (me + step) % size)
}
