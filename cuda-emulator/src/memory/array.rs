//! CUDA arrays: texels in separate memory that kernels access only through textures and surfaces.
//!
//! A GPU stores texels in an undocumented order. The emulator stores plain rows. Block (x, y, z) of
//! an array, where z is the depth, layer or face, is at `(z * rows + y) * pitch + x * texel.bytes`
//! from the base. The pitch is a multiple of 8 bytes, because surface accesses use words of up to 8
//! bytes for any texel format.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};

use super::arena;
use super::array_shape;
use super::budget;
use super::physical_memory::Window;
use super::recorded_work;
use super::texel_format::Texel;
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::context::{self, Context};
use crate::process::handle::{Object, Table};
use crate::process::registry::Owner;
use cuda_emulator_engine::Unpoisoned;

/// An array, or a level of a mipmapped array.
pub struct Array {
    pub handle: u64,
    pub context: Arc<Context>,
    /// The client's descriptor. A level has its own lengths.
    pub described: Array3dDescriptor,
    pub texel: Texel,
    /// The address of the first texel. Kernels cannot access it, because no allocation is there.
    pub base: u64,
    /// Bytes taken from the arena. 0 for an array in a window.
    reserved: u64,
    /// The window that maps imported texels.
    _window: Option<Arc<Window>>,
    /// Whether it is a level, which ends with its mipmapped array.
    is_level: bool,
    gone: AtomicBool,
}

/// A mipmapped array.
pub struct Mipmapped {
    pub handle: u64,
    pub context: Arc<Context>,
    /// The levels, largest first.
    pub levels: Vec<Arc<Array>>,
}

/// The longest word of a surface access.
const WORD: u64 = 8;

static ARRAYS: Table<Array> = Table::new();
static MIPMAPPED: Table<Mipmapped> = Table::new();
/// Arrays by the address of their texels.
static PLACES: RwLock<BTreeMap<u64, Arc<Array>>> = RwLock::new(BTreeMap::new());

impl Object for Array {
    const NAME: &'static str = "array";
    const TAG: u8 = 0x30;

    fn owner(&self) -> Option<&Owner> {
        Some(&self.context.owner)
    }

    fn end(self: &Arc<Self>) {
        self.mark_destroyed();
    }

    fn leak(&self) -> Option<String> {
        (!self.is_level).then(|| self.summary())
    }
}

impl Object for Mipmapped {
    const NAME: &'static str = "mipmapped array";
    const TAG: u8 = 0x31;

    fn owner(&self) -> Option<&Owner> {
        Some(&self.context.owner)
    }

    fn leak(&self) -> Option<String> {
        let levels = self.levels.len();
        Some(format!(
            "mipmapped array {:#x} of {levels} levels",
            self.handle
        ))
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        if self.reserved > 0 {
            arena::release(self.base, self.reserved);
            budget::release(self.context.ordinal, self.reserved);
        }
    }
}

impl Array {
    /// Returns the width in texels.
    pub fn width(&self) -> u64 {
        self.described.width as u64
    }

    /// Returns the height in texels, or 0 if it has one dimension.
    pub fn height(&self) -> u64 {
        self.described.height as u64
    }

    /// Returns the depth, layers or faces, or 0 if it has two dimensions.
    pub fn depth(&self) -> u64 {
        self.described.depth as u64
    }

    /// Returns the flags (`CUDA_ARRAY3D_...`).
    pub fn flags(&self) -> u32 {
        self.described.flags
    }

    /// Returns whether it is layered. The faces of a cube do not count as layers.
    pub fn is_layered(&self) -> bool {
        self.flags() & CUDA_ARRAY3D_LAYERED != 0
    }

    /// Returns whether it is a cubemap or layered cubemap.
    pub fn is_cube(&self) -> bool {
        self.flags() & CUDA_ARRAY3D_CUBEMAP != 0
    }

    /// Returns the number of coordinates of a texel in a layer: 1, 2 or 3.
    pub fn dimensions(&self) -> u32 {
        match (self.height(), self.depth()) {
            (0, _) => 1,
            (_, 0) => 2,
            _ if self.is_layered() || self.is_cube() => 2,
            _ => 3,
        }
    }

