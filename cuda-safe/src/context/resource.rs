//! Multiprocessors as a resource that can be divided.

use std::{
    ffi::{c_uint, c_void},
    fmt, ptr,
};

use cuda_sys::CUresult;

use super::Context;
pub(crate) use crate::raw::constants::MULTIPROCESSORS;
pub use crate::raw::context::SplitFlags;
use crate::{
    device::Device,
    driver::{self, callback, check, newer},
    error::{Error, ErrorKind, Result},
    raw::structures::RawResource,
};

/// A set of multiprocessors of a device: all of them, or a part created by [`split`](Self::split).
/// A [`GreenContext`](crate::green::GreenContext) runs kernels on its set.
///
/// A value only describes the set. It reserves nothing, and the sets of two contexts may overlap.
///
/// ```
/// # use cuda_safe::Device;
/// # fn main() -> cuda_safe::Result<()> {
/// let all = Device::get(0)?.multiprocessors()?;
/// println!("{} multiprocessors, which can be divided into groups of {} or more", all.count(), all.min_group_size());
/// if let Ok(parts) = all.split(2, all.min_group_size()) {
///     assert_eq!(parts.groups.len(), 2);
///     assert!(parts.groups[0].count() >= all.min_group_size());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Multiprocessors {
    raw: RawResource,
    device: Device,
}

/// The result of [`Multiprocessors::split`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Split {
    /// The groups, all of the same size.
    pub groups: Vec<Multiprocessors>,
    /// The remaining multiprocessors. They do not have the guarantees of groups, for example for
    /// clusters.
    pub rest: Option<Multiprocessors>,
}

impl Multiprocessors {
    pub(super) fn read(
        device: Device,
        get: impl FnOnce(*mut RawResource) -> Result<()>,
    ) -> Result<Self> {
        let mut raw = RawResource::NONE;
        get(&mut raw)?;
        Ok(Self { raw, device })
    }

    /// Returns the number of multiprocessors.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.raw.count
    }

    /// Returns the size of the smallest group into which they can be divided without flags.
    #[must_use]
    pub fn min_group_size(&self) -> u32 {
        self.raw.smallest
    }

    /// Returns the number of which group sizes are multiples. Such a group of multiprocessors is
    /// adjacent, so that clusters can run on it.
    #[must_use]
    pub fn alignment(&self) -> u32 {
        self.raw.alignment
    }

    /// Returns the device of the multiprocessors.
    #[must_use]
    pub fn device(&self) -> Device {
        self.device
    }

    /// Returns the maximum number of groups of at least `at_least` multiprocessors.
    ///
    /// See [`cuDevSmResourceSplitByCount`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GREEN__CONTEXTS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error if `at_least` exceeds the number of multiprocessors, or if the
    /// set is itself a group from a division. Returns [`ErrorKind::Unsupported`] if the driver is
    /// older than CUDA 12.4.
    ///
    /// ```
    /// # use cuda_safe::{Device, green::SplitFlags};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let all = Device::get(0)?.multiprocessors()?;
    /// assert!(all.groups_of(all.count(), SplitFlags::default())? <= 1);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDevSmResourceSplitByCount")]
    pub fn groups_of(&self, at_least: u32, flags: SplitFlags) -> Result<u32> {
        callback::reject_in_callback("cuDevSmResourceSplitByCount")?;
        let split = newer::cuDevSmResourceSplitByCount()?;
        let mut count = 0;
        // SAFETY: without a place for groups, the driver writes only their number. The input came
        // from the driver.
        let code = unsafe {
            split(
                ptr::null_mut(),
                &mut count,
                &self.raw,
                ptr::null_mut(),
                flags.0,
                at_least,
            )
        };
        self.check_split(code, at_least)?;
        Ok(count)
    }

    /// Divides the multiprocessors into `groups` groups of equal size, and a rest. The size is at
    /// least `at_least`, and may be rounded up.
    ///
    /// To divide a group again, create a green context with it and use its
    /// [`GreenContext::multiprocessors`].
    ///
    /// See [`cuDevSmResourceSplitByCount`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GREEN__CONTEXTS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if that many groups are impossible. The error
    /// contains the maximum number of groups. Returns the driver's error if `at_least` exceeds the
    /// number of multiprocessors, or if the set is itself a group from a division. Returns
    /// [`ErrorKind::Unsupported`] if the driver is older than CUDA 12.4.
    ///
    /// [`GreenContext::multiprocessors`]: crate::green::GreenContext::multiprocessors
    #[doc(alias = "cuDevSmResourceSplitByCount")]
    pub fn split(&self, groups: u32, at_least: u32) -> Result<Split> {
        self.split_with(groups, at_least, SplitFlags::default())
    }

    /// Divides the multiprocessors like [`split`](Self::split), with flags.
    ///
    /// See [`cuDevSmResourceSplitByCount`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GREEN__CONTEXTS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`split`](Self::split), and the driver's error if the device does not
    /// support the flags.
    ///
    /// ```
    /// # use cuda_safe::{Device, green::SplitFlags};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let all = Device::get(0)?.multiprocessors()?;
    /// // The smallest possible group, without regard to clusters.
    /// let parts = all.split_with(1, 1, SplitFlags::IGNORE_SM_COSCHEDULING)?;
    /// assert!(parts.groups[0].count() <= all.min_group_size());
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDevSmResourceSplitByCount")]
    pub fn split_with(&self, groups: u32, at_least: u32, flags: SplitFlags) -> Result<Split> {
        const CALL: &str = "cuDevSmResourceSplitByCount";
        callback::reject_in_callback(CALL)?;
        // The maximum also bounds the allocation below.
        let most = self.groups_of(at_least, flags)?;
        let too_many = |most| {
            Error::invalid(
                CALL,
                format!(
                    "{groups} groups of at least {at_least} of the {} multiprocessors were requested, but only \
                     {most} groups are possible (sizes are multiples of {}, and at least {})",
                    self.count(),
                    self.alignment(),
                    self.min_group_size(),
                ),
            )
        };
        if groups == 0 || groups > most {
            return Err(too_many(most));
        }
        let split = newer::cuDevSmResourceSplitByCount()?;
        let mut found = vec![RawResource::NONE; groups as usize];
        let (mut count, mut rest) = (groups, RawResource::NONE);
        // SAFETY: there is room for `count` groups and for the rest. The input came from the
        // driver.
        let code = unsafe {
            split(
                found.as_mut_ptr(),
                &mut count,
                &self.raw,
                &mut rest,
                flags.0,
                at_least,
            )
        };
        self.check_split(code, at_least)?;
        if count < groups {
            return Err(too_many(count));
        }
        let device = self.device;
        let found = found.into_iter().map(|raw| Self { raw, device });
        Ok(Split {
            groups: found.collect(),
            rest: (rest.kind == MULTIPROCESSORS && rest.count > 0)
                .then_some(Self { raw: rest, device }),
        })
    }

    fn check_split(&self, code: CUresult, at_least: u32) -> Result<()> {
        check("cuDevSmResourceSplitByCount", code).map_err(|error| match code {
            CUresult::CUDA_ERROR_INVALID_VALUE if at_least > self.count() => error
                .with_kind(ErrorKind::InvalidArgument)
                .with_detail(format!(
                    "a group of {at_least} multiprocessors was requested, but there are only {}",
                    self.count()
                )),
            // CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, which older headers lack.
            CUresult(915) if at_least > self.count() => error.with_detail(format!(
                "a group of {at_least} multiprocessors was requested, but there are only {}",
                self.count()
            )),
            CUresult(915) => error.with_detail(
                "a group from a division cannot be divided directly. Fix: create a green context with it, and divide \
                 its GreenContext::multiprocessors",
            ),
            _ => error,
        })
    }
}

