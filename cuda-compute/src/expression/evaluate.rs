//! Evaluation of expressions: the division of the work into kernels.

use std::sync::Arc;

use cuda_safe::Stream;
use rustc_hash::FxHashSet;

use super::{
    Expr, divide, elementwise, fold,
    node::{Kind, Node},
    operands::Target,
    plan::Stored,
    ready::next_reductions,
    repeat::{Record, Repeats},
    rows, scan,
    signature::Signature,
    state::{Evaluation, results, targets},
    unroll::unrolled,
    view::View,
};
use crate::{
    array::{Array, Layout, Memory, Order, Shape},
    element::{DataType, Element},
    error::{Error, Result},
    kernel::Kernels,
};

/// Expressions that are evaluated together: one, or a tuple of up to eight, possibly with different
/// element types.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an expression nor a tuple of up to eight expressions",
    note = "an array is already evaluated: `array.expr()` turns it into an expression"
)]
pub trait Evaluate {
    /// The result: an array for each expression.
    type Arrays;
    #[doc(hidden)]
    fn roots(&self) -> Vec<Root<'_>>;
    #[doc(hidden)]
    fn arrays(parts: &mut dyn Iterator<Item = Part>) -> Option<Self::Arrays>;
}

/// An expression without its type.
#[doc(hidden)]
#[derive(Debug)]
pub struct Root<'a>(&'a Arc<Node>);

/// An array without its type.
#[doc(hidden)]
#[derive(Debug)]
pub struct Part(Arc<Memory>, Layout);

impl<T: Element> Evaluate for Expr<T> {
    type Arrays = Array<T>;

    fn roots(&self) -> Vec<Root<'_>> {
        vec![Root(&self.node)]
    }

    fn arrays(parts: &mut dyn Iterator<Item = Part>) -> Option<Array<T>> {
        let Part(memory, layout) = parts.next()?;
        Some(Array::of(memory, layout))
    }
}

impl<E: Evaluate> Evaluate for &E {
    type Arrays = E::Arrays;

    fn roots(&self) -> Vec<Root<'_>> {
        (**self).roots()
    }

    fn arrays(parts: &mut dyn Iterator<Item = Part>) -> Option<E::Arrays> {
        E::arrays(parts)
    }
}

macro_rules! tuples {
    ($(($($name:ident)*))*) => {$(
        impl<$($name: Evaluate),*> Evaluate for ($($name,)*) {
            type Arrays = ($($name::Arrays,)*);

            #[allow(non_snake_case, reason = "type names name the variables")]
            fn roots(&self) -> Vec<Root<'_>> {
                let ($($name,)*) = self;
                let mut roots = Vec::new();
                $(roots.extend($name.roots());)*
                roots
            }

            fn arrays(parts: &mut dyn Iterator<Item = Part>) -> Option<Self::Arrays> {
                Some(($($name::arrays(parts)?,)*))
            }
        }
    )*};
}

tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }

/// Computes several expressions into new arrays.
///
/// Expressions of the same shape are computed in one kernel, which reads and computes their common
/// parts once. This enqueues the work and does not wait for it.
///
/// ```
/// use cuda_compute::{Array, eval};
/// # use cuda_safe::{Context, Stream};
///
/// # fn main() -> cuda_compute::Result<()> {
/// # let stream = Stream::new(&Context::primary(0)?)?;
/// let x = Array::from_slice(&stream, &[1, 2, 3])?;
/// let y = Array::from_slice(&stream, &[10, 20, 30])?;
/// let (sum, larger) = eval((&x + &y, x.greater(1)))?;
/// assert_eq!(sum.to_vec()?, [11, 22, 33]);
/// assert_eq!(larger.to_vec()?, [false, true, true]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns [`Error::Shape`] or [`Error::Cuda`] in the cases that [`Expr::eval`] lists.
pub fn eval<E: Evaluate>(expressions: E) -> Result<E::Arrays> {
    evaluate(&expressions, None)
}

/// Computes several expressions into new arrays on a given stream: see [`eval`].
///
/// # Errors
/// Returns [`Error::Shape`] or [`Error::Cuda`] in the cases that [`Expr::eval`] lists, except that
/// the expressions need not read an array.
pub fn eval_on<E: Evaluate>(stream: &Stream, expressions: E) -> Result<E::Arrays> {
    evaluate(&expressions, Some(stream))
}

