//! The kernel for images in the format of most files: small elements and interleaved channels.

use std::ffi::c_void;

use cuda_safe::{Function, LaunchConfig, Owner, Stream};

use super::{
    ConvolutionOptions, Filter, Geometry, Kind, MOST_WEIGHTS, packed,
    variant::{SHARED_FOR_ALL, Size},
};
use crate::{
    element::DataType,
    error::{Error, Result},
    kernel::{Hardware, Kernels, Source, Specialisation},
    order::ordered,
};

/// Warps per block and rows per warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tile {
    pub(crate) warps: u32,
    pub(crate) rows: u32,
}

/// The fastest tile, except in the cases of [`Interleaved::preferred`]. Times for 4096² pixels on
/// an H200, for this tile and for [`TALL`]:
///
/// - `u8` with a 3 x 3 filter: 29.7 µs, more than 30.1 µs
/// - `u8` with a 9 x 9 filter: 75.0 µs, more than 75.1 µs
/// - `u16` of 3 channels with a 3 x 3 filter: 77.2 µs, more than 81.9 µs
const SHORT: Tile = Tile { warps: 4, rows: 4 };
/// The fastest tile in the cases of [`Interleaved::preferred`]. Times for 4096² pixels on an H200,
/// for this tile and for [`SHORT`]:
///
/// - `u8` of 3 channels with a 3 x 3 filter: 67.6 µs, 71.4 µs
/// - `u8` of 3 channels with a 9 x 9 filter: 204 µs, more than 210 µs
/// - `u16` of 3 channels with a 9 x 9 filter: 214 µs, more than 219 µs
const TALL: Tile = Tile { warps: 4, rows: 8 };
/// The tile with the least shared memory, for cases in which the others don't fit.
const LEAST: Tile = Tile { warps: 1, rows: 4 };

/// Elements of a row per block.
const BLOCK_ELEMENTS: u32 = 128;

/// The kernel for filters of one size. The weights are a kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Interleaved {
    pub(crate) data: DataType,
    pub(crate) channels: u32,
    /// The size of the filter. Its `aligned` means that rows of the input start at multiples of 4
    /// elements.
    pub(crate) size: Size,
    /// Whether rows of the output start at multiples of 4 elements.
    pub(crate) aligned_output: bool,
    pub(crate) border: super::Border,
    pub(crate) tile: Tile,
}

impl Interleaved {
    /// Returns the fastest tile for this filter and these pixels, as measured by
    /// `tuning/array_kernels.py images`.
    fn preferred(&self) -> Tile {
        let height = self.size.height;
        match self.channels > 1 && (height >= 8 || (height <= 3 && self.data.size() == 1)) {
            true => TALL,
            false => SHORT,
        }
    }

    /// Chooses the preferred tile, or the first one that fits in a block's shared memory. Returns
    /// false if none fits.
    fn choose_tile(&mut self, hardware: &Hardware) -> bool {
        let fits = |tile: &Tile| {
            let tile = *tile;
            Self { tile, ..*self }.shared_bytes() <= hardware.shared_per_block
        };
        let tile = [self.preferred(), SHORT, LEAST].into_iter().find(fits);
        self.tile = tile.unwrap_or(self.tile);
        tile.is_some()
    }

    pub(crate) fn threads(&self) -> u32 {
        self.tile.warps * 32
    }

    /// Rows of the output per block.
    fn rows(&self) -> u32 {
        self.tile.warps * self.tile.rows
    }

    /// Bytes of dynamic shared memory per block: the elements of its outputs and those that the
    /// filter reaches beyond them.
    pub(crate) fn shared_bytes(&self) -> u32 {
        let Size { width, height, .. } = self.size;
        let shift = match self.size.aligned {
            true => (4 - self.size.pad_x * self.channels % 4) % 4,
            false => 0,
        };
        let halo = (shift + (width - 1) * self.channels).next_multiple_of(4);
        (self.rows() + height - 1).saturating_mul((BLOCK_ELEMENTS + halo) * 4)
    }

    /// The number of filter rows that are unrolled.
    fn group(&self) -> u32 {
        (UNROLLED / self.size.width).clamp(1, self.size.height)
    }
}

/// The number of weights that are unrolled, each for all outputs of a thread.
const UNROLLED: u32 = 32;

