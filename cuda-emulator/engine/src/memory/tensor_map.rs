//! Copies with tensor maps: `cp.async.bulk.tensor` and similar instructions.
//!
//! Like other bulk copies, they are checked when they are issued and executed as late as possible.

use crate::boundary::FaultKind;
use crate::boundary::tensor_map::{ALIGN, Element, Mode, SIZE, TensorMap};
use crate::memory::bulk;
use crate::memory::check;
use crate::memory::cluster::{in_block, place, shadow};
use crate::memory::resolve::{Mem, name, resolve_range};
use crate::state::bulk::{Bulk, Direction, End, Tensor, Transfer};
use crate::state::cluster::Place;
use crate::state::context::Ctx;
use crate::state::op::{Flow, Op, each};
use crate::state::reduction::Operation;
use crate::state::tile::{Row, Tile, swizzled};
use crate::state::touch::{Touch, space};

/// The properties of the instruction, packed into `imm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub transfer: Transfer,
    pub im2col: bool,
    /// The number of coordinates.
    pub rank: u8,
    /// Whether the copy goes to all blocks of a mask.
    pub multicast: bool,
}

/// The operands of each lane, in the order of the list in `x`.
pub(crate) mod operand {
    pub(crate) const MAP: usize = 0;
    pub(crate) const SHARED: usize = 1;
    pub(crate) const BARRIER: usize = 2;
    pub(crate) const MASK: usize = 3;
    /// Coordinates, then offsets.
    pub(crate) const AT: usize = 4;
    pub(crate) const OFFSETS: usize = 9;
    pub(crate) const COUNT: usize = 12;
}

impl Form {
    pub(crate) fn pack(self) -> u64 {
        let transfer = match self.transfer {
            Transfer::Load => 0,
            Transfer::Store => 1,
            Transfer::Prefetch => 2,
            Transfer::Reduce(operation) => 8 + operation as u64,
        };
        transfer
            | u64::from(self.im2col) << 8
            | u64::from(self.rank) << 9
            | u64::from(self.multicast) << 12
    }

    fn unpack(imm: u64) -> Form {
        Form {
            transfer: match imm & 0xff {
                0 => Transfer::Load,
                1 => Transfer::Store,
                2 => Transfer::Prefetch,
                operation => Transfer::Reduce(Operation::of(operation - 8)),
            },
            im2col: imm >> 8 & 1 != 0,
            rank: (imm >> 9 & 7) as u8,
            multicast: imm >> 12 & 1 != 0,
        }
    }
}

/// Reads the map at a generic address. Returns None with `ctx.fault` set on a fault.
pub(crate) fn read(ctx: &mut Ctx<'_>, lane: u32, address: u64) -> Option<TensorMap> {
    if !address.is_multiple_of(ALIGN) {
        let text = format!(
            "misaligned tensor map: its address {} is not a multiple of {ALIGN}",
            name(space::GENERIC, address)
        );
        ctx.fail(FaultKind::MisalignedAddress, lane, text);
        return None;
    }
    let params = ctx.launch.params();
    let within = address >= params.0 && address - params.0 + SIZE as u64 <= params.1;
    let host = if within {
        address
    } else {
        resolve_range(ctx, None, space::GENERIC, lane, address, SIZE as u64, false)?
    };
    let mut bytes = [0; SIZE];
    for (i, part) in bytes.chunks_exact_mut(8).enumerate() {
        // SAFETY: the address was resolved just now, or is in the launch's parameters. Both are
        // aligned.
        part.copy_from_slice(&unsafe { u64::load(host + 8 * i as u64) }.to_le_bytes());
    }
    let map = TensorMap::decode(&bytes);
    if map.is_none() {
        let text = format!(
            "there is no tensor map at {}: the bytes there are not the result of cuTensorMapEncode…",
            name(space::GENERIC, address)
        );
        ctx.fail(FaultKind::IllegalInstruction, lane, text);
    }
    map
}

