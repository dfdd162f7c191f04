//! Contexts limited to a number of multiprocessors.

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
    /// Returns whether contexts can be limited to a number of multiprocessors: see
    /// [`Context::create_limited`].
    ///
    /// See [`cuDeviceGetExecAffinitySupport`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Does not fail on a working driver.
    ///
    /// ```
    /// # use cuda_safe::Device;
    /// # fn main() -> cuda_safe::Result<()> {
    /// if !Device::get(0)?.can_limit_contexts()? {
    ///     println!("there is no MPS server: use a green context");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDeviceGetExecAffinitySupport")]
    pub fn can_limit_contexts(self) -> Result<bool> {
        callback::reject_in_callback("cuDeviceGetExecAffinitySupport")?;
        let mut supported = 0;
        // SAFETY: `supported` is valid for the write.
        let code =
            unsafe { sys::cuDeviceGetExecAffinitySupport(&mut supported, COUNT, self.as_raw()) };
        check("cuDeviceGetExecAffinitySupport", code)?;
        Ok(supported != 0)
    }
}

impl Context {
    /// Creates a context whose kernels run on `multiprocessors` multiprocessors. The driver may
    /// round the number up.
    ///
    /// This requires an MPS (Multi-Process Service) server. To divide a device within one process,
    /// see [`GreenContext`](crate::green::GreenContext).
    ///
    /// See [`cuCtxCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] if there is no MPS server
    /// ([`Device::can_limit_contexts`]). Also returns the errors of [`create`](Self::create).
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
        callback::reject_in_callback("cuCtxCreate_v3")?;
        driver::init()?;
        let create = newer::cuCtxCreate_v3()?;
        let mut limit = parameter(multiprocessors);
        let created = Self::created(device, |raw| {
            // SAFETY: the place is valid for the write, and the one parameter for the read.
            unsafe { create(raw, &mut limit, 1, flags.0, device.as_raw()) }
        });
        created.map_err(|error| match error.driver_code() {
            Some(CUresult::CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY) => {
                error.with_kind(ErrorKind::Unsupported).with_detail(
                    "limiting a context to some multiprocessors requires MPS. Fix: use a green context (GreenContext), \
                     which does not",
                )
            }
            _ => error,
        })
    }

    /// Returns the number of multiprocessors that kernels of the context can use: all, unless it
    /// was limited.
    ///
    /// See [`cuCtxGetExecAffinity`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault, or if it has been destroyed.
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
        // SAFETY: set above, and the parameter has this type.
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
