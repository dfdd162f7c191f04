//! Matrix products: `mma`, `wmma.mma` and `wgmma.mma_async`.
//!
//! They copy their fragments to [tiles](crate::number::tensor::tile), which implement the
//! arithmetic, and back. They need the whole warp. A [`gather`] precedes each of them, at which
//! diverged lanes wait for each other.
//!
//! `wgmma` executes when it is issued, and each warp computes its 16 of the 64 rows. The results
//! are available before `wait_group`, so a missing wait is not detected.

use std::cell::RefCell;

use crate::boundary::FaultKind;
use crate::memory::check;
use crate::memory::resolve::resolve_range;
use crate::number::tensor::element::Element;
use crate::number::tensor::layout::{self, Register};
use crate::number::tensor::product::{Family, Product};
use crate::number::tensor::quad::{self, Quad};
use crate::number::tensor::shared::Descriptor;
use crate::number::tensor::tile::{COLUMNS, DEPTH, Tile};
use crate::number::tensor::{double, sparse};
use crate::state::context::Ctx;
use crate::state::op::{FULL, Flow, Op};
use crate::state::touch::{Touch, space};
use crate::warp::exchange as sync;

/// Maximum number of registers in an operand.
const MOST: usize = 128;

thread_local! {
    /// A reusable tile for operands.
    static TILE: RefCell<Box<Tile>> = RefCell::new(Tile::new());
}

/// Waits for the lanes of a warp before an instruction that needs all of them. Equivalent to
/// `bar.warp.sync` with all lanes in `x`.
pub(crate) unsafe fn gather(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    if mask == ctx.live {
        return Flow::Next;
    }
    // SAFETY: the operands are those of a warp barrier.
    unsafe { sync::together(ctx, op, mask) }
}

/// Returns whether the whole warp is active. Otherwise returns false with `ctx.fault` set.
pub(crate) fn whole(ctx: &mut Ctx<'_>, mask: u32) -> bool {
    if mask == FULL {
        return true;
    }
    let lane = (!mask).trailing_zeros();
    let why = if ctx.live >> lane & 1 == 0 {
        "has ended, or is not part of the block"
    } else {
        "is elsewhere"
    };
    let text = format!(
        "an instruction for the whole warp (.aligned), but lane {lane} {why}\n\
         let all 32 lanes execute it together: take the condition around it from a value that is the same in the whole warp"
    );
    ctx.fail(FaultKind::IllegalInstruction, mask.trailing_zeros(), text);
    false
}

/// Returns the registers of an operand.
///
/// # Safety
///
/// The caller must ensure that the list contains 32-bit registers of the function whose frame is
/// loaded, and that nothing writes them during the borrow.
unsafe fn registers<'c, const N: usize>(ctx: &'c Ctx<'_>, list: &[u32]) -> [&'c Register; N] {
    let mut out = [&[0; 32]; N];
    for (out, &at) in out.iter_mut().zip(list) {
        // SAFETY: guaranteed by the caller.
        *out = unsafe { &*ctx.at::<Register>(at) };
    }
    out
}

/// Divides a list into the four operands.
fn operands(list: &[u32], [a, b, c, d]: [usize; 4]) -> [&[u32]; 4] {
    let (to, rest) = list.split_at(d);
    let (first, rest) = rest.split_at(a);
    let (second, rest) = rest.split_at(b);
    [first, second, &rest[..c], to]
}

/// `mma` and `wmma.mma`. `imm` is the [`Product`]. The registers of result, factors, addend and
/// metadata are in the list `x`, and the metadata's selector is in `c`.
pub(crate) unsafe fn multiply(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    if !whole(ctx, mask) {
        return Flow::Fault;
    }
    let product = Product::unpack(op.imm);
    let counts = product.registers();
    let total = counts.iter().sum::<usize>() + usize::from(product.sparse);
    let list = ctx.launch.list(op.x, total as u32);
    let [a, b, c, d] = operands(list, counts);
    // SAFETY: the lowering created the list for these operands. Results are written after
    // everything is read.
    unsafe {
        if product.a == Element::F64 {
            doubles(ctx, &product, [a, b, c, d]);
        } else if product.quad() {
            quads(ctx, &product, [a, b, c, d]);
        } else {
            let metadata = list.get(total - 1).filter(|_| product.sparse);
            TILE.with_borrow_mut(|tile| tiles(ctx, op, &product, [a, b, c, d], metadata, tile));
        }
    }
    Flow::Next
}

