//! Pictures as planes of floats, from PNG and JPEG files, and to PNG files.

use std::{
    fs,
    io::{BufWriter, Cursor},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use zune_jpeg::{
    JpegDecoder,
    zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions},
};

/// A gray picture of one plane, or a color picture of three (red, green, blue), with values from 0 to
/// 255, row by row.
pub struct Picture {
    pub width: usize,
    pub height: usize,
    pub planes: Vec<Vec<f32>>,
}

impl Picture {
    /// Reads a PNG or JPEG file. Transparency is dropped.
    pub fn read(path: &Path) -> Result<Self> {
        let file = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let decoded = match file.starts_with(b"\x89PNG") {
            true => decode_png(&file),
            false => decode_jpeg(&file),
        };
        let Pixels {
            width,
            height,
            channels,
            bytes,
        } = decoded
            .with_context(|| format!("cannot decode {} as a PNG or JPEG file", path.display()))?;
        let plane = |c| {
            bytes
                .iter()
                .skip(c)
                .step_by(channels)
                .map(|&v| f32::from(v))
                .collect()
        };
        // The second or fourth channel is transparency.
        let planes = if channels < 3 { 1 } else { 3 };
        Ok(Self {
            width,
            height,
            planes: (0..planes).map(plane).collect(),
        })
    }

    /// Writes a PNG file. Values are clamped to 0 to 255. With `magnitudes`, their absolute values are
    /// used.
    pub fn write(&self, path: &Path, magnitudes: bool) -> Result<()> {
        ensure!(
            path.extension()
                .is_some_and(|extension| extension.eq_ignore_ascii_case("png")),
            "cannot write {}: only PNG files are written. Fix: pass a name that ends with .png",
            path.display()
        );
        let bytes = self.bytes(|value| if magnitudes { value.abs() } else { value });
        let (width, height) = (u32::try_from(self.width)?, u32::try_from(self.height)?);
        let write = || -> Result<()> {
            let file = BufWriter::new(fs::File::create(path)?);
            let mut encoder = png::Encoder::new(file, width, height);
            encoder.set_color(match self.planes.len() {
                1 => png::ColorType::Grayscale,
                _ => png::ColorType::Rgb,
            });
            let mut writer = encoder.write_header()?;
            writer.write_image_data(&bytes)?;
            Ok(writer.finish()?)
        };
        write().with_context(|| format!("cannot write {}", path.display()))
    }

    /// Returns the pixels with interleaved channels, as in files. Applies `of` to each value, rounds and clamps it.
    pub fn bytes(&self, of: impl Fn(f32) -> f32) -> Vec<u8> {
        let byte = |value: f32| of(value).round().clamp(0.0, 255.0) as u8;
        let pixels = 0..self.width * self.height;
        let pixels = pixels.flat_map(|i| self.planes.iter().map(move |plane| plane[i]));
        pixels.map(byte).collect()
    }

    /// Returns a color test picture: rings that get finer outwards, a checkered corner, color gradients.
    pub fn test(width: usize, height: usize) -> Self {
        let plane = |shift: f32| {
            let mut values = Vec::with_capacity(width * height);
            for y in 0..height {
                for x in 0..width {
                    let (u, v) = (x as f32 / width as f32, y as f32 / width as f32);
                    let (du, dv) = (u - 0.5, v - height as f32 / width as f32 / 2.0);
                    let rings = ((du * du + dv * dv) * 300.0 + shift).sin();
                    let field = (u * 32.0) as u32 + (v * 32.0) as u32;
                    let chequers = u < 0.25 && v < 0.25 && field.is_multiple_of(2);
                    let value = if chequers {
                        230.0
                    } else {
                        128.0 + 90.0 * rings * (1.0 - u) + 30.0 * u
                    };
                    values.push(value.round());
                }
            }
            values
        };
        Self {
            width,
            height,
            planes: vec![plane(0.0), plane(2.1), plane(4.2)],
        }
    }

    /// Returns the picture with other planes.
    pub fn with_planes(&self, planes: Vec<Vec<f32>>) -> Self {
        Self {
            width: self.width,
            height: self.height,
            planes,
        }
    }
}

/// The pixels of a file, of one byte for each channel.
struct Pixels {
    width: usize,
    height: usize,
    channels: usize,
    bytes: Vec<u8>,
}

fn decode_png(file: &[u8]) -> Result<Pixels> {
    let mut decoder = png::Decoder::new(Cursor::new(file));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info()?;
    let size = reader
        .output_buffer_size()
        .context("the picture is too large")?;
    let mut bytes = vec![0; size];
    let info = reader.next_frame(&mut bytes)?;
    bytes.truncate(info.buffer_size());
    Ok(Pixels {
        width: info.width as usize,
        height: info.height as usize,
        channels: info.color_type.samples(),
        bytes,
    })
}

fn decode_jpeg(file: &[u8]) -> Result<Pixels> {
    let mut decoder = JpegDecoder::new(ZCursor::new(file));
    decoder.decode_headers()?;
    // Gray pictures stay gray.
    if decoder.input_colorspace() == Some(ColorSpace::Luma) {
        let options = DecoderOptions::default().jpeg_set_out_colorspace(ColorSpace::Luma);
        decoder = JpegDecoder::new_with_options(ZCursor::new(file), options);
    }
    let bytes = decoder.decode()?;
    let (width, height) = decoder.dimensions().context("the picture has no size")?;
    let channels = bytes.len() / (width * height).max(1);
    Ok(Pixels {
        width,
        height,
        channels,
        bytes,
    })
}

/// Returns a path for an example's output file, in a folder `cuda-direct` among the temporary files.
pub fn output_path(name: &str) -> Result<PathBuf> {
    let folder = std::env::temp_dir().join("cuda-direct");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder.join(name))
}

/// Writes the test picture to a file, for runs without an input.
pub fn write_test_picture(width: usize, height: usize) -> Result<PathBuf> {
    let path = output_path("test-picture.png")?;
    Picture::test(width, height).write(&path, false)?;
    ensure!(path.is_file(), "{} was not written", path.display());
    Ok(path)
}
