//! All elements on the host of one rank, or of all.

use cuda_compute::{Element, Order};
use cuda_safe::{DeviceBuffer, PlainData};

use super::{
    Sharded,
    compare::{expect_same, no_root},
    elements, row,
};
use crate::{
    collectives::Collectives,
    error::Result,
    spread::{agree::Fact, part},
};

impl<C: Collectives, T: Element<Stored = T> + PlainData> Sharded<'_, C, T> {
    /// All elements on the host of every rank, in C order. Waits for them.
    ///
    /// # Errors
    /// On all ranks: one of them makes another call, or its memory ran out: each device has room for the whole array
    /// meanwhile. As [`Collectives::exchange`].
    pub fn to_vec(&self) -> Result<Vec<T>> {
        Ok(self.gathered("to_vec", None)?.unwrap_or_default())
    }

    /// All elements on the host of rank `root`, in C order; `None` on the others. Waits for them.
    ///
    /// # Errors
    /// On all ranks: a root that is not a rank, or is another one on one of them. As [`to_vec`](Self::to_vec).
    pub fn gather(&self, root: usize) -> Result<Option<Vec<T>>> {
        self.gathered("gather", Some(root))
    }

    /// To one rank, or to all, by the method of this name.
    fn gathered(&self, name: &'static str, root: Option<usize>) -> Result<Option<Vec<T>>> {
        let (me, size) = (self.ranks.rank(), self.ranks.size());
        let (stream, row) = (&self.stream, row(self.part.shape()));
        let receiver = |rank: usize| root.is_none_or(|root| root == rank);
        let place = |rank: usize| match rank != me && receiver(me) {
            true => DeviceBuffer::uninit(stream, part(self.rows, size, rank).len() * row),
            false => DeviceBuffer::uninit(stream, 0),
        };
        // What may fail on this rank alone comes before ranks compare.
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
        // SAFETY: side by side now.
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
