//! Structs of plain data as elements: copied, filled, gathered, compared, reduced, scanned, and
//! accessed by field.

use std::fmt::Debug;

use bytemuck::{Pod, Zeroable};
use cuda_compute::{
    Array, Combination, CudaFn, DataType, Element, Expr, FieldType, Order, concatenate, device_fn,
    eval, fold, interop::ImportedTensor, s, stack,
};
use cuda_safe::Stream;
use half::{bf16, f16};
use num_complex::Complex;

use crate::{OnHost, stream};

/// Declares structs that implement `Element`.
macro_rules! plain {
    ($($(#[$meta:meta])* struct $name:ident { $($field:ident: $type:ty),* $(,)? })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Element)]
        #[repr(C)]
        struct $name { $($field: $type),* }
    )*};
}

plain! {
    struct Byte { only: u8 }
    struct Rgb { r: u8, g: u8, b: u8 }
    struct Pair { low: i16, high: u16 }
    struct MinMax { min: f32, max: f32 }
    struct Float3 { x: f32, y: f32, z: f32 }
    struct Float4 { x: f32, y: f32, z: f32, w: f32 }
    struct Mixed { id: u64, position: Float3, half: f16, brain: bf16, wave: Complex<f32>, tail: [i8; 8] }
    struct Matrix { rows: [[f64; 4]; 4] }
}

/// A struct whose fields are derived from a number.
trait Numbered: Element + Pod {
    fn of(i: usize) -> Self;
}

impl Numbered for Byte {
    fn of(i: usize) -> Self {
        Self { only: i as u8 }
    }
}

impl Numbered for Rgb {
    fn of(i: usize) -> Self {
        Self {
            r: i as u8,
            g: (i >> 3) as u8,
            b: (i * 7) as u8,
        }
    }
}

impl Numbered for Pair {
    fn of(i: usize) -> Self {
        Self {
            low: -(i as i16),
            high: (i * 3) as u16,
        }
    }
}

impl Numbered for MinMax {
    fn of(i: usize) -> Self {
        Self {
            min: i as f32,
            max: i as f32 + 0.5,
        }
    }
}

impl Numbered for Float3 {
    fn of(i: usize) -> Self {
        let x = i as f32;
        Self {
            x,
            y: x + 0.25,
            z: -x,
        }
    }
}

impl Numbered for Float4 {
    fn of(i: usize) -> Self {
        let x = i as f32;
        Self {
            x,
            y: x + 0.25,
            z: -x,
            w: x * 2.0,
        }
    }
}

impl Numbered for Mixed {
    fn of(i: usize) -> Self {
        Self {
            id: i as u64 | 1 << 40,
            position: Float3::of(i),
            half: f16::from_f32((i % 64) as f32),
            brain: bf16::from_f32((i % 32) as f32),
            wave: Complex::new(i as f32, -1.0),
            tail: [i as i8; 8],
        }
    }
}

impl Numbered for Matrix {
    fn of(i: usize) -> Self {
        let mut rows = [[i as f64; 4]; 4];
        rows[3][1] = -(i as f64);
        Self { rows }
    }
}

fn numbers<T: Numbered>(count: usize) -> Vec<T> {
    (0..count).map(T::of).collect()
}

/// Calls a generic function for each struct.
macro_rules! for_all {
    ($function:ident) => {
        $function::<Byte>();
        $function::<Rgb>();
        $function::<Pair>();
        $function::<MinMax>();
        $function::<Float3>();
        $function::<Float4>();
        $function::<Mixed>();
        $function::<Matrix>();
    };
}

// After the macros, because the modules use them.
mod fields;
mod folded;
mod moved;
mod names;
mod seen;

/// Using structs and their fields needs no `unsafe`.
#[forbid(unsafe_code)]
mod without_unsafe {
    use bytemuck::{Pod, Zeroable};
    use cuda_compute::{Array, Element};

    use crate::OnHost;

    #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Element)]
    #[repr(C)]
    pub struct Point {
        pub x: f64,
        pub y: f64,
    }

    #[test]
    fn fields() {
        let stream = crate::stream();
        let mut points = Array::full(&stream, 3, Point { x: 3.0, y: 4.0 }).unwrap();
        let size = points
            .field(|p| &p.x)
            .unwrap()
            .hypot(points.field(|p| &p.y).unwrap());
        points.field_mut(|p| &p.x).unwrap().assign(size).unwrap();
        assert_eq!(points.host(), [Point { x: 5.0, y: 4.0 }; 3]);
    }
}
