//! The contexts, streams and kernels of a program, and the objects that its threads share.

use std::sync::{
    Mutex, RwLock,
    atomic::{AtomicBool, Ordering},
};

use cuda_safe::{
    Context, ContextFlags, Device, Event, Function, MemoryPool, Module, Result, Stream,
    StreamOptions, array::CudaArray, memory::Signal,
};

use super::{
    buffers::Buffer,
    graphs::Launchable,
    host_memory::Pending,
    model::Model,
    operation::{ARRAYS, BUFFERS, CONTEXTS, EVENTS, GRAPHS, POOLS, STREAMS, TRANSFERS},
    program::{Class, Program},
    random::Random,
};

/// `add` adds a value to each element, `trap` and `outside` fault.
pub const KERNELS: &str = r"
.version 7.0
.target sm_70
.address_size 64
.visible .entry add(.param .u64 to, .param .u32 n, .param .u32 value)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [to];
    ld.param.u32 %r1, [n];
    ld.param.u32 %r2, [value];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.u32 %r3, %r3, %r4, %r5;
    setp.ge.u32 %p1, %r3, %r1;
    @%p1 bra DONE;
    cvta.to.global.u64 %rd1, %rd1;
    mul.wide.u32 %rd2, %r3, 4;
    add.u64 %rd1, %rd1, %rd2;
    ld.global.u32 %r6, [%rd1];
    add.u32 %r6, %r6, %r2;
    st.global.u32 [%rd1], %r6;
DONE:
    ret;
}
.visible .entry trap()
{
    trap;
}
.visible .entry outside()
{
    .reg .b64 %rd<2>;
    .reg .b32 %r<2>;
    mov.u64 %rd1, 64;
    mov.u32 %r1, 1;
    st.global.u32 [%rd1], %r1;
    ret;
}
";

/// The kernels of one context.
pub struct Kernels {
    pub add: Function,
    pub trap: Function,
    pub outside: Function,
}

/// The slot of a shared object.
pub type Slot<T> = Mutex<Option<T>>;

fn slots<T>(count: usize) -> Vec<Slot<T>> {
    (0..count).map(|_| Mutex::new(None)).collect()
}

pub struct World {
    // Fields are dropped in this order. Programs drop objects in other orders.
    /// Signals are kept until the end, because dropping one leaks it if a stream that used it still has work.
    pub signals: Mutex<Vec<Signal<u32>>>,
    pub transfers: Vec<Slot<Pending>>,
    pub graphs: Vec<Slot<Launchable>>,
    pub arrays: Vec<Slot<(CudaArray, Model)>>,
    pub buffers: Vec<Slot<Buffer>>,
    /// Pools and the numbers of their contexts.
    pub pools: Vec<Slot<(MemoryPool, usize)>>,
    pub events: Vec<Slot<Event>>,
    pub kernels: Vec<Kernels>,
    created: Vec<[Stream; 3]>,
    pub contexts: Vec<Context>,
    /// One lock for each stream. A capture takes it for writing, and calls that a capture would record take it for
    /// reading, as the contract of [`Stream::capture`] demands.
    pub locks: Vec<RwLock<()>>,
    /// Set before a fault is enqueued. Afterwards any call may fail, and contents are unspecified.
    pub faulted: AtomicBool,
    /// Whether the program has global captures.
    pub has_global: bool,
    /// The length of all buffers, in elements.
    pub len: usize,
}

impl World {
    pub fn new(program: &Program) -> Result<Self> {
        let class = program.settings.class;
        // Only the contexts that the program uses: a fault says more in a process with one context.
        let steps = program.steps.iter();
        let used: Vec<usize> = steps.flat_map(|step| step.operation.contexts()).collect();
        let first = used.first().copied().unwrap_or(0);
        let create = |number| match number {
            0 => Context::primary(0),
            1 => Context::create(Device::get(0)?, ContextFlags::AUTO),
            _ => Context::primary(1),
        };
        let first = create(first)?;
        let mut contexts = Vec::new();
        for number in 0..CONTEXTS {
            contexts.push(match used.contains(&number) && used[0] != number {
                true => create(number)?,
                false => first.clone(),
            });
        }
        let blocking = StreamOptions::default().blocking(true);
        let mut created = Vec::new();
        let mut kernels = Vec::new();
        for context in &contexts {
            created.push([
                Stream::new(context)?,
                Stream::new(context)?,
                Stream::with_options(context, blocking)?,
            ]);
            let module = Module::from_ptx(context, KERNELS)?;
            kernels.push(Kernels {
                add: module.function("add")?,
                trap: module.function("trap")?,
                outside: module.function("outside")?,
            });
        }
        let mut random = Random::new(program.seed ^ 0x1e46);
        Ok(Self {
            transfers: slots(TRANSFERS),
            graphs: slots(GRAPHS),
            arrays: slots(ARRAYS),
            buffers: slots(BUFFERS),
            pools: slots(POOLS),
            events: slots(EVENTS),
            signals: Mutex::default(),
            kernels,
            created,
            contexts,
            locks: (0..CONTEXTS * STREAMS).map(|_| RwLock::new(())).collect(),
            faulted: AtomicBool::new(class == Class::Failures),
            has_global: program.steps.iter().any(|step| step.operation.is_global()),
            len: random.choose(&[2, 64, 64, 1000, 3000]),
        })
    }

    /// Returns the stream of a number. A per-thread default stream is that of the calling thread.
    pub fn stream(&self, number: usize) -> Stream {
        let (context, stream) = (number / STREAMS, number % STREAMS);
        match stream {
            3 => Stream::legacy_default(&self.contexts[context]),
            4 => Stream::per_thread_default(&self.contexts[context]),
            _ => self.created[context][stream].clone(),
        }
    }

    pub fn device_of(&self, stream: usize) -> u32 {
        self.contexts[context_of(stream)].device().ordinal()
    }

    /// Waits for all streams except per-thread default streams.
    pub fn settle(&self) {
        for (context, created) in self.contexts.iter().zip(&self.created) {
            let legacy = Stream::legacy_default(context);
            for stream in created.iter().chain([&legacy]) {
                let _ = stream.settle();
            }
        }
    }

    pub fn has_faulted(&self) -> bool {
        self.faulted.load(Ordering::SeqCst)
    }
}

pub fn context_of(stream: usize) -> usize {
    stream / STREAMS
}

pub fn is_legacy(stream: usize) -> bool {
    stream % STREAMS == 3
}

/// Whether the number means the calling thread's default stream.
pub fn is_per_thread(stream: usize) -> bool {
    stream % STREAMS == 4
}

/// Returns the streams whose captures affect work enqueued on this one.
pub fn captured_with(stream: usize) -> Vec<usize> {
    let first = context_of(stream) * STREAMS;
    match is_legacy(stream) {
        // The legacy default stream fails while a blocking stream is captured.
        true => vec![first + 2, first + 3, first + 4],
        false => vec![stream],
    }
}

/// Returns `len` elements that count up from a value.
pub fn pattern(value: u32, len: usize) -> Vec<u32> {
    (0..len as u32).map(|i| value.wrapping_add(i)).collect()
}
