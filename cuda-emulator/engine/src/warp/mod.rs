//! Instructions that involve several lanes of a warp: control flow, exchange, tensor cores, system
//! functions.

pub(super) mod control;
pub(super) mod exchange;
pub(super) mod fragment;
pub(super) mod graph;
pub(super) mod print;
pub(super) mod tensor;
