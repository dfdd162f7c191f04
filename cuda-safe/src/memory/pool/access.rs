//! Access of devices to the memory of a pool.

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
    /// Returns an error if the stream's device has no access to the pool's memory.
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
                "the stream's device {} has no access to this pool. Fix: call MemoryPool::grant_access first",
                device.ordinal()
            ),
        ))
    }

    /// Returns the access that a location has to the pool's memory.
    ///
    /// See [`cuMemPoolGetAccess`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the location is neither a device nor the host.
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
        callback::reject_in_callback("cuMemPoolGetAccess")?;
        let mut access = CUmemAccess_flags(0);
        let mut location = location.into().raw();
        // SAFETY: both are valid for the call, and the handle is live.
        let code = unsafe { sys::cuMemPoolGetAccess(&mut access, self.as_raw(), &mut location) };
        self.context().check("cuMemPoolGetAccess", code)?;
        Ok(MemoryAccess(access.0))
    }

    /// Gives devices read and write access to all current and future memory of the pool.
    ///
    /// The pool's own device already has this access unless the pool has host memory.
    ///
    /// See [`cuMemPoolSetAccess`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported)
    /// (`CUDA_ERROR_NOT_SUPPORTED`) if a location is not a device. Returns
    /// `CUDA_ERROR_INVALID_DEVICE` if a device does not exist, or cannot access memory of the
    /// pool's device.
    ///
    /// In this example, a kernel on one device reads a buffer from the current pool of another
    /// device:
    ///
    /// ```
    /// use cuda_safe::{Context, Device, DeviceBuffer, LaunchConfig, MemoryPool, Module, Out, Stream};
    ///
    /// # fn main() -> cuda_safe::Result<()> {
    /// let devices = Device::all()?;
    /// let [here, there, ..] = devices[..] else { return Ok(()) }; // only one device
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
    ///     // SAFETY: one thread reads four elements, ordered with the stream of `source`.
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
        // SAFETY: no device loses access, because there is no wider access.
        unsafe { self.change_access(all.collect()) }
    }

    /// Sets the access of devices to all current and future memory of the pool. To only give
    /// access, use [`grant_access`](Self::grant_access), which is safe.
    ///
    /// See [`cuMemPoolSetAccess`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The caller must ensure that a device that loses access no longer uses the pool's memory:
    /// work enqueued on it earlier has finished, no such work is enqueued after this call, and
    /// buffers of the pool are not passed to its streams.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported)
    /// (`CUDA_ERROR_NOT_SUPPORTED`) for [`MemoryAccess::READ`], or if a location is not a device.
    /// Returns `CUDA_ERROR_INVALID_DEVICE` if a device does not exist, if it cannot access memory
    /// of the pool's device, or if access is taken from the pool's own device.
    #[doc(alias = "cuMemPoolSetAccess")]
    pub unsafe fn set_access(
        &self,
        access: &[(impl Into<MemoryLocation> + Copy, MemoryAccess)],
    ) -> Result<()> {
        let all = access.iter().map(|&(one, access)| (one.into(), access));
        // SAFETY: guaranteed by this function's contract.
        unsafe { self.change_access(all.collect()) }
    }

    /// Sets the access of devices to the pool.
    ///
    /// # Safety
    /// The contract of [`set_access`](Self::set_access) applies.
    unsafe fn change_access(&self, access: Vec<(MemoryLocation, MemoryAccess)>) -> Result<()> {
        callback::reject_in_callback("cuMemPoolSetAccess")?;
        let description = |&(location, access): &(MemoryLocation, MemoryAccess)| CUmemAccessDesc {
            location: location.raw(),
            flags: CUmemAccess_flags(access.0),
        };
        let all: Vec<CUmemAccessDesc> = access.iter().map(description).collect();
        // SAFETY: the array has this length, and the handle is live. The caller guarantees that
        // devices that lose access do not use the memory.
        let code = unsafe { sys::cuMemPoolSetAccess(self.as_raw(), all.as_ptr(), all.len()) };
        let checked = self.context().check("cuMemPoolSetAccess", code);
        checked.map_err(|error| match self.rejection_reason(code, &access) {
            Some(why) => error.with_detail(why),
            None => error,
        })
    }

    /// Returns the reason for which the driver rejected an access setting.
    #[cold]
    fn rejection_reason(
        &self,
        code: CUresult,
        access: &[(MemoryLocation, MemoryAccess)],
    ) -> Option<String> {
        let own = self.context().device();
        let why = |&(location, access): &(MemoryLocation, MemoryAccess)| {
            let Some(number) = location.as_device() else {
                return Some(format!(
                    "{location:?} is not a device, and only devices can be given access"
                ));
            };
            let Some(device) = u32::try_from(number)
                .ok()
                .and_then(|one| Device::get(one).ok())
            else {
                return Some(format!("device {number} does not exist"));
            };
            if ![MemoryAccess::NONE, MemoryAccess::READ_WRITE].contains(&access) {
                return Some("a pool's access can only be READ_WRITE or NONE".to_owned());
            }
            if device == own {
                let taken = access == MemoryAccess::NONE;
                return taken.then(|| {
                    format!("device {number} is the pool's own device and keeps its access")
                });
            }
            let apart = device.can_access_peer(own) == Ok(false);
            apart.then(|| {
                format!(
                    "device {number} cannot access memory of device {}. Fix: copy the memory",
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
