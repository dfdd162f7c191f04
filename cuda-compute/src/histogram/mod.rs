//! Histograms of small integers, and of values between edges.

mod edges;

use std::sync::Arc;

use crate::{
    array::{Array, Layout, Memory, Order, Shape},
    element::{DataType, Float, Integer},
    error::{Error, Result},
    expression::{
        Expr,
        fused::{self, Prepared, Walk},
        hashed::Hashed,
        node::Node,
        render::Form,
    },
    kernel::{ANY, Policy, Row, Source, Specialisation, Table},
    sort::{Keys, keyed},
};

/// A kernel that counts values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Histogram {
    form: Hashed<Form>,
    variant: Variant,
    /// Copies of the counters per block, or 0 if they don't fit in shared memory.
    copies: u32,
    /// The type of the edges, or `None` if the values are numbers of bins.
    edges: Option<EdgeForm>,
}

/// The properties of edges that a kernel is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct EdgeForm {
    keys: Keys,
    dimensions: usize,
    /// Whether places among the edges need 64 bits.
    wide: bool,
}

/// The parameters of a specialisation, apart from the expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Variant {
    /// Threads per block.
    threads: u32,
    /// Vectors that each thread loads at once.
    unroll: u32,
    /// Blocks per multiprocessor.
    blocks: u32,
}

/// Sizes are in vectors.
static TABLE: Table<Variant> = Table(&[Policy {
    since: ANY,
    element_bytes: None,
    measured: None,
    rows: &[Row {
        up_to: u64::MAX,
        variant: Variant {
            threads: 512,
            unroll: 1,
            blocks: 4,
        },
        figures: "2^27 u8, 256 bins (H200): 52.1 us",
    }],
}]);

/// Counters of bins that fit in a block's shared memory.
const ROOM: usize = 8 << 10;
/// The maximum number of copies of the counters. Threads of a warp that increment the same counter, or
/// counters in the same bank of shared memory, wait for one another, so neighbours use different copies.
const MOST_COPIES: usize = 32;
/// The maximum for a block of few values, because the copies must be cleared and added up.
const COPIES_FOR_FEW: usize = 8;
const FEW: u64 = 1 << 14;

impl Specialisation for Histogram {
    fn source(&self) -> Source {
        let text = include_str!("../kernels/histogram.cu");
        let source = Source::new("histogram.cu", text, "histogram");
        let source = match self.edges {
            None => fused::source(source, &self.form).define("DIMENSIONS", 0),
            Some(edges) => keyed(source, edges.keys, Some(&self.form))
                .header("search.cuh", include_str!("../kernels/search.cuh"))
                .header("edges.cuh", include_str!("../kernels/edges.cuh"))
                .define("ITEMS", 1)
                .define("WIDE", u8::from(edges.wide))
                .define("DIMENSIONS", edges.dimensions),
        };
        source
            .define("THREADS", self.variant.threads)
            .define("UNROLL", self.variant.unroll)
            .define("COPIES", self.copies)
    }
}

/// Counts the values of an expression, which are numbers of bins.
fn histogram(node: &Arc<Node>, data: DataType, bins: usize) -> Result<Array<u64>> {
    count(&[node], data, bins, None, &[])
}

/// Counts the values of expressions. `edges` has the addresses and numbers of the edges, whose memory
/// is `memories`.
fn count(
    nodes: &[&Arc<Node>],
    data: DataType,
    bins: usize,
    edges: Option<(EdgeForm, Vec<u64>)>,
    memories: &[&Memory],
) -> Result<Array<u64>> {
    let mut prepared = Prepared::new(nodes)?;
    let bytes = Shape::new(&[bins])?
        .elements()
        .saturating_mul(size_of::<u64>());
    let result = Memory::zeroed(&prepared.kernels, &prepared.stream, bytes)?;
    let array = Array::of(
        Arc::new(result),
        Layout::dense(Shape::of(&[bins]), Order::C),
    );
    let elements = prepared.shape.elements();
    if elements == 0 || bins == 0 {
        return Ok(array);
    }
    let walk = Walk {
        order: &prepared.result_layout().axes(),
        run: None,
        widest: fused::widest(data),
    };
    let fused = prepared.fuse(&walk, None)?;
    let (kernels, stream) = (&prepared.kernels, &prepared.stream);
    let hardware = kernels.hardware();
    let vectors = elements.div_ceil(fused.vector()) as u64;
    let policy = TABLE.policy(hardware.capability, data.size());
    let variant = policy.row(vectors).variant;
    let needed = vectors.div_ceil(u64::from(variant.threads * variant.unroll));
    let most = u64::from(hardware.multiprocessors.max(1) * variant.blocks);
    // Each block counts in 32 bits.
    let blocks = needed.min(most.max(elements as u64 >> 31));
    let copies = match elements as u64 / blocks {
        ..FEW => COPIES_FOR_FEW,
        _ => MOST_COPIES,
    };
    // 256 bins get 32 copies, each with one more counter.
    let copies = match bins {
        ..=ROOM => (1 << ((ROOM + MOST_COPIES) / (bins + 1)).ilog2()).min(copies),
        _ => 0,
    };
    let kernel = kernels.get(&Histogram {
        form: fused.form.clone(),
        variant,
        copies: copies as u32,
        edges: edges.as_ref().map(|edges| edges.0),
    })?;
    // One more counter for values that belong to no bin.
    let shared = (copies * (bins + 1) * size_of::<u32>()) as u32;
    let mut parameters = vec![elements as u64, bins as u64, array.memory.address()];
    parameters.extend(edges.into_iter().flat_map(|edges| edges.1));
    let memories = [memories, &[&*array.memory]].concat();
    // SAFETY: `histogram` has these parameters. The result has a counter for each bin, and the shared
    // memory one more. Other numbers are counted there, or not at all. It reads only the given edges.
    unsafe {
        fused.launch_with_shared(
            &kernel,
            stream,
            (blocks, variant.threads, shared),
            &mut parameters,
            &memories,
        )?;
    }
    Ok(array)
}

