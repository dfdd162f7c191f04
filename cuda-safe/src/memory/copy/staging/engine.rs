//! The engine that runs one staged transfer at a time.

use cuda_sys::{self as sys, CUdeviceptr};

use super::{
    StagingOptions,
    crew::{Backoff, Crew, Direction, Job},
    plan,
};
use crate::{
    context::{Context, Settled},
    error::{Error, Result},
    memory::PinnedBuffer,
    stream::{Stream, event::Event},
};

/// The page-locked pieces, the stream that copies them, and the threads that fill and empty them.
pub(super) struct Engine {
    crew: Crew,
    parts: usize,
    piece_bytes: usize,
    stream: Stream,
    slots: Vec<Slot>,
}

struct Slot {
    memory: PinnedBuffer<u8>,
    /// Recorded after the device's copy of the slot's current piece.
    copied: Event,
}

impl Engine {
    pub(super) fn new(context: &Context, options: StagingOptions) -> Result<Self> {
        let stream = Stream::new(context)?;
        let slots = (0..options.pieces)
            .map(|_| {
                Ok(Slot {
                    memory: PinnedBuffer::zeroed(context, options.piece_bytes)?,
                    copied: Event::without_timing(context)?,
                })
            })
            .collect::<Result<_>>()?;
        let crew = Crew::new(options.threads).map_err(|error| {
            let detail = format!("cannot start a thread: {error}");
            Error::invalid("Staging::new", detail).with_source(error)
        })?;
        Ok(Self {
            crew,
            parts: options.threads,
            piece_bytes: options.piece_bytes,
            stream,
            slots,
        })
    }

    /// Returns whether an earlier transfer failed while the device might still use the pieces. The
    /// pieces were then leaked, so none are left.
    pub(super) fn is_broken(&self) -> bool {
        self.slots.is_empty()
    }

    /// Copies `bytes` bytes between the host and the device, and waits for the copy.
    ///
    /// # Safety
    /// The caller must ensure that both sides are `bytes` bytes long, that nothing else uses them
    /// meanwhile, and that the host side is writable for a download.
    pub(super) unsafe fn copy(
        &mut self,
        direction: Direction,
        host: *mut u8,
        device: CUdeviceptr,
        bytes: usize,
    ) -> Result<()> {
        let slots = self.slots.iter().map(|slot| {
            let memory: *mut [u8] = slot.memory.as_raw_slice();
            memory.cast::<u8>()
        });
        let cuts = plan::cuts(bytes, self.piece_bytes);
        let job = Job::new(direction, host, slots.collect(), cuts, self.parts);
        let result = {
            // SAFETY: the caller promises that the host memory is `bytes` bytes long, which is the
            // last cut. Each slot is as long as a piece. `upload` and `download` open a piece only
            // when the device does not use its slot.
            let started = unsafe { self.crew.start(job) };
            match direction {
                Direction::Upload => self.upload(&started.job, device),
                Direction::Download => self.download(&started.job, device),
            }
        };
        match self.stream.settle() {
            Settled::Done => result,
            Settled::Failed(error) | Settled::Faulted(error) => result.and(Err(error)),
            Settled::Unknown(error) => {
                // The device may still use the pieces, but it never uses the host memory.
                std::mem::forget(std::mem::take(&mut self.slots));
                result.and(Err(error))
            }
        }
    }

    /// Runs an upload: the threads fill pieces, and each full piece is sent to the device.
    fn upload(&self, job: &Job, device: CUdeviceptr) -> Result<()> {
        let (mut sent, mut free) = (0, self.slots.len().min(job.len()));
        job.open(free);
        let mut backoff = Backoff::new();
        while sent < job.len() {
            if job.is_copied(sent) {
                self.send(job, sent, device)?;
                sent += 1;
                backoff = Backoff::new();
                continue;
            }
            // Piece number `free` will take the slot of this piece.
            let oldest = free - self.slots.len().min(free);
            if free < job.len() && oldest < sent && self.is_over(oldest, &backoff)? {
                free += 1;
                job.open(free);
                backoff = Backoff::new();
                continue;
            }
            backoff.wait();
        }
        Ok(())
    }

    /// Runs a download: the device fills pieces, and the threads empty each full piece.
    fn download(&self, job: &Job, device: CUdeviceptr) -> Result<()> {
        let (mut requested, mut arrived, mut emptied) = (0, 0, 0);
        let mut backoff = Backoff::new();
        while emptied < job.len() {
            if requested < job.len() && requested < emptied + self.slots.len() {
                self.receive(job, requested, device)?;
                requested += 1;
            } else if job.is_copied(emptied) {
                emptied += 1;
                backoff = Backoff::new();
            } else if arrived < requested && self.is_over(arrived, &backoff)? {
                arrived += 1;
                job.open(arrived);
                backoff = Backoff::new();
            } else {
                backoff.wait();
            }
        }
        Ok(())
    }

    /// Returns whether the device has copied a piece. After polling for a long time, it blocks
    /// instead, because the device may have other work, or may not start until a thread waits.
    fn is_over(&self, piece: usize, backoff: &Backoff) -> Result<bool> {
        let copied = &self.slots[piece % self.slots.len()].copied;
        if backoff.is_over() {
            return copied.synchronize().map(|()| true);
        }
        copied.query()
    }

    fn send(&self, job: &Job, piece: usize, device: CUdeviceptr) -> Result<()> {
        let (begin, len) = job.piece(piece);
        let slot = &self.slots[piece % self.slots.len()];
        let _current = self.stream.enter("cuMemcpyHtoDAsync_v2")?;
        // SAFETY: the piece has been filled, and its slot is not used until the event after the
        // copy has completed. The device memory is as long as the transfer.
        let code = unsafe {
            let (to, from) = (device + begin as CUdeviceptr, slot.memory.as_ptr().cast());
            sys::cuMemcpyHtoDAsync_v2(to, from, len, self.stream.as_raw())
        };
        self.stream.check("cuMemcpyHtoDAsync_v2", code)?;
        slot.copied.record(&self.stream)
    }

    fn receive(&self, job: &Job, piece: usize, device: CUdeviceptr) -> Result<()> {
        let (begin, len) = job.piece(piece);
        let slot = &self.slots[piece % self.slots.len()];
        let memory: *mut [u8] = slot.memory.as_raw_slice();
        let _current = self.stream.enter("cuMemcpyDtoHAsync_v2")?;
        // SAFETY: the slot's last piece has been emptied, and nothing reads the slot until the
        // event after the copy has completed. The device memory is as long as the transfer.
        let code = unsafe {
            let from = device + begin as CUdeviceptr;
            sys::cuMemcpyDtoHAsync_v2(memory.cast(), from, len, self.stream.as_raw())
        };
        self.stream.check("cuMemcpyDtoHAsync_v2", code)?;
        slot.copied.record(&self.stream)
    }
}
