//! Independent operations of each lane.

pub(super) mod arithmetic;
pub(super) mod clock;
