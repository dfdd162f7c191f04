//! Access of a context's kernels to memory of another device.

use std::{
    fmt, ptr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use cuda_sys::{self as sys, CUdeviceptr, CUresult};

use crate::{
    capture::{self, release, released},
    context::Context,
    driver::callback,
    error::{Error, ErrorKind, Result, fault::unheard},
    memory::{
        BorrowedMut, DeviceMemory, DeviceView, DeviceViewMut, MemoryAccess, MemoryLocation,
        MemoryPool, PitchedMemory, PitchedView, PitchedViewMut, PlainData, PointerAttribute,
        Storage, StorageMut, virtual_memory::PhysicalMemory,
    },
    stream::Owner,
};

/// Kernels of a context, and its fills and copies, may use memory of another context, which is of another device: made by
/// [`Context::enable_peer_access`]. Access goes one way; the other one has a value of its own.
///
/// Access lasts as long as this value, its clones, others for the same two contexts, and the views that it gives. The last
/// of them that goes waits for the work of the context that has the access, and then disables it: a kernel that runs would
/// fault. Where somebody else has enabled it (a library, or a raw call), it is left as it was.
///
/// What it is for: memory of [`PitchedBuffer`](crate::memory::PitchedBuffer), of `cuMemAlloc`, and variables of modules. Memory of
/// pools, which a [`DeviceBuffer`](crate::DeviceBuffer) has, is opened to other devices by the pool's own access,
/// `MemoryPool::current(peer)?.grant_access(&[device])` ([`MemoryPool::grant_access`] has an example), and needs no value of
/// this type; managed and page-locked memory is open to all devices.
/// [`view`](Self::view) tells the difference. Copies need no access, but are about ten times as fast with it where the
/// devices have a link of their own (H200: 396 GB/s instead of 38).
///
/// ```
/// use cuda_safe::{Context, Device, LaunchConfig, Module, memory::PitchedBuffer, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let devices = Device::all()?;
/// let [here, there, ..] = devices[..] else { return Ok(()) }; // one device
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
    /// False for one that is given up already.
    counted: bool,
}

/// What has been enabled between two contexts, which are held.
struct Enabled {
    values: usize,
    /// How often a value was made.
    made: u64,
    /// By this crate.
    owned: bool,
}

/// All pairs of contexts. The driver knows of each only whether it is enabled.
static PAIRS: Mutex<Vec<(Key, Enabled)>> = Mutex::new(Vec::new());

