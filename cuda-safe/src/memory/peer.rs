//! Peer access: use of another device's memory by the kernels of a context.

use std::{
    fmt, ptr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use cuda_sys::{self as sys, CUdeviceptr, CUresult};

use crate::{
    capture::{self, release, released},
    context::Context,
    driver::callback,
    error::{Error, ErrorKind, Result, fault::discarding_errors},
    memory::{
        BorrowedMut, DeviceMemory, DeviceView, DeviceViewMut, MemoryAccess, MemoryLocation,
        MemoryPool, PitchedMemory, PitchedView, PitchedViewMut, PlainData, PointerAttribute,
        Storage, StorageMut, virtual_memory::PhysicalMemory,
    },
    stream::Owner,
};

/// Access of one context's kernels, copies and fills to the memory of a context on another device,
/// created by [`Context::enable_peer_access`]. Access is one-way: the opposite direction needs its
/// own `PeerAccess`.
///
/// **Lifetime.** Access lasts as long as this value, its clones, other values for the same two
/// contexts, and the views that they create. Dropping the last of them waits for the work of the
/// context that has the access, because a running kernel would fault, and then disables it. Access
/// that a library or a raw call enabled earlier stays enabled.
///
/// **Kinds of memory.** Peer access covers memory of
/// [`PitchedBuffer`](crate::memory::PitchedBuffer), memory from `cuMemAlloc`, and variables of
/// modules. Memory from pools, which includes every [`DeviceBuffer`](crate::DeviceBuffer), does not
/// need it. Open the pool instead: `MemoryPool::current(peer)?.grant_access(&[device])` (see the
/// example of [`MemoryPool::grant_access`]). Managed and page-locked memory is open to all devices.
/// [`view`](Self::view) checks which rule applies.
///
/// **Copies** need no access, but are about ten times as fast with the access that the memory needs
/// (H200 with a direct link: 396 GB/s instead of 38 GB/s). [The
/// guide](crate::guide::memory_and_streams#several-devices) lists it for each kind of memory.
///
/// ```
/// use cuda_safe::{Context, Device, LaunchConfig, Module, memory::PitchedBuffer, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let devices = Device::all()?;
/// let [here, there, ..] = devices[..] else { return Ok(()) }; // only one device
/// if !here.can_access_peer(there)? { return Ok(()) }
/// let (context, other) = (Context::primary(here.ordinal())?, Context::primary(there.ordinal())?);
/// let (stream, far) = (Stream::new(&context)?, Stream::new(&other)?);
/// let access = context.enable_peer_access(&other)?;
/// let source = PitchedBuffer::from_slice(&far, 4, &[1.0f32, 2.0, 3.0, 4.0])?;
/// let mut sum = [0.0f32];
/// let module = Module::compile(&context, r#"extern "C" __global__ void sum(float *to, const float *x) {
///     *to = x[0] + x[1] + x[2] + x[3];
/// }"#)?;
/// let view = access.pitched(&source)?;
/// stream.ordered_with([view.owner()], || {
///     // SAFETY: one thread, which reads four elements; ordered with the stream of `source`.
///     unsafe { module.function("sum")?.launch(&stream, LaunchConfig::new(1, 1), (cuda_safe::Out(&mut sum), view)) }
/// })?;
/// assert_eq!(sum, [10.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct PeerAccess(Arc<Inner>);

struct Inner {
    context: Context,
    peer: Context,
    /// False for the value that `release` passes on, whose count was already given up.
    counted: bool,
}

/// The state of access between two contexts.
struct Enabled {
    values: usize,
    /// The number of values created so far.
    made: u64,
    /// Whether this crate enabled the access.
    owned: bool,
}

/// All pairs of contexts. The driver does not count how often access was enabled.
static PAIRS: Mutex<Vec<(Key, Enabled)>> = Mutex::new(Vec::new());

/// The handles of the context that has the access and of its peer.
type Key = (usize, usize);
type Pairs = MutexGuard<'static, Vec<(Key, Enabled)>>;

fn pairs() -> Pairs {
    PAIRS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn find(pairs: &mut Pairs, key: Key) -> Option<&mut Enabled> {
    let found = pairs.iter_mut().find(|(one, _)| *one == key);
    found.map(|(_, enabled)| enabled)
}

impl Context {
    /// Enables access of this context's kernels to the memory of `peer`, a context of another
    /// device.
    ///
    /// Several calls share one access, which lasts until all their values are dropped.
    ///
    /// See [`cuCtxEnablePeerAccess`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] if the devices have no such link
    /// ([`Device::can_access_peer`](crate::Device::can_access_peer)), or if both contexts belong to
    /// the same device. Returns `CUDA_ERROR_TOO_MANY_PEERS` if the hardware has no links left.
    /// Returns [`ErrorKind::InvalidArgument`] if this thread is capturing a stream, or inside a
    /// function that the driver calls.
    #[doc(alias = "cuCtxEnablePeerAccess")]
    pub fn enable_peer_access(&self, peer: &Context) -> Result<PeerAccess> {
        const CALL: &str = "cuCtxEnablePeerAccess";
        let _allowed = capture::reject_during_capture(
            "Context::enable_peer_access",
            "enable it before the capture",
        )?;
        // Checked before locking, because a log listener runs inside the driver call made under the
        // lock.
        callback::reject_in_callback(CALL)?;
        let mut pairs = pairs();
        let key = key(self, peer);
        if let Some(enabled) = find(&mut pairs, key) {
            enabled.values += 1;
            enabled.made += 1;
        } else {
            let _current = self.enter("cuCtxEnablePeerAccess")?;
            // SAFETY: the handle is live.
            let owned = match unsafe { sys::cuCtxEnablePeerAccess(peer.as_raw(), 0) } {
                CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => false,
                code @ CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED => {
                    let (here, there) = (self.device().ordinal(), peer.device().ordinal());
                    let why = match here == there {
                        true => format!(
                            "both contexts belong to device {here}, so their kernels can already use each other's \
                             memory"
                        ),
                        false => format!(
                            "device {here} cannot access the memory of device {there} directly. Fix: copy the memory"
                        ),
                    };
                    let error = self.check(CALL, code).unwrap_err();
                    return Err(error.with_kind(ErrorKind::Unsupported).with_detail(why));
                }
                code => {
                    self.check(CALL, code)?;
                    true
                }
            };
            let enabled = Enabled {
                values: 1,
                made: 1,
                owned,
            };
            pairs.push((key, enabled));
        }
        Ok(PeerAccess(Arc::new(Inner {
            context: self.clone(),
            peer: peer.clone(),
            counted: true,
        })))
    }
}

fn key(context: &Context, peer: &Context) -> Key {
    (context.as_raw().addr(), peer.as_raw().addr())
}

impl PeerAccess {
    /// Returns the context whose kernels have the access.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Returns the context whose memory can be accessed.
    #[must_use]
    pub fn peer(&self) -> &Context {
        &self.0.peer
    }

    /// Returns a view of the peer's memory for kernels of this context, valid as long as the access
    /// lasts.
    ///
    /// You must order the launch with other work on the memory, as for any memory of another
    /// stream: see [`Stream::ordered_with`](crate::Stream::ordered_with).
    ///
    /// See [`cuPointerGetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if the memory belongs to this context or to a third
    /// one, or if it comes from a pool to which the device has no access
    /// ([`MemoryPool::grant_access`]). Returns the same error for a
    /// [`Mapping`](crate::memory::virtual_memory::Mapping) without access
    /// ([`Mapping::set_access`](crate::memory::virtual_memory::Mapping::set_access)) and for a
    /// [`GrowableBuffer`](crate::memory::virtual_memory::GrowableBuffer), which cannot be opened.
    #[doc(alias = "cuPointerGetAttribute")]
    pub fn view<'a, T: PlainData>(
        &'a self,
        memory: &'a DeviceMemory<impl Storage, T>,
    ) -> Result<DeviceView<'a, T>> {
        self.expect_access(memory.as_device_ptr(), memory.owner(), "PeerAccess::view")?;
        Ok(memory.view())
    }

    /// Returns a view like [`view`](Self::view) that kernels can write to.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if peer access does not open the memory to this
    /// context, for the reasons listed at [`view`](Self::view).
    pub fn view_mut<'a, T: PlainData>(
        &'a self,
        memory: &'a mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<DeviceViewMut<'a, T>> {
        self.expect_access(
            memory.as_device_ptr(),
            memory.owner(),
            "PeerAccess::view_mut",
        )?;
        Ok(memory.view_mut())
    }

    /// Returns a view like [`view`](Self::view) of pitched memory.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if peer access does not open the memory to this
    /// context, for the reasons listed at [`view`](Self::view).
    pub fn pitched<'a, T: PlainData>(
        &'a self,
        memory: &'a PitchedMemory<impl Storage, T>,
    ) -> Result<PitchedView<'a, T>> {
        self.expect_access(
            memory.as_device_ptr(),
            memory.owner(),
            "PeerAccess::pitched",
        )?;
        Ok(memory.view())
    }

    /// Returns a view like [`view`](Self::view) of pitched memory that kernels can write to.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if peer access does not open the memory to this
    /// context, for the reasons listed at [`view`](Self::view).
    pub fn pitched_mut<'a, T: PlainData>(
        &'a self,
        memory: &'a mut PitchedMemory<impl StorageMut, T>,
    ) -> Result<PitchedMemory<BorrowedMut<'a>, T>> {
        self.expect_access(
            memory.as_device_ptr(),
            memory.owner(),
            "PeerAccess::pitched_mut",
        )?;
        let view: PitchedViewMut<'a, T> = memory.view_mut();
        Ok(view)
    }

    /// Returns an error if peer access does not open the memory to this context's kernels.
    fn expect_access(
        &self,
        address: CUdeviceptr,
        owner: Owner<'_>,
        call: &'static str,
    ) -> Result<()> {
        let peer = self.peer();
        if owner.context() == self.context() {
            return Err(Error::invalid(
                call,
                "the memory belongs to the context that has the access. Fix: pass the memory itself to the launch",
            ));
        }
        peer.expect_same(owner.context(), call, "the memory and the peer")?;
        if address == 0 {
            return Ok(());
        }
        let pool = peer.pointer_attribute(address, PointerAttribute::MEMPOOL_HANDLE)?;
        if pool == 0 {
            return self.expect_mapping_access(address, call);
        }
        let pool = ptr::with_exposed_provenance_mut(pool as usize);
        // The memory may outlive its pool, whose handle must not be used then.
        let Some(pool) = MemoryPool::behind(peer, pool)? else {
            return Err(Error::invalid(
                call,
                "the memory is from a pool that was dropped or that other code created, so its access cannot be \
                 checked. Fix: keep its MemoryPool (or, for a pool of other code, one from MemoryPool::borrow_raw) \
                 while the memory is viewed",
            ));
        };
        let device = self.context().device();
        if pool.access(device)? != MemoryAccess::NONE {
            return Ok(());
        }
        Err(Error::invalid(
            call,
            format!(
                "the memory is from a pool to which device {} has no access, and peer access does not open pools. \
                 Fix: call MemoryPool::grant_access (for a DeviceBuffer: \
                 MemoryPool::current(peer)?.grant_access(&[device])), or use a PitchedBuffer",
                device.ordinal()
            ),
        ))
    }

    /// Returns an error for memory of `cuMemMap` to which the device has no access. Access to such
    /// memory is granted per device, not per context.
    fn expect_mapping_access(&self, address: CUdeviceptr, call: &'static str) -> Result<()> {
        // SAFETY: the memory is borrowed by the caller.
        if unsafe { PhysicalMemory::mapped_at(self.peer(), address) }.is_err() {
            return Ok(()); // not mapped memory
        }
        let device = self.context().device();
        let (mut flags, location) = (0, MemoryLocation::device(device).raw());
        let _current = self.peer().enter("cuMemGetAccess")?;
        // SAFETY: `flags` is valid for the write and `location` for the read. The driver looks up
        // the address.
        let code = unsafe { sys::cuMemGetAccess(&mut flags, &location, address) };
        if code != CUresult::CUDA_SUCCESS || MemoryAccess(flags as u32) != MemoryAccess::NONE {
            return Ok(());
        }
        Err(Error::invalid(
            call,
            format!(
                "the memory is mapped, device {} has no access to it, and peer access does not open such memory. Fix: \
                 call Mapping::set_access; a GrowableBuffer cannot be opened",
                device.ordinal()
            ),
        ))
    }

    /// Drops this value and reports errors. If it was the last one, waits for the work of the
    /// context that has the access, and then disables it. Dropping does the same, but discards the
    /// error.
    ///
    /// See [`cuCtxDisablePeerAccess`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error. If it is unknown whether the work is over, access stays enabled.
    #[doc(alias = "cuCtxDisablePeerAccess")]
    pub fn close(self) -> Result<()> {
        Arc::into_inner(self.0).map_or(Ok(()), |mut inner| inner.release())
    }
}

