//! The operands of a kernel: their layout in the space of the kernel, and the parameters of a
//! launch.

mod vectors;

use std::sync::Arc;

use super::{
    leaf::{Indirect, LeafForm},
    plan::{Leaf, LeafSource, NodeAddress, Origin, Plan, Through},
    render::{Form, Slots},
    space::{Access, Space},
};
use crate::{
    array::{Layout, Memory, Shape},
    element::DataType,
    error::{Error, Result},
};

/// The destination of an expression's values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    pub(crate) memory: &'a Arc<Memory>,
    pub(crate) layout: Layout,
    pub(crate) data: DataType,
}

/// The operands that a kernel reads and writes: the leaves of a plan, then the targets.
#[derive(Debug)]
pub(super) struct Operands<'a> {
    plan: Plan,
    targets: &'a [Target<'a>],
    pub(super) space: Space,
    starts: Vec<Start>,
}

/// The start of an operand and the kind of its elements.
#[derive(Clone, Copy, Debug)]
struct Start {
    /// The address of the first element of memory, the first index for a leaf of indices, or the
    /// first block for random numbers.
    word: u64,
    size: usize,
    source: LeafSource,
    /// The key of random numbers.
    key: u64,
    /// Whether vectors are not aligned there.
    apart: bool,
    /// Indices that also determine the place of each element.
    through: Option<Through>,
}

