//! Queries of textures and surfaces: `txq`, `suq` and `istypep`.

use crate::boundary::Device;
use crate::boundary::texture::{Shape, Texels};
use crate::memory::texture::Known;
use crate::state::context::Ctx;
use crate::state::op::{Flow, Op, each};

/// The properties that can be queried. An H200's driver supports no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Question {
    Width,
    Height,
    Depth,
}

/// The PTX names of the properties. The index is the property's number.
pub(crate) const QUESTIONS: [(&str, Question); 3] = [
    ("width", Question::Width),
    ("height", Question::Height),
    ("depth", Question::Depth),
];

/// Flag in `imm`: the object is a surface.
pub(crate) const SURFACE: u64 = 1 << 8;

/// Returns a property of the texels at a level, or 0 beyond the last level.
fn of_texels(texels: &Texels, question: Question, level: u32, surface: bool) -> u32 {
    let Some(level) = texels.levels.get(level as usize) else {
        return 0;
    };
    let size = level.size;
    match (question, texels.shape) {
        (Question::Width, _) => size[0],
        // Layers of lines count as height, and layers of planes as depth.
        (Question::Height, Shape::Line | Shape::Memory) if texels.layered => size[2],
        (Question::Height, Shape::Line | Shape::Memory) => u32::from(!surface),
        (Question::Height, Shape::Plane | Shape::Volume | Shape::Cube) => size[1],
        (Question::Depth, Shape::Volume) => size[2],
        (Question::Depth, Shape::Cube) if surface => size[2],
        (Question::Depth, Shape::Plane | Shape::Cube) if texels.layered => texels.layers(),
        (Question::Depth, _) => 0,
    }
}

/// `txq` and `suq`. `imm` is the property's number, `a` the handle, `b` the level.
pub(crate) unsafe fn ask(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let question = QUESTIONS[(op.imm & 0xff) as usize].1;
    let (mut textures, mut surfaces) = (Known::NONE, Known::NONE);
    each(mask, |lane| {
        if ctx.fault.is_some() {
            return;
        }
        // SAFETY: `a` is a 64-bit register, and `b` a 32-bit register.
        let (handle, level) = unsafe {
            (
                *ctx.at::<u64>(op.a).add(lane),
                *ctx.at::<u32>(op.b).add(lane),
            )
        };
        let answer = if op.imm & SURFACE != 0 {
            let found = surfaces.get(ctx, lane as u32, handle, |device: &dyn Device, handle| {
                device.surface(handle)
            });
            found.map(|surface| of_texels(&surface.texels, question, level, true))
        } else {
            let found = textures.get(ctx, lane as u32, handle, |device: &dyn Device, handle| {
                device.texture(handle)
            });
            found.map(|texture| of_texels(&texture.texels, question, level, false))
        };
        if let Some(answer) = answer {
            // SAFETY: a 32-bit register.
            unsafe { *ctx.at::<u32>(op.d).add(lane) = answer };
        }
    });
    if ctx.fault.is_some() {
        Flow::Fault
    } else {
        Flow::Next
    }
}

/// `istypep`. On an H200, handles of objects have no reference type, so the result is false.
pub(crate) unsafe fn is_type(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: a predicate register.
    unsafe { *ctx.at::<u32>(op.d) &= !mask };
    Flow::Next
}
