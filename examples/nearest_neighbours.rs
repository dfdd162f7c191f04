//! Nearest neighbours: the closest points to each query, by distances and `bottom_k`.
//!
//! ```text
//! nearest_neighbours [POINTS [QUERIES]]
//! ```
//!
//! Shows distances of all pairs as one expression, the smallest elements of each row with their indices, and a classification
//! by the majority of the neighbours. The neighbours of some queries are compared with the CPU's.

mod common;

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use common::{
    gpu::{Gpu, heading},
    measure::show,
};
use cuda_compute::{Array, Expr, NewAxis, Random, s};

/// Dimensions of the points.
const SPACE: usize = 8;
/// Neighbours of each query.
const NEIGHBOURS: usize = 5;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, otherwise: usize| match arguments.get(at) {
        Some(text) => text
            .parse()
            .with_context(|| format!("{text} is not a number")),
        None => Ok(otherwise),
    };
    let gpu = Gpu::open()?;
    let count = number(0, gpu.size(100_000, 1000))?;
    let queries = number(1, gpu.size(1000, 20))?;
    ensure!(
        count >= NEIGHBOURS && queries > 0,
        "expected at least {NEIGHBOURS} points and one query"
    );
    heading(format!(
        "{NEIGHBOURS} of {count} points in {SPACE} dimensions for each of {queries} queries"
    ));

    let mut random = Random::new(11);
    let points = Array::<f32>::normal(&gpu.stream, &mut random, [count, SPACE])?;
    let asked = Array::<f32>::normal(&gpu.stream, &mut random, [queries, SPACE])?;
    // The class of a point: on which side of a plane it is.
    let side = |x: &Array<f32>| x.sum_axis(1).greater(0.0);
    let class = side(&points).eval()?;

    let clock = Instant::now();
    let (squares, places) = distances(&points, &asked)?.bottom_k_axis(NEIGHBOURS, 1)?;
    let votes = class.take(&places, 0)?.count_axis(1);
    let guess = votes.greater(NEIGHBOURS / 2);
    let right = guess.equal(side(&asked)).count().item()?;
    println!("found in {}", show(clock.elapsed()));
    println!("{right} of {queries} queries have the class of most of their neighbours");

    let (points, asked) = (points.to_vec()?, asked.to_vec()?);
    let (squares, places) = (squares.to_vec()?, places.to_vec()?);
    for query in (0..queries).step_by(queries.div_ceil(20)) {
        let own = &asked[query * SPACE..][..SPACE];
        let square = |at: usize| {
            let point = points[at * SPACE..][..SPACE].iter();
            point.zip(own).map(|(x, y)| (x - y).powi(2)).sum::<f32>()
        };
        let mut wanted: Vec<f32> = (0..count).map(square).collect();
        wanted.sort_unstable_by(f32::total_cmp);
        for i in 0..NEIGHBOURS {
            let (found, at) = (
                squares[query * NEIGHBOURS + i],
                places[query * NEIGHBOURS + i],
            );
            // The order of additions differs.
            let close = |other: f32| (found - other).abs() <= 1e-5 * found;
            ensure!(
                close(wanted[i]) && close(square(at)),
                "neighbour {i} of query {query} is at {found}, not at {}",
                wanted[i]
            );
        }
    }
    // Chance would give half, and neighbours give most.
    ensure!(
        queries < 20 || 10 * right > 6 * queries,
        "only {right} queries are right"
    );
    println!("the neighbours are those of the CPU");
    Ok(())
}

/// Returns the squared distances, with a row for each query and a column for each point.
fn distances(points: &Array<f32>, asked: &Array<f32>) -> Result<Expr<f32>> {
    let away = asked.slice(s![.., NewAxis, ..])? - points.slice(s![NewAxis, .., ..])?;
    Ok((&away * &away).sum_axis(2))
}
