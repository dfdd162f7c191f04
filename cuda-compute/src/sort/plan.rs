//! The launches of a sort, and the memory that they need.

use cuda_safe::{LaunchConfig, Stream};

use super::{
    kernel::{Block, Entry, Input, Moved, SortKernel},
    key::{Items, Keys},
    table,
};
use crate::{
    array::Memory,
    element::Class,
    error::Result,
    expression::fused::{self, grid},
    kernel::{Hardware, Kernels},
};

/// The number of digits.
const DIGITS: u64 = 256;
/// The keys per block that count the digits.
const COUNTING: Block = Block {
    threads: 512,
    items: 8,
    per_multiprocessor: 1,
};
/// Blocks per multiprocessor that count, or write counted keys.
const COUNTING_BLOCKS: u32 = 4;
/// The alignment of each part of the scratch memory.
const ALIGNMENT: u64 = 256;

/// A sort of `lines` contiguous lines of `length` keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    keys: Keys,
    items: Items,
    /// Whether the result has keys.
    writes_keys: bool,
    lines: u64,
    length: u64,
    way: Way,
    /// The number of blocks that count one line.
    chunks: u64,
    /// Whether counts need 64 bits.
    wide: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// One block for each line.
    Rows(Block),
    /// The digits are counted, and each pass moves all keys.
    Sweeps(Block),
    /// Keys of one byte without items are counted and written.
    Fill,
}

/// The parts of the scratch memory, as distances from its start in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Scratch {
    /// The number of keys with each digit. Before it are the counters of started tiles.
    bins: u64,
    /// The counts that tiles publish in even passes, and in odd ones.
    states: [u64; 2],
    /// Everything before this must be zero.
    pub(super) zeroed: u64,
    keys: u64,
    items: u64,
    /// Keys of every other pass, if the result has none.
    spare: u64,
    pub(super) bytes: u64,
}

/// The addresses of the results, which are unused if the results have no keys or no items.
#[derive(Clone, Copy, Debug)]
pub(super) struct Results {
    pub(super) keys: u64,
    pub(super) items: u64,
}

impl Plan {
    pub(super) fn new(
        hardware: &Hardware,
        (keys, writes_keys): (Keys, bool),
        items: Items,
        lines: u64,
        length: u64,
    ) -> Self {
        let bytes = keys.data.size().max(items.bytes(length));
        let way = match table::rows(lines, length, bytes, hardware.multiprocessors) {
            Some(block) => Way::Rows(block),
            None if items == Items::None && keys.data.size() == 1 => Way::Fill,
            None => {
                let table = match items {
                    Items::None if keys.data.class() == Class::Float => &table::FLOATS,
                    Items::None => &table::KEYS,
                    _ => &table::PAIRS,
                };
                let policy = table.policy(hardware.capability, bytes);
                Way::Sweeps(policy.row(length).variant)
            }
        };
        let blocks = u64::from(hardware.multiprocessors.max(1) * COUNTING_BLOCKS);
        // A block counts in 32 bits.
        let chunks = blocks.div_ceil(lines.max(1)).max(length >> 31);
        Self {
            keys,
            items,
            writes_keys,
            lines,
            length,
            way,
            chunks: chunks.min(length.div_ceil(COUNTING.tile())).max(1),
            // Two bits of a count are marks.
            wide: length >= 1 << 30,
        }
    }

    const fn count_bytes(&self) -> u64 {
        if self.wide { 8 } else { 4 }
    }

    fn tiles(&self, block: Block) -> u64 {
        self.length.div_ceil(block.tile())
    }

    /// Returns whether this sort writes only as much of each line as is kept.
    pub(super) const fn can_keep(&self) -> bool {
        matches!(self.way, Way::Rows(_))
    }

    /// Returns whether the results may be written to the memory of the input.
    pub(super) const fn is_in_place(&self) -> bool {
        match self.way {
            // A block reads its line before it writes it, and all keys are counted before the first
            // is written.
            Way::Rows(_) | Way::Fill => true,
            // The first of several passes writes other memory.
            Way::Sweeps(_) => self.keys.passes() > 1,
        }
    }

    pub(super) fn scratch(&self) -> Scratch {
        let aligned = |bytes: u64| bytes.next_multiple_of(ALIGNMENT);
        let (count, passes) = (self.count_bytes(), self.keys.passes());
        let bins = aligned(4 * passes);
        let counted = bins + aligned(self.lines * passes * DIGITS * count);
        match self.way {
            Way::Rows(_) => Scratch::default(),
            Way::Fill => Scratch {
                bins,
                zeroed: counted,
                bytes: counted,
                ..Scratch::default()
            },
            Way::Sweeps(block) => {
                let states = aligned(self.lines * self.tiles(block) * DIGITS * count);
                // Only sorts of several passes use the second states, and keys between passes.
                let several = u64::from(passes > 1);
                let elements = self.lines * self.length;
                let keys = counted + states + several * states;
                let items = keys + several * aligned(elements * self.keys.data.size() as u64);
                let item_bytes = self.items.bytes(self.length) as u64;
                let spare = items + several * aligned(elements * item_bytes);
                let spared = u64::from(passes > 2 && !self.writes_keys) * elements;
                Scratch {
                    bins,
                    states: [counted, counted + states],
                    zeroed: counted + states,
                    keys,
                    items,
                    spare,
                    bytes: spare + aligned(spared * self.keys.data.size() as u64),
                }
            }
        }
    }

