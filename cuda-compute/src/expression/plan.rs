//! The nodes of a graph, in the order in which a kernel computes them.

use std::{ops::Deref, sync::Arc};

use rustc_hash::FxHashMap;

use super::{
    node::{Draw, Kind, Node, Taken},
    operation::Operation,
};
use crate::{
    array::{Axes, Layout, MAX_RANK, Memory, Order, Shape},
    element::{DataType, Words},
    error::{Error, Result},
};

/// The maximum number of values in one kernel. More values would take too long to compile.
pub(super) const MAX_VALUES: usize = 1000;
/// The maximum number of arrays that one kernel reads.
const MAX_LEAVES: usize = 60;
/// The maximum number of words that a kernel takes for its operands and scalars. It leaves room for
/// the lengths of the axes.
const MAX_WORDS: usize = 480;

/// A value of a plan. Inputs are indices of values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    /// Loads an element of a leaf.
    Load { leaf: u16, data: DataType },
    /// A number that the launch passes.
    Scalar { scalar: u16, data: DataType },
    /// Applies an operation to values.
    Apply {
        operation: Operation,
        inputs: Inputs,
        data: DataType,
    },
}

/// The indices of an operation's inputs. A closure has the most, which is six.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Inputs {
    count: u8,
    places: [u16; 6],
}

impl FromIterator<u16> for Inputs {
    fn from_iter<I: IntoIterator<Item = u16>>(places: I) -> Self {
        let mut inputs = Self::default();
        for place in places {
            inputs.places[usize::from(inputs.count)] = place;
            inputs.count += 1;
        }
        inputs
    }
}

impl Deref for Inputs {
    type Target = [u16];

    fn deref(&self) -> &[u16] {
        &self.places[..self.count.into()]
    }
}

impl Value {
    pub(crate) fn data(&self) -> DataType {
        match *self {
            Self::Load { data, .. } | Self::Scalar { data, .. } | Self::Apply { data, .. } => data,
        }
    }
}

/// The source of a leaf's values in a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LeafSource {
    Memory,
    /// The offsets themselves.
    Place,
    /// Random numbers, which the offsets determine: bits for integers, normal numbers for floats.
    Random,
    /// The result of the reduction or scan with this number, which the kernel itself computes.
    Given(u16),
}

/// An input of a kernel: it is read from memory or derived from the elements' indices.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) origin: Origin,
    pub(crate) data: DataType,
    pub(crate) offset: usize,
    /// The strides along the axes of the kernel's shape.
    pub(crate) strides: [isize; MAX_RANK],
    /// The layout before broadcasting, which affects the order of the result.
    pub(crate) layout: Layout,
    /// Indices that also determine the place of each element.
    pub(crate) through: Option<Through>,
}

/// Indices along an axis of an array, in another leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Through {
    pub(crate) leaf: u16,
    /// The length of the axis, and the array's stride along it.
    pub(crate) length: usize,
    pub(crate) stride: isize,
}

/// The source of a leaf's values.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    Memory(Arc<Memory>),
    /// The offsets themselves.
    Place,
    /// Random numbers, which the offsets determine.
    Random(Draw),
    /// The result of the reduction or scan with this number, which the kernel itself computes.
    Given(u16),
}

impl Origin {
    /// Returns the part of the origin that affects the code.
    pub(crate) fn source(&self) -> LeafSource {
        match self {
            Self::Memory(_) => LeafSource::Memory,
            Self::Place => LeafSource::Place,
            Self::Random(_) => LeafSource::Random,
            Self::Given(reduction) => LeafSource::Given(*reduction),
        }
    }
}

impl Leaf {
    /// Returns whether the leaf is the result of this reduction or scan, which the kernel computes.
    pub(crate) fn is_given(&self, reduction: u16) -> bool {
        self.origin == Origin::Given(reduction)
    }

    /// Returns the memory that is read.
    pub(crate) fn memory(&self) -> Option<&Arc<Memory>> {
        match &self.origin {
            Origin::Memory(memory) => Some(memory),
            _ => None,
        }
    }
}

impl PartialEq for Origin {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Memory(one), Self::Memory(other)) => Arc::ptr_eq(one, other),
            (Self::Place, Self::Place) => true,
            (Self::Random(one), Self::Random(other)) => one == other,
            (Self::Given(one), Self::Given(other)) => one == other,
            _ => false,
        }
    }
}

/// The values of one or several expressions of one shape, in the order of computation.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) values: Vec<Value>,
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) scalars: Vec<Number>,
    /// The memory of tables, whose addresses are among the scalars.
    pub(super) tables: Vec<Arc<Memory>>,
    /// The number of words of all scalars.
    pub(super) scalar_words: usize,
    /// The indices of the expressions' values.
    pub(crate) roots: Vec<u16>,
    /// Values that are computed from the results of reductions or a scan of the roots.
    pub(crate) after: After,
}