impl<T: Element> Expr<T> {
    /// Returns the array if the expression is only an array, and otherwise evaluates it.
    pub(crate) fn stored(&self) -> Result<Array<T>> {
        self.as_array().map_or_else(|| self.eval(), Ok)
    }

    /// Returns the array if the expression is only an array, and otherwise evaluates it on this stream.
    pub(crate) fn stored_on(&self, stream: &Stream) -> Result<Array<T>> {
        self.as_array().map_or_else(|| self.eval_on(stream), Ok)
    }

    /// Returns the array if the expression is only an array.
    pub(crate) fn as_array(&self) -> Option<Array<T>> {
        match &self.node.kind {
            Kind::Array(memory, layout) => Some(Array::of(memory.clone(), *layout)),
            _ => None,
        }
    }
}

/// Computes an expression into a new array that is contiguous in this order.
pub(crate) fn eval_dense<T: Element>(expression: &Expr<T>, order: Order) -> Result<Array<T>> {
    let Some(from) = first_array(&expression.node) else {
        return expression.eval(); // returns the error
    };
    let shape = expression.shape()?;
    let memory = Memory::new(
        from.kernels(),
        from.stream(),
        shape.elements(),
        T::DATA_TYPE,
    )?;
    let (memory, layout) = (Arc::new(memory), Layout::dense(shape, order));
    let target = Target {
        memory: &memory,
        layout,
        data: T::DATA_TYPE,
    };
    assign(&target, &expression.node)?;
    Ok(Array::of(memory, layout))
}

/// Evaluates on this stream, or on the stream of the first array that is read.
fn evaluate<E: Evaluate>(expressions: &E, stream: Option<&Stream>) -> Result<E::Arrays> {
    let roots = expressions.roots();
    let nodes: Vec<&Arc<Node>> = roots.iter().map(|root| root.0).collect();
    let results = evaluate_nodes(&nodes, stream)?;
    let mut parts = results
        .into_iter()
        .map(|(memory, layout)| Part(memory, layout));
    E::arrays(&mut parts)
        .ok_or_else(|| Error::Shape("internal error: fewer results than expressions".into()))
}

fn evaluate_nodes(nodes: &[&Arc<Node>], stream: Option<&Stream>) -> Result<Vec<Stored>> {
    // A reduction along an axis that does not exist has no shape, but its kernel would run. So
    // check all shapes first.
    for node in nodes {
        node.shape()?;
    }
    let mut signature = Signature::new();
    let signature = signature.read(nodes, None);
    if let Some(stream) = stream {
        return compute(&Kernels::of(stream)?, stream, nodes, signature);
    }
    let first = match signature {
        Some(signature) => signature.first_memory(),
        None => nodes.iter().find_map(|node| first_array(node)),
    };
    match first {
        Some(memory) => compute(memory.kernels(), memory.stream(), nodes, signature),
        None => Err(Error::Shape(
            "eval: the expression reads no array, so it has no stream. Fix: call eval_on".into(),
        )),
    }
}

/// Evaluates two expressions on the stream of the first array that is read. An expression that is
/// only an array is returned as it is, with its own stream and layout.
pub(crate) fn on_stream_of<T: Element>(
    first: &Expr<T>,
    second: &Expr<T>,
) -> Result<(Array<T>, Array<T>)> {
    let memory = first_array(&first.node).or_else(|| first_array(&second.node));
    let stream = memory.map(|memory| memory.stream().clone());
    let value = |expression: &Expr<T>| match &stream {
        Some(stream) => expression.stored_on(stream),
        None => expression.eval(), // returns the error
    };
    Ok((value(first)?, value(second)?))
}

/// Returns the first array that is read.
pub(super) fn first_array(root: &Arc<Node>) -> Option<&Arc<Memory>> {
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        match &node.kind {
            Kind::Array(memory, _) => return Some(memory),
            Kind::Taken(taken) => return Some(&taken.memory),
            _ => {}
        }
        waiting.extend(node.inputs().iter().rev());
    }
    None
}

