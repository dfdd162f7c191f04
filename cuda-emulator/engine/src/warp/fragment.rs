//! Copies of fragments between memory and registers: `ldmatrix`, `stmatrix`, `movmatrix`,
//! `wmma.load` and `wmma.store`.

use crate::boundary::FaultKind;
use crate::memory::check;
use crate::memory::resolve::{Mem, name, resolve, resolve_range};
use crate::number::tensor::element::Element;
use crate::number::tensor::layout::{self, Place, Register};
use crate::number::tensor::product::{self, Family, Product};
use crate::number::tensor::tile::COLUMNS;
use crate::state::context::Ctx;
use crate::state::op::{Flow, LANES, Op};
use crate::state::touch::Touch;
use crate::warp::tensor::whole;

/// Flag in `c`, next to the number of registers of 8 by 8 matrices of 16 bits: the matrices are
/// transposed.
pub(crate) const TRANSPOSED: u32 = 8;

/// Returns the location of an 8 by 8 matrix's element: lane, and lowest bit.
fn place(row: usize, column: usize, transposed: bool) -> Place {
    let (row, column) = if transposed {
        (column, row)
    } else {
        (row, column)
    };
    layout::factor(row, column, 8, 16)
}

/// Returns the host addresses of the rows of all matrices. Lane `8 m + r` has the address of row
/// `r` of matrix `m`. None with `ctx.fault` set on a fault.
unsafe fn rows(ctx: &mut Ctx<'_>, op: &Op, space: u8, touch: Touch) -> Option<[u64; LANES]> {
    let mut hosts = [0; LANES];
    for (lane, host) in hosts.iter_mut().enumerate().take((op.c & 7) as usize * 8) {
        // SAFETY: `a` is a 64-bit register.
        let address = unsafe { *ctx.at::<u64>(op.a).add(lane) }.wrapping_add(op.imm);
        if ctx.launch.checked {
            check::range(ctx, space, lane as u32, address, 16, touch);
            if ctx.fault.is_some() {
                return None;
            }
        }
        *host = resolve(ctx, None, space, lane as u32, address, 16, touch.writes())?;
    }
    Some(hosts)
}

/// `ldmatrix`: the address is in `a` and `imm`, the registers are in the list `x`, and `c` is
/// described at [`TRANSPOSED`].
pub(crate) unsafe fn load_matrices<const S: u8>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    if !whole(ctx, mask) {
        return Flow::Fault;
    }
    // SAFETY: the lowering created the operands, and the rows' addresses were checked.
    unsafe {
        let Some(hosts) = rows(ctx, op, S, Touch::Read) else {
            return Flow::Fault;
        };
        for (m, &d) in ctx.launch.list(op.x, op.c & 7).iter().enumerate() {
            let mut register: Register = [0; 32];
            for row in 0..8 {
                for column in 0..8 {
                    let place = place(row, column, op.c & TRANSPOSED != 0);
                    let x = u16::load(hosts[m * 8 + row] + column as u64 * 2);
                    register[place.lane] |= u32::from(x) << place.shift;
                }
            }
            *ctx.at::<Register>(d) = register;
        }
    }
    Flow::Next
}

/// `stmatrix`: the reverse of [`load_matrices`].
pub(crate) unsafe fn store_matrices<const S: u8>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    if !whole(ctx, mask) {
        return Flow::Fault;
    }
    // SAFETY: the lowering created the operands, and the rows' addresses were checked.
    unsafe {
        let Some(hosts) = rows(ctx, op, S, Touch::Write) else {
            return Flow::Fault;
        };
        for (m, &a) in ctx.launch.list(op.x, op.c & 7).iter().enumerate() {
            let register = *ctx.at::<Register>(a);
            for row in 0..8 {
                for column in 0..8 {
                    let place = place(row, column, op.c & TRANSPOSED != 0);
                    let x = (register[place.lane] >> place.shift) as u16;
                    x.store(hosts[m * 8 + row] + column as u64 * 2);
                }
            }
        }
    }
    Flow::Next
}

/// `movmatrix`: `d` is the transpose of `a`.
pub(crate) unsafe fn transpose_matrix(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    if !whole(ctx, mask) {
        return Flow::Fault;
    }
    // SAFETY: both are 32-bit registers.
    unsafe {
        let from = *ctx.at::<Register>(op.a);
        let mut to: Register = [0; 32];
        for row in 0..8 {
            for column in 0..8 {
                let (from_place, to_place) = (place(row, column, false), place(row, column, true));
                let x = from[from_place.lane] >> from_place.shift & 0xffff;
                to[to_place.lane] |= x << to_place.shift;
            }
        }
        *ctx.at::<Register>(op.d) = to;
    }
    Flow::Next
}