/// Values that a kernel computes from the results of its reductions or scan, once per result. They come after
/// all others, and so do their leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct After {
    /// The indices of the values that are stored. Without any, the results themselves are.
    pub(crate) roots: Vec<u16>,
    /// The number of values and of leaves that come before.
    pub(crate) values: u16,
    pub(crate) leaves: u16,
}

/// A number of an expression, and the node that it comes from.
#[derive(Debug)]
pub(crate) struct Number {
    pub(crate) words: Words,
    pub(crate) node: NodeAddress,
}

/// The address of a node, to compare with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeAddress(usize);

impl NodeAddress {
    pub(crate) fn of(node: *const Node) -> Self {
        Self(node.addr())
    }
}

/// A result: its memory and its layout there.
pub(crate) type Stored = (Arc<Memory>, Layout);

/// The results of computed reductions and scans, and other values that are in memory, by node.
pub(crate) type Computed = FxHashMap<*const Node, Stored>;

impl Plan {
    /// Returns the layout of a new array for the values: dense, in the memory order of most bytes of the
    /// arrays with the full shape. Of orders with equally many, one in which vectors of four elements fill a
    /// row, or that of the first array.
    pub(crate) fn result_layout(&self, shape: Shape) -> Layout {
        self.layout(shape, true)
    }

    /// Returns the layout in which elements are read that are not stored: that of
    /// [`result_layout`](Self::result_layout), but without regard to vectors.
    pub(crate) fn read_layout(&self, shape: Shape) -> Layout {
        self.layout(shape, false)
    }

    fn layout(&self, shape: Shape, in_vectors: bool) -> Layout {
        let whole = |leaf: &&Leaf| {
            leaf.memory().is_some() && leaf.layout.shape == shape && leaf.through.is_none()
        };
        let mut leaves = self.leaves.iter().filter(whole);
        let Some(first) = leaves.next() else {
            return Layout::dense(shape, Order::C);
        };
        let mut axes = None;
        if leaves.any(|leaf| leaf.layout.strides() != first.layout.strides()) {
            let all = || self.leaves.iter().filter(whole);
            let orders: Vec<Axes> = all().map(|leaf| leaf.layout.axes()).collect();
            let rank = |order: &&Axes| {
                let same = all().zip(&orders).filter(|(_, other)| other == order);
                let bytes: usize = same.map(|(leaf, _)| leaf.data.size()).sum();
                let inner = order.iter().rev().find(|&&axis| shape[axis] > 1);
                let fills_rows = inner.is_some_and(|&axis| shape[axis].is_multiple_of(4));
                (bytes, in_vectors && fills_rows)
            };
            // Of equal orders, the first.
            axes = orders.iter().rev().max_by_key(rank).copied();
        }
        match axes {
            None if first.layout.is_dense(Order::C) => Layout::dense(shape, Order::C),
            axes => Layout::dense_along(shape, &axes.unwrap_or_else(|| first.layout.axes())),
        }
    }

    /// Plans the `roots`, which can be broadcast to `shape`. Their reductions and views must be in
    /// `computed`. Returns `None` if they are too large for one kernel.
    pub(crate) fn new(
        roots: &[&Arc<Node>],
        shape: Shape,
        computed: &Computed,
    ) -> Result<Option<Self>> {
        Self::with_given(roots, shape, computed, &FxHashMap::default())
    }

    /// Plans the `roots` as [`new`](Self::new) does. The kernel itself computes the reductions in
    /// `given`, which maps them to numbers.
    pub(crate) fn with_given(
        roots: &[&Arc<Node>],
        shape: Shape,
        computed: &Computed,
        given: &FxHashMap<*const Node, u16>,
    ) -> Result<Option<Self>> {
        let mut plan = Self::default();
        let mut known: FxHashMap<*const Node, u16> =
            FxHashMap::with_capacity_and_hasher(24, Default::default());
        plan.values.reserve(16);
        plan.leaves.reserve(4);
        for root in roots {
            // Traverses depth first without recursion, because chains may be long.
            let mut waiting = vec![(*root, false)];
            while let Some((node, ready)) = waiting.pop() {
                let key = Arc::as_ptr(node);
                if known.contains_key(&key) {
                    continue;
                }
                let is_known = || !computed.is_empty() && computed.contains_key(&key);
                if !ready
                    && let Kind::Apply(_, inputs) = &node.kind
                    && !is_known()
                {
                    waiting.push((node, true));
                    waiting.extend(inputs.iter().rev().map(|input| (input, false)));
                    continue;
                }
                let value = match given.get(&key) {
                    Some(&reduction) => plan.given(reduction, node.data, shape)?,
                    None => plan.value(node, shape, &known, computed)?,
                };
                let place = plan.place(value);
                if !plan.fits(roots.len(), shape.rank()) {
                    return Ok(None);
                }
                known.insert(key, place);
            }
            plan.roots.push(known[&Arc::as_ptr(root)]);
        }
        Ok(Some(plan))
    }

