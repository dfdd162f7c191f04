//! Special registers: the locations of their values, and their initialization.

use crate::boundary::Shape;
use crate::state::op::{Area, LANES};

/// Byte offsets in the warp's area.
pub(crate) mod warp {
    pub(crate) const TID: u32 = 0;
    pub(crate) const WARP_ID: u32 = 384;
    pub(crate) const SIZE: usize = 512;
}

/// Indices of 128-byte slots in the block's area.
mod block {
    pub(crate) const CTAID: u32 = 0;
    pub(crate) const NTID: u32 = 3;
    pub(crate) const NCTAID: u32 = 6;
    pub(crate) const LANE: u32 = 9;
    pub(crate) const EQ: u32 = 10;
    pub(crate) const LE: u32 = 11;
    pub(crate) const LT: u32 = 12;
    pub(crate) const GE: u32 = 13;
    pub(crate) const GT: u32 = 14;
    pub(crate) const NWARP: u32 = 15;
    pub(crate) const SM: u32 = 16;
    pub(crate) const NSM: u32 = 17;
    pub(crate) const DYNAMIC_SIZE: u32 = 18;
    pub(crate) const TOTAL_SIZE: u32 = 19;
    pub(crate) const DYNAMIC_BASE: u32 = 22;
    /// Address of the grid's workspace, upper and lower half.
    pub(crate) const ENVREG1: u32 = 24;
    pub(crate) const ENVREG2: u32 = 25;
    pub(crate) const RESERVED: u32 = 26;
    pub(crate) const RESERVED_END: u32 = 27;
    pub(crate) const RESERVED_SIZE: u32 = 28;
    /// The cluster's index and the number of clusters, and the block's index in the cluster and the
    /// number of blocks.
    pub(crate) const CLUSTERID: u32 = 29;
    pub(crate) const NCLUSTERID: u32 = 32;
    pub(crate) const CLUSTER_CTAID: u32 = 35;
    pub(crate) const CLUSTER_NCTAID: u32 = 38;
    pub(crate) const CLUSTER_RANK: u32 = 20;
    pub(crate) const CLUSTER_BLOCKS: u32 = 21;
    /// A predicate.
    pub(crate) const EXPLICIT_CLUSTER: u32 = 41;
    pub(crate) const NSLOTS: u32 = 42;
}

/// Bytes of shared memory reserved for the system. Cooperative groups of several warps keep their
/// state there.
pub(crate) const RESERVED_SIZE: u32 = 1024;

/// Size of a block's area in bytes.
pub(crate) const BLOCK_SIZE: usize = block::NSLOTS as usize * 128;
/// The start of dynamic shared memory, as a 64-bit operand (two slots).
pub(crate) const DYNAMIC_BASE: u32 = Area::Block.at(block::DYNAMIC_BASE * 128);

/// `%is_explicit_cluster`, a predicate.
pub(crate) const EXPLICIT_CLUSTER: u32 = Area::Block.at(block::EXPLICIT_CLUSTER * 128);

