//! The choice and launch of a scan's kernel.

use std::sync::Arc;

use super::{
    Tiles,
    table::{self, Columns},
};
use crate::{
    array::{Array, IntoIndex, Layout, Memory},
    element::{DataType, Element},
    error::Result,
    expression::{
        fused::{self, Fused, Prepared, Walk},
        hashed::Hashed,
        node::Node,
        render::Form,
    },
    function::{Kind, accumulator_bytes},
    kernel::{Source, Specialisation},
};

/// A kernel that scans.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Scan {
    form: Hashed<Form>,
    data: DataType,
    kind: Kind,
    exclusive: bool,
    segmented: bool,
    way: Way,
}

/// The assignment of elements to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Way {
    /// One block for each tile of a line.
    Line {
        threads: u32,
        unroll: u32,
        chained: bool,
    },
    /// A group of lanes for each row.
    Rows { lanes: u32, unroll: u32 },
    /// Each thread goes down a column of vectors, next to other threads.
    Columns {
        variant: Columns,
        lanes: u32,
        chained: bool,
    },
}

impl Specialisation for Scan {
    fn source(&self) -> Source {
        let (file, text, entry) = match self.way {
            Way::Line { .. } => (
                "scan_line.cu",
                include_str!("../kernels/scan_line.cu"),
                "scan_line",
            ),
            Way::Rows { .. } => (
                "scan_rows.cu",
                include_str!("../kernels/scan_rows.cu"),
                "scan_rows",
            ),
            Way::Columns { .. } => (
                "scan_columns.cu",
                include_str!("../kernels/scan_columns.cu"),
                "scan_columns",
            ),
        };
        let source = fused::source(Source::new(file, text, entry), &self.form)
            .header(
                "combination.cuh",
                self.kind.header(self.data, self.segmented),
            )
            .header("prefix.cuh", include_str!("../kernels/prefix.cuh"))
            .header("tile.cuh", include_str!("../kernels/tile.cuh"))
            .define("EXCLUSIVE", u8::from(self.exclusive))
            .define("FIRST", self.kind.identity(self.data.class()));
        let source = self.kind.add_to(source);
        match self.way {
            Way::Line {
                threads,
                unroll,
                chained,
            } => source
                .define("THREADS", threads)
                .define("UNROLL", unroll)
                .define("CHAINED", u8::from(chained)),
            Way::Rows { lanes, unroll } => source
                .define("THREADS", table::ROWS.threads)
                .define("UNROLL", unroll)
                .define("LANES", lanes),
            Way::Columns {
                variant,
                lanes,
                chained,
            } => source
                .define("THREADS", variant.threads)
                .define("ROWS", variant.rows)
                .define("LANES", lanes)
                .define("CHAINED", u8::from(chained)),
        }
    }
}

/// A scan that is about to be enqueued.
struct Job<'a> {
    kind: Kind,
    exclusive: bool,
    segmented: bool,
    data: DataType,
    prepared: Prepared,
    to: (&'a Arc<Memory>, Layout),
    axis: usize,
}

/// Scans the values of an expression along an axis into a new array. If `begins` is given, an
/// expression of the same shape, its true elements start new segments.
pub(super) fn run<T: Element>(
    node: &Arc<Node>,
    begins: Option<&Arc<Node>>,
    kind: Kind,
    exclusive: bool,
    axis: impl IntoIndex,
) -> Result<Array<T>> {
    let shape = node.shape()?;
    let axis = shape.axis(axis)?;
    let prepared = match begins {
        Some(begins) => Prepared::new(&[node, begins])?,
        None => Prepared::new(&[node])?,
    };
    let layout = prepared.result_layout();
    let memory = prepared.memory(shape.elements(), T::DATA_TYPE)?;
    if shape.elements() > 0 {
        let job = Job {
            kind,
            exclusive,
            segmented: begins.is_some(),
            data: T::DATA_TYPE,
            prepared,
            to: (&memory, layout),
            axis,
        };
        job.enqueue()?;
    }
    Ok(Array::of(memory, layout))
}

