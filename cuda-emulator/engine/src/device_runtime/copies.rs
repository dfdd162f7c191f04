//! Memory: the heap, copies and fills by kernels.

use super::call::Call;
use super::errors::Error;
use super::grid::Work;
use super::tree::{self, Tree};
use crate::boundary::{Access, Device, Fault, Options};
use crate::state::shadow::allocate;

/// `cudaMemcpyDeviceToDevice` and `cudaMemcpyDefault`, the only directions allowed in kernels.
const DIRECTIONS: [u32; 2] = [3, 4];

/// A box of bytes: rows with a distance of `pitch`, in slices with a distance of `slice`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    base: u64,
    pitch: u64,
    slice: u64,
    width: u64,
    height: u64,
    depth: u64,
}

impl Rows {
    fn new(base: u64, [pitch, rows]: [u64; 2], [width, height, depth]: [u64; 3]) -> Rows {
        Rows {
            base,
            pitch,
            slice: pitch.wrapping_mul(rows),
            width,
            height,
            depth,
        }
    }

    /// Returns the addresses of the rows.
    fn rows(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.depth).flat_map(move |z| {
            (0..self.height).map(move |y| {
                self.base
                    .wrapping_add(z.wrapping_mul(self.slice))
                    .wrapping_add(y.wrapping_mul(self.pitch))
            })
        })
    }

    /// Returns whether rows would overlap, given the number of rows per slice.
    fn overlap(&self, rows: u64) -> bool {
        (self.height > 1 || self.depth > 1) && self.pitch < self.width
            || self.depth > 1 && rows < self.height
    }
}

/// `cudaMalloc(pointer, size)`
pub(super) fn malloc(call: &mut Call<'_, '_>) -> Option<u64> {
    let (place, size) = (call.long(0), call.long(1));
    if place == 0 || size == 0 {
        return call.fail(Error::InvalidValue);
    }
    match allocate(call.ctx, size) {
        0 => call.fail(Error::MemoryAllocation),
        address => {
            call.put_long(place, address)?;
            Some(0)
        }
    }
}

/// `cudaFree(pointer)`
pub(super) fn free(call: &mut Call<'_, '_>) -> Option<u64> {
    let address = call.long(0);
    let device = call.ctx.launch.device;
    if address != 0 && !device.free(address) {
        return call.illegal(format!(
            "cudaFree of 0x{address:x}, which is not live memory from a kernel's cudaMalloc or malloc"
        ));
    }
    call.ctx.regions.refresh(device.generation());
    Some(0)
}

fn enqueue(call: &mut Call<'_, '_>, stream: usize, work: Work) -> Option<u64> {
    let result = match call.stream(stream) {
        None => Err(Error::InvalidValue),
        Some(key) => call.grid.tree.reserve().map(|()| key),
    };
    match result {
        Ok(key) => call.enqueue(key, work),
        Err(error) => call.fail(error),
    }
}

/// Checks the conditions of every copy that is not empty.
fn check(call: &Call<'_, '_>, [to, from]: [(Rows, u64); 2], kind: u32) -> Result<(), Error> {
    if !DIRECTIONS.contains(&kind) {
        return Err(Error::InvalidMemcpyDirection);
    }
    if to.0.base == 0 || from.0.base == 0 {
        return Err(Error::InvalidValue);
    }
    if to.0.overlap(to.1) || from.0.overlap(from.1) {
        return Err(Error::InvalidPitchValue);
    }
    match call.is_global(to.0.base) && call.is_global(from.0.base) {
        true => Ok(()),
        false => Err(Error::InvalidValue),
    }
}

fn copy_box(
    call: &mut Call<'_, '_>,
    places: [(u64, [u64; 2]); 2],
    extent: [u64; 3],
    kind: u32,
    stream: usize,
) -> Option<u64> {
    if extent.contains(&0) {
        return Some(0);
    }
    let [to, from] = places.map(|(base, sizes)| (Rows::new(base, sizes, extent), sizes[1]));
    match check(call, [to, from], kind) {
        Ok(()) => enqueue(
            call,
            stream,
            Work::Copy {
                to: to.0,
                from: from.0,
            },
        ),
        Err(error) => call.fail(error),
    }
}

/// `cudaMemcpyAsync(to, from, count, kind, stream)`
pub(super) fn copy(call: &mut Call<'_, '_>) -> Option<u64> {
    let count = call.long(2);
    let places = [call.long(0), call.long(1)].map(|base| (base, [count, 1]));
    let kind = call.word(3);
    copy_box(call, places, [count, 1, 1], kind, 4)
}

/// `cudaMemcpy2DAsync(to, pitch, from, pitch, width, height, kind, stream)`
pub(super) fn copy_2d(call: &mut Call<'_, '_>) -> Option<u64> {
    let height = call.long(5);
    let places = [0, 2].map(|at| (call.long(at), [call.long(at + 1), height]));
    let (extent, kind) = ([call.long(4), height, 1], call.word(6));
    copy_box(call, places, extent, kind, 7)
}

/// Word indices in `cudaMemcpy3DParms`: array, position and pitched pointer of the source, the same
/// of the destination, and the extent. The kind follows the extent. The size is in bytes.
const SOURCE: usize = 0;
const DESTINATION: usize = 8;
const EXTENT: usize = 16;
const PARAMETERS: usize = 160;

