//! How many blocks of how many threads.

use std::fmt;

use super::LaunchAttributes;
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    code::function::Function,
    error::{Error, Result},
};

/// Three extents: of a grid, in blocks, or of a block, in threads.
///
/// ```
/// use cuda_safe::Dim3;
///
/// let grid = Dim3::from((4, 2));
/// assert_eq!(grid, Dim3 { x: 4, y: 2, z: 1 });
/// assert_eq!(grid.count(), 8);
/// assert_eq!(grid.to_string(), "4 x 2 x 1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim3 {
    /// The extent that varies fastest.
    pub x: u32,
    /// The second extent.
    pub y: u32,
    /// The third extent.
    pub z: u32,
}

impl Dim3 {
    /// The product of the extents. It saturates.
    #[must_use]
    pub const fn count(self) -> u64 {
        // Three 32-bit numbers can make 96 bits.
        (self.x as u64 * self.y as u64).saturating_mul(self.z as u64)
    }

    /// Whether an extent is zero.
    pub(super) const fn is_empty(self) -> bool {
        self.x == 0 || self.y == 0 || self.z == 0
    }
}

impl From<u32> for Dim3 {
    fn from(x: u32) -> Self {
        Self { x, y: 1, z: 1 }
    }
}

impl From<(u32, u32)> for Dim3 {
    fn from((x, y): (u32, u32)) -> Self {
        Self { x, y, z: 1 }
    }
}

impl From<(u32, u32, u32)> for Dim3 {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Self { x, y, z }
    }
}

/// What [`LaunchConfig::new`] takes: all that becomes a [`Dim3`], which is a `u32`, a pair or a triple of them, or a
/// [`Dim3`]. The trait has a name of its own so that the compiler can say what to do about other integers.
///
/// ```
/// use cuda_safe::{Dim3, launch::IntoDim3};
///
/// fn count(extents: impl IntoDim3) -> u64 {
///     let extents: Dim3 = extents.into();
///     extents.count()
/// }
/// assert_eq!(count(3) + count((4, 5)), 23);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number of blocks or threads",
    label = "expected a `u32`, `(u32, u32)` or `(u32, u32, u32)`",
    note = "`LaunchConfig::for_elements(n)` takes a number of elements of any integer type; else convert it: `n as u32`"
)]
pub trait IntoDim3: Into<Dim3> {}

// Else the compiler would speak of `From` alone.
#[diagnostic::do_not_recommend]
impl<T: Into<Dim3>> IntoDim3 for T {}

impl fmt::Display for Dim3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {} x {}", self.x, self.y, self.z)
    }
}

/// How a kernel is launched: how many blocks, of how many threads.
///
/// ```
/// use cuda_safe::LaunchConfig;
///
/// let config = LaunchConfig::new((4, 2), (16, 16)).shared_bytes(1024);
/// assert_eq!(config.threads(), 4 * 2 * 256);
/// assert_eq!(LaunchConfig::for_elements(1000).grid.x, 4); // blocks of 256
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct LaunchConfig {
    /// Blocks in each dimension.
    pub grid: Dim3,
    /// Threads per block in each dimension.
    pub block: Dim3,
    /// Bytes of dynamic shared memory per block.
    pub shared_bytes: u32,
    /// Whether all blocks must be resident at once, so that they may wait for each other.
    pub cooperative: bool,
    /// Blocks of a cluster in each dimension, where there are clusters.
    pub cluster: Option<Dim3>,
    /// What else is asked for.
    pub attributes: Option<LaunchAttributes>,
}

/// A launch without attributes, clusters or cooperation. It has a fifth of [`LaunchConfig`]'s size,
/// whose copy would cost as much as the checks of a launch.
#[derive(Clone, Copy)]
pub(super) struct PlainConfig {
    pub(super) grid: Dim3,
    pub(super) block: Dim3,
    pub(super) shared_bytes: u32,
}

impl PlainConfig {
    pub(super) fn whole(self) -> LaunchConfig {
        LaunchConfig {
            shared_bytes: self.shared_bytes,
            ..LaunchConfig::new(self.grid, self.block)
        }
    }
}

impl LaunchConfig {
    /// Threads per block of [`for_elements`](Self::for_elements).
    pub const ELEMENTS_PER_BLOCK: u32 = 256;

    /// A grid of `grid` blocks with `block` threads each: numbers, pairs or triples.
    ///
    /// ```
    /// use cuda_safe::LaunchConfig;
    ///
    /// let config = LaunchConfig::new((80, 60), (8, 8, 2));
    /// assert_eq!((config.grid.y, config.grid.z), (60, 1));
    /// assert_eq!(config.block.count(), 128);
    /// ```
    pub fn new(grid: impl IntoDim3, block: impl IntoDim3) -> Self {
        Self {
            grid: grid.into(),
            block: block.into(),
            shared_bytes: 0,
            cooperative: false,
            cluster: None,
            attributes: None,
        }
    }

