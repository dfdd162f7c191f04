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

#[cfg(test)]
mod tests {
    use super::*;

    const F32: DataType = DataType::F32;

    type Found = (Vec<isize>, usize, u64, usize);

    fn place(lengths: &[i64], strides: Option<&[i64]>, address: u64) -> Result<Found> {
        let place = Place::of(F32, lengths, strides, address)?;
        let layout = place.layout;
        Ok((
            layout.strides().to_vec(),
            layout.offset,
            place.address,
            place.bytes,
        ))
    }

    #[test]
    fn memory_begins_at_the_lowest_element() {
        let found =
            |lengths: &[i64], strides: Option<&[i64]>| place(lengths, strides, 0x1000).unwrap();
        assert_eq!(found(&[2, 3], None), (vec![3, 1], 0, 0x1000, 24));
        assert_eq!(
            found(&[2, 3], Some(&[8, 2])),
            (vec![8, 2], 0, 0x1000, 13 * 4)
        );
        assert_eq!(
            found(&[2, 3], Some(&[-3, 1])),
            (vec![-3, 1], 3, 0x1000 - 12, 24)
        );
        assert_eq!(
            found(&[2, 3], Some(&[3, -1])),
            (vec![3, -1], 2, 0x1000 - 8, 24)
        );
        assert_eq!(found(&[2, 3], Some(&[0, 1])), (vec![0, 1], 0, 0x1000, 12));
        assert_eq!(found(&[], Some(&[])), (vec![], 0, 0x1000, 4));
        // The stride along an axis of length 1 may have any value. In an empty array, all strides
        // may.
        assert_eq!(
            found(&[1, 3], Some(&[i64::MAX, 1])),
            (vec![3, 1], 0, 0x1000, 12)
        );
        assert_eq!(found(&[0, 3], Some(&[i64::MAX, 1])), (vec![3, 1], 0, 0, 0));
    }

    #[test]
    fn memory_lies_within_all_that_there_is() {
        let beyond = |lengths: &[i64], strides: &[i64], address| {
            let error = place(lengths, Some(strides), address).err()?.to_string();
            assert!(error.contains("reaches beyond all memory"), "{error}");
            Some(())
        };
        // At the start of the address space: address 0 is not valid.
        assert_eq!(beyond(&[4], &[-1], 16), None);
        assert_eq!(beyond(&[4], &[-1], 12), Some(()));
        assert_eq!(beyond(&[4], &[-1], 8), Some(()));
        // At the end of the address space.
        let end = 1 << 63;
        assert_eq!(beyond(&[4], &[1], end - 16), None);
        assert_eq!(beyond(&[5], &[1], end - 16), Some(()));
        assert_eq!(beyond(&[2], &[1 << 61], 4), Some(()));
        assert_eq!(beyond(&[2], &[i64::MAX], 4), Some(()));
        assert_eq!(beyond(&[2], &[i64::MIN], end - 4), Some(()));
    }

    #[test]
    fn other_descriptions_are_refused() {
        let error =
            |lengths: &[i64], address| place(lengths, None, address).unwrap_err().to_string();
        assert!(error(&[2, -1], 0x1000).contains("negative length: [2, -1]"));
        let text = error(&[2], 0x1002);
        assert!(
            text.contains("0x1002 is not aligned for elements of f32"),
            "{text}"
        );
        assert!(place(&[2], None, 0x1004).is_ok());
        assert!(place(&[1 << 62, 2], None, 0x1000).is_err());
    }
}
