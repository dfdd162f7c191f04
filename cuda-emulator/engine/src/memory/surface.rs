//! Reads and writes of surfaces: `suld`, `sust`, `sured`.

use crate::boundary::tensor_map::Element;
use crate::boundary::texture::Surface;
use crate::boundary::{Device, FaultKind};
use crate::memory::texture::{Geometry, Known};
use crate::memory::transfer::Mem;
use crate::state::context::Ctx;
use crate::state::op::{Flow, Op, each};
use crate::state::reduction::Operation;

/// The handling of an access beyond the edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Beyond {
    Trap,
    /// Loads return 0, and stores do nothing.
    Zero,
    /// The access goes to the nearest texel.
    Clamp,
}

/// The action of the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Load,
    Store,
    Reduce(Operation, Element),
}

/// The properties of the instruction, packed into `imm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub action: Action,
    pub geometry: Geometry,
    pub beyond: Beyond,
    /// Bytes per element, and the number of elements.
    pub element: u8,
    pub count: u8,
    /// Whether the access uses the texels' format, and texel numbers instead of byte offsets.
    pub formatted: bool,
}

impl Form {
    pub(crate) fn pack(self) -> u64 {
        let action = match self.action {
            Action::Load => 0,
            Action::Store => 1,
            Action::Reduce(operation, element) => {
                2 | (operation as u64) << 2 | u64::from(element.0) << 5
            }
        };
        action
            | self.geometry.pack() << 16
            | (self.beyond as u64) << 20
            | u64::from(self.element) << 24
            | u64::from(self.count) << 32
            | u64::from(self.formatted) << 40
    }

    fn unpack(imm: u64) -> Form {
        Form {
            action: match imm & 3 {
                0 => Action::Load,
                1 => Action::Store,
                _ => Action::Reduce(Operation::of(imm >> 2 & 7), Element((imm >> 5) as u8)),
            },
            geometry: Geometry::unpack(imm >> 16 & 15),
            beyond: match imm >> 20 & 3 {
                0 => Beyond::Trap,
                1 => Beyond::Zero,
                _ => Beyond::Clamp,
            },
            element: (imm >> 24) as u8,
            count: (imm >> 32) as u8,
            formatted: imm >> 40 & 1 != 0,
        }
    }

    /// Returns the size of an access in bytes.
    fn bytes(self) -> u64 {
        u64::from(self.element) * u64::from(self.count)
    }
}

/// The operands of each lane, in the order of the list in `x`.
pub(crate) mod operand {
    pub(crate) const HANDLE: usize = 0;
    pub(crate) const LAYER: usize = 1;
    pub(crate) const AT: usize = 2;
    /// Four values, written or read.
    pub(crate) const VALUES: usize = 5;
    pub(crate) const COUNT: usize = 9;
}

/// `suld`, `sust` and `sured`. `imm` is a [`Form`], and the operands are in the list `x`.
pub(crate) unsafe fn access(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let form = Form::unpack(op.imm);
    let list = ctx.launch.list(op.x, operand::COUNT as u32);
    let mut known = Known::NONE;
    let mut loaded = [[0; 4]; 32];
    each(mask, |lane| {
        if ctx.fault.is_some() {
            return;
        }
        // SAFETY: the handle is a 64-bit register, and coordinates are 32-bit registers.
        let (handle, layer, at) = unsafe {
            let word = |place: usize| *ctx.at::<i32>(list[place]).add(lane);
            let handle = *ctx.at::<u64>(list[operand::HANDLE]).add(lane);
            let at = std::array::from_fn(|i| word(operand::AT + i));
            (handle, word(operand::LAYER), at)
        };
        let find = |device: &dyn Device, handle| {
            let surface = device.surface(handle)?;
            match form.geometry.mismatch_of_surface(&surface.texels) {
                None => Ok(surface),
                Some(text) => Err(text),
            }
        };
        let Some(surface) = known.get(ctx, lane as u32, handle, find) else {
            return;
        };
        let Some(place) = place(ctx, lane as u32, form, surface, layer, at) else {
            return;
        };
        if form.action == Action::Load {
            loaded[lane] = load(form, place);
            return;
        }
        let values = std::array::from_fn(|i| {
            let place = list[operand::VALUES + i];
            // SAFETY: these are 64-bit registers if elements have 8 bytes, otherwise 32-bit
            // registers. Unused ones are arbitrary.
            unsafe {
                match form.element {
                    8 => *ctx.at::<u64>(place).add(lane),
                    _ => u64::from(*ctx.at::<u32>(place).add(lane)),
                }
            }
        });
        if let Some(place) = place {
            change(form, surface, place, values);
        }
    });
    if ctx.fault.is_some() {
        return Flow::Fault;
    }
    if form.action == Action::Load {
        each(mask, |lane| {
            for (i, value) in loaded[lane].into_iter().enumerate().take(form.count.into()) {
                let place = list[operand::VALUES + i];
                // SAFETY: as above.
                unsafe {
                    match form.element {
                        8 => *ctx.at::<u64>(place).add(lane) = value,
                        _ => *ctx.at::<u32>(place).add(lane) = value as u32,
                    }
                }
            }
        });
    }
    Flow::Next
}

