//! Arrays that are cut into parts along the first axis.

use std::{fmt, ops::Range};

use cuda_compute::{
    Array, Element, Expr, Number, Order, Ordered, Random, RandomBits, RandomFloat, Shape, s,
};
use cuda_safe::{DeviceBuffer, DeviceView, PlainData, Stream};

use super::{
    agree::{Fact, agree, type_name},
    part,
};
use crate::{
    collectives::{Collectives, expect_context},
    element::{Reducible, Reduction},
    error::{Error, Result},
};

/// An array of many devices: each rank of a group has some of its rows, the places of the first axis, as an [`Array`] of
/// its own.
///
/// What is computed for each element or within a row is computed by each rank for its [`part`](Self::part): see
/// [`map`](Self::map). What goes along the first axis is a method here, which all ranks call together. So are the
/// constructors, which compare shapes, types and seeds: one that differs is an error on all ranks, which names its rank.
///
/// ```
/// use cuda_nccl::{Collectives, PeerGroup, spread::Sharded};
/// use cuda_safe::Stream;
///
/// # fn main() -> cuda_nccl::Result<()> {
/// let results = PeerGroup::of_all_devices()?.run(|rank| {
///     let stream = Stream::new(rank.context())?;
///     let x = Sharded::from_fn(rank, &stream, [10, 3], |i| i as f32)?; // 0 to 29
///     let y = x.map(|x| x * 2.0)?;
///     let rows = x.map(|x| x.sum_axis(1))?; // one number of each row
///     let columns = y.sum_first_axis()?.to_vec()?; // on all ranks
///     Ok((columns, rows.to_vec()?, y.max()?))
/// })?;
/// let (columns, rows, largest) = &results[0];
/// assert_eq!(*columns, [270.0, 290.0, 310.0]);
/// assert_eq!((rows.len(), rows[9], *largest), (10, 84.0, 58.0));
/// # Ok(())
/// # }
/// ```
pub struct Sharded<'a, C, T> {
    ranks: &'a C,
    stream: Stream,
    /// Of the whole array.
    rows: usize,
    part: Array<T>,
}

/// Which rows of how many, and the array of them.
impl<C: Collectives, T: Element> fmt::Debug for Sharded<'_, C, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} of {} rows: {:?}",
            self.own_rows(),
            self.rows,
            self.part
        )
    }
}

/// The shape of some rows.
fn with_rows(shape: Shape, rows: usize) -> Result<Shape> {
    let mut lengths = shape.as_slice().to_vec();
    lengths[0] = rows;
    Ok(Shape::new(&lengths)?)
}

/// The elements of a row.
fn row(shape: Shape) -> usize {
    shape.as_slice()[1..].iter().product()
}

/// An error on all ranks unless all have this shape, this type and the other facts.
fn expect_same<T>(
    ranks: &impl Collectives,
    stream: &Stream,
    shape: Result<Shape>,
    others: &[Fact],
) -> Result<()> {
    let mine = shape.map(|shape| {
        const AXES: [&str; 8] = [
            "axis 0", "axis 1", "axis 2", "axis 3", "axis 4", "axis 5", "axis 6", "axis 7",
        ];
        let mut facts = vec![
            Fact::Name("the call", "Sharded"),
            Fact::Name("the elements", type_name::<T>()),
            Fact::Number("the number of axes", shape.rank() as u64),
        ];
        let lengths = AXES.iter().zip(shape.as_slice());
        facts.extend(lengths.map(|(axis, &length)| Fact::Number(axis, length as u64)));
        facts.extend_from_slice(others);
        (facts, [])
    });
    agree(ranks, stream, mine).map(drop)
}

/// A shape that can be cut into rows.
fn cut(shape: impl cuda_compute::IntoShape) -> Result<Shape> {
    let shape = shape.into_shape()?;
    expect_rows(shape).map(|_| shape)
}

fn expect_rows(shape: Shape) -> Result<usize> {
    shape
        .as_slice()
        .first()
        .copied()
        .ok_or_else(|| Error::Value("an array without axes has no rows to cut it into".into()))
}

/// An error, with the remedy, unless a part has the rows that are this rank's.
fn expect_own_rows(
    ranks: &impl Collectives,
    rows: usize,
    shape: Shape,
    remedy: &str,
) -> Result<()> {
    let (rank, have) = (ranks.rank(), expect_rows(shape)?);
    let own = part(rows, ranks.size(), rank).len();
    if have == own {
        return Ok(());
    }
    Err(Error::Value(format!(
        "rank {rank} has {own} of {rows} rows, not {have}: {remedy}"
    )))
}

