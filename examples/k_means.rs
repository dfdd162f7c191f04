//! k-means: finds the clusters of points, with arrays only.
//!
//! ```text
//! k_means [POINTS [CLUSTERS]]
//! ```
//!
//! Shows broadcasting of arrays with three axes, the index of the smallest element along an axis, sums of elements that a
//! comparison selects, gathered elements, and random numbers. The example checks that the clusters are found at their
//! original places, and checks a mathematical property of each step.

mod common;

use anyhow::{Context, Result, ensure};
use common::{
    gpu::{Gpu, heading},
    measure::show,
    table::Table,
};
use cuda_compute::{Array, Expr, NewAxis, Random, concatenate, eval, s};

/// Dimensions of the points.
const SPACE: usize = 3;
/// Standard deviation of a cluster's points from its centre, on each axis.
const DEVIATION: f32 = 0.07;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, otherwise: usize| match arguments.get(at) {
        Some(text) => text
            .parse()
            .with_context(|| format!("{text} is not a number")),
        None => Ok(otherwise),
    };
    let gpu = Gpu::open()?;
    let count = number(0, gpu.size(1 << 20, 4000))?;
    let clusters = number(1, 8)?;
    ensure!(
        (1..=8).contains(&clusters) && count >= 100 * clusters,
        "expected 1 to 8 clusters and at least 100 points per cluster"
    );
    heading(format!("{count} points in {clusters} clusters"));

    let (points, truth) = clouds(&gpu, count, clusters)?;
    let mut centres = far_apart(&points, clusters)?;
    let mut table = Table::new(&[
        "step",
        "mean squared distance",
        "centres moved",
        "by the clock",
    ]);
    let mut before = f32::INFINITY;
    for step in 1..=50 {
        let clock = std::time::Instant::now();
        let found = Step::of(&points, &centres)?;
        table.row([
            step.to_string(),
            format!("{:.6}", found.distance),
            format!("{:.6}", found.moved),
            show(clock.elapsed()),
        ]);
        // Neither half of a step can increase the distances between points and centres.
        ensure!(
            found.distance <= before * (1.0 + 1e-5),
            "the distances increased"
        );
        before = found.distance;
        centres = found.centres;
        if found.moved < 1e-6 {
            break;
        }
    }
    print!("{table}");
    check(&centres, &truth, before, count / clusters)
}

/// Returns points in randomly chosen clusters, and the clusters' centres, which are corners of a cube.
fn clouds(gpu: &Gpu, points: usize, clusters: usize) -> Result<(Array<f32>, Array<f32>)> {
    let corners: Vec<f32> = (0..clusters)
        .flat_map(|corner| (0..SPACE).map(move |axis| (corner >> axis & 1) as f32))
        .collect();
    let truth = Array::from_shape(&gpu.stream, [clusters, SPACE], &corners)?;
    let mut random = Random::new(2013);
    let cluster =
        Array::<u32>::uniform_integers(&gpu.stream, &mut random, points, 0..clusters as u32)?;
    let spread = Expr::<f32>::normal(&mut random, [points, SPACE])? * DEVIATION;
    Ok(((truth.take(&cluster, 0)? + spread).eval()?, truth))
}

/// Returns the squared distances, with a row for each point and a column for each centre.
fn distances(points: &Array<f32>, centres: &Array<f32>) -> Result<Expr<f32>> {
    let away = points.slice(s![.., NewAxis, ..])? - centres.slice(s![NewAxis, .., ..])?;
    Ok((&away * &away).sum_axis(2))
}

/// Chooses the first centres: the first point, and then always the point farthest from all centres so far.
fn far_apart(points: &Array<f32>, clusters: usize) -> Result<Array<f32>> {
    let mut centres = points.slice(s![..1])?;
    for _ in 1..clusters {
        let nearest = distances(points, &centres)?.min_axis(1);
        let place = nearest.argmax().eval()?.item()?;
        centres = concatenate(&[&centres, &points.slice(s![place..place + 1])?], 0)?;
    }
    Ok(centres)
}

/// A step: assigns each point to its nearest centre, then moves each centre to the mean of its points.
struct Step {
    centres: Array<f32>,
    /// The mean squared distance of points from the centres before the step.
    distance: f32,
    /// The largest change of a centre's coordinate.
    moved: f32,
}

impl Step {
    fn of(points: &Array<f32>, centres: &Array<f32>) -> Result<Self> {
        let clusters = centres.shape()[0];
        let all = distances(points, centres)?;
        let (nearest, distance) = eval((all.argmin_axis(1), all.min_axis(1)))?;

        // Points along the first axis, clusters along the second, coordinates along the third.
        let member = nearest
            .slice(s![.., NewAxis, NewAxis])?
            .equal(Expr::index([1, clusters, 1], 1)?);
        let chosen = member.select(points.slice(s![.., NewAxis, ..])?, 0.0);
        let middle = (chosen.sum_axis(0) / member.count_axis(0).cast::<f32>()).eval()?;

        let moved = (&middle - centres).abs().max();
        let (moved, distance) = (moved.eval()?.item()?, distance.mean().eval()?.item()?);
        Ok(Self {
            centres: middle,
            distance,
            moved,
        })
    }
}

/// Checks that the centres are at the original places, within the error of a mean of this number of points.
fn check(centres: &Array<f32>, truth: &Array<f32>, distance: f32, each: usize) -> Result<()> {
    let all = distances(centres, truth)?;
    let (which, off) = eval((all.argmin_axis(1), all.min_axis(1)))?;
    let mut which = which.to_vec()?;
    which.sort_unstable();
    ensure!(
        which.iter().copied().eq(0..truth.shape()[0]),
        "not every cluster was found: {which:?}"
    );
    let off = off.max().eval()?.item()?.sqrt();
    let expected = DEVIATION / (each as f32).sqrt();
    println!(
        "centres are off by at most {off:.6}, and the mean of {each} points by about {expected:.6} on each axis"
    );
    ensure!(off < 6.0 * expected, "the centres are off by {off}");
    let variance = SPACE as f32 * DEVIATION * DEVIATION;
    ensure!(
        (distance / variance - 1.0).abs() < 0.1,
        "the mean squared distance of the points is {distance}, and the expected one {variance}"
    );
    Ok(())
}
