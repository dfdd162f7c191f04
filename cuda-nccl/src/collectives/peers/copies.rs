//! What is carried from rank to rank and not combined.

use cuda_safe::{Context, DeviceView, DeviceViewMut, PlainData, Stream, bytemuck, sys};

use super::{
    offer::{Offer, What, agreed},
    rank::{Frame, PeerRank},
};
use crate::{
    collectives::Collectives,
    error::{Error, Result},
};

/// Enqueues a copy between memory of two contexts, which may be the same one.
///
/// # Safety
/// Both are live memory of `bytes` of these contexts when the stream comes to this, apart from each other, and nobody else
/// writes to either meanwhile.
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
        // SAFETY: as this function's contract says.
        let code = unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes, raw) };
        ("cuMemcpyDtoDAsync_v2", code)
    } else {
        let (target, source) = (target.as_raw(), source.as_raw());
        // SAFETY: as this function's contract says; both contexts are held by the group.
        let code = unsafe { sys::cuMemcpyPeerAsync(to, target, from, source, bytes, raw) };
        ("cuMemcpyPeerAsync", code)
    };
    Ok(context.check(call, code)?)
}

fn what<T>(name: &'static str, len: Option<usize>) -> What {
    What {
        name,
        element: std::any::type_name::<T>(),
        element_bytes: size_of::<T>(),
        len,
        reduction: None,
        root: None,
    }
}

impl PeerRank {
    fn expect_rank(&self, rank: usize) -> Result<()> {
        if rank < self.size() {
            return Ok(());
        }
        Err(Error::Value(format!(
            "there is no rank {rank}: the group has {}",
            self.size()
        )))
    }

    pub(super) fn copy_from_root<T: PlainData>(
        &self,
        stream: &Stream,
        data: DeviceViewMut<'_, T>,
        root: usize,
    ) -> Result<()> {
        let what = What {
            root: Some(root),
            ..what::<T>("broadcast", Some(data.len()))
        };
        let address = data.as_device_ptr();
        self.call(stream, [data.owner()], |frame| {
            self.expect_rank(root)?;
            let offers = frame.begin(what, true, |call| call.address = address)?;
            let mut copied = Ok(());
            if self.rank() != root {
                copied = pull(frame, &offers, [(root, 0, 0, address, data.size_bytes())]);
            }
            frame.end_bound(copied)
        })
    }

    pub(super) fn copy_from_all<T: PlainData>(
        &self,
        stream: &Stream,
        part: DeviceView<'_, T>,
        all: DeviceViewMut<'_, T>,
    ) -> Result<()> {
        let what = what::<T>("all_gather", Some(part.len()));
        let (size, me) = (self.size(), self.rank());
        let (from, bytes) = (part.as_device_ptr(), part.size_bytes());
        self.call(stream, [part.owner(), all.owner()], |frame| {
            if all.len() != part.len() * size {
                return Err(Error::Value(format!(
                    "{size} parts of {} elements have {}; the memory for them has {}",
                    part.len(),
                    part.len() * size,
                    all.len()
                )));
            }
            let place = |rank: usize| all.as_device_ptr() + (rank * bytes) as u64;
            let offers = frame.begin(what, true, |call| call.address = from)?;
            let context = self.context();
            // SAFETY: this rank's own memory, of which `all` is borrowed exclusively.
            let own = unsafe { copy(stream, (context, place(me)), (context, from), bytes) };
            let others = (1..size).map(|step| (me + step) % size);
            let copied = own.and_then(|()| {
                pull(
                    frame,
                    &offers,
                    others.map(|rank| (rank, 0, 0, place(rank), bytes)),
                )
            });
            frame.end_bound(copied)
        })
    }

    pub(super) fn copy_between<T: PlainData>(
        &self,
        stream: &Stream,
        sends: &[(usize, DeviceView<'_, T>)],
        receives: &mut [(usize, DeviceViewMut<'_, T>)],
    ) -> Result<()> {
        let me = self.rank();
        let sent = sends.iter().map(|(_, memory)| memory.owner());
        let received = receives.iter().map(|(_, memory)| memory.owner());
        let owners: Vec<_> = sent.chain(received).collect();
        self.call(stream, owners, |frame| {
            let ranks = sends.iter().map(|(rank, _)| *rank);
            for rank in ranks.chain(receives.iter().map(|(rank, _)| *rank)) {
                self.expect_rank(rank)?;
            }
            let offers = frame.begin(what::<T>("exchange", None), true, |call| {
                call.sends = sends
                    .iter()
                    .map(|(to, memory)| (*to, memory.as_device_ptr(), memory.len()))
                    .collect();
                call.receives = receives
                    .iter()
                    .map(|(from, memory)| (*from, memory.len()))
                    .collect();
            })?;
            // The n-th memory for a rank receives the n-th that this one sends.
            let mut numbers = vec![0; self.size()];
            let copies: Vec<_> = receives
                .iter()
                .map(|(from, memory)| {
                    let number = numbers[*from];
                    numbers[*from] += 1;
                    let to = memory.as_device_ptr();
                    (*from, me, number + 1, to, memory.size_bytes())
                })
                .collect();
            let copied = pull(frame, &offers, copies);
            frame.end_bound(copied)
        })
    }

    pub(super) fn tell_all<T: PlainData>(&self, stream: &Stream, values: &[T]) -> Result<Vec<T>> {
        self.call(stream, [], |frame| {
            let what = what::<T>("gather_on_host", Some(values.len()));
            let offers = frame.begin_on_host(what, |call| {
                call.bytes = bytemuck::cast_slice(values).to_vec();
            })?;
            let calls = agreed(&offers)?;
            let bytes = calls.iter().flat_map(|call| {
                let each = call.bytes.chunks_exact(size_of::<T>().max(1));
                each.map(bytemuck::pod_read_unaligned)
            });
            Ok(bytes.collect())
        })
    }
}

/// Copies from others: whom from; of its array (0), or of what it sends to `me`, the number from 1 on; where to, and how
/// many bytes.
fn pull(
    frame: &Frame<'_>,
    offers: &[Offer],
    copies: impl IntoIterator<Item = (usize, usize, usize, u64, usize)>,
) -> Result<()> {
    let calls = agreed(offers)?;
    let (rank, stream) = (frame.rank, frame.stream);
    let contexts = &rank.shared().contexts;
    for (from, me, number, to, bytes) in copies {
        let call = calls[from];
        let address = match number {
            0 => call.address,
            number => match call.sent_to(me).nth(number - 1) {
                Some((address, _)) => address,
                None => continue, // the lists were compared
            },
        };
        if from != rank.rank() {
            frame.wait_ready(stream, from, call)?;
        }
        let (target, source) = (&contexts[rank.rank()], &contexts[from]);
        // SAFETY: lengths were compared. The source is borrowed by the other's call, which does not return before this rank
        // has come to the last meeting, with an event behind this copy; the target is borrowed exclusively by this one.
        unsafe { copy(stream, (target, to), (source, address), bytes)? };
    }
    Ok(())
}
