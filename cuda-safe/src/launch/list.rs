//! Arguments whose number and types are known only at run time.

use std::{ffi::c_void, fmt};

use super::{arguments::KernelArgument, config::LaunchConfig};
use crate::{
    code::{function::Function, parameter::ArgumentType},
    error::Result,
    stream::{Stream, owner::Owner},
};

/// A list of kernel arguments whose number or types are known only at run time.
///
/// [`Function::launch_list`] takes it, with the same checks as a launch with a tuple.
///
/// ```
/// use cuda_safe::{launch::ArgumentList, Context, DeviceBuffer, LaunchConfig, Module, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// /// Returns a kernel that adds `count` vectors.
/// fn source(count: usize) -> String {
///     let parameters: String = (0..count).map(|i| format!("const float *x{i}, ")).collect();
///     let sum: String = (0..count).map(|i| format!(" + x{i}[i]")).collect();
///     format!(r#"extern "C" __global__ void add({parameters}float *sum, int n) {{
///         const int i = blockIdx.x * blockDim.x + threadIdx.x;
///         if (i < n) sum[i] = 0{sum};
///     }}"#)
/// }
/// let vectors: Vec<_> = (1..=3)
///     .map(|i| DeviceBuffer::from_slice(&stream, &[i as f32; 100]))
///     .collect::<Result<_, _>>()?;
/// let mut sum = DeviceBuffer::<f32>::uninit(&stream, 100)?;
/// let add = Module::compile(&context, source(vectors.len()))?.function("add")?;
///
/// let mut arguments = ArgumentList::new();
/// for vector in &vectors {
///     arguments.push(vector);
/// }
/// arguments.push(&mut sum).push(100i32);
/// // SAFETY: as many vectors as the kernel declares, and a hundred elements in each.
/// unsafe { add.launch_list(&stream, LaunchConfig::for_elements(100), arguments)? };
/// assert_eq!(sum.to_vec(&stream)?, [6.0; 100]);
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct ArgumentList<'a> {
    slots: Vec<Box<dyn Slot + 'a>>,
    types: Vec<ArgumentType>,
}

impl<'a> ArgumentList<'a> {
    /// Creates an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends an argument. It can be anything that a tuple of arguments can contain.
    pub fn push<A: KernelArgument + 'a>(&mut self, argument: A) -> &mut Self {
        self.types.extend_from_slice(A::PARAMETERS);
        self.slots.push(Box::new(State::Given(Some(argument))));
        self
    }

    /// Returns the number of kernel parameters that the arguments fill.
    #[must_use]
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Returns whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }
}

impl fmt::Debug for ArgumentList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.types.iter().map(|one| (one.name)());
        f.debug_list().entries(names).finish()
    }
}

/// One argument, before or after it is staged for a launch.
enum State<A: KernelArgument> {
    Given(Option<A>),
    Staged(A::Staged),
}

/// The operations of [`KernelArgument`], for an argument of any type.
trait Slot {
    fn waits(&self) -> bool;
    /// Returns the owner with which the launch must be ordered.
    fn owner(&self) -> Option<Owner<'_>>;
    /// Enqueues the work that must precede the kernel.
    ///
    /// # Safety
    /// See [`KernelArgument::stage`].
    unsafe fn stage(&mut self, stream: &Stream) -> Result<()>;
    fn pointers(&mut self, all: &mut Vec<*mut c_void>);
    /// Enqueues the work that must follow the kernel.
    ///
    /// # Safety
    /// See [`KernelArgument::unstage`].
    unsafe fn unstage(&mut self, stream: &Stream) -> Result<()>;
    /// Records that the host may use its memory again.
    ///
    /// # Safety
    /// See [`KernelArgument::settle`].
    unsafe fn settle(&mut self);
}

impl<A: KernelArgument> Slot for State<A> {
    fn waits(&self) -> bool {
        A::WAITS
    }

    fn owner(&self) -> Option<Owner<'_>> {
        match self {
            Self::Staged(staged) if A::ORDERED => A::owner(staged),
            _ => None,
        }
    }

    unsafe fn stage(&mut self, stream: &Stream) -> Result<()> {
        if let Self::Given(argument) = self
            && let Some(argument) = argument.take()
        {
            // SAFETY: this function has the same contract.
            *self = Self::Staged(unsafe { argument.stage(stream)? });
        }
        Ok(())
    }

    fn pointers(&mut self, all: &mut Vec<*mut c_void>) {
        if let Self::Staged(staged) = self {
            let mut pointers = A::pointers(staged);
            let count = size_of_val(&pointers) / size_of::<*mut c_void>();
            // SAFETY: this is an array of pointers by the contract of `KernelArgument`.
            all.extend_from_slice(unsafe {
                std::slice::from_raw_parts((&raw mut pointers).cast::<*mut c_void>(), count)
            });
        }
    }

    unsafe fn unstage(&mut self, stream: &Stream) -> Result<()> {
        match self {
            // SAFETY: this function has the same contract.
            Self::Staged(staged) => unsafe { A::unstage(staged, stream) },
            Self::Given(_) => Ok(()),
        }
    }

    unsafe fn settle(&mut self) {
        if let Self::Staged(staged) = self {
            // SAFETY: this function has the same contract.
            unsafe { A::settle(staged) };
        }
    }
}

impl Function {
    /// Launches the kernel with arguments whose number and types are known only at run time.
    ///
    /// It makes the same checks as [`launch`](Self::launch). Unlike a launch with a tuple, it
    /// allocates.
    ///
    /// See [`cuLaunchKernel`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The caller must satisfy the conditions of [`launch`](Self::launch).
    ///
    /// # Errors
    /// Returns the errors of [`launch`](Self::launch): arguments, grid or block that do not fit, a
    /// stream of another context, or a capturing stream with host slices.
    ///
    /// # Aborts
    /// See [`launch`](Self::launch).
    #[doc(alias = "cuLaunchKernel")]
    pub unsafe fn launch_list(
        &self,
        stream: &Stream,
        config: LaunchConfig,
        arguments: ArgumentList<'_>,
    ) -> Result<()> {
        let ArgumentList { slots, types } = arguments;
        if !self.is_launchable_with(stream.context(), &config, &types)? {
            return Ok(());
        }
        let waits = slots.iter().any(|slot| slot.waits());
        let _uncaptured = match waits {
            true => Some(stream.enter_to_wait("Function::launch_list")?),
            false => None,
        };
        // Declared after the guard, so dropped before it. After a failure, the drops wait for the
        // stream.
        let mut slots = slots;
        let mut pointers = Vec::with_capacity(types.len());
        for slot in &mut slots {
            // SAFETY: the slots stay here and are dropped at the end. If a later one fails, the
            // earlier ones are dropped, which waits for their copies.
            unsafe { slot.stage(stream)? };
            slot.pointers(&mut pointers); // pointers into the box, which does not move
        }
        let owners = slots.iter().filter_map(|slot| slot.owner());
        stream.ordered("Function::launch_list", owners, || {
            // SAFETY: guaranteed by the caller. Kinds, sizes and limits are checked above.
            unsafe { self.launch_raw(stream, config, &mut pointers) }
        })?;
        if waits {
            for slot in &mut slots {
                // SAFETY: as above, and the same stream.
                unsafe { slot.unstage(stream)? };
            }
            // If it is unknown whether the copies have finished, the drops protect the borrowed
            // slices.
            let waited = stream.settle().or_unknown()?;
            for slot in &mut slots {
                // SAFETY: the copies have finished.
                unsafe { slot.settle() };
            }
            waited?;
        }
        Ok(())
    }
}