impl Specialisation for Interleaved {
    fn source(&self) -> Source {
        let pixel = match self.data {
            DataType::U8 => "U8",
            DataType::U16 => "U16",
            DataType::F16 => "F16",
            DataType::Bf16 => "BF16",
            _ => "F32",
        };
        Source::new(
            "convolve_image.cu",
            include_str!("../kernels/convolve_image.cu"),
            "convolve_image",
        )
        .header("scalar.cuh", include_str!("../kernels/scalar.cuh"))
        .header("array.cuh", include_str!("../kernels/array.cuh"))
        .header(
            "convolve_common.cuh",
            include_str!("../kernels/convolve_common.cuh"),
        )
        .define("PIXEL", pixel)
        .define("CHANNELS", self.channels)
        .define("KW", self.size.width)
        .define("KH", self.size.height)
        .define("PAD_X", self.size.pad_x)
        .define("PAD_Y", self.size.pad_y)
        .define("BORDER", self.border as u32)
        .define("ALIGNED", u32::from(self.size.aligned))
        .define("OUT_ALIGNED", u32::from(self.aligned_output))
        .define("WARPS", self.tile.warps)
        .define("ROWS", self.tile.rows)
        .define("BLOCKS", 4)
        .define("GROUP", self.group())
    }

    fn prepare(&self, kernel: &Function) -> Result<()> {
        if self.shared_bytes() > SHARED_FOR_ALL {
            kernel.set_max_dynamic_shared(self.shared_bytes())?;
        }
        Ok(())
    }
}

/// An image in device memory, whose pixels are contiguous within a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) address: u64,
    pub(super) width: usize,
    pub(super) height: usize,
    /// Elements from one row to the next.
    pub(super) pitch: usize,
    pub(super) owner: Owner<'a>,
}

impl Place<'_> {
    fn is_aligned(&self, data: DataType) -> bool {
        self.address.is_multiple_of(4 * data.size() as u64) && self.pitch.is_multiple_of(4)
    }
}

/// Enqueues the convolution of an image with `channels` elements of a type in each pixel.
///
/// # Safety
/// The caller must ensure that:
/// - both places hold images of such pixels;
/// - the output, which is written, has the size that the options give.
pub(super) unsafe fn run(
    (kernels, stream): (&Kernels, &Stream),
    (data, channels): (DataType, usize),
    (filter, options): (&Filter, ConvolutionOptions),
    from: Place<'_>,
    to: Place<'_>,
) -> Result<()> {
    let too_large = |of: &str| {
        Error::Shape(format!(
            "a filter of {} x {} is too large for {channels} channels: {of}",
            filter.width(),
            filter.height()
        ))
    };
    let most = || too_large("a kernel takes at most 8160 weights");
    if filter.width().max(filter.height()) > MOST_WEIGHTS {
        return Err(most());
    }
    let turned;
    let filter = match options.kind {
        Kind::Correlation => filter,
        Kind::Convolution => {
            turned = filter.turned();
            &turned
        }
    };
    let weights = packed(filter);
    if weights.len() > MOST_WEIGHTS {
        return Err(most());
    }
    let (pad_x, pad_y) = options.origin(filter);
    let mut kernel = Interleaved {
        data,
        channels: channels as u32,
        size: Size {
            width: filter.width() as u32,
            height: filter.height() as u32,
            pad_x: pad_x as u32,
            pad_y: pad_y as u32,
            aligned: from.is_aligned(data),
        },
        aligned_output: to.is_aligned(data),
        border: options.border,
        tile: SHORT,
    };
    if !kernel.choose_tile(kernels.hardware()) {
        return Err(too_large("this device has too little shared memory"));
    }
    let (mut geometry, blocks) = cut(&kernel, &from, &to)?;
    let function = kernels.get(&kernel)?;
    let config = LaunchConfig::new(blocks, kernel.threads()).shared_bytes(kernel.shared_bytes());
    let (mut input, mut output) = (from.address, to.address);
    let mut pointers: [*mut c_void; 4] = [
        (&raw mut input).cast(),
        (&raw mut output).cast(),
        (&raw mut geometry).cast(),
        // The driver only reads the weights.
        weights.as_ptr().cast_mut().cast(),
    ];
    ordered(stream, [Some(from.owner), Some(to.owner)], || {
        // SAFETY: the kernel's parameters are two addresses, `Geometry`, and the number of weights
        // that its source was given. It reads and writes only the pixels of the two images, as the
        // caller has promised. The launch is ordered with their streams.
        unsafe { function.launch_raw(stream, config, &mut pointers)? };
        Ok(())
    })
}