/// The handles of the context that has the access, and of the other.
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
    /// Lets kernels of this context use memory of `peer`, which is a context of another device. Enabled more than once, it
    /// is one access with several values.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] where the devices have no such link ([`Device::can_access_peer`](crate::Device::can_access_peer)),
    /// and for two contexts of one device. `CUDA_ERROR_TOO_MANY_PEERS` where the hardware's links are used up.
    /// [`ErrorKind::InvalidArgument`] while this thread captures a stream, and in a function that the driver calls.
    #[doc(alias = "cuCtxEnablePeerAccess")]
    pub fn enable_peer_access(&self, peer: &Context) -> Result<PeerAccess> {
        const CALL: &str = "cuCtxEnablePeerAccess";
        let _allowed = capture::refuse_here(
            "Context::enable_peer_access",
            "enable it before the capture",
        )?;
        // Before the lock: a log listener runs inside the call that is made under it.
        callback::refuse_within(CALL)?;
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
                            "both are contexts of device {here}, whose kernels reach the memory of either"
                        ),
                        false => format!(
                            "device {here} can't use memory of device {there} directly: copy it"
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
    /// The context whose kernels have the access.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// The context whose memory they may use.
    #[must_use]
    pub fn peer(&self) -> &Context {
        &self.0.peer
    }

    /// Memory of the other context for kernels of this one, as long as there is access. The launch is ordered by the caller
    /// with what else uses the memory, as always ([`Stream::ordered_with`](crate::Stream::ordered_with)).
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for memory of a third context, or of the context itself; for memory of a pool that the
    /// device has no access to ([`MemoryPool::grant_access`]), and for a [`Mapping`](crate::memory::virtual_memory::Mapping) or a
    /// [`GrowableBuffer`](crate::memory::virtual_memory::GrowableBuffer) that it has none to ([`Mapping::set_access`](crate::memory::virtual_memory::Mapping::set_access)).
    #[doc(alias = "cuPointerGetAttribute")]
    pub fn view<'a, T: PlainData>(
        &'a self,
        memory: &'a DeviceMemory<impl Storage, T>,
    ) -> Result<DeviceView<'a, T>> {
        self.expect_open(memory.as_device_ptr(), memory.owner(), "PeerAccess::view")?;
        Ok(memory.view())
    }

    /// As [`view`](Self::view), for kernels that write.
    ///
    /// # Errors
    /// As [`view`](Self::view).
    pub fn view_mut<'a, T: PlainData>(
        &'a self,
        memory: &'a mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<DeviceViewMut<'a, T>> {
        self.expect_open(
            memory.as_device_ptr(),
            memory.owner(),
            "PeerAccess::view_mut",
        )?;
        Ok(memory.view_mut())
    }

    /// As [`view`](Self::view), for rows and slices.
    ///
    /// # Errors
    /// As [`view`](Self::view).
    pub fn pitched<'a, T: PlainData>(
        &'a self,
        memory: &'a PitchedMemory<impl Storage, T>,
    ) -> Result<PitchedView<'a, T>> {
        self.expect_open(
            memory.as_device_ptr(),
            memory.owner(),
            "PeerAccess::pitched",
        )?;
        Ok(memory.view())
    }

    /// As [`view`](Self::view), for rows and slices that kernels write to.
    ///
    /// # Errors
    /// As [`view`](Self::view).
    pub fn pitched_mut<'a, T: PlainData>(
        &'a self,
        memory: &'a mut PitchedMemory<impl StorageMut, T>,
    ) -> Result<PitchedMemory<BorrowedMut<'a>, T>> {
        self.expect_open(
            memory.as_device_ptr(),
            memory.owner(),
            "PeerAccess::pitched_mut",
        )?;
        let view: PitchedViewMut<'a, T> = memory.view_mut();
        Ok(view)
    }

    /// An error for memory that stays closed to this context's kernels.
    fn expect_open(
        &self,
        address: CUdeviceptr,
        owner: Owner<'_>,
        call: &'static str,
    ) -> Result<()> {
        let peer = self.peer();
        if owner.context() == self.context() {
            return Err(Error::invalid(
                call,
                "the memory is of the context that has the access: pass it as it is",
            ));
        }
        peer.expect_same(owner.context(), call, "the memory and the peer")?;
        if address == 0 {
            return Ok(());
        }
        let pool = peer.pointer_attribute(address, PointerAttribute::MEMPOOL_HANDLE)?;
        if pool == 0 {
            return self.expect_mapped_here(address, call);
        }
        let pool = ptr::with_exposed_provenance_mut(pool as usize);
        // The memory may outlive its pool, whose handle must not be used then.
        let Some(pool) = MemoryPool::behind(peer, pool)? else {
            return Err(Error::invalid(
                call,
                "the memory is of a pool that was dropped, or that other code created, so nothing tells which devices have \
                 access to it: keep its MemoryPool (or, for a pool of other code, one of MemoryPool::borrow_raw) while the \
                 memory is viewed",
            ));
        };
        let device = self.context().device();
        if pool.access(device)? != MemoryAccess::NONE {
            return Ok(());
        }
        Err(Error::invalid(
            call,
            format!(
                "the memory is of a pool that device {} has no access to: contexts' access does not open pools, \
                 MemoryPool::grant_access does (of a DeviceBuffer: MemoryPool::current(peer)?.grant_access(&[device])); \
                 or use a PitchedBuffer",
                device.ordinal()
            ),
        ))
    }

    /// An error for memory of `cuMemMap` that the device has no access to: such memory knows devices, and no contexts.
    fn expect_mapped_here(&self, address: CUdeviceptr, call: &'static str) -> Result<()> {
        // SAFETY: the memory is borrowed by the caller.
        if unsafe { PhysicalMemory::mapped_at(self.peer(), address) }.is_err() {
            return Ok(()); // of another kind
        }
        let device = self.context().device();
        let (mut flags, location) = (0, MemoryLocation::device(device).raw());
        let _current = self.peer().enter("cuMemGetAccess")?;
        // SAFETY: `flags` is valid for the write, the location for the read; the address is looked up.
        let code = unsafe { sys::cuMemGetAccess(&mut flags, &location, address) };
        if code != CUresult::CUDA_SUCCESS || MemoryAccess(flags as u32) != MemoryAccess::NONE {
            return Ok(());
        }
        Err(Error::invalid(
            call,
            format!(
                "the memory is mapped, and device {} has no access to it: contexts' access does not open such memory, \
                 Mapping::set_access does; a GrowableBuffer's stays closed",
                device.ordinal()
            ),
        ))
    }

    /// Gives up this value. If it was the last, waits for the work of the context that has the access and disables it, and
    /// reports whether that worked. Dropping does the same, and discards the error.
    ///
    /// # Errors
    /// The driver's code. Access stays enabled where it is not known whether the work is over.
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
                // The last one waits for the work that relied on this one, too.
                enabled.values -= 1;
                return Ok(());
            }
            let (owned, made) = (enabled.owned, enabled.made);
            // Waiting is for when nobody is kept from the table: what is waited for may need it. If meanwhile others came
            // and went, there may be new work, which relied on theirs.
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

    /// Nothing relies on the access any more, and nobody else enables it meanwhile: the table is locked.
    fn disable(&self) -> Result<()> {
        let _current = self.context.enter("cuCtxDisablePeerAccess")?;
        // SAFETY: both contexts are live; nothing runs that relies on the access.
        let code = released(|| unsafe { sys::cuCtxDisablePeerAccess(self.peer.as_raw()) });
        // Somebody else has disabled it, which is what is wanted.
        if code == CUresult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED {
            return Ok(());
        }
        self.context.check("cuCtxDisablePeerAccess", code)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // An error here can't be acted upon; `close` reports it.
        let _ = unheard(|| self.release());
    }
}

impl fmt::Debug for PeerAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PeerAccess({:?} to {:?})", self.context(), self.peer())
    }
}
