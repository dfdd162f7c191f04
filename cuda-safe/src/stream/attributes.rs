//! Properties and attributes of streams.

use std::ffi::c_uint;

use cuda_sys::{
    self as sys, CUlaunchAttributeID, CUlaunchAttributeValue, CUlaunchMemSyncDomain,
    CUlaunchMemSyncDomainMap, CUsynchronizationPolicy,
};

pub use crate::raw::stream::{MemSyncDomain, SyncPolicy};
use crate::{
    device::Device,
    driver::newer,
    error::Result,
    stream::{Stream, access_policy::AccessPolicyWindow},
};

/// The device's domains to which the two [`MemSyncDomain`]s of a stream map: numbers below the
/// attribute [`MEM_SYNC_DOMAIN_COUNT`](crate::DeviceAttribute::MEM_SYNC_DOMAIN_COUNT).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemSyncDomainMap {
    /// The domain of [`MemSyncDomain::DEFAULT`].
    pub default: u8,
    /// The domain of [`MemSyncDomain::REMOTE`].
    pub remote: u8,
}

type Id = CUlaunchAttributeID;

impl Stream {
    /// Returns a number that no other stream of this process ever has, even after this one has been
    /// destroyed.
    ///
    /// See [`cuStreamGetId`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault, or has been destroyed.
    ///
    /// ```
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// assert_ne!(Stream::new(&context)?.id()?, stream.id()?);
    /// assert_eq!(stream.clone().id()?, stream.id()?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuStreamGetId")]
    pub fn id(&self) -> Result<u64> {
        let _current = self.enter("cuStreamGetId")?;
        let mut id = 0;
        // SAFETY: the handle is live, `id` is valid for the write.
        let code = unsafe { sys::cuStreamGetId(self.as_raw(), &mut id) };
        self.context().check("cuStreamGetId", code)?;
        Ok(id)
    }

    /// Returns the device of the stream, as the driver reports it.
    /// [`Context::device`](crate::Context::device) returns it without a call.
    ///
    /// See [`cuStreamGetDevice`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older
    /// than CUDA 12.8. Returns an error if the context is unusable after a fault.
    ///
    /// ```
    /// # use cuda_safe::{Context, ErrorKind, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// match stream.device() {
    ///     Ok(device) => assert_eq!(device, context.device()),
    ///     Err(error) => assert_eq!(*error.kind(), ErrorKind::Unsupported),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuStreamGetDevice")]
    pub fn device(&self) -> Result<Device> {
        let get = newer::cuStreamGetDevice()?;
        let _current = self.enter("cuStreamGetDevice")?;
        let mut device = 0;
        // SAFETY: the handle is live, `device` is valid for the write.
        let code = unsafe { get(self.as_raw(), &mut device) };
        self.context().check("cuStreamGetDevice", code)?;
        Device::from_raw(device)
    }

    /// Returns whether the driver agrees that the stream belongs to its context, or to its
    /// [`green_context`](Self::green_context). Use it to check streams from
    /// [`from_raw`](Self::from_raw) or [`borrow_raw`](Self::borrow_raw).
    ///
    /// See [`cuStreamGetCtx`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html), [`cuStreamGetGreenCtx`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GREEN__CONTEXTS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault, or has been destroyed.
    #[doc(alias = "cuStreamGetCtx")]
    #[doc(alias = "cuStreamGetGreenCtx")]
    pub fn is_in_context(&self) -> Result<bool> {
        let _current = self.enter("cuStreamGetGreenCtx")?;
        if let Some(green) = self.green_context() {
            let get = newer::cuStreamGetGreenCtx()?;
            let mut found = std::ptr::null_mut();
            // SAFETY: the handle is live, `found` is valid for the write.
            let code = unsafe { get(self.as_raw(), &mut found) };
            self.context().check("cuStreamGetGreenCtx", code)?;
            return Ok(found == green.as_raw());
        }
        let mut found = std::ptr::null_mut();
        // SAFETY: the handle is live, `found` is valid for the write.
        let code = unsafe { sys::cuStreamGetCtx(self.as_raw(), &mut found) };
        self.context().check("cuStreamGetCtx", code)?;
        Ok(found == self.context().as_raw())
    }

