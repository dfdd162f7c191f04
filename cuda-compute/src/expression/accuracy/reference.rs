//! The values that `reference.py` has written: arguments, and the floats nearest to the exact
//! results.

use std::array;

static FILE: &[u8] = include_bytes!("reference.bin");

/// The arguments and results of a function.
pub(super) struct Group {
    pub(super) name: String,
    /// The number of arguments in each point.
    pub(super) inputs: usize,
    /// The points, each with the arguments followed by the results.
    pub(super) points: Vec<Vec<f64>>,
}

impl Group {
    /// Returns the number at index `place` of every point.
    pub(super) fn column(&self, place: usize) -> Vec<f64> {
        self.points.iter().map(|point| point[place]).collect()
    }
}

fn take<'a>(file: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, rest) = file.split_at(count);
    *file = rest;
    taken
}

fn number<const N: usize>(file: &mut &[u8]) -> [u8; N] {
    let bytes = take(file, N);
    array::from_fn(|i| bytes[i])
}

/// Reads the groups of all functions.
pub(super) fn groups() -> Vec<Group> {
    let mut file = FILE;
    let mut groups = Vec::new();
    while !file.is_empty() {
        let [length] = number(&mut file);
        let name = String::from_utf8(take(&mut file, length.into()).to_vec()).unwrap();
        let [inputs, outputs] = number(&mut file);
        let count = u32::from_le_bytes(number(&mut file));
        let mut point = |_| -> Vec<f64> {
            (0..inputs + outputs)
                .map(|_| f64::from_le_bytes(number(&mut file)))
                .collect()
        };
        groups.push(Group {
            points: (0..count).map(&mut point).collect(),
            name,
            inputs: inputs.into(),
        });
    }
    groups
}
