//! Blocks that wait for blocks.

mod common;

use std::time::Duration;

use common::load;
use cuda_emulator::engine::Options;

/// Each block waits for the one below it and hands on a sum, as single-pass scans do. `spin` of the thread that waits
/// by reading again and again, else by an atomic.
const CHAIN: &str = r#"
.version 8.0
.target sm_80
.address_size 64
.visible .entry chain(.param .u64 sums, .param .u32 spin) {
    .reg .b32 %r<9>; .reg .b64 %rd<6>; .reg .pred %p<5>;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra DONE;
    mov.u32 %r2, %ctaid.x;
    ld.param.u64 %rd1, [sums];
    ld.param.u32 %r3, [spin];
    setp.eq.u32 %p3, %r3, 0;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd1, %rd1, %rd2;
    mov.u32 %r4, 1;
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra HAND;
WAIT:
    @%p3 atom.global.add.u32 %r5, [%rd1+-4], 0;
    @!%p3 ld.relaxed.gpu.global.u32 %r5, [%rd1+-4];
    setp.eq.u32 %p4, %r5, 0;
    @%p4 bra WAIT;
    add.u32 %r4, %r5, 1;
HAND:
    st.relaxed.gpu.global.u32 [%rd1], %r4;
DONE:
    ret;
}
"#;

#[test]
fn blocks_wait_for_lower_ones() {
    for blocks in [40u32, 64, 65, 500] {
        for seed in [None, Some(0), Some(1), Some(7), Some(0xdead_beef)] {
            for threads in [1, 2, 5] {
                for (resident_blocks, spin) in [(64, 0), (64, 1), (3, 1), (1, 1)] {
                    let mut m = load(CHAIN);
                    m.options = Options {
                        seed,
                        threads,
                        resident_blocks,
                        time_limit: Some(Duration::from_secs(60)),
                        ..Options::default()
                    };
                    let sums = m.device.upload(&vec![0u32; blocks as usize]);
                    m.run("chain", blocks, 32, args![sums, spin]);
                    let want: Vec<u32> = (1..=blocks).collect();
                    assert_eq!(m.device.download::<u32>(sums, blocks as usize), want);
                }
            }
        }
    }
}
