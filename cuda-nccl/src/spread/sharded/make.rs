//! Construction of arrays from parts and from elements on the host.

use cuda_compute::{Array, Element, IntoShape};
use cuda_safe::{DeviceBuffer, PlainData, Stream};

use super::{
    Sharded,
    compare::{cut, expect_own_rows, expect_rows, expect_same, no_root},
    row, with_rows,
};
use crate::{
    collectives::{Collectives, expect_context},
    error::{Error, Result},
    record::Fact,
    spread::part,
};

impl<'a, C: Collectives, T: Element> Sharded<'a, C, T> {
    /// Creates an array of `rows` rows from each rank's part. The part must have the rows given by
    /// [`part`].
    ///
    /// # Errors
    /// Returns [`Error::Value`] if the part has a different number of rows or no axes, or belongs
    /// to another context. All ranks return [`Error::Value`] if the parts do not fit together.
    pub fn from_part(ranks: &'a C, rows: usize, part: Array<T>) -> Result<Self> {
        let stream = part.stream().clone();
        let remedy = "pass the rows that spread::part returns";
        let whole = expect_own_rows(ranks, rows, part.shape(), remedy)
            .and_then(|()| Self::of_part(ranks, rows, part));
        let shape = whole.as_ref().map_err(Clone::clone).and_then(Self::shape);
        // A stream of another context cannot be used for the comparison.
        let on = match stream.context() == ranks.context() {
            true => stream,
            false => Stream::new(ranks.context())?,
        };
        expect_same::<T>(ranks, &on, shape, &[])?;
        whole
    }

    /// Creates an array from parts that are known to fit together.
    pub(super) fn of_part(ranks: &'a C, rows: usize, part: Array<T>) -> Result<Self> {
        expect_context(ranks.rank(), ranks.context(), part.stream(), [])?;
        Ok(Self {
            ranks,
            stream: part.stream().clone(),
            rows,
            part,
        })
    }
}

impl<'a, C: Collectives, T: Element<Stored = T> + PlainData> Sharded<'a, C, T> {
    /// Creates an array from a function of each element's index, in C order of the whole array.
    /// Each rank calls it for its own elements.
    ///
    /// # Errors
    /// Returns [`Error::Value`] on all ranks if the shape has no axes or differs between ranks.
    /// Returns [`Error::Cuda`] or [`Error::Compute`] if there is not enough memory.
    pub fn from_fn(
        ranks: &'a C,
        stream: &Stream,
        shape: impl IntoShape,
        element: impl FnMut(usize) -> T,
    ) -> Result<Self> {
        let shape = cut(shape);
        expect_same::<T>(ranks, stream, shape.clone(), &[])?;
        let shape = shape?;
        let rows = expect_rows(shape)?;
        let own = part(rows, ranks.size(), ranks.rank());
        let (own_shape, row) = (with_rows(shape, own.len())?, row(shape));
        let host: Vec<T> = (own.start * row..own.end * row).map(element).collect();
        Self::of_part(ranks, rows, Array::from_shape(stream, own_shape, &host)?)
    }

    /// Creates an array from a host slice in C order, which must be the same on all ranks. Each
    /// rank uploads its own rows.
    ///
    /// # Errors
    /// Returns the errors of [`from_fn`](Self::from_fn), and [`Error::Value`] if the length of
    /// `host` does not match the shape.
    pub fn from_slice(
        ranks: &'a C,
        stream: &Stream,
        shape: impl IntoShape,
        host: &[T],
    ) -> Result<Self> {
        let shape = cut(shape).and_then(|shape| match host.len() == shape.elements() {
            true => Ok(shape),
            false => Err(Error::Value(format!(
                "the slice has {} elements, but an array of shape {shape} has {}",
                host.len(),
                shape.elements()
            ))),
        });
        expect_same::<T>(ranks, stream, shape.clone(), &[])?;
        let shape = shape?;
        let rows = expect_rows(shape)?;
        let own = part(rows, ranks.size(), ranks.rank());
        let (own_shape, row) = (with_rows(shape, own.len())?, row(shape));
        let host = &host[own.start * row..own.end * row];
        Self::of_part(ranks, rows, Array::from_shape(stream, own_shape, host)?)
    }

    /// Creates an array from a host slice of rank `root`, in C order. The root sends each rank its
    /// rows. `host` is ignored on the other ranks.
    ///
    /// # Errors
    /// Returns the errors of [`Collectives::exchange`]. All ranks return [`Error::Value`] if `root`
    /// is not a rank of the group, if the length of the root's `host` does not match the shape, or
    /// if the shape has no axes.
    pub fn scatter(
        ranks: &'a C,
        stream: &Stream,
        shape: impl IntoShape,
        root: usize,
        host: &[T],
    ) -> Result<Self> {
        let shape = cut(shape);
        let facts = [Fact::Number("the root", root as u64)];
        expect_same::<T>(ranks, stream, shape.clone(), &facts)?;
        let shape = shape?;
        let rows = expect_rows(shape)?;
        let (me, size, row) = (ranks.rank(), ranks.size(), row(shape));
        let have = ranks.gather_on_host(stream, &[host.len() as u64])?;
        match have.get(root) {
            Some(&len) if len == shape.elements() as u64 => {}
            Some(len) => {
                return Err(Error::Value(format!(
                    "the slice of rank {root} has {len} elements, but an array of shape {shape} has {}",
                    shape.elements()
                )));
            }
            None => return Err(no_root(root, size)),
        }
        let elements = |rank: usize| {
            let rows = part(rows, size, rank);
            rows.start * row..rows.end * row
        };
        let mut own = DeviceBuffer::uninit(stream, elements(me).len())?;
        if me == root {
            own.copy_from_slice(stream, &host[elements(me)])?;
            let all = DeviceBuffer::from_slice(stream, host)?;
            let others = (0..size).filter(|&rank| rank != me);
            let sends: Vec<_> = others
                .map(|rank| Ok((rank, all.slice(elements(rank))?)))
                .collect::<Result<_>>()?;
            ranks.exchange(stream, &sends, &mut [])?;
        } else {
            ranks.exchange(stream, &[], &mut [(root, own.view_mut())])?;
        }
        let own_shape = with_rows(shape, part(rows, size, me).len())?;
        Self::of_part(ranks, rows, Array::from_buffer(own, own_shape)?)
    }
}
