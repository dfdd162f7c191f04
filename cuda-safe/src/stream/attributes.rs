//! What streams tell, and their attributes.

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

/// Which of the device's domains the two [`MemSyncDomain`]s mean: numbers below the attribute
/// [`MEM_SYNC_DOMAIN_COUNT`](crate::DeviceAttribute::MEM_SYNC_DOMAIN_COUNT).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemSyncDomainMap {
    /// What [`MemSyncDomain::DEFAULT`] means.
    pub default: u8,
    /// What [`MemSyncDomain::REMOTE`] means.
    pub remote: u8,
}

type Id = CUlaunchAttributeID;

impl Stream {
    /// A number that no other stream of this process has, also when it is gone.
    ///
    /// # Errors
    /// The context is unusable after a fault, or has been destroyed.
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

    /// The device that the driver says the stream is on. [`Context::device`](crate::Context::device) knows without a
    /// call.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for a driver older than CUDA 12.8. The context is unusable
    /// after a fault.
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

    /// Whether the stream belongs to its context as the driver has it: to the context itself, or to the green context
    /// of [`green_context`](Self::green_context). For streams that came from elsewhere, by
    /// [`from_raw`](Self::from_raw) or [`borrow_raw`](Self::borrow_raw).
    ///
    /// # Errors
    /// The context is unusable after a fault, or has been destroyed.
    #[doc(alias = "cuStreamGetCtx")]
    #[doc(alias = "cuStreamGetGreenCtx")]
    pub fn belongs_to_its_context(&self) -> Result<bool> {
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

    /// The window of memory that the L2 cache treats in its own way for kernels of this stream.
    ///
    /// # Errors
    /// The context is unusable after a fault, or has been destroyed.
    #[doc(alias = "cuStreamGetAttribute")]
    #[doc(alias = "CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW")]
    pub fn access_policy(&self) -> Result<AccessPolicyWindow> {
        let value = self.attribute(Id::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)?;
        // SAFETY: what this attribute is.
        Ok(AccessPolicyWindow::from_raw(unsafe {
            value.accessPolicyWindow
        }))
    }

    /// Sets the window for kernels that the stream is given from now on. `AccessPolicyWindow::default()` is none.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a ratio that is not from 0 to 1, and misses
    /// that persist.
    /// `CUDA_ERROR_INVALID_VALUE` for a window that is larger than the device allows (the attribute
    /// `MAX_ACCESS_POLICY_WINDOW_SIZE`).
    #[doc(alias = "cuStreamSetAttribute")]
    #[doc(alias = "CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW")]
    pub fn set_access_policy(&self, window: AccessPolicyWindow) -> Result<()> {
        let raw = window.to_raw("Stream::set_access_policy")?;
        let mut value = empty();
        value.accessPolicyWindow = raw;
        self.set_attribute(Id::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value)
    }

    /// How the host waits for this stream; `None` where it was not set.
    ///
    /// # Errors
    /// The context is unusable after a fault, or has been destroyed.
    #[doc(alias = "CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY")]
    pub fn sync_policy(&self) -> Result<Option<SyncPolicy>> {
        let value = self.attribute(Id::CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY)?;
        // SAFETY: what this attribute is.
        let policy = unsafe { value.syncPolicy }.0;
        // What drivers give for none: 0 or all bits.
        Ok((policy != 0 && policy != c_uint::MAX).then_some(SyncPolicy(policy)))
    }

    /// Sets how the host waits for this stream.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a policy that the driver does not know.
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

    /// Changes the priority for what the stream is given from now on: a lower number is more urgent, see
    /// [`Context::stream_priority_range`](crate::Context::stream_priority_range). The driver clamps values outside of that
    /// range.
    ///
    /// # Errors
    /// The context is unusable after a fault, or has been destroyed.
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

    /// The domain of kernels of this stream.
    ///
    /// # Errors
    /// The context is unusable after a fault, or has been destroyed.
    #[doc(alias = "CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN")]
    pub fn mem_sync_domain(&self) -> Result<MemSyncDomain> {
        let value = self.attribute(Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN)?;
        // SAFETY: what this attribute is.
        Ok(MemSyncDomain(unsafe { value.memSyncDomain }.0))
    }

    /// Sets the domain of kernels that the stream is given from now on.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a domain that the driver does not know.
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

    /// Which of the device's domains the two mean in this stream.
    ///
    /// # Errors
    /// The context is unusable after a fault, or has been destroyed.
    #[doc(alias = "CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP")]
    pub fn mem_sync_domain_map(&self) -> Result<MemSyncDomainMap> {
        let value = self.attribute(Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP)?;
        // SAFETY: what this attribute is.
        let map = unsafe { value.memSyncDomainMap };
        Ok(MemSyncDomainMap {
            default: map.default_,
            remote: map.remote,
        })
    }

    /// Sets which of the device's domains the two mean for kernels that the stream is given from now on.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a domain that the device lacks.
    #[doc(alias = "CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP")]
    pub fn set_mem_sync_domain_map(&self, map: MemSyncDomainMap) -> Result<()> {
        let mut value = empty();
        value.memSyncDomainMap = CUlaunchMemSyncDomainMap {
            default_: map.default,
            remote: map.remote,
        };
        self.set_attribute(Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &value)
    }

    /// Gives this stream the attributes of another one of its context.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a stream of another context.
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
        // SAFETY: the handle is live, `value` is valid for the write, and has room for any attribute.
        let code = unsafe { sys::cuStreamGetAttribute(self.as_raw(), id, &mut value) };
        self.context().check("cuStreamGetAttribute", code)?;
        Ok(value)
    }

    fn set_attribute(&self, id: Id, value: &CUlaunchAttributeValue) -> Result<()> {
        let _current = self.enter("cuStreamSetAttribute")?;
        // SAFETY: the handle is live, `value` is what this attribute is.
        let code = unsafe { sys::cuStreamSetAttribute(self.as_raw(), id, value) };
        self.context().check("cuStreamSetAttribute", code)
    }
}

/// A value of zeros, all of it initialised.
fn empty() -> CUlaunchAttributeValue {
    CUlaunchAttributeValue { pad: [0; 64] }
}
