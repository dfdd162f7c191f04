//! Convolutions that are ready to launch: a kernel, and the weights in its order.

use std::ffi::c_void;

use cuda_safe::{Function, LaunchConfig, Owner, Stream};

use super::{
    ConvolutionOptions, Filter, Layout, table,
    variant::{Correlation, Pixels, Stencil},
};
use crate::{
    error::{Error, Result},
    kernel::Kernels,
    order::ordered,
};

/// The same struct as in `convolve_common.cuh`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Geometry {
    in_pitch: i64,
    out_pitch: i64,
    in_image: i64,
    out_image: i64,
    in_width: i32,
    in_height: i32,
    out_width: i32,
    out_height: i32,
    across: i32,
    down: i32,
    rows: i32,
    images: i32,
}

/// A kernel's parameters may take 32,764 bytes in total.
const MOST_WEIGHTS: usize = (32_764 - 16 - size_of::<Geometry>()) / 16 * 4;

/// Images in device memory. The layout counts pixels in a row, but elements in its pitches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) address: u64,
    pub(super) layout: Layout,
    pub(super) owner: Owner<'a>,
}

impl Place<'_> {
    /// Returns whether all rows start at multiples of 4 elements of `size` bytes.
    fn is_aligned(&self, size: usize) -> bool {
        self.address.is_multiple_of(4 * size as u64) && self.layout.keeps_alignment()
    }
}

/// Returns whether the rows of the input and those of the output are aligned for the kernels.
pub(super) fn alignment(pixels: Pixels, from: &Place<'_>, to: &Place<'_>) -> [bool; 2] {
    let [from, to] = [from, to].map(|place| place.is_aligned(pixels.data.size()));
    match pixels {
        Pixels::PLANES => [from && to; 2],
        _ => [from, to],
    }
}

/// A kernel and the parameters of its launches.
#[derive(Debug)]
pub(super) struct Prepared {
    function: Function,
    kernel: Correlation,
    /// Blocks that are on the device at the same time, if the number of pieces depends on it.
    resident: u32,
    /// In the order that the kernel expects.
    weights: Box<[f32]>,
}

impl Prepared {
    /// Chooses and compiles the kernel for a filter, which is [`oriented`] already, and for rows
    /// of this [`alignment`].
    ///
    /// [`oriented`]: ConvolutionOptions::oriented
    pub(super) fn new(
        kernels: &Kernels,
        filter: &Filter,
        options: ConvolutionOptions,
        pixels: Pixels,
        [aligned, aligned_output]: [bool; 2],
    ) -> Result<Self> {
        let (width, height) = (filter.width(), filter.height());
        let too_large = |why: &str| {
            let limit = match pixels {
                Pixels::PLANES => "this device".into(),
                Pixels { channels, .. } => format!("{channels} channels: {why}"),
            };
            Error::Shape(format!(
                "a filter of {width} x {height} is too large for {limit}"
            ))
        };
        let too_many = || too_large("a kernel takes at most 8160 weights");
        if width.max(height) > MOST_WEIGHTS {
            return Err(too_many());
        }
        let (pad_x, pad_y) = options.origin(filter);
        let stencil = Stencil {
            pixels,
            width: width as u32,
            height: height as u32,
            pad_x: pad_x as u32,
            pad_y: pad_y as u32,
            aligned,
            aligned_output,
        };
        let factors = filter.factors().filter(|_| options.separate);
        let hardware = kernels.hardware();
        let variant = table::choose(stencil, factors.is_some(), hardware);
        let weights = match factors {
            Some(factors) if variant.is_some_and(|variant| variant.is_separable()) => {
                whole([&*factors.row, &*factors.column].concat())
            }
            _ => packed(filter),
        };
        if weights.len() > MOST_WEIGHTS {
            return Err(too_many());
        }
        let variant =
            variant.ok_or_else(|| too_large("this device has too little shared memory"))?;

        let kernel = Correlation {
            variant,
            stencil,
            border: options.border,
        };
        let function = kernels.get(&kernel)?;
        let resident = match variant.resident_blocks() {
            None => 1,
            Some(most) => {
                let shared = kernel.shared_bytes() as usize;
                let fitting = function.max_active_blocks(kernel.threads(), shared)?;
                (fitting.min(most) * hardware.multiprocessors).max(1)
            }
        };
        Ok(Self {
            function,
            kernel,
            resident,
            weights: weights.into(),
        })
    }