/// The maximum number of elements per row, and of rows, that the kernel can index, including the
/// border that it reads.
const LARGEST: usize = (i32::MAX - (1 << 20)) as usize;

/// Returns the division of the output into blocks, and the number of blocks.
fn cut(kernel: &Interleaved, from: &Place<'_>, to: &Place<'_>) -> Result<(Geometry, u32)> {
    let channels = kernel.channels as usize;
    let too_many = |what: &str| {
        Error::Shape(format!(
            "an image of {} x {} pixels with {channels} channels has {what}",
            from.width, from.height
        ))
    };
    for place in [from, to] {
        let fits = |count: Option<usize>| count.is_some_and(|count| count <= LARGEST);
        if !fits(place.width.checked_mul(channels)) || !fits(Some(place.height)) {
            return Err(too_many(&format!(
                "rows of more than {LARGEST} elements, or more than {LARGEST} rows"
            )));
        }
    }
    let elements = (to.width * channels) as u32;
    let across = elements.div_ceil(BLOCK_ELEMENTS);
    let down = (to.height as u32).div_ceil(kernel.rows());
    let blocks = across.checked_mul(down);
    let blocks = blocks.filter(|&blocks| blocks <= i32::MAX as u32);
    let blocks = blocks.ok_or_else(|| too_many("more than 2^31 blocks"))?;
    let geometry = Geometry {
        in_pitch: from.pitch as i64,
        out_pitch: to.pitch as i64,
        in_image: 0,
        out_image: 0,
        in_width: from.width as i32,
        in_height: from.height as i32,
        out_width: to.width as i32,
        out_height: to.height as i32,
        across: across as i32,
        down: down as i32,
        rows: kernel.rows() as i32,
        images: 1,
    };
    Ok((geometry, blocks))
}

#[cfg(test)]
mod tests {
    use cuda_safe::{ComputeCapability, Context};

    use super::*;

    fn kernel(channels: u32, side: u32, aligned: bool) -> Interleaved {
        Interleaved {
            data: DataType::U8,
            channels,
            size: Size {
                width: side,
                height: side,
                pad_x: side / 2,
                pad_y: side / 2,
                aligned,
            },
            aligned_output: aligned,
            border: super::super::Border::Zero,
            tile: TALL,
        }
    }

    fn choose(kernel: &mut Interleaved, shared_per_block: u32) -> bool {
        kernel.choose_tile(&Hardware {
            capability: ComputeCapability { major: 9, minor: 0 },
            multiprocessors: 132,
            shared_per_block,
        })
    }

    #[test]
    fn shared_bytes_match_the_kernel() {
        assert_eq!(kernel(1, 1, true).shared_bytes(), 32 * 128 * 4);
        // 1 pixel to the left is 3 elements, plus 1 more to the boundary.
        assert_eq!(kernel(3, 3, true).shared_bytes(), 34 * (128 + 8) * 4);
        assert_eq!(kernel(3, 3, false).shared_bytes(), 34 * (128 + 8) * 4);
        assert_eq!(kernel(4, 3, true).shared_bytes(), 34 * (128 + 8) * 4);
        assert_eq!(kernel(1, 3, true).shared_bytes(), 34 * (128 + 8) * 4);
        assert_eq!(kernel(1, 3, false).shared_bytes(), 34 * (128 + 4) * 4);
        let groups = [1, 3, 5, 9, 15, 31, 45].map(|side| kernel(1, side, true).group());
        assert_eq!(groups, [1, 3, 5, 3, 2, 1, 1]);
    }

