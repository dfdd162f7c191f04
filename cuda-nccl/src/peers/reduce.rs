//! Reductions: every rank computes small ones completely, and large ones are divided into pieces.

use std::sync::Arc;

use cuda_safe::{DeviceView, DeviceViewMut, Stream};

use super::{
    combine::Combine,
    copies::{copy, record},
    frame::Frame,
    offer::{Call, Offer, calls},
    rank::PeerRank,
};
use crate::{
    collectives::{Collectives, expect_parts},
    element::{DataType, Reducible, Reduction},
    error::Result,
    record::Record,
};

/// The part of a reduction that this rank computes.
#[derive(Clone, Copy)]
struct Target {
    /// The first element and the end of the range.
    piece: (usize, usize),
    /// Address of the result. It may be the address of the piece itself.
    to: u64,
}

/// This rank's array.
#[derive(Clone, Copy)]
struct Array {
    address: u64,
    len: usize,
    element_bytes: usize,
}

impl Array {
    /// Returns the address of an element.
    fn at(self, element: usize) -> u64 {
        self.address + (element * self.element_bytes) as u64
    }

    /// Returns the range of elements that a rank reduces. All pieces begin at multiples of 16
    /// bytes, except those at the end of the array.
    fn piece(self, rank: usize, ranks: usize) -> (usize, usize) {
        let whole = (16 / self.element_bytes).max(1);
        let each = self.len.div_ceil(ranks).next_multiple_of(whole);
        (
            (rank * each).min(self.len),
            ((rank + 1) * each).min(self.len),
        )
    }
}

impl PeerRank {
    #[track_caller]
    pub(super) fn reduce_all<T: Reducible>(
        &self,
        stream: &Stream,
        data: DeviceViewMut<'_, T>,
        reduction: Reduction,
    ) -> Result<()> {
        let record = Record {
            reduction: reduction.name(),
            ..record::<T>("all_reduce", data.len())
        };
        let array = Array {
            address: data.as_device_ptr(),
            len: data.len(),
            element_bytes: size_of::<T>(),
        };
        self.call(stream, [data.owner()], |frame| {
            if self.size() == 1 {
                // With one rank, the result is that rank's data.
                frame.begin_on_host(record, |_| {})?;
                return frame.end();
            }
            let kernel = combine(frame, T::TYPE, reduction)?;
            if data.size_bytes() <= self.shared().part {
                by_all(frame, &kernel, record, array)
            } else {
                in_pieces(frame, &kernel, record, array)
            }
        })
    }

    #[track_caller]
    pub(super) fn reduce_parts<T: Reducible>(
        &self,
        stream: &Stream,
        all: DeviceView<'_, T>,
        part: DeviceViewMut<'_, T>,
        reduction: Reduction,
    ) -> Result<()> {
        let record = Record {
            reduction: reduction.name(),
            ..record::<T>("reduce_scatter", part.len())
        };
        self.call(stream, [all.owner(), part.owner()], |frame| {
            let (me, len) = (self.rank(), part.len());
            let lengths = [("part", len), ("all", all.len())];
            expect_parts("reduce_scatter", lengths, self.size())?;
            let kernel = combine(frame, T::TYPE, reduction)?;
            let place = frame.own.open_inbox(me, self.shared())?;
            let address = all.as_device_ptr();
            let offers = frame.begin(record, true, |call| call.address = address)?;
            let array = Array {
                address,
                len: all.len(),
                element_bytes: size_of::<T>(),
            };
            let target = Target {
                piece: (me * len, (me + 1) * len),
                to: part.as_device_ptr(),
            };
            let reduced = reduce_piece(frame, &kernel, &calls(&offers), array, target, place);
            frame.end_bound(reduced)
        })
    }
}

/// Returns the kernel for a type and an operation. It is compiled at the first such call.
fn combine(frame: &mut Frame<'_>, data: DataType, reduction: Reduction) -> Result<Arc<Combine>> {
    if let Some(kernel) = frame.own.kernels.get(&(data, reduction)) {
        return Ok(kernel.clone());
    }
    let (context, size) = (frame.rank.context(), frame.rank.size());
    let kernel = Arc::new(Combine::compile(context, data, reduction, size)?);
    frame.own.kernels.insert((data, reduction), kernel.clone());
    Ok(kernel)
}

