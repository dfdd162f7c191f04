//! Operations on buffers: device memory of all kinds, and the model of each.

use std::{mem, thread, time::Duration};

use cuda_safe::{
    DeviceBuffer, DeviceView, DeviceViewMut, LaunchConfig, ManagedBuffer, MappedBuffer, Owner,
    Result, Stream,
    memory::{CopyBatch, HostRegion, HostRegionMut, RegionCopy},
};

use super::{
    model::{Effect, Model},
    operation::{Kind, Operation, Start},
    thread::Thread,
    world::{Slot, context_of, is_legacy, is_per_thread, pattern},
};

pub enum Memory {
    Device(DeviceBuffer<u32>),
    Mapped(MappedBuffer<u32>),
    Managed(ManagedBuffer<u32>),
}

impl Memory {
    pub fn view(&self) -> DeviceView<'_, u32> {
        match self {
            Self::Device(memory) => memory.view(),
            Self::Mapped(memory) => memory.view(),
            Self::Managed(memory) => memory.view(),
        }
    }

    pub fn view_mut(&mut self) -> DeviceViewMut<'_, u32> {
        match self {
            Self::Device(memory) => memory.view_mut(),
            Self::Mapped(memory) => memory.view_mut(),
            Self::Managed(memory) => memory.view_mut(),
        }
    }

    /// Returns the memory as the host sees it, unless it is device memory.
    fn host(&mut self) -> Option<Result<&mut [u32]>> {
        match self {
            Self::Device(_) => None,
            Self::Mapped(memory) => Some(memory.host_mut()),
            Self::Managed(memory) => Some(memory.host_mut()),
        }
    }
}

pub struct Buffer {
    pub memory: Memory,
    pub model: Model,
    /// The number of the stream that it belongs to.
    pub home: usize,
}

/// Locks two buffers, in an order that is the same for all threads.
macro_rules! lock_both {
    ($thread:expr, $one:expr, $other:expr => $first:ident, $second:ident) => {
        if $one == $other {
            return true;
        }
        let buffers = &$thread.world.buffers;
        let (low, high) = ($one.min($other), $one.max($other));
        let (Some(mut low), Some(mut high)) =
            ($thread.lock(&buffers[low]), $thread.lock(&buffers[high]))
        else {
            return true;
        };
        if $one > $other {
            mem::swap(&mut low, &mut high);
        }
        let (Some($first), Some($second)) = (low.as_mut(), high.as_mut()) else {
            return true;
        };
    };
}

