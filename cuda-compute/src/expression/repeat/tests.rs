use cuda_safe::Context;

use super::*;
use crate::{
    array::Array,
    expression::{
        Expr,
        evaluate::{assign, compute},
        node::Node,
        operands::Target,
    },
    s,
};

/// Arrays and numbers that expressions are made of.
struct Values {
    whole: Vec<Array<i64>>,
    /// Parts of one array, at places that differ between two values by whole vectors.
    parts: Vec<Array<i64>>,
    indices: Array<i64>,
    numbers: Vec<i64>,
}

const SHAPE: [usize; 2] = [6, 8];

fn stream() -> Stream {
    Stream::new(&Context::primary(0).unwrap()).unwrap()
}

/// SplitMix64.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^ (z >> 31)
}

impl Values {
    fn new(stream: &Stream, mut seed: u64) -> Self {
        let mut number = |below: u64| (random(&mut seed) % below) as i64;
        let mut array = |lengths: &[usize]| {
            let count = lengths.iter().product();
            let host: Vec<i64> = (0..count).map(|_| number(201) - 100).collect();
            let array = Array::from_slice(stream, &host).unwrap();
            array.reshape(lengths).unwrap()
        };
        let whole = vec![array(&SHAPE), array(&SHAPE), array(&SHAPE[1..])];
        let large = array(&[32, 8]);
        let mut row = || number(20) as usize;
        let mut part = || {
            let row = row();
            large.slice(s![row..row + SHAPE[0]]).unwrap()
        };
        let first = part();
        // Always 4 rows behind the first one.
        let at = first.layout.offset / SHAPE[1];
        let second = large.slice(s![at + 4..at + 4 + SHAPE[0]]).unwrap();
        let indices: Vec<i64> = (0..SHAPE[0]).map(|_| number(9) - 1).collect();
        Self {
            whole,
            parts: vec![first, second],
            indices: Array::from_slice(stream, &indices).unwrap(),
            numbers: (0..3).map(|_| number(11) - 5).collect(),
        }
    }

    /// Returns an expression of this shape, whose structure depends on the seed alone.
    fn expression(&self, seed: &mut u64, depth: usize) -> Expr<i64> {
        let mut choose = |count: u64| (random(seed) % count) as usize;
        if depth == 0 {
            return match choose(7) {
                place @ 0..=1 => self.whole[place].expr(),
                2 => &self.whole[0] + &self.whole[2],
                place @ 3..=4 => self.parts[place - 3].expr(),
                5 => Expr::index(SHAPE, choose(2)).unwrap().cast(),
                _ => {
                    let axis = choose(2);
                    let taken = self.whole[axis].take_clamped(&self.indices, 0).unwrap();
                    taken.cast()
                }
            };
        }
        let kind = choose(12);
        let number = self.numbers[choose(3)];
        let one = self.expression(seed, depth - 1);
        match kind {
            0 => one + number,
            // The same number twice, and the same expression twice.
            1 => {
                let number = Expr::scalar(number);
                one.less(&number).select(&one * &number, &number - &one)
            }
            2 => &one - one.max_axis(1).keep_axes(),
            3 => &one * one.sum_axis(0),
            4 => one.argmin_axis(1).cast::<i64>().expand_dims(1).unwrap() + one,
            5 => one.t().sum_axis(0).expand_dims(1).unwrap() - &one,
            6 => one.abs() - number,
            7 => one.sum() + one,
            8 => {
                let turned = one.reshape([8, 6]).unwrap().t().reshape(SHAPE).unwrap();
                turned - one
            }
            _ => {
                let other = self.expression(seed, depth - 1);
                match kind {
                    9 => one.less(&other).select(one, other),
                    10 => one.less(5).select(&other, &one),
                    _ => one + other,
                }
            }
        }
    }

    /// Returns one to three expressions.
    fn roots(&self, mut seed: u64) -> Vec<Arc<Node>> {
        let count = 1 + random(&mut seed) % 3;
        let mut root = |place| {
            let root = self.expression(&mut seed, 1 + place % 3);
            match random(&mut seed) % 4 {
                0 => root.sum_axis(1).node,
                1 => root.max_axis(0).node,
                _ => root.node,
            }
        };
        let mut roots: Vec<Arc<Node>> = (0..count as usize).map(&mut root).collect();
        // One root twice, or in another one.
        if count == 3 {
            roots.push(roots[0].clone());
        }
        roots
    }
}

