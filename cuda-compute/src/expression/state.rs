//! The state of one evaluation.

use std::sync::Arc;

use cuda_safe::Stream;

use super::{
    launch::Launch,
    node::Node,
    operands::{Operands, Target},
    plan::{Computed, Stored},
    render::Form,
    repeat::Record,
};
use crate::{
    array::{Layout, Memory},
    error::Result,
    kernel::Kernels,
};

/// An evaluation: where its kernels run, and what they have computed.
#[derive(Debug)]
pub(super) struct Evaluation<'a> {
    pub(super) kernels: &'a Kernels,
    pub(super) stream: &'a Stream,
    pub(super) computed: Computed,
    /// The launches, unless they can't be repeated.
    pub(super) record: Option<Record>,
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(kernels: &'a Kernels, stream: &'a Stream) -> Self {
        Self {
            kernels,
            stream,
            computed: Computed::default(),
            record: None,
        }
    }

    /// Enqueues a launch of a kernel with this form.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the kernel was generated for the form, and the launch has its parameters;
    /// - the kernel only accesses elements of the operands, its scratch memory, and memory that belongs
    ///   to the stream. For the latter, there must be no record.
    pub(super) unsafe fn launch(
        &mut self,
        mut launch: Launch,
        form: &Form,
        operands: &Operands<'_>,
    ) -> Result<()> {
        if let Some(mut record) = self.record.take() {
            let is_repeatable = record.add(&launch, form, operands).is_some();
            self.record = is_repeatable.then_some(record);
        }
        let mut words = std::mem::take(&mut launch.words);
        let memories = operands.memories().map(|memory| &**memory);
        // SAFETY: the caller's promise.
        unsafe { launch.enqueue(self.kernels, self.stream, &mut words, memories) }
    }
}

/// Allocates new arrays of this layout for the values of nodes.
pub(super) fn results(
    kernels: &Kernels,
    stream: &Stream,
    nodes: &[&Arc<Node>],
    layout: Layout,
) -> Result<Vec<Stored>> {
    let new = |node: &&Arc<Node>| {
        let memory = Memory::new(kernels, stream, layout.shape.elements(), node.data)?;
        Ok((Arc::new(memory), layout))
    };
    nodes.iter().map(new).collect()
}

/// Returns the arrays as places where a kernel stores the values of these nodes.
pub(super) fn targets<'a>(stored: &'a [Stored], nodes: &[&Arc<Node>]) -> Vec<Target<'a>> {
    let target = |((memory, layout), node): (&'a Stored, &&Arc<Node>)| Target {
        memory,
        layout: *layout,
        data: node.data,
    };
    stored.iter().zip(nodes).map(target).collect()
}
