//! The grid, the block and other settings of a launch.

use std::fmt;

use super::LaunchAttributes;
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    code::function::Function,
    error::{Error, Result},
};

/// Three extents: those of a grid in blocks, or of a block in threads.
///
/// ```
/// use cuda_safe::Dim3;
///
/// let grid = Dim3::from((4, 2));
/// assert_eq!(grid, Dim3 { x: 4, y: 2, z: 1 });
/// assert_eq!(grid, [4, 2].into());
/// assert_eq!(grid.count(), 8);
/// assert_eq!(grid.to_string(), "4 x 2 x 1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim3 {
    /// The first extent, which varies fastest.
    pub x: u32,
    /// The second extent.
    pub y: u32,
    /// The third extent.
    pub z: u32,
}

impl Dim3 {
    /// Returns the product of the extents. It saturates.
    #[must_use]
    pub const fn count(self) -> u64 {
        // The product of three 32-bit numbers can need 96 bits.
        (self.x as u64 * self.y as u64).saturating_mul(self.z as u64)
    }

    /// The grid of a launch of no elements.
    pub(super) const NONE: Self = Self { x: 0, y: 0, z: 0 };

    /// Returns whether an extent is zero.
    pub(super) const fn is_empty(self) -> bool {
        self.x == 0 || self.y == 0 || self.z == 0
    }

    /// Returns whether a launch of this grid runs blocks. Returns `None` if it has none, and is not
    /// the grid of no elements.
    #[inline]
    pub(super) fn has_blocks(self) -> Option<bool> {
        match self.is_empty() {
            false => Some(true),
            true => (self == Self::NONE).then_some(false),
        }
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

impl From<[u32; 2]> for Dim3 {
    fn from([x, y]: [u32; 2]) -> Self {
        Self { x, y, z: 1 }
    }
}

impl From<[u32; 3]> for Dim3 {
    fn from([x, y, z]: [u32; 3]) -> Self {
        Self { x, y, z }
    }
}

/// Types that convert to a [`Dim3`]: `u32`, pairs and triples of `u32`, arrays of two or three `u32`,
/// and `Dim3`.
///
/// [`LaunchConfig::new`] takes them. The trait exists so that the compiler's message can explain
/// the conversion of other integers.
///
/// ```
/// use cuda_safe::{Dim3, launch::IntoDim3};
///
/// fn count(extents: impl IntoDim3) -> u64 {
///     let extents: Dim3 = extents.into();
///     extents.count()
/// }
/// assert_eq!(count(3) + count((4, 5)) + count([2, 2, 2]), 31);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number of blocks or threads",
    label = "expected a `u32`, `(u32, u32)` or `(u32, u32, u32)`",
    note = "`LaunchConfig::for_elements(n)` takes any integer type as the number of elements; otherwise, convert it: `n as u32`"
)]
pub trait IntoDim3: Into<Dim3> {}

// Otherwise the compiler's message would mention only `From`.
#[diagnostic::do_not_recommend]
impl<T: Into<Dim3>> IntoDim3 for T {}

impl fmt::Display for Dim3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {} x {}", self.x, self.y, self.z)
    }
}

/// The grid, the block and other settings of a launch.
///
/// ```
/// use cuda_safe::LaunchConfig;
///
/// let config = LaunchConfig::new((4, 2), (16, 16)).shared_bytes(1024);
/// assert_eq!(config.threads(), 4 * 2 * 256);
/// assert_eq!(LaunchConfig::new([4, 2], [16, 16]).shared_bytes(1024), config);
/// assert_eq!(LaunchConfig::for_elements(1000).grid.x, 4); // blocks of 256
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct LaunchConfig {
    /// The number of blocks in each dimension.
    pub grid: Dim3,
    /// The number of threads per block in each dimension.
    pub block: Dim3,
    /// The size in bytes of the dynamic shared memory of each block.
    pub shared_bytes: u32,
    /// Whether all blocks must be resident at once, so that they can wait for each other.
    pub cooperative: bool,
    /// The number of blocks per cluster in each dimension, if the launch uses clusters.
    pub cluster: Option<Dim3>,
    /// Optional launch attributes.
    pub attributes: Option<LaunchAttributes>,
}

