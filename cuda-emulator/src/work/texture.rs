//! Texture and surface objects. Kernels access arrays through both, and linear memory through
//! textures.

use std::any::Any;
use std::sync::Arc;

use super::texture_checks::{self, Checked};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::memory::address_report;
use crate::memory::allocations;
use crate::memory::array::{self, Array};
use crate::memory::virtual_memory;
use crate::process::context::{self, Context};
use crate::process::handle::{Object, Table};
use crate::process::registry::Owner;
use cuda_emulator_engine::texture::{Level, Shape, Surface, Texels, Texture};

/// The memory of an object.
enum Backing {
    Arrays(Vec<Arc<Array>>),
    /// Address and number of bytes.
    Memory(u64, u64),
}

/// A texture object.
pub struct TextureObject {
    pub handle: u64,
    pub context: Arc<Context>,
    /// The client's descriptors.
    pub resource: ResourceDescriptor,
    pub sampler: TextureDescriptor,
    pub view: Option<ViewDescriptor>,
    backing: Backing,
    texture: Arc<Texture>,
}

/// A surface object.
pub struct SurfaceObject {
    pub handle: u64,
    pub context: Arc<Context>,
    pub resource: ResourceDescriptor,
    backing: Backing,
    surface: Arc<Surface>,
}

static TEXTURES: Table<TextureObject> = Table::new();
static SURFACES: Table<SurfaceObject> = Table::new();

impl Object for TextureObject {
    const NAME: &'static str = "texture object";
    const TAG: u8 = 0x32;

    fn owner(&self) -> Option<&Owner> {
        Some(&self.context.owner)
    }

    fn leak(&self) -> Option<String> {
        let name = &self.texture.texels.name;
        Some(format!("texture object {:#x} of {name}", self.handle))
    }
}

impl Object for SurfaceObject {
    const NAME: &'static str = "surface object";
    const TAG: u8 = 0x33;

    fn owner(&self) -> Option<&Owner> {
        Some(&self.context.owner)
    }

    fn leak(&self) -> Option<String> {
        let name = &self.surface.texels.name;
        Some(format!("surface object {:#x} of {name}", self.handle))
    }
}

impl Backing {
    /// Returns a reference that keeps the texels alive for a kernel. Arrays are freed when the last
    /// reference is dropped. Linear memory stays mapped anyway.
    fn kept(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        match self {
            Backing::Arrays(arrays) => Some(Arc::new(arrays.clone())),
            Backing::Memory(..) => None,
        }
    }

    /// Returns why kernels of a context cannot access the texels, or `None` if they can.
    fn loss(&self, context: &Context) -> Option<String> {
        match self {
            Backing::Arrays(arrays) => {
                let gone = arrays.iter().find(|array| !array.is_alive())?;
                Some(format!("{} has been destroyed", gone.summary()))
            }
            &Backing::Memory(address, bytes) => {
                let why = match allocations::check(address, bytes) {
                    Ok(one) if !one.is_closed_to_reads(context, address, bytes) => return None,
                    Ok(_) => virtual_memory::explain(address, context.ordinal)
                        .or_else(|| address_report::closed(context, address))
                        .unwrap_or_else(|| "part of it may not be accessed".into()),
                    Err(_) => address_report::explain(address, bytes as u32),
                };
                Some(format!(
                    "{bytes} bytes of linear memory at 0x{address:x}\n{why}"
                ))
            }
        }
    }
}

/// Returns the levels of arrays.
fn levels(arrays: &[Arc<Array>]) -> Vec<Level> {
    arrays
        .iter()
        .map(|array| Level {
            base: array.base,
            size: [array.width(), array.height().max(1), array.planes()].map(|n| n as u32),
            row: array.pitch(),
            slice: array.slice(),
        })
        .collect()
}

fn shape(array: &Array) -> Shape {
    match array.dimensions() {
        _ if array.is_cube() => Shape::Cube,
        1 => Shape::Line,
        2 => Shape::Plane,
        // Arrays have at most three dimensions.
        _ => Shape::Volume,
    }
}