/// Returns the tile of a lane's operands. None with `ctx.fault` set on a fault.
fn tile(ctx: &mut Ctx<'_>, lane: u32, form: Form, list: &[u32]) -> Option<Tile> {
    let i = lane as usize;
    // SAFETY: the map's address is a 64-bit register. Coordinates and offsets are 32-bit registers.
    let (address, at, offsets) = unsafe {
        (
            *ctx.at::<u64>(list[operand::MAP]).add(i),
            std::array::from_fn(|d| *ctx.at::<i32>(list[operand::AT + d]).add(i)),
            std::array::from_fn(|d| *ctx.at::<u32>(list[operand::OFFSETS + d]).add(i) as u16),
        )
    };
    let map = read(ctx, lane, address)?;
    let wrong = if map.rank != form.rank {
        format!(
            "the tensor map has {} dimensions, but the instruction has {}",
            map.rank, form.rank
        )
    } else if let Mode::Wide(_) = map.mode {
        "the tensor map is for im2col along the width, which needs a device of compute capability 10.0".into()
    } else if matches!(map.mode, Mode::Im2col(_)) != form.im2col {
        let words = |im2col| if im2col { "im2col" } else { "tiles" };
        format!(
            "the tensor map is for {}, but the instruction is for {}",
            words(!form.im2col),
            words(form.im2col)
        )
    } else if !map.address.is_multiple_of(16)
        || map.strides.iter().any(|stride| !stride.is_multiple_of(16))
    {
        "the tensor map's address and strides are not multiples of 16".into()
    } else if map.swizzle > 3 || map.interleave > 2 || map.steps.contains(&0) {
        "no device supports the tensor map's swizzle, interleave or element strides".into()
    } else if form.im2col && map.rank < 3 {
        "im2col needs a tensor map of 3 to 5 dimensions".into()
    } else if let Some(size) = map.element.size() {
        let tile = Tile {
            map,
            size,
            at,
            offsets,
        };
        match tile.rejection_reason() {
            Some(text) => text,
            None if tile.width().is_multiple_of(16) => return Some(tile),
            None => "a row of the tensor map's box is not a multiple of 16 bytes".into(),
        }
    } else {
        "packed elements of 4 and 6 bits need a device of compute capability 10.0".into()
    };
    ctx.fail(FaultKind::IllegalInstruction, lane, wrong);
    None
}

/// `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`, `cp.async.bulk.prefetch.tensor`. `imm` is
/// a [`Form`], and the operands are in the list `x`.
pub(crate) unsafe fn issue(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let form = Form::unpack(op.imm);
    let list = ctx.launch.list(op.x, operand::COUNT as u32);
    each(mask, |i| {
        if ctx.fault.is_none() {
            start(ctx, i as u32, form, list);
        }
    });
    if ctx.fault.is_some() {
        Flow::Fault
    } else {
        Flow::Next
    }
}

/// Checks a lane's copy, and executes or enqueues it. May set `ctx.fault`.
fn start(ctx: &mut Ctx<'_>, lane: u32, form: Form, list: &[u32]) -> Option<()> {
    let tile = tile(ctx, lane, form, list)?;
    let i = lane as usize;
    // SAFETY: addresses are 64-bit registers, and the mask is a 32-bit register.
    let (shared, barrier, blocks) = unsafe {
        (
            *ctx.at::<u64>(list[operand::SHARED]).add(i),
            *ctx.at::<u64>(list[operand::BARRIER]).add(i),
            *ctx.at::<u32>(list[operand::MASK]).add(i) as u16,
        )
    };
    if form.transfer == Transfer::Prefetch {
        return Some(());
    }
    if !shared.is_multiple_of(128) {
        let text = format!(
            "misaligned copy with a tensor map: its {} is not a multiple of 128",
            name(space::SHARED, shared)
        );
        ctx.fail(FaultKind::MisalignedAddress, lane, text);
        return None;
    }
    let load = form.transfer == Transfer::Load;
    if !load && let Some(text) = unstorable(&tile, form.transfer) {
        ctx.fail(FaultKind::IllegalInstruction, lane, text);
        return None;
    }
    let direction = if load {
        Direction::GlobalToShared
    } else {
        Direction::SharedToGlobal
    };
    let (thread, pc) = (ctx.warp * 32 + lane, ctx.pc - 1);
    let copy = |shared| Bulk {
        to: shared,
        from: shared,
        bytes: tile.bytes(),
        direction,
        end: End::Group(0),
        thread,
        pc,
        issuer: None,
        tensor: Some(Box::new(Tensor {
            tile,
            transfer: form.transfer,
        })),
    };
    if !form.multicast {
        reach(ctx, lane, &tile, shared, load)?;
        bulk::enqueue(ctx, copy(shared), barrier);
        return Some(());
    }
    for rank in (0..16).filter(|rank| blocks >> rank & 1 != 0) {
        let (shared, barrier) = (in_block(ctx, shared, rank), in_block(ctx, barrier, rank));
        reach(ctx, lane, &tile, shared, load)?;
        bulk::enqueue(ctx, copy(shared), barrier);
    }
    Some(())
}