    /// Returns the blocks per row.
    pub fn columns(&self) -> u64 {
        self.width().div_ceil(self.texel.side)
    }

    /// Returns the rows of blocks, or 1 if it has one dimension.
    pub fn rows(&self) -> u64 {
        self.height().max(1).div_ceil(self.texel.side)
    }

    /// Returns the slices, layers or faces, at least 1.
    pub fn planes(&self) -> u64 {
        self.depth().max(1)
    }

    /// Returns the bytes of a row.
    pub fn row(&self) -> u64 {
        self.columns() * self.texel.bytes
    }

    /// Returns the bytes between the starts of two rows.
    pub fn pitch(&self) -> u64 {
        self.row().next_multiple_of(WORD)
    }

    /// Returns the bytes between the starts of two planes.
    pub fn slice(&self) -> u64 {
        self.rows() * self.pitch()
    }

    /// Returns the bytes of all texels.
    pub fn size(&self) -> u64 {
        self.planes() * self.slice()
    }

    /// Returns whether it has not been destroyed. The texels stay readable while a reference to it
    /// exists.
    pub fn is_alive(&self) -> bool {
        !self.gone.load(Ordering::Acquire)
    }

    /// Returns whether it is a level of a mipmapped array.
    pub fn is_level(&self) -> bool {
        self.is_level
    }

    /// Returns its description for reports.
    pub fn summary(&self) -> String {
        // The description uses the client's lengths, where 0 means that the dimension does not
        // exist.
        let lengths = [self.width(), self.height(), self.depth()];
        let lengths = lengths.iter().filter(|length| **length > 0);
        let lengths: Vec<String> = lengths.map(u64::to_string).collect();
        format!(
            "array {:#x} ({} texels of {} bytes)",
            self.handle,
            lengths.join(" x "),
            self.texel.bytes
        )
    }

    fn mark_destroyed(&self) {
        self.gone.store(true, Ordering::Release);
        PLACES.write().unpoisoned().remove(&self.base);
        recorded_work::forget(self.base, self.size());
    }
}

/// Allocates an array whose descriptor has been checked.
fn make(
    context: &Arc<Context>,
    described: Array3dDescriptor,
    texel: Texel,
    is_level: bool,
) -> Result<Arc<Array>> {
    let mut array = Array {
        handle: 0,
        context: context.clone(),
        described,
        texel,
        base: 0,
        reserved: 0,
        _window: None,
        is_level,
        gone: AtomicBool::new(false),
    };
    let reserved = arena::rounded(array.size()).ok_or(Code::ERROR_OUT_OF_MEMORY)?;
    budget::take(context.ordinal, reserved)?;
    let Some(base) = arena::allocate(reserved, arena::ALIGNMENT) else {
        budget::release(context.ordinal, reserved);
        return Err(Code::ERROR_OUT_OF_MEMORY);
    };
    (array.base, array.reserved) = (base, reserved);
    Ok(add(array))
}

/// Assigns a handle to an array and makes it visible to copies.
fn add(mut array: Array) -> Arc<Array> {
    let array = ARRAYS.insert(|handle| {
        array.handle = handle;
        array
    });
    PLACES
        .write()
        .unpoisoned()
        .insert(array.base, array.clone());
    array
}

/// Removes an array's handle and hides it from copies.
fn remove(array: &Array) {
    ARRAYS.remove(array.handle);
    array.mark_destroyed();
}

/// Creates an array in the current context.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if an H200 rejects the descriptor, and
/// `CUDA_ERROR_OUT_OF_MEMORY` if there is no memory left. See [`array_shape::check`].
pub fn create(described: Array3dDescriptor) -> Result<Arc<Array>> {
    let context = context::current()?;
    let texel = array_shape::check(&described)?;
    make(&context, described, texel, false)
}

/// Creates a mipmapped array in the current context. The number of levels is clamped to at least
/// one and at most the number down to a single texel.
///
/// # Errors
/// Returns the errors of [`create`].
pub fn create_mipmapped(described: Array3dDescriptor, levels: u32) -> Result<Arc<Mipmapped>> {
    let context = context::current()?;
    let texel = array_shape::check_mipmapped(&described)?;
    let levels = array_shape::levels(&described, levels);
    let mut made = Vec::new();
    for level in 0..levels {
        match make(&context, array_shape::level(&described, level), texel, true) {
            Ok(array) => made.push(array),
            Err(code) => {
                made.iter().for_each(|array| remove(array));
                return Err(code);
            }
        }
    }
    Ok(MIPMAPPED.insert(|handle| Mipmapped {
        handle,
        context,
        levels: made,
    }))
}

