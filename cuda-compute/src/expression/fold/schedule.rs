//! The distribution of rows and columns to blocks, and the registers of a thread.

use super::super::{
    reduction::{Folded, accumulator_bytes},
    render::Form,
};
use crate::kernel::{Kernels, ZEROED_WORDS};

/// Threads per block.
pub(super) const THREADS: u32 = 256;
/// The maximum number of results that blocks share, which is the number of counters.
const SHARED_RESULTS: u64 = ZEROED_WORDS as u64;
/// The work of a thread's vectors that takes longer than to combine the results of blocks.
const MUCH_WORK: u64 = 10_000;
/// The registers of a thread for vectors and accumulators of one result.
pub(super) const REGISTERS: usize = 48;
/// The bytes of memory that are read together.
const SECTOR: u64 = 32;

/// The way in which a kernel traverses its space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Walk {
    /// Adjacent elements are folded, by `group` threads per row.
    Rows { group: u32 },
    /// Adjacent elements belong to different results. A block processes `width` vectors of columns.
    Columns { width: u32 },
    /// Adjacent elements belong to different results, and a thread folds a vector of columns alone.
    Alone,
}

impl Walk {
    /// Returns the number of blocks for this many rows or tiles of columns, if blocks share none.
    fn blocks(self, results: u64) -> u64 {
        match self {
            Self::Rows { group } => results.div_ceil(u64::from(THREADS / group)),
            Self::Columns { .. } => results,
            Self::Alone => results.div_ceil(u64::from(THREADS)),
        }
    }
}

/// The assignment of blocks to the space.
pub(super) struct Schedule {
    pub(super) walk: Walk,
    /// Vectors that a thread loads at once.
    pub(super) unroll: u8,
    /// The number of rows, or tiles of columns.
    results: u64,
    /// The number of blocks that share each row or tile.
    pub(super) splits: u64,
    /// Vectors of accumulators that a block stores for each row or tile.
    accumulators: u64,
}

impl Schedule {
    /// Returns the schedule of rows of `length` vectors, each of which a thread folds alone.
    pub(super) fn of_whole_rows(rows: u64, length: u64, registers: Registers) -> Self {
        Self {
            walk: Walk::Rows { group: 1 },
            unroll: registers.unroll(REGISTERS, length),
            results: rows,
            splits: 1,
            accumulators: 1,
        }
    }

    /// Returns the number of blocks.
    pub(super) fn blocks(&self) -> u64 {
        self.walk.blocks(self.results) * self.splits
    }

    /// Returns the number of vectors of accumulators that all blocks store.
    pub(super) fn partials(&self) -> u64 {
        self.results * self.splits * self.accumulators
    }
}

/// Registers that a thread needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Registers {
    /// Registers for a vector: for its loaded or its computed values, whichever need more.
    pub(super) vector: usize,
    /// Registers for the accumulators.
    pub(super) accumulators: usize,
}

/// Returns the number of accumulators of a thread that folds vectors of one result: one for each element
/// of a vector, or one for all.
///
/// Merging two variances takes several times as many instructions as taking one more value. So a variance
/// takes all elements of all vectors that are loaded together.
pub(super) fn lanes(form: &Form, folds: &[Folded]) -> usize {
    match folds.iter().any(Folded::is_variance) {
        true => 1,
        false => form.vector.into(),
    }
}

impl Registers {
    /// Returns the registers of a thread that folds vectors of one result: see [`lanes`].
    pub(super) fn of_one_result(form: &Form, folds: &[Folded]) -> Self {
        let of_lanes = Self::of(form, folds);
        let lanes = lanes(form, folds);
        Self {
            accumulators: of_lanes.accumulators * lanes / usize::from(form.vector),
            ..of_lanes
        }
    }

    pub(super) fn of(form: &Form, folds: &[Folded]) -> Self {
        let vector = usize::from(form.vector);
        let loaded = form.leaves.iter().filter(|leaf| leaf.is_read());
        let loaded: usize = loaded
            .map(|leaf| (leaf.data.size() * vector).div_ceil(4))
            .sum();
        // Counts a value that several folds use once.
        let value = |fold: &Folded| form.roots[usize::from(fold.value)];
        let first = |i: usize| {
            folds[..i]
                .iter()
                .all(|other| value(other) != value(&folds[i]))
        };
        let computed: usize = (0..folds.len())
            .filter(|&i| first(i))
            .map(|i| folds[i].data.size().div_ceil(4))
            .sum();
        Self {
            vector: loaded.max(vector * computed).max(1),
            accumulators: vector * accumulator_bytes(folds) / 4,
        }
    }

