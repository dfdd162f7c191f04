//! The vectors of elements that a thread processes at once.

use super::{Operands, Start, head};
use crate::expression::{plan::LeafSource, space::Space};

impl Operands<'_> {
    /// Returns the largest number of elements that a thread can process at once.
    pub(in super::super) fn vector_width(&self) -> usize {
        vector_width(&self.space, &self.starts)
    }

    /// Starts all leaves at the first vector of 16 bytes, for a kernel that computes the elements
    /// before it and after the last vector one by one. Returns the vectors' number of elements, and
    /// the number of elements before the first one.
    ///
    /// Leaves that are not aligned there are marked. If elements are not consecutive in all leaves,
    /// vectors start at the first element and are only as wide as all leaves allow.
    pub(in super::super) fn start_at_vector(&mut self) -> (usize, u64) {
        let leaves = 0..self.plan.leaves.len();
        let stride = |i: usize| self.space.inner_stride(i);
        let consecutive = self.space.rank() <= 1
            && self.starts.iter().all(|start| start.through.is_none())
            && leaves.clone().all(|i| match self.starts[i].source {
                LeafSource::Random => stride(i) == 0,
                _ => matches!(stride(i), 0 | 1),
            });
        let moving: Vec<usize> = leaves.filter(|&i| stride(i) == 1).collect();
        let read = moving.iter().map(|&i| &self.starts[i]);
        let read = read.filter(|start| start.source == LeafSource::Memory);
        let sizes = read.clone().map(|start| start.size);
        let whole = |size: usize| size.is_power_of_two() && size <= 16;
        let largest = sizes
            .clone()
            .max()
            .filter(|_| consecutive && sizes.clone().all(whole));
        let Some(largest) = largest else {
            return (self.vector_width(), 0);
        };
        let vector = 16 / largest;
        let count = self.space.elements() as u64;
        let first = read.clone().find(|start| start.size == largest);
        let head = first.map_or(0, |start| head(start.word, largest, count));
        for i in moving {
            let start = &mut self.starts[i];
            match start.source {
                LeafSource::Memory => {
                    start.word += head * start.size as u64;
                    start.apart = !start.word.is_multiple_of((vector * start.size) as u64);
                }
                _ => start.word += head,
            }
        }
        (vector, head)
    }

    /// Marks the operands whose pairs of elements are not aligned, and returns whether a thread can load
    /// these one by one and store pairs of results.
    ///
    /// Programs with slices that start at neighbouring elements took 0.78 to 1.01 of the time with pairs of
    /// elements of at most 4 bytes, and 0.96 to 1.03 with `f64`. Four elements at once took longer (H200).
    pub(in super::super) fn pair_apart(&mut self) -> bool {
        const LARGEST: usize = 4;
        let leaves = self.plan.leaves.len();
        let space = &self.space;
        let rows = space.rank().saturating_sub(1);
        let is_simple = |i: usize| {
            let start = &self.starts[i];
            let whole = start.size.is_power_of_two() && start.size <= LARGEST;
            start.through.is_none()
                && match (start.source, space.inner_stride(i)) {
                    (LeafSource::Random, _) => false,
                    (LeafSource::Memory, 1) => whole,
                    (_, 0) => i < leaves,
                    (_, stride) => stride == 1,
                }
        };
        let is_paired = |i: usize| {
            let start = &self.starts[i];
            let outer = &space.strides[i][..rows];
            let moves = start.source == LeafSource::Memory && space.inner_stride(i) == 1;
            !moves
                || start.word.is_multiple_of(2 * start.size as u64)
                    && outer.iter().all(|stride| stride % 2 == 0)
        };
        let mut operands = 0..self.starts.len();
        if (rows > 0 && !space.inner().is_multiple_of(2))
            || !operands.all(is_simple)
            || !(leaves..self.starts.len()).all(is_paired)
        {
            return false;
        }
        let apart: Vec<bool> = (0..leaves).map(|leaf| !is_paired(leaf)).collect();
        for (start, apart) in self.starts.iter_mut().zip(apart) {
            start.apart = apart;
        }
        true
    }
}