    /// Enqueues the launch.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - both places hold images of such pixels, whose rows have the given alignment;
    /// - their layouts are within the limits of the kernels;
    /// - the output, which is written, is as large as the result.
    pub(super) unsafe fn enqueue(
        &self,
        stream: &Stream,
        mut from: Place<'_>,
        mut to: Place<'_>,
    ) -> Result<()> {
        let (mut geometry, blocks) = self.cut(from.layout, to.layout)?;
        let config = LaunchConfig::new(blocks, self.kernel.threads())
            .shared_bytes(self.kernel.shared_bytes());
        let mut pointers: [*mut c_void; 4] = [
            (&raw mut from.address).cast(),
            (&raw mut to.address).cast(),
            (&raw mut geometry).cast(),
            // The driver only reads the weights.
            self.weights.as_ptr().cast_mut().cast(),
        ];
        ordered(stream, [Some(from.owner), Some(to.owner)], || {
            // SAFETY: the kernel's parameters are two addresses, `Geometry`, and the number of
            // weights that its source was given. It reads and writes only the pixels of the two
            // layouts, as the caller has promised. The launch is ordered with their streams.
            unsafe { self.function.launch_raw(stream, config, &mut pointers)? };
            Ok(())
        })
    }

    /// Returns the division of the output into blocks, and the number of blocks.
    fn cut(&self, input: Layout, output: Layout) -> Result<(Geometry, u32)> {
        // The layouts' check ensures that these values fit.
        let int = |value: usize| i32::try_from(value).unwrap_or(i32::MAX);
        let Correlation {
            variant, stencil, ..
        } = self.kernel;
        let extent = (output.width, output.height);
        let cut = variant
            .cut(stencil, extent, output.images, self.resident)
            .ok_or_else(|| Error::Shape(format!("{output:?} takes more than 2^31 blocks")))?;
        let geometry = Geometry {
            in_pitch: input.pitch as i64,
            out_pitch: output.pitch as i64,
            in_image: input.image_pitch as i64,
            out_image: output.image_pitch as i64,
            in_width: int(input.width),
            in_height: int(input.height),
            out_width: int(output.width),
            out_height: int(output.height),
            across: cut.across as i32,
            down: cut.down as i32,
            rows: cut.rows as i32,
            images: int(output.images),
        };
        Ok((geometry, cut.blocks))
    }
}

/// Returns all weights in rows padded to an even width, because the kernels read them in pairs.
fn packed(filter: &Filter) -> Vec<f32> {
    let odd = !filter.width().is_multiple_of(2);
    let rows = filter.weights().chunks_exact(filter.width());
    whole(
        rows.flat_map(|row| row.iter().copied().chain(odd.then_some(0.0)))
            .collect(),
    )
}

/// Pads the weights to 16 bytes, the alignment of the kernels' struct.
fn whole(mut weights: Vec<f32>) -> Vec<f32> {
    weights.resize(weights.len().next_multiple_of(4), 0.0);
    weights
}

#[cfg(test)]
mod tests {
    use cuda_safe::Context;

    use super::*;
    use crate::element::DataType;

    #[test]
    fn rows_are_aligned_to_four_elements() {
        let context = Context::primary(0).unwrap();
        let place = |address, pitch| Place {
            address,
            layout: Layout::new(1, 2).pitch(pitch),
            owner: Owner::Context(&context),
        };
        let aligned =
            |address, pitch, data: DataType| place(address, pitch).is_aligned(data.size());
        assert!(aligned(4, 8, DataType::U8) && aligned(8, 8, DataType::U16));
        assert!(!aligned(4, 8, DataType::U16) && !aligned(2, 8, DataType::U8));
        assert!(!aligned(8, 6, DataType::U8) && !aligned(2, 6, DataType::U8));
        assert!(aligned(16, 8, DataType::F32) && !aligned(8, 8, DataType::F32));
        // Kernels for planes have one answer for both.
        let bytes = Pixels {
            data: DataType::U8,
            channels: 1,
        };
        let both = |pixels, from, to| alignment(pixels, &place(16, from), &place(16, to));
        assert_eq!(both(bytes, 8, 6), [true, false]);
        assert_eq!(both(bytes, 6, 8), [false, true]);
        assert_eq!(both(Pixels::PLANES, 8, 6), [false; 2]);
        assert_eq!(both(Pixels::PLANES, 6, 8), [false; 2]);
        assert_eq!(both(Pixels::PLANES, 8, 8), [true; 2]);
    }
}
