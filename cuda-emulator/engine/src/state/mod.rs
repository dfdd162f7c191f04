//! The state of execution: the running fragment, its frame, special registers, and checks.

pub(super) mod bulk;
pub(super) mod clock;
pub(super) mod cluster;
pub(super) mod context;
pub(super) mod frame;
pub(super) mod grid_race;
pub(super) mod launch;
pub(super) mod op;
pub(super) mod order;
pub(super) mod race;
pub(super) mod reduction;
pub(super) mod regions;
pub(super) mod shadow;
pub(super) mod special;
pub(super) mod tile;
pub(super) mod touch;