    /// Returns the window of memory that the L2 cache treats specially for kernels of this stream.
    ///
    /// See [`cuStreamGetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault, or has been destroyed.
    #[doc(alias = "cuStreamGetAttribute")]
    #[doc(alias = "CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW")]
    pub fn access_policy(&self) -> Result<AccessPolicyWindow> {
        let value = self.attribute(Id::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)?;
        // SAFETY: this attribute has that type.
        Ok(AccessPolicyWindow::from_raw(unsafe {
            value.accessPolicyWindow
        }))
    }

    /// Sets the window for kernels that are launched later on this stream.
    /// `AccessPolicyWindow::default()` removes it.
    ///
    /// See [`cuStreamSetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the ratio is
    /// not from 0 to 1, or if misses persist. Returns `CUDA_ERROR_INVALID_VALUE` if the window is
    /// larger than the device allows (the attribute `MAX_ACCESS_POLICY_WINDOW_SIZE`).
    #[doc(alias = "cuStreamSetAttribute")]
    #[doc(alias = "CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW")]
    pub fn set_access_policy(&self, window: AccessPolicyWindow) -> Result<()> {
        let raw = window.to_raw("Stream::set_access_policy")?;
        let mut value = empty();
        value.accessPolicyWindow = raw;
        self.set_attribute(Id::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value)
    }

    /// Returns how the host waits for this stream, or `None` if that was not set.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault, or has been destroyed.
    #[doc(alias = "CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY")]
    pub fn sync_policy(&self) -> Result<Option<SyncPolicy>> {
        let value = self.attribute(Id::CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY)?;
        // SAFETY: this attribute has that type.
        let policy = unsafe { value.syncPolicy }.0;
        // Drivers return 0 or all bits if it was not set.
        Ok((policy != 0 && policy != c_uint::MAX).then_some(SyncPolicy(policy)))
    }

    /// Sets how the host waits for this stream.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the driver does not know the policy.
    ///
    /// ```
    /// # use cuda_safe::{Context, Stream, stream::SyncPolicy};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// stream.set_sync_policy(SyncPolicy::BLOCKING_SYNC)?;
    /// assert_eq!(stream.sync_policy()?, Some(SyncPolicy::BLOCKING_SYNC));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY")]
    pub fn set_sync_policy(&self, policy: SyncPolicy) -> Result<()> {
        let mut value = empty();
        value.syncPolicy = CUsynchronizationPolicy(policy.0);
        self.set_attribute(Id::CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value)
    }

    /// Changes the priority for later work of the stream. A lower number is more urgent. See
    /// [`Context::stream_priority_range`](crate::Context::stream_priority_range). The driver clamps
    /// values outside of that range.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault, or has been destroyed.
    ///
    /// ```
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let (_, most_urgent) = context.stream_priority_range()?;
    /// stream.set_priority(most_urgent - 1)?;
    /// assert_eq!(stream.priority()?, most_urgent);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "CU_STREAM_ATTRIBUTE_PRIORITY")]
    pub fn set_priority(&self, priority: i32) -> Result<()> {
        let mut value = empty();
        value.priority = priority;
        self.set_attribute(Id::CU_LAUNCH_ATTRIBUTE_PRIORITY, &value)
    }

    /// Returns the domain of the stream's kernels.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault, or has been destroyed.
    #[doc(alias = "CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN")]
    pub fn mem_sync_domain(&self) -> Result<MemSyncDomain> {
        let value = self.attribute(Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN)?;
        // SAFETY: this attribute has that type.
        Ok(MemSyncDomain(unsafe { value.memSyncDomain }.0))
    }

