//! The compiled kernels of a context.

use std::{
    any::{Any, TypeId},
    fmt,
    hash::{Hash, Hasher},
    sync::{Arc, Mutex, OnceLock, RwLock, Weak},
};

use cuda_safe::{ComputeCapability, Context, DeviceAttribute, Function, Module, Stream};
use rustc_hash::FxHashMap;

use super::{
    Results, Source, Workspaces,
    lock::{lock, read, write},
    spare::SpareMemory,
};
use crate::error::Result;

/// The identity of a kernel: the computation, the types and the variant.
///
/// Every user-level call looks up a kernel, which hashes and compares this value. It must therefore
/// be small, and cloning it must not allocate.
pub(crate) trait Specialisation:
    Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static
{
    /// Returns the source to compile.
    fn source(&self) -> Source;

    /// Prepares the loaded kernel. This is called once, before any other thread can use the kernel.
    fn prepare(&self, kernel: &Function) -> Result<()> {
        let _ = kernel;
        Ok(())
    }
}

/// The compiled kernels of one context.
///
/// Kernels are compiled at their first use. They are kept until this object, its clones and the
/// algorithms that use it are dropped. Cloning creates another reference to the same kernels.
/// Algorithms that share one `Kernels` compile each kernel once. Algorithms created from a context
/// alone have their own kernels.
///
/// There is deliberately no process-wide list of owned kernels. Such a list would keep owned
/// contexts alive after their users have dropped them, and outlive borrowed contexts.
///
/// ```
/// use cuda_compute::{Kernels, Reducer};
/// use cuda_safe::{Context, DeviceBuffer, Stream};
///
/// # fn main() -> cuda_compute::Result<()> {
/// let context = Context::primary(0)?;
/// let kernels = Kernels::new(&context)?;
/// let (one, another) = (Reducer::with_kernels(&kernels), Reducer::with_kernels(&kernels));
/// let stream = Stream::new(&context)?;
/// let data = DeviceBuffer::from_slice(&stream, &[1.0f32, 2.0])?;
/// assert_eq!(one.sum(&stream, &data)?, another.sum(&stream, &data)?); // one compilation
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Kernels(Arc<Inner>);

/// The number of [`zeroed`](Kernels::zeroed) words for each stream.
pub(crate) const ZEROED_WORDS: usize = 1 << 14;

/// The parts that the arrays of a context share. Their streams own references to them.
static SHARED: Mutex<Vec<Weak<OfContext>>> = Mutex::new(Vec::new());

struct Inner {
    of_context: Arc<OfContext>,
    /// For reductions of arrays: counters of finished blocks, or published partial results.
    zeroed: OnceLock<Workspaces>,
    /// For reductions of arrays: the partial results that blocks leave for the last block of a
    /// result, which are not zero afterwards.
    partials: OnceLock<Workspaces>,
    /// For scans of arrays: the state that the tiles of a line exchange.
    tiles: OnceLock<Workspaces>,
    /// The memory of dropped arrays.
    spare: SpareMemory,
    /// The handles of the library that computes matrix products.
    products: Attached,
}

/// The parts that own references to the context, but to no stream, so that a stream can own them.
struct OfContext {
    context: Context,
    hardware: Hardware,
    compiled: RwLock<FxHashMap<Box<dyn Key>, Arc<Slot>>>,
    /// Results for which the host waits.
    results: Results,
    /// The plans of the library that computes Fourier transforms.
    transforms: Attached,
    /// The evaluations of expressions that later ones can repeat.
    repeats: Attached,
    /// The object that the arrays of the context share. It exists as long as one of them.
    shared: Mutex<Weak<Inner>>,
}

/// An object whose type a higher room defines.
#[derive(Default)]
pub(crate) struct Attached(OnceLock<Box<dyn Any + Send + Sync>>);

impl Attached {
    /// Returns the object, which the first call creates.
    pub(crate) fn get<H: Any + Send + Sync + Default>(&self) -> &H {
        let object: &dyn Any = &**self.0.get_or_init(|| Box::new(H::default()));
        object
            .downcast_ref()
            .expect("all callers ask for the same type")
    }
}

