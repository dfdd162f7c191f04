//! The kernels as PTX, one for each instruction that the cases use.

use std::collections::BTreeMap;

use crate::case::{Case, Replace, Work};

/// The number of bytes of shared memory that a kernel fills and writes out.
pub const SHARED: usize = 16384;
/// The offset of the second half of the input, where a kernel stores a changed map.
pub const SCRATCH: usize = 32768;

const HEAD: &str = "\
.version 8.6
.target sm_90a
.address_size 64
";

/// Every thread of the warp fills shared memory from the input, and the first thread initializes
/// the barrier.
const BEGIN: &str = "\
.visible .entry NAME(.param .align 64 .b8 map[128], .param .u64 out, .param .u64 in, .param .align 8 .b8 args[72])
{
.reg .pred %p, %first, %done;
.reg .b16 %o<3>, %mask;
.reg .b32 %c<5>, %x, %y, %lane, %words, %expect, %to, %spins, %left, %bar, %base;
.reg .b64 %map, %out, %in, %at, %v, %place, %value, %policy, %scratch;
.shared .align 1024 .b8 tile[16384];
.shared .align 128 .b8 shadow[128];
.shared .align 8 .b64 barrier;
mov.u64 %map, map;
cvta.param.u64 %map, %map;
ld.param.u64 %out, [out];
cvta.to.global.u64 %out, %out;
ld.param.u64 %in, [in];
add.u64 %scratch, %in, 32768;
cvta.to.global.u64 %in, %in;
ld.param.u32 %c0, [args];
ld.param.u32 %c1, [args+4];
ld.param.u32 %c2, [args+8];
ld.param.u32 %c3, [args+12];
ld.param.u32 %c4, [args+16];
ld.param.u16 %o0, [args+20];
ld.param.u16 %o1, [args+24];
ld.param.u16 %o2, [args+28];
ld.param.u32 %words, [args+32];
ld.param.u32 %expect, [args+36];
ld.param.u32 %to, [args+40];
ld.param.u32 %spins, [args+44];
ld.param.u64 %value, [args+48];
ld.param.u64 %place, [args+56];
mov.u32 %lane, %tid.x;
setp.eq.u32 %first, %lane, 0;
mov.u32 %base, tile;
add.u32 %to, %to, %base;
mov.u32 %bar, barrier;
mov.b16 %mask, 1;
createpolicy.fractional.L2::evict_first.b64 %policy, 1.0;
mov.u32 %x, %lane;
FILL:
setp.ge.u32 %p, %x, %words;
@%p bra FILLED;
mul.wide.u32 %at, %x, 4;
add.u64 %at, %in, %at;
ld.global.u32 %y, [%at];
shl.b32 %left, %x, 2;
add.u32 %left, %base, %left;
st.shared.u32 [%left], %y;
add.u32 %x, %x, 32;
bra FILL;
FILLED:
@%first mbarrier.init.shared::cta.b64 [%bar], 1;
fence.mbarrier_init.release.cluster;
fence.proxy.async;
bar.sync 0;
";

/// Waits, counts the expected bytes that did not arrive, and writes out shared memory.
const LOADED: &str = "\
mov.u32 %left, 0;
SPIN:
mbarrier.test_wait.parity.shared::cta.b64 %done, [%bar], 0;
@%done bra DONE;
sub.u32 %spins, %spins, 1;
setp.gt.s32 %p, %spins, 0;
@%p bra SPIN;
COUNT:
mbarrier.test_wait.parity.shared::cta.b64 %done, [%bar], 0;
@%done bra DONE;
setp.ge.u32 %p, %left, %expect;
@%p bra DONE;
mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%bar], 16;
add.u32 %left, %left, 16;
bra COUNT;
DONE:
sub.u32 %y, %expect, %left;
st.global.u32 [%out], %y;
SHOW:
bar.sync 0;
mov.u32 %x, %lane;
NEXT:
setp.ge.u32 %p, %x, %words;
@%p bra END;
shl.b32 %left, %x, 2;
add.u32 %left, %base, %left;
ld.shared.u32 %y, [%left];
mul.wide.u32 %at, %x, 4;
add.u64 %at, %out, %at;
st.global.u32 [%at+16], %y;
add.u32 %x, %x, 32;
bra NEXT;
END:
ret;
}
";

