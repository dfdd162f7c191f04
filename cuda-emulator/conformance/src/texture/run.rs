//! Runs a case: creates its texels and its object, launches its kernel, and returns the outcome.

use std::{
    cell::RefCell,
    collections::HashMap,
    ffi::{CString, c_void},
    mem, ptr,
};

use cuda_safe::sys;

use super::{
    case::{Case, Place, Sampler, Texels, View},
    kernels,
};

/// The outcome of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The step that failed, or 0.
    pub step: u32,
    /// The driver's code.
    pub code: u32,
    /// The results of all points. For stores, the texels afterwards.
    pub words: Vec<u32>,
}

/// Steps that may fail.
pub const TEXELS: u32 = 1;
pub const OBJECT: u32 = 2;
pub const MODULE: u32 = 3;
pub const LAUNCH: u32 = 4;
pub const AFTER: u32 = 5;

/// `CUDA_RESOURCE_DESC`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Resource {
    kind: u32,
    union: [u64; 16],
    flags: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Copy3d {
    source: [usize; 4],
    source_type: u32,
    source_host: *const c_void,
    source_device: u64,
    source_array: *mut c_void,
    source_reserved: usize,
    source_pitch: usize,
    source_height: usize,
    target: [usize; 4],
    target_type: u32,
    target_host: *mut c_void,
    target_device: u64,
    target_array: *mut c_void,
    target_reserved: usize,
    target_pitch: usize,
    target_height: usize,
    width: usize,
    height: usize,
    depth: usize,
}

#[repr(C)]
struct ArrayDescriptor {
    size: [usize; 3],
    format: u32,
    channels: u32,
    flags: u32,
}

type Result<T> = std::result::Result<T, (u32, u32)>;

macro_rules! call {
    ($step:expr, $call:expr) => {{
        // SAFETY: the pointers refer to live values of the types that the driver expects.
        let code = unsafe { $call };
        match code.0 {
            0 => Ok(()),
            code => Err(($step, code as u32)),
        }
    }};
}

/// The resources of a case, released when dropped.
struct Made {
    array: *mut c_void,
    mipmapped: *mut c_void,
    memory: Vec<u64>,
    texture: u64,
    surface: u64,
}

thread_local! {
    /// The kernel of each instruction used so far, or the driver's code.
    static KERNELS: RefCell<HashMap<String, Result<usize>>> = RefCell::default();
}

/// Returns the kernel of an instruction, loading it at the first use.
fn kernel(op: &str) -> Result<sys::CUfunction> {
    let load = || {
        let ptx = CString::new(kernels::module(op)).expect("no zero byte");
        let mut module: sys::CUmodule = ptr::null_mut();
        call!(
            MODULE,
            sys::cuModuleLoadData(&raw mut module, ptx.as_ptr().cast())
        )?;
        let mut function: sys::CUfunction = ptr::null_mut();
        call!(
            MODULE,
            sys::cuModuleGetFunction(&raw mut function, module, c"k".as_ptr())
        )?;
        Ok(function as usize)
    };
    let known = KERNELS.with_borrow_mut(|kernels| *kernels.entry(op.into()).or_insert_with(load));
    known.map(|function| function as sys::CUfunction)
}

impl Drop for Made {
    fn drop(&mut self) {
        // SAFETY: the driver created each, and nothing uses it any more. Errors are ignored, since
        // a fault may have ended the context.
        unsafe {
            if self.texture != 0 {
                sys::cuTexObjectDestroy(self.texture);
            }
            if self.surface != 0 {
                sys::cuSurfObjectDestroy(self.surface);
            }
            if !self.array.is_null() {
                sys::cuArrayDestroy(self.array.cast());
            }
            if !self.mipmapped.is_null() {
                sys::cuMipmappedArrayDestroy(self.mipmapped.cast());
            }
            for &memory in &self.memory {
                sys::cuMemFree_v2(memory);
            }
        }
    }
}

impl Made {
    fn allocate(&mut self, step: u32, bytes: usize) -> Result<u64> {
        let mut address = 0;
        call!(step, sys::cuMemAlloc_v2(&raw mut address, bytes.max(16)))?;
        self.memory.push(address);
        Ok(address)
    }

    fn upload(&mut self, words: &[u32]) -> Result<u64> {
        let bytes = mem::size_of_val(words);
        let address = self.allocate(LAUNCH, bytes)?;
        call!(
            LAUNCH,
            sys::cuMemcpyHtoD_v2(address, words.as_ptr().cast(), bytes)
        )?;
        Ok(address)
    }