    /// At least one thread for each of `elements`, in blocks of 256 threads. For no elements there are no blocks, and
    /// nothing is launched.
    ///
    /// `elements` is an integer of any type, such as the `usize` that `len()` gives. For a negative number, or for
    /// more elements than a grid can have threads (2^31 - 1 blocks), the launch is refused with an error of kind
    /// [`ErrorKind::LaunchArguments`] that says so.
    ///
    /// ```
    /// use cuda_safe::LaunchConfig;
    ///
    /// assert_eq!(LaunchConfig::for_elements(1000), LaunchConfig::new(4, 256));
    /// assert_eq!(LaunchConfig::for_elements([1.5f32; 300].len()).grid.x, 2);
    /// assert_eq!(LaunchConfig::for_elements(0).threads(), 0);
    /// ```
    #[must_use]
    #[inline]
    pub fn for_elements(elements: impl TryInto<u64>) -> Self {
        Self::for_elements_in_blocks(elements, Self::ELEMENTS_PER_BLOCK)
    }

    /// At least one thread for each of `elements`, in blocks of `block` threads. For no elements there are no blocks.
    /// What was said of `elements` at [`for_elements`](Self::for_elements) holds here too.
    ///
    /// ```
    /// use cuda_safe::LaunchConfig;
    ///
    /// assert_eq!(LaunchConfig::for_elements_in_blocks(1000, 128), LaunchConfig::new(8, 128));
    /// ```
    #[must_use]
    #[inline]
    pub fn for_elements_in_blocks(elements: impl TryInto<u64>, block: u32) -> Self {
        let blocks = match elements.try_into() {
            Ok(elements) => elements.div_ceil(u64::from(block.max(1))),
            Err(_) => u64::MAX,
        };
        Self::new(u32::try_from(blocks).unwrap_or(Self::TOO_MANY), block)
    }

    /// Blocks for a number of elements that no grid is large enough for: more than any device allows.
    pub(super) const TOO_MANY: u32 = u32::MAX;

    /// Blocks of the size with the best occupancy for `function`: as many as fill the device, but no more than
    /// `elements` need. For kernels with a grid-stride loop. `elements` is an integer of any type.
    ///
    /// # Errors
    /// As [`Function::best_block_size`]. [`ErrorKind::InvalidArgument`] where `elements` is negative.
    ///
    /// ```
    /// # use cuda_safe::{Context, LaunchConfig, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let module = Module::compile(&context, r#"extern "C" __global__ void nothing() {}"#)?;
    /// let config = LaunchConfig::for_occupancy(&module.function("nothing")?, 10_000)?;
    /// assert_eq!(config.block.x % 32, 0); // whole warps
    /// assert!(config.threads() < 10_000 + u64::from(config.block.x)); // no more than needed
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuOccupancyMaxPotentialBlockSize")]
    pub fn for_occupancy(function: &Function, elements: impl TryInto<u64>) -> Result<Self> {
        let elements = elements.try_into().map_err(|_| {
            let negative = "the number of elements is negative, or more than 64 bits hold";
            Error::invalid("LaunchConfig::for_occupancy", negative)
        })?;
        let best = function.best_block_size(0)?;
        let needed = elements.div_ceil(u64::from(best.block.max(1)));
        let grid = u64::from(best.min_grid).min(needed);
        Ok(Self::new(
            u32::try_from(grid).unwrap_or(u32::MAX),
            best.block,
        ))
    }

    /// Sets [`shared_bytes`](Self#structfield.shared_bytes): bytes of dynamic shared memory per block.
    ///
    /// ```
    /// use cuda_safe::LaunchConfig;
    ///
    /// let config = LaunchConfig::new(4, 128).shared_bytes(2048).cooperative(true);
    /// assert_eq!(config.shared_bytes, 2048);
    /// assert!(config.cooperative);
    /// ```
    #[must_use]
    pub const fn shared_bytes(mut self, bytes: u32) -> Self {
        self.shared_bytes = bytes;
        self
    }