fn host(result: &Stored) -> Vec<i64> {
    let (memory, layout) = result;
    let array = Array::<i64>::of(memory.clone(), *layout);
    array.to_vec().unwrap()
}

#[test]
fn repeated_evaluations_have_the_results_of_planned_ones() {
    let stream = stream();
    let kernels = Kernels::new(stream.context()).unwrap();
    let repeats: &Repeats = kernels.repeats().get();
    let (one, other) = (Values::new(&stream, 1), Values::new(&stream, 2));
    let mut repeated = 0;
    for seed in 0..40 {
        let evaluate = |values: &Values, recorded: bool| {
            let roots = values.roots(seed);
            let nodes: Vec<&Arc<Node>> = roots.iter().collect();
            let mut signature = Signature::new();
            let signature = signature.read(&nodes, None).filter(|_| recorded);
            let known = signature.is_some_and(|signature| repeats.find(signature).is_some());
            let results = compute(&kernels, &stream, &nodes, signature).unwrap();
            (known, results.iter().map(host).collect::<Vec<_>>())
        };
        for values in [&one, &other, &one] {
            let (_, planned) = evaluate(values, false);
            let (known, results) = evaluate(values, true);
            repeated += usize::from(known);
            assert_eq!(results, planned, "{seed}");
        }
    }
    // All evaluations of a seed but the first, unless an expression has too many nodes.
    assert!(repeated > 75, "{repeated} of 80 evaluations");
}

#[test]
fn repeated_assignments_have_the_results_of_planned_ones() {
    let stream = stream();
    for distance in [0usize, 1, 8] {
        for (times, from) in [(2, 0), (3, 100), (-1, 7)] {
            // Elements that are read are overwritten, at the same place or at another one.
            let host: Vec<i64> = (from..from + 40).collect();
            let array = Array::from_slice(&stream, &host).unwrap();
            let (read, written) = (0..32, distance..distance + 32);
            let [source, target] = [read, written].map(|part| array.slice(s![part]).unwrap());
            let target = Target {
                memory: &target.memory,
                layout: target.layout,
                data: DataType::I64,
            };
            assign(&target, &(source * times).node).unwrap();
            let new = |i: i64| match i.checked_sub(distance as i64) {
                Some(place @ 0..32) => (from + place) * times,
                _ => from + i,
            };
            let wanted: Vec<i64> = (0..40).map(new).collect();
            assert_eq!(array.to_vec().unwrap(), wanted, "{distance}");
        }
    }
}

/// Returns whether the second evaluation repeats the first one.
fn repeats<T>(one: &Expr<T>, other: &Expr<T>) -> bool {
    let (one, other) = ([&one.node], [&other.node]);
    let (mut recorded, mut repeated) = (Signature::new(), Signature::new());
    let pattern = Pattern::of(recorded.read(&one, None).unwrap()).unwrap();
    pattern.fits(repeated.read(&other, None).unwrap())
}

