//! Operations on host memory that the device uses: transfers, mapped, registered and page-locked memory.

use std::{
    mem, thread,
    time::{Duration, Instant},
};

use cuda_safe::{
    Context, DeviceBuffer, InOut, LaunchConfig, ManagedBuffer, MappedBuffer, PinnedBuffer, Result,
    bytemuck,
    memory::{RegisterFlags, RegisteredBuffer, Staging, StagingOptions, Transfer},
};

use super::{
    buffers::add_to,
    canary::Canary,
    model::{Effect, Model},
    operation::{Operation, Page, Use},
    thread::Thread,
    world::{context_of, pattern},
};

/// A transfer in progress and the expected contents of its host memory.
pub struct Pending {
    transfer: Transfer<u32>,
    model: Model,
}

/// An element as large as a page. Drivers place small allocations closer together.
#[derive(Clone, Copy)]
#[repr(C, align(4096))]
struct Whole([u8; 4096]);

// SAFETY: bytes without padding.
unsafe impl bytemuck::Zeroable for Whole {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Whole {}

impl Thread<'_> {
    pub fn on_host_memory(&self, operation: Operation) -> bool {
        let transfers = &self.world.transfers;
        match operation {
            Operation::Upload {
                transfer,
                buffer,
                stream,
                value,
            } => {
                self.upload(transfer, buffer, stream, value);
            }
            Operation::Download {
                transfer,
                buffer,
                stream,
            } => {
                self.download(transfer, buffer, stream);
            }
            Operation::Wait { transfer } => {
                let Some(mut slot) = self.lock(&transfers[transfer]) else {
                    return true;
                };
                let Some(mut one) = slot.take() else {
                    return true;
                };
                drop(slot);
                if let Some(host) = self.done(one.transfer.wait()) {
                    self.expect_fits("a transfer", &host, &mut one.model);
                }
            }
            Operation::DropTransfer { transfer } => {
                if let Some(mut slot) = self.lock(&transfers[transfer]) {
                    let one = slot.take();
                    drop(slot);
                    drop(one);
                }
            }
            Operation::ForgetTransfer { transfer } => {
                if let Some(mut slot) = self.lock(&transfers[transfer]) {
                    mem::forget(slot.take());
                }
            }
            Operation::Map {
                stream,
                other,
                from,
                by,
                value,
                milliseconds,
            } => {
                self.map(stream, other, from, by, value, milliseconds);
            }
            Operation::PageLock {
                stream,
                buffer,
                value,
            } => self.page_lock(stream, buffer, value),
            Operation::Register {
                stream,
                other,
                from,
                value,
            } => {
                self.register(stream, other, from, value);
            }
            Operation::Pinned { stream, value } => {
                let context = &self.world.contexts[context_of(stream)];
                let host = pattern(value, self.world.len);
                if let Some(pinned) = self.done(PinnedBuffer::from_slice(context, &host)) {
                    self.expect_equal("page-locked memory", &pinned, &host);
                }
            }
            Operation::Aligned { stream, page } => self.allocate_pages(stream, page),
            Operation::PassSlice { stream, value } => self.pass_slice(stream, value),
            Operation::Stage { stream, on } => {
                let stream = self.world.stream(stream);
                // Several pieces for the longest buffers.
                let options = StagingOptions::default()
                    .threads(1)
                    .pieces(2)
                    .piece_bytes(4096)
                    .threshold_bytes(1);
                let staging = on.then(|| Staging::with_options(stream.context(), options));
                match staging.transpose() {
                    Ok(staging) => {
                        self.done(stream.set_staging(staging.as_ref()));
                    }
                    Err(error) => self.expect_documented(&error),
                }
            }
            _ => return false,
        }
        true
    }

    fn upload(&self, transfer: usize, buffer: usize, stream: usize, value: u32) {
        let (stream, host) = (self.world.stream(stream), pattern(value, self.world.len));
        let Some(pinned) = self.done(PinnedBuffer::from_slice(stream.context(), &host)) else {
            return;
        };
        let mut started = None;
        self.with_buffer(buffer, |one| {
            let upload = stream.upload(pinned, &mut one.memory.view_mut());
            started = self.done(upload);
            let effect = match started {
                Some(_) => Effect::Done,
                None => self.failed(),
            };
            one.model.change(effect, |all| all.copy_from_slice(&host));
        });
        self.keep(transfer, started, Model::new(host));
    }