/// The device properties that determine the variants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hardware {
    pub(crate) capability: ComputeCapability,
    pub(crate) multiprocessors: u32,
    /// Bytes of shared memory that a block can have if it opts in.
    pub(crate) shared_per_block: u32,
}

impl Hardware {
    /// Returns the number of elements for each thread if there are only as many threads as keep the
    /// device busy. A thread computes its elements one after the other, so that small arrays take
    /// less time with many threads than with wide vectors.
    pub(crate) fn elements_of_a_thread(&self, elements: u64) -> u64 {
        let threads = u64::from(self.multiprocessors.max(1)) * 1024;
        (elements / threads).max(1)
    }
}

/// The entry of a kernel. It is empty until the kernel is compiled, and after a failure.
#[derive(Default)]
struct Slot {
    kernel: OnceLock<Function>,
    /// Held by the compiling thread.
    compiling: Mutex<()>,
}

impl OfContext {
    fn new(context: &Context) -> Result<Self> {
        let device = context.device();
        let shared = device.attribute(DeviceAttribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        let hardware = Hardware {
            capability: device.compute_capability()?,
            multiprocessors: device.multiprocessor_count()?,
            shared_per_block: u32::try_from(shared).unwrap_or(0),
        };
        Ok(Self {
            context: context.clone(),
            hardware,
            compiled: RwLock::default(),
            results: Results::new(context),
            transforms: Attached::default(),
            repeats: Attached::default(),
            shared: Mutex::default(),
        })
    }

    /// Returns the parts that the arrays of this context share.
    fn of(context: &Context) -> Result<Arc<Self>> {
        // Created before and dropped after the list is locked, because both can call the driver.
        let new = Arc::new(Self::new(context)?);
        let mut known = lock(&SHARED);
        known.retain(|parts| parts.strong_count() > 0);
        let live: Vec<_> = known.iter().filter_map(Weak::upgrade).collect();
        let found = live.iter().find(|parts| parts.context == *context);
        let parts = found.unwrap_or(&new).clone();
        if found.is_none() {
            known.push(Arc::downgrade(&new));
        }
        drop(known);
        Ok(parts)
    }
}

impl Kernels {
    /// Creates an empty collection of kernels.
    ///
    /// # Errors
    /// Returns an error if the device's compute capability, number of multiprocessors or memory can't
    /// be read.
    pub fn new(context: &Context) -> Result<Self> {
        Self::with(Arc::new(OfContext::new(context)?))
    }

    fn with(of_context: Arc<OfContext>) -> Result<Self> {
        Ok(Self(Arc::new(Inner {
            zeroed: OnceLock::new(),
            partials: OnceLock::new(),
            tiles: OnceLock::new(),
            spare: SpareMemory::new(&of_context.context)?,
            products: Attached::default(),
            of_context,
        })))
    }

    /// Returns the kernels that the arrays of this stream's context share. Compiled kernels exist as
    /// long as an array, or a stream for which this was called.
    pub(crate) fn of(stream: &Stream) -> Result<Self> {
        let parts = stream.attached(|| OfContext::of(stream.context()))?;
        if let Some(inner) = lock(&parts.shared).upgrade() {
            return Ok(Self(inner));
        }
        let new = Self::with(parts.clone())?;
        let mut shared = lock(&parts.shared);
        if let Some(inner) = shared.upgrade() {
            drop(shared);
            return Ok(Self(inner));
        }
        *shared = Arc::downgrade(&new.0);
        Ok(new)
    }

    /// Returns the context that kernels are loaded into.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.0.of_context.context
    }

    /// Returns the number of compiled kernels.
    #[must_use]
    pub fn compiled(&self) -> usize {
        let compiled = read(&self.0.of_context.compiled);
        let done = compiled.values().filter(|slot| slot.kernel.get().is_some());
        done.count()
    }

