//! Convolution filters: square, of odd size, by name or from a text file.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};

/// Weights, row by row.
#[derive(Clone, Debug)]
pub struct Filter {
    pub name: String,
    pub size: usize,
    pub weights: Vec<f32>,
}

impl Filter {
    /// The filters that have a name.
    pub const NAMES: [&'static str; 5] = ["box", "gauss", "sobel", "sharpen", "emboss"];

    /// A named filter, or else the text file of this name.
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

    /// A text file: one row of the filter per line, numbers separated by blanks or commas. Empty lines
    /// and what follows a `#` do not count.
    pub fn from_file(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| {
            format!(
                "{} is neither a filter's name ({}) nor a file that can be read",
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
                        .with_context(|| format!("line {}: {word:?} is no number", number + 1))
                })
                .collect::<Result<Vec<f32>>>()?;
            if !row.is_empty() {
                rows.push(row);
            }
        }
        let size = rows.len();
        ensure!(size % 2 == 1, "it has {size} rows, and needs an odd number");
        for (i, row) in rows.iter().enumerate() {
            let columns = row.len();
            ensure!(
                columns == size,
                "it has {size} rows, but row {} has {columns} columns: it must be square",
                i + 1
            );
        }
        Ok(Self {
            name: name.to_owned(),
            size,
            weights: rows.concat(),
        })
    }

    /// Whether the weights cancel out: such a filter finds edges, and its results have a sign.
    pub fn finds_edges(&self) -> bool {
        self.weights.iter().sum::<f32>().abs() < 1e-3
    }

    /// The most that rounding can make of values up to `largest`: each product and each addition
    /// is off by at most half a unit in the last place.
    pub fn tolerance(&self, largest: f32) -> f32 {
        let magnitudes: f32 = self.weights.iter().map(|w| w.abs()).sum();
        magnitudes * largest * f32::EPSILON * self.weights.len() as f32
    }
}

/// A bell curve that sums to one.
fn gauss(size: usize, sigma: f32) -> Vec<f32> {
    let middle = (size / 2) as f32;
    let bell = |i: usize| (-(i as f32 - middle).powi(2) / (2.0 * sigma * sigma)).exp();
    let weights = (0..size * size).map(|i| bell(i / size) * bell(i % size));
    let total: f32 = weights.clone().sum();
    weights.map(|weight| weight / total).collect()
}