/// `cudaMemcpy3DAsync(parameters, stream)`
pub(super) fn copy_3d(call: &mut Call<'_, '_>) -> Option<u64> {
    let parameters = call.long(0);
    if parameters == 0 {
        return call.fail(Error::InvalidValue);
    }
    let bytes = call.bytes(parameters, PARAMETERS)?;
    let word = |at: usize| {
        let word = bytes[at * 8..].first_chunk().copied();
        u64::from_le_bytes(word.unwrap_or_default())
    };
    // Kernels cannot copy arrays.
    if word(SOURCE) != 0 || word(DESTINATION) != 0 {
        return call.fail(Error::InvalidValue);
    }
    let place = |at: usize| {
        let [x, y, z] = [1, 2, 3].map(|axis| word(at + axis));
        let (base, pitch, rows) = (word(at + 4), word(at + 5), word(at + 7));
        let slice = z.wrapping_mul(rows).wrapping_mul(pitch);
        let base = base.wrapping_add(x).wrapping_add(y.wrapping_mul(pitch));
        (base.wrapping_add(slice), [pitch, rows])
    };
    let extent = [EXTENT, EXTENT + 1, EXTENT + 2].map(word);
    let kind = word(EXTENT + 3) as u32;
    copy_box(call, [place(DESTINATION), place(SOURCE)], extent, kind, 1)
}

/// Fills with zeros, as the fills of CUDA 13.0's archive do on an H200, whatever value is passed.
fn set_box(
    call: &mut Call<'_, '_>,
    base: u64,
    sizes: [u64; 2],
    extent: [u64; 3],
    stream: usize,
) -> Option<u64> {
    if extent.contains(&0) {
        return Some(0);
    }
    let to = Rows::new(base, sizes, extent);
    if base == 0 || to.overlap(sizes[1]) || !call.is_global(base) {
        return call.fail(Error::InvalidValue);
    }
    enqueue(call, stream, Work::Clear { to })
}

/// `cudaMemsetAsync(pointer, value, count, stream)`
pub(super) fn set(call: &mut Call<'_, '_>) -> Option<u64> {
    let (base, count) = (call.long(0), call.long(2));
    set_box(call, base, [count, 1], [count, 1, 1], 3)
}

/// `cudaMemset2DAsync(pointer, pitch, value, width, height, stream)`
pub(super) fn set_2d(call: &mut Call<'_, '_>) -> Option<u64> {
    let (base, pitch) = (call.long(0), call.long(1));
    let (width, height) = (call.long(3), call.long(4));
    set_box(call, base, [pitch, height], [width, height, 1], 5)
}

/// `cudaMemset3DAsync(pitched pointer, value, extent, stream)`
pub(super) fn set_3d(call: &mut Call<'_, '_>) -> Option<u64> {
    let sizes = [call.part(0, 1), call.part(0, 3)];
    let extent = [0, 1, 2].map(|axis| call.part(2, axis));
    set_box(call, call.part(0, 0), sizes, extent, 3)
}

/// Checks that a row is in valid memory.
fn reach(tree: &Tree<'_>, what: &str, address: u64, width: u64, store: bool) -> Result<(), Fault> {
    let region = tree
        .find(address)
        .filter(|r| address >= r.base && address - r.base < r.size);
    match region {
        Some(r) if r.size - (address - r.base) >= width && (r.writable || !store) => Ok(()),
        _ => {
            let verb = if store { "write" } else { "read" };
            let size = u32::try_from(width).unwrap_or(u32::MAX);
            Err(tree::fault(format!(
                "{what} by a kernel: {verb} of {width} bytes at 0x{address:x}\n{}",
                tree.explain(address, size)
            )))
        }
    }
}

fn note(tree: &Tree<'_>, options: &Options, address: u64, width: u64, writes: bool) {
    if options.record_accesses {
        tree.note_access(Access {
            address,
            size: width,
            writes,
            strong: false,
            instruction: None,
        });
    }
    if (options.check_uninit || options.note_writes) && writes {
        tree.note_write(address, u32::try_from(width).unwrap_or(u32::MAX));
    }
}

/// Executes a copy.
pub(super) fn run_copy(
    tree: &Tree<'_>,
    options: &Options,
    to: &Rows,
    from: &Rows,
) -> Result<(), Fault> {
    for (to_row, from_row) in to.rows().zip(from.rows()) {
        reach(tree, "cudaMemcpyAsync", from_row, from.width, false)?;
        reach(tree, "cudaMemcpyAsync", to_row, to.width, true)?;
        note(tree, options, from_row, from.width, false);
        note(tree, options, to_row, to.width, true);
        // SAFETY: both rows are in live memory, as was checked just now. They may overlap.
        unsafe { std::ptr::copy(from_row as *const u8, to_row as *mut u8, to.width as usize) };
    }
    Ok(())
}

/// Executes a fill.
pub(super) fn run_clear(tree: &Tree<'_>, options: &Options, to: &Rows) -> Result<(), Fault> {
    for row in to.rows() {
        reach(tree, "cudaMemsetAsync", row, to.width, true)?;
        note(tree, options, row, to.width, true);
        // SAFETY: the row is in live memory, as was checked just now.
        unsafe { std::ptr::write_bytes(row as *mut u8, 0, to.width as usize) };
    }
    Ok(())
}
