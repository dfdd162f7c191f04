//! Error bounds of functions, which `guide/accuracy.md` lists and these tests check.

#[cfg(test)]
mod arithmetic;
#[cfg(test)]
mod complexes;
#[cfg(test)]
mod doubles;
#[cfg(test)]
mod host;
#[cfg(test)]
mod page;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod singles;

/// The error bounds of a function.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(test), expect(dead_code, reason = "for the page and its tests"))]
pub(super) struct Accuracy {
    /// For `f32`: units in the last place, from the `f32` that is nearest to the exact result.
    single: u8,
    /// For `f64`: units in the last place, from the `f64` that is nearest to the exact result.
    double: u8,
    /// For complex numbers: epsilons of the parts' type, relative to the magnitude of the exact
    /// result.
    complex: u8,
    apart: Option<Apart>,
}

/// A range of arguments with an absolute error bound, which applies regardless of the magnitude of
/// the result.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(test), expect(dead_code, reason = "for the page and its tests"))]
pub(super) struct Apart {
    from: f64,
    to: f64,
    /// Whether the range also applies to negative arguments of these magnitudes.
    even: bool,
    single: f64,
    double: f64,
}

impl Accuracy {
    pub(super) const fn of(single: u8, double: u8) -> Self {
        Self {
            single,
            double,
            complex: 0,
            apart: None,
        }
    }

    pub(super) const fn complex(self, complex: u8) -> Self {
        Self { complex, ..self }
    }

    pub(super) const fn apart(self, apart: Apart) -> Self {
        Self {
            apart: Some(apart),
            ..self
        }
    }
}

impl Apart {
    /// Creates a range between two arguments.
    pub(super) const fn between(from: f64, to: f64, single: f64, double: f64) -> Self {
        Self {
            from,
            to,
            even: false,
            single,
            double,
        }
    }

    /// Creates the range of arguments of at least this magnitude.
    pub(super) const fn beyond(size: f64, single: f64, double: f64) -> Self {
        Self {
            from: size,
            to: f64::INFINITY,
            even: true,
            single,
            double,
        }
    }

    #[cfg(test)]
    fn holds(&self, x: f64) -> bool {
        let x = if self.even { x.abs() } else { x };
        self.from <= x && x <= self.to
    }
}

/// Creates a stream on the first device.
#[cfg(test)]
fn stream() -> cuda_safe::Stream {
    cuda_safe::Stream::new(&cuda_safe::Context::primary(0).unwrap()).unwrap()
}
