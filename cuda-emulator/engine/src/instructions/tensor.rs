//! Tensor cores: matrix products, and fragments between memory and registers.

use crate::ir::{Choice, Code, Faults, Form, Opcode, Role};
use crate::number::tensor::product::{Family, Product};
use crate::ptx::Type;
use crate::state::touch::space;
use crate::warp::control;
use crate::warp::exchange::{Kind, pack};
use crate::warp::fragment::{self, Fragment};
use crate::warp::tensor;

pub(super) const LISTS: &[&[Opcode]] = &[MMA, SPARSE, WMMA, WGMMA, MATRICES, FRAGMENTS, &STORES];

/// Waits until all lanes of the warp have reconverged.
pub(crate) static GATHER: Opcode = Opcode::internal(
    "gather the warp",
    Code {
        x: Role::Read(Type::U32),
        imm: true,
        ..Code::new(tensor::gather).faults(Faults::ILLEGAL)
    },
)
.imm(pack(Kind::Barrier, 0));

const MULTIPLY: Code = Code {
    x: Role::Number,
    c: Role::Number,
    imm: true,
    ..Code::new(tensor::multiply).faults(Faults::ILLEGAL)
};

fn family(family: Family, chosen: &Choice<'_>) -> u64 {
    Product::named(family, chosen.0).map_or(0, |p| p.pack())
}

const fn mma(name: &'static str, since: u32) -> Opcode {
    Opcode::new(name, MULTIPLY)
        .form(Form::Product)
        .encode(|chosen| family(Family::Mma, chosen))
        .since(since)
}

const MMA: &[Opcode] = &[
    mma(
        "mma.sync.aligned.m8n8k4.[row|col].[row|col].[f16|f32].f16.f16.f16",
        70,
    ),
    mma(
        "mma.sync.aligned.m8n8k4.[row|col].[row|col].f32.f16.f16.f32",
        70,
    ),
    mma(
        "mma.sync.aligned.[m16n8k8|m16n8k16].row.col.f32.f16.f16.f32",
        75,
    ),
    mma(
        "mma.sync.aligned.[m16n8k8|m16n8k16].row.col.f16.f16.f16.f16",
        75,
    ),
    mma(
        "mma.sync.aligned.[m16n8k8|m16n8k16].row.col.f32.bf16.bf16.f32",
        80,
    ),
    mma(
        "mma.sync.aligned.[m16n8k4|m16n8k8].row.col.f32.tf32.tf32.f32",
        80,
    ),
    mma(
        "mma.sync.aligned.m8n8k4.row.col{.rn|.rz|.rm|.rp}.f64.f64.f64.f64",
        80,
    ),
    mma(
        "mma.sync.aligned.[m16n8k4|m16n8k8|m16n8k16].row.col{.rn|.rz|.rm|.rp}.f64.f64.f64.f64",
        90,
    ),
    mma(
        "mma.sync.aligned.[m16n8k16|m16n8k32].row.col.f32.[e4m3|e5m2].[e4m3|e5m2].f32",
        89,
    ),
    mma(
        "mma.sync.aligned.[m16n8k16|m16n8k32].row.col.f16.[e4m3|e5m2].[e4m3|e5m2].f16",
        89,
    ),
    mma(
        "mma.sync.aligned.[m8n8k16|m16n8k16|m16n8k32].row.col{.satfinite}.s32.[s8|u8].[s8|u8].s32",
        75,
    ),
    mma(
        "mma.sync.aligned.[m8n8k32|m16n8k32|m16n8k64].row.col{.satfinite}.s32.[s4|u4].[s4|u4].s32",
        75,
    ),
    mma(
        "mma.sync.aligned.[m8n8k128|m16n8k128|m16n8k256].row.col.s32.b1.b1.s32.[xor|and].popc",
        75,
    ),
];