    fn download(&self, transfer: usize, buffer: usize, stream: usize) {
        let stream = self.world.stream(stream);
        let pinned = PinnedBuffer::zeroed(stream.context(), self.world.len);
        let Some(pinned) = self.done(pinned) else {
            return;
        };
        let (mut started, mut model) = (None, Model::new(Vec::new()));
        self.with_buffer(buffer, |one| {
            started = self.done(stream.download(&one.memory.view(), pinned));
            model.clone_from(&one.model);
        });
        self.keep(transfer, started, model);
    }

    fn keep(&self, transfer: usize, started: Option<Transfer<u32>>, model: Model) {
        let Some(started) = started else { return };
        let one = Pending {
            transfer: started,
            model,
        };
        if let Some(mut slot) = self.lock(&self.world.transfers[transfer]) {
            let before = slot.replace(one);
            drop(slot);
            drop(before);
        }
    }

    /// Maps a vector for a stream. A stream of perhaps another context copies a buffer there.
    fn map(
        &self,
        number: usize,
        other: usize,
        from: usize,
        by: Use,
        value: u32,
        milliseconds: u64,
    ) {
        let Some(_streams) = self.enqueue_on(&[number, other]) else {
            return;
        };
        let (stream, foreign) = (self.world.stream(number), self.world.stream(other));
        let half = self.world.len / 2;
        let mut host = pattern(value, self.world.len);
        let mut model = Model::new(host.clone());
        let ended = stream.mapped(&mut host, RegisterFlags::PORTABLE, |mut view| {
            let filled = view.slice_mut(half..)?.fill(&stream, value);
            model.change(self.effect(filled), |all| all[half..].fill(value));
            if by == Use::None {
                return Ok(());
            }
            self.with_buffer(from, |one| {
                if by == Use::SlowCopy {
                    let canary = Canary::new();
                    let wait = move || canary.run(1000 * milliseconds);
                    self.done(foreign.launch_host_function(wait));
                }
                let mut to = view.slice_mut(..half).unwrap();
                let from = one.memory.view().into_slice(..half).unwrap();
                let Some(contents) = one.model.certain() else {
                    return;
                };
                let copied = to.copy_from(&foreign, &from);
                let copy = |all: &mut [u32]| all[..half].copy_from_slice(&contents[..half]);
                model.change(self.effect(copied), copy);
            });
            Ok(())
        });
        if self.done(ended).is_some() {
            self.expect_fits("mapped memory", &host, &mut model);
        }
        self.expect_left_alone(&mut host);
    }

    /// Checks that nothing uses memory whose borrow has ended.
    fn expect_left_alone(&self, host: &mut [u32]) {
        const MARK: u32 = 0x5eed_5eed;
        let pending = |host: &[u32]| {
            cuda_emulator::pending_host_work(host.as_ptr().cast(), size_of_val(host))
        };
        let Some(work) = pending(host) else { return };
        if !self.world.has_faulted() {
            self.fail(format!(
                "enqueued work will use memory after its borrow has ended: {work}"
            ));
        }
        // Pending work of a faulted context never runs. All other work runs during this wait.
        host.fill(MARK);
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_millis(150) && pending(host).is_some() {
            thread::sleep(Duration::from_millis(1));
        }
        // Volatile, since the compiler knows of no other writer.
        let changed = |one: &u32| {
            // SAFETY: a reference is valid for a read.
            unsafe { std::ptr::from_ref(one).read_volatile() != MARK }
        };
        if host.iter().any(changed) {
            self.fail(format!(
                "memory is written after its borrow has ended: {work}"
            ));
        }
    }

