//! The operations of programs. They name objects by numbers. An operation whose object does not exist does nothing, so
//! every selection of steps is a program.

use super::random::Random;

/// The number of contexts: two of device 0 and one of device 1.
pub const CONTEXTS: usize = 3;
/// The number of streams of each context: two non-blocking streams, a blocking one, the legacy default stream and the
/// per-thread default stream.
pub const STREAMS: usize = 5;
pub const BUFFERS: usize = 6;
pub const TRANSFERS: usize = 4;
pub const EVENTS: usize = 3;
pub const GRAPHS: usize = 3;
pub const POOLS: usize = 2;
pub const ARRAYS: usize = 2;

/// The kinds of memory that a buffer may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Device,
    /// Memory of the pool with this number.
    Pool(usize),
    Mapped,
    Managed,
}

/// The first contents of a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    Zeroed,
    FromSlice,
    Filled,
}

/// How a second stream uses mapped memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Use {
    /// It does not.
    None,
    /// It copies a buffer there.
    Copy,
    /// It runs a host function, then copies a buffer there.
    SlowCopy,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    Relaxed,
    ThreadLocal,
    Global,
}

/// The kinds of memory for page-sized elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Page {
    Pinned,
    Mapped,
    Managed,
    Device,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trap {
    Instruction,
    Address,
}

/// An operation. `stream` counts through the streams of all contexts. `value` is written to memory.
#[rustfmt::skip]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation {
    // Buffers.
    New { buffer: usize, stream: usize, kind: Kind, start: Start, value: u32 },
    Drop { buffer: usize },
    Forget { buffer: usize },
    Write { buffer: usize, stream: usize, value: u32 },
    Read { buffer: usize, stream: usize },
    Fill { buffer: usize, stream: usize, value: u32, half: bool },
    Copy { to: usize, from: usize, stream: usize },
    Kernel { buffer: usize, stream: usize, value: u32 },
    Host { buffer: usize, value: u32 },
    Region { buffer: usize, stream: usize, value: u32 },
    Batch { to: usize, from: usize, stream: usize, value: u32 },
    Scope { stream: usize, to: usize, from: usize, value: u32, microseconds: u64 },
    // Transfers.
    Upload { transfer: usize, buffer: usize, stream: usize, value: u32 },
    Download { transfer: usize, buffer: usize, stream: usize },
    Wait { transfer: usize },
    DropTransfer { transfer: usize },
    ForgetTransfer { transfer: usize },
    // Borrowed and owned host memory.
    Map { stream: usize, other: usize, from: usize, by: Use, value: u32, milliseconds: u64 },
    PageLock { stream: usize, buffer: usize, value: u32 },
    Register { stream: usize, other: usize, from: usize, value: u32 },
    Pinned { stream: usize, value: u32 },
    Aligned { stream: usize, page: Page },
    PassSlice { stream: usize, value: u32 },
    Stage { stream: usize, on: bool },
    // Order.
    HostFunction { stream: usize, microseconds: u64 },
    Record { event: usize, stream: usize },
    WaitEvent { event: usize, stream: usize },
    QueryEvent { event: usize },
    WaitStream { stream: usize, other: usize },
    Query { stream: usize },
    Synchronize { stream: usize },
    SynchronizeContext { context: usize },
    Finished { stream: usize, forget: bool },
    Signal { stream: usize, other: usize },
    Sleep { microseconds: u64 },
    // Graphs. Steps that follow a capture may be inside of it.
    Capture { graph: usize, stream: usize, joined: usize, mode: Mode, value: u32, microseconds: u64 },
    EmptyCaptures { stream: usize, count: usize },
    Build { graph: usize, stream: usize, value: u32, microseconds: u64 },
    Launch { graph: usize, stream: usize },
    ReadGraph { graph: usize },
    SetFunction { graph: usize, microseconds: u64 },
    SetFill { graph: usize, value: u32 },
    Update { graph: usize, value: u32 },
    Rebuild { graph: usize },
    DropGraph { graph: usize },
    ForgetGraph { graph: usize },
    // Pools.
    NewPool { pool: usize, context: usize },
    MakeCurrent { pool: usize },
    CurrentPool { pool: usize, context: usize },
    DefaultPool { context: usize },
    DropPool { pool: usize },
    // Others.
    NewArray { array: usize, stream: usize, value: u32 },
    ReadArray { array: usize, stream: usize },
    DropArray { array: usize },
    DropArrays { stream: usize, count: usize },
    FillArray { array: usize, buffer: usize, stream: usize, back: bool },
    Module { context: usize },
    Current { context: usize, forget: bool },
    Peer { buffer: usize, stream: usize, value: u32, forget: bool },
    Fault { stream: usize, trap: Trap },
}

