//! The launch of a kernel that was generated for operands.

use std::{ffi::c_void, sync::Arc};

use cuda_safe::{DeviceBuffer, Function, LaunchConfig, Stream};

use super::early::launch;
use crate::{array::Memory, error::Result, kernel::Kernels};

/// The size in bytes of the buffer for partial results that is kept for each stream. Most
/// reductions then allocate nothing for them.
pub(super) const KEPT_PARTIALS: usize = 256 << 10;

/// The maximum number of words of a kernel's second parameter.
const MAX_SIZES: usize = 24;

/// A kernel, and the parameters of its launch.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    pub(super) kernel: Function,
    pub(super) config: LaunchConfig,
    /// The words of the kernel's form, which are its first parameter.
    pub(super) words: Vec<u64>,
    /// The kernel's second parameter, if it has one: at most [`MAX_SIZES`] words.
    pub(super) sizes: Vec<u64>,
    /// Memory of the stream, and the place of its address in `sizes`.
    pub(super) scratch: [Option<(usize, Scratch)>; 2],
}

/// Memory that is kept for each stream.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scratch {
    /// Words that are zero before and after each kernel.
    Zeroed,
    /// [`KEPT_PARTIALS`] bytes.
    Partials,
}

impl Scratch {
    fn of(self, kernels: &Kernels, stream: &Stream) -> Result<Arc<DeviceBuffer<u64>>> {
        match self {
            Self::Zeroed => kernels.zeroed().of(stream),
            Self::Partials => {
                let kept = kernels.partials(KEPT_PARTIALS / size_of::<u64>());
                kept.of(stream)
            }
        }
    }
}

impl Launch {
    /// Enqueues the kernel with these words, which are [`words`](Self::words) or have other addresses
    /// and numbers.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the words and sizes are those of the kernel, which begins with `wait_for_previous_kernel`;
    /// - the kernel only accesses the memory in `memories`, its scratch memory, and memory that belongs
    ///   to the stream.
    pub(super) unsafe fn enqueue<'a>(
        &self,
        kernels: &Kernels,
        stream: &Stream,
        words: &mut [u64],
        memories: impl Iterator<Item = &'a Memory> + Clone,
    ) -> Result<()> {
        let mut sizes = [0; MAX_SIZES];
        sizes[..self.sizes.len()].copy_from_slice(&self.sizes);
        // References, so that no other thread frees the memory before the launch.
        let mut held = [None, None];
        for (scratch, held) in self.scratch.iter().zip(&mut held) {
            if let Some((place, scratch)) = scratch {
                let buffer = scratch.of(kernels, stream)?;
                sizes[*place] = buffer.as_device_ptr();
                *held = Some(buffer);
            }
        }
        let mut pointers: [*mut c_void; 2] = [words.as_mut_ptr().cast(), sizes.as_mut_ptr().cast()];
        let count = 1 + usize::from(!self.sizes.is_empty());
        let pointers = &mut pointers[..count];
        // SAFETY: these are the kernel's parameters. The rest is the caller's promise, and the
        // scratch memory belongs to the stream.
        unsafe { launch(&self.kernel, stream, self.config, pointers, memories) }
    }
}
