//! Pending bulk copies.

use super::touch::space;
use crate::state::reduction::Operation;
use crate::state::tile::Tile;

/// A copy that was issued and is not complete.
pub(crate) struct Bulk {
    pub to: u64,
    pub from: u64,
    pub bytes: u64,
    pub direction: Direction,
    pub end: End,
    /// The thread of the block and the instruction that issued it.
    pub thread: u32,
    pub pc: u32,
    /// The rank of the issuing block, if it is another block of the cluster. Shared addresses then
    /// contain their blocks.
    pub issuer: Option<u32>,
    /// The tensor of a copy with a tensor map. The copy's addresses are in shared memory.
    pub tensor: Option<Box<Tensor>>,
}

/// A copy with a tensor map.
pub(crate) struct Tensor {
    pub tile: Tile,
    pub transfer: Transfer,
}

/// The action of an instruction with a tensor map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transfer {
    /// From global to shared memory.
    Load,
    Store,
    /// Combines the contents of global memory with the new data.
    Reduce(Operation),
    /// No visible effect.
    Prefetch,
}

/// The way the completion of the copy is signaled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// By an mbarrier at this offset in shared memory.
    Barrier(u64),
    /// By the thread's groups. The value is the number of groups closed since, and 0 while the
    /// copy's own group is open.
    Group(u32),
}

/// The spaces of a copy, in the low bits of an instruction's `imm`.
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

    /// Returns source and destination.
    pub(crate) fn spaces(self) -> (u8, u8) {
        match self {
            Direction::GlobalToShared => (space::GLOBAL, space::SHARED),
            Direction::SharedToGlobal => (space::SHARED, space::GLOBAL),
            Direction::SharedToPeer => (space::SHARED, space::SHARED),
        }
    }
}