/// The elements of an array whose elements lie side by side.
///
/// # Safety
/// So they do.
unsafe fn elements<T: Element<Stored = T> + PlainData>(array: &Array<T>) -> DeviceView<'_, T> {
    // SAFETY: an array's elements in its own stream's order, borrowed for no longer than it.
    unsafe { DeviceView::borrow_raw(array.as_device_ptr(), array.len(), array.stream()) }
}

fn no_root(root: usize, size: usize) -> Error {
    Error::Value(format!(
        "root {root}: the group has ranks 0 to {}",
        size.saturating_sub(1)
    ))
}

/// A copy of the elements, in C order, that nobody else has.
fn copied<T: Element<Stored = T> + PlainData>(array: &Array<T>) -> Result<DeviceBuffer<T>> {
    let array = array.contiguous(Order::C)?;
    let mut buffer = DeviceBuffer::uninit(array.stream(), array.len())?;
    // SAFETY: side by side now.
    buffer.copy_from(array.stream(), &unsafe { elements(&array) })?;
    Ok(buffer)
}

impl<'a, C: Collectives, T: Element> Sharded<'a, C, T> {
    /// From each rank's part, which has the rows that [`part`] says: of `rows` together.
    ///
    /// # Errors
    /// The part has other rows, or none to cut, or is of another context. On all ranks: parts don't fit together.
    pub fn from_part(ranks: &'a C, rows: usize, part: Array<T>) -> Result<Self> {
        let stream = part.stream().clone();
        let remedy = "spread::part says which rows a rank has";
        let whole = expect_own_rows(ranks, rows, part.shape(), remedy)
            .and_then(|()| Self::of_part(ranks, rows, part));
        let shape = whole.as_ref().map_err(Clone::clone).and_then(Self::shape);
        // Not on a stream that is of another context.
        let on = match stream.context() == ranks.context() {
            true => stream,
            false => Stream::new(ranks.context())?,
        };
        expect_same::<T>(ranks, &on, shape, &[])?;
        whole
    }

    /// The same, for parts that are known to fit together and have their rows.
    fn of_part(ranks: &'a C, rows: usize, part: Array<T>) -> Result<Self> {
        expect_context(ranks.rank(), ranks.context(), part.stream(), [])?;
        Ok(Self {
            ranks,
            stream: part.stream().clone(),
            rows,
            part,
        })
    }

    /// This rank's rows.
    #[must_use]
    pub fn part(&self) -> &Array<T> {
        &self.part
    }

    /// This rank's rows, without the rest.
    #[must_use]
    pub fn into_part(self) -> Array<T> {
        self.part
    }

    /// Which rows of the whole array this rank has.
    #[must_use]
    pub fn own_rows(&self) -> Range<usize> {
        part(self.rows, self.ranks.size(), self.ranks.rank())
    }

    /// The shape of the whole array.
    ///
    /// # Errors
    /// It has more elements than can be counted.
    pub fn shape(&self) -> Result<Shape> {
        with_rows(self.part.shape(), self.rows)
    }