/// Creates a mipmapped array in imported memory. Its levels follow each other, starting at an
/// address in a window of the memory. `room` is the number of bytes available.
///
/// # Errors
/// Returns the errors of [`create`]. Returns `CUDA_ERROR_INVALID_VALUE` if the levels do not fit
/// into the memory, or if `levels` is 0 or too large for the lengths. (For 0, an H200's driver
/// writes to invalid memory.)
pub fn create_within(
    described: Array3dDescriptor,
    levels: u32,
    room: u64,
    open: impl FnOnce(u64) -> Result<(Arc<Window>, u64)>,
) -> Result<Arc<Mipmapped>> {
    let context = context::current()?;
    let texel = array_shape::check_imported(&described)?;
    if levels != array_shape::levels(&described, levels) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let mut made = Vec::new();
    let mut end = 0;
    for level in 0..levels {
        let array = Array {
            handle: 0,
            context: context.clone(),
            described: array_shape::level(&described, level),
            texel,
            base: end,
            reserved: 0,
            _window: None,
            is_level: true,
            gone: AtomicBool::new(false),
        };
        let size = arena::rounded(array.size()).ok_or(Code::ERROR_INVALID_VALUE)?;
        end = size.checked_add(end).ok_or(Code::ERROR_INVALID_VALUE)?;
        made.push(array);
    }
    if end > room {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let (window, base) = open(end)?;
    let levels = made.into_iter().map(|mut array| {
        array.base += base;
        array._window = Some(window.clone());
        add(array)
    });
    let levels = levels.collect();
    Ok(MIPMAPPED.insert(|handle| Mipmapped {
        handle,
        context,
        levels,
    }))
}

/// Returns the array of a handle.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if the handle is not that of a live array, or an error if
/// its context is destroyed or has faulted.
pub fn get(handle: u64) -> Result<Arc<Array>> {
    let array = ARRAYS.get(handle).ok_or(Code::ERROR_INVALID_HANDLE)?;
    array.context.usable()?;
    Ok(array)
}

/// Returns the mipmapped array of a handle.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if the handle is not that of a live mipmapped array, or an
/// error if its context is destroyed or has faulted.
pub fn get_mipmapped(handle: u64) -> Result<Arc<Mipmapped>> {
    let whole = MIPMAPPED.get(handle).ok_or(Code::ERROR_INVALID_HANDLE)?;
    whole.context.usable()?;
    Ok(whole)
}

/// Returns the live array with this handle and with texels at this address. The address alone is
/// not enough, because it may belong to a newer array by now.
pub fn find(handle: u64, address: u64) -> Option<Arc<Array>> {
    at(address).filter(|array| array.handle == handle)
}

/// Returns the live array with texels at this address.
pub fn at(address: u64) -> Option<Arc<Array>> {
    let places = PLACES.read().unpoisoned();
    let (_, array) = places.range(..=address).next_back()?;
    (address - array.base < array.size()).then(|| array.clone())
}

/// Destroys an array after all work of its context. A level is not destroyed and returns success,
/// as on an H200 (driver 580).
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if the handle is not that of a live array, or an error if
/// its context is destroyed or has faulted.
pub fn destroy(handle: u64) -> Result {
    let array = get(handle)?;
    if array.is_level() {
        return Ok(());
    }
    array.context.drain();
    array.context.usable()?;
    remove(&array);
    Ok(())
}

/// Destroys a mipmapped array with its levels after all work of its context.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if the handle is not that of a live mipmapped array, or an
/// error if its context is destroyed or has faulted.
pub fn destroy_mipmapped(handle: u64) -> Result {
    let whole = get_mipmapped(handle)?;
    whole.context.drain();
    whole.context.usable()?;
    MIPMAPPED.remove(handle).ok_or(Code::ERROR_INVALID_HANDLE)?;
    whole.levels.iter().for_each(|level| remove(level));
    Ok(())
}