    fn given(&mut self, reduction: u16, data: DataType, shape: Shape) -> Result<Value> {
        let layout = Layout::dense(Shape::of(&[]), Order::C);
        self.leaf(Origin::Given(reduction), data, layout, shape)
    }

    fn value(
        &mut self,
        node: &Arc<Node>,
        shape: Shape,
        known: &FxHashMap<*const Node, u16>,
        computed: &Computed,
    ) -> Result<Value> {
        let data = node.data;
        let stored = computed.get(&Arc::as_ptr(node));
        if let (Kind::Lookup(_), Some((memory, _))) = (&node.kind, stored) {
            self.tables.push(memory.clone());
            return Ok(self.scalar(node, Words::of(memory.address())));
        }
        if let Some((memory, layout)) = stored {
            return self.leaf(Origin::Memory(memory.clone()), data, *layout, shape);
        }
        Ok(match &node.kind {
            Kind::Apply(operation, inputs) => Value::Apply {
                operation: operation.clone(),
                inputs: inputs
                    .iter()
                    .map(|input| known[&Arc::as_ptr(input)])
                    .collect(),
                data,
            },
            Kind::Scalar(words) => self.scalar(node, words.clone()),
            Kind::Array(memory, layout) => {
                self.leaf(Origin::Memory(memory.clone()), data, *layout, shape)?
            }
            Kind::Reduce(..) | Kind::Scan(..) | Kind::View(..) | Kind::Lookup(_) => {
                return Err(Error::Shape(
                    "internal error: a value was not computed before its use".into(),
                ));
            }
            Kind::Taken(taken) => self.taken(taken, data, node.shape()?, shape)?,
            Kind::Place(layout) => self.leaf(Origin::Place, data, *layout, shape)?,
            Kind::Random(draw) => {
                let layout = Layout::dense(node.shape()?, Order::C);
                self.leaf(Origin::Random(*draw), data, layout, shape)?
            }
        })
    }

    /// Adds a number.
    fn scalar(&mut self, node: &Arc<Node>, words: Words) -> Value {
        self.scalars.push(Number {
            words,
            node: NodeAddress::of(Arc::as_ptr(node)),
        });
        self.scalar_words += node.data.size().div_ceil(8);
        Value::Scalar {
            scalar: (self.scalars.len() - 1) as u16,
            data: node.data,
        }
    }

    /// Adds two leaves: the indices, and the array through them. `own` is the shape of the node.
    fn taken(&mut self, taken: &Taken, data: DataType, own: Shape, shape: Shape) -> Result<Value> {
        let (memory, indices, index) = &taken.indices;
        let (table, axis) = (&taken.layout, taken.axis);
        let (rank, added) = (table.shape.rank(), indices.shape.rank());
        // The axes of the indices, then one of length 1 for each later axis of the array.
        let behind = rank - 1 - axis;
        let lengths = [indices.shape.as_slice(), &vec![1; behind]].concat();
        let mut spread = Layout::dense(Shape::new(&lengths)?, Order::C);
        let strides = indices.strides();
        spread.set_strides(|at| strides.get(at).copied().unwrap_or(0));
        spread.offset = indices.offset;
        let origin = Origin::Memory(memory.clone());
        let Value::Load { leaf, .. } = self.leaf(origin, *index, spread, shape)? else {
            return Err(Error::Shape(
                "internal error: indices are not loaded".into(),
            ));
        };
        // The array has axes of length 1 in place of those of the indices.
        let among = |at: usize| (axis..axis + added).contains(&at);
        let from = |at: usize| if at < axis { at } else { at + 1 - added };
        let mut rest =
            Layout::dense(own, Order::C).with_lengths(|at| if among(at) { 1 } else { own[at] });
        rest.set_strides(|at| {
            if among(at) {
                0
            } else {
                table.strides()[from(at)]
            }
        });
        rest.offset = table.offset;
        let through = Through {
            leaf,
            length: table.shape[axis],
            stride: table.strides()[axis],
        };
        let origin = Origin::Memory(taken.memory.clone());
        self.leaf_through(origin, data, rest, shape, Some(through))
    }

