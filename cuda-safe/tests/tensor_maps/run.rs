//! Runs a case: encodes its map, launches its kernel and returns the outcome.

use std::{
    ffi::{c_int, c_void},
    ptr,
};

use cuda_safe::{
    Code, Context, DeviceBuffer, Error, LaunchConfig, Module, Result, Stream,
    driver::{self, Version},
    launch::ByValue,
    sys,
};

use crate::{
    case::{Case, Kind, Tensor, Work},
    kernels::{SCRATCH, SHARED, module},
};

/// The size of the memory that holds the tensors, and the offset of the tensors in it, in bytes.
pub const MEMORY: usize = 65536;
pub const REGION: usize = 8192;

/// A map with C's size and alignment.
#[derive(Clone, Copy)]
#[repr(C, align(128))]
struct Map([u64; 16]);

/// The outcome of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The driver's code of the encoding or of a fault, or 0.
    pub code: i32,
    /// The number of bytes that the barrier counted.
    pub counted: u32,
    /// Shared memory after a copy to it, or else the changed words of global memory with their
    /// indices.
    pub content: Vec<u32>,
}

impl Outcome {
    /// Returns the FNV-1a hash of the content.
    pub fn hash(&self) -> u64 {
        let bytes = self.content.iter().flat_map(|w| w.to_le_bytes());
        bytes.fold(0xcbf2_9ce4_8422_2325, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    /// Returns the recorded form.
    pub fn line(&self) -> String {
        match (self.code, self.content.is_empty()) {
            (0, true) => "0".into(),
            (0, false) => format!("0 {} {:016x}", self.counted, self.hash()),
            (code, _) => format!("{code}"),
        }
    }
}

/// Returns numbers of this type: ordinary ones with `mild`, otherwise all kinds of bit patterns.
pub fn numbers(ty: u32, mild: bool, seed: u64, bytes: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 16
    };
    let mut out = Vec::with_capacity(bytes + 8);
    while out.len() < bytes {
        let word = next();
        let (kind, small) = (word >> 40 & 15, (word & 0xff) as f32 / 8.0 - 9.0);
        // Builds a float from its sign, exponent and mantissa bits.
        let special = |sign: u64, exponent: u64, mantissa: u64| match kind {
            0 => sign | exponent | mantissa,
            1 => exponent | 1,
            2 => mantissa >> 3,
            3 => sign | mantissa,
            4 => exponent,
            5 => sign | exponent,
            6 => sign,
            _ => word,
        };
        let (bits, size) = match (ty, mild) {
            (6, true) => {
                // Whole numbers below 256 as halves.
                let n = (word & 0xff) as u32 | 1;
                let e = 31 - n.leading_zeros();
                (u64::from((e + 15) << 10 | (n << (10 - e)) & 0x3ff), 2)
            }
            (9, true) => (u64::from(small.to_bits() >> 16), 2),
            // Half of the last bit of TF32, after even and odd bits, and the largest number.
            (11..=12, true) if kind == 0 => (0x7f7f_ffff, 4),
            (11..=12, true) => (word & !0x1fff | 0x1000, 4),
            (7 | 10, true) => (u64::from(small.to_bits()), 4),
            (8, true) => (f64::from(small).to_bits(), 8),
            (6, false) => (special(0x8000, 0x7c00, 0x155), 2),
            (9, false) => (special(0x8000, 0x7f80, 0x2b), 2),
            (7 | 10..=12, false) => (special(0x8000_0000, 0x7f80_0000, 0x2a_bcde), 4),
            (8, false) => (special(1 << 63, 0x7ff << 52, 0x123_4567_89ab), 8),
            _ => (word, 1),
        };
        out.extend_from_slice(&bits.to_le_bytes()[..size]);
    }
    out.truncate(bytes);
    out
}

/// `cuTensorMapEncodeIm2colWide`, which CUDA 12.0 does not have.
type EncodeWide = unsafe extern "C" fn(
    *mut c_void,
    u32,
    u32,
    *mut c_void,
    *const u64,
    *const u64,
    c_int,
    c_int,
    u32,
    u32,
    *const u32,
    u32,
    u32,
    u32,
    u32,
    u32,
) -> sys::CUresult;

fn encode(tensor: &Tensor, place: u64) -> (i32, Map) {
    let mut map = Map([0; 16]);
    let to = (&raw mut map).cast::<sys::CUtensorMap>();
    let dims = tensor.dims.as_ptr();
    let strides = tensor.strides.as_ptr();
    let steps = tensor.steps.as_ptr();
    let rank = tensor.dims.len() as u32;
    let address = (place + tensor.start) as *mut c_void;
    let ty = sys::CUtensorMapDataType(tensor.ty);
    let interleave = sys::CUtensorMapInterleave(tensor.interleave);
    let swizzle = sys::CUtensorMapSwizzle(tensor.swizzle);
    let promotion = sys::CUtensorMapL2promotion(tensor.promotion);
    let fill = sys::CUtensorMapFloatOOBfill(tensor.fill);
    // SAFETY: the arrays have an element for each dimension, and the map has the driver's size and
    // alignment.
    let code = unsafe {
        match &tensor.kind {
            Kind::Tiled(boxes) => sys::cuTensorMapEncodeTiled(
                to,
                ty,
                rank,
                address,
                dims.cast(),
                strides.cast(),
                boxes.as_ptr(),
                steps,
                interleave,
                swizzle,
                promotion,
                fill,
            ),
            Kind::Im2col {
                lower,
                upper,
                channels,
                pixels,
            } => sys::cuTensorMapEncodeIm2col(
                to,
                ty,
                rank,
                address,
                dims.cast(),
                strides.cast(),
                lower.as_ptr(),
                upper.as_ptr(),
                *channels,
                *pixels,
                steps,
                interleave,
                swizzle,
                promotion,
                fill,
            ),
            &Kind::Wide(lower, upper, channels, pixels, mode) => {
                let wide = driver::symbol(
                    c"cuTensorMapEncodeIm2colWide",
                    Version {
                        major: 12,
                        minor: 8,
                    },
                );
                let Ok(wide) = wide else {
                    return (-1, map);
                };
                let wide: EncodeWide = std::mem::transmute(wide);
                wide(
                    to.cast(),
                    tensor.ty,
                    rank,
                    address,
                    dims,
                    strides,
                    lower,
                    upper,
                    channels,
                    pixels,
                    steps,
                    tensor.interleave,
                    mode,
                    tensor.swizzle,
                    tensor.promotion,
                    tensor.fill,
                )
            }
        }
    };
    (code.0 as i32, map)
}

/// Makes a call with invalid arguments and returns its code.
fn odd(name: &str, tensor: &Tensor, place: u64) -> i32 {
    let mut map = Map([0; 16]);
    let to = match name {
        "no map" => 0,
        "a map aligned to 32" => (&raw mut map) as usize + 32,
        _ => (&raw mut map) as usize,
    };
    let to = to as *mut sys::CUtensorMap;
    if name == "address of no map" {
        // SAFETY: the map has the driver's size and alignment.
        return unsafe { sys::cuTensorMapReplaceAddress(to, place as *mut c_void) }.0 as i32;
    }
    let Kind::Tiled(boxes) = &tensor.kind else {
        return -1;
    };
    let unless = |what: &str, pointer: *const c_void| {
        if name == what { ptr::null() } else { pointer }
    };
    // SAFETY: each array has an element for each dimension or is null, which the driver rejects.
    let code = unsafe {
        sys::cuTensorMapEncodeTiled(
            to,
            sys::CUtensorMapDataType(tensor.ty),
            tensor.dims.len() as u32,
            place as *mut c_void,
            unless("no dims", tensor.dims.as_ptr().cast()).cast(),
            match name {
                "rank 1 without strides" => ptr::null(),
                _ => unless("no strides", tensor.strides.as_ptr().cast()).cast(),
            },
            unless("no box", boxes.as_ptr().cast()).cast(),
            unless("no steps", tensor.steps.as_ptr().cast()).cast(),
            sys::CUtensorMapInterleave(0),
            sys::CUtensorMapSwizzle(0),
            sys::CUtensorMapL2promotion(0),
            sys::CUtensorMapFloatOOBfill(0),
        )
    };
    code.0 as i32
}

/// The device with the kernels of these cases.
pub struct Device {
    stream: Stream,
    module: Module,
    kernels: Vec<Option<String>>,
    spins: u32,
}

impl Device {
    pub fn new(cases: &[Case]) -> Result<Device> {
        let context = Context::primary(0)?;
        let stream = Stream::new(&context)?;
        let (ptx, kernels) = module(cases);
        if let Ok(path) = std::env::var("TENSOR_MAPS_PTX") {
            std::fs::write(path, &ptx).expect("the PTX is written");
        }
        let emulated = context.device().name()?.contains("mulat");
        Ok(Device {
            module: Module::from_ptx(&context, &ptx)?,
            stream,
            kernels,
            spins: if emulated { 1 } else { 3000 },
        })
    }