/// Computes the nodes, which have this signature, into new arrays.
pub(super) fn compute(
    kernels: &Kernels,
    stream: &Stream,
    roots: &[&Arc<Node>],
    signature: Option<&Signature<'_>>,
) -> Result<Vec<Stored>> {
    let repeats: &Repeats = kernels.repeats().get();
    if let Some(signature) = signature
        && let Some(repeat) = repeats.find(signature)
        && let Some(results) = repeat.run(kernels, stream, signature)?
    {
        return Ok(results);
    }
    // The new nodes must exist as long as their values, which are found by address.
    let unrolled = unrolled(roots);
    let roots = over(roots, unrolled.as_deref());
    let mut evaluation = Evaluation::new(kernels, stream);
    evaluation.record = signature.and_then(Record::new);
    let results = compute_with(&mut evaluation, &roots, true)?;
    if let Some(record) = evaluation.record {
        record.finish(repeats, &results);
    }
    Ok(results)
}

/// Computes the nodes into new arrays. This first computes values that have to be in memory, unless
/// they are. If the nodes are computed `alone`, their last scan or reductions need not be in memory,
/// because nothing else uses them.
fn compute_with(
    evaluation: &mut Evaluation<'_>,
    roots: &[&Arc<Node>],
    alone: bool,
) -> Result<Vec<Stored>> {
    if let Some(results) = rows::run(evaluation, roots)? {
        return Ok(results);
    }
    if alone && let Some(results) = after_scan(evaluation, roots)? {
        return Ok(results);
    }
    views(evaluation, roots)?;
    let is_reduction = |root: &&Arc<Node>| matches!(root.kind, Kind::Reduce(..));
    let continues = alone && !roots.iter().all(is_reduction);
    while let Some(ready) = next_reductions(roots, &evaluation.computed)? {
        if continues
            && ready.are_last
            && let Some(results) = fold::run_with(evaluation, &ready.together, roots)?
        {
            return Ok(results);
        }
        ready.run(evaluation)?;
    }
    let mut parts = stored_parts(evaluation, roots);
    // Expressions of one shape share a kernel.
    while let Some(first) = parts.iter().position(Option::is_none) {
        let shape = roots[first].shape()?;
        let mut together = Vec::new();
        for (i, root) in roots.iter().enumerate().skip(first) {
            if parts[i].is_none() && root.shape()? == shape {
                together.push(i);
            }
        }
        let nodes: Vec<&Arc<Node>> = together.iter().map(|&i| roots[i]).collect();
        let plan = divide::plan(evaluation, &nodes, shape)?;
        let layout = plan.result_layout(shape);
        let stored = results(evaluation.kernels, evaluation.stream, &nodes, layout)?;
        elementwise::run(evaluation, plan, shape, &targets(&stored, &nodes))?;
        for (i, result) in together.into_iter().zip(stored) {
            parts[i] = Some(result);
        }
    }
    Ok(parts.into_iter().flatten().collect())
}

/// Returns the values of the roots that are in memory.
fn stored_parts(evaluation: &Evaluation<'_>, roots: &[&Arc<Node>]) -> Vec<Option<Stored>> {
    let stored = |root: &&Arc<Node>| evaluation.computed.get(&Arc::as_ptr(root)).cloned();
    roots.iter().map(stored).collect()
}

/// Returns the nodes, or those that replace them.
pub(super) fn over<'a>(
    roots: &[&'a Arc<Node>],
    replaced: Option<&'a [Arc<Node>]>,
) -> Vec<&'a Arc<Node>> {
    replaced.map_or_else(|| roots.to_vec(), |nodes| nodes.iter().collect())
}

/// Computes the values in the roots that have to be in memory: scans and views, then reductions.
pub(super) fn stages(evaluation: &mut Evaluation<'_>, roots: &[&Arc<Node>]) -> Result<()> {
    views(evaluation, roots)?;
    reductions(evaluation, roots)
}

fn reductions(evaluation: &mut Evaluation<'_>, roots: &[&Arc<Node>]) -> Result<()> {
    while let Some(ready) = next_reductions(roots, &evaluation.computed)? {
        ready.run(evaluation)?;
    }
    Ok(())
}