/// Reads the outboxes of all ranks and computes the whole result on each rank.
fn by_all(frame: &mut Frame<'_>, kernel: &Combine, record: Record, array: Array) -> Result<()> {
    let (rank, stream) = (frame.rank, frame.stream);
    let (me, shared) = (rank.rank(), rank.shared());
    let bytes = array.len * array.element_bytes;
    let context = &shared.contexts[me];
    let outbox = frame.reuse_outbox()?;
    if !shared.reaches {
        frame.own.open_inbox(me, shared)?;
    }
    // SAFETY: this call borrows the array exclusively. The outbox is at least as long, and no rank
    // reads it any more when the stream executes the copy.
    unsafe { copy(stream, (context, outbox), (context, array.address), bytes)? };
    let offers = frame.begin(record, false, |call| call.address = outbox)?;
    let calls = calls(&offers);
    if array.len > 0 {
        let mut inputs = Vec::with_capacity(calls.len());
        for (other, call) in calls.iter().enumerate() {
            if other == me {
                inputs.push(outbox);
                continue;
            }
            frame.wait_ready(stream, other, call)?;
            inputs.push(if shared.reaches {
                call.address
            } else {
                let inbox = frame.own.place(0, other);
                let from = (&shared.contexts[other], call.address);
                // SAFETY: the source is an outbox with this number of bytes, which is not written
                // before this rank's event of this call. The target is a slot of this rank's inbox,
                // which is used in the order of this stream.
                unsafe { copy(stream, (context, inbox), from, bytes)? };
                inbox
            });
        }
        // SAFETY: as above. Each input is an outbox that this kernel can read, or a copy of one in
        // this rank's inbox. The array was copied to the outbox before the kernel overwrites it.
        unsafe {
            kernel.launch(
                stream,
                &inputs,
                array.address,
                array.len,
                array.element_bytes,
            )?;
        }
    }
    frame.end()
}

/// Reduces one piece on each rank, then copies the finished pieces of the other ranks.
fn in_pieces(frame: &mut Frame<'_>, kernel: &Combine, record: Record, array: Array) -> Result<()> {
    let (rank, shared) = (frame.rank.rank(), frame.rank.shared());
    let place = frame.own.open_inbox(rank, shared)?;
    let offers = frame.begin(record, true, |call| call.address = array.address)?;
    let piece = array.piece(rank, shared.size());
    let target = Target {
        piece,
        to: array.at(piece.0),
    };
    let reduced = reduce_piece(frame, kernel, &calls(&offers), array, target, place);
    // All waits for this event are already enqueued, so it can be recorded again.
    let event = frame.own.emptied[0].clone();
    let reduced = frame.barrier(&event, reduced);
    if !frame.is_bound() {
        return reduced;
    }
    let copied = reduced.and_then(|()| gather_pieces(frame, &offers, array));
    frame.end_bound(copied)
}

