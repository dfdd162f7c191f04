//! A call of a device runtime function: the arguments of one lane, its result, its errors.

use super::Number;
use super::errors::Error;
use super::grid::{Grid, Key, Origin, Work};
use crate::boundary::{CODE_WINDOW, FaultKind, LOCAL_WINDOW, SHARED_WINDOW};
use crate::memory::resolve::{Mem, resolve, resolve_range};
use crate::program::Site;
use crate::state::context::Ctx;
use crate::state::op::{Flow, Op};
use crate::state::touch::space;

/// One lane's call.
pub(super) struct Call<'c, 'l> {
    pub ctx: &'c mut Ctx<'l>,
    pub grid: &'l Grid<'l>,
    site: &'l Site,
    lane: u32,
    /// Whether the default stream is per thread.
    own_stream: bool,
}

/// Calls the function with number `imm`, from call site `x`.
pub(crate) unsafe fn call(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let launch = ctx.launch;
    let Some(grid) = launch.runtime else {
        let text = "the device runtime is missing. This is a bug in the emulator".into();
        return ctx.fail(FaultKind::Trap, mask.trailing_zeros(), text);
    };
    let site = &launch.program.sites[op.x as usize];
    let number = Number::from_bits(op.imm);
    let mut left = mask;
    while left != 0 {
        let lane = left.trailing_zeros();
        left &= left - 1;
        let mut call = Call {
            ctx,
            grid,
            site,
            lane,
            own_stream: number.own_stream(),
        };
        match (number.function().run)(&mut call) {
            Some(result) => call.finish(result),
            None => return Flow::Fault,
        }
    }
    Flow::Next
}

impl Call<'_, '_> {
    /// Returns the address of an argument's bytes, from `offset` on.
    fn place(&self, index: usize, offset: u32) -> u64 {
        let slice = self.site.arguments[index];
        debug_assert!(offset < slice.size);
        self.ctx.bases[0] as u64
            + u64::from(slice.offset)
            + u64::from(self.lane * slice.stride)
            + u64::from(offset)
    }

    /// Returns a 32-bit argument.
    pub(super) fn word(&self, index: usize) -> u32 {
        // SAFETY: the lowering has compared the arguments' sizes with the function's; slices are aligned for them.
        unsafe { u32::load(self.place(index, 0)) }
    }

    /// Returns a 64-bit argument.
    pub(super) fn long(&self, index: usize) -> u64 {
        self.part(index, 0)
    }

    /// Returns a 64-bit word of a structure argument.
    pub(super) fn part(&self, index: usize, word: u32) -> u64 {
        // SAFETY: as above.
        unsafe { u64::load(self.place(index, word * 8)) }
    }

    /// Returns a `dim3` argument.
    pub(super) fn dim(&self, index: usize) -> [u32; 3] {
        // SAFETY: as above.
        [0, 4, 8].map(|offset| unsafe { u32::load(self.place(index, offset)) })
    }

    fn finish(self, result: u64) {
        let Some(&slice) = self.site.returns.first() else {
            return;
        };
        let at = self.ctx.bases[0] as u64
            + u64::from(slice.offset)
            + u64::from(self.lane * slice.stride);
        // SAFETY: as above.
        unsafe {
            if slice.size == 8 {
                result.store(at)
            } else {
                (result as u32).store(at)
            }
        }
    }

    /// Writes a 32-bit result to the program's memory.
    pub(super) fn put_word(&mut self, address: u64, value: u32) -> Option<()> {
        let host = resolve(self.ctx, None, space::GENERIC, self.lane, address, 4, true)?;
        // SAFETY: checked just now.
        unsafe { value.store(host) };
        Some(())
    }

    /// Writes a 64-bit result to the program's memory.
    pub(super) fn put_long(&mut self, address: u64, value: u64) -> Option<()> {
        let host = resolve(self.ctx, None, space::GENERIC, self.lane, address, 8, true)?;
        // SAFETY: checked just now.
        unsafe { value.store(host) };
        Some(())
    }

    /// Reads bytes of the program's memory.
    pub(super) fn bytes(&mut self, address: u64, count: usize) -> Option<Vec<u8>> {
        let lane = self.lane;
        let size = count as u64;
        let host = resolve_range(self.ctx, None, space::GENERIC, lane, address, size, false)?;
        let byte = |at: u64| {
            // SAFETY: checked just now. Another thread may write the bytes, so they are read one by
            // one.
            unsafe { u8::load(host + at) }
        };
        Some((0..size).map(byte).collect())
    }

    /// Returns whether an address is in global memory, as `isspacep.global` does.
    pub(super) fn is_global(&self, address: u64) -> bool {
        let window = address >> 60;
        window != SHARED_WINDOW >> 60 && window != LOCAL_WINDOW >> 60
    }

    /// Returns the kernel at a function's address.
    pub(super) fn kernel(&self, address: u64) -> Option<usize> {
        let index = address
            .checked_sub(CODE_WINDOW)
            .filter(|at| at.is_multiple_of(16))?
            / 16;
        let entries = &self.ctx.launch.program.entries;
        entries.iter().position(|&entry| u64::from(entry) == index)
    }

    /// Returns the calling thread and instruction.
    fn origin(&self) -> Origin {
        Origin {
            block: self.ctx.block,
            thread: self.ctx.warp * 32 + self.lane,
            pc: self.ctx.pc.wrapping_sub(1),
        }
    }

    /// Returns the block's number in its grid.
    fn block(&self) -> u64 {
        let [x, y, z] = self.ctx.block.map(u64::from);
        let [nx, ny, _] = self.ctx.launch.shape.grid.map(u64::from);
        (z * ny + y) * nx + x
    }

    /// Returns the calling thread's number in its grid.
    pub(super) fn thread(&self) -> u64 {
        self.block() * 1024 + u64::from(self.ctx.warp * 32 + self.lane)
    }

    /// Returns the stream of an argument. None if it does not exist.
    pub(super) fn stream(&self, index: usize) -> Option<Key> {
        Some(match self.long(index) {
            0 if self.own_stream => Key::Thread(self.thread()),
            // The threads of a block share a default stream.
            0 | 1 => Key::Block(self.block()),
            2 => Key::Thread(self.thread()),
            3 => Key::Tail,
            4 => Key::Free,
            handle => Key::Named(self.grid.has_stream(handle).then_some(handle)?),
        })
    }

    /// Enqueues work whose place is reserved.
    pub(super) fn enqueue(&mut self, key: Key, work: Work) -> Option<u64> {
        if key == Key::Tail
            && let Err(error) = self.grid.tree.reserve_tail()
        {
            self.grid.tree.release();
            return self.fail(error);
        }
        self.grid.enqueue(key, work, self.origin());
        Some(0)
    }

    /// Reports an invalid access.
    pub(super) fn illegal(&mut self, text: String) -> Option<u64> {
        self.ctx.fail(FaultKind::IllegalAddress, self.lane, text);
        None
    }

    /// Returns the result for an error, and makes it the thread's last error.
    pub(super) fn fail(&mut self, error: Error) -> Option<u64> {
        self.grid.set_error(self.thread(), Some(error));
        Some(error as u64)
    }
}