    /// Copies between a level and plain rows in host memory.
    fn copy(&self, texels: &Texels, level: u32, rows: &mut [u8], back: bool) -> Result<()> {
        let mut array = self.array;
        if !self.mipmapped.is_null() {
            call!(
                TEXELS,
                sys::cuMipmappedArrayGetLevel(
                    (&raw mut array).cast(),
                    self.mipmapped.cast(),
                    level
                )
            )?;
        }
        let [width, height, depth] = texels.extent(level);
        let row = width * texels.texel();
        // SAFETY: zero is valid for all fields.
        let mut copy: Copy3d = unsafe { mem::zeroed() };
        (copy.source_type, copy.target_type) = if back { (3, 1) } else { (1, 3) };
        if back {
            copy.source_array = array;
            copy.target_host = rows.as_mut_ptr().cast();
        } else {
            copy.source_host = rows.as_ptr().cast();
            copy.target_array = array;
        }
        (copy.source_pitch, copy.source_height) = (row, height);
        (copy.target_pitch, copy.target_height) = (row, height);
        (copy.width, copy.height, copy.depth) = (row, height, depth);
        call!(TEXELS, sys::cuMemcpy3D_v2((&raw const copy).cast()))
    }

    /// Creates the texels and returns their description.
    fn resource(&mut self, texels: &Texels) -> Result<Resource> {
        let mut union = [0u64; 16];
        let format = u64::from(texels.format) | u64::from(texels.channels) << 32;
        let kind = match texels.place {
            Place::Array | Place::Mipmapped => {
                let descriptor = ArrayDescriptor {
                    size: texels.size,
                    format: texels.format,
                    channels: texels.channels,
                    flags: texels.flags,
                };
                let descriptor = (&raw const descriptor).cast();
                if texels.place == Place::Array {
                    let to = (&raw mut self.array).cast();
                    call!(TEXELS, sys::cuArray3DCreate_v2(to, descriptor))?;
                    union[0] = self.array as u64;
                } else {
                    let to = (&raw mut self.mipmapped).cast();
                    call!(
                        TEXELS,
                        sys::cuMipmappedArrayCreate(to, descriptor, texels.levels)
                    )?;
                    union[0] = self.mipmapped as u64;
                }
                for level in 0..texels.levels {
                    self.copy(texels, level, &mut texels.contents(level), false)?;
                }
                u32::from(texels.place == Place::Mipmapped)
            }
            Place::Linear | Place::Pitch => {
                let rows = texels.contents(0);
                let [width, height, _] = texels.extent(0);
                let row = width * texels.texel();
                let pitch = if texels.place == Place::Linear {
                    row
                } else {
                    texels.pitch
                };
                let mut bytes = vec![0xaa; texels.offset + pitch * height + 512];
                for (y, part) in rows.chunks(row.max(1)).enumerate() {
                    let at = texels.offset + y * pitch;
                    bytes[at..at + row].copy_from_slice(part);
                }
                let address = self.allocate(TEXELS, bytes.len())?;
                call!(
                    TEXELS,
                    sys::cuMemcpyHtoD_v2(address, bytes.as_ptr().cast(), bytes.len())
                )?;
                union[0] = address + texels.offset as u64;
                union[1] = format;
                if texels.place == Place::Linear {
                    union[2] = row as u64;
                    2
                } else {
                    union[2..5].copy_from_slice(&[width as u64, height as u64, pitch as u64]);
                    3
                }
            }
        };
        Ok(Resource {
            kind,
            union,
            flags: 0,
        })
    }

    fn object(&mut self, case: &Case, resource: &Resource) -> Result<u64> {
        let resource = (&raw const *resource).cast();
        if case.op.starts_with("su") {
            call!(
                OBJECT,
                sys::cuSurfObjectCreate(&raw mut self.surface, resource)
            )?;
            return Ok(self.surface);
        }
        let view = case.view.as_ref().map_or(ptr::null(), ptr::from_ref);
        call!(
            OBJECT,
            sys::cuTexObjectCreate(
                &raw mut self.texture,
                resource,
                (&raw const case.sampler).cast(),
                view.cast()
            )
        )?;
        Ok(self.texture)
    }