/// A fragment of `wmma`, as named by `wmma.load` and `wmma.store`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fragment {
    shape: [usize; 3],
    /// `a`, `b`, or the accumulator.
    operand: u8,
    element: Element,
    /// Whether the matrix is stored column by column.
    columns: bool,
}

impl Fragment {
    pub(crate) fn named(modifiers: &[&str]) -> Option<Fragment> {
        Some(Fragment {
            shape: modifiers.iter().find_map(|x| product::shape(x))?,
            operand: modifiers.iter().find_map(|x| match *x {
                "a" => Some(0),
                "b" => Some(1),
                "c" | "d" => Some(2),
                _ => None,
            })?,
            element: modifiers.iter().find_map(|x| Element::named(x))?,
            columns: modifiers.contains(&"col"),
        })
    }

    /// Returns a product with this fragment. Only the fragment's properties are meaningful.
    fn product(&self) -> Product {
        let Fragment {
            shape: [m, n, k],
            element,
            ..
        } = *self;
        let of = |factor| match (self.operand, element) {
            (2, Element::S32) => {
                if k == 128 {
                    Element::B1
                } else if k == 32 {
                    Element::S4
                } else {
                    Element::S8
                }
            }
            (2, Element::F64) => Element::F64,
            (2, _) => {
                if k == 8 {
                    Element::Tf32
                } else {
                    Element::F16
                }
            }
            _ => factor,
        };
        let accumulator = match (self.operand, element) {
            (2, element) => element,
            (_, Element::F64) => Element::F64,
            _ => Element::F32,
        };
        Product {
            family: Family::Wmma,
            m,
            n,
            k,
            a: of(element),
            b: of(element),
            c: accumulator,
            d: accumulator,
            saturate: false,
            xor: false,
            sparse: false,
            a_columns: false,
            b_rows: false,
            round: crate::number::soft::Round::Nearest,
        }
    }

    pub(crate) fn pack(&self) -> u64 {
        self.product().pack() | u64::from(self.operand) << 48 | u64::from(self.columns) << 50
    }

    pub(crate) fn unpack(bits: u64) -> Fragment {
        let product = Product::unpack(bits & ((1 << 48) - 1));
        let operand = (bits >> 48 & 3) as u8;
        Fragment {
            shape: [product.m, product.n, product.k],
            operand,
            element: if operand == 2 { product.c } else { product.a },
            columns: bits >> 50 & 1 != 0,
        }
    }

    /// Returns whether the registers have 64 bits.
    pub(crate) fn wide(&self) -> bool {
        self.element == Element::F64
    }

    /// Returns the number of elements of a line in memory, which is the default stride.
    pub(crate) fn line(&self) -> u64 {
        let (rows, columns) = self.size();
        let line = if self.columns { rows } else { columns };
        (line * self.unit().1) as u64
    }

    /// Returns the number of registers per lane.
    pub(crate) fn registers(&self) -> usize {
        self.product().registers()[self.operand as usize]
    }

    /// Returns the moved unit: its bits, and the number of elements. Elements smaller than bytes
    /// are moved in words.
    fn unit(&self) -> (u32, usize) {
        match self.element.bits() {
            bits @ ..8 => (32, 32 / bits as usize),
            bits => (bits, 1),
        }
    }

    /// Returns the number of rows and columns of the matrix, in units.
    fn size(&self) -> (usize, usize) {
        let [m, n, k] = self.shape;
        let k = k / self.unit().1;
        match self.operand {
            0 => (m, k),
            1 => (k, n),
            _ => (m, n),
        }
    }

    /// Returns a function that gives the location of the unit at a row and column.
    fn places(&self) -> impl Fn(usize, usize) -> Place {
        let product = self.product();
        let (_, across, rows) = product.tiles();
        let (bits, each) = self.unit();
        let depth = product.k / each;
        let (transposed, operand) = (product.transposed(), self.operand);
        move |row, column| {
            let (row, column, first) = if transposed {
                (column, row, operand == 1)
            } else {
                (row, column, operand == 0)
            };
            if operand == 2 {
                let tile = row / rows * across + column / COLUMNS;
                let mut place = layout::accumulator(row % rows, column % COLUMNS, bits);
                place.register += tile * layout::accumulator_registers(rows, bits);
                return place;
            }
            // The lines of the second matrix are its columns.
            let (line, k, lines) = if first {
                (row, column, rows)
            } else {
                (column, row, COLUMNS)
            };
            let mut place = layout::factor(line % lines, k, lines, bits);
            place.register += line / lines * layout::factor_registers(lines, depth, bits);
            place
        }
    }
}