/// Checks the locations of a tile in shared memory. Returns None with `ctx.fault` set on a fault.
fn reach(ctx: &mut Ctx<'_>, lane: u32, tile: &Tile, shared: u64, load: bool) -> Option<()> {
    let touch = if load { Touch::Pending } else { Touch::Read };
    resolve_range(ctx, None, space::SHARED, lane, shared, tile.extent(), load)?;
    for row in 0..tile.bytes() / tile.width() {
        let place = shared + row * tile.pitch();
        for part in (0..tile.width()).step_by(16) {
            let place = swizzled(tile.map.swizzle, place + part);
            check::range(ctx, space::SHARED, lane, place, 16, touch);
        }
    }
    ctx.fault.is_none().then_some(())
}

/// Returns why the hardware rejects a copy to global memory. These checks are in addition to those
/// of every copy.
fn unstorable(tile: &Tile, transfer: Transfer) -> Option<String> {
    if let Some(before) = tile.at.iter().find(|&&at| at < 0) {
        return Some(format!(
            "a copy to global memory begins at coordinate {before}: it may end outside of the tensor, but not begin before it"
        ));
    }
    if let Mode::Im2col(columns) = tile.map.mode
        && columns.lower.iter().any(|&corner| corner < 0)
    {
        return Some(format!(
            "a copy to global memory with im2col, whose bounding box begins before the tensor: the lower corner is {:?}",
            columns.lower
        ));
    }
    match transfer {
        Transfer::Reduce(operation) if !operation.fits(tile.map.element) => Some(format!(
            "the elements do not support {}: the tensor map's type is {} of CUtensorMapDataType",
            operation.name(),
            tile.map.element.0
        )),
        _ => None,
    }
}

/// Executes a copy without signaling its completion. May set `ctx.fault`.
pub(crate) fn transfer(ctx: &mut Ctx<'_>, copy: &Bulk, tensor: &Tensor) -> Option<()> {
    match tensor.transfer {
        Transfer::Load => load(ctx, copy, &tensor.tile),
        Transfer::Store | Transfer::Reduce(_) => store(ctx, copy, tensor),
        Transfer::Prefetch => Some(()),
    }
}

/// Returns the address and number of a row's bytes that are inside the tensor. None with
/// `ctx.fault` set on a fault.
fn global(ctx: &mut Ctx<'_>, copy: &Bulk, row: &Row, touch: Touch) -> Option<(u64, u64)> {
    let (lane, write) = (copy.thread % 32, touch.writes());
    let address = row.address.wrapping_add(row.inside.start);
    let bytes = row.inside.end - row.inside.start;
    let host = resolve_range(ctx, None, space::GLOBAL, lane, address, bytes, write)?;
    match copy.issuer {
        None => check::range(ctx, space::GLOBAL, lane, address, bytes, touch),
        // The race check has no clock for a copy of another block.
        Some(_) => check::uninitialized(ctx, lane, address, bytes, touch),
    }
    ctx.fault.is_none().then_some((host, bytes))
}

/// Returns the locations of a row's 16-byte parts in shared memory. None with `ctx.fault` set on a
/// fault.
fn parts(ctx: &mut Ctx<'_>, lane: u32, tile: &Tile, start: u64, write: bool) -> Option<Vec<Part>> {
    let places = (0..tile.width()).step_by(16);
    places
        .map(|at| {
            let address = swizzled(tile.map.swizzle, start + at);
            let host = resolve_range(ctx, None, space::SHARED, lane, address, 16, write)?;
            Some(Part { address, host })
        })
        .collect()
}

