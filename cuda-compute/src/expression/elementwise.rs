//! Kernels that compute expressions element by element.

use std::{ffi::c_void, sync::Arc};

use cuda_safe::{LaunchConfig, Stream};

use super::{
    hashed::Hashed,
    plan::{Leaf, Origin, Plan},
    render::{Form, LeafForm, Slots, Source as LeafSource},
    space::{Access, Space},
    tile,
};
use crate::{
    array::{Layout, MAX_RANK, Memory, Shape},
    element::DataType,
    error::{Error, Result},
    kernel::{Kernels, Source, Specialisation},
    order::ordered,
};

/// Where the values of an expression go.
#[derive(Debug)]
pub(crate) struct Target<'a> {
    pub(crate) memory: &'a Arc<Memory>,
    pub(crate) layout: Layout,
    pub(crate) data: DataType,
}

/// A kernel for one form of expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Elementwise {
    form: Hashed<Form>,
    unroll: u8,
}

const THREADS: u32 = 256;
const TEXT: &str = include_str!("../kernels/elementwise.cu");

impl Specialisation for Elementwise {
    fn source(&self) -> Source {
        with_headers(
            Source::new("elementwise.cu", TEXT, "elementwise"),
            &self.form,
        )
        .define("THREADS", THREADS)
        .define("UNROLL", self.unroll)
    }
}

/// The headers that every kernel of an expression includes.
pub(super) fn with_headers(source: Source, form: &Form) -> Source {
    source
        .header("scalar.cuh", include_str!("../kernels/scalar.cuh"))
        .header("array.cuh", include_str!("../kernels/array.cuh"))
        .header("complex.cuh", include_str!("../kernels/complex.cuh"))
        .header("random.cuh", include_str!("../kernels/random.cuh"))
        .header("expression.cuh", form.header())
}

/// Enqueues a kernel that computes the plan's values and stores them in the targets, one for each of its roots.
pub(super) fn run(
    kernels: &Kernels,
    stream: &Stream,
    plan: Plan,
    shape: Shape,
    targets: &[Target<'_>],
) -> Result<()> {
    if shape.elements() == 0 {
        return Ok(());
    }
    let (prepared, leaves) = prepare(plan, shape, targets)?;
    let owners = leaves.iter().filter_map(Leaf::memory);
    let owners = owners.chain(targets.iter().map(|target| target.memory));
    match prepared {
        Prepared::Straight(kernel, blocks, mut words) => {
            let kernel = kernels.get(&kernel)?;
            let pointers = &mut [words.as_mut_ptr().cast()];
            launch(
                &kernel,
                stream,
                LaunchConfig::new(blocks, THREADS),
                pointers,
                owners,
            )
        }
        Prepared::Turned((tile, blocks, mut words, mut lengths)) => {
            let kernel = kernels.get(&tile)?;
            let pointers = &mut [words.as_mut_ptr().cast(), lengths.as_mut_ptr().cast()];
            launch(
                &kernel,
                stream,
                LaunchConfig::new(blocks, tile.threads()),
                pointers,
                owners,
            )
        }
    }
}

/// A kernel and what it is launched with.
#[derive(Debug)]
pub(super) enum Prepared {
    /// The kernel, its blocks and its words.
    Straight(Elementwise, u32, Vec<u64>),
    Turned(tile::Launch),
}

/// Chooses the kernel; the leaves are given back, since they hold the memory.
pub(super) fn prepare(
    plan: Plan,
    shape: Shape,
    targets: &[Target<'_>],
) -> Result<(Prepared, Vec<Leaf>)> {
    // In the order in which the first result lies in memory.
    let mut order = targets[0].layout.axes_by_density();
    let order = &mut order[..shape.rank()];
    order.reverse();
    let mut strides: Vec<[isize; MAX_RANK]> = plan.leaves.iter().map(|leaf| leaf.strides).collect();
    strides.extend(targets.iter().map(|target| target.layout.strides_padded()));
    let space = Space::new(shape.as_slice(), order, &strides, |_| 0);
    let starts: Vec<Start> = plan
        .leaves
        .iter()
        .map(Start::of_leaf)
        .chain(targets.iter().map(Start::of_target))
        .collect();
    let vector = vector_width(&space, &starts);
    let leaves = plan.leaves.len();
    let form = Form {
        leaves: leaf_forms(&plan.leaves, &space),
        outputs: (leaves..starts.len())
            .zip(targets)
            .map(|(i, target)| (target.data, stored(space.access(i))))
            .collect(),
        rank: space.rank().max(1) as u8,
        narrow: space.is_narrow(),
        vector,
        values: plan.values,
        roots: plan.roots,
        stages: Vec::new(),
    };
    if vector == 1
        && let Some(launch) = tile::prepare(&form, &space, &starts, &plan.scalars, shape)?
    {
        return Ok((Prepared::Turned(launch), plan.leaves));
    }
    let words = words(&form, &space, &starts, &plan.scalars)?;
    let vectors = space.elements() as u64 / u64::from(vector);
    let unroll = unroll(vectors, starts.len());
    let per_block = u64::from(THREADS) * u64::from(unroll);
    let blocks = grid(vectors.div_ceil(per_block).max(1), shape)?;
    let kernel = Elementwise {
        form: Hashed::new(form),
        unroll,
    };
    Ok((Prepared::Straight(kernel, blocks, words), plan.leaves))
}

/// The number of blocks, if a grid can have so many.
pub(super) fn grid(blocks: u64, shape: Shape) -> Result<u32> {
    let fits = u32::try_from(blocks)
        .ok()
        .filter(|&blocks| blocks <= i32::MAX as u32);
    fits.ok_or_else(|| {
        Error::Shape(format!(
            "an array of shape {shape} is too large for one kernel"
        ))
    })
}

/// Enqueues a kernel whose parameters these are.
fn launch<'a>(
    kernel: &cuda_safe::Function,
    stream: &Stream,
    config: LaunchConfig,
    pointers: &mut [*mut c_void],
    owners: impl Iterator<Item = &'a Arc<Memory>> + Clone,
) -> Result<()> {
    ordered(stream, owners.map(|memory| Some(memory.owner())), || {
        // SAFETY: the kernel was written for these words, which are its parameters; it reads and writes elements of
        // arrays within their layouts, which lie within their memory. Ordered with the streams of all of them.
        unsafe { kernel.launch_raw(stream, config, pointers)? };
        Ok(())
    })
}

/// Where an operand begins, and what its elements are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    /// The address of the first element; for places, the place itself; for random numbers, the first block.
    pub(super) word: u64,
    pub(super) size: usize,
    pub(super) source: LeafSource,
    /// Of random numbers.
    pub(super) key: u64,
}