impl Operation {
    /// Whether the operation leaks something on purpose.
    pub fn forgets(self) -> bool {
        matches!(
            self,
            Self::Forget { .. }
                | Self::ForgetTransfer { .. }
                | Self::ForgetGraph { .. }
                | Self::Finished { forget: true, .. }
                | Self::Peer { forget: true, .. }
                | Self::Current { forget: true, .. }
        )
    }

    pub fn is_fault(self) -> bool {
        matches!(self, Self::Fault { .. })
    }

    pub fn is_capture(self) -> bool {
        matches!(self, Self::Capture { .. })
    }

    /// Returns the contexts that the operation names, by themselves or by a stream.
    pub fn contexts(self) -> Vec<usize> {
        let (streams, contexts): (Vec<usize>, Vec<usize>) = match self {
            Self::New { stream, .. }
            | Self::Write { stream, .. }
            | Self::Read { stream, .. }
            | Self::Fill { stream, .. }
            | Self::Copy { stream, .. }
            | Self::Kernel { stream, .. }
            | Self::Region { stream, .. }
            | Self::Batch { stream, .. }
            | Self::Scope { stream, .. }
            | Self::Upload { stream, .. }
            | Self::Download { stream, .. }
            | Self::PageLock { stream, .. }
            | Self::Pinned { stream, .. }
            | Self::Aligned { stream, .. }
            | Self::PassSlice { stream, .. }
            | Self::Stage { stream, .. }
            | Self::HostFunction { stream, .. }
            | Self::Record { stream, .. }
            | Self::WaitEvent { stream, .. }
            | Self::Query { stream }
            | Self::Synchronize { stream }
            | Self::Finished { stream, .. }
            | Self::Build { stream, .. }
            | Self::EmptyCaptures { stream, .. }
            | Self::DropArrays { stream, .. }
            | Self::Launch { stream, .. }
            | Self::NewArray { stream, .. }
            | Self::ReadArray { stream, .. }
            | Self::FillArray { stream, .. }
            | Self::Peer { stream, .. }
            | Self::Fault { stream, .. } => (vec![stream], vec![]),
            Self::Map { stream, other, .. }
            | Self::Register { stream, other, .. }
            | Self::WaitStream { stream, other }
            | Self::Signal { stream, other }
            | Self::Capture {
                stream,
                joined: other,
                ..
            } => (vec![stream, other], vec![]),
            Self::SynchronizeContext { context }
            | Self::NewPool { context, .. }
            | Self::CurrentPool { context, .. }
            | Self::DefaultPool { context }
            | Self::Module { context }
            | Self::Current { context, .. } => (vec![], vec![context]),
            _ => (vec![], vec![]),
        };
        let of_streams = streams.into_iter().map(|stream| stream / STREAMS);
        of_streams.chain(contexts).collect()
    }

    pub fn is_global(self) -> bool {
        matches!(
            self,
            Self::Capture {
                mode: Mode::Global,
                ..
            }
        )
    }

    /// Replaces the global mode by the thread-local one.
    pub fn without_global(mut self) -> Self {
        if let Self::Capture { mode, .. } = &mut self
            && *mode == Mode::Global
        {
            *mode = Mode::ThreadLocal;
        }
        self
    }

