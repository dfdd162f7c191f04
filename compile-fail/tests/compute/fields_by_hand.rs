use bytemuck::{Pod, Zeroable};
use cuda_compute::{DataType, ElementField, FieldType};

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
struct Forged(u32);

// Kernels would read the field as a float.
impl ElementField for Forged {
    const FIELD_TYPE: FieldType = FieldType::Element(DataType::F32);
}

fn main() {}
