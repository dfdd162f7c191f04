//! A cluster: blocks that run together, wait for each other, and access each other's shared memory.
//!
//! One worker runs all blocks of a cluster, one at a time. Nothing here is shared between host
//! threads.
//!
//! A shared address without a rank, below 2^24, belongs to the running block. `mapa` puts the rank
//! of another block, plus one, into the bits above. Generic addresses always contain a rank, so
//! that they can be passed to other blocks. Accesses to a block's own memory do not handle ranks:
//! other addresses are past its end, and addresses past the end are checked again before they
//! become a fault.

use super::bulk::Bulk;
use super::shadow::Shadow;
use crate::boundary::SHARED_WINDOW;

/// The bits of a shared address above these contain the block.
const OFFSET_BITS: u32 = 24;

/// Maximum number of blocks in a cluster.
pub(crate) const MOST: u32 = 16;

/// Number of ranks that an H200's address can contain. An address with another rank is invalid.
pub(crate) const RANKS: u32 = 32;

/// The largest rank that addresses distinguish. A GPU uses eight bits of a rank.
const LAST: u32 = 254;

/// The part of a block's state that the other blocks of its cluster use.
pub(crate) struct Peer {
    pub memory: *mut u8,
    /// Threads that have not ended.
    pub live: u32,
    /// While the block does not run: the shadow of its memory, and its pending copies.
    pub shadow: Option<Box<Shadow>>,
    pub bulk: Vec<Bulk>,
}

/// A resident cluster of several blocks.
pub(crate) struct Cluster {
    /// The running block.
    pub rank: u32,
    /// The blocks, indexed by rank.
    pub peers: Vec<Peer>,
    /// Number of threads that have arrived at the barrier and not ended.
    pub arrived: u32,
    /// How often the barrier has opened.
    pub opened: u64,
}

/// The block and offset of a shared-memory address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the running block.
    Own(u64),
    /// In the block with another rank, which may not exist.
    Peer(u32, u64),
}

impl Cluster {
    /// Returns the number of threads of all blocks that have not ended.
    pub(crate) fn live(&self) -> u32 {
        self.peers.iter().map(|peer| peer.live).sum()
    }

    /// Returns the place of a shared address.
    pub(crate) fn place(&self, address: u64) -> Place {
        let offset = address & ((1 << OFFSET_BITS) - 1);
        match (address >> OFFSET_BITS).checked_sub(1) {
            None => Place::Own(offset),
            Some(rank) if rank == u64::from(self.rank) => Place::Own(offset),
            Some(rank) => Place::Peer(rank.min(u64::from(LAST)) as u32, offset),
        }
    }

    /// Returns the place of a host address within some block's `size` bytes of shared memory.
    pub(crate) fn place_of_host(&self, host: u64, size: u64) -> Option<Place> {
        let offset = |peer: &Peer| host.wrapping_sub(peer.memory as u64);
        let rank = self.peers.iter().position(|peer| offset(peer) < size)?;
        let offset = offset(&self.peers[rank]);
        Some(if rank == self.rank as usize {
            Place::Own(offset)
        } else {
            Place::Peer(rank as u32, offset)
        })
    }

    /// Returns the rank in an address.
    pub(crate) fn rank_of(&self, address: u64) -> u32 {
        match self.place(address) {
            Place::Own(_) => self.rank,
            Place::Peer(rank, _) => rank,
        }
    }

    /// Converts to the form in generic addresses: an address without a rank gets the running
    /// block's.
    pub(crate) fn with_rank(&self, address: u64) -> u64 {
        if has_rank(address) {
            return address;
        }
        absolute(address, self.rank)
    }

    /// Removes the rank that [`Cluster::with_rank`] adds.
    pub(crate) fn without_rank(&self, address: u64) -> u64 {
        if address >> OFFSET_BITS == u64::from(self.rank) + 1 {
            return address & ((1 << OFFSET_BITS) - 1);
        }
        address
    }

    /// Returns the address in the memory of `rank` that corresponds to `address`. The running
    /// block's own addresses have no rank.
    pub(crate) fn map(&self, address: u64, rank: u32) -> u64 {
        if rank & 0xff == self.rank {
            return address & ((1 << OFFSET_BITS) - 1);
        }
        absolute(address, rank)
    }
}

/// The same as [`Cluster::map`], with the same result in every block.
pub(crate) fn absolute(address: u64, rank: u32) -> u64 {
    let offset = address & ((1 << OFFSET_BITS) - 1);
    u64::from((rank & 0xff).min(LAST) + 1) << OFFSET_BITS | offset
}

/// Returns the generic address of the running block's shared memory. In a cluster it contains the
/// block, so that it has the same meaning in the other blocks.
pub(crate) fn window(cluster: Option<&Cluster>) -> u64 {
    SHARED_WINDOW + cluster.map_or(0, |cluster| absolute(0, cluster.rank))
}

/// Returns whether a shared address contains a block.
pub(crate) fn has_rank(address: u64) -> bool {
    address >> OFFSET_BITS != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster(rank: u32, blocks: usize) -> Cluster {
        let peer = |n: usize| Peer {
            memory: (0x1000 * (n + 1)) as *mut u8,
            live: 32,
            shadow: None,
            bulk: Vec::new(),
        };
        Cluster {
            rank,
            peers: (0..blocks).map(peer).collect(),
            arrived: 0,
            opened: 0,
        }
    }

    #[test]
    fn mapped_addresses_resolve_to_their_blocks() {
        let one = cluster(1, 4);
        for rank in 0..4 {
            let at = one.map(0x123, rank);
            let wanted = match rank {
                1 => Place::Own(0x123),
                _ => Place::Peer(rank, 0x123),
            };
            assert_eq!(one.place(at), wanted);
            assert_eq!(one.place(absolute(0x123, rank)), wanted);
            assert_eq!(one.rank_of(at), rank);
            assert_eq!(one.map(at, rank), at);
            assert!(at <= u64::from(u32::MAX));
            let host = 0x1000 * (u64::from(rank) + 1) + 0x123;
            assert_eq!(one.place_of_host(host, 0x1000), Some(wanted));
        }
        assert_eq!(one.place_of_host(0x5000, 0x1000), None);
        assert_eq!(one.rank_of(one.map(8, 254)), 254);
        assert_eq!(one.rank_of(one.map(8, 256)), 0);
        assert_eq!(one.map(8, 257), 8);
        assert!(one.rank_of(one.map(8, u32::MAX)) > RANKS);
    }
}