macro_rules! sparse {
    ($shapes:literal, $types:literal, $since:literal) => {
        mma(
            concat!(
                "mma.[sp|sp::ordered_metadata].sync.aligned.[",
                $shapes,
                "].row.col",
                $types
            ),
            $since,
        )
    };
}

const SPARSE: &[Opcode] = &[
    sparse!("m16n8k16|m16n8k32", ".f32.f16.f16.f32", 80),
    sparse!("m16n8k16|m16n8k32", ".f16.f16.f16.f16", 80),
    sparse!("m16n8k16|m16n8k32", ".f32.bf16.bf16.f32", 80),
    sparse!("m16n8k8|m16n8k16", ".f32.tf32.tf32.f32", 80),
    sparse!("m16n8k64", ".f32.[e4m3|e5m2].[e4m3|e5m2].f32", 89),
    sparse!(
        "m16n8k32|m16n8k64",
        "{.satfinite}.s32.[s8|u8].[s8|u8].s32",
        80
    ),
    sparse!(
        "m16n8k64|m16n8k128",
        "{.satfinite}.s32.[s4|u4].[s4|u4].s32",
        80
    ),
];

const fn wmma(name: &'static str, since: u32) -> Opcode {
    Opcode::new(name, MULTIPLY)
        .form(Form::Product)
        .encode(|chosen| family(Family::Wmma, chosen))
        .since(since)
}

const WMMA: &[Opcode] = &[
    wmma(
        "wmma.mma.sync.aligned.[row|col].[row|col].[m16n16k16|m32n8k16|m8n32k16].[f16|f32].[f16|f32]",
        70,
    ),
    wmma(
        "wmma.mma.sync.aligned.[row|col].[row|col].[m16n16k16|m32n8k16|m8n32k16].f32.bf16.bf16.f32",
        80,
    ),
    wmma(
        "wmma.mma.sync.aligned.[row|col].[row|col].m16n16k8.f32.tf32.tf32.f32",
        80,
    ),
    wmma(
        "wmma.mma.sync.aligned.[row|col].[row|col].m8n8k4{.rn|.rz|.rm|.rp}.f64.f64.f64.f64",
        80,
    ),
    wmma(
        "wmma.mma.sync.aligned.[row|col].[row|col].[m16n16k16|m32n8k16|m8n32k16].s32.s8.s8.s32{.satfinite}",
        72,
    ),
    wmma(
        "wmma.mma.sync.aligned.[row|col].[row|col].[m16n16k16|m32n8k16|m8n32k16].s32.u8.u8.s32{.satfinite}",
        72,
    ),
    wmma(
        "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32{.satfinite}",
        75,
    ),
    wmma(
        "wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32{.satfinite}",
        75,
    ),
    wmma(
        "wmma.mma.[xor|and].popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32",
        75,
    ),
];

const GROUP: Code = Code {
    a: Role::Read(Type::U64),
    b: Role::Read(Type::U64),
    c: Role::Number,
    d: Role::Number,
    x: Role::Number,
    y: Role::Read(Type::Pred),
    imm: true,
    ..Code::new(tensor::multiply_group).faults(Faults::ILLEGAL.and(Faults::ADDRESS))
};

