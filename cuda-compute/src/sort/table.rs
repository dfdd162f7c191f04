//! Variants of sorts by size.

use cuda_safe::ComputeCapability;

use super::kernel::Block;
use crate::kernel::{ANY, Policy, Row, Table};

const fn block(threads: u32, items: u32, per_multiprocessor: u32) -> Block {
    Block {
        threads,
        items,
        per_multiprocessor,
    }
}

const HOPPER: ComputeCapability = ComputeCapability { major: 9, minor: 0 };
const MEASURED: Option<&str> =
    Some("H100 (driver 580, CUDA 13.0): random keys in memory, device time of the whole sort");

/// Passes over keys without items, by the keys of a line.
pub(super) static KEYS: Table<Block> = Table(&[
    Policy {
        since: HOPPER,
        element_bytes: Some(4),
        measured: MEASURED,
        rows: KEYS_OF_4,
    },
    Policy {
        since: HOPPER,
        element_bytes: Some(8),
        measured: MEASURED,
        rows: KEYS_OF_8,
    },
    Policy {
        since: HOPPER,
        element_bytes: Some(2),
        measured: MEASURED,
        rows: KEYS_OF_2,
    },
    Policy {
        since: ANY,
        element_bytes: Some(8),
        measured: None,
        rows: KEYS_OF_8,
    },
    Policy {
        since: ANY,
        element_bytes: None,
        measured: None,
        rows: KEYS_OF_4,
    },
]);

const KEYS_OF_4: &[Row<Block>] = &[
    Row {
        up_to: 1 << 18,
        variant: block(256, 8, 3),
        figures: "2^16: 23.7 µs, 2^18: 29.9; 384 threads: 24.5, 30.1",
    },
    Row {
        up_to: 1 << 22,
        variant: block(384, 16, 3),
        figures: "2^20: 47.3 µs, 2^22: 124; 8 keys per thread: 51.7, 138",
    },
    Row {
        up_to: u64::MAX,
        variant: block(512, 20, 2),
        figures: "2^27: 2631 µs; 384 threads, three blocks: 2717; 16 keys per thread: 2761",
    },
];

const KEYS_OF_8: &[Row<Block>] = &[
    Row {
        up_to: 1 << 21,
        variant: block(512, 8, 2),
        figures: "2^20: 103 µs; 384 threads, three blocks: 108",
    },
    Row {
        up_to: u64::MAX,
        variant: block(512, 10, 2),
        figures: "2^27: 8347 µs; 8 keys per thread: 8817; 384 threads of 12: 8503",
    },
];

const KEYS_OF_2: &[Row<Block>] = &[Row {
    up_to: u64::MAX,
    variant: block(384, 24, 3),
    figures: "2^27: 1252 µs; 16 keys per thread: 1283; 32, two blocks: 1273",
}];

/// Passes over floats without items, by the keys of a line.
pub(super) static FLOATS: Table<Block> = Table(&[
    Policy {
        since: HOPPER,
        element_bytes: Some(4),
        measured: MEASURED,
        rows: FLOATS_OF_4,
    },
    Policy {
        since: ANY,
        element_bytes: Some(8),
        measured: None,
        rows: KEYS_OF_8,
    },
    Policy {
        since: ANY,
        element_bytes: None,
        measured: None,
        rows: FLOATS_OF_4,
    },
]);

const FLOATS_OF_4: &[Row<Block>] = &[
    Row {
        up_to: 1 << 18,
        variant: block(256, 8, 3),
        figures: "not measured",
    },
    Row {
        up_to: 1 << 22,
        variant: block(384, 16, 3),
        figures: "not measured",
    },
    Row {
        up_to: u64::MAX,
        variant: block(512, 16, 2),
        figures: "2^27: 2993 µs; 384 threads, three blocks: 3283; 20 keys per thread, two: 3090",
    },
];

