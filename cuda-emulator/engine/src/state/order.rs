//! In which order a launch starts its blocks.
//!
//! Programs may rely on one thing: a block that waits for one with a lower number gets its turn again after that one
//! has started. Single-pass scans do. So blocks are started in order of their numbers; with a seed they change places,
//! but only within windows of as many blocks as one worker keeps alive. The lowest unfinished block is then alive, or
//! will be as soon as all those that are alive wait: fewer than a window are before it in the order.

/// Spreads a seed over all bits (the finaliser of splitmix64): small ones begin a sequence badly.
pub(crate) fn scramble(seed: u64) -> u64 {
    let x = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The order of a launch's blocks.
pub(crate) struct Order {
    seed: Option<u64>,
    /// Blocks that may change places with each other.
    window: u64,
}

impl Order {
    /// An order for workers that each keep `resident` blocks alive.
    pub(crate) fn new(seed: Option<u64>, resident: usize) -> Order {
        Order {
            seed: seed.map(scramble),
            window: u64::try_from(resident).unwrap_or(u64::MAX).max(1),
        }
    }

    /// The `n`-th block to start, of `blocks`.
    pub(crate) fn nth(&self, n: u64, blocks: u64) -> u64 {
        let Some(seed) = self.seed else { return n };
        let window = self.window.min(blocks);
        // The first window is shorter, so that windows end elsewhere with each seed; the last one may be. Where one
        // window holds all, nothing is cut off.
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
    fn every_block_has_one_turn() {
        for blocks in [1, 2, 3, 63, 64, 65, 200, 1000] {
            for resident in [1, 2, 7, 64, usize::MAX] {
                for seed in [None, Some(0), Some(1), Some(2), Some(99)] {
                    let order = Order::new(seed, resident);
                    let mut turns: Vec<u64> = (0..blocks).map(|n| order.nth(n, blocks)).collect();
                    // Those that start before a block and have a higher number are fewer than are alive together.
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
    fn a_seed_shuffles() {
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