/// The shapes with a given `k`: 64 rows, and every number of columns.
macro_rules! wgmma {
    ($set:ident, $mode:literal, $k:literal, $types:literal) => {
        Opcode::new(
            wgmma!(@name $set, $mode, $k, $types),
            GROUP,
        )
        .form(Form::Group)
        .encode(|chosen| family(Family::Wgmma, chosen))
        .only(90)
    };
    (@name floats, $mode:literal, $k:literal, $types:literal) => {
        concat!("wgmma.mma_async", $mode, ".sync.aligned.[",
            "m64n8k", $k, "|m64n16k", $k, "|m64n24k", $k, "|m64n32k", $k, "|m64n40k", $k, "|m64n48k", $k,
            "|m64n56k", $k, "|m64n64k", $k, "|m64n72k", $k, "|m64n80k", $k, "|m64n88k", $k, "|m64n96k", $k,
            "|m64n104k", $k, "|m64n112k", $k, "|m64n120k", $k, "|m64n128k", $k, "|m64n136k", $k,
            "|m64n144k", $k, "|m64n152k", $k, "|m64n160k", $k, "|m64n168k", $k, "|m64n176k", $k,
            "|m64n184k", $k, "|m64n192k", $k, "|m64n200k", $k, "|m64n208k", $k, "|m64n216k", $k,
            "|m64n224k", $k, "|m64n232k", $k, "|m64n240k", $k, "|m64n248k", $k, "|m64n256k", $k,
            "]", $types)
    };
    (@name integers, $mode:literal, $k:literal, $types:literal) => {
        concat!("wgmma.mma_async", $mode, ".sync.aligned.[",
            "m64n8k", $k, "|m64n16k", $k, "|m64n24k", $k, "|m64n32k", $k, "|m64n48k", $k, "|m64n64k", $k,
            "|m64n80k", $k, "|m64n96k", $k, "|m64n112k", $k, "|m64n128k", $k, "|m64n144k", $k,
            "|m64n160k", $k, "|m64n176k", $k, "|m64n192k", $k, "|m64n208k", $k, "|m64n224k", $k,
            "|m64n240k", $k, "|m64n256k", $k,
            "]", $types)
    };
}

const WGMMA: &[Opcode] = &[
    wgmma!(floats, "", "16", ".[f16|f32].f16.f16"),
    wgmma!(floats, "", "16", ".f32.bf16.bf16"),
    wgmma!(floats, "", "8", ".f32.tf32.tf32"),
    wgmma!(floats, "", "32", ".[f16|f32].[e4m3|e5m2].[e4m3|e5m2]"),
    wgmma!(integers, "", "32", ".s32.[s8|u8].[s8|u8]{.satfinite}"),
    wgmma!(integers, "", "256", ".s32.b1.b1.and.popc"),
    wgmma!(floats, ".sp", "32", ".[f16|f32].f16.f16"),
    wgmma!(floats, ".sp", "32", ".f32.bf16.bf16"),
    wgmma!(floats, ".sp", "16", ".f32.tf32.tf32"),
    wgmma!(floats, ".sp", "64", ".[f16|f32].[e4m3|e5m2].[e4m3|e5m2]"),
    wgmma!(integers, ".sp", "64", ".s32.[s8|u8].[s8|u8]{.satfinite}"),
    // Products are complete when they are issued, so there is nothing to order.
    Opcode::new("wgmma.fence.sync.aligned", NOTHING)
        .form(Form::Nothing)
        .only(90),
    Opcode::new("wgmma.commit_group.sync.aligned", NOTHING)
        .form(Form::Nothing)
        .only(90),
    Opcode::new("wgmma.wait_group.sync.aligned", NOTHING)
        .form(Form::Nothing)
        .only(90),
];

const NOTHING: Code = Code::new(control::nothing);

/// Encodes the number of matrices, and whether they are transposed.
fn matrices(chosen: &Choice<'_>) -> u64 {
    let count = match () {
        () if chosen.has("x4") => 4,
        () if chosen.has("x2") => 2,
        () => 1,
    };
    let transposed = if chosen.has("trans") {
        fragment::TRANSPOSED
    } else {
        0
    };
    count | u64::from(transposed)
}

/// A memory access with the address in `a` and `imm`, and the registers in a list.
const fn memory(run: crate::state::op::Exec, d: Role) -> Code {
    Code {
        a: Role::Read(Type::U64),
        b: Role::Number,
        c: Role::Number,
        d,
        x: Role::Number,
        imm: true,
        ..Code::new(run).faults(Faults::ILLEGAL.and(Faults::ADDRESS))
    }
}

const fn matrix(name: &'static str, run: crate::state::op::Exec, since: u32) -> Opcode {
    Opcode::new(name, memory(run, Role::Number))
        .form(Form::Matrices)
        .encode(matrices)
        .since(since)
}