    /// Returns the number of vectors that a thread can load at once, if `room` registers are
    /// available and there are `most` vectors: a power of 2.
    pub(super) fn unroll(self, room: usize, most: u64) -> u8 {
        let fit = room.saturating_sub(self.accumulators) / self.vector;
        1 << (fit as u64).min(most).clamp(1, 8).ilog2()
    }
}

/// The vectors of elements that a kernel folds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vectors {
    /// The fewest that each thread gets.
    pub(super) each: u64,
    pub(super) bytes: u64,
    /// Whether they are computed in a few instructions.
    pub(super) simple: bool,
    /// The approximate number of instructions for one of them.
    pub(super) work: u64,
    /// The number of operands that are read for one of them.
    pub(super) reads: u64,
    /// Whether the elements of an operand's vector are read one by one.
    pub(super) singles: bool,
    /// Whether each operand is the same for all rows, or for all elements of a row. If columns are
    /// folded: for all columns, or for all elements of a column.
    pub(super) combinations: bool,
}

/// Chooses the schedule. `tuning/NOTES.md` has the measurements behind the figures. The space is in
/// vectors.
pub(super) fn schedule(
    kernels: &Kernels,
    in_rows: bool,
    (outer, length, inner): (u64, u64, u64),
    registers: Registers,
    Vectors {
        each,
        bytes: vector_bytes,
        simple,
        work,
        reads,
        singles,
        combinations,
    }: Vectors,
) -> Schedule {
    let threads = u64::from(THREADS);
    let multiprocessors = u64::from(kernels.hardware().multiprocessors.max(1));
    // Shares each result among enough blocks to fill the device, if a thread of these has this many
    // vectors. Combining the results of blocks takes about 2 µs, and more for many blocks.
    // An element of many operands counts as several.
    let of_few_reads = (720 / work.max(1)).clamp(8, 16);
    let vectors = of_few_reads * 4 / reads.clamp(4, 16);
    // Blocks of different speed balance each other if there are several in turn. But with outer axes, the
    // blocks of neighboring results must run at the same time: a transposed operand has elements of
    // several of them in each sector.
    let balances = !simple && (in_rows || outer == 1);
    let shared = |enough: u64, vectors: u64, blocks: u64, results: u64, threads: u64| match blocks
        < enough
        && results <= SHARED_RESULTS
    {
        true => (enough / results.max(1)).clamp(1, length.div_ceil(threads * vectors).max(1)),
        false => 1,
    };
    let splits = |enough: u64, blocks: u64, results: u64, threads: u64| {
        let turns = if balances {
            shared(enough * 8, of_few_reads * 8, blocks, results, threads)
        } else {
            1
        };
        shared(enough, vectors, blocks, results, threads).max(turns)
    };
    if in_rows {
        let enough = multiprocessors * 4;
        // A thread gets four or eight vectors. A whole block works on a long row, or on any row if
        // there are few.
        let few = each.clamp(1, if length <= 32 { 4 } else { 8 });
        // The nearest power of two. Few threads need few steps to combine their results.
        let group = (length / few * 3)
            .div_ceil(4)
            .next_power_of_two()
            .clamp(1, 32);
        // Operands of combinations are in the cache and in registers. So a thread gets whole rows, if
        // there are enough of them.
        let group = match combinations {
            true => group.min(
                (multiprocessors * 1024)
                    .div_ceil(outer.max(1))
                    .next_power_of_two(),
            ),
            false => group,
        };
        let long = length > 1024 || length >= threads && outer * group < enough * threads / 2;
        let group = if long { threads } else { group };
        let walk = Walk::Rows {
            group: group as u32,
        };
        return Schedule {
            walk,
            unroll: registers.unroll(REGISTERS, length / group),
            results: outer,
            splits: match long {
                true => splits(enough, walk.blocks(outer), outer, threads),
                false => 1,
            },
            accumulators: 1,
        };
    }
    // Other threads have nothing to do along short columns. Longer ones need many columns.
    if length <= 8 || length <= 32 && outer * inner >= multiprocessors * 1024 {
        return Schedule {
            walk: Walk::Alone,
            unroll: registers.unroll(44, length),
            results: outer * inner,
            splits: 1,
            accumulators: 1,
        };
    }
    let tiles = |width: u64| outer * inner.div_ceil(width);
    let of_a_thread = |width: u64| length * width / threads;
    let widest = inner.next_power_of_two().clamp(1, 32);
    // Small operands are in the cache, where reads of short pieces cost little. Narrow tiles give more
    // blocks, with fewer vectors for each thread. If threads have few vectors, blocks need not share
    // results.
    let narrowest = match combinations {
        true => 1,
        false => SECTOR.div_ceil(vector_bytes).min(widest),
    };
    let few = (vectors * 4).min((MUCH_WORK / work.max(1)).max(8));
    let mut width = widest;
    while width > narrowest
        && length * width > threads
        && (tiles(width) < multiprocessors * 3 / 4
            || of_a_thread(width) > few
            || combinations && tiles(width) < multiprocessors * 4 && of_a_thread(width) > 8)
    {
        width /= 2;
    }
    let is_cached = combinations || each < 8;
    let shares = !is_cached || of_a_thread(width) > few;
    let enough = multiprocessors * 2;
    if shares {
        width = widest;
        while each < 8
            && width * vector_bytes > SECTOR
            && tiles(width) < enough
            && length * width > each * threads
        {
            width /= 2;
        }
    }
    let results = tiles(width);
    let rows = threads / width;
    let unroll = registers.unroll(44, length / rows);
    // Threads that read few bytes at a time do not keep the memory busy with two blocks. Four take longer
    // to combine, so each thread needs many vectors. With three operands, both took the
    // same time (209715 x 53 `f32`, H200: 112 µs).
    let reads_few_bytes = singles || u64::from(unroll) * vector_bytes < 64;
    let more = match reads <= 2 && reads_few_bytes {
        true => shared(enough * 2, 48, results, results, rows),
        false => 1,
    };
    Schedule {
        walk: Walk::Columns {
            width: width as u32,
        },
        unroll,
        results,
        splits: match shares {
            true => splits(enough, results, results, rows).max(more),
            false => 1,
        },
        accumulators: width,
    }
}