/// Computes the roots in the kernel of a scan, if all have its shape, and nothing else in them needs its
/// results in memory. Otherwise returns `None`.
fn after_scan(
    evaluation: &mut Evaluation<'_>,
    roots: &[&Arc<Node>],
) -> Result<Option<Vec<Stored>>> {
    if !roots.iter().any(|root| root.views) {
        return Ok(None);
    }
    // Values that must be in memory, or are computed by the kernel, and tables.
    let (mut values, mut tables) = (Vec::new(), Vec::new());
    let mut seen = FxHashSet::default();
    let mut waiting = roots.to_vec();
    while let Some(node) = waiting.pop() {
        let key = Arc::as_ptr(node);
        if evaluation.computed.contains_key(&key) || !seen.insert(key) {
            continue;
        }
        match node.kind {
            Kind::Scan(..) | Kind::Reduce(..) | Kind::View(..) => values.push(node),
            Kind::Lookup(_) => tables.push(node),
            _ => waiting.extend(node.inputs()),
        }
    }
    // The values that these depend on.
    let mut needed = FxHashSet::default();
    waiting.extend(values.iter().flat_map(|value| value.inputs()));
    while let Some(node) = waiting.pop() {
        if node.views && needed.insert(Arc::as_ptr(node)) {
            waiting.extend(node.inputs());
        }
    }
    let is_last = |value: &&Arc<Node>| {
        matches!(value.kind, Kind::Scan(..)) && !needed.contains(&Arc::as_ptr(value))
    };
    let Some(&scan) = values.iter().find(|value| is_last(value)) else {
        return Ok(None);
    };
    let shape = scan.shape()?;
    if roots.iter().any(|root| root.shape != Ok(shape))
        || roots.iter().all(|root| Arc::ptr_eq(root, scan))
    {
        return Ok(None);
    }
    values.retain(|value| !Arc::ptr_eq(value, scan));
    let first = scan.inputs().iter().chain(values).chain(tables);
    let first: Vec<&Arc<Node>> = first.collect();
    stages(evaluation, &first)?;
    let mut parts = stored_parts(evaluation, roots);
    let left = roots.iter().zip(&parts).filter(|(_, part)| part.is_none());
    let left: Vec<&Arc<Node>> = left.map(|(root, _)| *root).collect();
    if left.iter().all(|root| Arc::ptr_eq(root, scan)) {
        return Ok(None);
    }
    let Some(computed) = scan::run_with(evaluation, scan, &left)? else {
        return Ok(None);
    };
    let missing = parts.iter_mut().filter(|part| part.is_none());
    for (part, result) in missing.zip(computed) {
        *part = Some(result);
    }
    Ok(parts.into_iter().collect())
}

/// Computes the scans in the roots and the inputs of views, innermost first, and copies tables to the
/// device.
fn views(evaluation: &mut Evaluation<'_>, roots: &[&Arc<Node>]) -> Result<()> {
    let mut seen = FxHashSet::default();
    let mut waiting: Vec<(&Arc<Node>, bool)> = roots.iter().map(|root| (*root, false)).collect();
    while let Some((node, visited)) = waiting.pop() {
        let key = Arc::as_ptr(node);
        if visited {
            let stored = match &node.kind {
                Kind::View(view, input) => viewed(evaluation, view, input)?,
                Kind::Scan(_, inputs) => {
                    let inputs: Vec<&Arc<Node>> = inputs.iter().collect();
                    reductions(evaluation, &inputs)?;
                    scan::run(evaluation, node)?
                }
                Kind::Lookup(table) => {
                    let memory = table.on(evaluation.kernels, evaluation.stream)?;
                    (memory, Layout::dense(Shape::of(&[]), Order::C))
                }
                _ => continue,
            };
            evaluation.computed.insert(key, stored);
        } else if node.views && !evaluation.computed.contains_key(&key) && seen.insert(key) {
            waiting.push((node, true));
            waiting.extend(node.inputs().iter().map(|input| (input, false)));
        }
    }
    Ok(())
}