const MATRICES: &[Opcode] = &[
    matrix(
        "ldmatrix.sync.aligned.m8n8.[x1|x2|x4]{.trans}.[shared|shared::cta].b16",
        fragment::load_matrices::<{ space::SHARED }>,
        75,
    ),
    matrix(
        "ldmatrix.sync.aligned.m8n8.[x1|x2|x4]{.trans}.b16",
        fragment::load_matrices::<{ space::GENERIC }>,
        75,
    ),
    matrix(
        "stmatrix.sync.aligned.m8n8.[x1|x2|x4]{.trans}.[shared|shared::cta].b16",
        fragment::store_matrices::<{ space::SHARED }>,
        90,
    ),
    matrix(
        "stmatrix.sync.aligned.m8n8.[x1|x2|x4]{.trans}.b16",
        fragment::store_matrices::<{ space::GENERIC }>,
        90,
    ),
    Opcode::new(
        "movmatrix.sync.aligned.m8n8.trans.b16",
        Code {
            d: Role::Write(Type::B32),
            a: Role::Read(Type::B32),
            ..Code::new(fragment::transpose_matrix).faults(Faults::ILLEGAL)
        },
    )
    .form(Form::Together)
    .since(75),
];

fn moved(chosen: &Choice<'_>) -> u64 {
    Fragment::named(chosen.0).map_or(0, |f| f.pack())
}

const fn piece(name: &'static str, run: crate::state::op::Exec, since: u32) -> Opcode {
    Opcode::new(name, memory(run, Role::Read(Type::U32)))
        .form(Form::Fragment)
        .encode(moved)
        .since(since)
}

/// Loads and stores of one kind of fragment, for each address space.
macro_rules! pieces {
    ($run:ident, $name:literal, $types:literal, $since:literal) => {
        [
            piece(
                concat!($name, ".[shared|shared::cta].", $types),
                fragment::$run::<{ space::SHARED }>,
                $since,
            ),
            piece(
                concat!($name, ".global.", $types),
                fragment::$run::<{ space::GLOBAL }>,
                $since,
            ),
            piece(
                concat!($name, ".", $types),
                fragment::$run::<{ space::GENERIC }>,
                $since,
            ),
        ]
    };
}

const FACTORS: [[Opcode; 3]; 6] = [
    pieces!(
        load_fragment,
        "wmma.load.[a|b].sync.aligned.[row|col].[m16n16k16|m32n8k16|m8n32k16]",
        "[f16|bf16|s8|u8]",
        70
    ),
    pieces!(
        load_fragment,
        "wmma.load.[a|b].sync.aligned.[row|col].m16n16k8",
        "tf32",
        80
    ),
    pieces!(
        load_fragment,
        "wmma.load.[a|b].sync.aligned.[row|col].m8n8k4",
        "f64",
        80
    ),
    pieces!(
        load_fragment,
        "wmma.load.a.sync.aligned.row.[m8n8k32|m8n8k128]",
        "[s4|u4|b1]",
        75
    ),
    pieces!(
        load_fragment,
        "wmma.load.b.sync.aligned.col.[m8n8k32|m8n8k128]",
        "[s4|u4|b1]",
        75
    ),
    pieces!(
        load_fragment,
        "wmma.load.c.sync.aligned.[row|col].[m16n16k16|m32n8k16|m8n32k16|m16n16k8|m8n8k4|m8n8k32|m8n8k128]",
        "[f16|f32|f64|s32]",
        70
    ),
];
const STORES: [Opcode; 3] = pieces!(
    store_fragment,
    "wmma.store.d.sync.aligned.[row|col].[m16n16k16|m32n8k16|m8n32k16|m16n16k8|m8n8k4|m8n8k32|m8n8k128]",
    "[f16|f32|f64|s32]",
    70
);
const FRAGMENTS: &[Opcode] = FACTORS.as_flattened();
