//! The vectors that threads of a kernel with transposed operands read and write.

use super::{
    super::{plan::LeafSource, render::Form, space::Space},
    Transposed,
};

/// The bytes that a thread reads or writes at once.
const VECTOR_BYTES: usize = 16;

/// The consecutive elements that a thread reads or writes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in super::super) struct Vectors {
    /// Of transposed operands, in memory.
    pub(in super::super) read: u8,
    /// Of other operands and results.
    pub(in super::super) vector: u8,
}

impl Vectors {
    /// Returns the widest vectors of which all operands consist. `is_aligned` returns whether the address of
    /// an operand's first element is a multiple of this many bytes.
    pub(in super::super) fn widest(
        form: &Form,
        space: &Space,
        transposed: Transposed,
        is_aligned: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let leaves = form.leaves.len();
        let last = space.rank() - 1;
        let across = usize::from(transposed.across);
        let size = |operand: usize| match operand.checked_sub(leaves) {
            None => form.leaves[operand].data.size(),
            Some(output) => form.outputs[output].0.size(),
        };
        let source = |operand: usize| match operand < leaves {
            true => form.leaves[operand].source,
            false => LeafSource::Memory,
        };
        let is_transposed = |operand: usize| operand < leaves && transposed.has(operand);
        let operands = || 0..leaves + form.outputs.len();
        // Whether an operand consists of whole vectors of this many elements along an axis.
        let whole = |operand: usize, axis: usize, width: usize| {
            let bytes = width * size(operand);
            let strides = space.strides[operand][..=last].iter().enumerate();
            let mut others = strides.filter(|&(own, _)| own != axis);
            space.strides[operand][axis] == 1
                && others.all(|(_, &stride)| stride % width as isize == 0)
                && bytes.is_power_of_two()
                && bytes <= VECTOR_BYTES
                && is_aligned(operand, bytes)
        };
        let widest = |fits: &dyn Fn(usize) -> bool| {
            let mut widths = [16, 8, 4, 2].into_iter();
            widths.find(|&width| fits(width)).unwrap_or(1) as u8
        };
        let read = widest(&|width| {
            let mut read = operands().filter(|&i| is_transposed(i));
            space.lengths[across].is_multiple_of(width) && read.all(|i| whole(i, across, width))
        });
        let vector = widest(&|width| {
            let fits = |i: usize| match (space.strides[i][last], source(i)) {
                _ if is_transposed(i) => width * size(i) <= VECTOR_BYTES,
                (_, LeafSource::Random) => false,
                (0, _) => true,
                (_, LeafSource::Memory) => whole(i, last, width),
                (stride, _) => stride == 1,
            };
            space.lengths[last].is_multiple_of(width) && operands().all(fits)
        });
        Self { read, vector }
    }

    /// Returns vectors with at most this many elements.
    pub(in super::super) fn of_at_most(self, elements: u64) -> Self {
        let most = |vector: u8| u64::from(vector).min(1 << elements.ilog2()) as u8;
        Self {
            read: most(self.read),
            vector: most(self.vector),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{super::leaf::LeafForm, tests::space},
        *,
    };
    use crate::element::DataType;

    /// The widest vectors of operands with these types and strides. The last one is the result.
    fn widest(lengths: &[usize], operands: &[(DataType, &[isize])], aligned: usize) -> [u8; 2] {
        let strides: Vec<&[isize]> = operands.iter().map(|operand| operand.1).collect();
        let space = space(lengths, &strides);
        let (result, leaves) = operands.split_last().unwrap();
        let leaves = leaves.iter().enumerate();
        let leaves =
            leaves.map(|(i, &(data, _))| LeafForm::of(LeafSource::Memory, data, space.access(i)));
        let form = Form {
            leaves: leaves.collect(),
            outputs: vec![(result.0, space.access(operands.len() - 1))],
            rank: lengths.len() as u8,
            ..Form::default()
        };
        let size = |leaf: usize| Some(form.leaves[leaf].data.size());
        let found = Transposed::find(&space, form.leaves.len(), 16, size).unwrap();
        let vectors = Vectors::widest(&form, &space, found, |_, bytes| bytes <= aligned);
        [vectors.read, vectors.vector]
    }

    #[test]
    fn vectors_are_whole_in_all_operands() {
        use DataType::{F16, F32, F64, U8};
        let square = |data| widest(&[64, 64], &[(data, &[1, 64]), (data, &[64, 1])], 16);
        assert_eq!(
            [U8, F16, F32, F64].map(square),
            [[16; 2], [8; 2], [4; 2], [2; 2]]
        );
        // The lengths of both axes, and the strides of other ones, are multiples of the vectors.
        let of = |[rows, columns]: [isize; 2]| {
            let lengths = [rows as usize, columns as usize];
            widest(&lengths, &[(F16, &[1, rows]), (F16, &[columns, 1])], 16)
        };
        assert_eq!(of([66, 68]), [2, 4]);
        assert_eq!(of([67, 64]), [1, 8]);
        let batch = [(F16, &[4100, 1, 64][..]), (F16, &[4096, 64, 1])];
        assert_eq!(widest(&[3, 64, 64], &batch, 16), [4, 8]);
        // The alignment of addresses.
        let misaligned = widest(&[64, 64], &[(F16, &[1, 64]), (F16, &[64, 1])], 4);
        assert_eq!(misaligned, [2, 2]);
        // Other operands: larger elements, one for each row, and every second one.
        let with = |data, other: &[isize]| {
            let operands = [(F16, &[1, 64][..]), (data, other), (F16, &[64, 1])];
            widest(&[64, 64], &operands, 16)
        };
        assert_eq!(with(F32, &[64, 1]), [8, 4]);
        assert_eq!(with(F32, &[1, 0]), [8, 8]);
        assert_eq!(with(F32, &[128, 2]), [8, 1]);
    }

    #[test]
    fn threads_of_few_elements_have_short_vectors() {
        let vectors = Vectors { read: 8, vector: 2 };
        let most = |elements| {
            let vectors = vectors.of_at_most(elements);
            [vectors.read, vectors.vector]
        };
        assert_eq!([1, 3, 7, 8].map(most), [[1, 1], [2, 2], [4, 2], [8, 2]]);
    }
}
