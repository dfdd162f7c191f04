//! The threads that compute a row.

use std::ops::RangeInclusive;

use super::super::{
    leaf::LeafForm,
    operands::Operands,
    plan::LeafSource,
    render::Form,
    space::Access,
    staged::{Copied, are_many, block},
};
use crate::kernel::Hardware;

/// The 32-bit registers per thread for a row: the preferred limit and the hard limit.
const TARGET_REGISTERS: usize = 32;
const MAX_REGISTERS: usize = 64;
/// The maximum number of threads that a row gets so that each can keep values. A softmax of 8192 x 2048 `bf16`
/// took 24 µs with 128 threads for each row instead of 32, and that of 16384 x 10600 `bf16` 241 µs with 512
/// instead of 204 with fewer (H200).
const MAX_KEEPING_GROUP: usize = 256;
/// The rows that one thread computes: those of three vectors, which would occupy three of four threads
/// otherwise, and those of a few bytes. With more vectors, the threads of a warp would write parts of the
/// same sectors many times.
const ALONE_VECTORS: usize = 3;
const ALONE_REGISTERS: usize = 16;
const ALONE_BYTES: usize = 24;
/// The maximum number of registers of a thread for a row that a block has copied to shared memory.
const MAX_COPIED_REGISTERS: usize = 56;
/// The maximum number of vectors of a copied row if there are few rows. Longer ones occupy more threads in
/// other ways.
const MAX_OF_FEW: usize = 16;
/// Rows of 2 or 4 vectors of up to 4 elements are copied if there are at least 8192 rows for each
/// multiprocessor. Without copies, 2 or 4 threads compute a row, and all of them compute the values that the
/// row has only once, such as a deviation.
///
/// Rows of 8 `f64` took 295 µs instead of 395, those of 8 and 16 `f32` between 0.92 and 1.00 of the time (six
/// programs). Rows of 32 `bf16`, and of 16 `f32` in half the number, took 1.25 and 1.05 (H200).
const EVEN_VECTORS: RangeInclusive<usize> = 2..=4;
const EVEN_ELEMENTS: usize = 4;
const MANY_ROWS: usize = 8192;
/// The preferred limit for a single reduction. More threads take little longer to combine one result, and fewer
/// registers let a multiprocessor run more blocks.
const TARGET_REGISTERS_OF_ONE: usize = 24;
/// The numbers of threads for a longer row.
const GROUPS: [usize; 6] = [16, 32, 64, 128, 256, 512];
/// The threads for rows that need more registers, with the limit of each. A multiprocessor runs two blocks of
/// 512 threads, but only one of 1024. While that waits for memory, nothing else runs.
const LONG_GROUPS: [(usize, usize); 2] = [(512, 52), (1024, MAX_REGISTERS)];
/// The size in bytes of the longest row that fits.
pub(super) const MAX_ROW_BYTES: usize = 1024 * MAX_REGISTERS * size_of::<u32>();
/// The threads that keep a multiprocessor busy, each with 64 registers, or with 48 for long computations in `f64`.
const BUSY_THREADS: u32 = 1024;
const BUSY_THREADS_OF_DOUBLES: u32 = 1280;
/// The registers of a thread for a row up to which the compiler chooses the number of all registers.
const FEW_REGISTERS: usize = 16;
/// The bytes of neighbouring columns that a block reads together.
const LINE: usize = 128;
/// Threads of a block, unless a row needs more.
const THREADS: usize = 256;
/// The maximum number of threads of a block for columns. More would take long to combine their results.
const MAX_COLUMN_THREADS: usize = 512;
/// The maximum length of a column. Each of its elements takes at least one register.
pub(super) const MAX_COLUMN: usize = MAX_REGISTERS * MAX_COLUMN_THREADS / (LINE / 16);

/// The threads that compute a row, or a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Threads {
    /// Threads per row.
    pub(super) group: u32,
    /// The vectors of neighbouring columns of a block, or 0 if the elements of a row are adjacent.
    pub(super) columns: u32,
    /// Vectors per thread.
    pub(super) vectors: u32,
    /// Threads of a block that copies its rows to shared memory and back, or 0 if it does not.
    pub(super) staged: u32,
}