    /// Returns the driver's descriptions of the object, as words without addresses.
    fn described(&self) -> Result<Vec<u32>> {
        let mut words = Vec::new();
        let mut resource = Resource {
            kind: 9,
            union: [0; 16],
            flags: 9,
        };
        call!(
            AFTER,
            sys::cuTexObjectGetResourceDesc((&raw mut resource).cast(), self.texture)
        )?;
        words.extend([resource.kind, resource.flags]);
        words.extend(
            resource.union[1..6]
                .iter()
                .flat_map(|w| [*w as u32, (*w >> 32) as u32]),
        );
        // SAFETY: zero is valid for all fields of both.
        let (mut sampler, mut view): (Sampler, View) = unsafe { mem::zeroed() };
        call!(
            AFTER,
            sys::cuTexObjectGetTextureDesc((&raw mut sampler).cast(), self.texture)
        )?;
        words.extend(sampler.address);
        words.extend([
            sampler.filter,
            sampler.flags,
            sampler.anisotropy,
            sampler.mip_filter,
        ]);
        words.extend([sampler.bias, sampler.least, sampler.most].map(f32::to_bits));
        words.extend(sampler.border.map(f32::to_bits));
        let seen = call!(
            AFTER,
            sys::cuTexObjectGetResourceViewDesc((&raw mut view).cast(), self.texture)
        );
        words.push(seen.err().map_or(0, |(_, code)| code));
        words.extend([
            view.format,
            view.width as u32,
            view.height as u32,
            view.depth as u32,
        ]);
        words.extend([view.levels, view.layers].as_flattened());
        Ok(words)
    }

    fn outcome(&mut self, case: &Case) -> Result<Vec<u32>> {
        let resource = self.resource(&case.texels)?;
        let mut object = self.object(case, &resource)?;
        match &*case.name {
            name if name.contains("handle 0") => object = 0,
            name if name.contains("unknown handle") => object = 0x1234_5678,
            name if name.contains("huge handle") => object = 0x1234_5678_9abc_def0,
            name if name.contains("destroyed") => {
                let code = if self.surface == 0 {
                    call!(
                        OBJECT,
                        sys::cuTexObjectDestroy(mem::take(&mut self.texture))
                    )
                } else {
                    call!(
                        OBJECT,
                        sys::cuSurfObjectDestroy(mem::take(&mut self.surface))
                    )
                };
                code?;
            }
            _ => {}
        }
        if case.op == "desc" {
            return self.described();
        }
        let function = kernel(&case.op)?;
        let shape = kernels::shape(&case.op);
        let mut count = (case.points.len() / shape.words) as u32;
        let mut points = self.upload(&case.points)?;
        let mut results = vec![0xdead_beef; count as usize * shape.results];
        let mut out = self.upload(&results)?;
        let mut arguments = [
            (&raw mut object).cast::<c_void>(),
            (&raw mut points).cast(),
            (&raw mut out).cast(),
            (&raw mut count).cast(),
        ];
        let stores = case.op.starts_with("sust") || case.op.starts_with("sured");
        // Stores to the same address happen in the order of the points.
        let (blocks, threads) = if stores { (1, 1) } else { (8, 64) };
        call!(
            LAUNCH,
            sys::cuLaunchKernel(
                function,
                blocks,
                1,
                1,
                threads,
                1,
                1,
                0,
                ptr::null_mut(),
                arguments.as_mut_ptr(),
                ptr::null_mut()
            )
        )?;
        call!(LAUNCH, sys::cuCtxSynchronize())?;
        if !stores {
            let bytes = results.len() * 4;
            call!(
                AFTER,
                sys::cuMemcpyDtoH_v2(results.as_mut_ptr().cast(), out, bytes)
            )?;
            return Ok(results);
        }
        let mut rows = case.texels.contents(0);
        self.copy(&case.texels, 0, &mut rows, true)?;
        rows.resize(rows.len().next_multiple_of(4), 0);
        let words = rows
            .chunks(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        Ok(words.collect())
    }
}

/// Makes the device's primary context current, for the life of the process.
///
/// # Panics
///
/// Panics if there is no device.
pub fn start() {
    // SAFETY: the pointers refer to live values.
    unsafe {
        assert_eq!(sys::cuInit(0).0, 0);
        let mut context: sys::CUcontext = ptr::null_mut();
        assert_eq!(sys::cuDevicePrimaryCtxRetain(&raw mut context, 0).0, 0);
        assert_eq!(sys::cuCtxSetCurrent(context).0, 0);
    }
}

/// Runs a case on the device of [`start`].
#[must_use]
pub fn run(case: &Case) -> Outcome {
    let mut made = Made {
        array: ptr::null_mut(),
        mipmapped: ptr::null_mut(),
        memory: Vec::new(),
        texture: 0,
        surface: 0,
    };
    match made.outcome(case) {
        Ok(words) => Outcome {
            step: 0,
            code: 0,
            words,
        },
        Err((step, code)) => Outcome {
            step,
            code,
            words: Vec::new(),
        },
    }
}
