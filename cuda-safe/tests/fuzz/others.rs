//! Operations on pools, arrays, modules and peers, and faults.

use std::{mem, sync::atomic::Ordering};

use cuda_safe::{
    ErrorKind, LaunchConfig, MemoryPool, Module, Owner, Result, Stream, array::CudaArray,
};

use super::{
    buffers::{Buffer, add_to},
    memory,
    model::{Effect, Model},
    operation::{Operation, Trap},
    thread::Thread,
    world::{KERNELS, context_of, pattern},
};

impl Thread<'_> {
    pub fn on_others(&self, operation: Operation) -> bool {
        let contexts = &self.world.contexts;
        match operation {
            Operation::NewPool { pool, context } => {
                let made = self.done(MemoryPool::new(&contexts[context]));
                self.put_pool(pool, made.map(|made| (made, context)));
            }
            Operation::MakeCurrent { pool } => self.with_pool(pool, |pool| {
                self.done(pool.make_current());
            }),
            Operation::CurrentPool { pool, context } => {
                let current = self.done(MemoryPool::current(&contexts[context]));
                self.put_pool(pool, current.map(|one| (one, context)));
            }
            Operation::DefaultPool { context } => {
                let default = MemoryPool::default_of(&contexts[context]);
                self.done(default.and_then(|pool| pool.make_current()));
            }
            Operation::DropPool { pool } => self.put_pool(pool, None),
            Operation::NewArray {
                array,
                stream,
                value,
            } => {
                let Some(new) = self.new_array(&self.world.stream(stream), value) else {
                    return true;
                };
                self.put_array(array, Some(new));
            }
            Operation::ReadArray { array, stream } => {
                if let Some(mut slot) = self.lock(&self.world.arrays[array])
                    && let Some((array, model)) = slot.as_mut()
                {
                    let stream = self.world.stream(stream);
                    if array.context() == stream.context()
                        && let Some(found) = self.done(array.to_vec::<u32>(&stream))
                    {
                        self.expect_fits("an array", &found, model);
                    }
                }
            }
            Operation::DropArrays { stream, count } => {
                let stream = self.world.stream(stream);
                for _ in 0..count {
                    self.done(CudaArray::uninit::<u32>(stream.context(), [2, 2]));
                }
            }
            Operation::DropArray { array } => self.put_array(array, None),
            Operation::FillArray {
                array,
                buffer,
                stream,
                back,
            } => {
                if !self.is_capturing() {
                    self.copy_array(array, buffer, stream, back);
                }
            }
            Operation::Current { context, forget } => {
                let Some(pushed) = self.done(contexts[context].push_current()) else {
                    return true;
                };
                if forget {
                    mem::forget(pushed);
                }
            }
            Operation::Module { context } => {
                self.done(Module::from_ptx(&contexts[context], KERNELS));
            }
            Operation::Peer {
                buffer,
                stream,
                value,
                forget,
            } => {
                let Some(_stream) = self.enqueue_on(&[stream]) else {
                    return true;
                };
                self.write_by_peer(buffer, stream, value, forget);
            }
            Operation::Fault { stream, trap } => self.fault(stream, trap),
            _ => return false,
        }
        true
    }

    fn put_pool(&self, pool: usize, new: Option<(MemoryPool, usize)>) {
        if let Some(mut slot) = self.lock(&self.world.pools[pool]) {
            let before = mem::replace(&mut *slot, new);
            drop(slot);
            drop(before);
        }
    }

    fn with_pool(&self, pool: usize, body: impl FnOnce(&MemoryPool)) {
        if let Some(slot) = self.lock(&self.world.pools[pool])
            && let Some((pool, _)) = slot.as_ref()
        {
            body(pool);
        }
    }

    fn put_array(&self, array: usize, new: Option<(CudaArray, Model)>) {
        if let Some(mut slot) = self.lock(&self.world.arrays[array]) {
            let before = mem::replace(&mut *slot, new);
            drop(slot);
            drop(before);
        }
    }

    fn new_array(&self, stream: &Stream, value: u32) -> Option<(CudaArray, Model)> {
        let model = pattern(value, self.world.len);
        let shape = [2, self.world.len / 2];
        let array = self.done(CudaArray::uninit::<u32>(stream.context(), shape))?;
        self.done(array.copy_from_slice(stream, &model))?;
        Some((array, Model::new(model)))
    }

    /// Copies a buffer to an array, or an array to a buffer.
    fn copy_array(&self, array: usize, buffer: usize, number: usize, back: bool) {
        let Some(_stream) = self.enqueue_on(&[number]) else {
            return;
        };
        let stream = self.world.stream(number);
        self.with_buffer(buffer, |one| {
            let Some(mut slot) = self.lock(&self.world.arrays[array]) else {
                return;
            };
            let Some((array, texels)) = slot.as_mut() else {
                return;
            };
            let far = self.world.device_of(one.home) != stream.context().device().ordinal();
            if array.context() != stream.context() || far {
                return;
            }
            if back {
                let copied = array.copy_to(&stream, &mut one.memory.view_mut());
                let effect = self.effect(copied);
                if let Some(contents) = texels.certain() {
                    one.model
                        .change(effect, |all| all.copy_from_slice(contents));
                }
            } else if let Some(contents) = one.model.certain() {
                let copied = array.copy_from(&stream, &one.memory.view());
                texels.change(self.effect(copied), |all| all.copy_from_slice(contents));
            }
            // Arrays belong to no stream, so later copies are not ordered with this one.
            let _ = stream.settle();
        });
    }

    /// Launches a kernel of one device on memory of the other.
    fn write_by_peer(&self, buffer: usize, number: usize, value: u32, forget: bool) {
        let stream = self.world.stream(number);
        let add = &self.world.kernels[context_of(number)].add;
        self.with_buffer(buffer, |one| {
            let home = one.memory.view().owner().context().clone();
            if home.device() == stream.context().device() {
                return;
            }
            let Some(access) = self.done(stream.context().enable_peer_access(&home)) else {
                return;
            };
            let default = MemoryPool::default_of(&home);
            self.done(default.and_then(|pool| pool.grant_access(&[stream.context().device()])));
            let owner = one.memory.view().owner().stream().cloned();
            let launch = |one: &mut Buffer| -> Result<()> {
                let mut own = one.memory.view_mut();
                let mut view = access.view_mut(&mut own)?;
                let arguments = (&mut view, self.world.len as u32, value);
                let config = LaunchConfig::for_elements(self.world.len);
                stream.ordered_with(owner.iter().map(Owner::from), || {
                    // SAFETY: the buffer has that many elements, and the launch is ordered with its stream.
                    unsafe { add.launch(&stream, config, arguments) }
                })
            };
            match launch(one) {
                Ok(()) => one.model.change(Effect::Done, |all| add_to(all, value)),
                // The memory belongs to a pool without access for the device.
                Err(error)
                    if *error.kind() == ErrorKind::InvalidArgument
                        && error.to_string().contains("grant_access") => {}
                Err(error) => self.expect_documented(&error),
            }
            if forget {
                mem::forget(access);
            }
        });
    }

    fn fault(&self, number: usize, trap: Trap) {
        let Some(_stream) = self.enqueue_on(&[number]) else {
            return;
        };
        let kernels = &self.world.kernels[context_of(number)];
        let kernel = match trap {
            Trap::Instruction => &kernels.trap,
            Trap::Address => &kernels.outside,
        };
        self.world.faulted.store(true, Ordering::SeqCst);
        memory::expect_faults();
        // SAFETY: the fault is intended, and the device contains it.
        let _ = unsafe { kernel.launch(&self.world.stream(number), LaunchConfig::new(1, 1), ()) };
    }
}
