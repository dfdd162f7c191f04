//! Kernels that compute the values of expressions in another order, and do more with them than store
//! them.

use std::{ffi::c_void, sync::Arc};

use cuda_safe::{Function, LaunchConfig, Stream};

use super::{
    early::launch,
    hashed::Hashed,
    operands::{Operands, Target, grid},
    plan::Plan,
    render::{Form, Use},
};
use crate::{
    array::{Memory, Shape},
    element::DataType,
    error::Result,
    kernel::Source,
};

/// The order in which a kernel traverses the expressions' shape.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    /// The axes, outermost first. Elements are numbered in this order.
    pub(crate) order: &'a [usize],
    /// No vector may cross a multiple of this number of elements. `None` if there is no such limit.
    pub(crate) run: Option<usize>,
    /// The maximum number of elements of a vector.
    pub(crate) widest: usize,
}

/// The code of expressions for a kernel, and the parameters of its launch.
#[derive(Clone, Debug)]
pub(crate) struct Fused {
    pub(crate) form: Hashed<Form>,
    words: Vec<u64>,
    /// The memory that is read, and that `store` writes.
    memories: Vec<Arc<Memory>>,
}

/// Generates the code of a plan. With targets, the code has a `store` function that writes the values to
/// them.
pub(crate) fn fuse(
    plan: Plan,
    shape: Shape,
    walk: &Walk<'_>,
    targets: &[Target<'_>],
) -> Result<Fused> {
    let mut operands = Operands::new(plan, shape, targets, walk.order, |_| 0);
    let mut vector = operands.vector_width().min(walk.widest);
    // A vector of merged axes might cross a boundary of the kernel.
    while walk.run.is_some_and(|run| !run.is_multiple_of(vector)) {
        vector /= 2;
    }
    let form = operands.form(vector);
    let words = operands.words(&form)?;
    let memories = operands.memories().cloned().collect();
    Ok(Fused {
        form: Hashed::new(form),
        words,
        memories,
    })
}

impl Fused {
    pub(crate) fn vector(&self) -> usize {
        self.form.vector.into()
    }

    /// Enqueues a kernel whose parameters are the words of the expressions, followed by these
    /// numbers and addresses. `others` is the memory that it uses in addition to the expressions'
    /// memory.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the kernel has these parameters;
    /// - it only accesses elements of the expressions' shape and memory of `others`.
    pub(crate) unsafe fn launch(
        self,
        kernel: &Function,
        stream: &Stream,
        (blocks, threads): (u64, u32),
        parameters: &mut [u64],
        others: &[&Memory],
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.launch_with_shared(kernel, stream, (blocks, threads, 0), parameters, others) }
    }

    /// Enqueues a kernel as [`launch`](Self::launch) does, with dynamic shared memory for each
    /// block, in bytes.
    ///
    /// # Safety
    /// The conditions of [`launch`](Self::launch) apply.
    pub(crate) unsafe fn launch_with_shared(
        mut self,
        kernel: &Function,
        stream: &Stream,
        (blocks, threads, shared): (u64, u32, u32),
        parameters: &mut [u64],
        others: &[&Memory],
    ) -> Result<()> {
        let mut pointers: Vec<*mut c_void> = vec![self.words.as_mut_ptr().cast()];
        pointers.extend(parameters.iter_mut().map(|word| (&raw mut *word).cast()));
        let config = LaunchConfig::new(grid(blocks)?, threads).shared_bytes(shared);
        let memories = self.memories.iter().map(|memory| &**memory);
        let memories = memories.chain(others.iter().copied());
        // SAFETY: the words belong to the expression that the kernel was generated for. The rest is
        // the caller's promise.
        unsafe { launch(kernel, stream, config, &mut pointers, memories) }
    }
}

/// Adds the headers that expressions need to a kernel's source.
pub(crate) fn source(source: Source, form: &Form) -> Source {
    form.add_headers(source, Use::Other)
}

/// Returns the maximum number of elements of a vector for which a thread holds at most 32 bytes of
/// its values.
pub(crate) const fn widest(data: DataType) -> usize {
    let size = match data {
        DataType::F8E4M3 | DataType::F8E5M2 | DataType::F16 | DataType::Bf16 => 4,
        other => return other.lanes(32),
    };
    32 / size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_holds_at_most_32_bytes_of_values() {
        let wanted = [
            (DataType::U8, 32),
            (DataType::I16, 16),
            // Halves are computed as floats.
            (DataType::F16, 8),
            (DataType::Bf16, 8),
            (DataType::F32, 8),
            (DataType::F64, 4),
            (DataType::Complex64, 2),
        ];
        for (data, lanes) in wanted {
            assert_eq!(widest(data), lanes, "{data:?}");
        }
    }
}