impl<'a> Operands<'a> {
    /// Lays the operands out in a space of this shape, whose axes are traversed in this order,
    /// outermost first. Axes of different groups are not merged.
    pub(super) fn new(
        plan: Plan,
        shape: Shape,
        targets: &'a [Target<'a>],
        order: &[usize],
        group: impl Fn(usize) -> u8,
    ) -> Self {
        let count = plan.leaves.len() + targets.len();
        let mut strides = Vec::with_capacity(count);
        let mut starts = Vec::with_capacity(count);
        for leaf in &plan.leaves {
            strides.push(leaf.strides);
            starts.push(Start::of_leaf(leaf));
        }
        for target in targets {
            strides.push(target.layout.strides_padded());
            starts.push(Start::of_target(target));
        }
        Self {
            space: Space::new(shape.as_slice(), order, &strides, group),
            plan,
            targets,
            starts,
        }
    }

    /// Returns the leaves, which the kernel reads.
    pub(super) fn leaves(&self) -> &[Leaf] {
        &self.plan.leaves
    }

    /// Returns the memory that the kernel reads and writes.
    pub(super) fn memories(&self) -> impl Iterator<Item = &Arc<Memory>> + Clone {
        let read = self.plan.leaves.iter().filter_map(Leaf::memory);
        let read = read.chain(&self.plan.tables);
        read.chain(self.targets.iter().map(|target| target.memory))
    }

    /// Returns the operands in memory, with the number of each.
    pub(super) fn addresses(&self) -> impl Iterator<Item = (&Arc<Memory>, usize)> {
        let leaves = self.plan.leaves.iter().map(Leaf::memory);
        let targets = self.targets.iter().map(|target| Some(target.memory));
        let all = leaves.chain(targets).enumerate();
        all.filter_map(|(operand, memory)| Some((memory?, operand)))
    }

    /// Returns the nodes that the numbers come from, in the order of the numbers.
    pub(super) fn numbers(&self) -> impl Iterator<Item = NodeAddress> {
        self.plan.scalars.iter().map(|number| number.node)
    }

    /// Returns the size of a leaf's elements, if they are read from memory at their own places, before
    /// any reduction.
    pub(super) fn bytes_in_memory(&self, leaf: usize) -> Option<usize> {
        let start = &self.starts[leaf];
        let own = start.source == LeafSource::Memory && start.through.is_none();
        (own && !self.is_after(leaf)).then_some(start.size)
    }

    /// Returns whether a leaf's first element in memory has an address that is a multiple of this.
    pub(super) fn is_aligned(&self, leaf: usize, bytes: usize) -> bool {
        self.starts[leaf].word.is_multiple_of(bytes as u64)
    }

    /// Returns the size of an element of all results together, if these are dense, and each starts at a
    /// multiple of 16 bytes and has no elements of odd sizes.
    pub(super) fn dense_result_bytes(&self) -> Option<usize> {
        let first = self.plan.leaves.len();
        let mut bytes = 0;
        for operand in first..self.starts.len() {
            let size = self.starts[operand].size;
            let is_whole = size.is_power_of_two() && size <= 16 && self.is_aligned(operand, 16);
            if !is_whole || self.space.access(operand) != Access::Linear {
                return None;
            }
            bytes += size;
        }
        Some(bytes)
    }

    /// Returns the first leaf with the same strides as this one.
    fn like(&self, leaf: usize) -> Option<u16> {
        let has_indices = |leaf: usize| self.starts[leaf].through.is_some();
        let strides = &self.space.strides;
        let found = (0..leaf).find(|&other| {
            strides[other] == strides[leaf]
                && self.space.access(other) == self.space.access(leaf)
                && !has_indices(other)
        });
        found
            .filter(|_| !has_indices(leaf))
            .map(|other| other as u16)
    }

    /// Returns whether a leaf is only read for values that are computed from results of reductions or of a
    /// scan.
    pub(super) fn is_after(&self, leaf: usize) -> bool {
        let after = &self.plan.after;
        !after.roots.is_empty() && leaf >= after.leaves.into()
    }

    /// Returns whether leaves have places that indices determine.
    pub(super) fn has_indices(&self) -> bool {
        let mut starts = self.starts.iter();
        starts.any(|start| start.through.is_some())
    }

    /// Returns whether leaves are random numbers.
    pub(super) fn draws(&self) -> bool {
        let mut starts = self.starts.iter();
        starts.any(|start| start.source == LeafSource::Random)
    }

    /// Returns the form that the kernel is specialized for, with vectors of this many elements.
    /// Moves the plan's values into it.
    pub(super) fn form(&mut self, vector: usize) -> Form {
        let leaves = self.plan.leaves.iter().enumerate();
        let leaves = leaves.map(|(i, leaf)| LeafForm {
            late: self.is_after(i),
            like: self.like(i),
            data: leaf.data,
            access: self.space.access(i),
            source: leaf.origin.source(),
            apart: self.starts[i].apart,
            through: leaf.through.map(|through| Indirect {
                leaf: through.leaf,
                varies: self.space.inner_stride(through.leaf.into()) != 0,
            }),
        });
        let outputs = self.targets.iter().zip(self.plan.leaves.len()..);
        let outputs = outputs.map(|(target, i)| (target.data, stored(self.space.access(i))));
        Form {
            leaves: leaves.collect(),
            outputs: outputs.collect(),
            rank: self.space.rank().max(1) as u8,
            narrow: self.space.is_narrow(|i| {
                let through = self.starts[i].through;
                through.map_or(0, |through| through.stride.unsigned_abs() * through.length)
            }),
            vector: vector as u8,
            values: std::mem::take(&mut self.plan.values),
            roots: std::mem::take(&mut self.plan.roots),
            after: std::mem::take(&mut self.plan.after),
            stages: Vec::new(),
            kept: Vec::new(),
        }
    }

    /// Returns the parameter words of a launch of a kernel with this form: lengths, addresses,
    /// strides and numbers.
    pub(super) fn words(&self, form: &Form) -> Result<Vec<u64>> {
        let Slots {
            axes,
            leaves,
            indirect,
            outputs,
            scalars,
            keys,
            total,
        } = form.slots();
        // Every device accepts 4 KiB of parameters.
        if total > 500 {
            return Err(Error::Shape(format!(
                "internal error: too many arrays, strides and numbers for one kernel: {total} words, at most 500 are possible. \
                 Fix: evaluate parts of the expression first"
            )));
        }
        let space = &self.space;
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
        let accesses = form.leaves.iter().map(|leaf| leaf.access);
        let accesses = accesses.chain(form.outputs.iter().map(|&(_, access)| access));
        for (i, (access, slot)) in accesses.zip(leaves.iter().chain(&outputs)).enumerate() {
            words[*slot] = self.starts[i].word;
            if let Access::Strided(..) = access {
                for (axis, stride) in space.strides[i][..space.rank()].iter().enumerate() {
                    words[slot + 1 + axis] = *stride as u64;
                }
            }
        }
        for (start, slot) in self.starts.iter().zip(&indirect) {
            if let (Some(through), Some(slot)) = (start.through, slot) {
                words[*slot] = through.stride as u64;
                words[slot + 1] = through.length as u64;
            }
        }
        for (key, start) in keys.iter().zip(&self.starts) {
            if let Some(slot) = key {
                words[*slot] = start.key;
            }
        }
        for (place, (scalar, value)) in scalars.iter().zip(&self.plan.scalars).enumerate() {
            let end = scalars.get(place + 1).copied().unwrap_or(total);
            words[*scalar..end].copy_from_slice(&value.words[..end - scalar]);
        }
        Ok(words)
    }
}

