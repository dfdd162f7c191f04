//! The state of one evaluation.

use cuda_safe::Stream;

use super::{launch::Launch, operands::Operands, plan::Computed, render::Form, repeat::Record};
use crate::{error::Result, kernel::Kernels};

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
