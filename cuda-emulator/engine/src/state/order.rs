//! The order in which a launch starts its blocks.
//!
//! Programs such as single-pass scans rely on one property: a block that waits for one with a lower
//! number runs again after that one has started. So blocks start in the order of their numbers. A
//! seed shuffles them, but only within windows whose size is the number of resident blocks per
//! worker. The lowest unfinished block is then resident, or will be as soon as all resident blocks
//! wait, because fewer blocks than a window precede it in the order.

/// Distributes a seed over all bits (the finalizer of splitmix64), since small seeds start a
/// sequence badly.
pub(crate) fn scramble(seed: u64) -> u64 {
    let x = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The order of a launch's blocks.
pub(crate) struct Order {
    seed: Option<u64>,
    /// The number of blocks that are shuffled among each other.
    window: u64,
}

impl Order {
    /// Creates an order for workers that each keep `resident` blocks resident.
    pub(crate) fn new(seed: Option<u64>, resident: usize) -> Order {
        Order {
            seed: seed.map(scramble),
            window: u64::try_from(resident).unwrap_or(u64::MAX).max(1),
        }
    }

    /// Returns the `n`-th of `blocks` blocks to start.
    pub(crate) fn nth(&self, n: u64, blocks: u64) -> u64 {
        let Some(seed) = self.seed else { return n };
        let window = self.window.min(blocks);
        // The first window is shorter, so that the window boundaries depend on the seed. The last
        // one may be shorter, too. If one window holds all blocks, it is not divided.
        let first = match window {
            w if w == blocks => blocks,
            w => seed % w + 1,
        };
        let (number, start, end) = if n < first {
            (0, 0, first)
        } else {
            let number = (n - first) / window;
            let start = first + number * window;
            (number + 1, start, start.saturating_add(window).min(blocks))
        };
        let size = end - start;
        let r = scramble(seed ^ number);
        let mut multiplier = (r >> 32 | 1) % size.max(2);
        while gcd(multiplier, size) != 1 {
            multiplier += 1;
        }
        let place = u128::from(n - start) * u128::from(multiplier) + u128::from(r % size);
        start + (place % u128::from(size)) as u64
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::Order;

    #[test]
    fn every_block_starts_once() {
        for blocks in [1, 2, 3, 63, 64, 65, 200, 1000] {
            for resident in [1, 2, 7, 64, usize::MAX] {
                for seed in [None, Some(0), Some(1), Some(2), Some(99)] {
                    let order = Order::new(seed, resident);
                    let mut turns: Vec<u64> = (0..blocks).map(|n| order.nth(n, blocks)).collect();
                    // Fewer blocks with a higher number start before a block than can be resident.
                    for (n, &block) in turns.iter().enumerate() {
                        let ahead = turns[..n].iter().filter(|&&other| other > block).count();
                        assert!(ahead < resident, "{blocks} {resident} {seed:?}: {turns:?}");
                    }
                    turns.sort_unstable();
                    assert!(
                        turns.into_iter().eq(0..blocks),
                        "{blocks} {resident} {seed:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn seed_shuffles_every_window() {
        let turns = |seed| {
            let order = Order::new(seed, 64);
            (0..1000).map(|n| order.nth(n, 1000)).collect::<Vec<_>>()
        };
        assert!(turns(None).into_iter().eq(0..1000));
        for seed in 0..20 {
            let some = turns(Some(seed));
            assert_ne!(some, turns(None));
            assert_ne!(some, turns(Some(seed + 1)));
            // No window keeps its order.
            assert!(some.chunks(128).all(|c| !c.is_sorted()), "{seed}: {some:?}");
        }
    }
}
