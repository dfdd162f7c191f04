//! The common properties of evaluations that differ only in their arrays' addresses and their numbers.

use std::{
    hash::{Hash, Hasher},
    mem::discriminant,
    sync::Arc,
};

use rustc_hash::FxHasher;

use super::{
    node::{Kind, Node},
    operands::Target,
    operation::Operation,
    reduction::Reduction,
    view::View,
};
use crate::{
    array::{Layout, MAX_RANK, Memory, Shape},
    element::{DataType, Words},
};

/// The maximum numbers of nodes, of arrays and of memories. Larger expressions have no signature.
const NODES: usize = 40;
const ARRAYS: usize = 16;
const MEMORIES: usize = 12;
/// The number of bytes to which addresses must have the same remainder. No kernel depends on more.
const ALIGNMENT: u64 = 32;

/// The nodes of an evaluation, in the order of a traversal that visits each node before its inputs.
///
/// If the [`Pattern`] of one evaluation fits another, both run the same kernels with the same
/// parameters, except for addresses and numbers.
pub(super) struct Signature<'a> {
    visits: Few<Visit<'a>, NODES>,
    arrays: Few<At, ARRAYS>,
    memories: Few<Option<Used<'a>>, MEMORIES>,
    target: Option<(&'a Layout, DataType)>,
    hash: u64,
}

/// A visit of a node.
#[derive(Clone, Copy)]
enum Visit<'a> {
    First(&'a Arc<Node>),
    /// The node that another visit, with this number, reached first.
    Again(u8),
}

/// The first element of an array, in bytes from that of the first array in the same memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct At {
    memory: u8,
    distance: u64,
}

/// Memory that an evaluation uses, and the address of the first element there of its first array.
#[derive(Clone, Copy)]
pub(super) struct Used<'a> {
    pub(super) memory: &'a Arc<Memory>,
    pub(super) address: u64,
}

/// A list of few items that needs no allocation.
struct Few<T, const N: usize> {
    items: [T; N],
    count: usize,
}

impl<T: Copy, const N: usize> Few<T, N> {
    /// Creates an empty list. The rest of the list has some value.
    const fn new(rest: T) -> Self {
        Self {
            items: [rest; N],
            count: 0,
        }
    }

    /// Returns `None` if the list is full.
    fn push(&mut self, item: T) -> Option<()> {
        *self.items.get_mut(self.count)? = item;
        self.count += 1;
        Some(())
    }

    fn pop(&mut self) -> Option<T> {
        self.count = self.count.checked_sub(1)?;
        Some(self.items[self.count])
    }

    fn as_slice(&self) -> &[T] {
        &self.items[..self.count]
    }
}

impl<'a> Signature<'a> {
    /// Creates an empty signature for [`read`](Self::read).
    pub(super) const fn new() -> Self {
        Self {
            visits: Few::new(Visit::Again(0)),
            arrays: Few::new(At {
                memory: 0,
                distance: 0,
            }),
            memories: Few::new(None),
            target: None,
            hash: 0,
        }
    }