    /// Sets the domain of kernels that are launched later on this stream.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the driver does not know the domain.
    ///
    /// ```
    /// # use cuda_safe::{Context, stream::MemSyncDomain, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// assert_eq!(stream.mem_sync_domain()?, MemSyncDomain::DEFAULT);
    /// stream.set_mem_sync_domain(MemSyncDomain::REMOTE)?;
    /// assert_eq!(stream.mem_sync_domain()?, MemSyncDomain::REMOTE);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN")]
    pub fn set_mem_sync_domain(&self, domain: MemSyncDomain) -> Result<()> {
        let mut value = empty();
        value.memSyncDomain = CUlaunchMemSyncDomain(domain.0);
        self.set_attribute(Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, &value)
    }

    /// Returns the device's domains to which the stream's two domains map.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault, or has been destroyed.
    #[doc(alias = "CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP")]
    pub fn mem_sync_domain_map(&self) -> Result<MemSyncDomainMap> {
        let value = self.attribute(Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP)?;
        // SAFETY: this attribute has that type.
        let map = unsafe { value.memSyncDomainMap };
        Ok(MemSyncDomainMap {
            default: map.default_,
            remote: map.remote,
        })
    }

    /// Maps the two domains to the device's domains, for kernels that are launched later on this
    /// stream.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the device lacks a domain.
    #[doc(alias = "CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP")]
    pub fn set_mem_sync_domain_map(&self, map: MemSyncDomainMap) -> Result<()> {
        let mut value = empty();
        value.memSyncDomainMap = CUlaunchMemSyncDomainMap {
            default_: map.default,
            remote: map.remote,
        };
        self.set_attribute(Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &value)
    }

    /// Copies the attributes of another stream of the same context.
    ///
    /// See [`cuStreamCopyAttributes`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream
    /// belongs to another context.
    ///
    /// ```
    /// # use cuda_safe::{Context, stream::MemSyncDomain, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// stream.set_mem_sync_domain(MemSyncDomain::REMOTE)?;
    /// let other = Stream::new(&context)?;
    /// other.copy_attributes_from(&stream)?;
    /// assert_eq!(other.mem_sync_domain()?, MemSyncDomain::REMOTE);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuStreamCopyAttributes")]
    pub fn copy_attributes_from(&self, other: &Self) -> Result<()> {
        self.context().expect_same(
            other.context(),
            "Stream::copy_attributes_from",
            "the streams",
        )?;
        let _others = other.enter("cuStreamCopyAttributes")?;
        let _current = self.enter("cuStreamCopyAttributes")?;
        // SAFETY: both handles are live.
        let code = unsafe { sys::cuStreamCopyAttributes(self.as_raw(), other.as_raw()) };
        self.context().check("cuStreamCopyAttributes", code)
    }

    fn attribute(&self, id: Id) -> Result<CUlaunchAttributeValue> {
        let _current = self.enter("cuStreamGetAttribute")?;
        let mut value = empty();
        // SAFETY: the handle is live, `value` is valid for the write, and has room for any
        // attribute.
        let code = unsafe { sys::cuStreamGetAttribute(self.as_raw(), id, &mut value) };
        self.context().check("cuStreamGetAttribute", code)?;
        Ok(value)
    }

    fn set_attribute(&self, id: Id, value: &CUlaunchAttributeValue) -> Result<()> {
        let _current = self.enter("cuStreamSetAttribute")?;
        // SAFETY: the handle is live, `value` has the type of this attribute.
        let code = unsafe { sys::cuStreamSetAttribute(self.as_raw(), id, value) };
        self.context().check("cuStreamSetAttribute", code)
    }
}

/// Returns a value of zeros, in which all bytes are initialized.
fn empty() -> CUlaunchAttributeValue {
    CUlaunchAttributeValue { pad: [0; 64] }
}
