//! Selections: the elements for which a mask is true.

mod table;

use crate::{
    array::{Array, Layout, Memory, Order, Shape, SliceItem},
    element::{DataType, Element},
    error::Result,
    expression::{
        Expr, IntoExpr, Target, assign,
        fused::{self, Prepared, Walk},
        hashed::Hashed,
        render::Form,
        scan::{operation::Associative, tiles::Tiles},
    },
    kernel::{Source, Specialisation},
};

/// A kernel that selects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Compress {
    form: Hashed<Form>,
    data: DataType,
    threads: u32,
    unroll: u32,
    /// Whether there are several tiles.
    chained: bool,
}

impl Specialisation for Compress {
    fn source(&self) -> Source {
        let text = include_str!("../kernels/compress.cu");
        fused::source(Source::new("compress.cu", text, "compress"), &self.form)
            .header("combination.cuh", Associative::Sum.header(COUNT, false))
            .header("prefix.cuh", include_str!("../kernels/prefix.cuh"))
            .define("THREADS", self.threads)
            .define("UNROLL", self.unroll)
            .define("CHAINED", u8::from(self.chained))
            .define("STORED", self.data.stored())
            .define("VALUE", self.data.computed())
    }
}

/// The type of counts.
const COUNT: DataType = DataType::U64;

/// A result that is this many times smaller than its memory is copied to smaller memory.
const LOOSE: usize = 16;

impl<T: Element> Expr<T> {
    /// Returns the elements for which the mask is true, in C order, along one axis. The values and
    /// the mask are broadcast to one shape.
    ///
    /// One kernel computes both and reads each of them once. The call waits for the number of
    /// elements, and so for all work enqueued on the stream before.
    ///
    /// Because the number of elements is known only afterwards, the result's memory has room for
    /// all elements. If less than a sixteenth is selected, the result is copied to memory of the
    /// exact size. In other cases, call [`Array::copy`] to free the rest.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1.0f32, -4.0, 9.0])?;
    /// assert_eq!(x.sqrt().compress(x.greater(0.0))?.to_vec()?, [1.0, 3.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the shapes can't be broadcast, if the expression reads no array and so
    /// has no stream, if memory runs out, or if work enqueued before has failed.
    pub fn compress(&self, mask: impl IntoExpr<bool>) -> Result<Array<T>> {
        self.compress_between(&mask.into_expr(), None, None)
    }

    /// Selects elements as [`compress`](Self::compress) does, and puts one value before and after
    /// them, if given.
    pub(crate) fn compress_between(
        &self,
        mask: &Expr<bool>,
        before: Option<&Self>,
        after: Option<&Self>,
    ) -> Result<Array<T>> {
        let mut prepared = Prepared::new(&[&self.node, &mask.node])?;
        let elements = prepared.shape.elements();
        let first = usize::from(before.is_some());
        let framed = first + usize::from(after.is_some());
        let room = prepared.memory(elements + framed, T::DATA_TYPE)?;
        let selected = match elements {
            0 => 0,
            _ => compress_to(&mut prepared, T::DATA_TYPE, &room, first)?,
        };
        let length = framed + selected;
        let result = Array::of(room, one_axis(length));
        for (value, at) in [(before, 0), (after, length.saturating_sub(1))] {
            let Some(value) = value else { continue };
            let target = Target {
                memory: &result.memory,
                layout: result.layout.sliced(&[SliceItem::from(at..at + 1)])?,
                data: T::DATA_TYPE,
            };
            assign(&target, &value.node)?;
        }
        if length < elements / LOOSE {
            return result.copy();
        }
        Ok(result)
    }

    /// Returns the elements for which the mask is true, and those for which it is false, each in C
    /// order, as [`Iterator::partition`] does. This calls [`compress`](Self::compress) with the mask and
    /// with its negation. To partition by the order of the elements as NumPy does, call
    /// [`partition`](Self::partition).
    ///
    /// # Errors
    /// Returns an error if the shapes can't be broadcast, if memory runs out, or if earlier work
    /// has failed. See [`compress`](Self::compress).
    pub fn partition_by(&self, mask: impl IntoExpr<bool>) -> Result<(Array<T>, Array<T>)> {
        let mask = mask.into_expr();
        Ok((self.compress(&mask)?, self.compress(!&mask)?))
    }
}

impl<T: Element> Array<T> {
    /// Returns the elements for which the mask is true. See [`Expr::compress`].
    ///
    /// # Errors
    /// Returns an error if the shapes can't be broadcast, if memory runs out, or if earlier work
    /// has failed. See [`Expr::compress`].
    pub fn compress(&self, mask: impl IntoExpr<bool>) -> Result<Self> {
        self.expr().compress(mask)
    }