impl Inner {
    fn release(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.counted) {
            return Ok(());
        }
        let own = Self {
            context: self.context.clone(),
            peer: self.peer.clone(),
            counted: false,
        };
        release(&self.context, move || own.release_now())
    }

    fn release_now(&self) -> Result<()> {
        let key = key(&self.context, &self.peer);
        let (mut settled, mut seen) = (Ok(()), None);
        loop {
            let mut pairs = pairs();
            let Some(enabled) = find(&mut pairs, key) else {
                return Ok(());
            };
            if enabled.values > 1 {
                // The last value also waits for the work that relied on this one.
                enabled.values -= 1;
                return Ok(());
            }
            let (owned, made) = (enabled.owned, enabled.made);
            // Wait without holding the lock, because the awaited work may need it. If other values
            // were created and dropped meanwhile, wait again for the work that relied on them.
            if owned && settled.is_ok() && seen != Some(made) {
                drop(pairs);
                settled = self.context.settle_or_leak();
                seen = Some(made);
                continue;
            }
            pairs.retain(|(one, _)| *one != key);
            settled?;
            return match owned {
                true => self.disable(),
                false => Ok(()),
            };
        }
    }

    /// Disables the access. The caller holds the lock, so no new value appears, and nothing relies
    /// on the access any more.
    fn disable(&self) -> Result<()> {
        let _current = self.context.enter("cuCtxDisablePeerAccess")?;
        // SAFETY: both contexts are live, and no running work relies on the access.
        let code = released(|| unsafe { sys::cuCtxDisablePeerAccess(self.peer.as_raw()) });
        // Other code has already disabled it.
        if code == CUresult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED {
            return Ok(());
        }
        self.context.check("cuCtxDisablePeerAccess", code)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // `drop` cannot return an error. `close` does.
        let _ = discarding_errors(|| self.release());
    }
}

impl fmt::Debug for PeerAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PeerAccess({:?} to {:?})", self.context(), self.peer())
    }
}