    /// Returns the words of reductions that are zero before and after each kernel:
    /// [`ZEROED_WORDS`] for each stream.
    pub(crate) fn zeroed(&self) -> &Workspaces {
        let zeroed = &self.0.zeroed;
        zeroed.get_or_init(|| Workspaces::new(ZEROED_WORDS))
    }

    /// Returns the partial results of reductions, which have `words` words for each stream. All
    /// callers must ask for the same number.
    pub(crate) fn partials(&self, words: usize) -> &Workspaces {
        self.0.partials.get_or_init(|| Workspaces::new(words))
    }

    /// Returns the state of scans: see [`partials`](Self::partials).
    pub(crate) fn tiles(&self, words: usize) -> &Workspaces {
        self.0.tiles.get_or_init(|| Workspaces::new(words))
    }

    /// Returns the pool of page-locked words for results that the host waits for.
    pub(crate) fn results(&self) -> &Results {
        &self.0.of_context.results
    }

    /// Returns the memory of dropped arrays.
    pub(crate) fn spare(&self) -> &SpareMemory {
        &self.0.spare
    }

    /// Returns the handles of the library that computes matrix products.
    pub(crate) fn products(&self) -> &Attached {
        &self.0.products
    }

    /// Returns the plans of the library that computes Fourier transforms.
    pub(crate) fn transforms(&self) -> &Attached {
        &self.0.of_context.transforms
    }

    /// Returns the evaluations of expressions that later ones can repeat.
    pub(crate) fn repeats(&self) -> &Attached {
        &self.0.of_context.repeats
    }

    pub(crate) fn hardware(&self) -> &Hardware {
        &self.0.of_context.hardware
    }

    /// Returns the kernel and compiles it at its first use. One thread compiles it, while others
    /// that need the same kernel wait.
    ///
    /// If the kernel is compiled, this costs a read lock, a hash and comparison of a few words, and
    /// another reference to the function: 40 ns for a reduction, half of it for the lock and the
    /// reference (AMD EPYC).
    pub(crate) fn get<S: Specialisation>(&self, wanted: &S) -> Result<Function> {
        let compiled = read(&self.0.of_context.compiled);
        let slot = compiled.get(wanted as &dyn Key);
        if let Some(kernel) = slot.and_then(|slot| slot.kernel.get()) {
            return Ok(kernel.clone());
        }
        drop(compiled);
        self.compile(wanted)
    }

    #[cold]
    fn compile<S: Specialisation>(&self, wanted: &S) -> Result<Function> {
        let slot = {
            let mut compiled = write(&self.0.of_context.compiled);
            compiled
                .entry(Box::new(wanted.clone()))
                .or_default()
                .clone()
        };
        // The map stays unlocked, so other kernels can be looked up and compiled at the same time.
        let compiling = lock(&slot.compiling);
        if let Some(kernel) = slot.kernel.get() {
            return Ok(kernel.clone());
        }
        let loaded = self.load(wanted);
        match &loaded {
            Ok(kernel) => {
                let _ = slot.kernel.set(kernel.clone()); // empty, because only this thread compiles it
            }
            Err(_) => {
                drop(compiling);
                self.forget(wanted, &slot);
            }
        }
        loaded
    }

    fn load(&self, wanted: &impl Specialisation) -> Result<Function> {
        let source = wanted.source();
        let module = Module::compile(self.context(), source.program())?;
        let kernel = module.function(source.entry())?;
        wanted.prepare(&kernel)?;
        Ok(kernel)
    }

    /// Removes an empty slot if no other thread waits for it.
    fn forget<S: Specialisation>(&self, wanted: &S, slot: &Arc<Slot>) {
        let mut compiled = write(&self.0.of_context.compiled);
        // Slots are cloned only under the lock, so the number of references can't grow here: one is
        // the map's, one the caller's.
        if Arc::strong_count(slot) == 2 && slot.kernel.get().is_none() {
            compiled.remove(wanted as &dyn Key);
        }
    }
}