/// Returns the registers of a tile in an operand whose tiles have `each` registers.
fn part(list: &[u32], tile: usize, each: usize) -> &[u32] {
    &list[tile * each..(tile + 1) * each]
}

#[inline(always)]
unsafe fn tiles(
    ctx: &mut Ctx<'_>,
    op: &Op,
    product: &Product,
    [a, b, c, d]: [&[u32]; 4],
    metadata: Option<&u32>,
    tile: &mut Tile,
) {
    let rule = product.rule();
    let (down, across, rows) = product.tiles();
    let (bits, depth) = product.units(product.k);
    let (a, b, rule) = if product.transposed() {
        let rule = crate::number::tensor::tile::Rule {
            a: rule.b,
            b: rule.a,
            ..rule
        };
        (b, a, rule)
    } else {
        (a, b, rule)
    };
    let (cs, ds) = (product.c.bits(), product.d.bits());
    let each = |e| layout::accumulator_registers(rows, e);
    let mut results = [[0; 32]; 8];
    let mut written = 0;
    for i in 0..down {
        for j in 0..across {
            // Integer products change the first matrix, so it is read again for each tile.
            let (_, stored) = product.units(product.stored());
            let n = layout::factor_registers(rows, stored, bits);
            // SAFETY: guaranteed by the caller.
            unsafe {
                let registers = registers::<8>(ctx, part(a, i, n));
                layout::spread_rows(&registers[..n], rows, bits, &mut tile.a);
                if let Some(&metadata) = metadata {
                    let metadata = &*ctx.at::<Register>(metadata);
                    expand(tile, rule.a, product.k, metadata, op.c as usize);
                } else {
                    tile.present = [u128::MAX; 16];
                }
                let n = layout::factor_registers(COLUMNS, depth, bits);
                let registers = self::registers::<8>(ctx, part(b, j, n));
                layout::spread_columns(&registers[..n], bits, &mut tile.b);
                let n = each(cs);
                let registers = self::registers::<4>(ctx, part(c, i * across + j, n));
                layout::spread_accumulator(&registers[..n], cs, &mut tile.c);
            }
            (tile.rows, tile.depth) = (rows, depth);
            tile.multiply(&rule);
            for register in &layout::gather_accumulator(&tile.d[..rows], ds)[..each(ds)] {
                results[written] = *register;
                written += 1;
            }
        }
    }
    for (result, &at) in results.iter().zip(d) {
        // SAFETY: guaranteed by the caller.
        unsafe { *ctx.at::<Register>(at) = *result };
    }
}

/// Moves the stored elements of a sparse matrix's rows to the positions in their metadata.
fn expand(tile: &mut Tile, element: Element, k: usize, metadata: &Register, selector: usize) {
    let (size, _) = sparse::group(element);
    let mask = u32::MAX >> (32 - element.bits());
    for (row, (line, present)) in tile.a.iter_mut().zip(&mut tile.present).enumerate() {
        let stored = *line;
        line[..k].fill(0);
        *present = 0;
        for (i, x) in stored.iter().enumerate().take(k / 2) {
            let group = i / (size / 2);
            let (lane, shift) = sparse::metadata(element, row, group, k / size, selector);
            let at = sparse::place(i, element, metadata[lane % 32] >> shift);
            line[at] = x & mask;
            *present |= 1 << at;
        }
    }
}

unsafe fn doubles(ctx: &mut Ctx<'_>, product: &Product, [a, b, c, d]: [&[u32]; 4]) {
    let mut tile = double::Tile::new();
    (tile.rows, tile.depth) = (product.m, product.k);
    let get = |list: &[u32], place: layout::Place| {
        // SAFETY: guaranteed by the caller: these are registers of 64 bits.
        unsafe { *ctx.at::<u64>(list[place.register]).add(place.lane) }
    };
    for row in 0..product.m {
        for k in 0..product.k {
            tile.a[row][k] = get(a, layout::factor(row, k, product.m, 64));
        }
        for column in 0..COLUMNS {
            tile.c[row][column] = get(c, layout::accumulator(row, column, 64));
        }
    }
    for k in 0..product.k {
        for column in 0..COLUMNS {
            tile.b[k][column] = get(b, layout::factor(column, k, COLUMNS, 64));
        }
    }
    tile.multiply(product.round);
    for row in 0..product.m {
        for column in 0..COLUMNS {
            let place = layout::accumulator(row, column, 64);
            // SAFETY: as above.
            unsafe {
                *ctx.at::<u64>(d[place.register]).add(place.lane) = tile.c[row][column];
            }
        }
    }
}

