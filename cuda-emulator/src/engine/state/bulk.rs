//! Bulk copies that are on their way.

use super::touch::space;

/// A copy that was issued and isn't done.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Bulk {
    pub to: u64,
    pub from: u64,
    pub bytes: u64,
    pub direction: Direction,
    pub end: End,
    /// Who issued it: thread of the block, and instruction.
    pub thread: u32,
    pub pc: u32,
    /// Another block of the cluster issued it: that one's rank. Shared addresses then name their blocks.
    pub issuer: Option<u32>,
}

/// How the end of the copy is signalled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum End {
    /// By an mbarrier at this offset in shared memory.
    Barrier(u64),
    /// By the thread's groups: how many it has closed since, 0 while the copy's own is open.
    Group(u32),
}

/// Between which spaces; the low bits of an instruction's `imm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(in crate::engine) enum Direction {
    GlobalToShared,
    SharedToGlobal,
    /// To another block of the cluster.
    SharedToPeer,
}

impl Direction {
    pub(in crate::engine) fn of(imm: u64) -> Direction {
        match imm {
            0 => Direction::GlobalToShared,
            1 => Direction::SharedToGlobal,
            _ => Direction::SharedToPeer,
        }
    }

    /// Source and destination.
    pub(in crate::engine) fn spaces(self) -> (u8, u8) {
        match self {
            Direction::GlobalToShared => (space::GLOBAL, space::SHARED),
            Direction::SharedToGlobal => (space::SHARED, space::GLOBAL),
            Direction::SharedToPeer => (space::SHARED, space::SHARED),
        }
    }
}