    /// Sets [`cooperative`](Self#structfield.cooperative): whether all blocks must be resident at once, as
    /// cooperative groups that span the grid require.
    ///
    /// ```
    /// # use cuda_safe::{Context, InOut, LaunchConfig, Module, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let source = r#"extern "C" __global__ void meet(int *x) {
    ///     atomicExch(&x[blockIdx.x], 1);
    ///     while (atomicAdd(&x[1 - blockIdx.x], 0) == 0) {} // until the other block is here
    /// }"#;
    /// let meet = Module::compile(&context, source)?.function("meet")?;
    /// let mut x = [0; 2];
    /// // SAFETY: two blocks of one thread, which write two ints.
    /// unsafe { meet.launch(&stream, LaunchConfig::new(2, 1).cooperative(true), (InOut(&mut x),))? };
    /// assert_eq!(x, [1, 1]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub const fn cooperative(mut self, cooperative: bool) -> Self {
        self.cooperative = cooperative;
        self
    }

    /// Sets [`cluster`](Self#structfield.cluster): how many blocks are a cluster, whose blocks run at the same time, reach
    /// each other's shared memory, and wait for each other. A number, a pair or a triple, whose product is at most 8
    /// ([more](crate::Function::max_cluster_size) where the device and the kernel allow it), and which divides the grid.
    /// From compute capability 9.0. A kernel that is declared with `__cluster_dims__` needs no setting.
    ///
    /// ```
    /// # use cuda_safe::{Context, LaunchConfig, Module, Out, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// // Each block tells the next one of its cluster its number.
    /// let source = r#"
    /// #include <cooperative_groups.h>
    /// extern "C" __global__ void around(unsigned *x) {
    ///     __shared__ unsigned from;
    ///     auto cluster = cooperative_groups::this_cluster();
    ///     const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    ///     *cluster.map_shared_rank(&from, next) = blockIdx.x;
    ///     cluster.sync();
    ///     x[blockIdx.x] = from;
    /// }"#;
    /// let around = Module::compile(&context, source)?.function("around")?;
    /// let mut x = [0u32; 8];
    /// // SAFETY: eight blocks write eight numbers.
    /// unsafe { around.launch(&stream, LaunchConfig::new(8, 1).cluster(4), (Out(&mut x),))? };
    /// assert_eq!(x, [3, 0, 1, 2, 7, 4, 5, 6]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION")]
    pub fn cluster(mut self, blocks: impl IntoDim3) -> Self {
        self.cluster = Some(blocks.into());
        self
    }

    /// Sets [`attributes`](Self#structfield.attributes): what else is asked for.
    ///
    /// ```
    /// use cuda_safe::{launch::LaunchAttributes, LaunchConfig};
    ///
    /// let config = LaunchConfig::new(4, 128).attributes(LaunchAttributes::default().priority(-1));
    /// assert_eq!(config.attributes.and_then(|attributes| attributes.priority), Some(-1));
    /// ```
    #[must_use]
    #[doc(alias = "cuLaunchKernelEx")]
    pub const fn attributes(mut self, attributes: LaunchAttributes) -> Self {
        self.attributes = Some(attributes);
        self
    }

    /// Whether `cuLaunchKernel` can say it all.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        self.cluster.is_none() && self.attributes.is_none()
    }

    /// The part that a plain launch needs; `None` if the launch is not plain, or cooperative.
    #[inline]
    pub(super) fn plain(&self) -> Option<PlainConfig> {
        (self.is_plain() && !self.cooperative).then_some(PlainConfig {
            grid: self.grid,
            block: self.block,
            shared_bytes: self.shared_bytes,
        })
    }

    /// The number of threads in all blocks.
    ///
    /// ```
    /// use cuda_safe::LaunchConfig;
    ///
    /// assert_eq!(LaunchConfig::new((80, 60), (8, 8)).threads(), 4800 * 64);
    /// ```
    #[must_use]
    pub const fn threads(&self) -> u64 {
        self.grid.count().saturating_mul(self.block.count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_covered_once() {
        assert_eq!(LaunchConfig::for_elements(0).grid.x, 0);
        assert_eq!(LaunchConfig::for_elements(1).grid.x, 1);
        assert_eq!(LaunchConfig::for_elements(256).grid.x, 1);
        assert_eq!(LaunchConfig::for_elements(257).grid.x, 2);
        assert_eq!(LaunchConfig::for_elements(u32::MAX).threads(), 1 << 32);
    }

    #[test]
    fn elements_are_counted_in_any_integer() {
        let four = LaunchConfig::new(4, 256);
        assert_eq!(LaunchConfig::for_elements(1000usize), four);
        assert_eq!(LaunchConfig::for_elements(1000u64), four);
        assert_eq!(LaunchConfig::for_elements(1000i32), four);
        assert_eq!(LaunchConfig::for_elements(200u8).grid.x, 1);
        let most = (i32::MAX as u64) * 256; // the largest grid of any device
        assert_eq!(LaunchConfig::for_elements(most).threads(), most);
        for blocks in [
            LaunchConfig::for_elements(u64::MAX),
            LaunchConfig::for_elements(-1),
            LaunchConfig::for_elements(u128::MAX),
            LaunchConfig::for_elements_in_blocks(1u64 << 40, 128),
        ] {
            assert_eq!(blocks.grid.x, LaunchConfig::TOO_MANY);
        }
    }

    #[test]
    fn counts_saturate() {
        let all = Dim3 {
            x: u32::MAX,
            y: u32::MAX,
            z: u32::MAX,
        };
        assert_eq!(all.count(), u64::MAX);
        assert_eq!(Dim3::from((2, 3, 4)).count(), 24);
    }

    #[test]
    fn extents_are_shown_and_chosen() {
        assert_eq!(Dim3::from((2, 3)).to_string(), "2 x 3 x 1");
        assert_eq!(Dim3::from(2).to_string(), "2 x 1 x 1");
        let config = LaunchConfig::new((2, 3), 32).shared_bytes(64);
        assert_eq!((config.threads(), config.shared_bytes), (192, 64));
        assert!(!config.cooperative && config.cooperative(true).cooperative);
        let blocks = LaunchConfig::for_elements_in_blocks(1000, 100);
        assert_eq!((blocks.grid.x, blocks.block.x), (10, 100));
        assert_eq!(LaunchConfig::for_elements_in_blocks(1000, 0).grid.x, 1000);
    }
}