    /// Makes this the signature of the evaluation of `roots`, into `target` if there is one. Returns
    /// `None` if there are too many nodes, random numbers, scans or tables.
    pub(super) fn read(
        &mut self,
        roots: &[&'a Arc<Node>],
        target: Option<&'a Target<'a>>,
    ) -> Option<&Self> {
        let signature = self;
        let mut hasher = FxHasher::default();
        if let Some(Target {
            memory,
            layout,
            data,
        }) = target
        {
            signature.use_array(memory, layout, *data)?;
            signature.target = Some((layout, *data));
            hash_layout(layout, &mut hasher);
        }
        let mut waiting = Few::<Option<&Arc<Node>>, NODES>::new(None);
        for root in roots {
            waiting.push(Some(root))?;
            while let Some(node) = waiting.pop().flatten() {
                // A node with one reference has one user.
                let may_be_known = roots.len() > 1 || Arc::strong_count(node) > 1;
                if may_be_known && let Some(first) = signature.visit_of(Arc::as_ptr(node)) {
                    signature.visits.push(Visit::Again(first as u8))?;
                    hasher.write_usize(first);
                    continue;
                }
                signature.visits.push(Visit::First(node))?;
                signature.enter(node, &mut hasher)?;
                for input in node.inputs().iter().rev() {
                    waiting.push(Some(input))?;
                }
            }
        }
        signature.arrays.as_slice().hash(&mut hasher);
        for used in signature.memories() {
            hasher.write_u64(used.address % ALIGNMENT);
        }
        signature.hash = hasher.finish();
        Some(signature)
    }

    fn enter(&mut self, node: &'a Arc<Node>, hasher: &mut FxHasher) -> Option<()> {
        // Everything that `Pattern::fits` compares, because of two evaluations with one hash only the
        // later one is kept.
        discriminant(&node.kind).hash(hasher);
        node.data.hash(hasher);
        match &node.kind {
            Kind::Array(memory, layout) => {
                self.use_array(memory, layout, node.data)?;
                hash_layout(layout, hasher);
            }
            Kind::Taken(taken) => {
                self.use_array(&taken.memory, &taken.layout, node.data)?;
                let (memory, layout, data) = &taken.indices;
                self.use_array(memory, layout, *data)?;
                hash_layout(&taken.layout, hasher);
                hash_layout(layout, hasher);
            }
            Kind::Apply(operation, _) => operation.hash(hasher),
            Kind::Reduce(reduction, _) => reduction.hash(hasher),
            Kind::View(view, _) => view.hash(hasher),
            Kind::Place(layout) => hash_layout(layout, hasher),
            Kind::Scalar(_) => {}
            Kind::Random(_) | Kind::Lookup(_) | Kind::Scan(..) => return None,
        }
        Some(())
    }

    fn use_array(
        &mut self,
        memory: &'a Arc<Memory>,
        layout: &Layout,
        data: DataType,
    ) -> Option<()> {
        let address = memory.address() + (layout.offset * data.size()) as u64;
        let is_same = |used: &Used<'_>| Arc::ptr_eq(used.memory, memory);
        let known = self.memories().enumerate().find(|(_, used)| is_same(used));
        let (place, first) = match known {
            Some((place, used)) => (place, used.address),
            None => {
                self.memories.push(Some(Used { memory, address }))?;
                (self.memories.count - 1, address)
            }
        };
        self.arrays.push(At {
            memory: place as u8,
            distance: address.wrapping_sub(first),
        })
    }

    /// Returns the number of the first visit of a node.
    fn visit_of(&self, wanted: *const Node) -> Option<usize> {
        self.visits
            .as_slice()
            .iter()
            .position(|visit| matches!(visit, Visit::First(node) if Arc::as_ptr(node) == wanted))
    }

    pub(super) fn hash(&self) -> u64 {
        self.hash
    }

    /// Returns the memory of the first array.
    pub(super) fn first_memory(&self) -> Option<&'a Arc<Memory>> {
        self.memories().next().map(|used| used.memory)
    }

    /// Returns the memory with this number.
    pub(super) fn memory(&self, place: u8) -> Option<Used<'a>> {
        *self.memories.as_slice().get(usize::from(place))?
    }

    pub(super) fn memories(&self) -> impl Iterator<Item = Used<'a>> {
        self.memories.as_slice().iter().flatten().copied()
    }

    /// Returns the numbers, with the number of the visit of each and its node.
    pub(super) fn numbers(&self) -> impl Iterator<Item = (u8, *const Node)> {
        let visits = self.visits.as_slice().iter().zip(0..);
        visits.filter_map(|(visit, at)| match visit {
            Visit::First(node) if matches!(node.kind, Kind::Scalar(_)) => {
                Some((at, Arc::as_ptr(node)))
            }
            _ => None,
        })
    }

    /// Returns the number at a visit.
    pub(super) fn number(&self, visit: u8) -> Option<&'a Words> {
        match self.visits.as_slice().get(usize::from(visit))? {
            Visit::First(node) => match &node.kind {
                Kind::Scalar(words) => Some(words),
                _ => None,
            },
            Visit::Again(_) => None,
        }
    }
}

fn hash_layout(layout: &Layout, hasher: &mut FxHasher) {
    for &length in layout.shape.as_slice() {
        hasher.write_usize(length);
    }
    for &stride in layout.strides() {
        hasher.write_isize(stride);
    }
}

/// A signature without references.
#[derive(Debug)]
pub(super) struct Pattern {
    steps: Box<[Step]>,
    arrays: Box<[At]>,
    /// The remainder of each memory's address.
    remainders: Box<[u64]>,
    target: Option<(Spread, DataType)>,
}

/// A visit of a node.
#[derive(Debug)]
enum Step {
    Again(u8),
    First(Box<Seen>),
}

/// Everything of a node that affects the kernels and their parameters.
#[derive(Debug)]
struct Seen {
    part: Part,
    data: DataType,
    shape: Option<Shape>,
}