/// Computes the input of a view, whose own views are computed, and returns the view of the result.
fn viewed(evaluation: &mut Evaluation<'_>, view: &View, input: &Arc<Node>) -> Result<Stored> {
    let key = Arc::as_ptr(input);
    if input.reduces && !evaluation.computed.contains_key(&key) {
        let results = compute_with(evaluation, &[input], false)?;
        let results = results.into_iter().map(|result| (key, result));
        evaluation.computed.extend(results);
    }
    if let Some((memory, layout)) = evaluation.computed.get(&key)
        && let Some(layout) = view.of(layout)?
    {
        return Ok((memory.clone(), layout));
    }
    // The order of a new array's elements is the view's.
    let shape = input.shape()?;
    divide::compute(evaluation, &[input], shape)?;
    let (memory, layout) = &evaluation.computed[&key];
    let layout = view.of(layout)?.ok_or_else(|| {
        Error::Shape("internal error: strides can't express a view of a dense array".into())
    })?;
    Ok((memory.clone(), layout))
}

/// Computes an expression into memory. Nothing else may use this memory, except the expression
/// itself.
pub(crate) fn assign(to: &Target<'_>, node: &Arc<Node>) -> Result<()> {
    let (kernels, stream) = (to.memory.kernels(), to.memory.stream());
    let shape = node.shape()?;
    if shape.broadcast(&to.layout.shape) != Some(to.layout.shape) {
        return Err(Error::Shape(format!(
            "assign: an expression of shape {shape} can't be broadcast to an array of shape {}",
            to.layout.shape
        )));
    }
    if to.layout.repeats() {
        return Err(Error::Shape(
            "assign: the array repeats its elements. Fix: copy it first".into(),
        ));
    }
    let mut signature = Signature::new();
    let roots = [node];
    let signature = signature.read(&roots, Some(to));
    let repeats: &Repeats = kernels.repeats().get();
    if let Some(signature) = signature
        && let Some(repeat) = repeats.find(signature)
        && repeat.run(kernels, stream, signature)?.is_some()
    {
        return Ok(());
    }
    let unrolled = unrolled(&[node]);
    let roots = over(&[node], unrolled.as_deref());
    let mut evaluation = Evaluation::new(kernels, stream);
    evaluation.record = signature.and_then(Record::new);
    stages(&mut evaluation, &roots)?;
    let plan = divide::plan(&mut evaluation, &roots, to.layout.shape)?;
    // If an element is read and written at the same position, one thread reads it before it writes
    // it. Other elements may be overwritten before they are read.
    let overlaps = plan.leaves.iter().any(|leaf| {
        leaf.memory()
            .is_some_and(|memory| Arc::ptr_eq(memory, to.memory))
            && (leaf.layout != to.layout || leaf.data.size() != to.data.size())
            && overlap((&leaf.layout, leaf.data), (&to.layout, to.data))
    });
    if overlaps {
        let layout = Layout::dense(to.layout.shape, Order::C);
        let elements = layout.shape.elements();
        let memory = Arc::new(Memory::new(kernels, stream, elements, to.data)?);
        let target = Target {
            memory: &memory,
            layout,
            data: to.data,
        };
        elementwise::run(&mut evaluation, plan, layout.shape, &[target])?;
        let kind = Kind::Array(memory.clone(), layout);
        let copy = Node::new(kind, to.data, Ok(layout.shape));
        let plan = divide::plan(&mut evaluation, &[&copy], layout.shape)?;
        elementwise::run(&mut evaluation, plan, to.layout.shape, &[*to])?;
    } else {
        elementwise::run(&mut evaluation, plan, to.layout.shape, &[*to])?;
    }
    if let Some(record) = evaluation.record {
        record.finish(repeats, &[]);
    }
    Ok(())
}