unsafe fn quads(ctx: &mut Ctx<'_>, product: &Product, [a, b, c, d]: [&[u32]; 4]) {
    let quad = Quad {
        a_rows: !product.a_columns,
        b_columns: !product.b_rows,
        c_single: product.c == Element::F32,
        d_single: product.d == Element::F32,
    };
    // SAFETY: guaranteed by the caller.
    let (a, b, c) = unsafe {
        (
            registers::<2>(ctx, a),
            registers::<2>(ctx, b),
            registers::<8>(ctx, c),
        )
    };
    let results = quad::multiply(quad, &a.map(|r| *r), &b.map(|r| *r), &c.map(|r| *r));
    for (result, &at) in results.iter().zip(d) {
        // SAFETY: as above.
        unsafe { *ctx.at::<Register>(at) = *result };
    }
}

/// Options of a `wgmma`, in `c`.
pub(crate) mod option {
    /// The metadata's selector.
    pub(crate) const SELECTOR: u32 = 3;
    /// A matrix is negated.
    pub(crate) const MINUS_A: u32 = 4;
    pub(crate) const MINUS_B: u32 = 8;
    /// A matrix in shared memory is transposed.
    pub(crate) const TRANSPOSED_A: u32 = 16;
    pub(crate) const TRANSPOSED_B: u32 = 32;
    /// The first matrix is in registers.
    pub(crate) const REGISTERS: u32 = 64;
}

/// `wgmma.mma_async`. `imm` is the [`Product`]. The list `x` has the registers of the accumulator,
/// of the first matrix if it is in registers, and of the metadata. Descriptors are in `a` and `b`,
/// and [`option`]s in `c`. The predicate `y`, flipped by `d`, selects whether the accumulator's old
/// value is added.
pub(crate) unsafe fn multiply_group(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    if !whole(ctx, mask) {
        return Flow::Fault;
    }
    if !ctx.launch.threads.is_multiple_of(128) {
        let text = format!(
            "wgmma needs warpgroups of 128 threads, but the block has {} threads. Fix: launch it with a multiple of 128",
            ctx.launch.threads
        );
        return ctx.fail(FaultKind::IllegalInstruction, 0, text);
    }
    // SAFETY: the lowering created the operands. Results are written after everything is read.
    let done = unsafe { TILE.with_borrow_mut(|tile| group(ctx, op, tile)) };
    if done.is_some() {
        Flow::Next
    } else {
        Flow::Fault
    }
}