/// A launch without attributes, clusters or cooperation. It has a fifth of [`LaunchConfig`]'s size,
/// whose copy would cost as much as half of the checks.
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
    /// The number of threads per block that [`for_elements`](Self::for_elements) uses.
    pub const ELEMENTS_PER_BLOCK: u32 = 256;

    /// Creates a configuration with `grid` blocks of `block` threads. Both are numbers, pairs or
    /// triples.
    ///
    /// A launch of a grid without blocks, such as the result of `n / 256` for a small `n`, returns
    /// an error of kind [`ErrorKind::LaunchArguments`]. [`for_elements`](Self::for_elements) rounds
    /// up, and accepts 0 elements.
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

    /// Creates a configuration with at least one thread per element, in blocks of 256 threads.
    ///
    /// If `elements` is 0, the grid has no blocks, and a launch does nothing. `elements` can be an
    /// integer of any type, such as the `usize` that `len()` returns. If it is negative, or larger
    /// than the number of threads in the largest grid (2^31 - 1 blocks), the launch returns an
    /// error of kind [`ErrorKind::LaunchArguments`] that gives this reason.
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

    /// Creates a configuration with at least one thread per element, in blocks of `block` threads.
    ///
    /// `elements` has the same meaning as in [`for_elements`](Self::for_elements).
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
        Self::with_blocks(u32::try_from(blocks).unwrap_or(Self::TOO_MANY), block)
    }

    /// Creates a configuration for a number of elements, which may be 0.
    fn with_blocks(blocks: u32, block: u32) -> Self {
        let grid = match blocks {
            0 => Dim3::NONE,
            blocks => Dim3::from(blocks),
        };
        Self::new(grid, block)
    }

    /// The number of blocks for more elements than any grid can hold. No device allows it.
    pub(super) const TOO_MANY: u32 = u32::MAX;

    /// Creates a configuration with the block size that gives the best occupancy for `function`.
    ///
    /// The grid fills the device, but is no larger than `elements` needs. Use this for kernels with
    /// a grid-stride loop. `elements` can be an integer of any type.
    ///
    /// See [`cuOccupancyMaxPotentialBlockSize`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__OCCUPANCY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if `elements` is negative or does not fit in 64 bits,
    /// and the errors of [`Function::best_block_size`].
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
            let negative = "the number of elements is negative, or does not fit in 64 bits";
            Error::invalid("LaunchConfig::for_occupancy", negative)
        })?;
        let best = function.best_block_size(0)?;
        let needed = elements.div_ceil(u64::from(best.block.max(1)));
        let grid = u64::from(best.min_grid).min(needed);
        Ok(Self::with_blocks(
            u32::try_from(grid).unwrap_or(u32::MAX),
            best.block,
        ))
    }

    /// Sets [`shared_bytes`](Self#structfield.shared_bytes), the dynamic shared memory of each
    /// block.
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

    /// Sets [`cooperative`](Self#structfield.cooperative): whether all blocks must be resident at
    /// once. Cooperative groups that span the grid require it.
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

    /// Sets [`cluster`](Self#structfield.cluster), the number of blocks per cluster.
    ///
    /// The blocks of a cluster run at the same time, can access each other's shared memory and can
    /// wait for each other. `blocks` is a number, a pair or a triple. Each extent must divide the
    /// grid's, and the product must be at most 8, or [more](crate::Function::max_cluster_size) if
    /// the device and the kernel allow it. Requires compute capability 9.0. A kernel that is
    /// declared with `__cluster_dims__` needs no setting.
    ///
    /// ```
    /// # use cuda_safe::{Context, LaunchConfig, Module, Out, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// // Each block writes its number to the next block of its cluster.
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

    /// Sets [`attributes`](Self#structfield.attributes), the optional launch attributes.
    ///
    /// ```
    /// use cuda_safe::{launch::LaunchAttributes, LaunchConfig};
    ///
    /// let config = LaunchConfig::new(4, 128).attributes(LaunchAttributes::default().priority(-1));
    /// assert_eq!(config.attributes.and_then(|attributes| attributes.priority), Some(-1));
    /// ```
    ///
    /// See [`cuLaunchKernelEx`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) in NVIDIA's manual.
    #[must_use]
    #[doc(alias = "cuLaunchKernelEx")]
    pub const fn attributes(mut self, attributes: LaunchAttributes) -> Self {
        self.attributes = Some(attributes);
        self
    }

    /// Returns whether the launch needs only the parameters of `cuLaunchKernel`.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        self.cluster.is_none() && self.attributes.is_none()
    }

    /// Returns the part that a plain launch needs, or `None` if the launch is not plain or is
    /// cooperative.
    #[inline]
    pub(super) fn plain(&self) -> Option<PlainConfig> {
        (self.is_plain() && !self.cooperative).then_some(PlainConfig {
            grid: self.grid,
            block: self.block,
            shared_bytes: self.shared_bytes,
        })
    }

    /// Returns the number of threads in all blocks.
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
    fn elements_can_have_any_integer_type() {
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
    fn extents_are_displayed() {
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