    #[test]
    fn filters_up_to_45_fit_on_any_device() {
        // The shared memory limits of sm_75, sm_86, sm_80 and sm_90.
        for limit in [64, 99, 163, 227].map(|kib| kib * 1024) {
            for channels in [1, 3, 4] {
                for side in 1..=45 {
                    for aligned in [false, true] {
                        let mut kernel = kernel(channels, side, aligned);
                        assert!(choose(&mut kernel, limit), "{side} in {limit} bytes");
                        assert!(kernel.shared_bytes() <= limit);
                    }
                }
            }
        }
        let mut large = kernel(4, 63, true);
        let tiles = [TALL, SHORT, LEAST];
        let needs = tiles.map(|tile| Interleaved { tile, ..large }.shared_bytes());
        assert!(needs[0] > needs[1] && needs[1] > needs[2]);
        for (tile, needed) in tiles.into_iter().zip(needs) {
            assert!(choose(&mut large, needed) && large.tile == tile);
        }
        assert!(!choose(&mut large, needs[2] - 1));
    }

    #[test]
    fn cut_counts_blocks_and_rejects_large_images() {
        let context = Context::primary(0).unwrap();
        let place = |width, height| Place {
            address: 0,
            width,
            height,
            pitch: width.saturating_mul(3),
            owner: Owner::Context(&context),
        };
        let cut = |width, height| {
            cut(
                &kernel(3, 3, true),
                &place(width, height),
                &place(width, height),
            )
        };
        let blocks = |width, height| {
            let (geometry, blocks) = cut(width, height).unwrap();
            (geometry.across, geometry.down, blocks)
        };
        assert_eq!(blocks(1, 1), (1, 1, 1));
        assert_eq!(blocks(128, 32), (3, 1, 3));
        assert_eq!(blocks(129, 33), (4, 2, 8));
        // Rows of more than 2^31 bytes together, and the maximum number of rows.
        assert_eq!(blocks(65_536, 65_536), (1536, 2048, 1536 * 2048));
        let most = LARGEST / 3;
        assert_eq!(blocks(most, 1).1, 1);
        let error = |width, height| cut(width, height).unwrap_err().to_string();
        assert!(error(most + 1, 1).contains("rows of more than"));
        assert!(error(usize::MAX, 1).contains("rows of more than"));
        assert!(error(1, LARGEST + 1).contains("rows of more than"));
        assert!(error(most, 1 << 20).contains("more than 2^31 blocks"));
    }

    #[test]
    fn the_fastest_tiles_are_preferred() {
        let preferred = |data, channels, height| {
            let mut kernel = kernel(channels, 3, true);
            (kernel.data, kernel.size.height) = (data, height);
            kernel.preferred()
        };
        for channels in [1, 3, 4] {
            let tile = if channels == 1 { SHORT } else { TALL };
            assert_eq!(preferred(DataType::U8, channels, 3), tile);
            assert_eq!(preferred(DataType::U8, channels, 8), tile);
            assert_eq!(preferred(DataType::U16, channels, 8), tile);
            // For heights in between, and for larger elements, the other tile is faster.
            assert_eq!(preferred(DataType::U8, channels, 4), SHORT);
            assert_eq!(preferred(DataType::U8, channels, 7), SHORT);
            assert_eq!(preferred(DataType::U16, channels, 3), SHORT);
        }
        let (short, tall) = (SHORT, TALL);
        assert_eq!((short.warps * short.rows, tall.warps * tall.rows), (16, 32));
        assert_eq!(kernel(3, 3, true).threads(), 128);
    }

    #[test]
    fn rows_are_aligned_to_four_elements() {
        let context = Context::primary(0).unwrap();
        let aligned = |address, pitch, data| {
            let place = Place {
                address,
                width: 1,
                height: 1,
                pitch,
                owner: Owner::Context(&context),
            };
            place.is_aligned(data)
        };
        assert!(aligned(4, 8, DataType::U8) && aligned(8, 8, DataType::U16));
        assert!(!aligned(4, 8, DataType::U16) && !aligned(2, 8, DataType::U8));
        assert!(!aligned(8, 6, DataType::U8) && !aligned(2, 6, DataType::U8));
    }

    #[test]
    fn each_pixel_has_its_name() {
        for (data, name) in [
            (DataType::U8, "U8"),
            (DataType::U16, "U16"),
            (DataType::F16, "F16"),
            (DataType::Bf16, "BF16"),
            (DataType::F32, "F32"),
        ] {
            let mut kernel = kernel(1, 3, true);
            kernel.data = data;
            let text = format!("{:?}", kernel.source());
            assert!(
                text.contains(&format!("(\"PIXEL\", \"{name}\")")),
                "{data:?}"
            );
        }
    }
}
