//! Pictures as planes of floats, from and to PNG and JPEG files.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use image::{DynamicImage, GrayImage, RgbImage};

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
        let image = image::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        let grey = !image.color().has_color();
        let (width, height) = (image.width() as usize, image.height() as usize);
        let (channels, bytes) = if grey {
            (1, image.into_luma8().into_raw())
        } else {
            (3, image.into_rgb8().into_raw())
        };
        let plane = |c| {
            bytes
                .iter()
                .skip(c)
                .step_by(channels)
                .map(|&v| f32::from(v))
                .collect()
        };
        Ok(Self {
            width,
            height,
            planes: (0..channels).map(plane).collect(),
        })
    }

    /// Writes a file in the format of its extension. Values are clamped to 0 to 255. With `magnitudes`,
    /// their absolute values are used.
    pub fn write(&self, path: &Path, magnitudes: bool) -> Result<()> {
        let bytes = self.bytes(|value| if magnitudes { value.abs() } else { value });
        let (width, height) = (u32::try_from(self.width)?, u32::try_from(self.height)?);
        let image = if self.planes.len() == 1 {
            GrayImage::from_raw(width, height, bytes).map(DynamicImage::from)
        } else {
            RgbImage::from_raw(width, height, bytes).map(DynamicImage::from)
        };
        let image = image.context("the planes do not match the size")?;
        image
            .save(path)
            .with_context(|| format!("cannot write {}", path.display()))
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