    /// Enqueues the sort. It writes the first `kept` keys and items of each line.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the input has `lines * length` keys, and as many items if they are read;
    /// - the results have memory for `lines * kept` keys and items;
    /// - `kept` is the length, unless this sort [can keep](Self::can_keep) less;
    /// - the results overlap no input, except that they may replace it if the sort [can be in
    ///   place](Self::is_in_place);
    /// - `scratch` is the address of [`Scratch::bytes`] bytes, the first of which are zero;
    /// - the queue's memory is all of this memory, or the launches are ordered with its streams
    ///   otherwise.
    pub(super) unsafe fn enqueue(
        &self,
        queue: &Queue<'_>,
        input: &Input<'_>,
        results: Results,
        kept: u64,
        scratch: u64,
    ) -> Result<()> {
        let (keys_in, items_in) = input.addresses();
        let item_bytes = self.items.bytes(self.length);
        let out_bytes = self.items.result().map_or(0, |data| data.size());
        let kernel = |entry, input: &Input<'_>, moved, block| SortKernel {
            entry,
            form: input.form(),
            keys: self.keys,
            moved,
            block,
            wide: self.wide,
        };
        let moved = Moved {
            items: self.items,
            item_bytes,
            out_bytes,
            places: self.items == Items::Places,
            writes_keys: self.writes_keys,
        };
        let parts = self.scratch();
        let bins = scratch + parts.bins;
        if let Way::Rows(block) = self.way {
            let mut parameters = [
                self.length,
                kept,
                keys_in,
                items_in,
                results.keys,
                results.items,
            ];
            let kernel = kernel(Entry::Rows, input, moved, block);
            // SAFETY: `sort_rows` has these parameters. It reads `lines * length` keys and items,
            // and writes `lines * kept`.
            return unsafe { queue.launch(&kernel, Some(input), self.lines, &mut parameters) };
        }
        let count = kernel(Entry::Count, input, Moved::KEYS, COUNTING);
        let mut parameters = [self.length, self.chunks, keys_in, bins];
        let blocks = self.lines * self.chunks;
        // SAFETY: `sort_count` has these parameters. It reads `lines * length` keys, and the scratch
        // memory has the counters of all passes and lines, which are zero.
        unsafe { queue.launch(&count, Some(input), blocks, &mut parameters)? };
        let Way::Sweeps(block) = self.way else {
            let fill = SortKernel {
                form: None,
                ..kernel(Entry::Fill, input, Moved::KEYS, COUNTING)
            };
            let mut parameters = [self.length, self.chunks, results.keys, bins];
            // SAFETY: `sort_fill` has these parameters, and writes `lines * length` keys.
            return unsafe { queue.launch(&fill, None, blocks, &mut parameters) };
        };
        let tiles = self.tiles(block);
        let passes = self.keys.passes();
        let between = Results {
            keys: scratch + parts.keys,
            items: scratch + parts.items,
        };
        let (mut keys_from, mut items_from) = (keys_in, items_in);
        for pass in 0..passes {
            let (first, last) = (pass == 0, pass + 1 == passes);
            // The last pass writes the results, and passes alternate.
            let to = match (passes - pass) % 2 {
                0 => between,
                _ if self.writes_keys => results,
                _ => Results {
                    keys: scratch + parts.spare,
                    ..results
                },
            };
            let moved = Moved {
                places: moved.places && first,
                out_bytes: if last { out_bytes } else { item_bytes },
                writes_keys: !last || self.writes_keys,
                ..moved
            };
            let memory = Input::Memory(keys_from, items_from);
            let source = if first { input } else { &memory };
            let kernel = kernel(Entry::Sweep, source, moved, block);
            let mut parameters = [
                self.length,
                tiles,
                keys_from,
                items_from,
                to.keys,
                to.items,
                scratch + 4 * pass,
                bins + pass * DIGITS * self.count_bytes(),
                scratch + parts.states[pass as usize % 2],
                if last {
                    0
                } else {
                    scratch + parts.states[(pass as usize + 1) % 2]
                },
                pass,
            ];
            // SAFETY: `sort_sweep` has these parameters. It reads and writes `lines * length` keys and
            // items. The scratch memory has the counters of tiles and digits, and the states of all
            // tiles, which are zero at the first pass and which each pass zeroes for the next.
            unsafe { queue.launch(&kernel, Some(source), self.lines * tiles, &mut parameters)? };
            (keys_from, items_from) = (to.keys, to.items);
        }
        Ok(())
    }
}

/// The stream that the launches are enqueued on.
#[derive(Debug)]
pub(super) struct Queue<'a> {
    pub(super) kernels: &'a Kernels,
    pub(super) stream: &'a Stream,
    /// The memory that the kernels use, in addition to that of expressions.
    pub(super) memories: &'a [&'a Memory],
}