/// Returns whether two layouts of one memory, with elements of these types, may share bytes.
fn overlap(one: (&Layout, DataType), other: (&Layout, DataType)) -> bool {
    let bytes = |(layout, data): (&Layout, DataType)| {
        let (low, high) = layout.bounds()?;
        Some((low * data.size(), (high + 1) * data.size()))
    };
    match (bytes(one), bytes(other)) {
        (Some((low, high)), Some((other_low, other_high))) => low < other_high && other_low < high,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use cuda_safe::Context;

    use super::{super::ready::MAX_ACCUMULATOR_BYTES, *};
    use crate::s;

    fn stream() -> Stream {
        Stream::new(&Context::primary(0).unwrap()).unwrap()
    }

    fn dense(lengths: &[usize]) -> Layout {
        Layout::dense(Shape::of(lengths), Order::C)
    }

    #[test]
    fn reductions_share_a_kernel_while_their_accumulators_have_room() {
        let stream = stream();
        let kernels = Kernels::new(stream.context()).unwrap();
        let memory = Memory::zeroed(&kernels, &stream, 64).unwrap();
        let x = Array::<f64>::of(Arc::new(memory), dense(&[8]));
        // Five variances and two sums fill the limit. The third sum needs another kernel.
        let variance = |i: i32| (&x * f64::from(i)).var(0).node;
        let sum = |i: i32| (&x * f64::from(i)).sum().node;
        assert_eq!(5 * 32 + 2 * 8, MAX_ACCUMULATOR_BYTES);
        let mut nodes: Vec<Arc<Node>> = (2..7).map(variance).chain((2..4).map(sum)).collect();
        let kernels_for = |nodes: &[Arc<Node>]| {
            let before = kernels.compiled();
            let nodes: Vec<&Arc<Node>> = nodes.iter().collect();
            compute(&kernels, &stream, &nodes, None).unwrap();
            kernels.compiled() - before
        };
        assert_eq!(kernels_for(&nodes), 1);
        nodes.push(sum(4));
        // The first kernel already exists.
        assert_eq!(kernels_for(&nodes), 1);
        assert_eq!(kernels.compiled(), 2);
        // The second kernel, of one sum, already exists too.
        assert_eq!(kernels_for(&[sum(4)]), 0);
    }

    #[test]
    fn only_the_bytes_of_elements_overlap() {
        let (f32, u8) = (DataType::F32, DataType::U8);
        let at = |lengths: &[usize], offset| {
            let mut layout = dense(lengths);
            layout.offset = offset;
            layout
        };
        let overlaps = |one: (Layout, DataType), other: (Layout, DataType)| {
            let result = overlap((&one.0, one.1), (&other.0, other.1));
            assert_eq!(result, overlap((&other.0, other.1), (&one.0, one.1)));
            result
        };
        assert!(!overlaps((at(&[4], 0), f32), (at(&[4], 4), f32)));
        assert!(overlaps((at(&[4], 0), f32), (at(&[4], 3), f32)));
        assert!(overlaps((at(&[9], 0), f32), (at(&[1], 4), f32)));
        // Elements of other sizes.
        assert!(!overlaps((at(&[16], 0), u8), (at(&[4], 4), f32)));
        assert!(overlaps((at(&[17], 0), u8), (at(&[4], 4), f32)));
        assert!(!overlaps((at(&[0], 0), f32), (at(&[4], 0), f32)));
        // This layout runs backwards from its first element.
        let backwards = at(&[4], 0).sliced(&s![..;-1]).unwrap();
        assert_eq!(backwards.offset, 3);
        assert!(overlaps((backwards, f32), (at(&[1], 0), f32)));
        assert!(!overlaps((backwards, f32), (at(&[1], 4), f32)));
    }

    #[test]
    fn results_have_the_strides_of_whole_operands() {
        let stream = stream();
        let zeros = |lengths: &[usize]| Array::<f32>::zeros(&stream, lengths).unwrap();
        let strides = |x: &Expr<f32>| x.eval().unwrap().strides().to_vec();
        let (x, turned) = (zeros(&[2, 3]), zeros(&[3, 2]));
        assert_eq!(strides(&(&x + turned.t())), [3, 1]);
        assert_eq!(strides(&(turned.t() + &x)), [1, 2]);
        // A broadcast operand doesn't affect the order.
        let column = zeros(&[3, 1]);
        assert_eq!(strides(&(column.t() + turned.t())), [1, 2]);
        // Axes of length 1 are in C order if the others are.
        let x = zeros(&[2, 1, 3]);
        assert_eq!(strides(&(&x + 1.0)), [3, 3, 1]);
    }
}
