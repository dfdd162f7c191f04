//! What the lanes of a warp do together: control, exchange, tensor cores.

pub(super) mod control;
pub(super) mod exchange;
pub(super) mod fragment;
pub(super) mod graph;
pub(super) mod print;
pub(super) mod tensor;