impl Threads {
    /// Returns the threads for rows of `length` vectors, if a row fits in registers.
    pub(super) fn of_rows(
        hardware: &Hardware,
        form: &Form,
        rows: usize,
        length: usize,
    ) -> Option<Self> {
        let read = || form.leaves.iter().filter(|leaf| leaf.is_read());
        let registers = registers(read(), form.vector);
        let bytes: usize = read().map(|leaf| leaf.data.size()).sum();
        let bytes = bytes.max(1) * usize::from(form.vector);
        let of = |group: usize| length.div_ceil(group);
        let target = match form.stages.len() {
            1 => TARGET_REGISTERS_OF_ONE,
            _ => TARGET_REGISTERS,
        };
        let (_, with_kept) = keepable(form);
        let groups = || GROUPS.into_iter().map(|group| (group, target));
        let groups = || groups().chain(LONG_GROUPS);
        let fits = |&(group, most): &(usize, usize)| of(group) * registers <= most;
        let keeps = |&(group, _): &(usize, usize)| {
            group <= MAX_KEEPING_GROUP && of(group) * with_kept <= TARGET_REGISTERS
        };
        let (mut group, _) = groups()
            .filter(fits)
            .find(keeps)
            .or_else(|| groups().find(fits))?;
        let is_short = length == ALONE_VECTORS && length * registers <= ALONE_REGISTERS;
        if is_short || length * bytes <= ALONE_BYTES {
            group = 1; // the threads of a warp read consecutive memory anyway
        } else if length < group {
            group = length.next_power_of_two();
        }
        // Few rows need more threads each to keep the device busy, of at least two vectors each.
        let enough = hardware.multiprocessors as usize * 512;
        while group >= GROUPS[0] && group < 512 && of(group) > 2 && rows * group < enough {
            group *= 2;
        }
        Some(Self {
            group: group as u32,
            columns: 0,
            vectors: of(group) as u32,
            staged: 0,
        })
    }

    /// Returns the threads for rows of `length` vectors of this many elements, one for each row, if
    /// copies of many rows by blocks are faster.
    pub(super) fn of_copies(
        hardware: &Hardware,
        operands: &Operands<'_>,
        rows: usize,
        (length, vector): (usize, usize),
    ) -> Option<Self> {
        let is_long = length > MAX_OF_FEW && !are_many(hardware, rows);
        let enough = hardware.multiprocessors as usize * MANY_ROWS;
        let is_short = EVEN_VECTORS.contains(&length) && vector <= EVEN_ELEMENTS && rows >= enough;
        if (length.is_power_of_two() && !is_short) || is_long {
            return None;
        }
        let copied = Copied::of(operands, vector)?;
        if copied.registers * length > MAX_COPIED_REGISTERS {
            return None;
        }
        let written = operands.dense_result_bytes()? * vector;
        let staged = block(hardware, rows, length * copied.bytes.max(written))?;
        Some(Self {
            group: 1,
            columns: 0,
            vectors: length as u32,
            staged,
        })
    }

    /// Returns the number of blocks of a multiprocessor for which the compiler must limit the registers: as
    /// many as keep it busy, or one if there are no more blocks than multiprocessors. With a limit that it does
    /// not need, the compiler would use more registers than without. How many blocks copy rows depends on
    /// shared memory.
    pub(super) fn blocks(&self, hardware: &Hardware, form: &Form, blocks: u64) -> u32 {
        let read = form.leaves.iter().filter(|leaf| leaf.is_read());
        let registers = self.vectors as usize * registers(read, form.vector);
        let are_few = blocks <= hardware.multiprocessors.into();
        if self.staged > 0 || are_few || registers <= FEW_REGISTERS {
            return 1;
        }
        let busy = match form.is_long_in_f64() {
            true => BUSY_THREADS_OF_DOUBLES,
            false => BUSY_THREADS,
        };
        (busy / self.of_block()).max(1)
    }

    /// Keeps the values of stages that the roots need, if registers suffice.
    pub(super) fn keep(&self, form: &mut Form) {
        let (kept, registers) = keepable(form);
        if self.vectors as usize * registers <= MAX_REGISTERS {
            form.kept = kept;
        }
    }

    /// Returns whether the registers suffice for all leaves of a row, not only for those that blocks copy.
    pub(super) fn hold(&self, form: &Form) -> bool {
        let read = form.leaves.iter().filter(|leaf| leaf.is_read());
        self.vectors as usize * registers(read, form.vector) <= MAX_REGISTERS
    }

