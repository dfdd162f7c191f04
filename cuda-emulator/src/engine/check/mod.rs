//! The optional checks: uninitialised reads, races, barriers that not all reach.

pub(super) mod access;
pub(super) mod race;
