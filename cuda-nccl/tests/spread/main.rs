//! Algorithms on several devices, compared with the same algorithms on one device.
#![cfg(feature = "compute")]

mod differences;
#[path = "../../../cuda-safe/tests/common/failure.rs"]
mod failure;
mod sharded;
mod strips;
#[allow(dead_code)]
#[path = "../suite/mod.rs"]
mod suite;
mod sums;

use std::{env, sync::Once};

use cuda_nccl::{PeerGroup, PeerOptions, PeerRank, spread};
use cuda_safe::{Context, Device};

fn ranks(size: usize) -> Vec<PeerRank> {
    static START: Once = Once::new();
    // SAFETY: every test begins with this, before the driver starts and reads the environment.
    START.call_once(|| unsafe { env::set_var("CUDA_EMULATOR_DEVICES", "3") });
    let devices = Device::count().expect("a driver");
    let contexts: Vec<Context> = (0..size)
        .map(|rank| Context::primary(rank as u32 % devices).expect("a context"))
        .collect();
    let options = PeerOptions::default().scratch_bytes(1 << 16);
    PeerGroup::with_options(&contexts, options)
        .unwrap()
        .into_ranks()
}

const SIZES: [usize; 3] = [1, 2, 3];

#[test]
#[should_panic = "there is no rank 5 of 3"]
fn part_panics_for_a_rank_out_of_range() {
    let _ = spread::part(8, 3, 5);
}

#[test]
#[should_panic = "there is no rank 0 of 0"]
fn part_panics_without_ranks() {
    let _ = spread::part(8, 0, 0);
}

#[test]
fn parts_cover_all_items_once() {
    for (len, ranks) in [(0, 3), (2, 3), (9, 3), (10, 3), (11, 3), (7, 1)] {
        let mut at = 0;
        for rank in 0..ranks {
            let part = spread::part(len, ranks, rank);
            assert_eq!(part.start, at);
            assert!(part.len() == len / ranks || part.len() == len / ranks + 1);
            at = part.end;
        }
        assert_eq!(at, len);
    }
}
