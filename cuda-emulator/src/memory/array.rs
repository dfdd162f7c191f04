//! CUDA arrays: texels in memory of their own, which kernels reach by textures and surfaces only.
//!
//! A GPU keeps texels in an order that it doesn't tell. Here they are plain rows: the block (x, y, z) of an array, z being
//! its depth, layer or face, lies at `(z * rows + y) * pitch + x * texel.bytes` from its base. The pitch is a multiple of 8
//! bytes: surfaces are read and written by words of up to as many, whatever the texels.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};

use super::arena;
use super::array_shape;
use super::budget;
use super::physical_memory::Window;
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
    /// As the client described it; a level's lengths are its own.
    pub described: Array3dDescriptor,
    pub texel: Texel,
    /// The first texel. Kernels can't address it: no allocation is there.
    pub base: u64,
    /// Bytes taken from the arena; none of an array that lies in a window.
    reserved: u64,
    /// What shows the file that the texels are in, where they are imported.
    _window: Option<Arc<Window>>,
    /// Of a mipmapped array, which ends it.
    is_level: bool,
    gone: AtomicBool,
}

/// A mipmapped array.
pub struct Mipmapped {
    pub handle: u64,
    pub context: Arc<Context>,
    /// From the largest to the smallest.
    pub levels: Vec<Arc<Array>>,
}

/// The longest word of an access to a surface.
const WORD: u64 = 8;

static ARRAYS: Table<Array> = Table::new();
static MIPMAPPED: Table<Mipmapped> = Table::new();
/// The arrays by where their texels are.
static PLACES: RwLock<BTreeMap<u64, Arc<Array>>> = RwLock::new(BTreeMap::new());

impl Object for Array {
    const NAME: &'static str = "array";
    const TAG: u8 = 0x30;

    fn owner(&self) -> Option<&Owner> {
        Some(&self.context.owner)
    }

    fn end(self: &Arc<Self>) {
        self.vacate();
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
            budget::give_back(self.context.ordinal, self.reserved);
        }
    }
}

impl Array {
    /// Texels along the width.
    pub fn width(&self) -> u64 {
        self.described.width as u64
    }

    /// Texels along the height; 0 where there is one dimension.
    pub fn height(&self) -> u64 {
        self.described.height as u64
    }

    /// Texels along the depth, or layers, or faces; 0 where there are two dimensions.
    pub fn depth(&self) -> u64 {
        self.described.depth as u64
    }

    /// `CUDA_ARRAY3D_...`
    pub fn flags(&self) -> u32 {
        self.described.flags
    }

    /// Whether it consists of layers; cubes of faces don't count.
    pub fn is_layered(&self) -> bool {
        self.flags() & CUDA_ARRAY3D_LAYERED != 0
    }

    /// Whether it is a cube, or cubes.
    pub fn is_cube(&self) -> bool {
        self.flags() & CUDA_ARRAY3D_CUBEMAP != 0
    }

    /// Dimensions of a texel's place in a layer: 1, 2 or 3.
    pub fn dimensions(&self) -> u32 {
        match (self.height(), self.depth()) {
            (0, _) => 1,
            (_, 0) => 2,
            _ if self.is_layered() || self.is_cube() => 2,
            _ => 3,
        }
    }

    /// Blocks of a row.
    pub fn columns(&self) -> u64 {
        self.width().div_ceil(self.texel.side)
    }

    /// Rows of blocks; 1 where there is one dimension.
    pub fn rows(&self) -> u64 {
        self.height().max(1).div_ceil(self.texel.side)
    }

    /// Slices, layers or faces, at least 1.
    pub fn planes(&self) -> u64 {
        self.depth().max(1)
    }

    /// Bytes of a row.
    pub fn row(&self) -> u64 {
        self.columns() * self.texel.bytes
    }

    /// Bytes from row to row.
    pub fn pitch(&self) -> u64 {
        self.row().next_multiple_of(WORD)
    }

    /// Bytes from plane to plane.
    pub fn slice(&self) -> u64 {
        self.rows() * self.pitch()
    }

    /// Bytes of all texels.
    pub fn size(&self) -> u64 {
        self.planes() * self.slice()
    }

    /// Whether it hasn't been destroyed. Its texels stay readable for who holds it.
    pub fn is_alive(&self) -> bool {
        !self.gone.load(Ordering::Acquire)
    }

    /// Whether it is a level of a mipmapped array.
    pub fn is_level(&self) -> bool {
        self.is_level
    }

    /// What reports call it.
    pub fn summary(&self) -> String {
        // As the client described it: a length of 0 is no length.
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

    fn vacate(&self) {
        self.gone.store(true, Ordering::Release);
        PLACES.write().unpoisoned().remove(&self.base);
    }
}

/// Takes memory for an array whose description has been checked.
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
        budget::give_back(context.ordinal, reserved);
        return Err(Code::ERROR_OUT_OF_MEMORY);
    };
    (array.base, array.reserved) = (base, reserved);
    Ok(add(array))
}

/// Gives an array a handle, and has copies find it.
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

/// Its handle is stale from now on, and no copy finds it.
fn remove(array: &Array) {
    ARRAYS.remove(array.handle);
    array.vacate();
}

/// Creates an array in the current context.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a description that an H200 refuses, `CUDA_ERROR_OUT_OF_MEMORY`.
pub fn create(described: Array3dDescriptor) -> Result<Arc<Array>> {
    let context = context::current()?;
    let texel = array_shape::check(&described)?;
    make(&context, described, texel, false)
}

/// Creates a mipmapped array in the current context, of one level at least and as many as make sense at most.
///
/// # Errors
/// As [`create`].
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

/// Levels that lie one after the other in imported memory, from an address in a window of it on. `room` says how many bytes
/// there are.
///
/// # Errors
/// As [`create`], and `CUDA_ERROR_INVALID_VALUE` where the levels need more, for none (an H200's driver writes where it must
/// not), and for more than make sense.
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

/// The array behind a handle, its context usable.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`; the state of the context.
pub fn get(handle: u64) -> Result<Arc<Array>> {
    let array = ARRAYS.get(handle).ok_or(Code::ERROR_INVALID_HANDLE)?;
    array.context.usable()?;
    Ok(array)
}

/// The mipmapped array behind a handle, its context usable.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`; the state of the context.
pub fn get_mipmapped(handle: u64) -> Result<Arc<Mipmapped>> {
    let whole = MIPMAPPED.get(handle).ok_or(Code::ERROR_INVALID_HANDLE)?;
    whole.context.usable()?;
    Ok(whole)
}

/// The live array behind a handle whose texels are at an address. The address alone may be that of another by now.
pub fn find(handle: u64, address: u64) -> Option<Arc<Array>> {
    let places = PLACES.read().unpoisoned();
    let (_, array) = places.range(..=address).next_back()?;
    let inside = address - array.base < array.size();
    (inside && array.handle == handle).then(|| array.clone())
}

/// Destroys an array after all work of its context. A level stays, as with an H200 (driver 580), which says success.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`; the state of the context.
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

/// Destroys a mipmapped array with its levels, after all work of its context.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`; the state of the context.
pub fn destroy_mipmapped(handle: u64) -> Result {
    let whole = get_mipmapped(handle)?;
    whole.context.drain();
    whole.context.usable()?;
    MIPMAPPED.remove(handle).ok_or(Code::ERROR_INVALID_HANDLE)?;
    whole.levels.iter().for_each(|level| remove(level));
    Ok(())
}
