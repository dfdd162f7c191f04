//! Texture reads: `tex` and `tld4`.

use std::sync::Arc;

use crate::boundary::texture::{Shape, Texels, Texture};
use crate::boundary::{Device, FaultKind};
use crate::memory::texels::{self, Spot};
use crate::number::texture::{coordinate, cube, level};
use crate::state::context::Ctx;
use crate::state::op::{Flow, Op, each};

/// The kind of read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Ask {
    /// At coordinates alone.
    Plain,
    /// At an explicit level of detail.
    Level,
    /// At the level computed from gradients.
    Gradients,
    /// One channel of the four surrounding texels.
    Gather,
}

/// The way an instruction addresses texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub shape: Shape,
    pub layered: bool,
}

/// The geometries of PTX.
pub(crate) const GEOMETRIES: [(&str, Geometry); 7] = [
    geometry("1d", Shape::Line, false),
    geometry("2d", Shape::Plane, false),
    geometry("3d", Shape::Volume, false),
    geometry("a1d", Shape::Line, true),
    geometry("a2d", Shape::Plane, true),
    geometry("cube", Shape::Cube, false),
    geometry("acube", Shape::Cube, true),
];

const fn geometry(name: &'static str, shape: Shape, layered: bool) -> (&'static str, Geometry) {
    (name, Geometry { shape, layered })
}

impl Geometry {
    /// Returns the number of coordinates besides the layer.
    pub(crate) fn coordinates(self) -> usize {
        match self.shape {
            Shape::Line | Shape::Memory => 1,
            Shape::Plane => 2,
            Shape::Volume | Shape::Cube => 3,
        }
    }

    /// Returns the index in [`GEOMETRIES`].
    pub(crate) fn pack(self) -> u64 {
        let place = GEOMETRIES.iter().position(|(_, one)| *one == self);
        place.expect("every instruction's geometry is in the list") as u64
    }

    /// Returns the geometry with this number from [`pack`](Self::pack).
    pub(crate) fn unpack(bits: u64) -> Geometry {
        GEOMETRIES[bits as usize].1
    }

    /// Like [`mismatch`](Self::mismatch), for a surface, which presents a cube's faces as layers.
    pub(crate) fn mismatch_of_surface(self, texels: &Texels) -> Option<String> {
        let layers = geometry("a2d", Shape::Plane, true).1;
        let faces = texels.shape == Shape::Cube && self == layers;
        if faces { None } else { self.mismatch(texels) }
    }

    /// Returns the reason why texels cannot be read with this geometry. `None` if they can.
    pub(crate) fn mismatch(self, texels: &Texels) -> Option<String> {
        let shape = match texels.shape {
            Shape::Memory => Shape::Line,
            shape => shape,
        };
        let fits = self.layered == texels.layered && self.shape == shape;
        (!fits).then(|| {
            let name = |shape: Shape, layered: bool| {
                let kind = match shape {
                    Shape::Line => "one dimension",
                    Shape::Plane => "two dimensions",
                    Shape::Volume => "three dimensions",
                    Shape::Cube => "a cube",
                    Shape::Memory => "linear memory",
                };
                if layered {
                    format!("layers of {kind}")
                } else {
                    kind.into()
                }
            };
            format!(
                "the instruction accesses {}, but {} has {}",
                name(self.shape, self.layered),
                texels.name,
                name(texels.shape, texels.layered)
            )
        })
    }
}

/// The properties of the instruction, packed into `imm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub ask: Ask,
    pub geometry: Geometry,
    /// Whether the coordinates are integers.
    pub integers: bool,
    /// The channel to gather.
    pub component: u8,
    /// Whether a predicate result reports that the texels are resident.
    pub residency: bool,
}

impl Form {
    pub(crate) fn pack(self) -> u64 {
        self.ask as u64
            | self.geometry.pack() << 2
            | u64::from(self.integers) << 5
            | u64::from(self.component) << 6
            | u64::from(self.residency) << 8
    }

    fn unpack(imm: u64) -> Form {
        Form {
            ask: match imm & 3 {
                0 => Ask::Plain,
                1 => Ask::Level,
                2 => Ask::Gradients,
                _ => Ask::Gather,
            },
            geometry: Geometry::unpack(imm >> 2 & 7),
            integers: imm >> 5 & 1 != 0,
            component: (imm >> 6 & 3) as u8,
            residency: imm >> 8 & 1 != 0,
        }
    }
}

/// The operands of each lane, in the order of the list in `x`.
pub(crate) mod operand {
    pub(crate) const HANDLE: usize = 0;
    /// Four results.
    pub(crate) const RESULTS: usize = 1;
    pub(crate) const RESIDENT: usize = 5;
    pub(crate) const LAYER: usize = 6;
    pub(crate) const AT: usize = 7;
    /// The level of detail, or three derivatives along each axis of the screen.
    pub(crate) const DETAIL: usize = 10;
    pub(crate) const COUNT: usize = 16;
}

/// The request of a lane.
struct Query {
    layer: u32,
    at: [u32; 3],
    detail: [f32; 6],
}

/// The object that the previous lane used. Neighboring lanes mostly use the same one.
pub(super) struct Known<T>(Option<(u64, Arc<T>)>);

impl<T> Known<T> {
    pub(super) const NONE: Known<T> = Known(None);

