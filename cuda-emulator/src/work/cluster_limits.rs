//! Clusters: the valid sizes for a launch, and how many fit on the device at once.
//!
//! The driver's error codes, and how many clusters of each size fit, were measured on an H200.

use std::sync::atomic::Ordering;

use super::occupancy;
use crate::abi::status::{Code, Result};
use crate::code::module::Function;
use crate::process::device;

/// Maximum blocks per cluster on every device with clusters, and if the function allows
/// non-portable sizes.
const PORTABLE: u64 = 8;
const NON_PORTABLE: u64 = 16;

/// Returns whether the device has clusters: compute capability 9.0 and newer.
pub fn exist() -> bool {
    device::architecture().capability.0 >= 9
}

/// Returns the cluster of a launch that requests `asked`. The function may require a cluster as
/// well.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_CLUSTER_SIZE` if the two differ, or if the function needs a cluster
/// size and none is given.
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

/// Returns the maximum blocks per cluster of a function.
fn most(function: &Function) -> u64 {
    if function.settings.non_portable.load(Ordering::Relaxed) != 0 {
        NON_PORTABLE
    } else {
        PORTABLE
    }
}

/// Checks that a grid may consist of such clusters.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_CLUSTER_SIZE` if the clusters do not divide the grid, or if the
/// function's code or settings do not allow them.
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

/// Checks a preferred, larger cluster size. A device may use it instead of the regular one, but the
/// emulator never does.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_CLUSTER_SIZE` if:
/// - there is no regular cluster size;
/// - the preferred size is not a multiple of the regular one, or has more than 16 blocks;
/// - the grid is not a multiple of the preferred size.
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

/// Returns the sizes of the groups of multiprocessors that can run a cluster together. The groups
/// of 132 were measured on an H200. For other numbers, groups of 16 are assumed.
fn groups(multiprocessors: u32) -> Vec<u32> {
    if multiprocessors == 132 {
        return vec![18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2];
    }
    let mut groups = vec![16; multiprocessors as usize / 16];
    groups.extend(Some(multiprocessors % 16).filter(|&rest| rest > 0));
    groups
}

/// Maximum blocks of clusters per multiprocessor.
const PER_MULTIPROCESSOR: u32 = 8;

/// Returns how many clusters of `blocks` blocks fit on groups of multiprocessors with `each` blocks
/// per multiprocessor.
fn fit(groups: &[u32], each: u32, blocks: u32) -> u32 {
    let each = each.min(PER_MULTIPROCESSOR);
    let large = groups.iter().filter(|&&group| group >= blocks);
    large.map(|group| group * each / blocks).sum()
}

/// Returns how many clusters of `blocks` blocks the device runs at once.
fn active(function: &Function, threads: u32, shared: u64, blocks: u32) -> u32 {
    let each = occupancy::of_device(function, threads, shared);
    let count = fit(&groups(device::multiprocessors()), each, blocks);
    // A device of few multiprocessors still runs any cluster, because one host thread runs all of
    // its blocks.
    let runs = each > 0 && u64::from(blocks) <= NON_PORTABLE;
    count.max(u32::from(runs))
}

/// Returns how many blocks of such clusters the device runs at once.
pub fn blocks_on_device(function: &Function, threads: u32, shared: u64, cluster: [u32; 3]) -> u64 {
    let blocks = blocks(cluster);
    u64::from(active(function, threads, shared, blocks as u32)) * blocks
}

/// The launch of a query about clusters.
pub struct Question {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u64,
    pub cluster: Option<[u32; 3]>,
}

impl Question {
    /// Checks the launch. Returns the threads per block.
    fn check(&self, function: &Function) -> Result<u32> {
        if self.grid.contains(&0) || self.block.contains(&0) {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        if let Some(cluster) = choose(function, self.cluster)? {
            // Clusters larger than can be launched are counted, too.
            let bound = match most(function) {
                PORTABLE => PORTABLE,
                _ => u64::MAX,
            };
            check_up_to(function, self.grid, cluster, bound)?;
        }
        let threads = self.block.iter().try_fold(1u32, |a, &b| a.checked_mul(b));
        Ok(threads.unwrap_or(u32::MAX))
    }

    /// Returns how many of its clusters the device runs at once, or 0 if it has no clusters.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` for an empty grid or block, and the errors of [`check`].
    pub fn active(&self, function: &Function) -> Result<u32> {
        let threads = self.check(function)?;
        Ok(match choose(function, self.cluster)?.map(blocks) {
            None => 0,
            Some(blocks) => active(function, threads, self.shared, blocks as u32),
        })
    }

    /// Returns the maximum blocks per cluster for such blocks.
    ///
    /// # Errors
    /// Returns the errors of [`Question::active`].
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

    /// Results of an H200: blocks per multiprocessor, blocks per cluster, clusters.
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