/// Passes over keys with items, by the keys of a line. The bytes are those of the larger of both.
pub(super) static PAIRS: Table<Block> = Table(&[
    Policy {
        since: HOPPER,
        element_bytes: Some(4),
        measured: MEASURED,
        rows: PAIRS_OF_4,
    },
    Policy {
        since: HOPPER,
        element_bytes: Some(8),
        measured: MEASURED,
        rows: PAIRS_OF_8,
    },
    Policy {
        since: ANY,
        element_bytes: Some(8),
        measured: None,
        rows: PAIRS_OF_8,
    },
    Policy {
        since: ANY,
        element_bytes: None,
        measured: None,
        rows: PAIRS_OF_4,
    },
]);

const PAIRS_OF_4: &[Row<Block>] = &[
    Row {
        up_to: 1 << 22,
        variant: block(512, 8, 2),
        figures: "2^20: 60.6 µs; 384 threads of 16, three blocks: 67.8; 256, four blocks: 73.9",
    },
    Row {
        up_to: u64::MAX,
        variant: block(512, 16, 2),
        figures: "2^27: 4842 µs, with places 4637; 384 threads: 5077, 4720; 20 keys per thread: 5154, 5883",
    },
];

const PAIRS_OF_8: &[Row<Block>] = &[Row {
    up_to: u64::MAX,
    variant: block(512, 11, 2),
    figures: "u64 and places, 2^27: 15052 µs; 10 keys per thread: 15248; 384 threads of 12: 15962",
}];

/// The maximum bytes of a line's keys, or of its items, that a block sorts by itself.
const ROOM: u64 = 32 << 10;
/// The maximum number of threads of a block that sorts a line.
const MOST_THREADS: u32 = 512;

/// Returns the block that sorts a line by itself, or `None` if the line is too long. `bytes` are
/// those of a key or of an item, whichever is larger.
pub(super) fn rows(lines: u64, length: u64, bytes: usize, multiprocessors: u32) -> Option<Block> {
    let most = if bytes > 4 { 8 } else { 16 };
    if length > u64::from(MOST_THREADS * most) {
        return None;
    }
    debug_assert!(u64::from(MOST_THREADS * most) * bytes as u64 <= ROOM);
    // Few lines need many threads each, to be sorted soon. 2^27 keys of u32 in lines of 4096 took
    // 1768 µs with 256 threads each, and 1933 with 512. A single line of 1024 took 5.7 µs with 256
    // threads.
    let busy = lines >= 2 * u64::from(multiprocessors);
    let per_thread = if busy { most } else { 4 };
    let mut threads = 32;
    while threads < MOST_THREADS && u64::from(threads * per_thread) < length {
        threads *= 2;
    }
    let needed = length.div_ceil(threads.into()) as u32;
    let items = [1, 2, 4, 8, 12, 16]
        .into_iter()
        .find(|&items| items >= needed)?;
    Some(block(threads, items, 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::check;

    #[test]
    fn blocks_fit_in_shared_memory() {
        for table in [&KEYS, &FLOATS, &PAIRS] {
            check(table);
            for policy in table.0 {
                let bytes = policy.element_bytes.unwrap_or(4) as u64;
                for row in policy.rows {
                    let block = row.variant;
                    assert!(block.threads.is_multiple_of(32));
                    // The keys, or two words for each warp and digit.
                    let ranking = u64::from(block.threads / 32) * 2 * 1024;
                    let room = ranking.max(block.tile() * bytes) + 3072;
                    assert!(room <= 48 << 10, "{block:?} needs {room} bytes");
                }
            }
        }
    }

    #[test]
    fn rows_have_blocks_that_hold_them() {
        for length in [1, 31, 32, 33, 100, 129, 1000, 4096, 4097, 8192] {
            for lines in [1, 1000] {
                for bytes in [1, 4, 8] {
                    match rows(lines, length, bytes, 132) {
                        Some(block) => {
                            assert!(block.tile() >= length);
                            assert!(block.tile() * bytes as u64 <= ROOM);
                        }
                        None => assert!(bytes == 8 && length > 4096),
                    }
                }
            }
        }
        assert_eq!(rows(1, 8193, 4, 132), None);
        assert_eq!(rows(1, 1024, 4, 132), Some(block(256, 4, 1)));
        assert_eq!(rows(1000, 4096, 4, 132), Some(block(256, 16, 1)));
    }
}