impl Start {
    pub(super) fn of_leaf(leaf: &Leaf) -> Self {
        let size = leaf.data.size();
        let source = leaf.origin.source();
        let (word, key) = match &leaf.origin {
            Origin::Memory(memory) => (memory.address() + (leaf.offset * size) as u64, 0),
            Origin::Place => (leaf.offset as u64, 0),
            Origin::Random(draw) => (draw.block, draw.key),
            Origin::Given(_) => (0, 0),
        };
        Self {
            word,
            size,
            source,
            key,
        }
    }

    pub(super) fn of_target(target: &Target<'_>) -> Self {
        let size = target.data.size();
        Self {
            word: target.memory.address() + (target.layout.offset * size) as u64,
            size,
            source: LeafSource::Memory,
            key: 0,
        }
    }

    fn is_memory(&self) -> bool {
        self.source == LeafSource::Memory
    }
}

/// The largest number of elements that a thread can handle at once: 16 bytes of the largest type, while all vectors are
/// aligned and none ends within a row. A block of random numbers is worth 32 bytes: it costs more than they do.
pub(super) fn vector_width(space: &Space, starts: &[Start]) -> u8 {
    let memory = starts.iter().filter(|start| start.is_memory());
    let largest = memory.map(|start| start.size).max();
    let random = starts
        .iter()
        .filter(|start| start.source == LeafSource::Random);
    let block = random.map(|start| 16 / start.size).max();
    let mut width = match (largest, block) {
        (Some(largest), block) => (16 / largest).max(block.unwrap_or(1).min(32 / largest)),
        (None, block) => block.unwrap_or(1),
    };
    let fits = |width: usize| {
        // Ends within a vector are handled where there are no rows.
        (space.rank() <= 1 || space.inner().is_multiple_of(width))
            && starts.iter().enumerate().all(|(i, start)| {
                let strides = &space.strides[i][..space.rank()];
                match space.inner_stride(i) {
                    0 => true,
                    1 => {
                        let outer = &strides[..strides.len() - 1];
                        let whole = || outer.iter().all(|stride| stride % width as isize == 0);
                        match start.source {
                            LeafSource::Memory => {
                                start.word.is_multiple_of((width * start.size) as u64) && whole()
                            }
                            LeafSource::Random => whole(),
                            LeafSource::Place | LeafSource::Given => true,
                        }
                    }
                    _ => false,
                }
            })
    };
    while width > 1 && !fits(width) {
        width /= 2;
    }
    width as u8
}

/// A result that is the same element for all is one element.
pub(super) fn stored(access: Access) -> Access {
    match access {
        Access::Uniform => Access::Linear,
        other => other,
    }
}

pub(super) fn leaf_forms(leaves: &[Leaf], space: &Space) -> Vec<LeafForm> {
    let leaves = leaves.iter().enumerate();
    leaves
        .map(|(i, leaf)| LeafForm {
            data: leaf.data,
            access: space.access(i),
            source: leaf.origin.source(),
        })
        .collect()
}

