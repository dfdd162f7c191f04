//! Support for kernels outside of this folder that compute values of expressions: scans, selections
//! and gathers.

use std::{ffi::c_void, sync::Arc};

use cuda_safe::{Function, LaunchConfig, Stream};

use super::early::launch;
pub(crate) use super::operands::grid;
use super::{
    divide,
    evaluate::{first_array, over, stages},
    hashed::Hashed,
    node::Node,
    operands::{Operands, Target},
    plan::Plan,
    render::{Form, Use},
    state::Evaluation,
    unroll::unrolled,
};
use crate::{
    array::{Layout, Memory, Shape},
    element::DataType,
    error::{Error, Result},
    kernel::{Kernels, Source},
};

/// Expressions with a common shape that are about to become part of a kernel.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) kernels: Kernels,
    pub(crate) stream: Stream,
    pub(crate) shape: Shape,
    plan: Plan,
}

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

/// Returns the shape that all roots can be broadcast to.
fn shape_of_all(roots: &[&Arc<Node>]) -> Result<Shape> {
    let mut shape = Shape::of(&[]);
    for root in roots {
        let own = root.shape()?;
        shape = shape.broadcast(&own).ok_or_else(|| {
            Error::Shape(format!(
                "shapes {shape} and {own} don't match: from the last axis on, lengths must be equal, or one of them \
                 must be 1"
            ))
        })?;
    }
    Ok(shape)
}

impl Prepared {
    /// Plans the `roots`, broadcast to their common shape, for the stream of the first array that
    /// they read.
    pub(crate) fn new(roots: &[&Arc<Node>]) -> Result<Self> {
        let shape = shape_of_all(roots)?;
        let Some(memory) = roots.iter().find_map(|root| first_array(root)) else {
            return Err(Error::Shape(
                "the expression reads no array, so it has no stream. Fix: evaluate it with eval_on first".into(),
            ));
        };
        Self::of(memory.kernels(), memory.stream(), roots, shape)
    }

    /// Plans the `roots` for a given stream: see [`new`](Self::new).
    pub(crate) fn on(kernels: &Kernels, stream: &Stream, roots: &[&Arc<Node>]) -> Result<Self> {
        Self::of(kernels, stream, roots, shape_of_all(roots)?)
    }

    fn of(kernels: &Kernels, stream: &Stream, roots: &[&Arc<Node>], shape: Shape) -> Result<Self> {
        let mut evaluation = Evaluation::new(kernels, stream);
        let unrolled = unrolled(roots);
        let roots = &over(roots, unrolled.as_deref())[..];
        stages(&mut evaluation, roots)?;
        let plan = divide::plan(&mut evaluation, roots, shape)?;
        Ok(Self {
            kernels: kernels.clone(),
            stream: stream.clone(),
            shape,
            plan,
        })
    }

    /// Returns the layout of a new array for the values.
    pub(crate) fn result_layout(&self) -> Layout {
        self.plan.result_layout(self.shape)
    }

    /// Allocates memory for elements of a result.
    pub(crate) fn memory(&self, elements: usize, data: DataType) -> Result<Arc<Memory>> {
        let memory = Memory::new(&self.kernels, &self.stream, elements, data)?;
        Ok(Arc::new(memory))
    }

    /// Generates code that computes one value at a time, with the axes in this order.
    pub(crate) fn fuse_single(&mut self, order: &[usize]) -> Result<Fused> {
        let walk = Walk {
            order,
            run: None,
            widest: 1,
        };
        self.fuse(&walk, None)
    }

    /// Generates the code. With a target, the code has a `store` function that writes the first
    /// expression's values to it.
    pub(crate) fn fuse(
        &mut self,
        walk: &Walk<'_>,
        target: Option<(&Arc<Memory>, Layout)>,
    ) -> Result<Fused> {
        let plan = std::mem::take(&mut self.plan);
        let data = plan.values[usize::from(plan.roots[0])].data();
        let target = target.map(|(memory, layout)| Target {
            memory,
            layout,
            data,
        });
        let mut operands = Operands::new(plan, self.shape, target.as_slice(), walk.order, |_| 0);
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

/// Enqueues a kernel that computes no expression. Its parameters are these numbers and addresses,
/// and `memories` is the memory that it uses.
///
/// # Safety
/// The caller must ensure that:
/// - the kernel has these parameters;
/// - it only accesses memory of `memories`.
pub(crate) unsafe fn enqueue(
    kernel: &Function,
    stream: &Stream,
    config: LaunchConfig,
    parameters: &mut [u64],
    memories: &[&Memory],
) -> Result<()> {
    let mut pointers: Vec<*mut c_void> = parameters
        .iter_mut()
        .map(|word| (&raw mut *word).cast())
        .collect();
    // SAFETY: the caller's promise.
    unsafe {
        launch(
            kernel,
            stream,
            config,
            &mut pointers,
            memories.iter().copied(),
        )
    }
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
