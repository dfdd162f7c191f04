//! Checks of arguments, and the comparison between ranks before a call.

use cuda_compute::{IntoShape, Shape};
use cuda_safe::Stream;

use crate::{
    collectives::Collectives,
    error::{Error, Result},
    record::{CALL, Fact, type_name},
    spread::{agree::agree, part},
};

/// Returns an error on all ranks unless the shape, the type and the other facts are equal.
pub(super) fn expect_same<T>(
    ranks: &impl Collectives,
    stream: &Stream,
    shape: Result<Shape>,
    others: &[Fact],
) -> Result<()> {
    let mine = shape.map(|shape| {
        const AXES: [&str; 8] = [
            "the length of axis 0",
            "the length of axis 1",
            "the length of axis 2",
            "the length of axis 3",
            "the length of axis 4",
            "the length of axis 5",
            "the length of axis 6",
            "the length of axis 7",
        ];
        let mut facts = vec![
            Fact::Name(CALL, "Sharded"),
            Fact::Name("the element type", type_name::<T>()),
            Fact::Number("the number of axes", shape.rank() as u64),
        ];
        let lengths = AXES.iter().zip(shape.as_slice());
        facts.extend(lengths.map(|(axis, &length)| Fact::Number(axis, length as u64)));
        facts.extend_from_slice(others);
        (facts, [])
    });
    agree(ranks, stream, mine).map(drop)
}

/// Converts to a shape that can be divided into rows.
pub(super) fn cut(shape: impl IntoShape) -> Result<Shape> {
    let shape = shape.into_shape()?;
    expect_rows(shape).map(|_| shape)
}

pub(super) fn expect_rows(shape: Shape) -> Result<usize> {
    shape
        .as_slice()
        .first()
        .copied()
        .ok_or_else(|| Error::Value("an array without axes cannot be divided into rows".into()))
}

/// Returns an error, with the remedy, unless the part has the number of rows that belong to this
/// rank.
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
        "the part of rank {rank} must have {own} of {rows} rows, not {have}. Fix: {remedy}"
    )))
}

pub(super) fn no_root(root: usize, size: usize) -> Error {
    Error::Value(format!(
        "root {root} is not a rank of the group, which has ranks 0 to {}",
        size.saturating_sub(1)
    ))
}