    /// Returns the object of a lane's handle. `None` with `ctx.fault` set to the reason from
    /// `find`.
    pub(super) fn get(
        &mut self,
        ctx: &mut Ctx<'_>,
        lane: u32,
        handle: u64,
        find: impl FnOnce(&dyn Device, u64) -> Result<Arc<T>, String>,
    ) -> Option<&T> {
        if self.0.as_ref().is_none_or(|(one, _)| *one != handle) {
            self.0 = None;
            match find(ctx.launch.device, handle) {
                Ok(found) => self.0 = Some((handle, found)),
                Err(text) => {
                    ctx.fail(FaultKind::IllegalAddress, lane, text);
                }
            }
        }
        self.0.as_ref().map(|(_, object)| &**object)
    }
}

/// `tex` and `tld4`. `imm` is a [`Form`], and the operands are in the list `x`.
pub(crate) unsafe fn sample(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let form = Form::unpack(op.imm);
    let list = ctx.launch.list(op.x, operand::COUNT as u32);
    let mut known = Known::NONE;
    let mut results = [[0; 4]; 32];
    each(mask, |lane| {
        if ctx.fault.is_some() {
            return;
        }
        // SAFETY: the handle is a 64-bit register, and the others are 32-bit registers.
        let (handle, query) = unsafe {
            let word = |place: usize| *ctx.at::<u32>(list[place]).add(lane);
            let handle = *ctx.at::<u64>(list[operand::HANDLE]).add(lane);
            let query = Query {
                layer: word(operand::LAYER),
                at: std::array::from_fn(|i| word(operand::AT + i)),
                detail: std::array::from_fn(|i| f32::from_bits(word(operand::DETAIL + i))),
            };
            (handle, query)
        };
        let find = |device: &dyn Device, handle| {
            let texture = device.texture(handle)?;
            match form.geometry.mismatch(&texture.texels) {
                None => Ok(texture),
                Some(text) => Err(text),
            }
        };
        if let Some(texture) = known.get(ctx, lane as u32, handle, find) {
            results[lane] = read(texture, form, &query);
        }
    });
    if ctx.fault.is_some() {
        return Flow::Fault;
    }
    each(mask, |lane| {
        for (channel, value) in results[lane].into_iter().enumerate() {
            // SAFETY: results are 32-bit registers.
            unsafe { *ctx.at::<u32>(list[operand::RESULTS + channel]).add(lane) = value };
        }
    });
    if form.residency {
        // SAFETY: this is a predicate register. All texels are resident.
        unsafe { *ctx.at::<u32>(list[operand::RESIDENT]) |= mask };
    }
    Flow::Next
}

/// Returns a lane's result.
fn read(texture: &Texture, form: Form, query: &Query) -> [u32; 4] {
    let texels = &texture.texels;
    if texels.shape == Shape::Memory {
        // With a fractional coordinate, an H200 returns nothing.
        return match form.integers {
            true => texels::element(texture, query.at[0]),
            false => [0; 4],
        };
    }
    let mut at = query.at.map(|bits| {
        if form.integers {
            f64::from(bits as i32)
        } else {
            f64::from(f32::from_bits(bits))
        }
    });
    let mut slice = if texels.layered {
        coordinate::layer(query.layer, texels.layers())
    } else {
        0
    };
    let mut axes = form.geometry.coordinates();
    if texels.shape == Shape::Cube {
        let (face, place) = cube::face(query.at.map(f32::from_bits));
        at = [place[0], place[1], 0.0];
        axes = 2;
        slice = slice * 6 + face;
    }
    let spot = Spot {
        slice,
        at,
        axes,
        // Coordinates on faces are always in 0..1.
        normalized: texture.sampler.normalized || texels.shape == Shape::Cube,
    };
    if form.ask == Ask::Gather {
        return texels::gathered(texture, form.component, &spot);
    }
    if form.integers {
        return texels::numbered(texture, &spot, query.at);
    }
    let detail = match form.ask {
        Ask::Level => Some(query.detail[0]),
        Ask::Gradients => Some(of_gradients(texture, query, axes)),
        Ask::Plain | Ask::Gather => None,
    };
    let count = texels.levels.len() as u32;
    let levels = level::levels(detail, &texture.sampler.detail, count);
    let level = |number: u32| &texels.levels[number as usize];
    let first = level(levels.first);
    match levels.weight {
        0 if !texture.sampler.linear => texels::at_nearest(texture, first, &spot),
        0 => texels::filtered(texture, &[(first, 256)], &spot),
        weight => {
            let both = [(first, 256 - weight), (level(levels.second), weight)];
            texels::filtered(texture, &both, &spot)
        }
    }
}

/// Returns the level of detail from a lane's gradients. Anisotropy is always 1.
fn of_gradients(texture: &Texture, query: &Query, axes: usize) -> f32 {
    let sizes = texture.texels.levels[0].size;
    let (x, y) = query.detail.split_at(3);
    if texture.texels.shape == Shape::Cube {
        let direction = query.at.map(f32::from_bits);
        let along = |part: &[f32]| {
            let (apart, other) = cube::difference(direction, [part[0], part[1], part[2]]);
            let half = f64::from(sizes[0]) / 2.0;
            let [across, down] = apart.map(|part| (part * half) as f32);
            ([across, down, 0.0], other)
        };
        let ((x, first), (y, second)) = (along(x), along(y));
        return level::of_gradients(x, y, first || second);
    }
    let scaled = |part: &[f32]| {
        std::array::from_fn(|axis| match axis < axes {
            true => part[axis] * sizes[axis] as f32,
            false => 0.0,
        })
    };
    level::of_gradients(scaled(x), scaled(y), false)
}
