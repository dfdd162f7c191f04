//! Convolution filters: square, of odd size, by name or from a text file.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};

/// The weights, row by row.
#[derive(Clone, Debug)]
pub struct Filter {
    pub name: String,
    pub size: usize,
    pub weights: Vec<f32>,
}

impl Filter {
    /// The names of the built-in filters.
    pub const NAMES: [&'static str; 5] = ["box", "gauss", "sobel", "sharpen", "emboss"];

    /// Returns the filter of this name, or reads the text file of this name.
    pub fn find(name_or_file: &str) -> Result<Self> {
        match Self::named(name_or_file) {
            Some(filter) => Ok(filter),
            None => Self::from_file(name_or_file.as_ref()),
        }
    }

    /// One of [`NAMES`](Self::NAMES).
    pub fn named(name: &str) -> Option<Self> {
        let weights = match name {
            "box" => vec![1.0 / 25.0; 25],
            "gauss" => gauss(7, 1.5),
            "sobel" => vec![1.0, 0.0, -1.0, 2.0, 0.0, -2.0, 1.0, 0.0, -1.0],
            "sharpen" => vec![0.0, -1.0, 0.0, -1.0, 5.0, -1.0, 0.0, -1.0, 0.0],
            "emboss" => vec![-2.0, -1.0, 0.0, -1.0, 1.0, 1.0, 0.0, 1.0, 2.0],
            _ => return None,
        };
        Some(Self {
            name: name.to_owned(),
            size: weights.len().isqrt(),
            weights,
        })
    }

    /// Reads a text file with one row of the filter per line, and numbers separated by blanks or commas.
    /// Empty lines, and text after a `#`, are ignored.
    pub fn from_file(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| {
            format!(
                "{} is neither the name of a filter ({}) nor a readable file",
                path.display(),
                Self::NAMES.join(", ")
            )
        })?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Self::parse(&name, &text).with_context(|| format!("the filter in {}", path.display()))
    }

    fn parse(name: &str, text: &str) -> Result<Self> {
        let mut rows: Vec<Vec<f32>> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            let row = line
                .split(|c: char| c == ',' || c.is_whitespace())
                .filter(|word| !word.is_empty())
                .map(|word| {
                    word.parse()
                        .with_context(|| format!("line {}: {word:?} is not a number", number + 1))
                })
                .collect::<Result<Vec<f32>>>()?;
            if !row.is_empty() {
                rows.push(row);
            }
        }
        let size = rows.len();
        ensure!(
            size % 2 == 1,
            "it has {size} rows, and must have an odd number"
        );
        for (i, row) in rows.iter().enumerate() {
            let columns = row.len();
            ensure!(
                columns == size,
                "it has {size} rows, but row {} has {columns} columns. It must be square",
                i + 1
            );
        }
        Ok(Self {
            name: name.to_owned(),
            size,
            weights: rows.concat(),
        })
    }

    /// Returns whether the weights add up to zero. Such a filter finds edges, and its results have both
    /// signs.
    pub fn finds_edges(&self) -> bool {
        self.weights.iter().sum::<f32>().abs() < 1e-3
    }

    /// Returns the largest possible rounding error for values up to `largest`. Each product and each
    /// addition is off by at most half a unit in the last place.
    pub fn tolerance(&self, largest: f32) -> f32 {
        let magnitudes: f32 = self.weights.iter().map(|w| w.abs()).sum();
        magnitudes * largest * f32::EPSILON * self.weights.len() as f32
    }
}

/// Returns a bell curve with sum one.
fn gauss(size: usize, sigma: f32) -> Vec<f32> {
    let middle = (size / 2) as f32;
    let bell = |i: usize| (-(i as f32 - middle).powi(2) / (2.0 * sigma * sigma)).exp();
    let weights = (0..size * size).map(|i| bell(i / size) * bell(i % size));
    let total: f32 = weights.clone().sum();
    weights.map(|weight| weight / total).collect()
}