    /// The stream that the part belongs to.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Computes an expression of each rank's part: element by element, or along other axes than the first. The ranks don't
    /// meet. For the parts of two arrays there is [`zip`](Self::zip).
    ///
    /// **What goes along the first axis within the expression is not noticed.** It sees this rank's rows alone, so that the
    /// result is another one for each number of ranks: a sum or mean along that axis, or of all elements; another array,
    /// stretched over the part's rows; random numbers, of which each rank has the same. What all rows need is computed
    /// before, by the methods that all ranks call together:
    ///
    /// ```
    /// use cuda_nccl::{Collectives, PeerGroup, spread::Sharded};
    /// use cuda_safe::Stream;
    ///
    /// # fn main() -> cuda_nccl::Result<()> {
    /// let centred = PeerGroup::of_all_devices()?.run(|rank| {
    ///     let stream = Stream::new(rank.context())?;
    ///     let x = Sharded::from_fn(rank, &stream, [5, 2], |i| i as f32)?;
    ///     let sums = x.sum_first_axis()?; // not `x.map(|x| x - x.mean_axis(0))`: a mean of a part
    ///     x.map(|x| x - &sums / 5.0)?.to_vec()
    /// })?;
    /// assert_eq!(centred[0], [-4.0, -4.0, -2.0, -2.0, 0.0, 0.0, 2.0, 2.0, 4.0, 4.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The expression's, or the result has not as many rows as the part.
    pub fn map<U: Element>(
        &self,
        expression: impl FnOnce(&Array<T>) -> Expr<U>,
    ) -> Result<Sharded<'a, C, U>> {
        self.computed(expression(&self.part).eval_on(&self.stream)?)
    }

    /// As [`map`](Self::map), for what gives arrays: scans along other axes, convolutions of each image.
    ///
    /// # Errors
    /// The function's, or the result has not as many rows as the part.
    pub fn map_arrays<U: Element>(
        &self,
        function: impl FnOnce(&Array<T>) -> cuda_compute::Result<Array<U>>,
    ) -> Result<Sharded<'a, C, U>> {
        self.computed(function(&self.part)?)
    }

    /// As [`map`](Self::map), of the same rows of two arrays. Operands stretch from the last axis on, as everywhere: an
    /// array with one number for each row of a matrix has the shape `[rows, 1]`.
    ///
    /// ```
    /// use cuda_nccl::{Collectives, PeerGroup, spread::Sharded};
    /// use cuda_safe::Stream;
    ///
    /// # fn main() -> cuda_nccl::Result<()> {
    /// let sums = PeerGroup::of_all_devices()?.run(|rank| {
    ///     let stream = Stream::new(rank.context())?;
    ///     let x = Sharded::from_fn(rank, &stream, 5, |i| i as u32)?;
    ///     let y = Sharded::from_fn(rank, &stream, 5, |i| 10 * i as u32)?;
    ///     x.zip(&y, |x, y| x + y)?.to_vec()
    /// })?;
    /// assert_eq!(sums[0], [0, 11, 22, 33, 44]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The arrays have not as many rows, or this rank has others of them. As [`map`](Self::map).
    pub fn zip<U: Element, V: Element>(
        &self,
        other: &Sharded<'_, C, U>,
        expression: impl FnOnce(&Array<T>, &Array<U>) -> Expr<V>,
    ) -> Result<Sharded<'a, C, V>> {
        let rows = [(self.own_rows(), self.rows), (other.own_rows(), other.rows)];
        if rows[0] != rows[1] {
            let [mine, theirs] = rows.map(|(own, all)| format!("rows {own:?} of {all}"));
            return Err(Error::Value(format!(
                "zip of {mine} and {theirs}: both have the same. What all rows need is an array that each rank has, for map"
            )));
        }
        self.computed(expression(&self.part, &other.part).eval_on(&self.stream)?)
    }

    /// From what was computed of the part.
    fn computed<U: Element>(&self, result: Array<U>) -> Result<Sharded<'a, C, U>> {
        let remedy = "what is computed of a part keeps its rows, and what goes along the first axis is a method of Sharded";
        expect_own_rows(self.ranks, self.rows, result.shape(), remedy)?;
        Sharded::of_part(self.ranks, self.rows, result)
    }

    /// An expression of each rank's part, and then the reduction of all ranks' results, element by element, which has the
    /// same bits on all ranks: `x.reduce(Reduction::Max, |x| x.abs().max_axis(0))`.
    ///
    /// Ranks compare the type and shape of their results, and not the expressions: `x.sin()` on one rank and `x.cos()` on
    /// another is not noticed.
    ///
    /// # Errors
    /// The expression's. On all ranks: one of them has an error, another reduction or a result of another type or shape. As
    /// [`Collectives::all_reduce`].
    pub fn reduce<R: Reducible + Element<Stored = R>>(
        &self,
        reduction: Reduction,
        expression: impl FnOnce(&Array<T>) -> Expr<R>,
    ) -> Result<Array<R>> {
        self.combined(reduction, expression(&self.part).eval_on(&self.stream))
    }

    /// Some ranks may have no rows, and an error instead of a result: so they compare these first.
    fn combined<R: Reducible + Element<Stored = R>>(
        &self,
        reduction: Reduction,
        result: cuda_compute::Result<Array<R>>,
    ) -> Result<Array<R>> {
        let result = result
            .map_err(Error::from)
            .and_then(|result| Ok((result.shape(), copied(&result)?)));
        let shape = result.as_ref().map(|(shape, _)| *shape);
        let fact = Fact::Name("the reduction", reduction.name());
        expect_same::<R>(
            self.ranks,
            &self.stream,
            shape.map_err(Clone::clone),
            &[fact],
        )?;
        let (shape, mut all) = result?;
        self.ranks.all_reduce(&self.stream, &mut all, reduction)?;
        Ok(Array::from_buffer(all, shape)?)
    }

    /// The same finding on all ranks: some of them have nothing to find a least or a greatest among.
    fn expect_rows_of_all(&self) -> Result<()> {
        let ranks = self.ranks.size();
        if self.rows >= ranks {
            return Ok(());
        }
        Err(Error::Value(format!(
            "{} rows over {ranks} ranks: some have none, and no least or greatest element",
            self.rows
        )))
    }
}