#[derive(Debug)]
enum Part {
    Array(Spread),
    Scalar,
    Taken {
        table: Spread,
        axis: usize,
        indices: Spread,
        index: DataType,
    },
    Place(Layout),
    Apply(Operation, usize),
    Reduce(Reduction),
    View(View),
}

/// A layout without its offset.
#[derive(Debug)]
struct Spread(Shape, [isize; MAX_RANK]);

impl Spread {
    fn of(layout: &Layout) -> Self {
        Self(layout.shape, layout.strides_padded())
    }

    fn fits(&self, layout: &Layout) -> bool {
        self.0 == layout.shape && self.1[..self.0.rank()] == *layout.strides()
    }
}

impl Pattern {
    /// Returns `None` for kinds of nodes that no signature has.
    pub(super) fn of(signature: &Signature<'_>) -> Option<Self> {
        let steps = signature.visits.as_slice().iter().map(|visit| match visit {
            Visit::Again(first) => Some(Step::Again(*first)),
            Visit::First(node) => Some(Step::First(Box::new(Seen {
                part: Part::of(&node.kind)?,
                data: node.data,
                shape: node.shape.as_ref().ok().copied(),
            }))),
        });
        let remainders = signature.memories().map(|used| used.address % ALIGNMENT);
        Some(Self {
            steps: steps.collect::<Option<_>>()?,
            arrays: signature.arrays.as_slice().into(),
            remainders: remainders.collect(),
            target: signature
                .target
                .map(|(layout, data)| (Spread::of(layout), data)),
        })
    }

    /// Returns whether an evaluation with this signature has the same kernels and parameters as the
    /// one that the pattern is of, except for addresses and numbers.
    pub(super) fn fits(&self, signature: &Signature<'_>) -> bool {
        let target = match (&self.target, &signature.target) {
            (Some((spread, data)), Some((layout, other))) => data == other && spread.fits(layout),
            (own, other) => own.is_none() && other.is_none(),
        };
        let remainders = signature.memories().map(|used| used.address % ALIGNMENT);
        target
            && self.steps.len() == signature.visits.count
            && *self.arrays == *signature.arrays.as_slice()
            && self.remainders.iter().copied().eq(remainders)
            && self
                .steps
                .iter()
                .zip(signature.visits.as_slice())
                .all(|(step, visit)| step.fits(*visit))
    }
}

impl Step {
    fn fits(&self, visit: Visit<'_>) -> bool {
        match (self, visit) {
            (Self::Again(first), Visit::Again(other)) => *first == other,
            (Self::First(seen), Visit::First(node)) => {
                seen.data == node.data
                    && seen.shape.as_ref() == node.shape.as_ref().ok()
                    && seen.part.fits(&node.kind)
            }
            _ => false,
        }
    }
}

impl Part {
    fn of(kind: &Kind) -> Option<Self> {
        Some(match kind {
            Kind::Array(_, layout) => Self::Array(Spread::of(layout)),
            Kind::Scalar(_) => Self::Scalar,
            Kind::Taken(taken) => Self::Taken {
                table: Spread::of(&taken.layout),
                axis: taken.axis,
                indices: Spread::of(&taken.indices.1),
                index: taken.indices.2,
            },
            Kind::Place(layout) => Self::Place(*layout),
            Kind::Apply(operation, inputs) => Self::Apply(operation.clone(), inputs.len()),
            Kind::Reduce(reduction, _) => Self::Reduce(reduction.clone()),
            Kind::View(view, _) => Self::View(view.clone()),
            Kind::Random(_) | Kind::Lookup(_) | Kind::Scan(..) => return None,
        })
    }

    fn fits(&self, kind: &Kind) -> bool {
        match (self, kind) {
            (Self::Array(spread), Kind::Array(_, layout)) => spread.fits(layout),
            (Self::Scalar, Kind::Scalar(_)) => true,
            (
                Self::Taken {
                    table,
                    axis,
                    indices,
                    index,
                },
                Kind::Taken(taken),
            ) => {
                let (_, layout, data) = &taken.indices;
                table.fits(&taken.layout)
                    && *axis == taken.axis
                    && indices.fits(layout)
                    && index == data
            }
            (Self::Place(own), Kind::Place(layout)) => own == layout,
            (Self::Apply(own, count), Kind::Apply(operation, inputs)) => {
                *count == inputs.len() && own == operation
            }
            (Self::Reduce(own), Kind::Reduce(reduction, _)) => own == reduction,
            (Self::View(own), Kind::View(view, _)) => own == view,
            _ => false,
        }
    }
}