    /// Returns the threads for vectors of columns of this length, if a column fits in registers and
    /// there are enough columns to keep the device busy.
    pub(super) fn of_columns(
        hardware: &Hardware,
        form: &Form,
        columns: usize,
        length: usize,
    ) -> Option<Self> {
        let moving = |leaf: &&LeafForm| {
            leaf.access != Access::Uniform && leaf.source == LeafSource::Memory && !leaf.late
        };
        let moving = || form.leaves.iter().filter(moving);
        let singles = moving().filter(|leaf| leaf.is_single());
        let singles: usize = singles.map(|leaf| leaf.data.size().div_ceil(4)).sum();
        let read = form.leaves.iter().filter(|leaf| leaf.is_read());
        let registers = registers(read, form.vector) + singles;
        let bytes = moving().map(|leaf| leaf.data.size() * usize::from(form.vector));
        let adjacent = (LINE / bytes.max().unwrap_or(LINE)).clamp(LINE / 16, 32);
        let of = |group: usize| length.div_ceil(group);
        let groups = || {
            let groups = (0..).map(|bit| 1 << bit);
            groups.take_while(|group| group * adjacent <= MAX_COLUMN_THREADS)
        };
        let fits = |most: usize| move |group: &usize| of(*group) * registers <= most;
        let mut group = groups()
            .find(fits(TARGET_REGISTERS))
            .or_else(|| groups().find(fits(MAX_REGISTERS)))?;
        let enough = hardware.multiprocessors as usize * 512;
        while group * adjacent < MAX_COLUMN_THREADS && of(group) > 2 && columns * group < enough {
            group *= 2;
        }
        let is_busy = columns * group >= enough / 2 || of(group) <= 4;
        is_busy.then(|| Self {
            group: group as u32,
            columns: (THREADS / group).max(adjacent) as u32,
            vectors: of(group) as u32,
            staged: 0,
        })
    }

    /// Returns the number of threads per block.
    pub(super) fn of_block(self) -> u32 {
        match (self.staged, self.columns) {
            (0, 0) => self.group.max(THREADS as u32),
            (0, columns) => columns * self.group,
            (staged, _) => staged,
        }
    }
}

/// Returns the stages whose values the roots need and that take long to compute, and the registers of a
/// vector with these.
fn keepable(form: &Form) -> (Vec<u8>, usize) {
    let needed = form.needed_besides(form.of_rows(), &form.roots);
    let mut kept: Vec<u8> = Vec::new();
    let mut bytes = 0;
    for (stage, &value) in (0..).zip(&form.stages) {
        let is_known = kept
            .iter()
            .any(|&kept| form.stages[usize::from(kept)] == value);
        if needed[usize::from(value)] && !is_known && !form.takes_few_instructions(value) {
            bytes += form.data(value).size().max(4) * usize::from(form.vector);
            kept.push(stage);
        }
    }
    let read = form.leaves.iter().filter(|leaf| leaf.is_read());
    (kept, registers(read, form.vector) + bytes / 4)
}

/// Returns the registers for a vector of each of these leaves.
fn registers<'a>(leaves: impl Iterator<Item = &'a LeafForm>, vector: u8) -> usize {
    let bytes: usize = leaves.map(|leaf| leaf.data.size()).sum();
    (bytes * usize::from(vector)).div_ceil(4).max(1)
}

#[cfg(test)]
mod tests {
    use cuda_safe::ComputeCapability;

    use super::{
        super::super::{
            function,
            operation::Operation,
            plan::Value,
            space::{Inner, Still},
        },
        *,
    };
    use crate::element::DataType;

    fn hardware() -> Hardware {
        Hardware {
            capability: ComputeCapability { major: 9, minor: 0 },
            multiprocessors: 132,
            shared_per_block: 0,
        }
    }

    /// The threads and vectors of each of many rows.
    fn of_many(form: &Form, length: usize) -> Option<(u32, u32)> {
        of_rows(form, 1 << 20, length)
    }

    fn of_rows(form: &Form, rows: usize, length: usize) -> Option<(u32, u32)> {
        let threads = Threads::of_rows(&hardware(), form, rows, length)?;
        assert_eq!(threads.columns, 0);
        Some((threads.group, threads.vectors))
    }

    /// A form that reads these leaves in vectors.
    fn form(leaves: &[(DataType, Access, LeafSource)], vector: u8) -> Form {
        let leaves = leaves
            .iter()
            .map(|&(data, access, source)| LeafForm::of(source, data, access));
        Form {
            leaves: leaves.collect(),
            rank: 2,
            narrow: true,
            vector,
            ..Form::default()
        }
    }

