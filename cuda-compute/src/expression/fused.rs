//! What kernels of their own need to compute the values of expressions: scans, selections, gathers.

use std::{ffi::c_void, sync::Arc};

use cuda_safe::{Function, LaunchConfig, Stream};

use super::{
    elementwise::{Start, Target, leaf_forms, stored, vector_width, with_headers, words},
    evaluate::{first_array, reductions, result_layout},
    hashed::Hashed,
    node::Node,
    plan::{Computed, Leaf, Plan},
    render::Form,
    space::Space,
};
use crate::{
    array::{Layout, MAX_RANK, Memory, Shape},
    element::DataType,
    error::{Error, Result},
    kernel::{Kernels, Source},
    order::ordered,
};

/// Expressions of one shape that are about to become part of a kernel.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) kernels: Kernels,
    pub(crate) stream: Stream,
    pub(crate) shape: Shape,
    plan: Plan,
}

/// How a kernel goes through the expressions' shape.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    /// The axes, outermost first: elements are numbered in this order.
    pub(crate) order: &'a [usize],
    /// A number of elements that no vector may cross a multiple of; `None` if there is none.
    pub(crate) run: Option<usize>,
    /// The most elements of a vector.
    pub(crate) widest: usize,
}

/// The code of expressions for a kernel, and what a launch passes to it.
#[derive(Debug)]
pub(crate) struct Fused {
    pub(crate) form: Hashed<Form>,
    words: Vec<u64>,
    /// What is read, and written by `store`.
    memories: Vec<Arc<Memory>>,
}

impl Prepared {
    /// Plans the `roots`, stretched to the shape that all of them stretch to, for the stream of the first array that they
    /// read.
    pub(crate) fn new(roots: &[&Arc<Node>]) -> Result<Self> {
        let Some(memory) = roots.iter().find_map(|root| first_array(root)) else {
            return Err(Error::Shape(
                "an expression that reads no array belongs to no stream: evaluate it with eval_on first".into(),
            ));
        };
        Self::on(memory.kernels(), memory.stream(), roots)
    }

    /// The same, for this stream.
    pub(crate) fn on(kernels: &Kernels, stream: &Stream, roots: &[&Arc<Node>]) -> Result<Self> {
        let mut shape = Shape::of(&[]);
        for root in roots {
            let own = root.shape()?;
            shape = shape.broadcast(&own).ok_or_else(|| {
                Error::Shape(format!(
                    "shapes {shape} and {own} don't fit together: from the last axis on, lengths must be equal, or one \
                     of them 1"
                ))
            })?;
        }
        let mut computed = Computed::default();
        reductions(kernels, stream, roots, &mut computed)?;
        let plan = Plan::new(roots, shape, &computed)?;
        Ok(Self {
            kernels: kernels.clone(),
            stream: stream.clone(),
            shape,
            plan,
        })
    }

    /// The layout of a new array for the values.
    pub(crate) fn result_layout(&self) -> Layout {
        result_layout(&self.plan, self.shape)
    }

    /// Room for this many elements of a result.
    pub(crate) fn memory(&self, elements: usize, data: DataType) -> Result<Arc<Memory>> {
        let memory = Memory::new(&self.kernels, &self.stream, elements, data)?;
        Ok(Arc::new(memory))
    }

    /// The code. With a target, there is a `store` that writes the first expression's values to it.
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
        let leaves = plan.leaves.iter();
        let strides: Vec<[isize; MAX_RANK]> = leaves
            .map(|leaf| leaf.strides)
            .chain(target.iter().map(|target| target.layout.strides_padded()))
            .collect();
        let space = Space::new(self.shape.as_slice(), walk.order, &strides, |_| 0);
        let starts: Vec<Start> = plan
            .leaves
            .iter()
            .map(Start::of_leaf)
            .chain(target.iter().map(Start::of_target))
            .collect();
        let mut vector = usize::from(vector_width(&space, &starts)).min(walk.widest);
        // Where axes were merged, a vector could cross what the kernel has to keep apart.
        while walk.run.is_some_and(|run| !run.is_multiple_of(vector)) {
            vector /= 2;
        }
        let count = plan.leaves.len();
        let form = Form {
            leaves: leaf_forms(&plan.leaves, &space),
            outputs: (count..starts.len())
                .map(|i| (data, stored(space.access(i))))
                .collect(),
            rank: space.rank().max(1) as u8,
            narrow: space.is_narrow(),
            vector: vector as u8,
            stages: Vec::new(),
            values: plan.values,
            roots: plan.roots,
        };
        let words = words(&form, &space, &starts, &plan.scalars)?;
        let read = plan.leaves.iter().filter_map(Leaf::memory).cloned();
        let memories = read
            .chain(target.map(|target| target.memory.clone()))
            .collect();
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

    /// Enqueues a kernel whose parameters are the words of the expressions and then these numbers and addresses.
    /// `others` is the memory that it uses beside the expressions'.
    ///
    /// # Safety
    /// The kernel has these parameters, and uses elements of the expressions' shape, and memory of `others` only.
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

    /// As [`launch`](Self::launch), with this many bytes of dynamic shared memory for each block.
    ///
    /// # Safety
    /// As [`launch`](Self::launch).
    pub(crate) unsafe fn launch_with_shared(
        mut self,
        kernel: &Function,
        stream: &Stream,
        (blocks, threads, shared): (u64, u32, u32),
        parameters: &mut [u64],
        others: &[&Memory],
    ) -> Result<()> {
        let blocks = u32::try_from(blocks)
            .ok()
            .filter(|&blocks| blocks <= i32::MAX as u32)
            .ok_or_else(|| Error::Shape(format!("{blocks} blocks are too many for one kernel")))?;
        let mut pointers: Vec<*mut c_void> = vec![self.words.as_mut_ptr().cast()];
        pointers.extend(parameters.iter_mut().map(|word| (&raw mut *word).cast()));
        let owners = self.memories.iter().map(|memory| memory.owner());
        let owners = owners.chain(others.iter().map(|memory| memory.owner()));
        ordered(stream, owners.map(Some), || {
            let config = LaunchConfig::new(blocks, threads).shared_bytes(shared);
            // SAFETY: the words were made for the expression that the kernel was written for; the rest is the caller's
            // promise. Ordered with the streams of all memory.
            unsafe { kernel.launch_raw(stream, config, &mut pointers)? };
            Ok(())
        })
    }
}

/// A kernel of these expressions: its file, and all headers that expressions need.
pub(crate) fn source(source: Source, form: &Form) -> Source {
    with_headers(source, form)
}

/// The most elements of a vector, such that a thread holds no more than 32 bytes of its values.
pub(crate) const fn widest(data: DataType) -> usize {
    let size = match data {
        DataType::F16 | DataType::Bf16 => 4,
        other => other.size(),
    };
    32 / size
}
