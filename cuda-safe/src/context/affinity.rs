//! Contexts that are limited to a number of multiprocessors.

use cuda_sys::{
    self as sys, CUexecAffinityParam, CUexecAffinityParam_st__bindgen_ty_1, CUexecAffinitySmCount,
    CUexecAffinityType, CUresult,
};

use super::{Context, ContextFlags};
use crate::{
    device::Device,
    driver::{self, callback, check, newer},
    error::{ErrorKind, Result},
};

const COUNT: CUexecAffinityType = CUexecAffinityType::CU_EXEC_AFFINITY_TYPE_SM_COUNT;

impl Device {
    /// Whether contexts can be limited to a number of multiprocessors: see [`Context::create_limited`].
    ///
    /// # Errors
    /// None that a working driver returns for a device that exists.
    ///
    /// ```
    /// # use cuda_safe::Device;
    /// # fn main() -> cuda_safe::Result<()> {
    /// if !Device::get(0)?.can_limit_contexts()? {
    ///     println!("no MPS: a green context has a part of the multiprocessors");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDeviceGetExecAffinitySupport")]
    pub fn can_limit_contexts(self) -> Result<bool> {
        callback::refuse_within("cuDeviceGetExecAffinitySupport")?;
        let mut supported = 0;
        // SAFETY: `supported` is valid for the write.
        let code =
            unsafe { sys::cuDeviceGetExecAffinitySupport(&mut supported, COUNT, self.as_raw()) };
        check("cuDeviceGetExecAffinitySupport", code)?;
        Ok(supported != 0)
    }
}

impl Context {
    /// Creates a context whose kernels run on so many multiprocessors; the driver may round up. That takes a server
    /// of MPS (Multi-Process Service). For parts of a device within one process, see
    /// [`GreenContext`](crate::green::GreenContext).
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] without MPS ([`Device::can_limit_contexts`]); otherwise as
    /// [`create`](Self::create).
    ///
    /// ```
    /// # use cuda_safe::{Context, ContextFlags, Device, ErrorKind};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let device = Device::get(0)?;
    /// match Context::create_limited(device, ContextFlags::AUTO, 8) {
    ///     Ok(context) => assert!(context.multiprocessor_limit()? >= 8),
    ///     Err(error) => assert_eq!(*error.kind(), ErrorKind::Unsupported),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuCtxCreate")]
    pub fn create_limited(
        device: Device,
        flags: ContextFlags,
        multiprocessors: u32,
    ) -> Result<Self> {
        callback::refuse_within("cuCtxCreate_v3")?;
        driver::init()?;
        let create = newer::cuCtxCreate_v3()?;
        let mut limit = parameter(multiprocessors);
        let created = Self::created(device, |raw| {
            // SAFETY: the place is valid for the write, the one parameter for the read.
            unsafe { create(raw, &mut limit, 1, flags.0, device.as_raw()) }
        });
        created.map_err(|error| match error.driver_code() {
            Some(CUresult::CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY) => {
                error.with_kind(ErrorKind::Unsupported).with_detail(
                    "a context can be limited to some multiprocessors only under MPS: a green context (GreenContext) \
                     needs none",
                )
            }
            _ => error,
        })
    }

    /// How many multiprocessors kernels of the context may use: all, unless it was limited to some.
    ///
    /// # Errors
    /// The context is unusable after a fault, or has been destroyed.
    ///
    /// ```
    /// # use cuda_safe::Context;
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// assert!(context.multiprocessor_limit()? <= context.device().multiprocessor_count()?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuCtxGetExecAffinity")]
    pub fn multiprocessor_limit(&self) -> Result<u32> {
        let _current = self.enter("cuCtxGetExecAffinity")?;
        let mut limit = parameter(0);
        // SAFETY: `limit` is valid for the write.
        let code = unsafe { sys::cuCtxGetExecAffinity(&mut limit, COUNT) };
        self.check("cuCtxGetExecAffinity", code)?;
        // SAFETY: set above, and of the type that was asked for.
        Ok(unsafe { limit.param.smCount.val })
    }
}

fn parameter(multiprocessors: u32) -> CUexecAffinityParam {
    CUexecAffinityParam {
        type_: COUNT,
        param: CUexecAffinityParam_st__bindgen_ty_1 {
            smCount: CUexecAffinitySmCount {
                val: multiprocessors,
            },
        },
    }
}