fn coordinates(case: &Case) -> String {
    let names: Vec<_> = (0..case.at.len()).map(|i| format!("%c{i}")).collect();
    names.join(", ")
}

fn offsets(case: &Case) -> String {
    let names: Vec<_> = (0..case.offsets.len()).map(|i| format!("%o{i}")).collect();
    names.join(", ")
}

fn replaced(replace: &Replace) -> String {
    // One thread copies the map and changes it.
    let mut out = String::from("mov.u32 %y, shadow;\n");
    for i in 0..16 {
        let place = if replace.global {
            format!("st.u64 [%scratch+{}]", 8 * i)
        } else {
            format!("st.shared.u64 [%y+{}]", 8 * i)
        };
        out += &format!(
            "@%first ld.param.u64 %v, [map+{}];\n@%first {place}, %v;\n",
            8 * i
        );
    }
    let (space, address) = if replace.global {
        ("global", "%scratch")
    } else {
        ("shared::cta", "%y")
    };
    for line in &replace.lines {
        let (field, rest) = line.split_once(' ').expect("a field and operands");
        let width = if field == "global_address" || field == "global_stride" {
            "b64"
        } else {
            "b32"
        };
        out += &format!(
            "@%first tensormap.replace.tile.{field}.{space}.b1024.{width} [{address}], {rest};\n"
        );
    }
    out += "bar.warp.sync 0xffffffff;\n";
    out += if replace.global {
        "fence.proxy.tensormap::generic.release.gpu;\n"
    } else {
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%scratch], [%y], 128;\n"
    };
    out + "fence.proxy.tensormap::generic.acquire.gpu [%scratch], 128;\nmov.u64 %map, %scratch;\n"
}

fn text(case: &Case) -> Option<String> {
    let rank = case.at.len();
    let at = coordinates(case);
    Some(match &case.work {
        Work::Encode | Work::Odd | Work::Address(_) => return None,
        Work::Load {
            form,
            extra,
            replace,
            prefetch,
        } => {
            let mut out = String::from(BEGIN);
            if let Some(replace) = replace {
                out += &replaced(replace);
            }
            let offsets = match offsets(case) {
                names if names.is_empty() => names,
                names => format!(", {{{names}}}"),
            };
            out += "bar.sync 0;\n@!%first bra SHOW;\nprefetch.tensormap [%map];\n";
            let ahead = format!(
                "cp.async.bulk.prefetch.tensor.{rank}d.L2.global.{} [%map, {{{at}}}]{offsets};\n",
                if case.offsets.is_empty() {
                    "tile"
                } else {
                    "im2col"
                }
            );
            if *prefetch {
                out += &ahead;
            }
            out += "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], %expect;\n";
            out += &format!(
                "cp.async.bulk.tensor.{rank}d.{form}.mbarrier::complete_tx::bytes{} [%to], [%map, {{{at}}}], \
                 [%bar]{offsets}{};\n",
                extra.0, extra.1
            );
            out + LOADED
        }
        Work::Store { operation, form } => {
            let mut out = String::from(BEGIN);
            out += "@!%first bra END;\n";
            let (name, operation) = match operation {
                Some(operation) => ("cp.reduce.async.bulk", format!(".{operation}")),
                None => ("cp.async.bulk", String::new()),
            };
            // In PTX, the operation of a reduction comes before its mode.
            let (spaces, mode) = form.rsplit_once('.').expect("spaces and a mode");
            out += &format!(
                "{name}.tensor.{rank}d.{spaces}{operation}.{mode}.bulk_group [%map, {{{at}}}], [%to];\n"
            );
            out + "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nEND:\nret;\n}\n"
        }
    })
}

/// Returns a module with the kernels of all cases, and the kernel name of each case.
pub fn module(cases: &[Case]) -> (String, Vec<Option<String>>) {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let mut out = String::from(HEAD);
    let mut names = Vec::new();
    for case in cases {
        let Some(body) = text(case) else {
            names.push(None);
            continue;
        };
        let next = format!("k{}", known.len());
        let name = known.entry(body.clone()).or_insert_with(|| {
            out += &body.replace("NAME", &next);
            next
        });
        names.push(Some(name.clone()));
    }
    (out, names)
}
