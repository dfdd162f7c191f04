//! Faults of clusters, and the reports of the checks.

use super::module;
use crate::common::{Arg, load};
use cuda_emulator_engine::{Fault, FaultKind, Options};

fn fault(kernel: &str, cluster: Option<[u32; 3]>, more: &[u32]) -> Fault {
    let m = module(Options::default(), cluster);
    let mut args = vec![Arg::from(m.device.upload(&[0u32; 256]))];
    args.extend(more.iter().map(|&value| Arg::from(value)));
    m.fault(kernel, 4, 32, &args)
}

fn says(fault: &Fault, kind: FaultKind, parts: &[&str]) {
    assert_eq!(fault.kind, kind, "{fault}");
    for part in parts {
        assert!(fault.report.contains(part), "`{part}` isn't in\n{fault}");
    }
}

/// The kinds correspond to the codes of an H200.
#[test]
fn accesses_to_missing_blocks_fault() {
    let two = Some([2, 1, 1]);
    says(
        &fault("wrong_rank", two, &[2]),
        FaultKind::Cluster,
        &["of block 2 of the cluster, which has 2 blocks"],
    );
    for rank in [3, 8, 16, 31] {
        assert_eq!(fault("wrong_rank", two, &[rank]).kind, FaultKind::Cluster);
    }
    for rank in [32, 200, 254, 255] {
        let fault = fault("wrong_rank", two, &[rank]);
        says(&fault, FaultKind::IllegalInstruction, &["of the cluster"]);
    }
    says(
        &fault("ended_block", two, &[]),
        FaultKind::Cluster,
        &["block 1 of the cluster, which has ended", "cluster.sync()"],
    );
    for offset in [256, 1 << 20] {
        says(
            &fault("past_end", two, &[offset]),
            FaultKind::IllegalAddress,
            &["of block 1 of the cluster", "past the end of its 16 bytes"],
        );
    }
}

#[test]
fn single_block_has_no_peers() {
    says(
        &fault("wrong_rank", None, &[1]),
        FaultKind::IllegalAddress,
        &["mapa of block 1 in a cluster of one block"],
    );
}

#[test]
fn invalid_shapes_are_rejected() {
    for cluster in [[3, 1, 1], [0, 1, 1], [1, 2, 1], [32, 1, 1]] {
        says(
            &fault("fixed", Some(cluster), &[]),
            FaultKind::InvalidLaunch,
            &["clusters of"],
        );
    }
}

const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

/// Runs a handwritten kernel `k` of 64 threads in clusters of 2, with all checks.
fn written(body: &str) -> Result<Vec<u32>, Fault> {
    let text = format!(
        "{HEAD}.visible .entry k(.param .u64 to) {{\n.reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .b64 %d<8>;\n\
         .shared .align 8 .b8 s[1024];\n{body}\nret;\n}}"
    );
    let m = super::Loaded {
        cluster: Some([2, 1, 1]),
        options: Options {
            check_race: true,
            check_uninit: true,
            check_barrier: true,
            time_limit: Some(std::time::Duration::from_secs(20)),
            ..Options::default()
        },
        ..load(&text)
    };
    let to = m.device.upload(&[0u32; 64]);
    m.try_run("k", [2, 1, 1], [64, 1, 1], 0, false, &[Arg::from(to)])?;
    Ok(m.device.download(to, 64))
}

const SYNC: &str = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
/// The address of the other block's memory in `%r3`, the rank in `%r1`, the thread in `%r0`.
const OTHER: &str = "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %cluster_ctarank;\nxor.b32 %r2, %r1, 1;\nmov.u32 %r3, s;\n\
                     mapa.shared::cluster.u32 %r3, %r3, %r2;\n";

#[test]
fn uninitialized_cluster_memory_is_reported() {
    let read = format!("{OTHER}{SYNC}ld.shared::cluster.u32 %r4, [%r3];\n{SYNC}");
    says(
        &written(&read).unwrap_err(),
        FaultKind::Check,
        &["of block", "no thread has written"],
    );
    // A write by another block counts as initialization.
    let write = format!(
        "{OTHER}setp.eq.u32 %p1, %r0, 0;\n@%p1 st.shared::cluster.u32 [%r3], 7;\n{SYNC}ld.shared.u32 %r4, [s];\n\
         @%p1 setp.eq.u32 %p1, %r1, 0;\nld.param.u64 %d1, [to];\n@%p1 st.global.u32 [%d1], %r4;\n{SYNC}"
    );
    assert_eq!(written(&write).unwrap()[0], 7);
}

