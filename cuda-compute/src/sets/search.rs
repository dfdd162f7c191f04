//! Binary searches in sorted arrays.

use cuda_safe::Function;

use crate::{
    array::Array,
    element::{DataType, Element},
    error::Result,
    expression::{
        Expr, IntoExpr,
        fused::{Prepared, Walk},
        hashed::Hashed,
        render::Form,
    },
    kernel::{Source, Specialisation},
    sort::{Keys, SortKey, keyed},
};

const THREADS: u32 = 256;
/// The most values that a thread searches for at once.
const VALUES: usize = 4;
/// The fewest values for which blocks copy keys into shared memory, and the fewest keys. Not measured:
/// 2^27 values in 2^16 keys took 1424 µs, and 4970 without shared memory (H100, device time).
const SHARED_VALUES: usize = 1 << 18;
const SHARED_KEYS: usize = 1 << 10;
/// Bytes of the keys in shared memory.
const SHARED_BYTES: usize = 64 << 10;
/// Threads per block, and blocks per multiprocessor, with keys in shared memory.
const SHARED_THREADS: u32 = 512;
const SHARED_BLOCKS: u32 = 3;

/// A kernel that searches.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Search {
    form: Hashed<Form>,
    keys: Keys,
    answer: Answer,
    /// Whether places need 64 bits.
    wide: bool,
    /// Whether blocks copy keys into shared memory. If so, this is the number of keys that a thread
    /// loads at once, or 0 if it searches among them.
    shared: Option<usize>,
}

/// The results of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Answer {
    /// The place before equal elements, as `usize`.
    Left,
    /// The place after equal elements, as `usize`.
    Right,
    /// Whether there is an equal element, as `bool`. There is none for NaN.
    Found,
}

impl Answer {
    const fn data(self) -> DataType {
        match self {
            Self::Left | Self::Right => DataType::U64,
            Self::Found => DataType::Bool,
        }
    }
}

impl Specialisation for Search {
    fn source(&self) -> Source {
        let (source, threads) = match self.shared {
            None => {
                let text = include_str!("../kernels/search.cu");
                (Source::new("search.cu", text, "search"), THREADS)
            }
            Some(group) => {
                let text = include_str!("../kernels/search_shared.cu");
                let source = Source::new("search_shared.cu", text, "search_shared");
                (source.define("GROUP", group), SHARED_THREADS)
            }
        };
        keyed(source, self.keys, Some(&self.form))
            .header("search.cuh", include_str!("../kernels/search.cuh"))
            .header(
                "search_answer.cuh",
                include_str!("../kernels/search_answer.cuh"),
            )
            .define("THREADS", threads)
            .define("ITEMS", 1)
            .define("WIDE", u8::from(self.wide))
            .define("AFTER_EQUAL", self.answer == Answer::Right)
            .define("FOUND", u8::from(self.answer == Answer::Found))
            .define("RESULT", self.answer.data().stored())
            .define("ANSWER", self.answer.data().computed())
    }

    fn prepare(&self, kernel: &Function) -> Result<()> {
        if self.shared.is_some() {
            kernel.set_max_dynamic_shared(SHARED_BYTES as u32)?;
        }
        Ok(())
    }
}

/// Searches an array in ascending order for the values of an expression. The result belongs to the
/// stream of the first array that the expression reads, or to that of the sorted array. `R` is the
/// type of the answers.
pub(crate) fn search<K: SortKey, R: Element>(
    sorted: &Array<K>,
    values: &Expr<K>,
    answer: Answer,
) -> Result<Array<R>> {
    debug_assert_eq!(R::DATA_TYPE, answer.data());
    let sorted = sorted.vector("the sorted array", 0)?;
    let stream = values.stream().unwrap_or(sorted.stream());
    let mut prepared = Prepared::on(sorted.memory.kernels(), stream, &[&values.node])?;
    let elements = prepared.shape.elements();
    let layout = prepared.result_layout();
    let result = prepared.memory(elements, R::DATA_TYPE)?;
    if elements > 0 {
        let walk = Walk {
            order: &layout.axes(),
            run: None,
            widest: VALUES,
        };
        let fused = prepared.fuse(&walk, None)?;
        let size = K::DATA_TYPE.size();
        let hardware = *prepared.kernels.hardware();
        let is_shared = elements >= SHARED_VALUES
            && sorted.len() >= SHARED_KEYS
            && hardware.shared_per_block as usize >= SHARED_BYTES;
        // Groups whose last keys fit in shared memory, as a tree with a spare node.
        let of_group = (sorted.len() * size)
            .div_ceil(SHARED_BYTES)
            .next_power_of_two();
        let groups = sorted.len().div_ceil(of_group);
        let loads = of_group * size <= 16 && sorted.as_device_ptr().is_multiple_of(16);
        let kernel = prepared.kernels.get(&Search {
            form: fused.form.clone(),
            keys: Keys::of::<K>(false),
            answer,
            wide: sorted.len() > u32::MAX as usize,
            shared: is_shared.then_some(if loads { of_group } else { 0 }),
        })?;
        let threads = elements.div_ceil(fused.vector()) as u64;
        let others = [&*sorted.memory, &*result];
        let [count, keys, length, result] = [
            elements as u64,
            sorted.as_device_ptr(),
            sorted.len() as u64,
            result.address(),
        ];
        if is_shared {
            let most = u64::from(hardware.multiprocessors * SHARED_BLOCKS).max(1);
            let blocks = threads.div_ceil(SHARED_THREADS.into()).min(most);
            let levels = groups.next_power_of_two().ilog2();
            let launch = (blocks, SHARED_THREADS, (size << levels) as u32);
            let mut parameters = [
                count,
                keys,
                length,
                groups as u64,
                of_group as u64,
                levels.into(),
                result,
            ];
            // SAFETY: `search_shared` has these parameters, reads within the sorted array, and writes a
            // result for each value. The shared memory has a key for each node.
            unsafe {
                fused.launch_with_shared(
                    &kernel,
                    &prepared.stream,
                    launch,
                    &mut parameters,
                    &others,
                )?;
            }
        } else {
            let launch = (threads.div_ceil(THREADS.into()), THREADS);
            let mut parameters = [count, keys, length, result];
            // SAFETY: `search` has these parameters, reads within the sorted array, and writes a result for
            // each value.
            unsafe {
                fused.launch(&kernel, &prepared.stream, launch, &mut parameters, &others)?;
            }
        }
    }
    Ok(Array::of(result, layout))
}