    fn page_lock(&self, number: usize, buffer: usize, value: u32) {
        let stream = self.world.stream(number);
        let mut host = pattern(value, self.world.len);
        self.with_buffer(buffer, |one| {
            let context = stream.context();
            let ended = context.page_locked(&mut host, RegisterFlags::PORTABLE, |host| {
                let copied = one.memory.view_mut().copy_from_slice(&stream, host);
                one.model
                    .change(self.effect(copied), |all| all.copy_from_slice(host));
                Ok(())
            });
            self.done(ended);
        });
        self.expect_left_alone(&mut host);
    }

    /// Maps a registered vector. Two streams write it.
    fn register(&self, number: usize, other: usize, from: usize, value: u32) {
        let Some(_streams) = self.enqueue_on(&[number, other]) else {
            return;
        };
        let (stream, foreign) = (self.world.stream(number), self.world.stream(other));
        let host = pattern(value, self.world.len);
        let mut model = Model::new(host.clone());
        let flags = RegisterFlags::PORTABLE;
        let registered = RegisteredBuffer::with_flags(stream.context(), host, flags);
        let Some(registered) = self.done(registered) else {
            return;
        };
        let Some(mut mapped) = self.done(registered.into_mapped(&stream)) else {
            return;
        };
        self.with_buffer(from, |one| {
            let Some(contents) = one.model.certain() else {
                return;
            };
            let copied = mapped.copy_from(&foreign, &one.memory.view());
            model.change(self.effect(copied), |all| all.copy_from_slice(contents));
        });
        let filled = mapped.slice_mut(1..).unwrap().fill(&stream, value);
        model.change(self.effect(filled), |all| all[1..].fill(value));
        if self.is_capturing() {
            return; // dropped in the capture
        }
        let Some(registered) = self.done(mapped.into_host()) else {
            return;
        };
        self.expect_fits("registered memory", &registered, &mut model);
        if let Some(mut host) = self.done(registered.into_host()) {
            self.expect_left_alone(&mut host);
        }
    }

    /// Launches a kernel that changes a host slice.
    fn pass_slice(&self, number: usize, value: u32) {
        let Some(_stream) = self.enqueue_on(&[number]) else {
            return;
        };
        let (stream, len) = (self.world.stream(number), self.world.len);
        let mut host = pattern(value, len);
        let mut model = Model::new(host.clone());
        let add = &self.world.kernels[context_of(number)].add;
        let arguments = (InOut(&mut host), len as u32, value);
        // SAFETY: the slice has `len` elements.
        let launched = unsafe { add.launch(&stream, LaunchConfig::for_elements(len), arguments) };
        model.change(self.effect(launched), |all| add_to(all, value));
        self.expect_fits("a host slice", &host, &mut model);
        self.expect_left_alone(&mut host);
    }

    /// Checks that memory for page-sized elements is aligned to pages, unless allocating it fails.
    fn allocate_pages(&self, number: usize, page: Page) {
        let stream = self.world.stream(number);
        let context: &Context = stream.context();
        // Shifts the addresses of later allocations.
        let small = PinnedBuffer::<u8>::zeroed(context, 100);
        let address = |memory: Result<u64>| match memory {
            Ok(address) if address % 4096 != 0 => {
                self.fail(format!("{page:?} memory of pages begins at {address:#x}"))
            }
            Ok(_) => {}
            Err(error) if error.to_string().contains("4096 bytes") => {}
            Err(error) => self.expect_documented(&error),
        };
        match page {
            Page::Pinned => {
                let memory = PinnedBuffer::<Whole>::zeroed(context, 2);
                // A reference to misaligned memory would be undefined behaviour.
                address(memory.and_then(|memory| memory.device_ptr()));
            }
            Page::Mapped => {
                let memory = MappedBuffer::<Whole>::zeroed(&stream, 1);
                address(memory.map(|memory| memory.as_device_ptr()));
            }
            Page::Managed => {
                let memory = ManagedBuffer::<Whole>::zeroed(&stream, 1);
                address(memory.map(|memory| memory.as_device_ptr()));
            }
            Page::Device => {
                let memory = DeviceBuffer::<Whole>::zeroed(&stream, 1);
                address(memory.map(|memory| memory.as_device_ptr()));
            }
        }
        self.done(small);
    }
}