/// Accesses that are ordered through another block are not a race.
#[test]
fn order_through_another_block_is_not_a_race() {
    // Warp 0 of block 0 writes and signals block 1's mbarrier. Block 1 signals warp 1 of block 0,
    // which then writes, too.
    let body = format!(
        "{OTHER}setp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [s+8], 1;\n{SYNC}\
         setp.ne.u32 %p2, %r1, 0;\n@%p2 bra second;\n\
         setp.ge.u32 %p3, %r0, 32;\n@%p3 bra later;\n\
         @%p1 st.shared.u32 [s], 1;\n\
         @%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3+8];\nbra end;\n\
         later: setp.ne.u32 %p3, %r0, 32;\n@%p3 bra end;\n\
         again: mbarrier.try_wait.parity.shared.b64 %p3, [s+8], 0;\n@!%p3 bra again;\n\
         st.shared.u32 [s], 2;\nbra end;\n\
         second: @!%p1 bra end;\n\
         other: mbarrier.try_wait.parity.shared.b64 %p3, [s+8], 0;\n@!%p3 bra other;\n\
         mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3+8];\n\
         end:\n{SYNC}"
    );
    written(&body).unwrap();
    // Without the second signal, nothing orders the two writes.
    let racing = body.replacen("again: mbarrier", "again: bra on;\nmbarrier", 1);
    let racing = racing.replacen("st.shared.u32 [s], 2;", "on: st.shared.u32 [s], 2;", 1);
    says(
        &written(&racing).unwrap_err(),
        FaultKind::Check,
        &["race on shared memory"],
    );
}

/// A barrier is missing between an access of one block and a later access of another.
#[test]
fn races_between_blocks() {
    let sync = SYNC;
    let (write, read) = (
        "st.shared::cluster.u32 [%r3], 7;",
        "ld.shared::cluster.u32 %r4, [%r3];",
    );
    let (own_write, own_read) = ("st.shared.u32 [s], 7;", "ld.shared.u32 %r4, [s];");
    // One thread of each block. Block 1 comes second.
    let start = format!(
        "{OTHER}setp.ne.u32 %p1, %r0, 0;\n@!%p1 st.shared.u32 [s], 1;\n{sync}@%p1 bra end;\n\
         setp.ne.u32 %p2, %r1, 0;\n"
    );
    for (first, second, races) in [
        (write, own_read, true),
        (write, own_write, true),
        (read, own_write, true),
        (read, own_read, false),
    ] {
        for barrier in [false, true] {
            let between = if barrier { sync } else { "" };
            let body = format!(
                "{start}@!%p2 {first}\nend:\n{between}@!%p1 bra on;\nbra out;\non: @%p2 {second}\nout:\n{sync}"
            );
            let result = written(&body);
            if races && !barrier {
                says(
                    &result.unwrap_err(),
                    FaultKind::Check,
                    &[
                        "race on shared memory of a cluster",
                        "cluster.sync()",
                        "of block 0",
                    ],
                );
            } else {
                result.unwrap();
            }
        }
    }
    // The block's own access comes first.
    for (first, second) in [(own_read, write), (own_write, write), (own_write, read)] {
        for barrier in [false, true] {
            let between = if barrier { sync } else { "" };
            let body = format!(
                "{start}@!%p2 {first}\nend:\n{between}@!%p1 bra on;\nbra out;\non: @%p2 {second}\nout:\n{sync}"
            );
            let result = written(&body);
            assert_eq!(result.is_err(), !barrier, "{first} {second} {result:?}");
        }
    }
    // Atomic operations do not race with each other.
    let both = "red.relaxed.cluster.shared::cluster.add.u32 [%r3], 1;";
    let own = "red.relaxed.cluster.shared::cta.add.u32 [s], 1;";
    let body = format!("{start}@!%p2 {both}\n@%p2 {own}\nend:\n{sync}");
    written(&body).unwrap();
    let body = format!("{start}@!%p2 {both}\n@%p2 {own_write}\nend:\n{sync}");
    says(&written(&body).unwrap_err(), FaultKind::Check, &["race on"]);
}

#[test]
fn cluster_deadlock_is_reported() {
    // One block waits twice, and the other once.
    let body = format!(
        "{OTHER}{SYNC}setp.eq.u32 %p1, %r1, 0;\n@%p1 bra out;\nbar.sync 1, 96;\nout:\n{SYNC}"
    );
    says(
        &written(&body).unwrap_err(),
        FaultKind::Timeout,
        &["deadlock: no thread of the cluster can continue"],
    );
}