#[test]
fn structures_types_layouts_and_alignments_are_compared() {
    let stream = stream();
    let array = || Array::<i64>::zeros(&stream, [64]).unwrap();
    let (x, y) = (array(), array());
    let part = |from: usize| x.slice(s![from..from + 8]).unwrap();
    assert!(repeats(&(&x + 1), &(&y + 2)));
    assert!(!repeats(&(&x + 1), &(&y * 2)));
    assert!(!repeats(&(&x + 1), &(1 + &x)));
    // Whether values are the same.
    assert!(repeats(&(&x + &x), &(&y + &y)) && !repeats(&(&x + &x), &(&x + &y)));
    let number = Expr::scalar(3);
    assert!(!repeats(&(&x * &number + &number), &(&x * 3 + 3)));
    // Where arrays lie, and in which distance from each other.
    assert!(repeats(&(part(0) + 1), &(part(4) + 1)));
    assert!(!repeats(&(part(0) + 1), &(part(1) + 1)));
    assert!(repeats(&(part(0) + part(8)), &(part(4) + part(12))));
    assert!(!repeats(&(part(0) + part(8)), &(part(0) + part(12))));
    assert!(!repeats(
        &(part(0) + part(8)),
        &(part(0) + y.slice(s![..8]).unwrap())
    ));
    // Lengths and strides.
    assert!(!repeats(&(part(0) + 1), &(x.slice(s![..9]).unwrap() + 1)));
    assert!(!repeats(
        &(part(0) + 1),
        &(x.slice(s![..16;2]).unwrap() + 1)
    ));
    let index = |axis: usize| Expr::index([4, 4], axis).unwrap();
    assert!(!repeats(&(index(0) + 1), &(index(1) + 1)));
    // Parameters of operations.
    assert!(!repeats(&x.less(1), &x.greater(1)));
    let real = Array::<f32>::zeros(&stream, [64]).unwrap();
    assert!(!repeats(&real.var_axis(0, 0), &real.var_axis(0, 1)));
    assert!(!repeats(&x.sum().keep_axes(), &x.sum()));
    let view = |expression: Expr<i64>, from: usize| {
        let sum = expression.reshape([8, 8]).unwrap().sum_axis(1);
        (sum * 2).slice(s![from..from + 4]).unwrap()
    };
    assert!(!repeats(&view(&x + 1, 0), &view(&x + 1, 4)));
}

#[test]
fn large_expressions_and_random_numbers_are_planned_each_time() {
    let stream = stream();
    let x = Array::<i64>::zeros(&stream, [4]).unwrap();
    let has_signature =
        |expression: &Expr<i64>| Signature::new().read(&[&expression.node], None).is_some();
    let chain = |length: usize| (1..length).fold(x.expr(), |chain, _| -chain);
    assert!(has_signature(&chain(40)) && !has_signature(&chain(41)));
    let mut random = crate::random::Random::new(1);
    let bits = Expr::<u32>::bits(&mut random, [4]).unwrap();
    assert!(!has_signature(&(&x + bits.cast::<i64>())));
}

#[test]
fn evaluations_are_forgotten_when_there_are_too_many() {
    let stream = stream();
    let kernels = Kernels::new(stream.context()).unwrap();
    let repeats: &Repeats = kernels.repeats().get();
    let x = Array::<i64>::zeros(&stream, [8]).unwrap() + 1;
    let nodes = [&x.node];
    let mut signature = Signature::new();
    let signature = signature.read(&nodes, None).unwrap();
    let add = |hash| {
        let mut record = Record::new(signature).unwrap();
        record.hash = hash;
        record.finish(repeats, &[]);
    };
    (0..MOST as u64).for_each(add);
    assert_eq!(repeats.0.read().unwrap().len(), MOST);
    add(MOST as u64);
    assert_eq!(repeats.0.read().unwrap().len(), 1);
}

#[test]
fn evaluations_that_differ_in_one_detail_are_all_kept() {
    let stream = stream();
    let x = Array::<f32>::zeros(&stream, [8, 8]).unwrap();
    let slice = |from: usize| {
        let sums = (&x + 1.0).sum_axis(1);
        (sums * 2.0).slice(s![from..from + 4]).unwrap().node
    };
    let index = |axis: usize| Expr::index([8, 8], axis).unwrap().cast::<f32>().node;
    let part = |row: usize| {
        let part = |row: usize| x.slice(s![row..row + 2]).unwrap();
        (part(0) + part(row)).node
    };
    let nodes = [
        x.sin().node,
        x.cos().node,
        x.tan().node,
        (&x + 1.0).node,
        (&x - 1.0).node,
        x.less(1.0).node,
        x.greater(1.0).node,
        x.var_axis(0, 0).node,
        x.var_axis(0, 1).node,
        x.min_axis(1).node,
        x.max_axis(1).node,
        slice(0),
        slice(4),
        index(0),
        index(1),
        part(2),
        part(4),
    ];
    let mut hashes: Vec<u64> = nodes
        .iter()
        .map(|node| Signature::new().read(&[node], None).unwrap().hash())
        .collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), nodes.len());
}
