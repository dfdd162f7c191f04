//! What each lane does on its own.

pub(super) mod arithmetic;
pub(super) mod clock;