#[cfg(test)]
mod tests {
    use cuda_safe::Context;

    use super::{
        super::super::{
            leaf::LeafForm,
            plan::LeafSource,
            reduction::Fold,
            space::{Access, Inner, Still},
        },
        *,
    };
    use crate::element::DataType;

    /// Registers that leave room for eight vectors.
    const FEW: Registers = Registers {
        vector: 1,
        accumulators: 1,
    };

    const WIDE: Vectors = Vectors {
        each: 8,
        bytes: 16,
        simple: true,
        work: 10,
        reads: 1,
        singles: false,
        combinations: false,
    };

    type Planned = (Walk, u8, u64, u64, u64);

    /// The schedule on a device with 132 multiprocessors: 528 blocks fill it in rows, 264 in columns.
    fn planned(in_rows: bool, space: (u64, u64, u64), registers: Registers) -> Planned {
        let kernels = Kernels::of_multiprocessors(&Context::primary(0).unwrap(), 132);
        let plan = schedule(&kernels, in_rows, space, registers, WIDE);
        (
            plan.walk,
            plan.unroll,
            plan.results,
            plan.splits,
            plan.accumulators,
        )
    }

    #[test]
    fn rows_get_as_many_threads_as_their_length_needs() {
        let many = 1 << 20;
        for (outer, length, group, unroll, splits) in [
            (many, 1, 1, 1, 1),
            (many, 16, 4, 4, 1),
            // Each thread gets four vectors in rows of up to 32 vectors, and eight in longer rows.
            (many, 32, 8, 4, 1),
            (many, 33, 4, 8, 1),
            (many, 40, 4, 8, 1),
            (many, 47, 4, 8, 1),
            (many, 48, 8, 4, 1),
            // At most one warp per row of up to 1024 vectors.
            (many, 1024, 32, 8, 1),
            (many, 1025, 256, 4, 1),
            // A block for each row if there are few of them, unless they are too short for it.
            (2111, 256, 256, 1, 1),
            (2112, 256, 32, 8, 1),
            (2, 255, 32, 4, 1),
            (2, 256, 256, 1, 1),
        ] {
            let wanted = (Walk::Rows { group }, unroll, outer, splits, 1);
            let plan = planned(true, (outer, length, 1), FEW);
            assert_eq!(plan, wanted, "{outer} x {length}");
        }
    }

