//! The kernels of sorts.

use super::key::{Items, Keys};
use crate::{
    element::DataType,
    expression::{
        fused::{self, Fused},
        hashed::Hashed,
        render::Form,
    },
    kernel::{ARRAYS, Source, Specialisation},
};

/// The assignment of keys to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Block {
    pub(super) threads: u32,
    /// Keys per thread.
    pub(super) items: u32,
    /// Blocks per multiprocessor that the compiler must leave registers for.
    pub(super) per_multiprocessor: u32,
}

impl Block {
    /// Returns the number of a block's keys.
    pub(super) fn tile(self) -> u64 {
        u64::from(self.threads * self.items)
    }
}

/// The source of keys and items.
#[derive(Debug)]
pub(super) enum Input<'a> {
    Expression(&'a Fused),
    /// The addresses of keys and items in memory.
    Memory(u64, u64),
}

impl Input<'_> {
    pub(super) fn form(&self) -> Option<Hashed<Form>> {
        match self {
            Self::Expression(fused) => Some(fused.form.clone()),
            Self::Memory(..) => None,
        }
    }

    /// Returns the addresses of keys and items, which expressions don't use.
    pub(super) const fn addresses(&self) -> (u64, u64) {
        match *self {
            Self::Expression(_) => (0, 0),
            Self::Memory(keys, items) => (keys, items),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Entry {
    Count,
    Sweep,
    Rows,
    Fill,
}

/// A kernel of a sort.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SortKernel {
    pub(super) entry: Entry,
    /// The expression that is read, unless keys and items are in memory.
    pub(super) form: Option<Hashed<Form>>,
    pub(super) keys: Keys,
    pub(super) moved: Moved,
    pub(super) block: Block,
    /// Whether counts need 64 bits.
    pub(super) wide: bool,
}

/// What a kernel does with items and with the keys of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Moved {
    pub(super) items: Items,
    /// Bytes of an item that is read.
    pub(super) item_bytes: usize,
    /// Bytes of an item that is written.
    pub(super) out_bytes: usize,
    /// Whether the kernel creates the items instead of reading them.
    pub(super) places: bool,
    pub(super) writes_keys: bool,
}

impl Moved {
    /// Keys without items.
    pub(super) const KEYS: Self = Self {
        items: Items::None,
        item_bytes: 0,
        out_bytes: 0,
        places: false,
        writes_keys: true,
    };
}

impl Specialisation for SortKernel {
    fn source(&self) -> Source {
        let source = match self.entry {
            Entry::Count => Source::new(
                "sort_count.cu",
                include_str!("../kernels/sort_count.cu"),
                "sort_count",
            ),
            Entry::Sweep => Source::new(
                "sort_sweep.cu",
                include_str!("../kernels/sort_sweep.cu"),
                "sort_sweep",
            ),
            Entry::Rows => Source::new(
                "sort_rows.cu",
                include_str!("../kernels/sort_rows.cu"),
                "sort_rows",
            ),
            Entry::Fill => Source::new(
                "sort_fill.cu",
                include_str!("../kernels/sort_fill.cu"),
                "sort_fill",
            ),
        };
        let item = match self.moved.items {
            Items::Values(data) => data,
            Items::None | Items::Places => DataType::U64,
        };
        keyed(source, self.keys, self.form.as_ref())
            .header("sort_input.cuh", include_str!("../kernels/sort_input.cuh"))
            .define("THREADS", self.block.threads)
            .define("ITEMS", self.block.items)
            .define("BLOCKS", self.block.per_multiprocessor)
            .define("COUNT", if self.wide { "u64" } else { "unsigned" })
            .define("ITEM_BYTES", self.moved.item_bytes)
            .define("OUT_BYTES", self.moved.out_bytes)
            .define("PLACES", u8::from(self.moved.places))
            .define("ITEM", item.stored())
            .define("ITEM_VALUE", item.computed())
            .define("WRITE_KEYS", u8::from(self.moved.writes_keys))
    }
}

/// Adds the headers and macros that describe keys.
pub(crate) fn keyed(source: Source, keys: Keys, form: Option<&Hashed<Form>>) -> Source {
    let source = match form {
        Some(form) => fused::source(source, form),
        None => source
            .header("scalar.cuh", include_str!("../kernels/scalar.cuh"))
            .header("array.cuh", ARRAYS),
    };
    source
        .header("sort.cuh", include_str!("../kernels/sort.cuh"))
        .define("FUSED", u8::from(form.is_some()))
        .define("KEY", keys.data.stored())
        .define("KEY_VALUE", keys.data.computed())
        .define("FRACTION", keys.fraction())
        .define("SIGNED", u8::from(keys.is_signed()))
        .define("DESCENDING", u8::from(keys.descending))
}
