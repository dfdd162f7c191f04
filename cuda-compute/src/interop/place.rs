//! Validation of memory that another library describes.

use crate::{
    array::{Layout, Order, Shape},
    element::DataType,
    error::{Error, Result},
};

/// A layout and the memory that it needs.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) layout: Layout,
    /// The address of the lowest byte, or 0 if there are no elements.
    pub(super) address: u64,
    /// The number of bytes from the lowest to the highest.
    pub(super) bytes: usize,
}

impl Place {
    /// Checks the layout of elements whose first is at `address`. Strides are in elements. Without
    /// strides, the elements are contiguous in C order.
    pub(super) fn of(
        data: DataType,
        lengths: &[i64],
        strides: Option<&[i64]>,
        address: u64,
    ) -> Result<Self> {
        let mut own = Vec::with_capacity(lengths.len());
        for &length in lengths {
            own.push(usize::try_from(length).map_err(|_| {
                Error::Foreign(format!("a tensor has a negative length: {lengths:?}"))
            })?);
        }
        let shape = Shape::new(&own)?;
        let mut layout = Layout::dense(shape, Order::C);
        if shape.elements() == 0 {
            return Ok(Self {
                layout,
                address: 0,
                bytes: 0,
            });
        }
        if let Some(strides) = strides {
            let dense = layout;
            // The stride of an axis of length 1 may be anything, because it is not used.
            layout.set_strides(|axis| match shape[axis] {
                1 => dense.strides()[axis],
                _ => strides[axis] as isize,
            });
        }
        let (mut low, mut high) = (0i128, 0i128);
        for (&length, &stride) in own.iter().zip(layout.strides()) {
            let far = (length as i128 - 1) * stride as i128;
            low += far.min(0);
            high += far.max(0);
        }
        let size = data.size();
        let bytes = (high - low + 1) * size as i128;
        let start = i128::from(address) + low * size as i128;
        let fits = isize::try_from(bytes).is_ok() && start > 0 && start + bytes <= 1 << 63;
        if !fits {
            return Err(Error::Foreign(format!(
                "a tensor of shape {shape} and strides {:?} of {} at {address:#x} reaches beyond all memory",
                layout.strides(),
                data.name()
            )));
        }
        if !address.is_multiple_of(data.alignment() as u64) {
            return Err(Error::Foreign(format!(
                "a tensor at {address:#x} is not aligned for elements of {}, which must be at multiples of {} bytes. Fix: copy it \
                 first",
                data.name(),
                data.alignment()
            )));
        }
        layout.offset = -low as usize;
        Ok(Self {
            layout,
            address: start as u64,
            bytes: bytes as usize,
        })
    }
}
