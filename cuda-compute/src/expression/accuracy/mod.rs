//! How exact functions are: what `guide/accuracy.md` says, and what is tested.

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

/// The most that a function's results are off.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(test), expect(dead_code, reason = "for the page and its tests"))]
pub(super) struct Accuracy {
    /// In units in the last place, from the `f32` that is nearest to the exact result.
    single: u8,
    /// The same of `f64`.
    double: u8,
    /// In epsilons of the type of the parts, relative to the size of the exact result.
    complex: u8,
    apart: Option<Apart>,
}

/// Where a function is off by so much, whatever its size there.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(test), expect(dead_code, reason = "for the page and its tests"))]
pub(super) struct Apart {
    from: f64,
    to: f64,
    /// Whether for negative arguments of these sizes, too.
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
    /// Between two arguments.
    pub(super) const fn between(from: f64, to: f64, single: f64, double: f64) -> Self {
        Self {
            from,
            to,
            even: false,
            single,
            double,
        }
    }

    /// From a size of the argument on.
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

/// A stream on the first device.
#[cfg(test)]
fn stream() -> cuda_safe::Stream {
    cuda_safe::Stream::new(&cuda_safe::Context::primary(0).unwrap()).unwrap()
}
