#![forbid(unsafe_code)]

use cuda_compute::{DataType, FieldType, StructField, StructType};

// The description of a struct becomes part of the kernels' source.
static DESCRIBED: StructType = StructType::of::<u32>(
    "Forged",
    &[StructField {
        name: "x",
        offset: 0,
        data: FieldType::Element(DataType::U32),
    }],
);

fn main() {
    let _ = DataType::Struct(&DESCRIBED);
}
