//! Copies of all elements to the host of one rank or of all ranks.

use cuda_compute::{Element, Order};
use cuda_safe::{DeviceBuffer, PlainData};

use super::{
    Sharded,
    compare::{expect_same, no_root},
    elements, row,
};
use crate::{collectives::Collectives, error::Result, record::Fact, spread::part};

impl<C: Collectives, T: Element<Stored = T> + PlainData> Sharded<'_, C, T> {
    /// Copies all elements to the host of every rank, in C order. Waits for the copies.
    ///
    /// # Errors
    /// Returns the errors of [`Collectives::exchange`]. All ranks return an error if one of them
    /// makes another call, or does not have enough memory: each device temporarily needs space for
    /// the whole array.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        Ok(self.gathered("to_vec", None)?.unwrap_or_default())
    }

    /// Copies all elements to the host of rank `root`, in C order, and returns `None` on the
    /// others. Waits for the copies.
    ///
    /// # Errors
    /// Returns the errors of [`to_vec`](Self::to_vec). All ranks return
    /// [`Error::Value`](crate::Error::Value) if `root` is not a rank of the group, or differs
    /// between ranks.
    pub fn gather(&self, root: usize) -> Result<Option<Vec<T>>> {
        self.gathered("gather", Some(root))
    }

    /// Copies to one rank or to all, for the method with this name.
    fn gathered(&self, name: &'static str, root: Option<usize>) -> Result<Option<Vec<T>>> {
        let (me, size) = (self.ranks.rank(), self.ranks.size());
        let (stream, row) = (&self.stream, row(self.part.shape()));
        let receiver = |rank: usize| root.is_none_or(|root| root == rank);
        let place = |rank: usize| match rank != me && receiver(me) {
            true => DeviceBuffer::uninit(stream, part(self.rows, size, rank).len() * row),
            false => DeviceBuffer::uninit(stream, 0),
        };
        // Everything that may fail on this rank alone is done before the ranks compare.
        let ready = self.shape().and_then(|shape| {
            let places: Vec<DeviceBuffer<T>> = (0..size).map(place).collect::<Result<_, _>>()?;
            Ok((shape, self.part.contiguous(Order::C)?, places))
        });
        let mut facts = vec![Fact::Name("the method", name)];
        facts.extend(root.map(|root| Fact::Number("the root", root as u64)));
        let shape = ready.as_ref().map(|(shape, ..)| *shape);
        expect_same::<T>(self.ranks, stream, shape.map_err(Clone::clone), &facts)?;
        if let Some(root) = root.filter(|&root| root >= size) {
            return Err(no_root(root, size));
        }
        let (_, own, mut places) = ready?;
        // SAFETY: the array is contiguous.
        let view = unsafe { elements(&own) };
        let others = (0..size).filter(|&rank| rank != me);
        let sends: Vec<_> = others
            .filter(|&rank| receiver(rank))
            .map(|rank| (rank, view))
            .collect();
        let mut receives: Vec<_> = places
            .iter_mut()
            .enumerate()
            .filter(|(rank, _)| *rank != me && receiver(me))
            .map(|(rank, place)| (rank, place.view_mut()))
            .collect();
        self.ranks.exchange(stream, &sends, &mut receives)?;
        self.ranks.wait(stream)?;
        if !receiver(me) {
            return Ok(None);
        }
        let mut all = Vec::with_capacity(self.rows * row);
        for (rank, place) in places.iter().enumerate() {
            match rank == me {
                true => all.extend(view.to_vec(stream)?),
                false => all.extend(place.to_vec(stream)?),
            }
        }
        Ok(Some(all))
    }
}
