//! Short reductions, which become operations on slices, so that they need no kernel.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    moved::moved,
    node::{Inputs, Kind, Node, after_inputs},
    operation::{Comparison, Operation},
    plan::MAX_VALUES,
    reduction::{Fold, Nan, Reduction, elements},
    view::View,
};
use crate::{
    array::{Layout, Shape, SliceItem},
    element::{Class, DataType, Words},
};

/// The most values that operations combine. Not measured.
const MOST: usize = 16;
/// The most values that operations combine if an array has them next to each other. A thread then
/// reads elements one by one, at a distance from those of the next thread.
///
/// With 8 values of f16, the largest of 4 sums, for 466,901 places, took 48 µs instead of 56 (H100,
/// device time). Other numbers were not measured.
const MOST_ADJACENT: usize = 8;
/// The most operations that a reduction becomes.
///
/// The nearest of 16 centres in 4 dimensions, for 2^22 points, took 255 µs with this limit, which is
/// too low for `argmin`, and 351 µs with 320.
const MOST_OPERATIONS: usize = 160;

/// Replaces short reductions in the roots by operations on slices of their input. Returns `None` if
/// this replaces nothing.
///
/// A reduction becomes operations if all its uses have its own shape, so that no value is computed
/// twice. A root does only if its input combines arrays that have the reduced axes with arrays that
/// don't, such as points and a few centres.
pub(super) fn unrolled(roots: &[&Arc<Node>]) -> Option<Vec<Arc<Node>>> {
    if !roots.iter().any(|root| root.reduces) {
        return None;
    }
    let order = after_inputs(roots, MAX_VALUES, Node::inputs)?;
    let mut largest_use: FxHashMap<*const Node, usize> = FxHashMap::default();
    for node in &order {
        // A reduction, a scan or a view uses the whole input.
        let own = match &node.kind {
            Kind::Apply(..) => node.shape().ok()?.elements(),
            _ => 0,
        };
        for input in node.inputs() {
            let used = largest_use.entry(Arc::as_ptr(input)).or_default();
            *used = own.max(*used);
        }
    }
    let is_root: FxHashSet<*const Node> = roots.iter().map(|root| Arc::as_ptr(root)).collect();
    let mut new: FxHashMap<*const Node, Arc<Node>> = FxHashMap::default();
    for node in order {
        let key = Arc::as_ptr(node);
        let with_inputs = rebuilt(node, &new);
        let current = with_inputs.as_ref().unwrap_or(node);
        let changed = match &current.kind {
            Kind::Reduce(reduction, input) => {
                let results = current.shape().ok()?;
                let fits = largest_use
                    .get(&key)
                    .is_none_or(|&used| used <= results.elements());
                let wanted = !is_root.contains(&key) || combines_arrays(input, reduction.axes);
                (fits && wanted)
                    .then(|| operations(reduction, input, current.data, results))
                    .flatten()
            }
            _ => None,
        };
        if let Some(changed) = changed.or(with_inputs) {
            new.insert(key, changed);
        }
    }
    if new.is_empty() {
        return None;
    }
    let root = |root: &&Arc<Node>| new.get(&Arc::as_ptr(root)).unwrap_or(root).clone();
    Some(roots.iter().map(root).collect())
}

/// Returns the node with its new inputs, or `None` if they are the old ones.
fn rebuilt(node: &Arc<Node>, new: &FxHashMap<*const Node, Arc<Node>>) -> Option<Arc<Node>> {
    let of = |input: &Arc<Node>| new.get(&Arc::as_ptr(input)).unwrap_or(input).clone();
    if !node
        .inputs()
        .iter()
        .any(|input| new.contains_key(&Arc::as_ptr(input)))
    {
        return None;
    }
    let kind = match &node.kind {
        Kind::Apply(operation, inputs) => Kind::Apply(
            operation.clone(),
            Inputs::More(inputs.iter().map(of).collect()),
        ),
        Kind::Reduce(reduction, input) => Kind::Reduce(reduction.clone(), of(input)),
        Kind::Scan(scan, inputs) => {
            Kind::Scan(scan.clone(), Inputs::More(inputs.iter().map(of).collect()))
        }
        Kind::View(view, input) => Kind::View(view.clone(), of(input)),
        _ => return None,
    };
    Some(Node::new(kind, node.data, node.shape.clone()))
}

