//! Sorts of the values of expressions.

use std::sync::Arc;

use super::{
    kernel::Input,
    key::{Items, Keys},
    plan::{Plan, Queue, Results},
};
use crate::{
    array::{Array, Layout, Memory, Shape},
    element::{DataType, Element},
    error::Result,
    expression::{fused::Prepared, node::Node},
};

/// A sort that is about to be enqueued.
#[derive(Debug)]
pub(super) struct Job<'a> {
    pub(super) keys: Keys,
    pub(super) items: Items,
    /// The expression of the keys, and that of the items if they are values.
    pub(super) nodes: &'a [&'a Arc<Node>],
    /// The axis, or `None` to sort all elements in C order as one line.
    pub(super) axis: Option<usize>,
    pub(super) target: Target,
}

/// The destination of the sorted keys.
#[derive(Debug)]
pub(super) enum Target {
    /// New memory.
    New,
    /// None.
    Nowhere,
    /// The memory at this address, which may be that of the keys. The lines are contiguous there.
    Memory(Arc<Memory>, u64),
}

/// The results of a sort.
#[derive(Debug)]
pub(super) struct Sorted {
    keys: Option<Arc<Memory>>,
    items: Option<Arc<Memory>>,
    layout: Layout,
}

impl Sorted {
    /// Returns the keys of a job whose target is new memory.
    pub(super) fn keys<K: Element>(&self) -> Array<K> {
        let memory = self.keys.clone().expect("the keys have new memory");
        Array::of(memory, self.layout)
    }

    /// Returns the items of a job that has items.
    pub(super) fn items<V: Element>(&self) -> Array<V> {
        let memory = self.items.clone().expect("the sort has items");
        Array::of(memory, self.layout)
    }
}

/// Returns the axes in the order in which a sort along an axis reads them: the axis is innermost.
/// The others keep their order in memory.
pub(super) fn order_along(layout: &Layout, axis: usize) -> Vec<usize> {
    let axes = layout.axes();
    let others = axes.iter().copied().filter(|&other| other != axis);
    others.chain([axis]).collect()
}

impl Job<'_> {
    /// Enqueues the sort.
    pub(super) fn enqueue(self) -> Result<Sorted> {
        self.keep(None)
    }

    /// Enqueues the sort. If `kept` is given, the results have only that many elements of each line.
    pub(super) fn keep(self, kept: Option<usize>) -> Result<Sorted> {
        let mut prepared = Prepared::new(self.nodes)?;
        let shape = prepared.shape;
        // The order in which the elements are read, and the shape and order of the results.
        let (order, mut lengths, axes) = match self.axis {
            Some(axis) => {
                let order = order_along(&prepared.result_layout(), axis);
                (order.clone(), shape.as_slice().to_vec(), order)
            }
            None => ((0..shape.rank()).collect(), vec![shape.elements()], vec![0]),
        };
        let axis = self.axis.unwrap_or(0);
        let (elements, length) = (shape.elements(), lengths[axis]);
        let lines = elements.checked_div(length).unwrap_or(0);
        let hardware = *prepared.kernels.hardware();
        let writes_keys = !matches!(self.target, Target::Nowhere);
        let keys = (self.keys, writes_keys);
        let plan = Plan::new(&hardware, keys, self.items, lines as u64, length as u64);
        // A sort that can't keep less is cut afterwards.
        let written = match kept {
            Some(kept) if plan.can_keep() => kept.min(length),
            _ => length,
        };
        lengths[axis] = written;
        let layout = Layout::dense_along(Shape::of(&lengths), &axes);
        let memory = |data: DataType| prepared.memory(lines * written, data);
        let new_keys = match self.target {
            Target::New => Some(memory(self.keys.data)?),
            Target::Nowhere | Target::Memory(..) => None,
        };
        let items = self.items.result().map(memory).transpose()?;
        let address =
            |memory: &Option<Arc<Memory>>| memory.as_ref().map_or(0, |memory| memory.address());
        let results = Results {
            keys: match self.target {
                Target::Memory(_, address) => address,
                Target::New | Target::Nowhere => address(&new_keys),
            },
            items: address(&items),
        };
        if elements > 0 && written > 0 {
            let parts = plan.scratch();
            let mut scratch = Memory::new(
                &prepared.kernels,
                &prepared.stream,
                parts.bytes as usize,
                DataType::U8,
            )?;
            scratch
                .bytes_mut(0..parts.zeroed as usize)?
                .fill(&prepared.stream, 0)?;
            let fused = prepared.fuse_single(&order)?;
            let target = match &self.target {
                Target::Memory(memory, _) => Some(memory),
                Target::New | Target::Nowhere => None,
            };
            let memories: Vec<&Memory> = [new_keys.as_ref(), items.as_ref(), target]
                .into_iter()
                .flatten()
                .map(|memory| &**memory)
                .chain([&scratch])
                .collect();
            let queue = Queue {
                kernels: &prepared.kernels,
                stream: &prepared.stream,
                memories: &memories,
            };
            // SAFETY: the expressions have `lines * length` values. The results and the scratch memory
            // have the sizes of the plan, and the scratch memory has been zeroed as far as needed.
            // Only `sort_own` passes the memory of the keys as the target. Without items, every sort
            // can be in place.
            unsafe {
                plan.enqueue(
                    &queue,
                    &Input::Expression(&fused),
                    results,
                    written as u64,
                    scratch.address(),
                )?;
            }
        }
        Ok(Sorted {
            keys: new_keys,
            items,
            layout,
        })
    }
}
