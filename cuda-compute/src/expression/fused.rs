//! Support for kernels outside of this folder that compute values of expressions, such as selections
//! and gathers.

use std::{ffi::c_void, sync::Arc};

use cuda_safe::{Function, LaunchConfig, Stream};

use super::{
    divide,
    early::launch,
    evaluate::{first_array, over, stages},
    node::Node,
    operands::Target,
    plan::Plan,
    state::Evaluation,
    unroll::unrolled,
    walk::fuse,
};
pub(crate) use super::{
    operands::grid,
    walk::{Fused, Walk, source, widest},
};
use crate::{
    array::{Layout, Memory, Shape},
    element::DataType,
    error::{Error, Result},
    kernel::Kernels,
};

/// Expressions with a common shape that are about to become part of a kernel.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) kernels: Kernels,
    pub(crate) stream: Stream,
    pub(crate) shape: Shape,
    plan: Plan,
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
        fuse(plan, self.shape, walk, target.as_slice())
    }
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