/// Returns the arrays' layouts that a node reads, and the number of operations.
fn arrays_and_operations(node: &Arc<Node>) -> Option<(Vec<Layout>, usize)> {
    let (mut layouts, mut operations) = (Vec::new(), 0);
    for node in after_inputs(&[node], MAX_VALUES, Node::inputs)? {
        match &node.kind {
            Kind::Array(_, layout) => layouts.push(*layout),
            Kind::Apply(..) => operations += 1,
            Kind::Taken(_) => return None,
            _ => {}
        }
    }
    Some((layouts, operations))
}

/// Returns whether an array changes along these axes of a shape, and whether it does along others.
fn changes(layout: &Layout, shape: Shape, axes: u8) -> Option<(bool, bool)> {
    let layout = layout.broadcast_to(shape).ok()?;
    let along = |reduced: bool| {
        (0..shape.rank()).any(|axis| {
            (axes >> axis & 1 == 1) == reduced && shape[axis] > 1 && layout.strides()[axis] != 0
        })
    };
    Some((along(true), along(false)))
}

/// Returns whether no array changes both along these axes and along others.
fn combines_arrays(input: &Arc<Node>, axes: u8) -> bool {
    let apart = || {
        let shape = input.shape().ok()?;
        let (layouts, _) = arrays_and_operations(input)?;
        let mut any = false;
        for layout in &layouts {
            let (along, others) = changes(layout, shape, axes)?;
            if along && others {
                return Some(false);
            }
            any |= along;
        }
        Some(any)
    };
    apart().unwrap_or(false)
}

/// Returns the reduction as operations on slices of the input, if it is short and has such operations.
fn operations(
    reduction: &Reduction,
    input: &Arc<Node>,
    data: DataType,
    results: Shape,
) -> Option<Arc<Node>> {
    let shape = input.shape().ok()?;
    let count = elements(shape, reduction.axes);
    let combined = Combined::of(&reduction.fold, input.data)?;
    if results.rank() == 0 || !(1..=MOST).contains(&count) {
        return None;
    }
    let (layouts, operations) = arrays_and_operations(input)?;
    if count * (operations + 4) > MOST_OPERATIONS {
        return None;
    }
    for layout in &layouts {
        let (along, others) = changes(layout, shape, reduction.axes)?;
        if along && others && count > MOST_ADJACENT {
            return None;
        }
    }
    let values = (0..count).map(|place| {
        // The index along each reduced axis, the last of which changes fastest.
        let mut rest = place;
        let mut items = vec![SliceItem::from(..); shape.rank()];
        for axis in (0..shape.rank())
            .rev()
            .filter(|axis| reduction.axes >> axis & 1 == 1)
        {
            let index = (rest % shape[axis]) as isize;
            rest /= shape[axis];
            items[axis] = match reduction.keep {
                true => SliceItem::from(index..index + 1),
                false => SliceItem::from(index),
            };
        }
        moved(input, &View::Slice(items)).ok()?
    });
    let node = combined.values(values.collect::<Option<_>>()?, data);
    (node.shape == Ok(results)).then_some(node)
}

/// The combination of two values by operations.
enum Combined {
    /// An operation of two values, and whether the result is divided by the number of values.
    Pairs(Operation, bool),
    /// The place of the first value that compares like this with all others.
    Place(Comparison, Nan),
}

impl Combined {
    fn of(fold: &Fold, data: DataType) -> Option<Self> {
        Some(match fold {
            Fold::Sum => Self::Pairs(Operation::Add, false),
            Fold::Mean if data.class() == Class::Float => Self::Pairs(Operation::Add, true),
            Fold::Minimum(Nan::Ignored) => Self::Pairs(Operation::Scalar("min"), false),
            Fold::Maximum(Nan::Ignored) => Self::Pairs(Operation::Scalar("max"), false),
            Fold::Minimum(Nan::Propagated) => {
                Self::Pairs(Operation::Scalar("minimum_or_nan"), false)
            }
            Fold::Maximum(Nan::Propagated) => {
                Self::Pairs(Operation::Scalar("maximum_or_nan"), false)
            }
            Fold::MinimumPlace(nan) => Self::Place(Comparison::Less, *nan),
            Fold::MaximumPlace(nan) => Self::Place(Comparison::Greater, *nan),
            _ => return None,
        })
    }

