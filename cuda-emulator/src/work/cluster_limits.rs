//! Clusters: which ones a launch may have, and how many the device holds at once.
//!
//! Which codes the driver gives, and how many clusters of each size fit, was measured on an H200.

use std::sync::atomic::Ordering;

use super::occupancy;
use crate::abi::status::{Code, Result};
use crate::code::module::Function;
use crate::process::device;

/// The most blocks of a cluster on every device that has clusters, and where the function allows more.
const PORTABLE: u64 = 8;
const NON_PORTABLE: u64 = 16;

/// Clusters can be asked for on compute capability 9.0 and newer.
pub fn exist() -> bool {
    device::architecture().capability.0 >= 9
}

/// The cluster of a launch that asks for `asked`, which the function may require anyway.
///
/// # Errors
/// `CUDA_ERROR_INVALID_CLUSTER_SIZE` where the two differ, or one is needed and there is none.
pub fn choose(function: &Function, asked: Option<[u32; 3]>) -> Result<Option<[u32; 3]>> {
    let required = function.settings.required_cluster();
    let Some(asked) = asked else {
        if required == [0; 3] {
            return match function.info().explicit_cluster {
                true => Err(Code::ERROR_INVALID_CLUSTER_SIZE),
                false => Ok(None),
            };
        }
        return Ok(Some(required));
    };
    if (0..3).any(|axis| required[axis] != 0 && required[axis] != asked[axis]) {
        return Err(Code::ERROR_INVALID_CLUSTER_SIZE);
    }
    Ok(Some(asked))
}

fn divides(cluster: [u32; 3], grid: [u32; 3]) -> bool {
    (0..3).all(|axis| cluster[axis] != 0 && grid[axis].is_multiple_of(cluster[axis]))
}

fn blocks(cluster: [u32; 3]) -> u64 {
    let sides = cluster.iter().map(|&n| u64::from(n));
    sides.fold(1, u64::saturating_mul)
}

/// The most blocks of a cluster of this function.
fn most(function: &Function) -> u64 {
    if function.settings.non_portable.load(Ordering::Relaxed) != 0 {
        NON_PORTABLE
    } else {
        PORTABLE
    }
}

/// Whether a grid may be made of such clusters.
///
/// # Errors
/// `CUDA_ERROR_INVALID_CLUSTER_SIZE`, also for what the function's code or settings don't allow.
pub fn check(function: &Function, grid: [u32; 3], cluster: [u32; 3]) -> Result {
    check_up_to(function, grid, cluster, most(function))
}

fn check_up_to(function: &Function, grid: [u32; 3], cluster: [u32; 3], most: u64) -> Result {
    let bound = function.info().max_cluster.map_or(u64::MAX, u64::from);
    let valid = divides(cluster, grid)
        && blocks(cluster) <= most.min(bound)
        && (exist() || cluster == [1; 3]);
    if valid {
        Ok(())
    } else {
        Err(Code::ERROR_INVALID_CLUSTER_SIZE)
    }
}

/// Whether a launch with such clusters may prefer these larger ones. The emulator makes none of them, as the device may.
///
/// # Errors
/// `CUDA_ERROR_INVALID_CLUSTER_SIZE` without clusters to prefer them to, or where those or the grid don't fit.
pub fn check_preferred(grid: [u32; 3], regular: Option<[u32; 3]>, preferred: [u32; 3]) -> Result {
    let valid = regular.is_some_and(|regular| divides(regular, preferred))
        && divides(preferred, grid)
        && blocks(preferred) <= NON_PORTABLE;
    if valid {
        Ok(())
    } else {
        Err(Code::ERROR_INVALID_CLUSTER_SIZE)
    }
}

/// Multiprocessors that can hold a cluster together. An H200's 132 are a measured one's; other counts are made of groups
/// of 16.
fn groups(multiprocessors: u32) -> Vec<u32> {
    if multiprocessors == 132 {
        return vec![18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2];
    }
    let mut groups = vec![16; multiprocessors as usize / 16];
    groups.extend(Some(multiprocessors % 16).filter(|&rest| rest > 0));
    groups
}