    /// Returns the outcome of a case.
    pub fn run(&self, case: &Case, number: usize) -> Outcome {
        let mut outcome = Outcome {
            code: 0,
            counted: 0,
            content: Vec::new(),
        };
        if let Err(error) = self.copy(case, number, &mut outcome) {
            outcome.code = match error.code() {
                Code::Driver(code) => code.0 as i32,
                _ => panic!("{}: {error}", case.name),
            };
            outcome.content.clear();
        }
        outcome
    }

    fn copy(&self, case: &Case, number: usize, outcome: &mut Outcome) -> Result<(), Error> {
        let stream = &self.stream;
        let ty = case.tensor.ty;
        let before = numbers(ty, case.mild, 1, MEMORY);
        let memory = DeviceBuffer::from_slice(stream, &before)?;
        let region = memory.as_device_ptr() + REGION as u64;
        if let Work::Odd = case.work {
            let _current = match &*case.name {
                "no context" => None,
                _ => Some(stream.context().push_current()?),
            };
            outcome.code = odd(&case.name, &case.tensor, region);
            return Ok(());
        }
        let (code, mut map) = {
            let _current = stream.context().push_current()?;
            encode(&case.tensor, region)
        };
        outcome.code = code;
        if code != 0 {
            return Ok(());
        }
        if let Work::Address(place) = case.work {
            let address = (region + place) as *mut c_void;
            let _current = stream.context().push_current()?;
            // SAFETY: the map is encoded.
            let code = unsafe { sys::cuTensorMapReplaceAddress((&raw mut map).cast(), address) };
            outcome.code = code.0 as i32;
            return Ok(());
        }
        let Some(kernel) = &self.kernels[number] else {
            return Ok(());
        };
        let loads = matches!(case.work, Work::Load { .. });
        // The contents of shared memory before a copy to it, or the source of a copy from it.
        let mut input = if loads {
            vec![0xee; SCRATCH]
        } else {
            numbers(ty, case.mild, 2, SCRATCH)
        };
        input.resize(SCRATCH + 128, 0);
        let input = DeviceBuffer::from_slice(stream, &input)?;
        let out = DeviceBuffer::<u32>::zeroed(stream, 4 + SHARED / 4)?;
        let most = case.tensor.most() as u32;
        let words = ((case.shared + most.max(2048)) as usize / 4 + 64).min(SHARED / 4);
        let (value, place) = match &case.work {
            Work::Load {
                replace: Some(replace),
                ..
            } => (replace.value, region + replace.place),
            _ => (0, 0),
        };
        let mut args = [0u32; 18];
        for (to, &at) in args.iter_mut().zip(&case.at) {
            *to = at as u32;
        }
        for (to, &offset) in args[5..].iter_mut().zip(&case.offsets) {
            *to = offset.into();
        }
        args[8] = words as u32;
        // More bytes than can arrive, so that the arrived bytes can be counted.
        args[9] = most + 16384;
        args[10] = case.shared;
        args[11] = self.spins;
        args[12..14].copy_from_slice(&[value as u32, (value >> 32) as u32]);
        args[14..16].copy_from_slice(&[place as u32, (place >> 32) as u32]);
        let kernel = self.module.function(kernel)?;
        // SAFETY: the arguments match the kernel's parameters, and the memory lives until the wait
        // below.
        unsafe {
            kernel.launch(
                stream,
                LaunchConfig::new(1, 32),
                (ByValue(map), &out, &input, args),
            )?;
        }
        stream.synchronize()?;
        if loads {
            let shown = out.to_vec(stream)?;
            outcome.counted = shown[0];
            outcome.content = shown[4..4 + words].to_vec();
        } else {
            let after = memory.to_vec(stream)?;
            let words = |bytes: &[u8]| -> Vec<u32> {
                let (words, _) = bytes.as_chunks::<4>();
                words.iter().map(|&w| u32::from_le_bytes(w)).collect()
            };
            let changed = words(&before).into_iter().zip(words(&after)).enumerate();
            for (i, (_, new)) in changed.filter(|(_, (old, new))| old != new) {
                outcome.content.extend([i as u32, new]);
            }
            outcome.counted = outcome.content.len() as u32;
        }
        Ok(())
    }
}