impl Job<'_> {
    fn enqueue(self) -> Result<()> {
        let shape = self.prepared.shape;
        let order = self.to.1.axes();
        // The position of an axis of length 1 doesn't matter, so treat it as the outermost.
        let place = order
            .iter()
            .position(|&axis| axis == self.axis)
            .unwrap_or(0);
        let inner = order[place + 1..].iter().map(|&axis| shape[axis]).product();
        match inner {
            1 => self.along_lines(&order),
            _ => self.down_columns(&order, inner),
        }
    }

    fn scan(&self, fused: &Fused, way: Way) -> Scan {
        Scan {
            form: fused.form.clone(),
            data: self.data,
            kind: self.kind.clone(),
            exclusive: self.exclusive,
            segmented: self.segmented,
            way,
        }
    }

    /// Returns the size of an accumulator in bytes.
    fn bytes(&self) -> usize {
        accumulator_bytes(self.data, self.segmented)
    }

    fn fuse(&mut self, order: &[usize], run: Option<usize>) -> Result<Fused> {
        let widest = match self.segmented {
            true => (32 / self.bytes()).max(1),
            false => fused::widest(self.data),
        };
        let walk = Walk { order, run, widest };
        self.prepared.fuse(&walk, Some(self.to))
    }

    fn along_lines(mut self, order: &[usize]) -> Result<()> {
        let length = self.prepared.shape[self.axis];
        let lines = (self.prepared.shape.elements() / length) as u64;
        let fused = self.fuse(order, (lines > 1).then_some(length))?;
        let (kernels, stream) = (&self.prepared.kernels, &self.prepared.stream);
        let vectors = length.div_ceil(fused.vector()) as u64;
        if lines > 1 && vectors <= table::LONGEST_ROW {
            // The smallest group that gives each lane a full load.
            let unroll = table::ROWS.unroll(fused.vector(), self.bytes());
            let lanes = vectors.div_ceil(unroll.into()).next_power_of_two().min(32) as u32;
            let kernel = kernels.get(&self.scan(&fused, Way::Rows { lanes, unroll }))?;
            let threads = table::ROWS.threads;
            let blocks = lines.div_ceil(u64::from(threads / lanes));
            let mut parameters = [lines, vectors];
            // SAFETY: `scan_rows` has these parameters, and accesses only `lines` rows of `vectors`
            // vectors.
            return unsafe {
                fused.launch(&kernel, stream, (blocks, threads), &mut parameters, &[])
            };
        }
        let policy = table::LINES.policy(kernels.hardware().capability, self.data.size());
        let variant = policy.row(vectors).variant;
        let threads = variant.threads;
        let unroll = variant.unroll(fused.vector(), self.bytes());
        let count = vectors.div_ceil(u64::from(threads * unroll));
        let tiles = Tiles::new(count, 1, self.bytes());
        let tile_memory = tiles.lines(kernels, stream, lines)?;
        let way = Way::Line {
            threads,
            unroll,
            chained: tiles.chained(),
        };
        let kernel = kernels.get(&self.scan(&fused, way))?;
        let mut parameters = [
            length as u64,
            count,
            tile_memory.address(),
            tiles.words_of_line(),
            tile_memory.kept(),
        ];
        let others: Vec<&Memory> = tile_memory.memory().into_iter().collect();
        // SAFETY: `scan_line` has these parameters, accesses only the elements of `lines` lines of
        // `length`, and uses the memory of their tiles, which is zero. If that memory is kept, the
        // kernel leaves it zeroed, and kernels of one stream run one after the other.
        unsafe {
            fused.launch(
                &kernel,
                stream,
                (lines * count, threads),
                &mut parameters,
                &others,
            )
        }
    }

    /// Scans down columns, with `inner` contiguous elements at each index of the axis.
    fn down_columns(mut self, order: &[usize], inner: usize) -> Result<()> {
        let shape = self.prepared.shape;
        let length = shape[self.axis];
        let outer = (shape.elements() / length / inner) as u64;
        let fused = self.fuse(order, Some(inner))?;
        let (kernels, stream) = (&self.prepared.kernels, &self.prepared.stream);
        let width = (inner / fused.vector()) as u64;
        let lanes = width.next_power_of_two().min(32);
        let strips_of_row = width.div_ceil(lanes);
        let strips = outer * strips_of_row;
        let hardware = kernels.hardware();
        let policy = table::COLUMNS.policy(hardware.capability, self.data.size());
        let mut variant = policy.row(length as u64).variant;
        // Two values for each column of each warp.
        let value = self.bytes() as u64;
        while 2 * u64::from(variant.threads / 32) * lanes * fused.vector() as u64 * value
            > table::ROOM
        {
            variant.threads /= 2;
        }
        let rows = u64::from(variant.threads) / lanes * u64::from(variant.rows);
        let count = (length as u64).div_ceil(rows);
        let few = u64::from(hardware.multiprocessors) * table::STRIPS_PER_MULTIPROCESSOR;
        // With enough strips, the device is busy without tiles that wait for one another.
        let chained = count > 1 && strips < few;
        let values = strips * lanes * fused.vector() as u64;
        let tiles = Tiles::new(if chained { count } else { 1 }, values, self.bytes());
        let tile_memory = tiles.own(kernels, stream, 1)?;
        let way = Way::Columns {
            variant,
            lanes: lanes as u32,
            chained,
        };
        let kernel = kernels.get(&self.scan(&fused, way))?;
        let mut parameters = [
            length as u64,
            width,
            strips_of_row,
            strips,
            count,
            tile_memory.address(),
        ];
        let others: Vec<&Memory> = tile_memory.memory().into_iter().collect();
        let blocks = strips * tiles.count;
        // SAFETY: `scan_columns` has these parameters, accesses only the elements of `strips`
        // strips of `length` rows, and uses the memory of their tiles, which is zero.
        unsafe {
            fused.launch(
                &kernel,
                stream,
                (blocks, variant.threads),
                &mut parameters,
                &others,
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use cuda_safe::{Context, Stream};

    use super::*;
    use crate::kernel::Kernels;

    /// How an array of `f32` is scanned on a device with 132 multiprocessors.
    fn chosen(lengths: &[usize], axis: usize) -> Way {
        chosen_on(132, lengths, axis)
    }

    fn chosen_on(multiprocessors: u32, lengths: &[usize], axis: usize) -> Way {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let kernels = Kernels::of_multiprocessors(&context, multiprocessors);
        let x = kernels.zeros::<f32>(&stream, lengths);
        let node = &x.expr().node;
        let result = run::<f32>(node, None, Kind::Sum, false, axis).unwrap();
        assert!(result.to_vec().unwrap().iter().all(|&sum| sum == 0.0));
        let mut found: Vec<Scan> = kernels.compiled_for();
        found.remove(0).way
    }

    #[test]
    fn short_rows_are_for_some_lanes() {
        let rows = |lanes| Way::Rows { lanes, unroll: 4 };
        assert_eq!(chosen(&[3, 16], 1), rows(1));
        assert_eq!(chosen(&[3, 20], 1), rows(2));
        assert_eq!(chosen(&[3, 400], 1), rows(32));
        assert_eq!(chosen(&[3, 1024], 1), rows(32));
    }

    #[test]
    fn longer_lines_are_for_blocks() {
        let line = |threads, chained| Way::Line {
            threads,
            unroll: 4,
            chained,
        };
        assert_eq!(chosen(&[3, 1028], 1), line(128, false));
        // A single line is always divided among blocks.
        assert_eq!(chosen(&[16], 0), line(128, false));
        assert_eq!(chosen(&[4096 * 2], 0), line(512, false));
        assert_eq!(chosen(&[4096 * 2 + 1], 0), line(512, true));
    }

    #[test]
    fn columns_are_for_threads_side_by_side() {
        let columns = |rows, lanes, chained| Way::Columns {
            variant: Columns { threads: 256, rows },
            lanes,
            chained,
        };
        assert_eq!(chosen(&[40, 8], 0), columns(4, 2, false));
        assert_eq!(chosen(&[65, 12], 0), columns(8, 4, false));
        assert_eq!(chosen(&[5, 300], 0), columns(4, 32, false));
        assert_eq!(chosen(&[1024, 8], 0), columns(8, 2, false));
        assert_eq!(chosen(&[1025, 8], 0), columns(8, 2, true));
        // Four strips keep a multiprocessor busy.
        assert_eq!(chosen_on(1, &[3, 1025, 8], 1), columns(8, 2, true));
        assert_eq!(chosen_on(1, &[4, 1025, 8], 1), columns(8, 2, false));
    }
}
