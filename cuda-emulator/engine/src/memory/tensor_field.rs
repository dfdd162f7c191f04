//! `tensormap.replace`: changes a field of a map in memory.

use crate::boundary::FaultKind;
use crate::boundary::tensor_map::{ALIGN, Element, SIZE, TensorMap, at};
use crate::memory::check;
use crate::memory::resolve::{Mem, name, resolve_range};
use crate::state::context::Ctx;
use crate::state::op::{Flow, LANES, Op, each};
use crate::state::touch::Touch;

/// A field of a map, by its name in PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Field {
    GlobalAddress,
    Rank,
    BoxDim,
    GlobalDim,
    GlobalStride,
    ElementStride,
    ElementType,
    InterleaveLayout,
    SwizzleMode,
    SwizzleAtomicity,
    FillMode,
}

pub(crate) const FIELDS: [(Field, &str); 11] = [
    (Field::GlobalAddress, "global_address"),
    (Field::Rank, "rank"),
    (Field::BoxDim, "box_dim"),
    (Field::GlobalDim, "global_dim"),
    (Field::GlobalStride, "global_stride"),
    (Field::ElementStride, "element_stride"),
    (Field::ElementType, "elemtype"),
    (Field::InterleaveLayout, "interleave_layout"),
    (Field::SwizzleMode, "swizzle_mode"),
    (Field::SwizzleAtomicity, "swizzle_atomicity"),
    (Field::FillMode, "fill_mode"),
];

impl Field {
    /// Returns whether the field has a value for each dimension.
    pub(crate) fn ordinal(self) -> bool {
        matches!(
            self,
            Field::BoxDim | Field::GlobalDim | Field::GlobalStride | Field::ElementStride
        )
    }

    /// Returns whether the value is a constant in the instruction.
    pub(crate) fn constant(self) -> bool {
        matches!(
            self,
            Field::ElementType
                | Field::InterleaveLayout
                | Field::SwizzleMode
                | Field::SwizzleAtomicity
                | Field::FillMode
        )
    }

    /// Returns whether the value has 64 bits.
    pub(crate) fn long(self) -> bool {
        matches!(self, Field::GlobalAddress | Field::GlobalStride)
    }

    /// Changes the bytes of a map.
    fn replace(self, bytes: &mut [u8; SIZE], ordinal: usize, value: u64) {
        let mut put = |at: usize, size: usize| {
            bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
        };
        match self {
            Field::GlobalAddress => put(at::ADDRESS, 8),
            Field::BoxDim => put(at::BOX + 2 * ordinal, 2),
            // The lowest bits are ignored.
            Field::GlobalStride => bytes[at::STRIDES + 8 * ordinal..][..8]
                .copy_from_slice(&(value & !15).to_le_bytes()),
            Field::ElementStride => put(at::STEPS + ordinal, 1),
            Field::InterleaveLayout => put(at::INTERLEAVE, 1),
            Field::SwizzleMode => put(at::SWIZZLE, 1),
            Field::FillMode => put(at::FILL, 1),
            Field::SwizzleAtomicity => {}
            Field::Rank => bytes[at::RANK] = value as u8 + 1,
            Field::GlobalDim => {
                let less = (value as u32).wrapping_sub(1);
                bytes[at::DIMS + 4 * ordinal..][..4].copy_from_slice(&less.to_le_bytes());
            }
            Field::ElementType => bytes[at::ELEMENT] = element(value).0,
        }
    }
}

/// Converts PTX's number of a type, which differs from the driver's.
fn element(number: u64) -> Element {
    const TYPES: [Element; 13] = [
        Element::U8,
        Element::U16,
        Element::U32,
        Element::S32,
        Element::U64,
        Element::S64,
        Element::F16,
        Element::F32,
        Element::F32_FTZ,
        Element::F64,
        Element::BF16,
        Element::TF32,
        Element::TF32_FTZ,
    ];
    let known = TYPES.get(number as usize).copied();
    known.unwrap_or(Element(number as u8))
}

/// Packs field, dimension and the address's space into `imm`.
pub(crate) fn pack(field: Field, ordinal: u64, space: u8) -> u64 {
    field as u64 | ordinal << 8 | u64::from(space) << 16
}