    #[test]
    fn blocks_share_long_rows_if_there_are_few() {
        for (outer, length, splits) in [
            // Sixteen vectors for each thread of a block.
            (2, 4096, 1),
            (2, 4097, 2),
            (2, 8193, 3),
            // As many blocks as fill the device.
            (2, 1 << 21, 264),
            (4, 1 << 21, 132),
            (100, 1 << 21, 5),
            (264, 1 << 21, 2),
            (265, 1 << 21, 1),
            (528, 1 << 21, 1),
        ] {
            let wanted = (Walk::Rows { group: 256 }, 8, outer, splits, 1);
            let plan = planned(true, (outer, length, 1), FEW);
            assert_eq!(plan, wanted, "{outer} x {length}");
        }
    }

    #[test]
    fn columns_are_cut_into_tiles_that_blocks_share() {
        for (space, width, unroll, results, splits) in [
            ((1, 1000, 1), 1, 2, 1, 1),
            ((1, 33, 1 << 20), 32, 4, 1 << 15, 1),
            ((1, 32, 132 * 1024 - 1), 32, 4, 132 * 32, 1),
            ((1, 9, 32), 32, 1, 1, 1),
            ((1, 4097, 1), 1, 8, 1, 2),
            ((5, 2000, 3), 4, 8, 5, 2),
            ((1, 1024, 3), 4, 8, 1, 1),
            ((1, 1025, 3), 4, 8, 1, 2),
            // At most 32 vectors next to each other.
            ((2, 31, 64), 32, 2, 4, 1),
            ((1, 64_000, 32), 32, 8, 1, 264),
            ((1, 64_000, 33), 32, 8, 2, 132),
            ((100, 64_000, 32), 32, 8, 100, 2),
            ((264, 64_000, 32), 32, 8, 264, 1),
        ] {
            let wanted = (
                Walk::Columns { width },
                unroll,
                results,
                splits,
                u64::from(width),
            );
            assert_eq!(planned(false, space, FEW), wanted, "{space:?}");
        }
    }

    #[test]
    fn small_reductions_have_narrow_tiles_and_few_elements_for_each_thread() {
        let kernels = Kernels::of_multiprocessors(&Context::primary(0).unwrap(), 132);
        let walk = |in_rows, space, each, bytes| {
            schedule(
                &kernels,
                in_rows,
                space,
                FEW,
                Vectors {
                    each,
                    bytes,
                    ..WIDE
                },
            )
            .walk
        };
        for (each, group) in [(1, 32), (2, 16), (4, 8), (8, 8)] {
            assert_eq!(walk(true, (100, 32, 1), each, 16), Walk::Rows { group });
        }
        for (space, each, bytes, width) in [
            // 32 bytes are read together.
            ((1, 100, 256), 1, 4, 8),
            ((1, 100, 256), 1, 8, 4),
            ((1, 100, 64), 1, 16, 2),
            ((1, 100, 64), 8, 16, 32),
            // 99 tiles are enough.
            ((1, 100, 99 * 32), 1, 4, 32),
            ((1, 100, 98 * 32), 1, 4, 16),
            // A column is too short for more rows of threads.
            ((1, 16, 256), 1, 4, 16),
            ((1, 16, 256), 4, 4, 16),
            // Threads have up to 64 vectors.
            ((1, 2048, 32), 4, 4, 8),
            ((1, 2056, 32), 4, 4, 8),
            ((1, 2056, 320), 7, 16, 2),
        ] {
            let planned = walk(false, space, each, bytes);
            assert_eq!(
                planned,
                Walk::Columns { width },
                "{space:?}, {each}, {bytes}"
            );
        }
    }