/// 16 bytes of shared memory.
struct Part {
    address: u64,
    host: u64,
}

fn load(ctx: &mut Ctx<'_>, copy: &Bulk, tile: &Tile) -> Option<()> {
    let lane = copy.thread % 32;
    let mut data = vec![0; tile.width() as usize];
    for row in tile.rows() {
        match tile.map.fill {
            0 => data.fill(0),
            _ => data.as_chunks_mut().0.fill(NAN),
        }
        if !row.inside.is_empty() {
            let (host, bytes) = global(ctx, copy, &row, Touch::Read)?;
            let inside = &mut data[row.inside.start as usize..][..bytes as usize];
            for (at, byte) in inside.iter_mut().enumerate() {
                // SAFETY: resolved just now for all bytes.
                *byte = unsafe { u8::load(host + at as u64) };
            }
            convert(inside, tile.map.element);
        }
        let places = parts(ctx, lane, tile, copy.to + row.at, true)?;
        for (bytes, part) in data.as_chunks::<16>().0.iter().zip(places) {
            // SAFETY: resolved just now, and aligned to 16.
            unsafe { u128::from_le_bytes(*bytes).store(part.host) };
            let place = place(ctx, part.address);
            let (Place::Own(offset) | Place::Peer(_, offset)) = place;
            if let Some(shadow) = shadow(ctx, place) {
                shadow.written(offset, 16);
            }
        }
    }
    Some(())
}

/// The fill value of elements outside the tensor if NaNs are requested: these 16 bits repeated, for
/// every type.
const NAN: [u8; 2] = 0x7ff7u16.to_le_bytes();

/// Converts loaded elements of the tensor. TF32 is rounded to nearest, ties to even, with a single
/// NaN. Subnormal numbers are not changed, even if the type says that they are flushed, as on an
/// H200.
fn convert(data: &mut [u8], element: Element) {
    if !matches!(element, Element::TF32 | Element::TF32_FTZ) {
        return;
    }
    for bytes in data.as_chunks_mut::<4>().0 {
        let bits = u32::from_le_bytes(*bytes);
        let rounded = match f32::from_bits(bits) {
            value if value.is_nan() => 0x7fff_e000,
            value if value.is_infinite() => bits,
            _ => bits.wrapping_add(0xfff + (bits >> 13 & 1)) & !0x1fff,
        };
        *bytes = rounded.to_le_bytes();
    }
}

fn store(ctx: &mut Ctx<'_>, copy: &Bulk, tensor: &Tensor) -> Option<()> {
    let (lane, tile) = (copy.thread % 32, &tensor.tile);
    let mut data = vec![0; tile.width() as usize];
    for row in tile.rows().iter().filter(|row| !row.inside.is_empty()) {
        let places = parts(ctx, lane, tile, copy.from + row.at, false)?;
        for (bytes, part) in data.as_chunks_mut::<16>().0.iter_mut().zip(places) {
            // SAFETY: resolved just now, and aligned to 16.
            *bytes = unsafe { u128::load(part.host) }.to_le_bytes();
        }
        // Whole parts of 16 bytes are written, also at the end of a row. They overwrite the memory
        // behind it, as on an H200.
        let mut row = row.clone();
        row.inside.end = row.inside.end.next_multiple_of(16);
        let touch = match tensor.transfer {
            Transfer::Reduce(_) => Touch::Exchange,
            _ => Touch::Write,
        };
        let (host, bytes) = global(ctx, copy, &row, touch)?;
        let inside = &data[row.inside.start as usize..][..bytes as usize];
        let Transfer::Reduce(operation) = tensor.transfer else {
            for (at, byte) in inside.iter().enumerate() {
                // SAFETY: resolved just now for all bytes.
                unsafe { byte.store(host + at as u64) };
            }
            continue;
        };
        for (i, element) in inside.chunks_exact(tile.size as usize).enumerate() {
            let at = host + i as u64 * tile.size;
            // SAFETY: resolved just now. Addresses of maps are multiples of 16, and rows are
            // aligned to elements.
            unsafe { operation.apply(tile.map.element, at, element) };
        }
    }
    Some(())
}