/// Returns the texels of a resource, and the memory they are in.
fn texels(resource: &ResourceDescriptor, checked: &Checked) -> Result<(Texels, Backing)> {
    let word = |place: usize| resource.words[place];
    let of_arrays = |name: String, arrays: Vec<Arc<Array>>| {
        let first = &arrays[0];
        let texels = Texels {
            name,
            shape: shape(first),
            layered: first.is_layered(),
            channel: checked.channel,
            channels: checked.channels,
            levels: levels(&arrays),
        };
        (texels, Backing::Arrays(arrays))
    };
    Ok(match resource.kind {
        CU_RESOURCE_TYPE_ARRAY => {
            let array = array::get(word(place::WHAT))?;
            of_arrays(array.summary(), vec![array])
        }
        CU_RESOURCE_TYPE_MIPMAPPED_ARRAY => {
            let whole = array::get_mipmapped(word(place::WHAT))?;
            let name = format!("mipmapped array {:#x}", whole.handle);
            of_arrays(name, whole.levels[checked.levels.clone()].to_vec())
        }
        kind @ (CU_RESOURCE_TYPE_LINEAR | CU_RESOURCE_TYPE_PITCH2D) => {
            let pitched = kind == CU_RESOURCE_TYPE_PITCH2D;
            let address = word(place::WHAT);
            let texel = checked.channel.bytes() * u64::from(checked.channels);
            let (width, height, row) = if pitched {
                (word(place::WIDTH), word(place::HEIGHT), word(place::PITCH))
            } else {
                (word(place::BYTES) / texel, 1, word(place::BYTES))
            };
            let (width, height) = (width.max(1), height.max(1));
            let bytes = row * (height - 1) + width * texel;
            let level = Level {
                base: address,
                size: [width as u32, height as u32, 1],
                row,
                slice: row * height,
            };
            let texels = Texels {
                name: format!("memory at 0x{address:x}"),
                shape: if pitched { Shape::Plane } else { Shape::Memory },
                layered: false,
                channel: checked.channel,
                channels: checked.channels,
                levels: vec![level],
            };
            (texels, Backing::Memory(address, bytes))
        }
        _ => return Err(Code::ERROR_INVALID_VALUE),
    })
}

/// Restricts an array's layers to those of a view, as an H200 does (driver 580). A range that
/// extends past the last layer is cut off there. For layered cubes, `first_layer` is a number of
/// faces, but `last_layer - first_layer` is a number of cubes.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the range is empty, or if the array has no layers.
fn show_layers(texels: &mut Texels, view: &ViewDescriptor) -> Result {
    let (first, last) = (view.first_layer, view.last_layer);
    if first > last || !texels.layered && last > 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    if !texels.layered {
        return Ok(());
    }
    let faces = if texels.shape == Shape::Cube { 6 } else { 1 };
    for level in &mut texels.levels {
        let there = level.size[2].saturating_sub(first) / faces;
        if there == 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        level.base += u64::from(first) * level.slice;
        level.size[2] = faces * there.min((last - first).saturating_add(1));
    }
    Ok(())
}

/// Creates a texture object in the current context.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if an H200 rejects the descriptors, or an error if the array
/// lookup fails.
pub fn create(
    resource: ResourceDescriptor,
    sampler: TextureDescriptor,
    view: Option<ViewDescriptor>,
) -> Result<Arc<TextureObject>> {
    let context = context::current()?;
    let checked = texture_checks::texture(&resource, &sampler, view.as_ref())?;
    let (mut texels, backing) = texels(&resource, &checked)?;
    if let Some(view) = view
        .as_ref()
        .filter(|_| matches!(backing, Backing::Arrays(_)))
    {
        show_layers(&mut texels, view)?;
    }
    let (mut resource, mut sampler, mut view) = (resource, sampler, view);
    // Store the descriptors as the driver later returns them: linear memory has no view, and an
    // invalid third address mode becomes clamp.
    if matches!(backing, Backing::Memory(..)) {
        view = None;
    }
    if sampler.address[2] > CU_TR_ADDRESS_MODE_BORDER {
        sampler.address[2] = CU_TR_ADDRESS_MODE_CLAMP;
    }
    if resource.kind == CU_RESOURCE_TYPE_PITCH2D && resource.words[place::HEIGHT] == 1 {
        // The driver returns a pitch of 0 for a single row.
        resource.words[place::PITCH] = 0;
    }
    let texture = Arc::new(Texture {
        kept: backing.kept(),
        texels,
        sampler: checked.sampler,
    });
    Ok(TEXTURES.insert(|handle| TextureObject {
        handle,
        context,
        resource,
        sampler,
        view,
        backing,
        texture,
    }))
}

/// Creates a surface object in the current context.
///
/// # Errors
/// Returns the errors of [`create`].
pub fn create_surface(resource: ResourceDescriptor) -> Result<Arc<SurfaceObject>> {
    let context = context::current()?;
    let checked = texture_checks::surface(&resource)?;
    let (texels, backing) = texels(&resource, &checked)?;
    let surface = Arc::new(Surface {
        kept: backing.kept(),
        texels,
    });
    Ok(SURFACES.insert(|handle| SurfaceObject {
        handle,
        context,
        resource,
        backing,
        surface,
    }))
}