/// Returns the operand of a special register, if its value is constant while a thread runs.
pub(crate) fn operand(name: &str) -> Option<u32> {
    let at = |slot: u32| Area::Block.at(slot * 128);
    let axis = |name: &str| match name.as_bytes().last() {
        Some(b'x') => 0,
        Some(b'y') => 1,
        _ => 2,
    };
    Some(match name {
        "%tid.x" | "%tid.y" | "%tid.z" => Area::Warp.at(warp::TID + axis(name) * 128),
        "%warpid" => Area::Warp.at(warp::WARP_ID),
        "%ctaid.x" | "%ctaid.y" | "%ctaid.z" => at(block::CTAID + axis(name)),
        "%ntid.x" | "%ntid.y" | "%ntid.z" => at(block::NTID + axis(name)),
        "%nctaid.x" | "%nctaid.y" | "%nctaid.z" => at(block::NCTAID + axis(name)),
        "%laneid" => at(block::LANE),
        "%lanemask_eq" => at(block::EQ),
        "%lanemask_le" => at(block::LE),
        "%lanemask_lt" => at(block::LT),
        "%lanemask_ge" => at(block::GE),
        "%lanemask_gt" => at(block::GT),
        "%nwarpid" => at(block::NWARP),
        "%smid" => at(block::SM),
        "%nsmid" => at(block::NSM),
        "%dynamic_smem_size" => at(block::DYNAMIC_SIZE),
        "%total_smem_size" | "%aggr_smem_size" => at(block::TOTAL_SIZE),
        "%envreg1" => at(block::ENVREG1),
        "%envreg2" => at(block::ENVREG2),
        "%reserved_smem_offset_begin" | "%reserved_smem_offset_0" | "%reserved_smem_offset_1" => {
            at(block::RESERVED)
        }
        "%reserved_smem_offset_end" => at(block::RESERVED_END),
        "%reserved_smem_offset_cap" => at(block::RESERVED_SIZE),
        "%clusterid.x" | "%clusterid.y" | "%clusterid.z" => at(block::CLUSTERID + axis(name)),
        "%nclusterid.x" | "%nclusterid.y" | "%nclusterid.z" => at(block::NCLUSTERID + axis(name)),
        "%cluster_ctaid.x" | "%cluster_ctaid.y" | "%cluster_ctaid.z" => {
            at(block::CLUSTER_CTAID + axis(name))
        }
        "%cluster_nctaid.x" | "%cluster_nctaid.y" | "%cluster_nctaid.z" => {
            at(block::CLUSTER_NCTAID + axis(name))
        }
        "%cluster_ctarank" => at(block::CLUSTER_RANK),
        "%cluster_nctarank" => at(block::CLUSTER_BLOCKS),
        _ => return None,
    })
}

/// Returns the name of the special register in an operand.
pub(crate) fn name(wanted: u32) -> Option<String> {
    if wanted == EXPLICIT_CLUSTER {
        return Some("%is_explicit_cluster".into());
    }
    let axes = [
        "tid",
        "ctaid",
        "ntid",
        "nctaid",
        "clusterid",
        "nclusterid",
        "cluster_ctaid",
        "cluster_nctaid",
    ];
    let axes = axes
        .into_iter()
        .flat_map(|name| ["x", "y", "z"].map(|axis| format!("%{name}.{axis}")));
    let others = [
        "%warpid",
        "%laneid",
        "%lanemask_eq",
        "%lanemask_le",
        "%lanemask_lt",
        "%lanemask_ge",
        "%lanemask_gt",
        "%nwarpid",
        "%smid",
        "%nsmid",
        "%dynamic_smem_size",
        "%total_smem_size",
        "%cluster_ctarank",
        "%cluster_nctarank",
        "%envreg1",
        "%envreg2",
        "%reserved_smem_offset_begin",
        "%reserved_smem_offset_end",
        "%reserved_smem_offset_cap",
    ];
    axes.chain(others.map(String::from))
        .find(|name| operand(name) == Some(wanted))
}

/// A launch's constant values for its blocks.
pub(crate) struct Facts {
    pub shape: Shape,
    pub multiprocessors: u32,
    pub static_shared: u32,
    /// The start of shared memory reserved for the system.
    pub reserved: u32,
    /// The address of the grid's barrier for cooperative groups. 0 unless the launch is
    /// cooperative.
    pub workspace: u64,
}