/// `tensormap.replace`: sets a field of the map at `a` to `b`. `imm` selects the field.
pub(crate) unsafe fn replace(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let field = FIELDS[(op.imm & 0xff) as usize % FIELDS.len()].0;
    let (ordinal, space) = ((op.imm >> 8 & 7) as usize, (op.imm >> 16) as u8);
    // SAFETY: `a` and `b` are 64-bit registers.
    let (a, b) = unsafe { (*ctx.at::<[u64; LANES]>(op.a), *ctx.at::<[u64; LANES]>(op.b)) };
    each(mask, |i| {
        if ctx.fault.is_none() {
            one(ctx, i as u32, space, a[i], field, ordinal, b[i]);
        }
    });
    if ctx.fault.is_some() {
        Flow::Fault
    } else {
        Flow::Next
    }
}

fn one(
    ctx: &mut Ctx<'_>,
    lane: u32,
    space: u8,
    address: u64,
    field: Field,
    ordinal: usize,
    value: u64,
) -> Option<()> {
    if !address.is_multiple_of(ALIGN) {
        let text = format!(
            "misaligned tensor map: its address {} is not a multiple of {ALIGN}",
            name(space, address)
        );
        ctx.fail(FaultKind::MisalignedAddress, lane, text);
        return None;
    }
    let host = resolve_range(ctx, None, space, lane, address, SIZE as u64, true)?;
    check::range(ctx, space, lane, address, SIZE as u64, Touch::Read);
    check::range(ctx, space, lane, address, SIZE as u64, Touch::Write);
    let mut bytes = [0; SIZE];
    for (i, part) in bytes.chunks_exact_mut(8).enumerate() {
        // SAFETY: resolved just now, and aligned.
        part.copy_from_slice(&unsafe { u64::load(host + 8 * i as u64) }.to_le_bytes());
    }
    if TensorMap::decode(&bytes).is_none() {
        let text = format!(
            "there is no tensor map at {}: copy one there before you replace its fields",
            name(space, address)
        );
        ctx.fail(FaultKind::IllegalInstruction, lane, text);
        return None;
    }
    field.replace(&mut bytes, ordinal, value);
    for (i, part) in bytes.as_chunks::<8>().0.iter().enumerate() {
        // SAFETY: as above.
        unsafe { u64::from_le_bytes(*part).store(host + 8 * i as u64) };
    }
    Some(())
}

/// `tensormap.cp_fenceproxy`: copies `c` bytes from shared memory at `b` to global memory at `a`.
pub(crate) unsafe fn copy(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    use crate::state::touch::space::{GENERIC, SHARED};
    // The whole warp copies the same map, so one copy is enough.
    let lane = mask.trailing_zeros();
    // SAFETY: `a` and `b` are 64-bit registers.
    let (to, from) = unsafe {
        (
            *ctx.at::<u64>(op.a).add(lane as usize),
            *ctx.at::<u64>(op.b).add(lane as usize),
        )
    };
    for (what, space, address) in [("destination", GENERIC, to), ("source", SHARED, from)] {
        if !address.is_multiple_of(128) {
            let text = format!(
                "misaligned tensor map: the {what} {} is not a multiple of 128",
                name(space, address)
            );
            return ctx.fail(FaultKind::MisalignedAddress, lane, text);
        }
    }
    let size = SIZE as u64;
    check::range(ctx, SHARED, lane, from, size, Touch::Read);
    check::range(ctx, GENERIC, lane, to, size, Touch::Write);
    if ctx.fault.is_some() {
        return Flow::Fault;
    }
    let Some(source) = resolve_range(ctx, None, SHARED, lane, from, size, false) else {
        return Flow::Fault;
    };
    let Some(target) = resolve_range(ctx, None, GENERIC, lane, to, size, true) else {
        return Flow::Fault;
    };
    for at in (0..size).step_by(8) {
        // SAFETY: both were resolved for all bytes, and are aligned.
        unsafe { u64::load(source + at).store(target + at) };
    }
    Flow::Next
}
