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

/// A set of multiprocessors of a device: all of them, or a part that [`split`](Self::split) made. A
/// [`GreenContext`](crate::green::GreenContext) runs kernels on the set that it is made with.
///
/// A value only describes the set. Nothing is reserved by it, and sets of two contexts may overlap.
///
/// ```
/// # use cuda_safe::Device;
/// # fn main() -> cuda_safe::Result<()> {
/// let all = Device::get(0)?.multiprocessors()?;
/// println!("{} multiprocessors, to be divided into groups of {} or more", all.count(), all.smallest());
/// if let Ok(parts) = all.split(2, all.smallest()) {
///     assert_eq!(parts.groups.len(), 2);
///     assert!(parts.groups[0].count() >= all.smallest());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Multiprocessors {
    raw: RawResource,
    device: Device,
}

/// What [`Multiprocessors::split`] makes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Split {
    /// The groups, all of the same size.
    pub groups: Vec<Multiprocessors>,
    /// What is left over. It has none of the guarantees that groups have, on clusters for instance.
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

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.raw.count
    }

    /// The size of the smallest group that these can be divided into, without flags.
    #[must_use]
    pub fn smallest(&self) -> u32 {
        self.raw.smallest
    }

    /// Sizes of groups are multiples of this. As many multiprocessors lie together, so that clusters can run on them.
    #[must_use]
    pub fn alignment(&self) -> u32 {
        self.raw.alignment
    }

    /// The device that they are part of.
    #[must_use]
    pub fn device(&self) -> Device {
        self.device
    }

    /// How many groups of at least so many multiprocessors there can be.
    ///
    /// # Errors
    /// As [`split`](Self::split).
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
        callback::refuse_within("cuDevSmResourceSplitByCount")?;
        let split = newer::cuDevSmResourceSplitByCount()?;
        let mut count = 0;
        // SAFETY: without a place for groups, only their number is written; the input is one that the driver made.
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

    /// Divides the multiprocessors into `groups` groups of the same size, which is at least `at_least` and may be
    /// rounded up. The rest are all others.
    ///
    /// A group can be divided again only by way of a green context: [`GreenContext::multiprocessors`] of one that
    /// has the group.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] where there can't be so many groups; the error says how many there can be. The
    /// driver's code for more multiprocessors than there are, and for a group that came out of a division.
    /// [`ErrorKind::Unsupported`] for a driver older than CUDA 12.4.
    ///
    /// [`GreenContext::multiprocessors`]: crate::green::GreenContext::multiprocessors
    #[doc(alias = "cuDevSmResourceSplitByCount")]
    pub fn split(&self, groups: u32, at_least: u32) -> Result<Split> {
        self.split_with(groups, at_least, SplitFlags::default())
    }

    /// As [`split`](Self::split), with flags.
    ///
    /// # Errors
    /// As [`split`](Self::split). The driver's code for flags that the device does not support.
    ///
    /// ```
    /// # use cuda_safe::{Device, green::SplitFlags};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let all = Device::get(0)?.multiprocessors()?;
    /// // The smallest group that there can be, without regard to clusters.
    /// let parts = all.split_with(1, 1, SplitFlags::IGNORE_SM_COSCHEDULING)?;
    /// assert!(parts.groups[0].count() <= all.smallest());
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDevSmResourceSplitByCount")]
    pub fn split_with(&self, groups: u32, at_least: u32, flags: SplitFlags) -> Result<Split> {
        const CALL: &str = "cuDevSmResourceSplitByCount";
        callback::refuse_within(CALL)?;
        // Also bounds what is allocated.
        let most = self.groups_of(at_least, flags)?;
        let too_many = |most| {
            Error::invalid(
                CALL,
                format!(
                    "{groups} groups of at least {at_least} of the {} multiprocessors: {most} groups are possible \
                     (sizes are multiples of {}, and at least {})",
                    self.count(),
                    self.alignment(),
                    self.smallest(),
                ),
            )
        };
        if groups == 0 || groups > most {
            return Err(too_many(most));
        }
        let split = newer::cuDevSmResourceSplitByCount()?;
        let mut found = vec![RawResource::NONE; groups as usize];
        let (mut count, mut rest) = (groups, RawResource::NONE);
        // SAFETY: there is room for as many groups as `count` says, and for the rest; the input is one that the driver
        // made.
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
                    "a group of {at_least} of {} multiprocessors",
                    self.count()
                )),
            // CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, which older headers lack
            CUresult(915) if at_least > self.count() => error.with_detail(format!(
                "a group of {at_least} of {} multiprocessors",
                self.count()
            )),
            CUresult(915) => error.with_detail(
                "a group that came out of a division is divided again by way of a green context that has it, and \
                 GreenContext::multiprocessors",
            ),
            _ => error,
        })
    }
}

impl fmt::Debug for Multiprocessors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Multiprocessors")
            .field("count", &self.count())
            .field("smallest", &self.smallest())
            .field("alignment", &self.alignment())
            .field("device", &self.device.ordinal())
            .finish()
    }
}

/// The descriptor of sets that are to be used together. It lives as long as the process.
pub(super) fn describe(parts: &[Multiprocessors]) -> Result<*mut c_void> {
    let generate = newer::cuDevResourceGenerateDesc()?;
    let mut parts: Vec<_> = parts.iter().map(|part| part.raw).collect();
    let mut descriptor = ptr::null_mut();
    // SAFETY: `descriptor` is valid for the write, the resources for the read, as many as are said; the driver made them.
    let code = unsafe { generate(&mut descriptor, parts.as_mut_ptr(), parts.len() as c_uint) };
    check("cuDevResourceGenerateDesc", code)?;
    Ok(descriptor)
}

impl Device {
    /// The device's multiprocessors, to be divided. For their number alone, see
    /// [`multiprocessor_count`](Self::multiprocessor_count).
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for a driver older than CUDA 12.4.
    #[doc(alias = "cuDeviceGetDevResource")]
    pub fn multiprocessors(self) -> Result<Multiprocessors> {
        callback::refuse_within("cuDeviceGetDevResource")?;
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
    /// The multiprocessors that kernels of this context run on.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for a driver older than CUDA 12.4. The context is unusable after a fault.
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
            // SAFETY: the context is live, `raw` is valid for the write.
            let code = unsafe { get(self.as_raw(), raw, MULTIPROCESSORS) };
            self.check("cuCtxGetDevResource", code)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_is_laid_out_as_the_headers_of_cuda_12_4_to_13_5_have_it() {
        assert_eq!(
            (size_of::<RawResource>(), align_of::<RawResource>()),
            (144, 8)
        );
        assert_eq!(std::mem::offset_of!(RawResource, count), 96);
    }
}
