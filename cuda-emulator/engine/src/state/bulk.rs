//! Bulk copies that are on their way.

use super::touch::space;
use crate::state::reduction::Operation;
use crate::state::tile::Tile;

/// A copy that was issued and isn't done.
pub(crate) struct Bulk {
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
    /// What a copy by a tensor map is; its addresses are those in shared memory.
    pub tensor: Option<Box<Tensor>>,
}

/// A copy by a tensor map.
pub(crate) struct Tensor {
    pub tile: Tile,
    pub transfer: Transfer,
}

/// What an instruction with a tensor map does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transfer {
    /// From global to shared memory.
    Load,
    Store,
    /// Combines what is in global memory with what comes.
    Reduce(Operation),
    /// Nothing that shows.
    Prefetch,
}

/// How the end of the copy is signalled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// By an mbarrier at this offset in shared memory.
    Barrier(u64),
    /// By the thread's groups: how many it has closed since, 0 while the copy's own is open.
    Group(u32),
}

/// Between which spaces; the low bits of an instruction's `imm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Direction {
    GlobalToShared,
    SharedToGlobal,
    /// To another block of the cluster.
    SharedToPeer,
}

impl Direction {
    pub(crate) fn of(imm: u64) -> Direction {
        match imm {
            0 => Direction::GlobalToShared,
            1 => Direction::SharedToGlobal,
            _ => Direction::SharedToPeer,
        }
    }

    /// Source and destination.
    pub(crate) fn spaces(self) -> (u8, u8) {
        match self {
            Direction::GlobalToShared => (space::GLOBAL, space::SHARED),
            Direction::SharedToGlobal => (space::SHARED, space::GLOBAL),
            Direction::SharedToPeer => (space::SHARED, space::SHARED),
        }
    }
}