impl<K: SortKey> Array<K> {
    /// Searches this sorted array for values. Returns for each value the first place at which it could
    /// be inserted so that the array stays sorted: the number of elements that are less. This is
    /// NumPy's `searchsorted`.
    ///
    /// The array has one axis and is in the order of [`sort`](Expr::sort), with NaN last, which the
    /// call does not check. In an unsorted array, the places are unspecified. `values` can have any
    /// shape, which is that of the result. −0 is equal to 0, and NaN is equal to NaN.
    ///
    /// One kernel computes the values and searches for each of them. The call does not wait for the
    /// stream. In place of NumPy's `sorter`, pass the sorted array: `x.take(&sorter, 0)?`.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let sorted = Array::from_slice(&stream, &[1.0f32, 2.0, 2.0, 4.0])?;
    /// let values = Array::from_slice(&stream, &[2.0, 0.5, f32::NAN])?;
    /// assert_eq!(sorted.searchsorted(&values)?.to_vec()?, [1, 0, 4]);
    /// assert_eq!(sorted.searchsorted_right(&values * 2.0)?.to_vec()?, [4, 1, 4]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the array has no or several axes, if memory runs out, or in the cases that
    /// [`eval`](Expr::eval) lists for the values.
    pub fn searchsorted(&self, values: impl IntoExpr<K>) -> Result<Array<usize>> {
        search(self, &values.into_expr(), Answer::Left)
    }

    /// Searches this sorted array for values. Returns for each value the last place at which it could
    /// be inserted so that the array stays sorted: the number of elements that are less or equal. This
    /// is NumPy's `searchsorted` with `side="right"`. See [`searchsorted`](Self::searchsorted).
    ///
    /// # Errors
    /// Returns an error in the cases that [`searchsorted`](Self::searchsorted) lists.
    pub fn searchsorted_right(&self, values: impl IntoExpr<K>) -> Result<Array<usize>> {
        search(self, &values.into_expr(), Answer::Right)
    }
}

impl<K: SortKey> Expr<K> {
    /// Returns the number of each element's bin, as NumPy's `digitize` does: bin `i` has the elements
    /// `x` with `edges[i - 1] <= x < edges[i]`. Elements below the first edge are in bin 0. Elements
    /// from the last edge on, and NaN, are in the bin with the number of edges.
    ///
    /// `edges` has one axis and is in ascending order, which the call does not check. This is
    /// [`searchsorted_right`](Array::searchsorted_right) with the arguments exchanged.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[-3.0f32, 0.0, 5.0, 10.0])?;
    /// let edges = Array::from_slice(&stream, &[0.0, 5.0, 10.0])?;
    /// assert_eq!(x.digitize(&edges)?.to_vec()?, [0, 1, 2, 3]);
    /// assert_eq!(x.digitize_right(&edges)?.to_vec()?, [0, 0, 1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if `edges` has no or several axes, if memory runs out, or in the cases that
    /// [`eval`](Self::eval) lists.
    pub fn digitize(&self, edges: &Array<K>) -> Result<Array<usize>> {
        search(edges, self, Answer::Right)
    }

    /// Returns the number of each element's bin, as NumPy's `digitize` with `right=True` does: bin `i`
    /// has the elements `x` with `edges[i - 1] < x <= edges[i]`. See [`digitize`](Self::digitize).
    ///
    /// # Errors
    /// Returns an error in the cases that [`digitize`](Self::digitize) lists.
    pub fn digitize_right(&self, edges: &Array<K>) -> Result<Array<usize>> {
        search(edges, self, Answer::Left)
    }
}

impl<K: SortKey> Array<K> {
    /// Returns the number of each element's bin. See [`Expr::digitize`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`Expr::digitize`] lists.
    pub fn digitize(&self, edges: &Self) -> Result<Array<usize>> {
        self.expr().digitize(edges)
    }

    /// Returns the number of each element's bin, which includes its upper edge. See
    /// [`Expr::digitize_right`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`Expr::digitize_right`] lists.
    pub fn digitize_right(&self, edges: &Self) -> Result<Array<usize>> {
        self.expr().digitize_right(edges)
    }
}