    /// Combines the values. The result has this type.
    fn values(&self, mut values: Vec<Arc<Node>>, data: DataType) -> Arc<Node> {
        match self {
            Self::Pairs(operation, divides) => {
                // Sums of halves are computed as f32 and rounded once.
                let is_sum = *operation == Operation::Add;
                let own = values[0].data;
                let computed = match own {
                    DataType::F16 | DataType::Bf16 if is_sum => DataType::F32,
                    _ => own,
                };
                let count = values.len();
                if computed != own {
                    for value in &mut values {
                        *value = Node::apply(Operation::Cast, computed, [value.clone()]);
                    }
                }
                while values.len() > 1 {
                    let pairs = values.chunks(2).map(|pair| match pair {
                        [one, other] => {
                            let inputs = [one.clone(), other.clone()];
                            Node::apply(operation.clone(), computed, inputs)
                        }
                        _ => pair[0].clone(),
                    });
                    values = pairs.collect();
                }
                let mut result = values.swap_remove(0);
                if *divides {
                    let count = match computed {
                        DataType::F64 => Words::of(count as f64),
                        _ => Words::of(count as f32),
                    };
                    let inputs = [result, Node::scalar(count, computed)];
                    result = Node::apply(Operation::Divide, computed, inputs);
                }
                match data == computed {
                    true => result,
                    false => Node::apply(Operation::Cast, data, [result]),
                }
            }
            Self::Place(comparison, nan) => {
                let number = |place: usize| Node::scalar(Words::of(place as u64), data);
                let mut best = values[0].clone();
                let mut place = number(0);
                for (i, value) in values.iter().enumerate().skip(1) {
                    let is_better = better(value, &best, *comparison, *nan);
                    let select = |one: Arc<Node>, other: Arc<Node>| {
                        let data = one.data;
                        Node::apply(Operation::Select, data, [is_better.clone(), one, other])
                    };
                    place = select(number(i), place);
                    best = select(value.clone(), best);
                }
                place
            }
        }
    }
}

/// Returns whether a value replaces the best one of those before it.
fn better(value: &Arc<Node>, best: &Arc<Node>, comparison: Comparison, nan: Nan) -> Arc<Node> {
    let compare = |comparison, one: &Arc<Node>, other: &Arc<Node>| {
        let inputs = [one.clone(), other.clone()];
        Node::apply(Operation::Compare(comparison), DataType::Bool, inputs)
    };
    let both = |operation, one, other| Node::apply(operation, DataType::Bool, [one, other]);
    let is_number = |x: &Arc<Node>| compare(Comparison::Equal, x, x);
    let is_nan = |x: &Arc<Node>| compare(Comparison::NotEqual, x, x);
    let ahead = compare(comparison, value, best);
    match nan {
        _ if value.data.class() != Class::Float => ahead,
        // A number replaces NaN.
        Nan::Ignored => {
            let replaces = both(Operation::And, is_nan(best), is_number(value));
            both(Operation::Or, ahead, replaces)
        }
        // The first NaN replaces a number.
        Nan::Propagated => {
            let replaces = both(Operation::Or, ahead, is_nan(value));
            both(Operation::And, is_number(best), replaces)
        }
    }
}

#[cfg(test)]
mod tests {
    use cuda_safe::{Context, Stream};
    use half::f16;

    use super::*;
    use crate::{Array, Expr, Ordered};

    fn stream() -> Stream {
        Stream::new(&Context::primary(0).unwrap()).unwrap()
    }

    /// Returns whether an expression has no reduction after unrolling.
    fn is_unrolled<T: crate::Element>(expression: &Expr<T>) -> bool {
        unrolled(&[&expression.node]).is_some_and(|roots| !roots[0].reduces)
    }