    fn load() -> Value {
        let data = DataType::F32;
        Value::Load { leaf: 0, data }
    }

    fn apply(operation: Operation, inputs: &[u16]) -> Value {
        Value::Apply {
            operation,
            inputs: inputs.iter().copied().collect(),
            data: DataType::F32,
        }
    }

    #[test]
    fn values_are_kept_if_the_results_need_them_and_they_take_long() {
        let single = form(&[(DataType::F32, Access::Linear, LeafSource::Memory)], 4);
        let of = |value: Value, root: &[u16], length| {
            let form = Form {
                values: vec![load(), value, apply(Operation::Add, root)],
                stages: vec![0, 1],
                roots: vec![2],
                ..single.clone()
            };
            let threads = Threads::of_rows(&hardware(), &form, 1 << 20, length).unwrap();
            let mut kept = form.clone();
            threads.keep(&mut kept);
            (threads.group, kept.kept)
        };
        let exponential = || apply(Operation::Call(&function::EXP), &[0]);
        // Eight registers for a vector and its kept values, and 32 for a row if 256 threads suffice.
        assert_eq!(of(exponential(), &[1, 1], 64), (16, vec![1]));
        assert_eq!(of(exponential(), &[1, 1], 65), (32, vec![1]));
        assert_eq!(of(exponential(), &[1, 1], 1024), (256, vec![1]));
        // Otherwise, they are kept if there are 64 registers.
        assert_eq!(of(exponential(), &[1, 1], 1025), (256, vec![1]));
        assert_eq!(of(exponential(), &[1, 1], 512 * 8), (512, vec![1]));
        assert_eq!(of(exponential(), &[1, 1], 512 * 9), (512, vec![]));
        // The result does not need it, or it takes few instructions.
        assert_eq!(of(exponential(), &[0, 0], 65), (16, vec![]));
        assert_eq!(
            of(apply(Operation::Negate, &[0]), &[1, 1], 65),
            (16, vec![])
        );
    }

    #[test]
    fn a_row_gets_the_fewest_threads_that_hold_it() {
        let memory = |data| (data, Access::Linear, LeafSource::Memory);
        let single = form(&[memory(DataType::F32)], 1);
        for (length, wanted) in [
            // One thread, then as many as elements, or a power of two.
            (1, Some((1, 1))),
            (6, Some((1, 6))),
            (7, Some((8, 1))),
            (16, Some((16, 1))),
            (17, Some((16, 2))),
            (512, Some((16, 32))),
            (513, Some((32, 17))),
            (1 << 14, Some((512, 32))),
            // Longer rows need more registers.
            (512 * 52, Some((512, 52))),
            (512 * 52 + 1, Some((1024, 27))),
            (1 << 16, Some((1024, 64))),
            ((1 << 16) + 1, None),
        ] {
            assert_eq!(of_many(&single, length), wanted, "{length}");
        }
        let one = Form {
            values: vec![load()],
            stages: vec![0],
            ..single.clone()
        };
        for (length, wanted) in [
            (384, Some((16, 24))),
            (385, Some((32, 13))),
            (512 * 24 + 1, Some((512, 25))),
        ] {
            assert_eq!(of_many(&one, length), wanted, "{length}");
        }
        let half = form(&[memory(DataType::F16)], 1);
        assert_eq!(of_many(&half, 12), Some((1, 12)));
        assert_eq!(of_many(&half, 13), Some((16, 1)));
        let few = |rows, length| of_rows(&single, rows, length);
        for (rows, length, wanted) in [
            (128, 4096, (512, 8)),
            (1, 100, (64, 2)),
            (4224, 64, (16, 4)),
            (4223, 64, (32, 2)),
            (1, 1, (1, 1)),
        ] {
            assert_eq!(few(rows, length), Some(wanted), "{rows} x {length}");
        }
        let four = form(&[memory(DataType::F32)], 4);
        for (length, wanted) in [(2, (2, 1)), (3, (1, 3)), (4, (4, 1)), (5, (8, 1))] {
            assert_eq!(of_many(&four, length), Some(wanted), "{length}");
        }
        assert_eq!(of_many(&four, 128), Some((16, 8)));
        assert_eq!(of_many(&four, 129), Some((32, 5)));
        // Three registers for two vectors of two elements.
        let both = form(&[memory(DataType::F16), memory(DataType::F32)], 2);
        assert_eq!(of_many(&both, 160), Some((16, 10)));
        assert_eq!(of_many(&both, 176), Some((32, 6)));
        // Leaves that are not loaded in vectors need no registers. A vector needs at least one.
        let none = form(
            &[
                (DataType::F64, Access::Uniform, LeafSource::Memory),
                (
                    DataType::F64,
                    Access::Strided(Inner::Same, Still::NONE),
                    LeafSource::Memory,
                ),
                (DataType::U64, Access::Linear, LeafSource::Place),
            ],
            1,
        );
        assert_eq!(of_many(&none, 512), Some((16, 32)));
    }

