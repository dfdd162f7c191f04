//! Clusters of several blocks: one worker runs all of their blocks, in turns.

use crate::engine::block::worker::{Block, Outcome, Worker};
use crate::engine::state::cluster::{Cluster, Peer};
use crate::engine::state::op::CLUSTER;

/// A cluster that is alive.
pub(in crate::engine) struct Gang {
    /// Its blocks by their ranks; None for those that have ended.
    blocks: Vec<Option<Block>>,
    /// None while it runs.
    cluster: Option<Box<Cluster>>,
}

/// What a worker runs by turns.
#[expect(
    clippy::large_enum_variant,
    reason = "blocks alone are the usual case, and are moved as they always were"
)]
pub(in crate::engine) enum Unit {
    Block(Block),
    Cluster(Gang),
}

impl Worker<'_> {
    /// Makes a block resident, or all those of a cluster, by its number.
    pub(in crate::engine) fn begin(&mut self, number: u64) -> Unit {
        let launch = self.launch;
        let grid = launch.shape.grid.map(u64::from);
        let index = |number: u64, sides: [u64; 3]| {
            [
                (number % sides[0]) as u32,
                (number / sides[0] % sides[1]) as u32,
                (number / sides[0] / sides[1]) as u32,
            ]
        };
        if launch.cluster_blocks == 1 {
            let at = index(number, grid);
            return Unit::Block(self.start(at, at, [0; 3], 0));
        }
        let sides = launch.cluster.map(u64::from);
        let clusters: [u64; 3] = std::array::from_fn(|axis| grid[axis] / sides[axis]);
        let which = index(number, clusters);
        let mut blocks = Vec::with_capacity(launch.cluster_blocks as usize);
        let mut peers = Vec::with_capacity(launch.cluster_blocks as usize);
        for rank in 0..launch.cluster_blocks {
            let within = index(u64::from(rank), sides);
            let at = std::array::from_fn(|axis| which[axis] * launch.cluster[axis] + within[axis]);
            let mut block = self.start(at, which, within, rank);
            peers.push(Peer {
                memory: block.shared.ptr(),
                live: block.live,
                shadow: block.shadow.take(),
                bulk: std::mem::take(&mut block.bulk),
            });
            blocks.push(Some(block));
        }
        let cluster = Some(Box::new(Cluster {
            rank: 0,
            peers,
            arrived: 0,
            opened: 0,
        }));
        Unit::Cluster(Gang { blocks, cluster })
    }

    /// Runs a block or a cluster until it ends, or until its slice is used up.
    pub(in crate::engine) fn run(&mut self, unit: &mut Unit) -> Outcome {
        match unit {
            Unit::Block(block) => self.run_block(block),
            Unit::Cluster(gang) => {
                self.ctx.cluster = gang.cluster.take();
                let outcome = self.run_cluster(gang);
                gang.cluster = self.ctx.cluster.take();
                outcome
            }
        }
    }

    /// After its end.
    pub(in crate::engine) fn retire(&mut self, unit: Unit) {
        // The blocks of a cluster went when they ended.
        if let Unit::Block(block) = unit {
            self.idle.push(block);
        }
    }

    /// Gives every block of a cluster a slice.
    fn run_cluster(&mut self, gang: &mut Gang) -> Outcome {
        let opened = |worker: &Worker<'_>| worker.ctx.cluster.as_ref().map_or(0, |c| c.opened);
        let before = opened(self);
        let count = gang.blocks.len();
        let first = match self.random {
            0 => 0,
            _ => self.next_random() as usize % count,
        };
        let (mut polled, mut stuck, mut left) = (false, true, None);
        for n in 0..count {
            let rank = (first + n) % count;
            let Some(block) = &mut gang.blocks[rank] else {
                continue;
            };
            self.enter(block, rank);
            let outcome = self.run_block(block);
            polled |= self.ctx.polled;
            match outcome {
                Outcome::Stop => return Outcome::Stop,
                Outcome::Done => {
                    if let (Some(mut block), Some(cluster)) =
                        (gang.blocks[rank].take(), &mut self.ctx.cluster)
                    {
                        // Its memory is used again; nobody reaches it any more.
                        block.shadow = cluster.peers[rank].shadow.take();
                        self.idle.push(block);
                    }
                }
                Outcome::Blocked => left = Some(rank),
                Outcome::Waiting => (left, stuck) = (Some(rank), false),
            }
        }
        self.ctx.polled = polled;
        let Some(rank) = left else {
            return Outcome::Done;
        };
        if stuck && opened(self) == before {
            if let Some(block) = &gang.blocks[rank] {
                self.deadlock(block);
            }
            return Outcome::Stop;
        }
        Outcome::Waiting
    }

    /// Before a block of a cluster runs: the barrier may have opened in another one's turn.
    fn enter(&mut self, block: &mut Block, rank: usize) {
        let Some(cluster) = &mut self.ctx.cluster else {
            return;
        };
        cluster.rank = rank as u32;
        let opened = cluster.opened;
        if block.cluster_opened != opened {
            block.cluster_opened = opened;
            std::mem::swap(&mut self.ctx.shadow, &mut cluster.peers[rank].shadow);
            self.open(block, CLUSTER);
            if let Some(cluster) = &mut self.ctx.cluster {
                std::mem::swap(&mut self.ctx.shadow, &mut cluster.peers[rank].shadow);
            }
        }
    }

    /// Threads of the running block have come to the cluster's barrier, or have ended: `gone` of those had come before.
    pub(in crate::engine) fn meet(&mut self, block: &mut Block, come: u32, ended: u32, gone: u32) {
        let Some(cluster) = &mut self.ctx.cluster else {
            return;
        };
        let rank = cluster.rank as usize;
        cluster.peers[rank].live -= ended;
        cluster.arrived = cluster.arrived + come - gone;
        let live = cluster.live();
        if cluster.arrived == 0 || cluster.arrived < live {
            return;
        }
        cluster.arrived = 0;
        cluster.opened += 1;
        block.cluster_opened = cluster.opened;
        self.open(block, CLUSTER);
    }
}