impl fmt::Debug for Kernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernels({} of {:?})", self.compiled(), self.context())
    }
}

/// A type-erased [`Specialisation`], which serves as a key of the map.
trait Key: Any + Send + Sync {
    fn equals(&self, other: &dyn Key) -> bool;
    fn feed(&self, hasher: &mut dyn Hasher);
}

impl<S: Specialisation> Key for S {
    fn equals(&self, other: &dyn Key) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<S>().is_some_and(|other| self == other)
    }

    fn feed(&self, mut hasher: &mut dyn Hasher) {
        TypeId::of::<S>().hash(&mut hasher);
        self.hash(&mut hasher);
    }
}

impl PartialEq for dyn Key {
    fn eq(&self, other: &Self) -> bool {
        self.equals(other)
    }
}

impl Eq for dyn Key {}

impl Hash for dyn Key {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.feed(hasher);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        hash::BuildHasher,
        sync::atomic::{AtomicU32, Ordering},
    };

    use cuda_safe::{ContextFlags, Device};
    use rustc_hash::FxBuildHasher;

    use super::*;
    use crate::{
        array::{Array, Layout, Memory, Order, Shape},
        element::Element,
    };

    impl Kernels {
        /// Creates kernels that are planned for a device with this many multiprocessors.
        pub(crate) fn of_multiprocessors(context: &Context, multiprocessors: u32) -> Self {
            let mut kernels = Self::new(context).unwrap();
            let inner = Arc::get_mut(&mut kernels.0).unwrap();
            let parts = Arc::get_mut(&mut inner.of_context).unwrap();
            parts.hardware.multiprocessors = multiprocessors;
            kernels
        }

        /// Creates kernels that keep the memory of dropped arrays, on any device.
        pub(crate) fn with_spare_memory(context: &Context) -> Self {
            let mut kernels = Self::new(context).unwrap();
            Arc::get_mut(&mut kernels.0).unwrap().spare = SpareMemory::of(1 << 20);
            kernels
        }

        /// Returns the values for which kernels of this type have been compiled.
        pub(crate) fn compiled_for<S: Specialisation>(&self) -> Vec<S> {
            let compiled = read(&self.0.of_context.compiled);
            let keys = compiled.keys().map(|key| -> &dyn Any { &**key });
            keys.filter_map(|key| key.downcast_ref().cloned()).collect()
        }

        /// Creates an array of zeros that uses only these kernels.
        pub(crate) fn zeros<T: Element>(&self, stream: &Stream, lengths: &[usize]) -> Array<T> {
            let layout = Layout::dense(Shape::of(lengths), Order::C);
            let bytes = layout.shape.elements() * T::DATA_TYPE.size();
            let memory = Memory::zeroed(self, stream, bytes).unwrap();
            Array::of(Arc::new(memory), layout)
        }
    }

    /// A kernel that fails to compile the first time and succeeds afterwards.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    struct Second(u32);

    static TIMES: AtomicU32 = AtomicU32::new(0);

    impl Specialisation for Second {
        fn source(&self) -> Source {
            let text = match TIMES.fetch_add(1, Ordering::Relaxed) {
                0 => "no kernel",
                _ => "extern \"C\" __global__ void second() {}",
            };
            Source::new("second.cu", text, "second")
        }
    }

    /// A type with the same fields as `Second`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    struct Other(u32);

    impl Specialisation for Other {
        fn source(&self) -> Source {
            let text = "extern \"C\" __global__ void other() {}";
            Source::new("other.cu", text, "other").define("NUMBER", self.0)
        }

        fn prepare(&self, kernel: &Function) -> Result<()> {
            let _ = kernel.max_active_blocks(self.0, 0)?; // fails for 0 threads
            Ok(())
        }
    }

    #[test]
    fn keys_differ_by_type_and_value() {
        let keys: [&dyn Key; 4] = [&Second(1), &Second(2), &Other(1), &Other(2)];
        let hash = |key| FxBuildHasher.hash_one::<&dyn Key>(key);
        for (i, a) in keys.into_iter().enumerate() {
            for (j, b) in keys.into_iter().enumerate() {
                assert_eq!(a == b, i == j);
                assert_eq!(hash(a) == hash(b), i == j);
            }
        }
        let again: &dyn Key = &Second(1);
        assert!(again == keys[0] && hash(again) == hash(keys[0]));
    }

    #[test]
    fn failed_kernels_leave_slots_empty() {
        let kernels = Kernels::new(&Context::primary(0).unwrap()).unwrap();
        let places = || kernels.0.of_context.compiled.read().unwrap().len();
        kernels.get(&Second(1)).unwrap_err();
        assert_eq!((places(), kernels.compiled()), (0, 0));
        let kernel = kernels.get(&Second(1)).unwrap();
        assert_eq!(kernel.name(), "second");
        assert_eq!((places(), kernels.compiled()), (1, 1));
        assert_eq!(kernels.get(&Second(1)).unwrap().as_raw(), kernel.as_raw());
        assert_eq!(TIMES.load(Ordering::Relaxed), 2);
        // A kernel that can't be prepared is not returned.
        kernels.get(&Other(0)).unwrap_err();
        assert_eq!((places(), kernels.compiled()), (1, 1));
        assert_eq!(kernels.get(&Other(1)).unwrap().name(), "other");
        assert_ne!(kernels.get(&Second(2)).unwrap().as_raw(), kernel.as_raw());
        assert_eq!((places(), kernels.compiled()), (3, 3));
        let text = format!("{kernels:?}");
        assert!(text.starts_with("Kernels(3 of Context("), "{text}");
    }

    #[test]
    fn slots_with_waiting_threads_are_kept() {
        let kernels = Kernels::new(&Context::primary(0).unwrap()).unwrap();
        let wanted = Other(64);
        let key: Box<dyn Key> = Box::new(wanted.clone());
        let waiting = Arc::<Slot>::default();
        let mut places = kernels.0.of_context.compiled.write().unwrap();
        places.insert(key, waiting.clone());
        drop(places);
        let places = || kernels.0.of_context.compiled.read().unwrap().len();
        // The failed thread holds a reference too.
        let failed = waiting.clone();
        kernels.forget(&wanted, &failed);
        assert_eq!(places(), 1);
        drop(waiting);
        kernels.forget(&wanted, &failed);
        assert_eq!(places(), 0);
    }

    #[test]
    fn kernels_exist_as_long_as_a_stream_of_arrays() {
        let context = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
        let streams = [(); 2].map(|()| Stream::new(&context).unwrap());
        let kernels = Kernels::of(&streams[0]).unwrap();
        kernels.get(&Other(64)).unwrap();
        drop(kernels);
        // Another stream finds them, and keeps them.
        assert_eq!(Kernels::of(&streams[1]).unwrap().compiled(), 1);
        let [first, second] = streams;
        drop(first);
        assert_eq!(Kernels::of(&second).unwrap().compiled(), 1);
        let live = |context| {
            let known = lock(&SHARED);
            let live: Vec<_> = known.iter().filter_map(Weak::upgrade).collect();
            drop(known);
            live.iter().any(|parts| parts.context == context)
        };
        assert!(live(context.clone()));
        drop(second);
        assert!(!live(context));
    }

    #[test]
    fn arrays_of_a_context_share_kernels_and_memory() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let kernels = Kernels::of(&stream).unwrap();
        assert!(Arc::ptr_eq(&kernels.0, &Kernels::of(&stream).unwrap().0));
        // Other tests use those of the context, too.
        let own = Kernels::new(&context).unwrap();
        assert!(!Arc::ptr_eq(&kernels.0, &own.0));
        let words = |memory: &Workspaces| memory.of(&stream).unwrap().len();
        assert_eq!(words(own.partials(5)), 5);
        assert_eq!(words(own.zeroed()), ZEROED_WORDS);
        assert_eq!(words(own.tiles(7)), 7);
    }
}
