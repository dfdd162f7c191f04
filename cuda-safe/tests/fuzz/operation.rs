//! The operations of programs. They name objects by numbers. An operation whose object does not exist does nothing, so
//! every selection of steps is a program.

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
    CaptureInScope { stream: usize, buffer: usize, value: u32 },
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
            | Self::CaptureInScope { stream, .. }
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
}
