//! Which devices may use the memory of a pool.

use cuda_sys::{self as sys, CUmemAccess_flags, CUmemAccessDesc, CUresult};

use super::{MemoryPool, options::MemoryAccess};
use crate::{
    device::Device,
    driver::callback,
    error::{Error, Result},
    memory::location::MemoryLocation,
    stream::Stream,
};

impl MemoryPool {
    /// An error where the device of a stream could not touch the pool's memory.
    pub(in crate::memory) fn expect_access_of(
        &self,
        stream: &Stream,
        call: &'static str,
    ) -> Result<()> {
        let device = stream.context().device();
        let own = self.is_within_reach() && device == self.context().device();
        if own || self.access(device)? == MemoryAccess::READ_WRITE {
            return Ok(());
        }
        Err(Error::invalid(
            call,
            format!(
                "device {}, which the stream is on, has no access to this pool: call MemoryPool::grant_access first",
                device.ordinal()
            ),
        ))
    }

    /// What a place may do with the pool's memory.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a place that is neither a device nor the host.
    ///
    /// ```
    /// # use cuda_safe::{Context, memory::MemoryAccess, MemoryPool};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let pool = MemoryPool::new(&context)?;
    /// assert_eq!(pool.access(context.device())?, MemoryAccess::READ_WRITE);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemPoolGetAccess")]
    pub fn access(&self, location: impl Into<MemoryLocation>) -> Result<MemoryAccess> {
        callback::refuse_within("cuMemPoolGetAccess")?;
        let mut access = CUmemAccess_flags(0);
        let mut location = location.into().raw();
        // SAFETY: both are valid for the call, and the handle is live.
        let code = unsafe { sys::cuMemPoolGetAccess(&mut access, self.as_raw(), &mut location) };
        self.context().check("cuMemPoolGetAccess", code)?;
        Ok(MemoryAccess(access.0))
    }

    /// Lets devices read and write the pool's memory: what is allocated from it, and what will be. Its own device has that
    /// access already, unless the memory is the host's.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_SUPPORTED` ([`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported)) for places that are not
    /// devices. `CUDA_ERROR_INVALID_DEVICE` for a device that can't reach the pool's, and for one that does not exist.
    ///
    /// A kernel of one device reads a buffer of another, which came from that one's current pool:
    ///
    /// ```
    /// use cuda_safe::{Context, Device, DeviceBuffer, LaunchConfig, MemoryPool, Module, Out, Stream};
    ///
    /// # fn main() -> cuda_safe::Result<()> {
    /// let devices = Device::all()?;
    /// let [here, there, ..] = devices[..] else { return Ok(()) }; // one device
    /// if !here.can_access_peer(there)? { return Ok(()) }
    /// let (context, other) = (Context::primary_of(here)?, Context::primary_of(there)?);
    /// MemoryPool::current(&other)?.grant_access(&[here])?;
    /// let (stream, far) = (Stream::new(&context)?, Stream::new(&other)?);
    /// let source = DeviceBuffer::from_slice(&far, &[1.0f32, 2.0, 3.0, 4.0])?;
    /// let mut sum = [0.0f32];
    /// let module = Module::compile(&context, r#"extern "C" __global__ void sum(float *to, const float *x) {
    ///     *to = x[0] + x[1] + x[2] + x[3];
    /// }"#)?;
    /// stream.ordered_with([source.owner()], || {
    ///     // SAFETY: one thread, which reads four elements; ordered with the stream of `source`.
    ///     unsafe { module.function("sum")?.launch(&stream, LaunchConfig::new(1, 1), (Out(&mut sum), &source)) }
    /// })?;
    /// assert_eq!(sum, [10.0]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemPoolSetAccess")]
    pub fn grant_access(&self, locations: &[impl Into<MemoryLocation> + Copy]) -> Result<()> {
        let all = locations
            .iter()
            .map(|&one| (one.into(), MemoryAccess::READ_WRITE));
        // SAFETY: nobody loses access that he had: there is none wider.
        unsafe { self.change_access(all.collect()) }
    }

    /// Sets what devices may do with the pool's memory: what is allocated from it, and what will be. To give access, there is
    /// [`grant_access`](Self::grant_access), which is safe.
    ///
    /// # Safety
    /// A device that loses access does not use the pool's memory any more: what was enqueued there that does is over, and
    /// nothing is enqueued after this call, nor are buffers of the pool given to its streams.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_SUPPORTED` ([`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported)) for [`MemoryAccess::READ`],
    /// and for places that are not devices. `CUDA_ERROR_INVALID_DEVICE` for a device that can't reach the pool's, for one
    /// that does not exist, and for taking access from the pool's own.
    #[doc(alias = "cuMemPoolSetAccess")]
    pub unsafe fn set_access(
        &self,
        access: &[(impl Into<MemoryLocation> + Copy, MemoryAccess)],
    ) -> Result<()> {
        let all = access.iter().map(|&(one, access)| (one.into(), access));
        // SAFETY: as this function's contract says.
        unsafe { self.change_access(all.collect()) }
    }

    /// # Safety
    /// As [`set_access`](Self::set_access).
    unsafe fn change_access(&self, access: Vec<(MemoryLocation, MemoryAccess)>) -> Result<()> {
        callback::refuse_within("cuMemPoolSetAccess")?;
        let description = |&(location, access): &(MemoryLocation, MemoryAccess)| CUmemAccessDesc {
            location: location.raw(),
            flags: CUmemAccess_flags(access.0),
        };
        let all: Vec<CUmemAccessDesc> = access.iter().map(description).collect();
        // SAFETY: an array of this length, and a live handle; who loses access is the caller's promise.
        let code = unsafe { sys::cuMemPoolSetAccess(self.as_raw(), all.as_ptr(), all.len()) };
        let checked = self.context().check("cuMemPoolSetAccess", code);
        checked.map_err(|error| match self.why_refused(code, &access) {
            Some(why) => error.with_detail(why),
            None => error,
        })
    }

    /// What the driver means by a refusal.
    #[cold]
    fn why_refused(
        &self,
        code: CUresult,
        access: &[(MemoryLocation, MemoryAccess)],
    ) -> Option<String> {
        let own = self.context().device();
        let why = |&(location, access): &(MemoryLocation, MemoryAccess)| {
            let Some(number) = location.as_device() else {
                return Some(format!(
                    "{location:?} is no device, and only these are given access"
                ));
            };
            let Some(device) = u32::try_from(number)
                .ok()
                .and_then(|one| Device::get(one).ok())
            else {
                return Some(format!("there is no device {number}"));
            };
            if ![MemoryAccess::NONE, MemoryAccess::READ_WRITE].contains(&access) {
                return Some("pools are opened by READ_WRITE or not at all".to_owned());
            }
            if device == own {
                let taken = access == MemoryAccess::NONE;
                return taken
                    .then(|| format!("device {number} is the pool's own, and keeps its access"));
            }
            let apart = device.can_access_peer(own) == Ok(false);
            apart.then(|| {
                format!(
                    "device {number} can't reach memory of device {}: copy it",
                    own.ordinal()
                )
            })
        };
        let codes = [
            CUresult::CUDA_ERROR_NOT_SUPPORTED,
            CUresult::CUDA_ERROR_INVALID_DEVICE,
        ];
        access
            .iter()
            .filter(|_| codes.contains(&code))
            .find_map(why)
    }
}