impl Queue<'_> {
    /// Enqueues a kernel.
    ///
    /// # Safety
    /// The conditions of [`Fused::launch`](fused::Fused::launch) and [`fused::enqueue`] apply.
    unsafe fn launch(
        &self,
        kernel: &SortKernel,
        input: Option<&Input<'_>>,
        blocks: u64,
        parameters: &mut [u64],
    ) -> Result<()> {
        let function = self.kernels.get(kernel)?;
        let threads = kernel.block.threads;
        if let Some(Input::Expression(fused)) = input {
            let fused = (*fused).clone();
            // SAFETY: the caller's promise.
            return unsafe {
                fused.launch(
                    &function,
                    self.stream,
                    (blocks, threads),
                    parameters,
                    self.memories,
                )
            };
        }
        let config = LaunchConfig::new(grid(blocks)?, threads);
        // SAFETY: the caller's promise.
        unsafe { fused::enqueue(&function, self.stream, config, parameters, self.memories) }
    }
}

#[cfg(test)]
mod tests {
    use cuda_safe::{Context, DeviceBuffer, bytemuck};

    use super::*;
    use crate::element::DataType;

    const U32: Keys = Keys {
        data: DataType::U32,
        descending: false,
    };

    fn plan(kernels: &Kernels, data: DataType, items: Items, lines: u64, length: u64) -> Plan {
        let keys = Keys { data, ..U32 };
        Plan::new(kernels.hardware(), (keys, true), items, lines, length)
    }

    #[test]
    fn the_way_depends_on_size_and_type() {
        let kernels = Kernels::new(&Context::primary(0).unwrap()).unwrap();
        let way = |data, items, length| plan(&kernels, data, items, 1, length).way;
        let values = Items::Values(DataType::I64);
        assert!(matches!(
            way(DataType::U32, Items::None, 8192),
            Way::Rows(_)
        ));
        assert!(matches!(
            way(DataType::U32, Items::None, 8193),
            Way::Sweeps(_)
        ));
        assert!(matches!(way(DataType::U32, values, 4096), Way::Rows(_)));
        assert!(matches!(way(DataType::U32, values, 4097), Way::Sweeps(_)));
        assert_eq!(way(DataType::Bool, Items::None, 8193), Way::Fill);
        assert!(matches!(
            way(DataType::U8, Items::Places, 8193),
            Way::Sweeps(_)
        ));
    }

    #[test]
    fn scratch_memory_has_all_parts() {
        let kernels = Kernels::new(&Context::primary(0).unwrap()).unwrap();
        let scratch = |data, items, length| plan(&kernels, data, items, 1, length).scratch();
        assert_eq!(scratch(DataType::U32, Items::None, 8192).bytes, 0);
        let counted = scratch(DataType::I8, Items::None, 1 << 20);
        assert_eq!((counted.bytes, counted.zeroed), (256 + 1024, 256 + 1024));
        let pairs = scratch(DataType::U32, Items::Values(DataType::U16), 1 << 20);
        assert_eq!(
            pairs.states[1] - pairs.states[0],
            pairs.keys - pairs.states[1]
        );
        assert_eq!(
            (pairs.items - pairs.keys, pairs.spare - pairs.items),
            (4 << 20, 2 << 20)
        );
        assert_eq!((pairs.zeroed, pairs.bytes), (pairs.states[1], pairs.spare));
        // One pass has no second states, and nothing between passes.
        let one = scratch(DataType::U8, Items::Places, 1 << 20);
        assert_eq!((one.keys, one.bytes), (one.states[1], one.states[1]));
    }

    #[test]
    fn counts_of_64_bits_sort_too() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let kernels = Kernels::new(&context).unwrap();
        assert!(plan(&kernels, DataType::U32, Items::None, 1, 1 << 30).wide);
        for data in [DataType::U32, DataType::U8] {
            let mut plan = plan(&kernels, data, Items::None, 1, 20_000);
            plan.wide = true;
            let mut wanted: Vec<u32> = (0..20_000)
                .map(|i: u32| i.wrapping_mul(0x9e37_79b9))
                .collect();
            let keys = DeviceBuffer::from_slice(&stream, &wanted).unwrap();
            match data.size() {
                1 => bytemuck::cast_slice_mut::<_, u8>(&mut wanted)[..20_000].sort_unstable(),
                _ => wanted.sort_unstable(),
            }
            let mut scratch = DeviceBuffer::uninit(&stream, plan.scratch().bytes as usize).unwrap();
            scratch.fill(&stream, 0u8).unwrap();
            let queue = Queue {
                kernels: &kernels,
                stream: &stream,
                memories: &[],
            };
            let address = keys.as_device_ptr();
            let results = Results {
                keys: address,
                items: 0,
            };
            let input = Input::Memory(address, 0);
            // SAFETY: the keys are 20,000 elements, sorted in place. The scratch memory is zero, and all
            // memory belongs to the stream.
            unsafe { plan.enqueue(&queue, &input, results, 20_000, scratch.as_device_ptr()) }
                .unwrap();
            assert!(keys.to_vec(&stream).unwrap() == wanted, "{data:?}");
        }
    }
}
