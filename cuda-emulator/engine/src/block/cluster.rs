//! Clusters of several blocks. One worker runs all blocks of a cluster, in turns.

use crate::block::worker::{Block, Outcome, Worker};
use crate::state::cluster::{Cluster, Peer};
use crate::state::op::CLUSTER;

/// A resident cluster.
pub(crate) struct ResidentCluster {
    /// The blocks, indexed by rank. None for those that have ended.
    blocks: Vec<Option<Block>>,
    /// None while the cluster runs.
    cluster: Option<Box<Cluster>>,
}

/// A unit that a worker runs in turns: a block, or a cluster of several blocks.
pub(crate) trait Unit: Sized {
    /// Makes the unit with this number resident.
    fn begin(worker: &mut Worker<'_>, number: u64) -> Self;
    /// Runs the unit until it ends or its slice is used up.
    fn run(&mut self, worker: &mut Worker<'_>) -> Outcome;
    /// Recycles the unit after its end.
    fn retire(self, worker: &mut Worker<'_>);
}

/// Converts a linear number to an index in a grid of this size.
fn index(number: u64, [x, y, _]: [u64; 3]) -> [u32; 3] {
    [
        (number % x) as u32,
        (number / x % y) as u32,
        (number / x / y) as u32,
    ]
}

impl Unit for Block {
    fn begin(worker: &mut Worker<'_>, number: u64) -> Block {
        let at = index(number, worker.launch.shape.grid.map(u64::from));
        worker.start(at, number, at, [0; 3], 0)
    }

    fn run(&mut self, worker: &mut Worker<'_>) -> Outcome {
        worker.run_block(self)
    }

    fn retire(self, worker: &mut Worker<'_>) {
        worker.idle.push(self);
    }
}

impl Unit for ResidentCluster {
    fn begin(worker: &mut Worker<'_>, number: u64) -> ResidentCluster {
        let launch = worker.launch;
        let grid = launch.shape.grid.map(u64::from);
        let sides = launch.cluster.map(u64::from);
        let clusters: [u64; 3] = std::array::from_fn(|axis| grid[axis] / sides[axis]);
        let which = index(number, clusters);
        let mut blocks = Vec::with_capacity(launch.cluster_blocks as usize);
        let mut peers = Vec::with_capacity(launch.cluster_blocks as usize);
        for rank in 0..launch.cluster_blocks {
            let within = index(u64::from(rank), sides);
            let at: [u32; 3] =
                std::array::from_fn(|axis| which[axis] * launch.cluster[axis] + within[axis]);
            let [x, y, z] = at.map(u64::from);
            let linear = x + grid[0] * (y + grid[1] * z);
            let mut block = worker.start(at, linear, which, within, rank);
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
        ResidentCluster { blocks, cluster }
    }

    fn run(&mut self, worker: &mut Worker<'_>) -> Outcome {
        worker.ctx.cluster = self.cluster.take();
        let outcome = worker.run_cluster(self);
        self.cluster = worker.ctx.cluster.take();
        outcome
    }

    /// The blocks were recycled when they ended.
    fn retire(self, _: &mut Worker<'_>) {}
}

impl Worker<'_> {
    /// Gives every block of a cluster a slice.
    fn run_cluster(&mut self, resident: &mut ResidentCluster) -> Outcome {
        let opened = |worker: &Worker<'_>| worker.ctx.cluster.as_ref().map_or(0, |c| c.opened);
        let before = opened(self);
        let count = resident.blocks.len();
        let first = match self.random {
            0 => 0,
            _ => self.next_random() as usize % count,
        };
        let (mut polled, mut stuck, mut left) = (false, true, None);
        for n in 0..count {
            let rank = (first + n) % count;
            let Some(block) = &mut resident.blocks[rank] else {
                continue;
            };
            self.enter(block, rank);
            let outcome = self.run_block(block);
            polled |= self.ctx.polled;
            match outcome {
                Outcome::Stop => return Outcome::Stop,
                Outcome::Done => {
                    if let (Some(mut block), Some(cluster)) =
                        (resident.blocks[rank].take(), &mut self.ctx.cluster)
                    {
                        // Its memory is reused, and no other block accesses it any more.
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
            if let Some(block) = &resident.blocks[rank] {
                self.deadlock(block);
            }
            return Outcome::Stop;
        }
        Outcome::Waiting
    }

    /// Prepares a block of a cluster to run. The barrier may have opened while another block ran.
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

    /// Records threads of the running block that arrive at the cluster's barrier (`come`) or end
    /// (`ended`). `gone` of the ended threads had already arrived.
    pub(crate) fn meet(&mut self, block: &mut Block, come: u32, ended: u32, gone: u32) {
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
