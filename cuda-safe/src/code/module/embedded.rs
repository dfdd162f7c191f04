//! Code that was compiled with the program and is embedded in it.

use super::{
    JitOptions, Library, Module, Names,
    image::{self, is_rejected},
};
use crate::{
    context::Context,
    device::{ComputeCapability, Device},
    error::{Error, ErrorKind, Result},
};

/// Kernels that were compiled with the program: machine code for some architectures and PTX for all
/// others.
///
/// In a build script, the package `cuda-direct-build` creates them from a folder of `.cu` files.
/// See the [guide](crate::guide::shipping).
///
/// Loading them needs no compiler. A device uses the machine code for its own architecture or for
/// an earlier one of its generation. Otherwise the driver compiles the PTX.
///
/// ```
/// use cuda_safe::{Context, module::Embedded, Module};
///
/// // SAFETY: there is no machine code.
/// static NOTHING: Embedded = unsafe {
///     Embedded::new(&[], ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry nothing() { ret; }")
/// };
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// assert!(Module::from_embedded(&context, &NOTHING)?.function("nothing").is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Embedded {
    cubins: &'static [(&'static str, &'static [u8])],
    ptx: &'static str,
    names: &'static [(&'static str, &'static str)],
}

impl Embedded {
    /// Creates embedded code from pairs of an architecture (`sm_90`) and its machine code, and from
    /// PTX, which can be empty.
    ///
    /// # Safety
    /// The caller must ensure that each cubin was produced by a CUDA compiler and is complete and
    /// unaltered.
    #[must_use]
    pub const unsafe fn new(
        cubins: &'static [(&'static str, &'static [u8])],
        ptx: &'static str,
    ) -> Self {
        Self {
            cubins,
            ptx,
            names: &[],
        }
    }

    /// Adds the names under which kernels and variables can be looked up. Each is paired with its
    /// linked name.
    #[must_use]
    pub const fn with_names(mut self, names: &'static [(&'static str, &'static str)]) -> Self {
        self.names = names;
        self
    }

    /// Returns pairs of an architecture and its machine code.
    #[must_use]
    pub const fn cubins(&self) -> &'static [(&'static str, &'static [u8])] {
        self.cubins
    }

    /// Returns the PTX, which is empty if the program has none.
    #[must_use]
    pub const fn ptx(&self) -> &'static str {
        self.ptx
    }

    /// Returns the machine code for a device. The code for its exact architecture (`sm_90a`) comes
    /// first, then the newest code of its generation that is not newer than the device.
    fn cubin_for(&self, device: ComputeCapability) -> Option<&'static [u8]> {
        let fitting = self.cubins.iter().filter_map(|(architecture, cubin)| {
            let of = architecture.strip_prefix("sm_")?;
            let digits = of.trim_end_matches(|c: char| c.is_ascii_lowercase());
            let number: u32 = digits.parse().ok()?;
            let own = device.major * 10 + device.minor;
            let fits = match &of[digits.len()..] {
                "" | "f" => number / 10 == device.major && number <= own,
                _ => number == own,
            };
            // With equal numbers, prefer the code that uses more of the device's features.
            fits.then_some(((number, of.len()), cubin))
        });
        let (_, cubin) = fitting.max_by_key(|(rank, _)| *rank)?;
        Some(cubin)
    }

    fn load<T>(&self, device: Device, mut load: impl FnMut(&[u8]) -> Result<T>) -> Result<T> {
        let capability = device.compute_capability()?;
        if let Some(cubin) = self.cubin_for(capability) {
            match load(cubin) {
                Err(error) if is_rejected(&error) && !self.ptx.is_empty() => {}
                loaded => return loaded,
            }
        }
        if self.ptx.is_empty() {
            let known: Vec<_> = self.cubins.iter().map(|(name, _)| *name).collect();
            return Err(Error::checked(
                ErrorKind::Load { log: String::new() },
                "Embedded",
                format!(
                    "the program has no code for this device (compute capability {capability}): it has machine code for \
                     {known:?} and no PTX. Fix: build it for this architecture, or with PTX",
                ),
            ));
        }
        load(&image::ptx(self.ptx)?)
    }

    fn names(&self) -> Names {
        let names = self.names.iter();
        let names: Vec<_> = names
            .map(|(name, linked)| ((*name).into(), (*linked).into()))
            .collect();
        Names::of(self.ptx, &names)
    }
}

impl Module {
    /// Loads embedded code: the machine code that fits the context's device best, or else the PTX.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`], with the driver's log, if there is no code for this device or
    /// the driver is too old for the PTX.
    pub fn from_embedded(context: &Context, embedded: &Embedded) -> Result<Self> {
        embedded.load(context.device(), |image| {
            Self::load(context, image, &JitOptions::default(), || embedded.names())
        })
    }
}

impl Library {
    /// Loads embedded code: the machine code that fits the device best, or else the PTX.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`], with the driver's log, if there is no code for this device or
    /// the driver is too old for the PTX.
    pub fn from_embedded(device: Device, embedded: &Embedded) -> Result<Self> {
        embedded.load(device, |image| {
            // SAFETY: guaranteed by the caller of `new`. The image is not marked as preserved.
            unsafe { Self::load(image, &JitOptions::default(), false, || embedded.names()) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_compatible_cubin_is_chosen() {
        static CUBINS: &[(&str, &[u8])] = &[
            ("sm_80", b"80"),
            ("sm_86", b"86"),
            ("sm_90", b"90"),
            ("sm_90a", b"90a"),
            ("sm_100f", b"100f"),
            ("compute_70", b"no machine code"),
        ];
        // SAFETY: nothing is loaded.
        let embedded = unsafe { Embedded::new(CUBINS, "") };
        let chosen = |major, minor| {
            let cubin = embedded.cubin_for(ComputeCapability { major, minor });
            cubin.map(|cubin| str::from_utf8(cubin).unwrap())
        };
        assert_eq!(chosen(7, 5), None);
        assert_eq!(chosen(8, 0), Some("80"));
        assert_eq!(chosen(8, 6), Some("86"));
        assert_eq!(chosen(8, 9), Some("86"));
        assert_eq!(chosen(9, 0), Some("90a"));
        assert_eq!(chosen(10, 3), Some("100f"));
        assert_eq!(chosen(12, 0), None);
    }
}
