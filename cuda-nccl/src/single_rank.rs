//! A group with one rank.

use cuda_safe::{
    Context, DeviceMemory, DeviceView, DeviceViewMut, Owner, PlainData, Stream,
    memory::{Storage, StorageMut},
};

use crate::{
    collectives::{Collectives, expect_context, expect_parts},
    element::{Reducible, Reduction},
    error::{Error, Result},
};

/// A group with one device as its only rank. It runs code that is written for groups on a single
/// device.
///
/// ```
/// use cuda_nccl::{SingleRank, Collectives, Reduction};
/// use cuda_safe::{Context, DeviceBuffer, Stream};
///
/// # fn main() -> cuda_nccl::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let group = SingleRank::new(&context);
/// let mut x = DeviceBuffer::from_slice(&stream, &[1.0f32, 2.0])?;
/// group.all_reduce(&stream, &mut x, Reduction::Sum)?;
/// assert_eq!((group.size(), x.to_vec(&stream)?), (1, vec![1.0, 2.0]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct SingleRank(Context);

impl SingleRank {
    /// Creates the group of this context's device.
    #[must_use]
    pub fn new(context: &Context) -> Self {
        Self(context.clone())
    }

    fn expect<'a>(
        &self,
        stream: &Stream,
        memory: impl IntoIterator<Item = Owner<'a>>,
    ) -> Result<()> {
        expect_context(0, &self.0, stream, memory)
    }

    /// Copies all elements. The call and the names of both arguments are for messages.
    fn copy<T: PlainData>(
        &self,
        stream: &Stream,
        call: &str,
        (from_name, from): (&str, &DeviceMemory<impl Storage, T>),
        (to_name, to): (&str, &mut DeviceMemory<impl StorageMut, T>),
    ) -> Result<()> {
        self.expect(stream, [from.owner(), to.owner()])?;
        expect_parts(call, [(from_name, from.len()), (to_name, to.len())], 1)?;
        Ok(to.copy_from(stream, from)?)
    }
}

impl Collectives for SingleRank {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn context(&self) -> &Context {
        &self.0
    }

    fn all_reduce<T: Reducible>(
        &self,
        stream: &Stream,
        data: &mut DeviceMemory<impl StorageMut, T>,
        _: Reduction,
    ) -> Result<()> {
        // The sum, mean, minimum and so on of one number is the number.
        self.expect(stream, [data.owner()])
    }

    fn broadcast<T: PlainData>(
        &self,
        stream: &Stream,
        data: &mut DeviceMemory<impl StorageMut, T>,
        root: usize,
    ) -> Result<()> {
        self.expect(stream, [data.owner()])?;
        is_rank(root)
    }

    fn all_gather<T: PlainData>(
        &self,
        stream: &Stream,
        part: &DeviceMemory<impl Storage, T>,
        all: &mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<()> {
        self.copy(stream, "all_gather", ("part", part), ("all", all))
    }

    fn reduce_scatter<T: Reducible>(
        &self,
        stream: &Stream,
        all: &DeviceMemory<impl Storage, T>,
        part: &mut DeviceMemory<impl StorageMut, T>,
        _: Reduction,
    ) -> Result<()> {
        // The only part is the whole array.
        self.copy(stream, "reduce_scatter", ("all", all), ("part", part))
    }

    fn all_to_all<T: PlainData>(
        &self,
        stream: &Stream,
        from: &DeviceMemory<impl Storage, T>,
        to: &mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<()> {
        self.copy(stream, "all_to_all", ("from", from), ("to", to))
    }

    fn exchange<T: PlainData>(
        &self,
        stream: &Stream,
        sends: &[(usize, DeviceView<'_, T>)],
        receives: &mut [(usize, DeviceViewMut<'_, T>)],
    ) -> Result<()> {
        let received = receives.iter().map(|(_, view)| view.owner());
        let sent = sends.iter().map(|(_, view)| view.owner());
        self.expect(stream, sent.chain(received))?;
        let ranks = sends.iter().map(|(rank, _)| *rank);
        ranks
            .chain(receives.iter().map(|(rank, _)| *rank))
            .try_for_each(is_rank)?;
        let lengths = (
            sends.iter().map(|(_, view)| view.len()),
            receives.iter().map(|(_, view)| view.len()),
        );
        if !lengths.0.eq(lengths.1) {
            return Err(Error::Value(
                "exchange: the sends and receives of rank 0 have different lengths. Fix: receive the lengths that are sent, in the same order".to_owned(),
            ));
        }
        for ((_, from), (_, to)) in sends.iter().zip(receives) {
            to.copy_from(stream, from)?;
        }
        Ok(())
    }

    fn gather_on_host<T: PlainData>(&self, stream: &Stream, values: &[T]) -> Result<Vec<T>> {
        self.expect(stream, [])?;
        Ok(values.to_vec())
    }

    fn report_error(&self, _: &str) {}

    fn wait(&self, stream: &Stream) -> Result<()> {
        self.expect(stream, [])?;
        Ok(stream.synchronize()?)
    }
}

fn is_rank(rank: usize) -> Result<()> {
    if rank == 0 {
        return Ok(());
    }
    Err(Error::Value(format!(
        "there is no rank {rank} in a group of one. Fix: use rank 0"
    )))
}