impl<T: Integer> Expr<T> {
    /// Counts how often each of the numbers 0 to `bins - 1` occurs. Other numbers are not counted.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[3, 1, 3, 9, -1])?;
    /// assert_eq!(x.histogram(4)?.to_vec()?, [0, 1, 0, 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error in the cases that [`eval`](Self::eval) lists.
    pub fn histogram(&self, bins: usize) -> Result<Array<u64>> {
        histogram(&self.node, T::DATA_TYPE, bins)
    }
}

impl<T: Integer> Array<T> {
    /// Counts how often each of the numbers 0 to `bins - 1` occurs. See [`Expr::histogram`].
    ///
    /// # Errors
    /// Returns an error if the kernel can't be compiled or launched, or if memory runs out. See
    /// [`Expr::histogram`].
    pub fn histogram(&self, bins: usize) -> Result<Array<u64>> {
        self.expr().histogram(bins)
    }
}

impl<T: Float> Expr<T> {
    /// Counts the numbers in each of `bins` intervals of equal width from `low` to `high`, as
    /// NumPy's `histogram` does with `range=(low, high)`.
    ///
    /// An interval includes its lower end, and the last one its upper end, too. Numbers outside and
    /// NaN are not counted. The interval of a number is computed in `f64`: a number within rounding
    /// of an inner boundary may be counted in either interval.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[-0.5f32, 0.1, 0.2, 0.7, 1.0, 1.5])?;
    /// assert_eq!(x.histogram_between(0.0, 1.0, 2)?.to_vec()?, [2, 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Value`] unless `low` is less than `high`, and both and their difference are
    /// finite. Returns an error in the cases that [`eval`](Self::eval) lists.
    pub fn histogram_between(
        &self,
        low: impl Into<f64>,
        high: impl Into<f64>,
        bins: usize,
    ) -> Result<Array<u64>> {
        let (low, high) = (low.into(), high.into());
        if !(low < high && (high - low).is_finite()) {
            return Err(Error::Value(format!(
                "histogram_between({low}, {high}, {bins}): the limits and their difference must be finite, and the first less than the second"
            )));
        }
        let x: Expr<f64> = self.converted();
        let last = bins.saturating_sub(1) as f64;
        let bin = ((&x - low) * (bins as f64 / (high - low))).floor();
        let is_inside = x.greater_equal(low) & x.less_equal(high);
        let bin = is_inside.select(bin.minimum(last), bins as f64);
        bin.cast::<u64>().histogram(bins)
    }
}

impl<T: Float> Array<T> {
    /// Counts the numbers in each of `bins` intervals of equal width from `low` to `high`. See
    /// [`Expr::histogram_between`].
    ///
    /// # Errors
    /// Returns [`Error::Value`] unless `low` is less than `high` and both are finite. Returns an
    /// error if the kernel can't be compiled or launched, or if memory runs out.
    pub fn histogram_between(
        &self,
        low: impl Into<f64>,
        high: impl Into<f64>,
        bins: usize,
    ) -> Result<Array<u64>> {
        self.expr().histogram_between(low, high, bins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::check;

    #[test]
    fn the_table_follows_the_rules() {
        check(&TABLE);
    }

    #[test]
    fn a_block_has_as_many_counters_as_fit() {
        use cuda_safe::{Context, Stream};

        use crate::kernel::Kernels;
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let copies = |(elements, bins): (usize, usize)| {
            let kernels = Kernels::of_multiprocessors(&context, 1);
            let x = kernels.zeros::<u8>(&stream, &[elements]);
            let counts = x.histogram(bins).unwrap().to_vec().unwrap();
            let all = elements as u64;
            assert_eq!((counts[0], counts.iter().sum::<u64>()), (all, all));
            kernels.compiled_for::<Histogram>()[0].copies
        };
        // Few values, then many.
        let bins = [4, 2000, 8192, 8193];
        assert_eq!(bins.map(|bins| copies((100, bins))), [8, 4, 1, 0]);
        let bins = [4, 256, 300, 8193];
        assert_eq!(bins.map(|bins| copies((1 << 16, bins))), [32, 32, 16, 0]);
    }

    #[test]
    fn only_numbers_of_bins_are_counted() {
        use cuda_safe::{Context, Stream};

        let stream = Stream::new(&Context::primary(0).unwrap()).unwrap();
        let wide = [1u64, 2, 1 << 32 | 1, u64::MAX, 2, 1 << 63];
        let wide = Array::from_slice(&stream, &wide).unwrap();
        let signed = [-1i8, 1, 2, -128, 127, 2];
        let signed = Array::from_slice(&stream, &signed).unwrap();
        // Many copies of the counters, one, and none.
        for bins in [4, 8192, 8193] {
            let counted = |counts: Result<Array<u64>>| {
                let counts = counts.unwrap().to_vec().unwrap();
                assert_eq!(counts.len(), bins);
                let counts = counts.into_iter().enumerate();
                counts.filter(|&(_, count)| count > 0).collect::<Vec<_>>()
            };
            assert_eq!(counted(wide.histogram(bins)), [(1, 1), (2, 2)]);
            let signed = counted(signed.histogram(bins));
            match bins {
                4 => assert_eq!(signed, [(1, 1), (2, 2)]),
                _ => assert_eq!(signed, [(1, 1), (2, 2), (127, 1)]),
            }
        }
    }
}