    fn leaf(
        &mut self,
        origin: Origin,
        data: DataType,
        layout: Layout,
        shape: Shape,
    ) -> Result<Value> {
        self.leaf_through(origin, data, layout, shape, None)
    }

    fn leaf_through(
        &mut self,
        origin: Origin,
        data: DataType,
        layout: Layout,
        shape: Shape,
        through: Option<Through>,
    ) -> Result<Value> {
        let stretched = layout.broadcast_to(shape)?;
        let same = |leaf: &Leaf| {
            leaf.layout == layout
                && leaf.data == data
                && leaf.origin == origin
                && leaf.through == through
        };
        if let Some(leaf) = self.leaves.iter().position(same) {
            return Ok(Value::Load {
                leaf: leaf as u16,
                data,
            });
        }
        let mut strides = [0; MAX_RANK];
        strides[..shape.rank()].copy_from_slice(stretched.strides());
        self.leaves.push(Leaf {
            origin,
            data,
            offset: stretched.offset,
            strides,
            layout,
            through,
        });
        Ok(Value::Load {
            leaf: (self.leaves.len() - 1) as u16,
            data,
        })
    }

    /// Adds the indices that a layout gives to the elements as another root.
    pub(crate) fn add_places(&mut self, places: Layout, shape: Shape) -> Result<()> {
        let value = self.leaf(Origin::Place, DataType::U64, places, shape)?;
        let place = self.place(value);
        self.roots.push(place);
        Ok(())
    }

    /// Adds values that are computed from the results of reductions or a scan of the roots, and that read no
    /// elements at indices. `after` plans them for the shape of a result, whose axes are these of `shape`.
    /// Returns whether one kernel can compute all values.
    pub(crate) fn add_after(&mut self, after: Self, axes: &[usize], shape: Shape) -> bool {
        let (values, leaves) = (self.values.len() as u16, self.leaves.len() as u16);
        let scalars = self.scalars.len() as u16;
        self.values
            .extend(after.values.into_iter().map(|value| match value {
                Value::Load { leaf, data } => Value::Load {
                    leaf: leaf + leaves,
                    data,
                },
                Value::Scalar { scalar, data } => Value::Scalar {
                    scalar: scalar + scalars,
                    data,
                },
                Value::Apply {
                    operation,
                    inputs,
                    data,
                } => Value::Apply {
                    operation,
                    inputs: inputs.iter().map(|input| input + values).collect(),
                    data,
                },
            }));
        self.leaves.extend(after.leaves.into_iter().map(|leaf| {
            let mut strides = [0; MAX_RANK];
            for (&axis, &stride) in axes.iter().zip(&leaf.strides) {
                strides[axis] = stride;
            }
            Leaf { strides, ..leaf }
        }));
        self.scalars.extend(after.scalars);
        self.tables.extend(after.tables);
        self.scalar_words += after.scalar_words;
        self.after = After {
            roots: after.roots.iter().map(|root| root + values).collect(),
            values,
            leaves,
        };
        self.fits(self.after.roots.len(), shape.rank())
    }

    /// Returns the index of a value. Equal values share an index.
    fn place(&mut self, value: Value) -> u16 {
        if !matches!(value, Value::Scalar { .. })
            && let Some(place) = self.values.iter().rposition(|other| *other == value)
        {
            return place as u16;
        }
        self.values.push(value);
        (self.values.len() - 1) as u16
    }

    /// Returns whether one kernel can compute the values.
    fn fits(&self, roots: usize, rank: usize) -> bool {
        // At most an address, two words for indices or a key, and the strides for each operand.
        let operands = (self.leaves.len() + roots) * (3 + rank);
        self.values.len() <= MAX_VALUES
            && self.leaves.len() <= MAX_LEAVES
            && operands + self.scalar_words <= MAX_WORDS
    }
}

#[cfg(test)]
mod tests {
    use cuda_safe::{Context, Stream};

    use super::{super::Expr, *};
    use crate::{array::Array, random::Random, s};

    fn stream() -> Stream {
        Stream::new(&Context::primary(0).unwrap()).unwrap()
    }

    fn planned<T>(expression: &Expr<T>) -> Result<Option<Plan>> {
        let node = &expression.node;
        Plan::new(&[node], node.shape()?, &Computed::default())
    }

    /// The numbers of leaves, of scalars and of values.
    fn counts<T>(expression: &Expr<T>) -> (usize, usize, usize) {
        let plan = planned(expression).unwrap().unwrap();
        (plan.leaves.len(), plan.scalars.len(), plan.values.len())
    }

