use bytemuck::{Pod, Zeroable};
use cuda_compute::Element;

#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Element)]
#[repr(C)]
struct Large {
    x: [f64; 17],
}

fn main() {}