fn reduce_piece(
    frame: &mut Frame<'_>,
    kernel: &Combine,
    calls: &[&Call],
    array: Array,
    target: Target,
    place: usize,
) -> Result<()> {
    let (rank, stream) = (frame.rank, frame.stream);
    let (me, shared, size) = (rank.rank(), rank.shared(), calls.len());
    let context = &shared.contexts[me];
    let side = frame.own.side.clone();
    // All earlier uses of the inbox are in the order of `stream`. `ready` comes after them.
    side.wait_event(&frame.own.ready[frame.parity])?;
    for (other, call) in calls.iter().enumerate().filter(|&(other, _)| other != me) {
        frame.wait_ready(&side, other, call)?;
    }
    let (start, end) = target.piece;
    let step = place / array.element_bytes;
    for (chunk, first) in (start..end).step_by(step).enumerate() {
        let (count, half) = (step.min(end - first), chunk % 2);
        let (offset, bytes) = (
            (first * array.element_bytes) as u64,
            count * array.element_bytes,
        );
        if chunk >= 2 {
            side.wait_event(&frame.own.emptied[half])?;
        }
        let mut inputs = Vec::with_capacity(size);
        // Starts with the next rank, so that the ranks do not all read from the same one.
        for other in (1..size).map(|step| (me + step) % size) {
            let from = (&shared.contexts[other], calls[other].address + offset);
            let to = (context, frame.own.place(half, other));
            // SAFETY: the source is within the other rank's array, which has the same length and
            // stays valid until this rank reaches the last rendezvous, after its event. The target
            // is a slot of this rank's inbox, whose last reader comes before `emptied`.
            unsafe { copy(&side, to, from, bytes)? };
        }
        frame.own.filled[half].record(&side)?;
        stream.wait_event(&frame.own.filled[half])?;
        for other in 0..size {
            inputs.push(match other == me {
                true => array.address + offset,
                false => frame.own.place(half, other),
            });
        }
        // SAFETY: the inputs are `count` elements of this rank's piece and of the filled inbox
        // slots. This call borrows the target exclusively, and no other rank reads it before it is
        // done.
        unsafe {
            kernel.launch(
                stream,
                &inputs,
                target.to + ((first - start) * array.element_bytes) as u64,
                count,
                array.element_bytes,
            )?;
        }
        frame.own.emptied[half].record(stream)?;
    }
    Ok(())
}

fn gather_pieces(frame: &mut Frame<'_>, offers: &[Offer], array: Array) -> Result<()> {
    let (rank, stream) = (frame.rank, frame.stream);
    let (me, shared) = (rank.rank(), rank.shared());
    let calls = calls(offers);
    let size = calls.len();
    for other in (1..size).map(|step| (me + step) % size) {
        let (start, end) = array.piece(other, size);
        let offset = (start * array.element_bytes) as u64;
        let from = (&shared.contexts[other], calls[other].address + offset);
        let to = (&shared.contexts[me], array.address + offset);
        // SAFETY: the source is the other rank's piece, which is reduced when this stream executes
        // the copy and stays valid until this rank reaches the last rendezvous. The target is this
        // rank's array, borrowed exclusively, in a range that the other rank has already read.
        unsafe { copy(stream, to, from, (end - start) * array.element_bytes)? };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_everything_once() {
        for (len, element_bytes, ranks) in [
            (0, 4, 2),
            (1, 8, 3),
            (16, 1, 2),
            (1000, 2, 7),
            (1003, 4, 16),
            (5, 8, 2),
        ] {
            let array = Array {
                address: 0,
                len,
                element_bytes,
            };
            let mut at = 0;
            for rank in 0..ranks {
                let (start, end) = array.piece(rank, ranks);
                assert_eq!(start, at);
                assert!(start == len || start * element_bytes % 16 == 0);
                at = end;
            }
            assert_eq!(at, len);
        }
    }
    #[test]
    fn pieces_are_even_and_aligned() {
        let pieces = |len, element_bytes, ranks| {
            let array = Array {
                address: 1000,
                len,
                element_bytes,
            };
            assert_eq!(array.at(3), 1000 + 3 * element_bytes as u64);
            let pieces = (0..ranks).map(|rank| array.piece(rank, ranks));
            pieces.collect::<Vec<_>>()
        };
        assert_eq!(pieces(10, 4, 3), [(0, 4), (4, 8), (8, 10)]);
        assert_eq!(pieces(12, 4, 3), [(0, 4), (4, 8), (8, 12)]);
        assert_eq!(pieces(13, 4, 3), [(0, 8), (8, 13), (13, 13)]);
        assert_eq!(pieces(5, 8, 2), [(0, 4), (4, 5)]);
        assert_eq!(pieces(100, 1, 3), [(0, 48), (48, 96), (96, 100)]);
        // Elements of more than 16 bytes.
        assert_eq!(pieces(5, 32, 2), [(0, 3), (3, 5)]);
    }
}