unsafe fn group(ctx: &mut Ctx<'_>, op: &Op, tile: &mut Tile) -> Option<()> {
    let product = Product::unpack(op.imm);
    debug_assert_eq!(product.family, Family::Wgmma);
    let has = |flag: u32| op.c & flag != 0;
    let [first, _, count, _] = product.registers();
    let first = if has(option::REGISTERS) { first } else { 0 };
    let total = count + first + usize::from(product.sparse);
    let list = ctx.launch.list(op.x, total as u32);
    let (accumulator, rest) = list.split_at(count);
    // SAFETY: `a` and `b` are 64-bit registers, and `y` is a predicate.
    let (a, b, add) = unsafe {
        (
            Descriptor::from_bits(*ctx.at::<u64>(op.a)),
            Descriptor::from_bits(*ctx.at::<u64>(op.b)),
            (*ctx.at::<u32>(op.y) ^ op.d) & 1 != 0,
        )
    };
    let rule = product.rule();
    let (bits, depth) = product.units(product.k);
    let (_, stored) = product.units(product.stored());
    let sign = 1 << (bits - 1);
    let (_, across, rows) = product.tiles();
    let row = u64::from(ctx.warp % 4) * 16;
    if has(option::REGISTERS) {
        // SAFETY: guaranteed by the caller.
        let registers = unsafe { registers::<8>(ctx, &rest[..first]) };
        layout::spread_rows(&registers[..first], rows, bits, &mut tile.a);
    } else {
        fetch(
            ctx,
            &a,
            (row, rows),
            stored,
            bits,
            has(option::TRANSPOSED_A),
            |line, k, x| {
                tile.a[line][k] = x;
            },
        )?;
    }
    if has(option::MINUS_A) {
        tile.a
            .iter_mut()
            .for_each(|line| line[..stored].iter_mut().for_each(|x| *x ^= sign));
    }
    tile.present = [u128::MAX; 16];
    if product.sparse {
        // SAFETY: guaranteed by the caller.
        let metadata = unsafe { *ctx.at::<Register>(rest[first]) };
        expand(
            tile,
            rule.a,
            product.k,
            &metadata,
            (op.c & option::SELECTOR) as usize,
        );
    }
    let integers = matches!(product.c, Element::S32);
    let kept = tile.a;
    let (size, each) = (
        product.d.bits(),
        layout::accumulator_registers(rows, product.d.bits()),
    );
    let mut results = [[0; 32]; MOST];
    for j in 0..across {
        if integers {
            // These products change their operands.
            tile.a = kept;
        }
        fetch(
            ctx,
            &b,
            (j as u64 * 8, COLUMNS),
            depth,
            bits,
            has(option::TRANSPOSED_B),
            |line, k, x| {
                tile.b[k][line] = x;
            },
        )?;
        if has(option::MINUS_B) {
            tile.b[..depth]
                .iter_mut()
                .flatten()
                .for_each(|x| *x ^= sign);
        }
        if add {
            // SAFETY: guaranteed by the caller.
            let registers = unsafe { registers::<4>(ctx, part(accumulator, j, each)) };
            layout::spread_accumulator(&registers[..each], size, &mut tile.c);
        } else {
            tile.c = [[0; COLUMNS]; 16];
        }
        (tile.rows, tile.depth) = (rows, depth);
        tile.multiply(&rule);
        let registers = layout::gather_accumulator(&tile.d[..rows], size);
        results[j * each..(j + 1) * each].copy_from_slice(&registers[..each]);
    }
    for (result, &at) in results.iter().zip(accumulator) {
        // SAFETY: guaranteed by the caller.
        unsafe { *ctx.at::<Register>(at) = *result };
    }
    Some(())
}

/// Reads some lines of a matrix in shared memory, with `depth` elements each. Returns None with
/// `ctx.fault` set on a fault.
fn fetch(
    ctx: &mut Ctx<'_>,
    matrix: &Descriptor,
    (from, lines): (u64, usize),
    depth: usize,
    bits: u32,
    transposed: bool,
    mut put: impl FnMut(usize, usize, u32),
) -> Option<()> {
    let each = (128 / bits) as usize;
    let piece = |ctx: &mut Ctx<'_>, address: u64, put: &mut dyn FnMut(usize, u32)| {
        if ctx.launch.checked {
            check::range(ctx, space::SHARED, 0, address, 16, Touch::Read);
            if ctx.fault.is_some() {
                return None;
            }
        }
        let host = resolve_range(ctx, None, space::SHARED, 0, address, 16, false)?;
        // SAFETY: these are sixteen bytes of the block's shared memory, which a single host thread
        // accesses.
        let bytes = unsafe { std::ptr::read_unaligned(host as *const [u8; 16]) };
        let bits_of = |i: usize| match bits {
            8 => u32::from(bytes[i]),
            16 => u32::from(u16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]])),
            _ => u32::from_le_bytes([
                bytes[4 * i],
                bytes[4 * i + 1],
                bytes[4 * i + 2],
                bytes[4 * i + 3],
            ]),
        };
        (0..each).for_each(|i| put(i, bits_of(i)));
        Some(())
    };
    if transposed {
        for line in (0..lines).step_by(each) {
            for k in 0..depth {
                let at = (from + line as u64) * u64::from(bits / 8);
                piece(ctx, matrix.across(at, k as u64), &mut |i, x| {
                    put(line + i, k, x)
                })?;
            }
        }
    } else {
        for line in 0..lines {
            for k in (0..depth).step_by(each) {
                let at = k as u64 * u64::from(bits / 8);
                let address = matrix.along(from + line as u64, at);
                piece(ctx, address, &mut |i, x| put(line, k + i, x))?;
            }
        }
    }
    Some(())
}

const _: () = assert!(DEPTH >= 128 && MOST >= 128);