    #[test]
    fn a_block_has_threads_for_several_short_rows() {
        let threads = |group, columns| {
            let threads = Threads {
                group,
                columns,
                vectors: 1,
                staged: 0,
            };
            threads.of_block()
        };
        assert_eq!(
            [16, 256, 512, 1024].map(|group| threads(group, 0)),
            [256, 256, 512, 1024]
        );
        assert_eq!(
            [(1, 256), (8, 32), (32, 32)].map(|(group, columns)| threads(group, columns)),
            [256, 256, 1024]
        );
    }

    #[test]
    fn a_column_gets_the_fewest_threads_that_hold_it() {
        let memory = |data, access| (data, access, LeafSource::Memory);
        let single = form(&[memory(DataType::F32, Access::Linear)], 1);
        let of = |form: &Form, columns, length| {
            let threads = Threads::of_columns(&hardware(), form, columns, length)?;
            Some((threads.group, threads.columns, threads.vectors))
        };
        for (length, wanted) in [
            (1, Some((1, 256, 1))),
            (32, Some((1, 256, 32))),
            (33, Some((2, 128, 17))),
            (256, Some((8, 32, 32))),
            (512, Some((16, 32, 32))),
            (1024, Some((16, 32, 64))),
            (1025, None),
        ] {
            assert_eq!(of(&single, 1 << 20, length), wanted, "{length}");
        }
        // Blocks read 128 bytes together.
        let four = form(&[memory(DataType::F32, Access::Linear)], 4);
        assert_eq!(of(&four, 1 << 20, 256), Some((32, 8, 8)));
        assert_eq!(of(&four, 1 << 20, 1024), Some((64, 8, 16)));
        // Few columns get more threads, with at least two elements each.
        assert_eq!(of(&single, 1 << 14, 36), Some((8, 32, 5)));
        assert_eq!(of(&single, 1 << 10, 9), Some((8, 32, 2)));
        assert_eq!(of(&single, 1 << 10, 2), Some((1, 256, 2)));
        // They don't keep the device busy.
        assert_eq!(of(&single, 256, 64), Some((16, 32, 4)));
        assert_eq!(of(&single, 256, 65), None);
        // Values that are not the same for all elements need registers, also without a vector.
        let same = Access::Strided(Inner::Same, Still::NONE);
        let leaves = [
            memory(DataType::F32, Access::Linear),
            memory(DataType::F64, same),
        ];
        assert_eq!(of(&form(&leaves, 1), 1 << 20, 11), Some((2, 128, 6)));
        let uniform = form(&[memory(DataType::F32, Access::Uniform)], 1);
        assert_eq!(of(&uniform, 1 << 20, 32), Some((1, 256, 32)));
    }

    #[test]
    fn blocks_share_the_registers_of_a_multiprocessor() {
        let single = form(&[(DataType::F32, Access::Linear, LeafSource::Memory)], 1);
        let threads = |group, vectors, staged| Threads {
            group,
            columns: 0,
            vectors,
            staged,
        };
        let blocks = |group, vectors, blocks| {
            threads(group, vectors, 0).blocks(&hardware(), &single, blocks)
        };
        assert_eq!(threads(1, 32, 128).blocks(&hardware(), &single, 10_000), 1);
        let of_groups = |vectors| [32, 512, 1024].map(|group| blocks(group, vectors, 10_000));
        assert_eq!(of_groups(17), [4, 2, 1]);
        assert_eq!(of_groups(16), [1; 3]);
        // A multiprocessor for each.
        assert_eq!([132, 133].map(|all| blocks(32, 32, all)), [1, 4]);
    }
}