/// Fills in the values that are the same for all blocks.
///
/// # Safety
///
/// The caller must ensure that `area` is valid for writes of [`BLOCK_SIZE`] bytes.
pub(crate) unsafe fn fill_launch(area: *mut u8, facts: &Facts) {
    // SAFETY: every slot is within the area.
    let put = |slot: u32, value: &dyn Fn(u32) -> u32| unsafe {
        let at = area.cast::<[u32; LANES]>().add(slot as usize);
        at.write(std::array::from_fn(|i| value(i as u32)));
    };
    let threads = facts.shape.block.iter().product::<u32>();
    for axis in 0..3 {
        put(block::NTID + axis, &|_| facts.shape.block[axis as usize]);
        put(block::NCTAID + axis, &|_| facts.shape.grid[axis as usize]);
    }
    put(block::LANE, &|i| i);
    put(block::EQ, &|i| 1 << i);
    put(block::LE, &|i| u32::MAX >> (31 - i));
    put(block::LT, &|i| (1 << i) - 1);
    put(block::GE, &|i| u32::MAX << i);
    put(block::GT, &|i| !(u32::MAX >> (31 - i)));
    put(block::NWARP, &|_| threads.div_ceil(32));
    put(block::NSM, &|_| facts.multiprocessors);
    put(block::DYNAMIC_SIZE, &|_| facts.shape.dynamic_shared);
    put(block::TOTAL_SIZE, &|_| {
        facts.static_shared + facts.shape.dynamic_shared
    });
    let cluster = facts.shape.cluster.unwrap_or([1; 3]);
    for axis in 0..3 {
        let n = axis as usize;
        let clusters = facts.shape.grid[n] / cluster[n].max(1);
        put(block::NCLUSTERID + axis, &|_| clusters);
        put(block::CLUSTER_NCTAID + axis, &|_| cluster[n]);
        put(block::CLUSTER_CTAID + axis, &|_| 0);
    }
    put(block::CLUSTER_RANK, &|_| 0);
    put(block::CLUSTER_BLOCKS, &|_| cluster.iter().product());
    let explicit = if facts.shape.cluster.is_some() { !0 } else { 0 };
    put(block::EXPLICIT_CLUSTER, &|_| explicit);
    put(block::RESERVED, &|_| facts.reserved);
    put(block::RESERVED_END, &|_| facts.reserved + RESERVED_SIZE);
    put(block::RESERVED_SIZE, &|_| RESERVED_SIZE);
    put(block::ENVREG1, &|_| (facts.workspace >> 32) as u32);
    put(block::ENVREG2, &|_| facts.workspace as u32);
    // SAFETY: the two slots are within the area.
    unsafe {
        let base = area
            .add(block::DYNAMIC_BASE as usize * 128)
            .cast::<[u64; LANES]>();
        base.write([u64::from(facts.static_shared); LANES]);
    }
}

/// Fills in the values that differ between blocks.
///
/// # Safety
///
/// The caller must meet the conditions of [`fill_launch`].
pub(crate) unsafe fn fill_block(area: *mut u8, index: [u32; 3], multiprocessor: u32) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let slots = area.cast::<[u32; LANES]>();
        for (axis, &value) in index.iter().enumerate() {
            slots
                .add(block::CTAID as usize + axis)
                .write([value; LANES]);
        }
        slots.add(block::SM as usize).write([multiprocessor; LANES]);
    }
}

/// Fills in a block's place in its cluster: the cluster's index, the block's index in it, and its
/// rank.
///
/// # Safety
///
/// The caller must meet the conditions of [`fill_launch`].
pub(crate) unsafe fn fill_rank(area: *mut u8, cluster: [u32; 3], within: [u32; 3], rank: u32) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let slots = area.cast::<[u32; LANES]>();
        for axis in 0..3 {
            let slot = |first: u32| slots.add(first as usize + axis);
            slot(block::CLUSTERID).write([cluster[axis]; LANES]);
            slot(block::CLUSTER_CTAID).write([within[axis]; LANES]);
        }
        slots.add(block::CLUSTER_RANK as usize).write([rank; LANES]);
    }
}

/// Fills in a warp's area.
///
/// # Safety
///
/// The caller must ensure that `area` is valid for writes of [`warp::SIZE`] bytes.
pub(crate) unsafe fn fill_warp(area: *mut u8, warp: u32, block: [u32; 3]) {
    // SAFETY: the four slots are within the area.
    unsafe {
        let slots = area.cast::<[u32; LANES]>();
        let thread = |i: usize| thread_index(warp * 32 + i as u32, block);
        for axis in 0..3 {
            slots
                .add(axis)
                .write(std::array::from_fn(|i| thread(i)[axis]));
        }
        slots.add(3).write([warp; LANES]);
    }
}

/// Returns a thread's index from its number in the block.
pub(crate) fn thread_index(linear: u32, block: [u32; 3]) -> [u32; 3] {
    [
        linear % block[0],
        linear / block[0] % block[1],
        linear / block[0] / block[1],
    ]
}