    #[test]
    fn what_is_the_same_is_read_and_computed_once() {
        let stream = stream();
        let zeros = || Array::<i32>::zeros(&stream, [3, 3]).unwrap();
        let (x, y) = (zeros(), zeros());
        assert_eq!(counts(&(&x + &x)), (1, 0, 2));
        assert_eq!(counts(&((&x + &x) * (&x + &x))), (1, 0, 3));
        // Other memory, another layout and another type each need a leaf.
        assert_eq!(counts(&(&x + &y)), (2, 0, 3));
        assert_eq!(counts(&(&x + x.t())), (2, 0, 3));
        let bits = x.reinterpret::<u32>().unwrap().cast::<i32>();
        assert_eq!(counts(&(&x + &bits)), (2, 0, 4));
        // Numbers are passed one by one: they may differ in the next evaluation.
        assert_eq!(counts(&(&x + 1 + 1)), (1, 2, 5));
        assert_eq!(counts(&(-(&x) + -(&x))), (1, 0, 3));
        // Places, and numbers of one draw.
        let index = |axis| Expr::index([3, 3], axis).unwrap();
        assert_eq!(counts(&(index(0) + index(0))), (1, 0, 2));
        assert_eq!(counts(&(index(0) + index(1))), (2, 0, 3));
        let mut random = Random::new(1);
        let mut draw = || Expr::<u32>::bits(&mut random, [3, 3]).unwrap();
        let (one, other) = (draw(), draw());
        assert_eq!(counts(&(&one + &one)), (1, 0, 2));
        assert_eq!(counts(&(&one + &other)), (2, 0, 3));
        let again = Expr::<u32>::bits(&mut Random::new(1), [3, 3]).unwrap();
        assert_eq!(counts(&(&one + &again)), (1, 0, 2));
    }

    #[test]
    fn results_have_the_order_of_most_bytes() {
        let stream = stream();
        let array = |lengths: [usize; 2]| Array::<f32>::zeros(&stream, lengths).unwrap();
        let order = |expression: Expr<f32>| {
            let shape = expression.shape().unwrap();
            let plan = planned(&expression).unwrap().unwrap();
            plan.result_layout(shape).axes().to_vec()
        };
        let (x, y) = (array([5, 7]), array([7, 5]));
        assert_eq!(order(&x + 1.0), [0, 1]);
        assert_eq!(order(y.t() + 1.0), [1, 0]);
        // Of equally many bytes, the first.
        assert_eq!(order(&x + y.t()), [0, 1]);
        assert_eq!(order(y.t() + &x), [1, 0]);
        assert_eq!(order(y.t() + &x + &array([5, 7])), [0, 1]);
        assert_eq!(order(&x + y.t() + &array([7, 5]).t()), [1, 0]);
        let doubles = Array::<f64>::zeros(&stream, [7, 5]).unwrap();
        assert_eq!(order(&x + doubles.t().cast::<f32>()), [1, 0]);
        // An array that is repeated along an axis has no say.
        assert_eq!(order(array([7, 1]).t() + y.t()), [1, 0]);
        // Vectors of four elements fill rows of 12, but not columns of 6.
        let (x, y) = (array([6, 12]), array([12, 6]));
        assert_eq!(order(y.t() + &x), [0, 1]);
        assert_eq!(order(x.t() + &y), [1, 0]);
        let read = planned(&(y.t() + &x)).unwrap().unwrap();
        assert_eq!(read.read_layout(x.shape()).axes().to_vec(), [1, 0]);
    }

    #[test]
    fn a_kernel_reads_at_most_60_arrays() {
        let x = Array::<i32>::zeros(&stream(), MAX_LEAVES + 1).unwrap();
        let sum = |count: usize| {
            let part = |at: usize| x.slice(s![at..at + 1]).unwrap().expr();
            (1..count).fold(part(0), |sum, at| sum + part(at))
        };
        assert_eq!(counts(&sum(MAX_LEAVES)).0, MAX_LEAVES);
        assert!(planned(&sum(MAX_LEAVES + 1)).unwrap().is_none());
        // Reading the same array again adds no leaf.
        assert_eq!(counts(&(sum(MAX_LEAVES) + &sum(1))).0, MAX_LEAVES);
    }

    #[test]
    fn a_kernel_computes_at_most_1000_values() {
        let x = Array::<i32>::zeros(&stream(), 1).unwrap();
        let chain = |length: usize| (1..length).fold(x.expr(), |chain, _| -chain);
        assert_eq!(counts(&chain(MAX_VALUES)).2, MAX_VALUES);
        assert!(planned(&chain(MAX_VALUES + 1)).unwrap().is_none());
    }
}
