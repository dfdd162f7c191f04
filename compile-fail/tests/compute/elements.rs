use bytemuck::{Pod, Zeroable};
use cuda_compute::Element;

// A byte, and seven bytes of padding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Element)]
#[repr(C)]
struct Padded {
    byte: i8,
    number: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Element)]
#[repr(C)]
struct PaddedPod {
    byte: i8,
    number: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Element)]
struct AnyOrder {
    x: f32,
    y: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Refers {
    to: &'static f32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Element)]
#[repr(C)]
struct Truth {
    truth: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Element)]
#[repr(C, packed)]
struct Packed {
    byte: i8,
    number: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Element)]
#[repr(C)]
struct Generic<T> {
    x: T,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Element)]
#[repr(C)]
struct Unnamed(f32);

#[derive(Clone, Copy, Debug, Default, PartialEq, Element)]
#[repr(u8)]
enum Choice {
    #[default]
    One,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Element)]
#[repr(C)]
struct Reserved {
    two__underscores: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct ByHand {
    x: f32,
}

impl Element for ByHand {}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct NoElement;

fn main() {
    let _: cuda_compute::Array<NoElement>;
    fn needs<T: Element>() {}
    needs::<NoElement>();
}
