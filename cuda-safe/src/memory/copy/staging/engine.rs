//! One transfer after another through the page-locked pieces.

use cuda_sys::{self as sys, CUdeviceptr};

use super::{
    StagingOptions,
    crew::{Crew, Direction, Job, Patience},
    plan,
};
use crate::{
    context::{Context, Settled},
    error::{Error, Result},
    memory::PinnedBuffer,
    stream::{Stream, event::Event},
};

/// The pieces, the stream that copies them, and the threads that fill and empty them.
pub(super) struct Engine {
    crew: Crew,
    parts: usize,
    piece_bytes: usize,
    stream: Stream,
    slots: Vec<Slot>,
}

struct Slot {
    memory: PinnedBuffer<u8>,
    /// Recorded behind the device's copy of the piece that is in it.
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
            let detail = format!("a thread can't be started: {error}");
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

    /// Whether a transfer went so wrong that the pieces may still be in use. They are leaked, and there are none now.
    pub(super) fn is_broken(&self) -> bool {
        self.slots.is_empty()
    }

    /// Copies `bytes` between the host and the device, and waits until they have been copied.
    ///
    /// # Safety
    /// Both are as long as `bytes`, and used by nobody else meanwhile; the host's may be written to for a download.
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
            // SAFETY: the host memory is as long as the cuts, by this function's contract, and each slot as long as a
            // piece. `upload` and `download` open a piece when the device doesn't use its slot.
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
                // The device may still use the pieces; the host memory it never does.
                std::mem::forget(std::mem::take(&mut self.slots));
                result.and(Err(error))
            }
        }
    }

    /// The threads fill pieces, and each is sent when it is full.
    fn upload(&self, job: &Job, device: CUdeviceptr) -> Result<()> {
        let (mut sent, mut free) = (0, self.slots.len().min(job.len()));
        job.open(free);
        let mut patience = Patience::new();
        while sent < job.len() {
            if job.is_copied(sent) {
                self.send(job, sent, device)?;
                sent += 1;
                patience = Patience::new();
                continue;
            }
            // Piece number `free` will take the slot of this one.
            let oldest = free - self.slots.len().min(free);
            if free < job.len() && oldest < sent && self.is_over(oldest, &patience)? {
                free += 1;
                job.open(free);
                patience = Patience::new();
                continue;
            }
            patience.wait();
        }
        Ok(())
    }

    /// The device fills pieces, and the threads empty each when it is full.
    fn download(&self, job: &Job, device: CUdeviceptr) -> Result<()> {
        let (mut asked, mut arrived, mut emptied) = (0, 0, 0);
        let mut patience = Patience::new();
        while emptied < job.len() {
            if asked < job.len() && asked < emptied + self.slots.len() {
                self.ask(job, asked, device)?;
                asked += 1;
            } else if job.is_copied(emptied) {
                emptied += 1;
                patience = Patience::new();
            } else if arrived < asked && self.is_over(arrived, &patience)? {
                arrived += 1;
                job.open(arrived);
                patience = Patience::new();
            } else {
                patience.wait();
            }
        }
        Ok(())
    }

    /// Whether the device has copied a piece. Who has asked for long waits: the device may have other work, or none
    /// that begins before somebody waits.
    fn is_over(&self, piece: usize, patience: &Patience) -> Result<bool> {
        let copied = &self.slots[piece % self.slots.len()].copied;
        if patience.is_over() {
            return copied.synchronize().map(|()| true);
        }
        copied.query()
    }

    fn send(&self, job: &Job, piece: usize, device: CUdeviceptr) -> Result<()> {
        let (begin, len) = job.piece(piece);
        let slot = &self.slots[piece % self.slots.len()];
        let _current = self.stream.enter("cuMemcpyHtoDAsync_v2")?;
        // SAFETY: the piece has been filled, and its slot is left alone until the event behind the copy is over; the
        // device's memory is as long as the transfer.
        let code = unsafe {
            let (to, from) = (device + begin as CUdeviceptr, slot.memory.as_ptr().cast());
            sys::cuMemcpyHtoDAsync_v2(to, from, len, self.stream.as_raw())
        };
        self.stream.check("cuMemcpyHtoDAsync_v2", code)?;
        slot.copied.record(&self.stream)
    }

    fn ask(&self, job: &Job, piece: usize, device: CUdeviceptr) -> Result<()> {
        let (begin, len) = job.piece(piece);
        let slot = &self.slots[piece % self.slots.len()];
        let memory: *mut [u8] = slot.memory.as_raw_slice();
        let _current = self.stream.enter("cuMemcpyDtoHAsync_v2")?;
        // SAFETY: the slot's last piece has been emptied, and nobody reads it until the event behind the copy is over;
        // the device's memory is as long as the transfer.
        let code = unsafe {
            let from = device + begin as CUdeviceptr;
            sys::cuMemcpyDtoHAsync_v2(memory.cast(), from, len, self.stream.as_raw())
        };
        self.stream.check("cuMemcpyDtoHAsync_v2", code)?;
        slot.copied.record(&self.stream)
    }
}