    #[test]
    fn blocks_share_no_columns_of_few_vectors() {
        let kernels = Kernels::of_multiprocessors(&Context::primary(0).unwrap(), 132);
        let of = |combinations, each, work, length, inner| {
            let vectors = Vectors {
                combinations,
                each,
                work,
                ..WIDE
            };
            let found = schedule(&kernels, false, (1, length, inner), FEW, vectors);
            let Walk::Columns { width } = found.walk else {
                panic!("{:?}", found.walk)
            };
            (width, found.splits)
        };
        // At most 64 for each thread, or 32 if they are much work or consist of many operands.
        assert_eq!(of(false, 7, 10, 64 * 128, 16), (2, 1));
        assert_eq!(of(false, 7, 10, 65 * 128, 16), (2, 5));
        assert_eq!(of(false, 7, 90, 32 * 128, 16), (2, 1));
        assert_eq!(of(false, 7, 90, 33 * 128, 16), (2, 5));
        let shared = |work, vectors: u64| of(false, 7, work, vectors * 128, 16).1 > 1;
        assert!(!shared(500, 20) && shared(500, 21) && !shared(5000, 8) && shared(5000, 9));
        let of_reads = |reads| {
            let vectors = Vectors {
                each: 7,
                reads,
                ..WIDE
            };
            schedule(&kernels, false, (1, 33 * 128, 16), FEW, vectors).splits
        };
        assert_eq!([4, 8, 16].map(of_reads), [1, 5, 9]);
        // Operands that are not in the cache are read in long pieces.
        assert_eq!(of(false, 8, 10, 64 * 8, 64), (32, 4));
        // Combinations of rows and columns read few elements, so any width will do.
        assert_eq!(of(true, 8, 10, 64 * 256, 16), (1, 1));
        assert_eq!(of(true, 8, 10, 65 * 256, 16), (16, 65));
        assert_eq!(of(true, 1, 10, 362, 180), (1, 1));
        assert_eq!(of(true, 1, 10, 362, 198), (2, 1));
        // More tiles, until they fill the device or threads have eight vectors.
        assert_eq!(of(true, 1, 10, 1024, 724), (2, 1));
        assert_eq!(of(true, 1, 10, 4096, 528), (1, 1));
        assert_eq!(of(true, 1, 10, 1024, 528 * 4), (4, 1));
    }

    #[test]
    fn more_blocks_share_columns_if_threads_read_few_bytes_at_a_time() {
        let kernels = Kernels::of_multiprocessors(&Context::primary(0).unwrap(), 132);
        let splits = |bytes, (reads, singles), length| {
            let vectors = Vectors {
                bytes,
                reads,
                singles,
                ..WIDE
            };
            schedule(&kernels, false, (1, length, 32), FEW, vectors).splits
        };
        // 48 vectors for each of eight rows of threads.
        let enough = 528 * 8 * 48;
        assert_eq!(splits(4, (2, false), enough), 528);
        assert_eq!(splits(4, (2, false), enough * 3 / 4), 396);
        assert_eq!(splits(4, (2, false), enough / 2), 264);
        assert_eq!(splits(8, (2, false), enough), 264);
        assert_eq!(splits(8, (2, true), enough), 528);
        assert_eq!(splits(4, (3, true), enough), 264);
    }

    #[test]
    fn threads_take_whole_rows_of_combinations() {
        let kernels = Kernels::of_multiprocessors(&Context::primary(0).unwrap(), 132);
        let group = |rows, length| {
            let vectors = Vectors {
                combinations: true,
                ..WIDE
            };
            let schedule = schedule(&kernels, true, (rows, length, 1), FEW, vectors);
            (schedule.walk, schedule.unroll)
        };
        let rows = |group| Walk::Rows { group };
        assert_eq!(group(132 * 1024, 16), (rows(1), 8));
        assert_eq!(group(132 * 512, 16), (rows(2), 8));
        // No more threads than for other operands.
        assert_eq!(group(5000, 16), (rows(4), 4));
        assert_eq!(group(2, 1 << 21), (rows(256), 8));
    }

    #[test]
    fn the_work_of_a_vector_decides_how_many_blocks_share_a_result() {
        let kernels = Kernels::of_multiprocessors(&Context::primary(0).unwrap(), 132);
        let splits = |in_rows, space| {
            let of = |simple, work| {
                let vectors = Vectors {
                    simple,
                    work,
                    ..WIDE
                };
                schedule(&kernels, in_rows, space, FEW, vectors).splits
            };
            [of(true, 10), of(false, 45), of(false, 1000)]
        };
        // Eight turns, if threads have many vectors in each.
        assert_eq!(splits(true, (2, 1 << 25, 1)), [264, 1024, 2048]);
        assert_eq!(splits(false, (1, 1 << 21, 32)), [264, 2048, 2112]);
        assert_eq!(splits(false, (2, 1 << 21, 32)), [132, 132, 132]);
        // Threads have 16 vectors, or eight if these need much work.
        assert_eq!(splits(true, (2, 1 << 14, 1)), [4, 4, 8]);
        assert_eq!(splits(false, (1, 1 << 14, 32)), [128, 128, 256]);
        // Tiles that are enough.
        assert_eq!(splits(false, (1, 64_000, 320 * 32)), [1, 6, 6]);
    }