/// What the launch passes.
pub(super) fn words(
    form: &Form,
    space: &Space,
    starts: &[Start],
    scalars: &[[u64; 2]],
) -> Result<Vec<u64>> {
    let Slots {
        axes,
        leaves,
        outputs,
        scalars: places,
        keys,
        total,
    } = form.slots();
    // 4 KiB are what every device takes as parameters.
    if total > 500 {
        return Err(Error::Shape(format!(
            "an expression has too many arrays, strides and numbers for one kernel ({total} words of 500): evaluate \
             parts of it first"
        )));
    }
    let mut words = vec![0; total];
    words[0] = space.elements() as u64;
    for axis in 1..space.rank() {
        let mut length = space.lengths[axis];
        if axis + 1 == space.rank() {
            length /= usize::from(form.vector);
        }
        let slot = axes + Form::AXIS * (axis - 1);
        words[slot] = length as u64;
        words[slot + 1] = magic(length as u64);
    }
    let accesses = form
        .leaves
        .iter()
        .map(|leaf| leaf.access)
        .chain(form.outputs.iter().map(|&(_, access)| access));
    for (i, (access, slot)) in accesses.zip(leaves.iter().chain(&outputs)).enumerate() {
        words[*slot] = starts[i].word;
        if let Access::Strided(_) = access {
            for (axis, stride) in space.strides[i][..space.rank()].iter().enumerate() {
                words[slot + 1 + axis] = *stride as u64;
            }
        }
    }
    for (key, start) in keys.iter().zip(starts) {
        if let Some(slot) = key {
            words[*slot] = start.key;
        }
    }
    for (place, scalar) in places.iter().enumerate() {
        let end = places.get(place + 1).copied().unwrap_or(total);
        words[*scalar..end].copy_from_slice(&scalar_words(scalars, place)[..end - scalar]);
    }
    Ok(words)
}

fn scalar_words(scalars: &[[u64; 2]], place: usize) -> [u64; 2] {
    scalars[place]
}

/// What `divide` of `kernels/array.cuh` needs for a divisor below 2^31.
fn magic(length: u64) -> u64 {
    if length == 0 || length >= 1 << 31 {
        return 0; // divided by itself
    }
    let shift = u64::from(length.next_power_of_two().trailing_zeros());
    let factor = ((1u64 << 32) * ((1 << shift) - length)) / length + 1;
    factor | shift << 32
}

/// Vectors of a thread: as many as keep the memory busy, once there are enough for all multiprocessors.
fn unroll(vectors: u64, operands: usize) -> u8 {
    if vectors < 1 << 17 {
        1
    } else if operands <= 4 {
        4
    } else {
        2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(lengths: &[usize], strides: &[[isize; MAX_RANK]]) -> Space {
        let order: Vec<usize> = (0..lengths.len()).collect();
        Space::new(lengths, &order, strides, |_| 0)
    }

    #[test]
    fn division_by_multiplication_is_exact() {
        for length in (1..=2000).chain([4096, 65_535, 65_537, (1 << 31) - 1, 1 << 30, 1_000_003]) {
            let magic = magic(length);
            let (factor, shift) = (magic & 0xffff_ffff, magic >> 32);
            let near = [
                0,
                1,
                length - 1,
                length,
                length + 1,
                2 * length - 1,
                1 << 20,
                (1 << 31) - 1,
            ];
            let multiples = (1..50).map(|k| (1 << 31) / length * length / k);
            for n in near.into_iter().chain(multiples).filter(|n| n >> 31 == 0) {
                // As the kernel computes, in 32 bits.
                let high = (n * factor) >> 32;
                assert!(high + n <= u64::from(u32::MAX));
                assert_eq!((high + n) >> shift, n / length, "{n} / {length}");
            }
        }
    }

    #[test]
    fn a_block_of_random_numbers_is_used_whole() {
        let start = |source, size| Start {
            word: 1 << 20,
            size,
            source,
            key: 0,
        };
        let random = |size| start(LeafSource::Random, size);
        let memory = |size| start(LeafSource::Memory, size);
        let width = |length: usize, starts: &[Start]| {
            let mut strides = [0; MAX_RANK];
            strides[0] = 1;
            let operands = vec![strides; starts.len()];
            vector_width(&space(&[length], &operands), starts)
        };
        assert_eq!(width(100, &[random(4)]), 4);
        assert_eq!(width(100, &[random(8)]), 2);
        assert_eq!(width(100, &[random(4), memory(4)]), 4);
        assert_eq!(width(100, &[random(4), memory(8)]), 4);
        assert_eq!(width(100, &[random(8), memory(8)]), 2);
        assert_eq!(width(100, &[random(4), memory(16)]), 2);
        assert_eq!(width(100, &[random(4), memory(1)]), 16);
        assert_eq!(width(100, &[start(LeafSource::Place, 8), memory(8)]), 2);
        // Rows of six of eight: two at once.
        let (mut dense, mut rows) = ([0; MAX_RANK], [0; MAX_RANK]);
        dense[..2].copy_from_slice(&[6, 1]);
        rows[..2].copy_from_slice(&[8, 1]);
        let space = space(&[5, 6], &[dense, rows]);
        assert_eq!(vector_width(&space, &[random(4), memory(4)]), 2);
    }
}