impl<'a, C: Collectives, T: Element<Stored = T> + PlainData> Sharded<'a, C, T> {
    /// From a function of each element's number, in C order of the whole array. Each rank calls it for its own elements.
    ///
    /// # Errors
    /// The shape has no axes. Memory ran out.
    pub fn from_fn(
        ranks: &'a C,
        stream: &Stream,
        shape: impl cuda_compute::IntoShape,
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

    /// From elements on the host that all ranks have, in C order. Each uploads its own.
    ///
    /// # Errors
    /// Not as many elements as the shape has, or a shape without axes. Memory ran out.
    pub fn from_slice(
        ranks: &'a C,
        stream: &Stream,
        shape: impl cuda_compute::IntoShape,
        host: &[T],
    ) -> Result<Self> {
        let shape = cut(shape).and_then(|shape| match host.len() == shape.elements() {
            true => Ok(shape),
            false => Err(Error::Value(format!(
                "{} elements for an array of shape {shape}",
                host.len()
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

    /// From elements on the host of rank `root` alone, in C order, which sends the others theirs. What the others pass
    /// doesn't matter.
    ///
    /// # Errors
    /// On all ranks: a root that is not a rank, not as many elements as the shape has, a shape without axes. As
    /// [`Collectives::exchange`].
    pub fn scatter(
        ranks: &'a C,
        stream: &Stream,
        shape: impl cuda_compute::IntoShape,
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
                    "rank {root} has {len} elements for an array of shape {shape}"
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

impl<C: Collectives, T: Number + Reducible + Element<Stored = T>> Sharded<'_, C, T> {
    /// The sum of all elements, as [`Array::sum`] and then the sum of the ranks' sums: with a
    /// [`PeerRank`](crate::PeerRank) one addition for each, in their order; NCCL has an order of its own.
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce).
    pub fn sum(&self) -> Result<T> {
        Ok(self.reduce(Reduction::Sum, |x| x.sum())?.item()?)
    }

    /// The sums along the first axis: an array of the other axes, which all ranks have.
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce).
    pub fn sum_first_axis(&self) -> Result<Array<T>> {
        self.reduce(Reduction::Sum, |x| x.sum_axis(0))
    }
}

impl<C: Collectives, T: Ordered + Reducible + Element<Stored = T>> Sharded<'_, C, T> {
    /// The smallest element. NaN is passed over.
    ///
    /// # Errors
    /// Some ranks have no rows. As [`reduce`](Self::reduce).
    pub fn min(&self) -> Result<T> {
        self.expect_rows_of_all()?;
        Ok(self.reduce(Reduction::Min, |x| x.min())?.item()?)
    }

    /// The largest element. NaN is passed over.
    ///
    /// # Errors
    /// As [`min`](Self::min).
    pub fn max(&self) -> Result<T> {
        self.expect_rows_of_all()?;
        Ok(self.reduce(Reduction::Max, |x| x.max())?.item()?)
    }

    /// The smallest elements along the first axis, on all ranks.
    ///
    /// # Errors
    /// As [`min`](Self::min).
    pub fn min_first_axis(&self) -> Result<Array<T>> {
        self.expect_rows_of_all()?;
        self.reduce(Reduction::Min, |x| x.min_axis(0))
    }

    /// The largest elements along the first axis, on all ranks.
    ///
    /// # Errors
    /// As [`min`](Self::min).
    pub fn max_first_axis(&self) -> Result<Array<T>> {
        self.expect_rows_of_all()?;
        self.reduce(Reduction::Max, |x| x.max_axis(0))
    }
}

impl<'a, C: Collectives, T: Number + Element<Stored = T>> Sharded<'a, C, T> {
    /// Running sums along the first axis: each rank's own, plus the totals of the ranks before it, which are added in their
    /// order. So floats are rounded in another order than on one device.
    ///
    /// # Errors
    /// As [`Array::cumsum`], and as [`Collectives::all_gather`].
    ///
    /// ```
    /// use cuda_nccl::{Collectives, PeerGroup, spread::Sharded};
    /// use cuda_safe::Stream;
    ///
    /// # fn main() -> cuda_nccl::Result<()> {
    /// let sums = PeerGroup::of_all_devices()?.run(|rank| {
    ///     let stream = Stream::new(rank.context())?;
    ///     Sharded::from_fn(rank, &stream, 5, |i| i as u32)?.cumsum_first_axis()?.to_vec()
    /// })?;
    /// assert_eq!(sums[0], [0, 1, 3, 6, 10]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn cumsum_first_axis(&self) -> Result<Self> {
        let stream = &self.stream;
        let totals = copied(&self.part.sum_axis(0).eval_on(stream)?)?;
        let (me, size) = (self.ranks.rank(), self.ranks.size());
        let mut all = DeviceBuffer::uninit(stream, totals.len() * size)?;
        self.ranks.all_gather(stream, &totals, &mut all)?;
        let mut result = self.part.cumsum(0)?;
        if me > 0 && !result.is_empty() {
            let mut lengths = vec![size];
            lengths.extend_from_slice(&self.part.shape().as_slice()[1..]);
            let before = Array::from_buffer(all, lengths)?.slice(s![..me as isize])?;
            result = (&result + before.sum_axis(0)).eval_on(stream)?;
        }
        Self::of_part(self.ranks, self.rows, result)
    }
}

macro_rules! histograms {
    ($($type:ty),*) => {$(
        impl<C: Collectives> Sharded<'_, C, $type> {
            /// How often each of the numbers 0 to `bins - 1` occurs in the whole array, on all ranks.
            ///
            /// # Errors
            /// As [`Array::histogram`], and as [`Collectives::all_reduce`].
            pub fn histogram(&self, bins: usize) -> Result<Array<u64>> {
                self.combined(Reduction::Sum, self.part.histogram(bins))
            }
        }
    )*};
}

histograms!(u8, u16, u32);

impl<'a, C: Collectives, T: Element> Sharded<'a, C, T> {
    /// Each rank draws its own of the elements of the whole shape, `each` of which are made of a block of the sequence.
    fn drawn(
        ranks: &'a C,
        stream: &Stream,
        random: &mut Random,
        shape: impl cuda_compute::IntoShape,
        (name, each): (&'static str, usize),
        draw: impl FnOnce(&mut Random, usize) -> cuda_compute::Result<Expr<T>>,
    ) -> Result<Self> {
        let shape = cut(shape);
        let facts = [
            Fact::Name("the draw", name),
            Fact::Number("the seed", random.seed()),
            Fact::Number("the position", random.position()),
        ];
        expect_same::<T>(ranks, stream, shape.clone(), &facts)?;
        let shape = shape?;
        let rows = expect_rows(shape)?;
        let own = part(rows, ranks.size(), ranks.rank());
        let (own_shape, row) = (with_rows(shape, own.len())?, row(shape));
        let first = own.start * row;
        // From the beginning of a block on.
        let (mut here, before) = (random.clone(), first % each);
        here.skip((first / each) as u64);
        random.skip(shape.elements().div_ceil(each) as u64);
        let drawn = draw(&mut here, before + own.len() * row)?.eval_on(stream)?;
        let drawn = drawn.slice(s![before as isize..])?;
        Self::of_part(ranks, rows, drawn.reshape(own_shape)?)
    }
}

macro_rules! draws {
    ($($class:ident {$($(#[$doc:meta])* $name:ident;)*})*) => {$(
        impl<'a, C: Collectives, T: $class> Sharded<'a, C, T> {$(
            $(#[$doc])*
            ///
            /// The same numbers as [`Array`]'s function of this name draws for the whole shape, however many ranks there
            /// are. All ranks pass the same sequence, which goes on behind them.
            ///
            /// # Errors
            /// The shape has no axes. Memory ran out.
            pub fn $name(
                ranks: &'a C,
                stream: &Stream,
                random: &mut Random,
                shape: impl cuda_compute::IntoShape,
            ) -> Result<Self> {
                // A block has 128 bits.
                let each = 16 / size_of::<T>();
                let kind = (stringify!($name), each);
                Self::drawn(ranks, stream, random, shape, kind, |random, len| {
                    Expr::<T>::$name(random, len)
                })
            }
        )*}
    )*};
}

draws! {
    RandomFloat {
        /// Numbers from 0 to below 1.
        uniform;
        /// Normal numbers of mean 0 and deviation 1.
        normal;
        /// Exponential numbers of mean 1.
        exponential;
    }
    RandomBits {
        /// Random bits.
        bits;
    }
}
