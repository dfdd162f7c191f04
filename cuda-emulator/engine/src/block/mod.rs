//! Blocks and their warps: scheduling, barriers, fault reports.

pub(super) mod barriers;
pub(super) mod checks;
pub(super) mod cluster;
pub(super) mod events;
pub(super) mod report;
pub(super) mod schedule;
pub(super) mod worker;