/// Returns the fragment of an instruction whose `imm` holds an offset. It is in `b` and `c`.
fn fragment(op: &Op) -> Fragment {
    Fragment::unpack(u64::from(op.b) | u64::from(op.c) << 32)
}

/// Calls the function with the location and host address of each unit of the matrix. Returns false
/// with `ctx.fault` set on a fault.
unsafe fn each_unit(
    ctx: &mut Ctx<'_>,
    op: &Op,
    space: u8,
    touch: Touch,
    mut f: impl FnMut(Place, u64),
) -> bool {
    let fragment = fragment(op);
    // SAFETY: `a` is a 64-bit register, and `d` a 32-bit register.
    let (address, stride) = unsafe { (*ctx.at::<u64>(op.a), *ctx.at::<u32>(op.d)) };
    let address = address.wrapping_add(op.imm);
    let (bits, each) = fragment.unit();
    let size = u64::from(bits / 8);
    let line = u64::from(stride) * size / each as u64;
    let (rows, columns) = fragment.size();
    let places = fragment.places();
    let (outer, inner) = if fragment.columns {
        (columns, rows)
    } else {
        (rows, columns)
    };
    for i in 0..outer {
        let address = address.wrapping_add(i as u64 * line);
        let place = |j| {
            if fragment.columns {
                places(j, i)
            } else {
                places(i, j)
            }
        };
        // It is not known which lane of a GPU reads which element. Here, the lane with a line's
        // first element gets the fault.
        let lane = place(0).lane as u32;
        let bytes = inner as u64 * size;
        if address & (size - 1) != 0 {
            let text = format!(
                "misaligned matrix: its line at {} is not a multiple of its elements' {size} bytes",
                name(space, address)
            );
            ctx.fail(FaultKind::MisalignedAddress, lane, text);
            return false;
        }
        if ctx.launch.checked {
            check::range(ctx, space, lane, address, bytes, touch);
            if ctx.fault.is_some() {
                return false;
            }
        }
        let writes = touch.writes();
        let Some(host) = resolve_range(ctx, None, space, lane, address, bytes, writes) else {
            return false;
        };
        for j in 0..inner {
            f(place(j), host + j as u64 * size);
        }
    }
    true
}

/// `wmma.load`: the address is in `a` and `imm`, the stride in `d`, the registers in the list `x`,
/// and the [`Fragment`] in `b` and `c`.
pub(crate) unsafe fn load_fragment<const S: u8>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    if !whole(ctx, mask) {
        return Flow::Fault;
    }
    let fragment = fragment(op);
    let list = ctx.launch.list(op.x, fragment.registers() as u32);
    let (bits, _) = fragment.unit();
    let mut words = [[0u64; 32]; 8];
    let mut used = 1;
    // SAFETY: the lowering created the operands, and the addresses were checked.
    unsafe {
        let good = each_unit(ctx, op, S, Touch::Read, |place, host| {
            let x = match bits {
                8 => u8::load(host).into(),
                16 => u16::load(host).into(),
                32 => u32::load(host).into(),
                _ => u64::load(host),
            };
            words[place.register][place.lane] |= x << place.shift;
            used = used.max(place.register + 1);
        });
        if !good {
            return Flow::Fault;
        }
        for (i, &at) in list.iter().enumerate() {
            // The additional registers of a fragment repeat the others.
            let word = &words[i % used];
            if bits == 64 {
                *ctx.at::<[u64; LANES]>(at) = *word;
            } else {
                *ctx.at::<Register>(at) = word.map(|x| x as u32);
            }
        }
    }
    Flow::Next
}

/// `wmma.store`: the reverse of [`load_fragment`].
pub(crate) unsafe fn store_fragment<const S: u8>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    if !whole(ctx, mask) {
        return Flow::Fault;
    }
    let fragment = fragment(op);
    let list = ctx.launch.list(op.x, fragment.registers() as u32);
    let (bits, _) = fragment.unit();
    let mut words = [[0u64; 32]; 8];
    // SAFETY: the lowering created the operands, and the addresses were checked.
    unsafe {
        for (word, &at) in words.iter_mut().zip(list) {
            *word = if bits == 64 {
                *ctx.at::<[u64; LANES]>(at)
            } else {
                (*ctx.at::<Register>(at)).map(u64::from)
            };
        }
        let good = each_unit(ctx, op, S, Touch::Write, |place, host| {
            let x = words[place.register][place.lane] >> place.shift;
            match bits {
                16 => (x as u16).store(host),
                32 => (x as u32).store(host),
                _ => x.store(host),
            }
        });
        if good { Flow::Next } else { Flow::Fault }
    }
}
