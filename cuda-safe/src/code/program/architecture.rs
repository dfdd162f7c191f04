//! Target architectures of compilations.

use std::{ffi::c_int, fmt};

use cuda_sys as sys;

use super::version::{check, nvrtc_version};
use crate::{
    device::ComputeCapability,
    error::{Error, ErrorKind, Result},
};

/// A target architecture. Real architectures (`sm_90`) produce machine code and PTX. Virtual ones
/// (`compute_90`) produce only PTX.
///
/// ```
/// use cuda_safe::Architecture;
///
/// assert_eq!(Architecture::real_of(90).to_string(), "sm_90");
/// assert_eq!(Architecture::real_of(90).specific().to_string(), "sm_90a");
/// assert_eq!(Architecture::virtual_of(100).family().to_string(), "compute_100f");
/// assert!(!Architecture::virtual_of(90).is_real());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Architecture {
    number: u32,
    real: bool,
    suffix: Suffix,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Suffix {
    None,
    Specific,
    Family,
}

impl Architecture {
    /// Returns a real architecture, for machine code. 90 means `sm_90`.
    #[must_use]
    pub const fn real_of(number: u32) -> Self {
        Self {
            number,
            real: true,
            suffix: Suffix::None,
        }
    }

    /// Returns a virtual architecture, for PTX only. 90 means `compute_90`.
    #[must_use]
    pub const fn virtual_of(number: u32) -> Self {
        Self {
            number,
            real: false,
            suffix: Suffix::None,
        }
    }

    /// Adds the features that only this exact architecture has: `sm_90a`.
    #[must_use]
    pub const fn specific(mut self) -> Self {
        self.suffix = Suffix::Specific;
        self
    }

    /// Adds the features of the architecture's family: `sm_100f`.
    #[must_use]
    pub const fn family(mut self) -> Self {
        self.suffix = Suffix::Family;
        self
    }

    /// Returns the best architecture that the compiler supports for a device.
    ///
    /// It is real, for machine code, if the compiler knows an architecture of the device's
    /// generation that is not newer than the device. Otherwise it is virtual, for PTX of an older
    /// architecture.
    ///
    /// See [`nvrtcGetSupportedArchs`](https://docs.nvidia.com/cuda/nvrtc/index.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] if the device is older than every architecture that the
    /// compiler supports.
    ///
    /// ```
    /// # use cuda_safe::{Architecture, ComputeCapability};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let hopper = Architecture::for_device(ComputeCapability { major: 9, minor: 0 })?;
    /// assert_eq!(hopper, Architecture::real_of(90));
    /// // A future generation gets PTX, which its driver compiles.
    /// assert!(!Architecture::for_device(ComputeCapability { major: 99, minor: 0 })?.is_real());
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "nvrtcGetSupportedArchs")]
    pub fn for_device(capability: ComputeCapability) -> Result<Self> {
        Self::choose(capability, &supported()?)
    }

    fn choose(capability: ComputeCapability, supported: &[u32]) -> Result<Self> {
        let device = capability.number();
        let best = supported
            .iter()
            .copied()
            .filter(|&number| number <= device)
            .max();
        match best {
            Some(number) if number / 10 == device / 10 => Ok(Self::real_of(number)),
            Some(number) => Ok(Self::virtual_of(number)),
            None => Err(Error::checked(
                ErrorKind::Unsupported,
                "nvrtcGetSupportedArchs",
                format!(
                    "this NVRTC ({}) compiles for {supported:?}, but the device is {device}. Fix: build \
                     with an older CUDA toolkit",
                    nvrtc_version().map_or_else(|_| "unknown".into(), |v| v.to_string())
                ),
            )),
        }
    }

    /// Returns the virtual architecture with the same number and suffix.
    pub(crate) const fn without_code(mut self) -> Self {
        self.real = false;
        self
    }

    /// Returns whether the architecture is real, so that the result has machine code in addition to
    /// PTX.
    #[must_use]
    pub const fn is_real(self) -> bool {
        self.real
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.real { "sm" } else { "compute" };
        let suffix = match self.suffix {
            Suffix::None => "",
            Suffix::Specific => "a",
            Suffix::Family => "f",
        };
        write!(f, "{kind}_{}{suffix}", self.number)
    }
}

/// Returns the architectures that this NVRTC supports. 90 means `sm_90`.
fn supported() -> Result<Vec<u32>> {
    let mut count: c_int = 0;
    // SAFETY: `count` is valid for writing.
    check("nvrtcGetNumSupportedArchs", unsafe {
        sys::nvrtcGetNumSupportedArchs(&mut count)
    })?;
    let mut numbers = vec![0 as c_int; usize::try_from(count).unwrap_or(0)];
    // SAFETY: the array has the length that the call above returned.
    check("nvrtcGetSupportedArchs", unsafe {
        sys::nvrtcGetSupportedArchs(numbers.as_mut_ptr())
    })?;
    Ok(numbers
        .into_iter()
        .filter_map(|number| u32::try_from(number).ok())
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_real_architectures_are_real() {
        assert!(!Architecture::virtual_of(90).is_real());
        assert!(Architecture::real_of(90).is_real());
    }

    const KNOWN: [u32; 6] = [75, 80, 86, 90, 100, 120];

    fn chosen(number: u32) -> String {
        let capability = ComputeCapability {
            major: number / 10,
            minor: number % 10,
        };
        Architecture::choose(capability, &KNOWN).map_or_else(|e| e.to_string(), |a| a.to_string())
    }

    #[test]
    fn newest_compatible_architecture_is_chosen() {
        assert_eq!(chosen(90), "sm_90");
        assert_eq!(chosen(89), "sm_86");
        assert_eq!(chosen(103), "sm_100");
        assert_eq!(chosen(110), "compute_100");
        assert_eq!(chosen(130), "compute_120");
        assert!(chosen(61).contains("older CUDA toolkit"), "{}", chosen(61));
    }

    #[test]
    fn names_match_the_compilers() {
        assert_eq!(Architecture::real_of(90).specific().to_string(), "sm_90a");
        assert_eq!(
            Architecture::virtual_of(100).family().to_string(),
            "compute_100f"
        );
    }
}