impl Thread<'_> {
    pub fn on_buffers(&self, operation: Operation) -> bool {
        match operation {
            Operation::New {
                buffer,
                stream,
                kind,
                start,
                value,
            } => {
                self.new_buffer(&self.world.buffers[buffer], stream, kind, start, value);
            }
            Operation::Drop { buffer } => {
                if let Some(mut slot) = self.lock(&self.world.buffers[buffer]) {
                    *slot = None;
                }
            }
            Operation::Forget { buffer } => {
                if let Some(mut slot) = self.lock(&self.world.buffers[buffer]) {
                    mem::forget(slot.take());
                }
            }
            Operation::Write {
                buffer,
                stream,
                value,
            } => self.with_buffer(buffer, |one| {
                let host = pattern(value, self.world.len);
                let stream = self.world.stream(stream);
                let written = one.memory.view_mut().copy_from_slice(&stream, &host);
                one.model
                    .change(self.effect(written), |all| all.copy_from_slice(&host));
            }),
            Operation::Read { buffer, stream } => self.with_buffer(buffer, |one| {
                self.read(&format!("buffer {buffer}"), one, &self.world.stream(stream));
            }),
            Operation::Fill {
                buffer,
                stream,
                value,
                half,
            } => {
                let Some(_stream) = self.enqueue_on(&[stream]) else {
                    return true;
                };
                self.with_buffer(buffer, |one| {
                    let first = if half { self.world.len / 2 } else { 0 };
                    let mut view = one.memory.view_mut();
                    let mut part = view.slice_mut(first..).unwrap();
                    let filled = part.fill(&self.world.stream(stream), value);
                    one.model
                        .change(self.effect(filled), |all| all[first..].fill(value));
                });
            }
            Operation::Copy { to, from, stream } => {
                let Some(_stream) = self.enqueue_on(&[stream]) else {
                    return true;
                };
                lock_both!(self, to, from => to, from);
                let stream = self.world.stream(stream);
                let Some(contents) = from.model.certain() else {
                    return true;
                };
                let copied = to.memory.view_mut().copy_from(&stream, &from.memory.view());
                to.model
                    .change(self.effect(copied), |all| all.copy_from_slice(contents));
            }
            Operation::Kernel {
                buffer,
                stream,
                value,
            } => {
                let Some(_stream) = self.enqueue_on(&[stream]) else {
                    return true;
                };
                self.with_buffer(buffer, |one| self.add(one, stream, value));
            }
            Operation::Host { buffer, value } => self.with_buffer(buffer, |one| {
                let Some(host) = one.memory.host() else {
                    return;
                };
                if let Some(host) = self.done(host) {
                    self.expect_fits(&format!("buffer {buffer}"), host, &mut one.model);
                    host[0] = value;
                    one.model.change(Effect::Done, |all| all[0] = value);
                }
            }),
            Operation::Region {
                buffer,
                stream,
                value,
            } => {
                self.with_buffer(buffer, |one| self.copy_boxes(one, stream, value));
            }
            Operation::Batch {
                to,
                from,
                stream,
                value,
            } => {
                let Some(_stream) = self.enqueue_on(&[stream]) else {
                    return true;
                };
                lock_both!(self, to, from => to, from);
                self.copy_batch(to, from, stream, value);
            }
            Operation::Scope {
                stream,
                to,
                from,
                value,
                microseconds,
            } => {
                lock_both!(self, to, from => to, from);
                self.scope(stream, to, from, value, microseconds);
            }
            _ => return false,
        }
        true
    }

    pub fn with_buffer(&self, buffer: usize, body: impl FnOnce(&mut Buffer)) {
        if let Some(mut slot) = self.lock(&self.world.buffers[buffer])
            && let Some(one) = slot.as_mut()
        {
            body(one);
        }
    }

    fn new_buffer(&self, slot: &Slot<Buffer>, number: usize, kind: Kind, start: Start, value: u32) {
        // A capture would record the fill.
        let readers = match start {
            Start::Filled => match self.enqueue_on(&[number]) {
                Some(readers) => readers,
                None => return,
            },
            _ => Vec::new(),
        };
        let (stream, len) = (self.world.stream(number), self.world.len);
        let mut model = vec![0; len];
        let device = |model: &mut Vec<u32>| match start {
            Start::Zeroed => DeviceBuffer::zeroed(&stream, len),
            Start::FromSlice => {
                *model = pattern(value, len);
                DeviceBuffer::from_slice(&stream, model)
            }
            Start::Filled => {
                model.fill(value);
                let mut buffer = DeviceBuffer::uninit(&stream, len)?;
                buffer.fill(&stream, value)?;
                Ok(buffer)
            }
        };
        let memory = match kind {
            Kind::Device => device(&mut model).map(Memory::Device),
            Kind::Pool(pool) => {
                let Some((pool, context)) = self
                    .lock(&self.world.pools[pool])
                    .and_then(|one| one.clone())
                else {
                    return;
                };
                if self.world.contexts[context].device() != stream.context().device() {
                    return;
                }
                model = pattern(value, len);
                let allocated = pool.allocate(&stream, len);
                let filled = allocated.and_then(|mut memory| {
                    memory.copy_from_slice(&stream, &model)?;
                    Ok(memory)
                });
                filled.map(Memory::Device)
            }
            Kind::Mapped => MappedBuffer::zeroed(&stream, len).map(Memory::Mapped),
            Kind::Managed => ManagedBuffer::zeroed(&stream, len).map(Memory::Managed),
        };
        drop(readers);
        let Some(memory) = self.done(memory) else {
            return;
        };
        let new = Buffer {
            memory,
            model: Model::new(model),
            home: number,
        };
        if let Some(mut slot) = self.lock(slot) {
            *slot = Some(new);
        }
    }

    fn read(&self, name: &str, one: &mut Buffer, stream: &Stream) {
        if let Some(found) = self.done(one.memory.view().to_vec(stream)) {
            self.expect_fits(name, &found, &mut one.model);
        }
    }

    /// Launches a kernel if the stream's device reaches the memory. The caller has locked the stream.
    fn add(&self, one: &mut Buffer, number: usize, value: u32) {
        if self.world.device_of(number) != self.world.device_of(one.home) {
            return;
        }
        let stream = self.world.stream(number);
        let kernels = &self.world.kernels[context_of(number)];
        let home = one.memory.view().owner().stream().cloned();
        let config = LaunchConfig::for_elements(self.world.len);
        let mut view = one.memory.view_mut();
        let launched = stream.ordered_with(home.iter().map(Owner::from), || {
            let arguments = (&mut view, self.world.len as u32, value);
            // SAFETY: the buffer has that many elements, and the launch is ordered with its stream.
            unsafe { kernels.add.launch(&stream, config, arguments) }
        });
        one.model
            .change(self.effect(launched), |all| add_to(all, value));
    }

    /// Uploads the second of two columns, and downloads it.
    fn copy_boxes(&self, one: &mut Buffer, stream: usize, value: u32) {
        let (stream, rows) = (self.world.stream(stream), self.world.len / 2);
        let host = pattern(value, self.world.len);
        let mut view = one.memory.view_mut();
        let mut target = view.pitched_mut([2, rows]).unwrap();
        let source = HostRegion::new(&host, [2, rows]).unwrap();
        let column = RegionCopy::new([1, rows]).source_at(1).target_at(1);
        let written = column.upload(&stream, &mut target, source);
        one.model.change(self.effect(written), |all| {
            (0..rows).for_each(|row| all[2 * row + 1] = host[2 * row + 1]);
        });
        let mut back = vec![0; rows];
        let to = HostRegionMut::new(&mut back, [1, rows]).unwrap();
        let column = RegionCopy::new([1, rows]).source_at(1);
        let read = self.done(column.download(&stream, to, &target));
        if let (Some(()), Some(model)) = (read, one.model.certain()) {
            let model: Vec<u32> = (0..rows).map(|row| model[2 * row + 1]).collect();
            self.expect_equal("a column", &back, &model);
        }
    }

    fn copy_batch(&self, to: &mut Buffer, from: &Buffer, number: usize, value: u32) {
        let devices = [to.home, from.home, number].map(|stream| self.world.device_of(stream));
        if is_legacy(number) || devices.iter().any(|one| *one != devices[0]) {
            return;
        }
        let Some(contents) = from.model.certain() else {
            return;
        };
        let (stream, len) = (self.world.stream(number), self.world.len);
        let host = pattern(value, len);
        let half = len / 2;
        let (mut target, source) = (to.memory.view_mut(), from.memory.view());
        let (mut first, mut second) = target.split_at_mut(half).unwrap();
        let mut back = vec![0; len];
        let mut batch = CopyBatch::new();
        let rest = source.slice(half..).unwrap();
        let added = batch
            .upload(
                RegionCopy::new(half),
                &mut first,
                HostRegion::new(&host[..half], half).unwrap(),
            )
            .and_then(|()| batch.copy(RegionCopy::new(len - half), &mut second, &rest))
            .and_then(|()| {
                let back = HostRegionMut::new(&mut back, len).unwrap();
                batch.download(RegionCopy::new(len), back, &source)
            });
        self.done(added);
        let effect = self.effect(batch.enqueue(&stream));
        to.model.change(effect, |all| {
            all[..half].copy_from_slice(&host[..half]);
            all[half..].copy_from_slice(&contents[half..]);
        });
        if effect == Effect::Done {
            self.expect_equal("the source of a batch", &back, contents);
        }
    }

    fn scope(
        &self,
        stream: usize,
        to: &mut Buffer,
        from: &mut Buffer,
        value: u32,
        microseconds: u64,
    ) {
        let stream = self.world.stream(stream);
        let host = pattern(value, self.world.len);
        let mut back = vec![0; self.world.len];
        let (mut up, mut down) = (None, None);
        let ended = stream.scope(|scope| {
            up = Some(scope.upload(&host, &mut to.memory.view_mut()));
            thread::sleep(Duration::from_micros(microseconds));
            down = Some(scope.download(&from.memory.view(), &mut back));
            Ok(())
        });
        // Enqueued copies are over when the scope ends, even if it returns an error.
        if let Some(up) = up {
            to.model
                .change(self.effect(up), |all| all.copy_from_slice(&host));
        }
        let copied = down.and_then(|down| self.done(down)).is_some();
        if self.done(ended).is_some() && copied {
            self.expect_fits("a copy of a scope", &back, &mut from.model);
        }
    }

    /// Compares every buffer with its model.
    pub fn read_all(&self) {
        for (number, slot) in self.world.buffers.iter().enumerate() {
            if let Some(one) = slot.lock().unwrap().as_mut()
                && !is_per_thread(one.home)
            {
                let home = self.world.stream(one.home);
                self.read(&format!("buffer {number}"), one, &home);
            }
        }
    }
}

/// Changes contents as the kernel does.
pub fn add_to(contents: &mut [u32], value: u32) {
    for element in contents {
        *element = element.wrapping_add(value);
    }
}
