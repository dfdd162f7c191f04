//! The source of a reduction kernel: what it computes, in front of how.

use std::borrow::Cow;

use super::tuning::Shape;
use crate::element::{Element, Scalar, sealed::Scalar as _};

/// Everything that tells one reduction kernel from another but its block shape.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Operation {
    storage: &'static str,
    value: &'static str,
    accumulator: &'static str,
    inputs: u32,
    identity: Cow<'static, str>,
    /// Of `x`, or of `x` and `y`, converted to the accumulator's type.
    map: Cow<'static, str>,
    /// Of `a` and `b`.
    combine: Cow<'static, str>,
}

impl Operation {
    pub(super) fn new<T: Element, A: Scalar>(
        inputs: u32,
        identity: impl Into<Cow<'static, str>>,
        map: impl Into<Cow<'static, str>>,
        combine: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            storage: T::STORAGE,
            value: T::VALUE,
            accumulator: A::TYPE,
            inputs,
            identity: identity.into(),
            map: map.into(),
            combine: combine.into(),
        }
    }

    pub(super) fn sum<T: Element, A: Scalar>() -> Self {
        Self::new::<T, A>(1, "0", "x", "a + b")
    }

    pub(super) fn dot<T: Element, A: Scalar>() -> Self {
        Self::new::<T, A>(2, "0", "x * y", "a + b")
    }

    pub(super) fn min<T: Element>() -> Self {
        Self::new::<T, T::Sum>(1, T::Sum::HIGHEST, "x", T::Sum::MIN)
    }

    pub(super) fn max<T: Element>() -> Self {
        Self::new::<T, T::Sum>(1, T::Sum::LOWEST, "x", T::Sum::MAX)
    }

    /// CUDA C++ for blocks of that shape.
    pub(super) fn source(&self, shape: &Shape) -> String {
        let (threads, unroll, pieces) = (shape.threads, shape.unroll, u32::from(shape.pieces));
        let Self {
            storage,
            value,
            accumulator,
            inputs,
            identity,
            map,
            combine,
        } = self;
        let parameters = if *inputs == 2 {
            "element first, element second"
        } else {
            "element first"
        };
        let second = if *inputs == 2 {
            "const accumulator y = value_of(second);"
        } else {
            ""
        };
        format!(
            r#"typedef {storage} element;
typedef {accumulator} accumulator;
#define INPUTS {inputs}
#define IDENTITY ({identity})
#define THREADS {threads}
#define UNROLL {unroll}
#define PIECES {pieces}

__device__ __forceinline__ float half_value(unsigned short bits) {{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}}
__device__ __forceinline__ accumulator value_of(element e) {{ return (accumulator)({value}); }}
__device__ __forceinline__ accumulator map({parameters}) {{
    const accumulator x = value_of(first);
    {second}
    return ({map});
}}
__device__ __forceinline__ accumulator combine(accumulator a, accumulator b) {{
    return ({combine});
}}

{kernel}"#,
            kernel = include_str!("../kernels/reduce.cu"),
        )
    }
}

#[cfg(test)]
mod tests {
    use half::f16;

    use super::{super::tuning::SHAPES, *};

    #[test]
    fn kernels_of_different_types_differ() {
        let operations = [
            Operation::sum::<f32, f32>(),
            Operation::sum::<f32, f64>(),
            Operation::sum::<f16, f32>(),
            Operation::min::<f32>(),
            Operation::dot::<f32, f32>(),
        ];
        for (i, a) in operations.iter().enumerate() {
            for b in &operations[i + 1..] {
                assert_ne!(a, b);
                assert_ne!(a.source(&SHAPES[0]), b.source(&SHAPES[0]));
            }
        }
    }
}
