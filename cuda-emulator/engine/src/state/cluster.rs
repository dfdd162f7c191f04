//! A cluster: blocks that run together, wait for each other, and reach each other's shared memory.
//!
//! All blocks of a cluster are on one worker, which runs one of them at a time. So nothing here is shared between
//! threads of the host.
//!
//! A shared address without a rank, below 2^24, is the running block's own. `mapa` puts the rank of another block, plus
//! one, into the bits above; generic addresses always have a rank there, so that they can be handed to other blocks.
//! Accesses to a block's own memory know nothing of that: other addresses are past its end,
//! and what is past the end is looked at again before it is called a fault.

use super::bulk::Bulk;
use super::shadow::Shadow;
use crate::boundary::SHARED_WINDOW;

/// Above these bits of a shared address stands whose it is.
const OFFSET_BITS: u32 = 24;

/// The most blocks of a cluster.
pub(crate) const MOST: u32 = 16;

/// Ranks that an address of an H200 can have: another one isn't an address at all.
pub(crate) const RANKS: u32 = 32;

/// The greatest rank that an address tells from others. Of a rank a GPU takes eight bits.
const LAST: u32 = 254;

/// A block as the others of its cluster see it.
pub(crate) struct Peer {
    pub memory: *mut u8,
    /// Threads that haven't ended.
    pub live: u32,
    /// While the block doesn't run: what the checks know of its memory, and the copies that it waits for.
    pub shadow: Option<Box<Shadow>>,
    pub bulk: Vec<Bulk>,
}

/// A cluster of several blocks that is alive.
pub(crate) struct Cluster {
    /// The block that runs.
    pub rank: u32,
    /// The blocks by their ranks.
    pub peers: Vec<Peer>,
    /// Threads that have come to the barrier, of those that haven't ended.
    pub arrived: u32,
    /// How often the barrier has opened.
    pub opened: u64,
}

/// Whose shared memory an address leads to, and where in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The running block's.
    Own(u64),
    /// That of another rank, which may not be there.
    Peer(u32, u64),
}

impl Cluster {
    /// Threads of all blocks that haven't ended.
    pub(crate) fn live(&self) -> u32 {
        self.peers.iter().map(|peer| peer.live).sum()
    }

    /// Where a shared address leads.
    pub(crate) fn place(&self, address: u64) -> Place {
        let offset = address & ((1 << OFFSET_BITS) - 1);
        match (address >> OFFSET_BITS).checked_sub(1) {
            None => Place::Own(offset),
            Some(rank) if rank == u64::from(self.rank) => Place::Own(offset),
            Some(rank) => Place::Peer(rank.min(u64::from(LAST)) as u32, offset),
        }
    }

    /// Where a host address within some block's `size` bytes of shared memory leads.
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

    /// The rank that an address names.
    pub(crate) fn rank_of(&self, address: u64) -> u32 {
        match self.place(address) {
            Place::Own(_) => self.rank,
            Place::Peer(rank, _) => rank,
        }
    }

    /// As a generic address has it: an address without a rank gets the running block's.
    pub(crate) fn name(&self, address: u64) -> u64 {
        if is_named(address) {
            return address;
        }
        absolute(address, self.rank)
    }

    /// Back from [`Cluster::name`].
    pub(crate) fn unname(&self, address: u64) -> u64 {
        if address >> OFFSET_BITS == u64::from(self.rank) + 1 {
            return address & ((1 << OFFSET_BITS) - 1);
        }
        address
    }

    /// The address in the memory of `rank` that corresponds to `address`. The running block's own has no rank.
    pub(crate) fn map(&self, address: u64, rank: u32) -> u64 {
        if rank & 0xff == self.rank {
            return address & ((1 << OFFSET_BITS) - 1);
        }
        absolute(address, rank)
    }
}

/// As [`Cluster::map`], the same from every block.
pub(crate) fn absolute(address: u64, rank: u32) -> u64 {
    let offset = address & ((1 << OFFSET_BITS) - 1);
    u64::from((rank & 0xff).min(LAST) + 1) << OFFSET_BITS | offset
}

/// The generic address of the running block's shared memory. In a cluster it names the block, so that it leads to the
/// same place from the others.
pub(crate) fn window(cluster: Option<&Cluster>) -> u64 {
    SHARED_WINDOW + cluster.map_or(0, |cluster| absolute(0, cluster.rank))
}

/// Whether a shared address names a block.
pub(crate) fn is_named(address: u64) -> bool {
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
    fn addresses_lead_where_they_were_mapped() {
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