/// Returns the texture object of a handle.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the handle is not live, or an error if its context is
/// destroyed or has faulted.
pub fn get(handle: u64) -> Result<Arc<TextureObject>> {
    let object = TEXTURES.get(handle).ok_or(Code::ERROR_INVALID_VALUE)?;
    object.context.usable()?;
    Ok(object)
}

/// Returns the surface object of a handle.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the handle is not live, or an error if its context is
/// destroyed or has faulted.
pub fn get_surface(handle: u64) -> Result<Arc<SurfaceObject>> {
    let object = SURFACES.get(handle).ok_or(Code::ERROR_INVALID_VALUE)?;
    object.context.usable()?;
    Ok(object)
}

/// Destroys a texture object. Running reads keep the texels alive.
///
/// # Errors
/// Returns the errors of [`get`].
pub fn destroy(handle: u64) -> Result {
    get(handle)?;
    TEXTURES
        .remove(handle)
        .map(drop)
        .ok_or(Code::ERROR_INVALID_VALUE)
}

/// Destroys a surface object, if the handle is live. Running reads keep the texels alive.
///
/// # Errors
/// Returns an error if there is no current context, or if it is destroyed or has faulted.
pub fn destroy_surface(handle: u64) -> Result {
    context::current()?;
    SURFACES.remove(handle);
    Ok(())
}

/// Returns the texture that a kernel of a context reads.
///
/// # Errors
/// Returns the reason for a fault if the handle is not that of a texture object of this context, or
/// if the texels cannot be accessed.
pub fn for_kernel(
    context: &Arc<Context>,
    handle: u64,
) -> std::result::Result<Arc<Texture>, String> {
    let found = TEXTURES
        .get(handle)
        .filter(|one| Arc::ptr_eq(&one.context, context));
    let object = found.ok_or_else(|| unknown("texture", handle))?;
    match object.backing.loss(context) {
        None => Ok(object.texture.clone()),
        Some(loss) => Err(format!(
            "the texels of texture object {handle:#x} cannot be accessed: {loss}"
        )),
    }
}

/// Returns the surface that a kernel of a context accesses.
///
/// # Errors
/// Returns the reason for a fault if the handle is not that of a surface object of this context, or
/// if the texels cannot be accessed.
pub fn surface_for_kernel(
    context: &Arc<Context>,
    handle: u64,
) -> std::result::Result<Arc<Surface>, String> {
    let found = SURFACES
        .get(handle)
        .filter(|one| Arc::ptr_eq(&one.context, context));
    let object = found.ok_or_else(|| unknown("surface", handle))?;
    match object.backing.loss(context) {
        None => Ok(object.surface.clone()),
        Some(loss) => Err(format!(
            "the texels of surface object {handle:#x} cannot be accessed: {loss}"
        )),
    }
}

fn unknown(kind: &str, handle: u64) -> String {
    let of_surface = SURFACES.get(handle).is_some();
    let what = if TEXTURES.get(handle).is_some() && kind != "texture" {
        "it is the handle of a texture object".into()
    } else if of_surface && kind != "surface" {
        "it is the handle of a surface object".into()
    } else if TEXTURES.get(handle).is_some() || of_surface {
        "it is the handle of an object of another context".into()
    } else if let Some(one) = allocations::find(handle) {
        format!("it is an address in {}", one.summary())
    } else {
        "it was never created or has been destroyed".to_string()
    };
    format!("{handle:#x} isn't the handle of a {kind} object of this context: {what}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_to_an_object_keeps_its_texels() {
        let context = context::create(0, 0).unwrap();
        let array = array::create(Array3dDescriptor {
            width: 8,
            height: 8,
            depth: 0,
            format: CU_AD_FORMAT_FLOAT,
            channels: 1,
            flags: CUDA_ARRAY3D_SURFACE_LDST,
        });
        let array = array.unwrap();
        let mut words = [0; 16];
        words[place::WHAT] = array.handle;
        let object = create_surface(ResourceDescriptor {
            kind: CU_RESOURCE_TYPE_ARRAY,
            words,
            flags: 0,
        });
        let handle = object.unwrap().handle;
        let held = surface_for_kernel(&context, handle).unwrap();
        array::destroy(array.handle).unwrap();
        destroy_surface(handle).unwrap();
        let texels = Arc::downgrade(&array);
        drop(array);
        assert!(texels.upgrade().is_some());
        drop(held);
        assert!(texels.upgrade().is_none());
        context::destroy(context.handle).unwrap();
    }
}