impl Start {
    fn of_leaf(leaf: &Leaf) -> Self {
        let size = leaf.data.size();
        let (word, key) = match &leaf.origin {
            Origin::Memory(memory) => (memory.address() + (leaf.offset * size) as u64, 0),
            Origin::Place => (leaf.offset as u64, 0),
            Origin::Random(draw) => (draw.block, draw.key),
            Origin::Given(_) => (0, 0),
        };
        Self {
            word,
            size,
            source: leaf.origin.source(),
            key,
            apart: false,
            through: leaf.through,
        }
    }

    fn of_target(target: &Target<'_>) -> Self {
        let size = target.data.size();
        Self {
            word: target.memory.address() + (target.layout.offset * size) as u64,
            size,
            source: LeafSource::Memory,
            key: 0,
            apart: false,
            through: None,
        }
    }
}

/// Returns the number of the first elements at an address that come before a multiple of 16 bytes.
pub(crate) fn head(address: u64, element_bytes: usize, count: u64) -> u64 {
    let bytes = address.next_multiple_of(16) - address;
    (bytes / element_bytes as u64).min(count)
}

/// Returns the access pattern of a stored result. A result with one element for the whole space is
/// written linearly.
fn stored(access: Access) -> Access {
    match access {
        Access::Uniform => Access::Linear,
        other => other,
    }
}

/// Returns the factor and shift that `divide` of `kernels/array.cuh` needs for a divisor below
/// 2^31.
pub(super) fn magic(length: u64) -> u64 {
    if length == 0 || length >= 1 << 31 {
        return 0; // the 64-bit `divide` does not use it
    }
    let shift = u64::from(length.next_power_of_two().trailing_zeros());
    let factor = ((1u64 << 32) * ((1 << shift) - length)) / length + 1;
    factor | shift << 32
}

/// Returns the number of blocks of a grid.
///
/// # Errors
/// Returns [`Error::Shape`] if a grid can't have this many blocks.
pub(crate) fn grid(blocks: u64) -> Result<u32> {
    let fits = u32::try_from(blocks)
        .ok()
        .filter(|&blocks| blocks <= i32::MAX as u32);
    fits.ok_or_else(|| {
        Error::Shape(format!(
            "an array is too large for one kernel, which would need {blocks} blocks. Fix: process slices of it"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::{
        super::space::{Inner, Still},
        *,
    };

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
                // The kernel computes this in 32 bits.
                let high = (n * factor) >> 32;
                assert!(high + n <= u64::from(u32::MAX));
                assert_eq!((high + n) >> shift, n / length, "{n} / {length}");
            }
        }
    }

    #[test]
    fn lengths_that_can_not_be_multiplied_by_have_no_magic() {
        assert_eq!([0, 1 << 31, 1 << 40].map(magic), [0; 3]);
        assert_eq!([1, 2].map(magic), [1, 1 | 1 << 32]);
    }

    #[test]
    fn grids_are_as_large_as_devices_allow() {
        let most = i32::MAX as u64;
        assert_eq!(grid(most).unwrap(), i32::MAX as u32);
        assert_eq!(grid(0).unwrap(), 0);
        for blocks in [most + 1, 1 << 32] {
            let error = grid(blocks).unwrap_err().to_string();
            assert!(
                error.contains(&format!("would need {blocks} blocks")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_result_that_is_one_element_is_stored_as_one() {
        assert_eq!(stored(Access::Uniform), Access::Linear);
        assert_eq!(stored(Access::Linear), Access::Linear);
        let strided = Access::Strided(Inner::Next, Still::NONE);
        assert_eq!(stored(strided), strided);
    }

    #[test]
    fn a_launch_passes_at_most_4_kib() {
        let numbers = |count: usize| {
            let number = |value| super::super::plan::Number {
                words: crate::element::Words::of(value),
                node: NodeAddress::of(std::ptr::null()),
            };
            let value = |scalar: usize| super::super::plan::Value::Scalar {
                scalar: scalar as u16,
                data: DataType::U64,
            };
            let plan = Plan {
                values: (0..count).map(value).collect(),
                scalars: (0..count as u64).map(number).collect(),
                ..Plan::default()
            };
            let mut operands = Operands::new(plan, Shape::of(&[]), &[], &[], |_| 0);
            let form = operands.form(1);
            operands.words(&form)
        };
        // One word is the number of elements.
        let words = numbers(499).unwrap();
        assert_eq!((words.len(), &words[..3]), (500, &[1, 0, 1][..]));
        let error = numbers(500).unwrap_err().to_string();
        assert!(
            error.contains("501 words, at most 500 are possible"),
            "{error}"
        );
    }
}
