//! Clusters of several blocks: shared memory of other blocks, barriers between them, copies to
//! them.
//!
//! The kernels' results were recorded on an H200. They must be the same in every order, with all
//! checks on.

mod faults;
mod recorded;

use crate::common::{Arg, Loaded, load};
use cuda_emulator_engine::Options;
use recorded::{RECORDED, SHAPES};

fn module(options: Options, cluster: Option<[u32; 3]>) -> Loaded {
    Loaded {
        options: Options {
            time_limit: Some(std::time::Duration::from_secs(60)),
            ..options
        },
        cluster,
        ..load(include_str!("../../ptx/clusters.ptx"))
    }
}

/// Options with every check, and with other orders.
fn ways() -> Vec<Options> {
    let all = Options {
        check_race: true,
        check_uninit: true,
        check_barrier: true,
        ..Options::default()
    };
    let one = Options {
        threads: 1,
        ..Options::default()
    };
    let mut ways = vec![Options::default(), one, all.clone()];
    ways.extend((0..4).map(|seed| Options {
        seed: Some(seed),
        resident_blocks: 1 + seed as usize * 9,
        check_race: seed % 2 == 0,
        ..all.clone()
    }));
    ways
}

fn hash(words: &[u32]) -> u32 {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.fold(2_166_136_261, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(16_777_619)
    })
}

/// Returns the output of a kernel for a shape. Its arguments are those of the recording.
fn output(m: &Loaded, kernel: &str, cluster: [u32; 3], grid: [u32; 3]) -> Vec<u32> {
    let (blocks, all) = (
        cluster.iter().product::<u32>(),
        grid.iter().product::<u32>(),
    );
    let input: Vec<u32> = (0..1u32 << 14).map(|i| (i * 7919 + 13) % 128).collect();
    let bins = 128 / blocks;
    let (threads, words, shared) = match kernel {
        "ids" => (32, all * 15, 0),
        "histogram" => (64, 128, bins * 4),
        "ring" | "arrivals" => (64, all * 64, 0),
        "halves" | "bulk_peer" => (128, all * 128, 0),
        "async_stores" => (64, all * 72, 0),
        "multicast" => (128, all * 256, 0),
        "atomics" => (64, all / blocks * 12, 0),
        "spaces" => (1, all * 8, 0),
        "ends" => (64, all, 0),
        _ => (32, all, 0),
    };
    let from = m.device.upload(&input);
    let to = m.device.upload(&vec![0u32; words as usize]);
    let mut args = vec![Arg::from(to)];
    match kernel {
        "histogram" => args.extend([from.into(), 1000.into(), bins.into()]),
        "bulk_peer" => args.push(5.into()),
        "multicast" => args.extend([from.into(), (0xa5a7 & ((1u32 << blocks) - 1)).into()]),
        _ => {}
    }
    m.try_run(kernel, grid, [threads, 1, 1], shared, false, &args)
        .unwrap_or_else(|fault| panic!("{kernel} {cluster:?}: {fault}"));
    m.device.download(to, words as usize)
}

#[test]
fn results_match_recording() {
    for options in ways() {
        for (at, (cluster, grid)) in SHAPES.into_iter().enumerate() {
            // The seeded orders of the largest shapes take long and add no coverage.
            if options.seed.is_some_and(|seed| seed > 1) && at > 3 {
                continue;
            }
            let m = module(options.clone(), Some(cluster));
            for (kernel, hashes) in RECORDED {
                let got = output(&m, kernel, cluster, grid);
                assert_eq!(
                    hash(&got),
                    hashes[at],
                    "{kernel}, clusters of {cluster:?}, {options:?}: {:x?}",
                    &got[..got.len().min(16)]
                );
            }
        }
    }
}

/// Checks the meaning of some recorded results.
#[test]
fn blocks_have_cluster_indices() {
    let (cluster, grid) = ([2, 2, 2], [4, 2, 4]);
    let m = module(Options::default(), Some(cluster));
    let got = output(&m, "ids", cluster, grid);
    for z in 0..grid[2] {
        for y in 0..grid[1] {
            for x in 0..grid[0] {
                let at = (x + grid[0] * (y + grid[1] * z)) as usize * 15;
                let rank = x % 2 + y % 2 * 2 + z % 2 * 4;
                let wanted = [
                    rank,
                    8,
                    x / 2,
                    y / 2,
                    z / 2,
                    2,
                    1,
                    2,
                    x % 2,
                    y % 2,
                    z % 2,
                    2,
                    2,
                    2,
                    1,
                ];
                assert_eq!(got[at..at + 15], wanted, "{x} {y} {z}");
            }
        }
    }
    let alone = module(Options::default(), None);
    let got = output(&alone, "ids", [1; 3], [3, 1, 1]);
    assert_eq!(got[30..], [0, 1, 2, 0, 0, 3, 1, 1, 0, 0, 0, 1, 1, 1, 0]);
}

#[test]
fn histogram_is_correct() {
    for blocks in [1u32, 2, 4, 8, 16] {
        let cluster = [blocks, 1, 1];
        let m = module(Options::default(), Some(cluster));
        let got = output(&m, "histogram", cluster, [blocks * 2, 1, 1]);
        let mut wanted = vec![0; 128];
        (0..1000).for_each(|i| wanted[(i * 7919 + 13) % 128] += 1);
        assert_eq!(got, wanted, "{blocks}");
    }
}

#[test]
fn ring_passes_values() {
    let cluster = [4, 1, 1];
    let m = module(Options::default(), Some(cluster));
    let got = output(&m, "ring", cluster, [8, 1, 1]);
    for block in 0..8u32 {
        for t in 0..64 {
            let first = block / 4 * 4;
            let seen = (0..4).map(|round| first + (block + 4 - round) % 4);
            let sum = seen.fold(0, |sum, of| sum * 3 + of * 100 + t);
            assert_eq!(got[(block * 64 + t) as usize], sum, "{block} {t}");
        }
    }
}

/// A cluster size that is fixed at compile time, and more clusters than are resident at once.
#[test]
fn many_clusters() {
    for seed in [None, Some(1), Some(2)] {
        let options = Options {
            seed,
            resident_blocks: 4,
            threads: 3,
            ..Options::default()
        };
        let m = module(options, Some([2, 1, 1]));
        let to = m.device.upload(&[0u32; 400]);
        let args = [Arg::from(to)];
        let stats = m.run("fixed", 400, 32, &args);
        assert_eq!(stats.blocks, 400);
        let got = m.device.download::<u32>(to, 400);
        assert!(got.iter().enumerate().all(|(n, &v)| v == 20 + n as u32 % 2));
    }
}

/// Clusters in a cooperative launch.
#[test]
fn cooperative_clusters() {
    let m = module(Options::default(), Some([4, 1, 1]));
    let to = m.device.upload(&[0u32; 64]);
    let args = [Arg::from(to)];
    m.try_run("bounded", [64, 1, 1], [32, 1, 1], 0, true, &args)
        .unwrap();
    let got = m.device.download::<u32>(to, 64);
    assert!(got.iter().enumerate().all(|(n, &v)| v == 40 + n as u32 % 4));
}