    #[test]
    fn reductions_become_operations_where_no_value_is_computed_twice() {
        let stream = stream();
        let zeros = |lengths: &[usize]| Array::<f32>::zeros(&stream, lengths).unwrap();
        let x = zeros(&[100, 4]);
        assert!(is_unrolled(&((&x * 2.0).sum_axis(1) + 1.0)));
        assert!(is_unrolled(&((&x * 2.0).mean_axis(1).keep_axes().sqrt())));
        // A root that reads adjacent elements, a use of a larger shape, and other folds.
        assert!(!is_unrolled(&x.sum_axis(1)));
        assert!(!is_unrolled(&(&x - x.mean_axis(1).keep_axes())));
        assert!(!is_unrolled(&(x.var_axis(1, 0) + 1.0)));
        assert!(!is_unrolled(&(x.sum() + 1.0)));
        // Too many adjacent elements, and too many operations.
        assert!(!is_unrolled(&(zeros(&[100, 9]).sum_axis(1) + 1.0)));
        let long = (0..40).fold(x.expr(), |sum, _| sum.sin() + 1.0);
        assert!(!is_unrolled(&(long.sum_axis(1) + 1.0)));
    }

    #[test]
    fn distances_to_a_few_centres_need_one_kernel() {
        let stream = stream();
        let points = Array::range(&stream, 0..60).unwrap().cast::<f32>();
        let points = points.eval().unwrap().reshape([20, 1, 3]).unwrap();
        let centres = Array::from_nested(
            &stream,
            [[0.0f32, 0.0, 0.0], [20.0, 21.0, 22.0], [58.0, 58.0, 58.0]],
        );
        let centres = centres.unwrap().reshape([1, 3, 3]).unwrap();
        let apart = &points - &centres;
        let nearest = (&apart * &apart).sum_axis(2).argmin_axis(1);
        assert!(is_unrolled(&nearest));
        let wanted: Vec<usize> = (0..20)
            .map(|point| match 3 * point {
                ..=10 => 0,
                11..=38 => 1,
                _ => 2,
            })
            .collect();
        assert_eq!(nearest.eval().unwrap().to_vec().unwrap(), wanted);
    }

    type Reduce<T, R> = fn(&Array<T>) -> Expr<R>;

    /// Compares the kernel of a reduction, as a root, with operations.
    fn compare<T: Ordered>(x: &Array<T>) {
        let folds: [Reduce<T, T>; 6] = [
            |x| x.sum_axis(1),
            |x| x.sum_axis([0, 2]),
            |x| x.min_axis(1),
            |x| x.max_axis([1, 2]),
            |x| x.min_or_nan_axis(1),
            |x| x.max_or_nan_axis(2),
        ];
        for (number, fold) in folds.iter().enumerate() {
            let operations = fold(x).maximum_or_nan(fold(x));
            assert!(is_unrolled(&operations), "fold {number}");
            let found = operations.eval().unwrap().to_vec().unwrap();
            let wanted = fold(x).eval().unwrap().to_vec().unwrap();
            let text = |values: Vec<T>| format!("{values:?}");
            assert_eq!(text(found), text(wanted), "fold {number}");
        }
        let places: [Reduce<T, usize>; 4] = [
            |x| x.argmin_axis(1),
            |x| x.argmax_axis([1, 2]),
            |x| x.argmin_or_nan_axis([0, 1]),
            |x| x.argmax_or_nan_axis(2),
        ];
        for (number, fold) in places.iter().enumerate() {
            let operations = fold(x) + 0usize;
            assert!(is_unrolled(&operations), "place {number}");
            let found = operations.eval().unwrap().to_vec().unwrap();
            let wanted = fold(x).eval().unwrap().to_vec().unwrap();
            assert_eq!(found, wanted, "place {number}");
        }
    }

    #[test]
    fn operations_have_the_results_of_kernels() {
        let stream = stream();
        let array = |values: &[f32]| {
            let array = Array::from_slice(&stream, values).unwrap();
            array.reshape([2, 2, 2]).unwrap()
        };
        let nan = f32::NAN;
        for values in [
            [3.0, 1.0, 2.0, 1.0, -1.0, 5.0, -1.0, 4.0],
            [nan, 1.0, nan, 3.0, nan, nan, nan, nan],
            [
                2.0,
                nan,
                7.0,
                f32::INFINITY,
                f32::NEG_INFINITY,
                nan,
                0.5,
                0.5,
            ],
        ] {
            let x = array(&values);
            compare(&x);
            compare(&x.cast::<f16>().eval().unwrap());
            compare(&x.cast::<i32>().eval().unwrap());
        }
    }
}