    #[test]
    fn a_thread_folds_a_short_column_alone() {
        for (space, unroll) in [
            ((1, 1, 1), 1),
            ((3, 2, 5), 2),
            ((2, 8, 32), 8),
            ((1, 32, 132 * 1024), 8),
            ((132, 32, 1024), 8),
        ] {
            let results = space.0 * space.2;
            let wanted = (Walk::Alone, unroll, results, 1, 1);
            assert_eq!(planned(false, space, FEW), wanted, "{space:?}");
        }
        assert_eq!(Walk::Alone.blocks(257), 2);
    }

    #[test]
    fn vectors_in_flight_fit_into_registers() {
        let registers = |vector, accumulators| Registers {
            vector,
            accumulators,
        };
        for (vector, accumulators, most, unroll) in [
            (1, 0, 100, 8),
            (1, 0, 7, 4),
            (1, 0, 3, 2),
            (1, 0, 0, 1),
            (12, 0, 100, 4),
            (10, 8, 100, 4),
            (10, 9, 100, 2),
            (48, 0, 100, 1),
            (10, 50, 100, 1),
        ] {
            let fits = registers(vector, accumulators).unroll(48, most);
            assert_eq!(fits, unroll, "{vector}, {accumulators}, {most}");
        }
        // 48 registers for rows, 44 for columns.
        let rows = planned(true, (1 << 20, 1024, 1), registers(12, 0));
        let columns = planned(false, (1, 1024, 32), registers(12, 0));
        assert_eq!((rows.1, columns.1), (4, 2));
    }

    #[test]
    fn registers_are_those_of_what_is_loaded_or_computed() {
        let leaf = |data, access, source| LeafForm::of(source, data, access);
        let form = |roots: &[u16]| Form {
            values: Vec::new(),
            roots: roots.to_vec(),
            stages: Vec::new(),
            kept: Vec::new(),
            after: Default::default(),
            leaves: vec![
                leaf(DataType::F32, Access::Linear, LeafSource::Memory),
                leaf(DataType::U8, Access::Linear, LeafSource::Memory),
                leaf(DataType::F16, Access::Linear, LeafSource::Memory),
                // These leaves load no vectors from memory.
                leaf(DataType::F64, Access::Uniform, LeafSource::Memory),
                leaf(
                    DataType::F64,
                    Access::Strided(Inner::Same, Still::NONE),
                    LeafSource::Memory,
                ),
                leaf(DataType::U64, Access::Linear, LeafSource::Place),
            ],
            outputs: Vec::new(),
            rank: 1,
            narrow: true,
            vector: 4,
        };
        let folded = |fold, data, value| Folded {
            fold,
            data,
            value,
            place: 0,
        };
        let of = |roots: &[u16], folds: &[Folded]| {
            let registers = Registers::of(&form(roots), folds);
            (registers.vector, registers.accumulators)
        };
        let sum = folded(Fold::Sum, DataType::F32, 0);
        let mean = folded(Fold::Mean, DataType::F32, 1);
        let variance = folded(Fold::Variance(0), DataType::F64, 1);
        assert_eq!(of(&[0], std::slice::from_ref(&sum)), (4 + 1 + 2, 4));
        assert_eq!(of(&[0, 1], &[sum.clone(), variance]), (4 * (1 + 2), 36));
        // A value counts once, however many folds take it.
        assert_eq!(of(&[0, 1], &[sum.clone(), mean.clone()]), (4 * 2, 8));
        assert_eq!(of(&[0, 0], &[sum, mean]), (4 + 1 + 2, 8));
    }

    #[test]
    fn a_block_takes_several_short_rows() {
        let rows = |group| Walk::Rows { group };
        assert_eq!(rows(32).blocks(8), 1);
        assert_eq!(rows(32).blocks(9), 2);
        assert_eq!(rows(1).blocks(257), 2);
        assert_eq!(rows(256).blocks(5), 5);
        assert_eq!(Walk::Columns { width: 32 }.blocks(7), 7);
    }

    #[test]
    fn blocks_share_as_many_results_as_there_are_counters_for() {
        // A device with blocks for more vectors.
        let kernels = Kernels::of_multiprocessors(&Context::primary(0).unwrap(), 10_000);
        let splits = |rows| schedule(&kernels, true, (rows, 1 << 21, 1), FEW, WIDE).splits;
        assert_eq!(splits(SHARED_RESULTS), 2);
        assert_eq!(splits(SHARED_RESULTS + 1), 1);
    }
}
