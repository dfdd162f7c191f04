//! What a call needs of its arguments, and what ranks compare before it.

use cuda_compute::{IntoShape, Shape};
use cuda_safe::Stream;

use crate::{
    collectives::Collectives,
    error::{Error, Result},
    spread::{
        agree::{Fact, agree, type_name},
        part,
    },
};

/// An error on all ranks unless all have this shape, this type and the other facts.
pub(super) fn expect_same<T>(
    ranks: &impl Collectives,
    stream: &Stream,
    shape: Result<Shape>,
    others: &[Fact],
) -> Result<()> {
    let mine = shape.map(|shape| {
        const AXES: [&str; 8] = [
            "axis 0", "axis 1", "axis 2", "axis 3", "axis 4", "axis 5", "axis 6", "axis 7",
        ];
        let mut facts = vec![
            Fact::Name("the call", "Sharded"),
            Fact::Name("the elements", type_name::<T>()),
            Fact::Number("the number of axes", shape.rank() as u64),
        ];
        let lengths = AXES.iter().zip(shape.as_slice());
        facts.extend(lengths.map(|(axis, &length)| Fact::Number(axis, length as u64)));
        facts.extend_from_slice(others);
        (facts, [])
    });
    agree(ranks, stream, mine).map(drop)
}

/// A shape that can be cut into rows.
pub(super) fn cut(shape: impl IntoShape) -> Result<Shape> {
    let shape = shape.into_shape()?;
    expect_rows(shape).map(|_| shape)
}

pub(super) fn expect_rows(shape: Shape) -> Result<usize> {
    shape
        .as_slice()
        .first()
        .copied()
        .ok_or_else(|| Error::Value("an array without axes has no rows to cut it into".into()))
}

/// An error, with the remedy, unless a part has the rows that are this rank's.
pub(super) fn expect_own_rows(
    ranks: &impl Collectives,
    rows: usize,
    shape: Shape,
    remedy: &str,
) -> Result<()> {
    let (rank, have) = (ranks.rank(), expect_rows(shape)?);
    let own = part(rows, ranks.size(), rank).len();
    if have == own {
        return Ok(());
    }
    Err(Error::Value(format!(
        "rank {rank} has {own} of {rows} rows, not {have}: {remedy}"
    )))
}

pub(super) fn no_root(root: usize, size: usize) -> Error {
    Error::Value(format!(
        "root {root}: the group has ranks 0 to {}",
        size.saturating_sub(1)
    ))
}