    /// Returns the elements for which the mask is true, and those for which it is false. See
    /// [`Expr::partition_by`].
    ///
    /// # Errors
    /// Returns an error if the shapes can't be broadcast, if memory runs out, or if earlier work
    /// has failed. See [`Expr::compress`].
    pub fn partition_by(&self, mask: impl IntoExpr<bool>) -> Result<(Self, Self)> {
        self.expr().partition_by(mask)
    }
}

impl Expr<bool> {
    /// Returns the indices of the true elements, counted in C order. Like
    /// [`compress`](Self::compress), it waits for their number.
    ///
    /// # Errors
    /// Returns an error if the expression reads no array, if memory runs out, or if earlier work
    /// has failed.
    pub fn nonzero(&self) -> Result<Array<usize>> {
        let shape = self.shape()?;
        Expr::<usize>::places(Layout::dense(shape, Order::C)).compress(self)
    }
}

impl Array<bool> {
    /// Returns the indices of the true elements, counted in C order. See [`Expr::nonzero`].
    ///
    /// # Errors
    /// Returns an error if memory runs out, or if earlier work has failed.
    pub fn nonzero(&self) -> Result<Array<usize>> {
        self.expr().nonzero()
    }
}

/// Writes the selected values to memory that has room for `first` elements and all values, from the
/// element `first` on. Returns the number of selected values.
fn compress_to(
    prepared: &mut Prepared,
    data: DataType,
    room: &Memory,
    first: usize,
) -> Result<usize> {
    let elements = prepared.shape.elements();
    let order: Vec<usize> = (0..prepared.shape.rank()).collect();
    let walk = Walk {
        order: &order,
        run: None,
        widest: fused::widest(data),
    };
    let fused = prepared.fuse(&walk, None)?;
    let (kernels, stream) = (&prepared.kernels, &prepared.stream);
    let vectors = elements.div_ceil(fused.vector()) as u64;
    let policy = table::TABLE.policy(kernels.hardware().capability, data.size());
    let variant = policy.row(vectors).variant;
    let threads = table::threads(variant, fused.vector() * data.size());
    let unroll = variant.unroll(fused.vector(), data.size());
    let count = vectors.div_ceil(u64::from(threads * unroll));
    let tiles = Tiles::new(count, 1, COUNT.size());
    let tile_memory = tiles.lines(kernels, stream, 1)?;
    let kernel = kernels.get(&Compress {
        form: fused.form.clone(),
        data,
        threads,
        unroll,
        chained: tiles.chained(),
    })?;
    let selected = kernels.results().fetch_or(stream, 0, |total| {
        let mut parameters = [
            elements as u64,
            count,
            tile_memory.address(),
            tile_memory.kept(),
            room.address() + (first * data.size()) as u64,
            total,
        ];
        let others: Vec<&Memory> = tile_memory.memory().into_iter().chain([room]).collect();
        // SAFETY: `compress` has these parameters, writes no more elements than there is room
        // for, and uses the memory of the tiles, which is zero. If that memory is kept, the
        // kernel leaves it zeroed.
        unsafe { fused.launch(&kernel, stream, (count, threads), &mut parameters, &others) }
    })?;
    Ok(selected as usize)
}

fn one_axis(length: usize) -> Layout {
    Layout::dense(Shape::of(&[length]), Order::C)
}

#[cfg(test)]
mod tests {
    use cuda_safe::{Context, Stream};

    use super::*;
    use crate::kernel::Kernels;

    #[test]
    fn many_elements_are_for_several_blocks() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let chosen = |length: usize| {
            let kernels = Kernels::new(&context).unwrap();
            let x = kernels.zeros::<f32>(&stream, &[length]);
            assert_eq!(x.compress(x.less(1.0)).unwrap().len(), length);
            let found: Vec<Compress> = kernels.compiled_for();
            (found[0].threads, found[0].unroll, found[0].chained)
        };
        // 512 threads with sixteen elements each.
        assert_eq!(chosen(8192), (512, 4, false));
        assert_eq!(chosen(8193), (512, 4, true));
    }

    #[test]
    fn a_small_result_has_memory_of_its_own() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let x = Array::range(&stream, 0..64).unwrap();
        let bytes = |below: i32| {
            let result = x.compress(x.less(below)).unwrap();
            assert_eq!(result.len(), below as usize);
            (0..).find(|&bytes| result.memory.bytes(0..bytes + 1).is_err())
        };
        assert_eq!(bytes(3), Some(3 * 4));
        assert_eq!(bytes(4), Some(64 * 4));
    }
}