impl fmt::Debug for Multiprocessors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Multiprocessors")
            .field("count", &self.count())
            .field("min_group_size", &self.min_group_size())
            .field("alignment", &self.alignment())
            .field("device", &self.device.ordinal())
            .finish()
    }
}

/// Returns the descriptor of sets that are used together. It lives as long as the process.
pub(super) fn describe(parts: &[Multiprocessors]) -> Result<*mut c_void> {
    let generate = newer::cuDevResourceGenerateDesc()?;
    let mut parts: Vec<_> = parts.iter().map(|part| part.raw).collect();
    let mut descriptor = ptr::null_mut();
    // SAFETY: `descriptor` is valid for the write, and the array of resources, which came from the
    // driver, for the read.
    let code = unsafe { generate(&mut descriptor, parts.as_mut_ptr(), parts.len() as c_uint) };
    check("cuDevResourceGenerateDesc", code)?;
    Ok(descriptor)
}

impl Device {
    /// Returns the device's multiprocessors, which can be divided. For their number alone, see
    /// [`multiprocessor_count`](Self::multiprocessor_count).
    ///
    /// See [`cuDeviceGetDevResource`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GREEN__CONTEXTS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] if the driver is older than CUDA 12.4.
    #[doc(alias = "cuDeviceGetDevResource")]
    pub fn multiprocessors(self) -> Result<Multiprocessors> {
        callback::reject_in_callback("cuDeviceGetDevResource")?;
        driver::init()?;
        let get = newer::cuDeviceGetDevResource()?;
        Multiprocessors::read(self, |raw| {
            // SAFETY: `raw` is valid for the write.
            let code = unsafe { get(self.as_raw(), raw, MULTIPROCESSORS) };
            check("cuDeviceGetDevResource", code)
        })
    }
}

impl Context {
    /// Returns the multiprocessors on which kernels of this context run.
    ///
    /// See [`cuCtxGetDevResource`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GREEN__CONTEXTS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] if the driver is older than CUDA 12.4. Also returns an
    /// error if the context is unusable after a fault.
    ///
    /// ```
    /// # use cuda_safe::Context;
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// assert_eq!(context.multiprocessors()?.count(), context.device().multiprocessor_count()?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuCtxGetDevResource")]
    pub fn multiprocessors(&self) -> Result<Multiprocessors> {
        let get = newer::cuCtxGetDevResource()?;
        let _current = self.enter("cuCtxGetDevResource")?;
        Multiprocessors::read(self.device(), |raw| {
            // SAFETY: the context is live, and `raw` is valid for the write.
            let code = unsafe { get(self.as_raw(), raw, MULTIPROCESSORS) };
            self.check("cuCtxGetDevResource", code)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resource_layout_matches_the_headers_of_cuda_12_4_to_13_5() {
        assert_eq!(
            (size_of::<RawResource>(), align_of::<RawResource>()),
            (144, 8)
        );
        assert_eq!(std::mem::offset_of!(RawResource, count), 96);
    }
}
