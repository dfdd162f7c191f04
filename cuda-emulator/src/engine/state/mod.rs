//! What an instruction sees: the running fragment, its frame, special registers.

pub(super) mod context;
pub(super) mod special;