/// Blocks of clusters that a multiprocessor holds at most.
const PER_MULTIPROCESSOR: u32 = 8;

/// Clusters of so many blocks that groups of multiprocessors hold, each of which holds `each` blocks.
fn fit(groups: &[u32], each: u32, blocks: u32) -> u32 {
    let each = each.min(PER_MULTIPROCESSOR);
    let large = groups.iter().filter(|&&group| group >= blocks);
    large.map(|group| group * each / blocks).sum()
}

/// Clusters of so many blocks that the device holds at once.
fn active(function: &Function, threads: u32, shared: u64, blocks: u32) -> u32 {
    let each = occupancy::of_device(function, threads, shared);
    let count = fit(&groups(device::multiprocessors()), each, blocks);
    // A device of few multiprocessors still runs any cluster: one thread of the host runs all of its blocks.
    let runs = each > 0 && u64::from(blocks) <= NON_PORTABLE;
    count.max(u32::from(runs))
}

/// Blocks of such clusters that the device holds at once.
pub fn blocks_on_device(function: &Function, threads: u32, shared: u64, cluster: [u32; 3]) -> u64 {
    let blocks = blocks(cluster);
    u64::from(active(function, threads, shared, blocks as u32)) * blocks
}

/// What is asked about the clusters of a launch.
pub struct Question {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u64,
    pub cluster: Option<[u32; 3]>,
}

impl Question {
    /// Threads of a block.
    fn check(&self, function: &Function) -> Result<u32> {
        if self.grid.contains(&0) || self.block.contains(&0) {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        if let Some(cluster) = choose(function, self.cluster)? {
            // Larger ones than can be launched are counted, too.
            let bound = match most(function) {
                PORTABLE => PORTABLE,
                _ => u64::MAX,
            };
            check_up_to(function, self.grid, cluster, bound)?;
        }
        let threads = self.block.iter().try_fold(1u32, |a, &b| a.checked_mul(b));
        Ok(threads.unwrap_or(u32::MAX))
    }

    /// How many of its clusters the device holds at once; 0 where it has none.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for an empty grid or block; as [`check`].
    pub fn active(&self, function: &Function) -> Result<u32> {
        let threads = self.check(function)?;
        Ok(match choose(function, self.cluster)?.map(blocks) {
            None => 0,
            Some(blocks) => active(function, threads, self.shared, blocks as u32),
        })
    }

    /// The size of the largest cluster of such blocks.
    ///
    /// # Errors
    /// As [`Question::active`].
    pub fn largest(&self, function: &Function) -> Result<u32> {
        let threads = self.check(function)?;
        let most = most(function) as u32;
        let fits = |blocks: &u32| active(function, threads, self.shared, *blocks) > 0;
        Ok((1..=most).rev().find(fits).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An H200's answers: blocks per multiprocessor, blocks per cluster, clusters.
    #[test]
    fn cluster_occupancy_matches_an_h200() {
        let groups = groups(132);
        let sizes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16];
        for (each, wanted) in [
            (1, [132, 66, 39, 30, 22, 17, 15, 15, 9, 7, 7, 7, 7, 7, 7]),
            (
                2,
                [264, 132, 79, 62, 47, 39, 32, 30, 23, 21, 16, 14, 14, 14, 14],
            ),
            (
                4,
                [
                    528, 264, 163, 124, 94, 79, 69, 62, 51, 44, 37, 30, 30, 28, 28,
                ],
            ),
            (
                8,
                [
                    1056, 528, 327, 248, 193, 163, 139, 124, 102, 88, 74, 67, 65, 58, 58,
                ],
            ),
            (
                32,
                [
                    1056, 528, 327, 248, 193, 163, 139, 124, 102, 88, 74, 67, 65, 58, 58,
                ],
            ),
        ] {
            for (size, wanted) in sizes.into_iter().zip(wanted) {
                assert_eq!(fit(&groups, each, size), wanted, "{each} {size}");
            }
        }
    }
}
