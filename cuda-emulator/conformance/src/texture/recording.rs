//! The recorded outcomes of an H200, in a compressed file.
//!
//! The file contains the number of cases. For each case, it contains a fingerprint, the failed step
//! with the driver's code, the number of words, and the words: all lowest bytes, then the next
//! ones.

use anyhow::{Context as _, Result, ensure};

use super::case::Case;
use super::run::Outcome;

/// Packs outcomes, one for each case.
#[must_use]
pub fn pack(cases: &[Case], outcomes: &[Outcome]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend((cases.len() as u32).to_le_bytes());
    for (case, outcome) in cases.iter().zip(outcomes) {
        bytes.extend(case.fingerprint().to_le_bytes());
        for number in [outcome.step, outcome.code, outcome.words.len() as u32] {
            bytes.extend(number.to_le_bytes());
        }
        for plane in 0..4 {
            bytes.extend(outcome.words.iter().map(|word| word.to_le_bytes()[plane]));
        }
    }
    miniz_oxide::deflate::compress_to_vec_zlib(&bytes, 9)
}

/// Returns the outcomes of an H200 with driver 580 (CUDA 13.0), in the order of
/// [`cases`](super::cases).
///
/// # Errors
///
/// Returns an error if the file is corrupt or contains other cases.
pub fn recorded(cases: &[Case]) -> Result<Vec<Outcome>> {
    let packed = include_bytes!("../../data/textures.bin");
    let bytes = miniz_oxide::inflate::decompress_to_vec_zlib(packed);
    let bytes = bytes.ok().context("the recording is not compressed data")?;
    let mut rest = &bytes[..];
    let mut take = |count: usize| -> Result<&[u8]> {
        let (taken, left) = rest.split_at_checked(count).context("cut short")?;
        rest = left;
        Ok(taken)
    };
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b));
    let count = number(take(4)?);
    ensure!(
        count == cases.len() as u64,
        "{count} cases are recorded, but {} exist",
        cases.len()
    );
    let mut outcomes = Vec::new();
    for case in cases {
        let fingerprint = number(take(8)?);
        ensure!(
            fingerprint == case.fingerprint(),
            "{} was recorded with other texels, points or instructions. Fix: record again",
            case.name
        );
        let step = number(take(4)?) as u32;
        let code = number(take(4)?) as u32;
        let length = number(take(4)?) as usize;
        let planes = take(4 * length)?;
        let words = (0..length)
            .map(|i| u32::from_le_bytes(std::array::from_fn(|plane| planes[plane * length + i])));
        outcomes.push(Outcome {
            step,
            code,
            words: words.collect(),
        });
    }
    Ok(outcomes)
}