/// Returns the largest number of elements that a thread can process at once: 16 bytes of the
/// largest type that differs within a vector, if all vectors are aligned and none crosses the end of
/// a row. With random numbers, vectors may have 32 bytes to use whole blocks of these, because
/// generating a block costs more than the memory accesses.
fn vector_width(space: &Space, starts: &[Start]) -> usize {
    let memory = starts
        .iter()
        .filter(|start| start.source == LeafSource::Memory);
    // No single load can read other structs.
    let whole = |start: &Start| start.size.is_power_of_two() && start.size <= 16;
    if !memory.clone().all(whole) {
        return 1;
    }
    // Elements at indices are loaded one by one.
    let moves = |i: usize| space.inner_stride(i) != 0 || starts[i].through.is_some();
    let numbered = starts.iter().enumerate();
    let moving = numbered.filter(|(i, start)| start.source == LeafSource::Memory && moves(*i));
    let largest = moving.map(|(_, start)| start.size).max();
    let largest = largest.or_else(|| memory.map(|start| start.size).max());
    let random = starts
        .iter()
        .filter(|start| start.source == LeafSource::Random);
    let block = random.map(|start| 16 / start.size).max();
    let mut width = match (largest, block) {
        (Some(largest), block) => (16 / largest).max(block.unwrap_or(1).min(32 / largest)),
        (None, block) => block.unwrap_or(1),
    };
    let fits = |width: usize| {
        // Without rows, the kernel handles an end within a vector.
        (space.rank() <= 1 || space.inner().is_multiple_of(width))
            && starts.iter().enumerate().all(|(i, start)| {
                let strides = &space.strides[i][..space.rank()];
                let (varies, jumps) = start.through.map_or((false, 0), |through| {
                    let varies = space.inner_stride(through.leaf.into()) != 0;
                    (varies, through.stride)
                });
                match space.inner_stride(i) {
                    // Each element has its own index, so they are loaded one by one.
                    0 | 1 if varies => true,
                    0 => true,
                    1 => {
                        let outer = &strides[..strides.len() - 1];
                        let jumps = outer.iter().chain([&jumps]);
                        let whole = || jumps.clone().all(|stride| stride % width as isize == 0);
                        match start.source {
                            LeafSource::Memory => {
                                start.word.is_multiple_of((width * start.size) as u64) && whole()
                            }
                            LeafSource::Random => whole(),
                            LeafSource::Place | LeafSource::Given(_) => true,
                        }
                    }
                    _ => false,
                }
            })
    };
    while width > 1 && !fits(width) {
        width /= 2;
    }
    width
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::MAX_RANK;

    fn space(lengths: &[usize], strides: &[[isize; MAX_RANK]]) -> Space {
        let order: Vec<usize> = (0..lengths.len()).collect();
        Space::new(lengths, &order, strides, |_| 0)
    }

    #[test]
    fn vector_width_covers_blocks_of_random_numbers() {
        let start = |source, size| Start {
            word: 1 << 20,
            size,
            source,
            key: 0,
            apart: false,
            through: None,
        };
        let random = |size| start(LeafSource::Random, size);
        let memory = |size| start(LeafSource::Memory, size);
        let width = |length: usize, starts: &[Start]| {
            let mut strides = [0; MAX_RANK];
            strides[0] = 1;
            let operands = vec![strides; starts.len()];
            vector_width(&space(&[length], &operands), starts)
        };
        assert_eq!(width(100, &[random(4)]), 4);
        assert_eq!(width(100, &[random(8)]), 2);
        assert_eq!(width(100, &[random(4), memory(4)]), 4);
        assert_eq!(width(100, &[random(4), memory(8)]), 4);
        assert_eq!(width(100, &[random(8), memory(8)]), 2);
        assert_eq!(width(100, &[random(4), memory(16)]), 2);
        assert_eq!(width(100, &[random(4), memory(1)]), 16);
        assert_eq!(width(100, &[start(LeafSource::Place, 8), memory(8)]), 2);
        // Rows with six of eight elements allow vectors of two.
        let (mut dense, mut rows) = ([0; MAX_RANK], [0; MAX_RANK]);
        dense[..2].copy_from_slice(&[6, 1]);
        rows[..2].copy_from_slice(&[8, 1]);
        let space = space(&[5, 6], &[dense, rows]);
        assert_eq!(vector_width(&space, &[random(4), memory(4)]), 2);
    }

    /// The width for operands of these sizes, first addresses and strides.
    fn width_of(lengths: &[usize], operands: &[(LeafSource, usize, u64, &[isize])]) -> usize {
        let starts: Vec<Start> = operands
            .iter()
            .map(|&(source, size, word, _)| Start {
                word,
                size,
                source,
                key: 0,
                apart: false,
                through: None,
            })
            .collect();
        let strides: Vec<_> = operands
            .iter()
            .map(|&(_, _, _, own)| {
                let mut strides = [0; MAX_RANK];
                strides[..own.len()].copy_from_slice(own);
                strides
            })
            .collect();
        vector_width(&space(lengths, &strides), &starts)
    }

    #[test]
    fn vectors_have_sixteen_bytes_of_the_largest_element() {
        let width = |sizes: &[usize]| {
            let operands: Vec<(LeafSource, usize, u64, &[isize])> = sizes
                .iter()
                .map(|&size| (LeafSource::Memory, size, 1 << 20, &[1][..]))
                .collect();
            width_of(&[100], &operands)
        };
        let widths = [1, 2, 4, 8, 16].map(|size| width(&[size]));
        assert_eq!(widths, [16, 8, 4, 2, 1]);
        assert_eq!(width(&[1, 4]), 4);
        // Only those that differ within a vector count.
        let memory = |size: usize, stride: &'static [isize]| (LeafSource::Memory, size, 0, stride);
        assert_eq!(width_of(&[100], &[memory(8, &[0]), memory(4, &[1])]), 4);
        assert_eq!(width_of(&[100], &[memory(8, &[0])]), 2);
        // Structs that no single load can read.
        assert_eq!([3, 12, 32].map(|size| width(&[size])), [1; 3]);
        assert_eq!(width(&[4, 12]), 1);
        assert_eq!(width_of(&[100], &[(LeafSource::Place, 8, 0, &[1])]), 1);
    }

    #[test]
    fn vectors_are_aligned_and_end_with_rows() {
        let floats = |lengths: &[usize], operands: &[(u64, &[isize])]| {
            let operands: Vec<_> = operands
                .iter()
                .map(|&(word, strides)| (LeafSource::Memory, 4, word, strides))
                .collect();
            width_of(lengths, &operands)
        };
        // A single row may end within a vector. Several rows must end with one.
        assert_eq!(floats(&[101], &[(0, &[1])]), 4);
        assert_eq!(floats(&[5, 8], &[(0, &[16, 1])]), 4);
        assert_eq!(floats(&[5, 6], &[(0, &[16, 1])]), 2);
        assert_eq!(floats(&[5, 7], &[(0, &[16, 1])]), 1);
        // A single element, and an element that is broadcast.
        assert_eq!(floats(&[1], &[(4, &[1])]), 4);
        assert_eq!(floats(&[100], &[(0, &[1]), (4, &[0])]), 4);
        assert_eq!(floats(&[100], &[(0, &[1]), (0, &[2])]), 1);
        assert_eq!(floats(&[100], &[(0, &[-1])]), 1);
        // The first vector, and that of each row.
        let starts = [0, 4, 8, 12, 16].map(|word| floats(&[100], &[(word, &[1])]));
        assert_eq!(starts, [4, 1, 2, 1, 4]);
        let rows = [8, 9, 10, 12, -12, -10].map(|row| floats(&[5, 8], &[(0, &[row, 1])]));
        assert_eq!(rows, [4, 1, 2, 4, 4, 2]);
        let layers = floats(&[3, 5, 8], &[(0, &[82, 16, 1])]);
        assert_eq!(layers, 2);
        // Places have no address, so they are always aligned. For random numbers, only rows matter.
        let with = |source, row: isize| {
            let memory: (LeafSource, usize, u64, &[isize]) = (LeafSource::Memory, 4, 0, &[16, 1]);
            width_of(&[5, 8], &[memory, (source, 4, 7, &[row, 1])])
        };
        assert_eq!(
            [with(LeafSource::Place, 9), with(LeafSource::Given(0), 9)],
            [4, 4]
        );
        assert_eq!(
            [with(LeafSource::Random, 9), with(LeafSource::Random, 12)],
            [1, 4]
        );
    }
}