    /// Returns a random operation on one or two of the streams.
    pub fn random(random: &mut Random, streams: &[usize]) -> Self {
        let stream = random.choose(streams);
        let other = random.choose(streams);
        let buffer = random.below(BUFFERS);
        let from = random.below(BUFFERS);
        let transfer = random.below(TRANSFERS);
        let graph = random.below(GRAPHS);
        let event = random.below(EVENTS);
        let pool = random.below(POOLS);
        let array = random.below(ARRAYS);
        let context = stream / STREAMS;
        let value = random.below(1 << 16) as u32 + 1;
        let microseconds = random.choose(&[0, 0, 20, 100, 300, 1000, 3000]);
        let milliseconds = random.choose(&[0, 1, 4, 10]);
        let forget = false;
        match random.below(109) {
            0..=9 => Self::new_buffer(random, buffer, stream, value),
            10..=12 => Self::Drop { buffer },
            13..=17 => Self::Write {
                buffer,
                stream,
                value,
            },
            18..=23 => Self::Read { buffer, stream },
            24..=26 => Self::Fill {
                buffer,
                stream,
                value,
                half: random.chance(40),
            },
            27..=29 => Self::Copy {
                to: buffer,
                from,
                stream,
            },
            30..=31 => Self::Kernel {
                buffer,
                stream,
                value,
            },
            32 => Self::Host { buffer, value },
            33 => Self::Region {
                buffer,
                stream,
                value,
            },
            34 => Self::Batch {
                to: buffer,
                from,
                stream,
                value,
            },
            35..=38 => Self::Scope {
                stream,
                to: buffer,
                from,
                value,
                microseconds,
            },
            39..=41 => Self::Upload {
                transfer,
                buffer,
                stream,
                value,
            },
            42..=43 => Self::Download {
                transfer,
                buffer,
                stream,
            },
            44..=45 => Self::Wait { transfer },
            46 => Self::DropTransfer { transfer },
            47..=49 => {
                let by = random.choose(&[Use::None, Use::Copy, Use::SlowCopy, Use::SlowCopy]);
                Self::Map {
                    stream,
                    other,
                    from,
                    by,
                    value,
                    milliseconds,
                }
            }
            50 => Self::PageLock {
                stream,
                buffer,
                value,
            },
            51 => Self::Register {
                stream,
                other,
                from,
                value,
            },
            52 => Self::Pinned { stream, value },
            53 => {
                let pages = [Page::Pinned, Page::Mapped, Page::Managed, Page::Device];
                Self::Aligned {
                    stream,
                    page: random.choose(&pages),
                }
            }
            54..=55 => Self::HostFunction {
                stream,
                microseconds,
            },
            56 => Self::Record { event, stream },
            57 => Self::WaitEvent { event, stream },
            58 => Self::QueryEvent { event },
            59..=60 => Self::WaitStream { stream, other },
            61 => Self::Query { stream },
            62..=63 => Self::Synchronize { stream },
            64 => Self::SynchronizeContext { context },
            65 => Self::Finished { stream, forget },
            66 => Self::Signal { stream, other },
            67 => Self::Sleep { microseconds },
            68..=75 => {
                let modes = [
                    Mode::Relaxed,
                    Mode::ThreadLocal,
                    Mode::ThreadLocal,
                    Mode::Global,
                ];
                let mode = random.choose(&modes);
                Self::Capture {
                    graph,
                    stream,
                    joined: other,
                    mode,
                    value,
                    microseconds,
                }
            }
            76..=78 => Self::Build {
                graph,
                stream,
                value,
                microseconds,
            },
            79..=82 => Self::Launch { graph, stream },
            83 => Self::ReadGraph { graph },
            84 => Self::SetFunction {
                graph,
                microseconds,
            },
            85 => Self::SetFill { graph, value },
            86 => Self::Update { graph, value },
            87 => Self::Rebuild { graph },
            88 => Self::DropGraph { graph },
            89 => Self::NewPool { pool, context },
            90 => Self::MakeCurrent { pool },
            91 => Self::CurrentPool { pool, context },
            92 => Self::DefaultPool { context },
            93 => Self::DropPool { pool },
            94 => Self::NewArray {
                array,
                stream,
                value,
            },
            95 => Self::ReadArray { array, stream },
            96 => Self::DropArray { array },
            97 => Self::Module { context },
            98 => Self::FillArray {
                array,
                buffer,
                stream,
                back: random.chance(50),
            },
            99..=100 => Self::PassSlice { stream, value },
            101 => Self::Stage {
                stream,
                on: random.chance(60),
            },
            102 => Self::Current { context, forget },
            103 | 104 => Self::EmptyCaptures {
                stream,
                count: random.choose(&[1, 30, 200]),
            },
            105 => Self::DropArrays {
                stream,
                count: random.choose(&[1, 30, 200]),
            },
            _ => Self::Peer {
                buffer,
                stream,
                value,
                forget,
            },
        }
    }

    fn new_buffer(random: &mut Random, buffer: usize, stream: usize, value: u32) -> Self {
        let pool = random.below(POOLS);
        let kinds = [
            Kind::Device,
            Kind::Device,
            Kind::Pool(pool),
            Kind::Mapped,
            Kind::Managed,
        ];
        let starts = [Start::Zeroed, Start::FromSlice, Start::Filled];
        let (kind, start) = (random.choose(&kinds), random.choose(&starts));
        Self::New {
            buffer,
            stream,
            kind,
            start,
            value,
        }
    }

    /// Returns a random operation that leaks something on purpose.
    pub fn random_forget(random: &mut Random, streams: &[usize]) -> Self {
        let (buffer, graph) = (random.below(BUFFERS), random.below(GRAPHS));
        let (stream, value, forget) = (random.choose(streams), 3, true);
        match random.below(6) {
            0 => Self::Forget { buffer },
            1 => Self::ForgetTransfer {
                transfer: random.below(TRANSFERS),
            },
            2 => Self::ForgetGraph { graph },
            3 => Self::Finished { stream, forget },
            4 => Self::Current {
                context: stream / STREAMS,
                forget,
            },
            _ => Self::Peer {
                buffer,
                stream,
                value,
                forget,
            },
        }
    }

    pub fn random_fault(random: &mut Random, streams: &[usize]) -> Self {
        let trap = random.choose(&[Trap::Instruction, Trap::Address]);
        Self::Fault {
            stream: random.choose(streams),
            trap,
        }
    }
}
