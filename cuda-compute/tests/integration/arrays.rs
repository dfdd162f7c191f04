//! Programs with arrays, one for each way in which they are computed. They are small, so that each
//! of their driver calls can be made to fail.

use cuda_compute::{
    Array, Combination, Expr, Order, Pad, Random, Result, concatenate, device_fn, eval, eval_on,
    fold, s, stack,
};
use cuda_safe::Stream;

use super::again::{runs, same, whole};
use crate::device;

fn run(program: fn(&Stream) -> Result<()>) {
    let (_context, stream) = device();
    runs(&stream, program);
}

fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i * 7 % 100) as f32).collect()
}

#[test]
fn elementwise_expressions() {
    run(|stream| {
        let x = Array::from_slice(stream, &numbers(1003))?;
        let larger = device_fn!(|a: f32, b: f32| if a < b { b } else { a });
        let (y, z) = eval((larger.map((&x, 10.0)) * 2.0, x.less(50.0)))?;
        let wanted: Vec<f32> = numbers(1003).iter().map(|x| x.max(10.0) * 2.0).collect();
        same(y.to_vec()?, wanted);
        same(z.to_vec()?[..3].to_vec(), vec![true; 3]);
        Ok(())
    });
}

#[test]
fn reductions_across_blocks() {
    run(|stream| {
        let x = Array::from_shape(stream, [2, 30_000], &numbers(60_000))?;
        let longest = fold!(|a: f32, b: f32| a.max(b), 0.0);
        let (rows, all, most) = eval((x.sum_axis(1), x.max(), x.reduce(longest)))?;
        same(rows.to_vec()?, vec![1_485_000.0; 2]);
        same([all.item()?, most.item()?], [99.0; 2]);
        let columns = Array::from_shape(stream, [30_000, 2], &numbers(60_000))?
            .sum_axis(0)
            .eval()?;
        same(columns.to_vec()?, vec![1_470_000.0, 1_500_000.0]);
        Ok(())
    });
}

#[test]
fn rows_with_their_sums() {
    run(|stream| {
        let x = Array::from_shape(stream, [30, 100], &numbers(3000))?;
        let centred = (&x - x.mean_axis(1).keep_axes()).eval()?;
        same(centred.sum_axis(1).eval()?.to_vec()?, vec![0.0; 30]);
        // Reductions in separate kernels, whose results the rest needs.
        let scaled = (&x / x.max()).eval()?;
        same(scaled.max().eval()?.item()?, 1.0);
        Ok(())
    });
}

#[test]
fn transpositions_and_copies() {
    run(|stream| {
        let x = Array::from_shape(stream, [70, 40], &numbers(2800))?;
        let turned = x.t().contiguous(Order::C)?;
        same(
            turned.slice(s![3])?.to_vec()?[..2].to_vec(),
            vec![numbers(4)[3], numbers(44)[43]],
        );
        let both = (&turned + x.reshape([40, 70])?).eval()?;
        same(both.copy()?.shape().rank(), 2);
        same(x.slice(s![..;-7, 5])?.to_vec()?.len(), 10);
        Ok(())
    });
}

#[test]
fn scans() {
    run(|stream| {
        // A line of several tiles, which exchange their sums, and columns.
        let ones = Array::<u32>::ones(stream, 20_000)?;
        same(ones.cumsum(0)?.to_vec()?, (1..=20_000).collect());
        let columns = ones
            .reshape([10_000, 2])?
            .scan_exclusive(Combination::sum(), 0)?;
        same(columns.slice(s![-1])?.to_vec()?, vec![9_999; 2]);
        Ok(())
    });
}

#[test]
fn selections() {
    run(|stream| {
        let x = Array::from_slice(stream, &numbers(20_000))?;
        let (small, large) = x.partition_by(x.less(10.0))?;
        same((small.len(), large.len()), (2000, 18_000));
        same(x.compress(x.equal(7.0))?.len(), 200);
        same(
            x.equal(7.0).nonzero()?.to_vec()?[..2].to_vec(),
            vec![1, 101],
        );
        Ok(())
    });
}

#[test]
fn gathers_and_counts() {
    run(|stream| {
        let x = Array::from_slice(stream, &numbers(500))?;
        let places = Array::from_slice(stream, &[4i32, -1, 0])?;
        same(x.take(&places, 0)?.to_vec()?, vec![28.0, 93.0, 0.0]);
        let counts = x.cast::<u32>().histogram(100)?;
        same(counts.to_vec()?, vec![5; 100]);
        let error = x.take(&Array::from_slice(stream, &[500i32])?, 0);
        // A driver error is returned if an injected failure caused it. Otherwise the error is about
        // the values.
        if let Err(error @ cuda_compute::Error::Cuda(_)) = error {
            return Err(error);
        }
        Ok(())
    });
}

#[test]
fn access_by_several_indices() {
    run(|stream| {
        let x = Array::from_shape(stream, [50, 10], &numbers(500))?;
        let rows = Array::from_slice(stream, &[4i32, -1])?;
        let columns = Array::from_slice(stream, &[0u8, 3])?.cast::<i32>();
        let picked = x.take_nd(&[&rows.expr(), &columns])?;
        same(picked.to_vec()?, vec![80.0, 51.0]);
        let places = rows.reshape([1, 2])?;
        let along = x.slice(s![.., ..2])?.take_along_axis(&places, 0)?;
        same(along.to_vec()?, vec![80.0, 37.0]);
        let mut y = x.clone();
        let mut after = numbers(500);
        (after[40], after[493]) = (-1.0, -1.0);
        let done = y.put_nd(&[&rows.expr(), &columns], -1.0);
        whole(done, &y, &numbers(500), &after)?;
        Ok(())
    });
}