/// Returns the address of an access. `Some(None)` means that there is nothing to do, and `None`
/// that `ctx.fault` is set.
fn place(
    ctx: &mut Ctx<'_>,
    lane: u32,
    form: Form,
    surface: &Surface,
    layer: i32,
    at: [i32; 3],
) -> Option<Option<u64>> {
    let texels = &surface.texels;
    let level = &texels.levels[0];
    let texel = texels.bytes();
    let bytes = if form.formatted { texel } else { form.bytes() };
    // Faces and layers are slices, and so is the third coordinate.
    // A layer is unsigned, so one below the first is beyond the last.
    let slice = if form.geometry.layered {
        i64::from(layer as u32)
    } else {
        i64::from(at[2])
    };
    let (row, rows, slices) = (level.size[0], level.size[1], level.size[2]);
    if let Action::Reduce(_, element) = form.action
        && let Some(changed) = element.size()
        && changed != bytes
    {
        let text = format!(
            "a reduction of {changed} bytes in {}, whose texels have {texel}",
            texels.name
        );
        ctx.fail(FaultKind::IllegalAddress, lane, text);
        return None;
    }
    let step = if form.formatted { texel } else { 1 };
    let x = i64::from(at[0]) * step as i64;
    let width = u64::from(row) * texel;
    if !form.formatted && !x.rem_euclid(bytes as i64).eq(&0) {
        let text = format!(
            "misaligned access of {bytes} bytes to {}: its x of {x} bytes is not a multiple of {bytes}",
            texels.name
        );
        ctx.fail(FaultKind::MisalignedAddress, lane, text);
        return None;
    }
    // The last valid position of an access: -1 if none fits into a row.
    let last = match width.checked_sub(bytes) {
        Some(last) => (last - last % bytes) as i64,
        None => -1,
    };
    let limits = [
        (x, last),
        (i64::from(at[1]), i64::from(rows) - 1),
        (slice, i64::from(slices) - 1),
    ];
    let inside = limits
        .iter()
        .all(|&(value, most)| (0..=most).contains(&value));
    if !inside {
        match form.beyond {
            Beyond::Trap => {
                let text = format!(
                    "access of {bytes} bytes beyond {}: at x {x} bytes, y {}, z or layer {slice}; it has {width} bytes per row, {rows} rows, {slices} layers",
                    texels.name, at[1]
                );
                ctx.fail(FaultKind::IllegalAddress, lane, text);
                return None;
            }
            Beyond::Zero => return Some(None),
            Beyond::Clamp if last < 0 => return Some(None),
            Beyond::Clamp => {}
        }
    }
    let [x, y, z] = limits.map(|(value, most)| value.clamp(0, most.max(0)) as u64);
    Some(Some(level.base + z * level.slice + y * level.row + x))
}

fn load(form: Form, place: Option<u64>) -> [u64; 4] {
    let mut values = [0; 4];
    let Some(place) = place else {
        return values;
    };
    for (i, value) in values.iter_mut().enumerate().take(form.count.into()) {
        let at = place + i as u64 * u64::from(form.element);
        // SAFETY: the place is within live texels and aligned.
        *value = unsafe {
            match form.element {
                1 => u8::load(at).into(),
                2 => u16::load(at).into(),
                4 => u32::load(at).into(),
                _ => u64::load(at),
            }
        };
    }
    values
}

/// Stores values at a place, or combines them with the old ones.
fn change(form: Form, surface: &Surface, place: u64, values: [u64; 4]) {
    if let Action::Reduce(operation, element) = form.action {
        let element = match element {
            // With the texels' format, a reduction has their signedness.
            Element::U32 if form.formatted && surface.texels.channel.is_signed() => Element::S32,
            Element::U64 if form.formatted && surface.texels.channel.is_signed() => Element::S64,
            element => element,
        };
        let bytes = values[0].to_le_bytes();
        let size = element.size().unwrap_or(4) as usize;
        // SAFETY: the place is within live texels and aligned.
        unsafe { operation.apply(element, place, &bytes[..size]) };
        return;
    }
    let texels = &surface.texels;
    let (each, count) = if form.formatted {
        (texels.channel.bytes(), texels.channels as usize)
    } else {
        (u64::from(form.element), form.count.into())
    };
    for (i, value) in values.into_iter().enumerate().take(count) {
        let value = match form.formatted {
            true => texels.channel.stored(value as u32).into(),
            false => value,
        };
        let at = place + i as u64 * each;
        // SAFETY: the place is within live texels and aligned.
        unsafe {
            match each {
                1 => (value as u8).store(at),
                2 => (value as u16).store(at),
                4 => (value as u32).store(at),
                _ => value.store(at),
            }
        }
    }
}
