//! A call that is ready to be made, alone or in a group.

use cuda_safe::{Owner, Stream};

use super::{Communicator, agree::expect_uncaptured, call::Call, partners};
use crate::error::Result;

/// A prepared call and the objects it uses.
#[derive(Debug)]
pub(super) struct Pending<'a> {
    pub(super) communicator: &'a Communicator,
    pub(super) stream: &'a Stream,
    pub(super) owners: [Owner<'a>; 2],
    pub(super) call: Call,
}

impl Pending<'_> {
    /// Makes the call, outside of a group.
    #[inline]
    pub(super) fn run(self) -> Result<()> {
        let inner = &*self.communicator.0;
        if self.call.kind.is_collective() {
            self.communicator.compare(&self.call, self.stream)?;
        } else if inner.options.verify {
            let partner = self.call.root as usize;
            expect_uncaptured(self.stream)
                .map_err(|error| self.communicator.report_to_partner(partner, error))?;
            partners::agree([(inner, &self.call)])?;
        }
        if self.call.count == 0 {
            return Ok(());
        }
        self.stream.ordered_with(self.owners, || {
            // SAFETY: the memory was borrowed with these lengths. The streams of its owners wait
            // for the enqueued work, and memory is freed in the order of those streams.
            unsafe { inner.enqueue(&self.call, self.stream) }
        })
    }
}