#[test]
fn padded_inserted_and_interpolated() {
    run(|stream| {
        let x = Array::from_slice(stream, &[1.0f32, 2.0, 3.0])?;
        let padded = (&x * 2.0).pad([(1, 1)], Pad::Reflect)?;
        same(padded.to_vec()?, vec![4.0, 2.0, 4.0, 6.0, 4.0]);
        let longer = x.insert([0, 3], 9.0, 0)?;
        same(longer.to_vec()?, vec![9.0, 1.0, 2.0, 3.0, 9.0]);
        let square = x.delete(1, 0)?.diag(0)?;
        same(square.to_vec()?, vec![1.0, 0.0, 0.0, 3.0]);
        same((&x + 0.5).interp(&x, &x)?.to_vec()?, vec![1.5, 2.5, 3.0]);
        same(x.gradient(0.5, 0)?.to_vec()?, vec![2.0; 3]);
        let steps = x.linear_recurrence(2.0, 1.0, 0)?;
        same(steps.to_vec()?, vec![3.0, 8.0, 19.0]);
        same(x.cummax_with_indices(0)?.1.to_vec()?, vec![0, 1, 2]);
        same([x.nanvar(1).item()?, x.cov(1)?.item()?], [1.0; 2]);
        Ok(())
    });
}

#[test]
fn joins() {
    run(|stream| {
        let x = Array::from_slice(stream, &[1, 2, 3])?;
        let y = Array::from_slice(stream, &[4, 5, 6])?;
        same(concatenate(&[&x, &y], 0)?.to_vec()?, vec![1, 2, 3, 4, 5, 6]);
        same(stack(&[&x, &y], 1)?.to_vec()?, vec![1, 4, 2, 5, 3, 6]);
        same(x.flip(0)?.to_vec()?, vec![3, 2, 1]);
        Ok(())
    });
}

#[test]
fn random_numbers_and_permutations() {
    run(|stream| {
        let mut random = Random::new(5);
        let first = Array::<f32>::uniform(stream, &mut random, 1000)?;
        let again = Array::<f32>::uniform(stream, &mut Random::new(5), 1000)?;
        same(first.to_vec()?, again.to_vec()?);
        let places = eval_on(stream, Expr::index([2, 3], 1)?)?;
        same(places.to_vec()?, vec![0, 1, 2, 0, 1, 2]);
        Ok(())
    });
}

#[test]
fn assignments_are_all_or_nothing() {
    run(|stream| {
        let before: Vec<i32> = (0..1000).collect();
        let mut x = Array::from_slice(stream, &before)?;
        // In place.
        let twice: Vec<i32> = before.iter().map(|x| x * 2).collect();
        let done = x.assign(&x * 2);
        whole(done, &x, &before, &twice)?;
        // Source and destination overlap, so the values pass through temporary memory.
        let mut shifted = twice.clone();
        shifted.copy_within(..999, 1);
        let tail = x.slice(s![..999])?;
        let done = x.slice_mut(s![1..])?.assign(tail);
        whole(done, &x, &twice, &shifted)?;
        // The memory is shared, so it is copied first. The sum is computed before that.
        let kept = x.clone();
        let sum: i32 = shifted.iter().sum();
        let summed: Vec<i32> = shifted.iter().map(|x| x + sum).collect();
        let done = x.assign(&x + x.sum());
        whole(done, &x, &shifted, &summed)?;
        same(kept.to_vec()?, shifted);
        Ok(())
    });
}

#[test]
fn scatters_are_all_or_nothing() {
    run(|stream| {
        let before = vec![0.0f32; 300];
        let mut x = Array::from_slice(stream, &before)?;
        let mut after = before.clone();
        after[7] = 1.0;
        after[250] = 2.0;
        let places = Array::from_slice(stream, &[7u32, 250])?;
        let values = Array::from_slice(stream, &[1.0f32, 2.0])?;
        let kept = x.clone();
        let done = x.put(&places, &values);
        whole(done, &x, &before, &after)?;
        same(kept.to_vec()?, before);
        Ok(())
    });
}

#[test]
fn combining_scatters_are_all_or_nothing() {
    run(|stream| {
        let before = vec![0.5f32; 300];
        let mut x = Array::from_slice(stream, &before)?;
        let mut after = before.clone();
        after[7] = 4.5;
        let places = Array::from_slice(stream, &[7u32, 7])?;
        let values = Array::from_slice(stream, &[1.0f32, 3.0])?;
        let kept = x.clone();
        let done = x.put_add(&places, &values);
        whole(done, &x, &before, &after)?;
        let before = x.to_vec()?;
        let mut after = before.clone();
        after[7] = 9.0;
        let done = x.put_max(&places, &values * 3.0);
        whole(done, &x, &before, &after)?;
        same(kept.to_vec()?, vec![0.5f32; 300]);
        Ok(())
    });
}

#[test]
fn copies_to_the_host_and_back() {
    run(|stream| {
        let before = numbers(900);
        let mut x = Array::from_shape(stream, [30, 30], &before)?;
        let after: Vec<f32> = before.iter().map(|x| x + 1.0).collect();
        let done = x.copy_from_slice(&after);
        whole(done, &x, &before, &after)?;
        let mut host = vec![0.0; 900];
        x.t().copy_to_slice(&mut host)?;
        same(host[1], after[30]);
        let truth = Array::from_slice(stream, &[true, false])?;
        same(truth.to_vec()?, vec![true, false]);
        Ok(())
    });
}
