//! Checked sizes and index ranges.

use std::ops::{Bound, Range, RangeBounds};

use crate::error::{Error, Result};

/// Returns the size of `len` elements of `T` in bytes.
pub(crate) fn byte_size<T>(len: usize, call: &'static str) -> Result<usize> {
    len.checked_mul(size_of::<T>())
        .filter(|&bytes| isize::try_from(bytes).is_ok())
        .ok_or_else(|| {
            Error::invalid(
                call,
                format!(
                    "{len} elements of {} bytes do not fit into the address space",
                    size_of::<T>()
                ),
            )
        })
}

/// Returns an error unless `size` is a nonzero multiple of `unit`, both in bytes.
pub(crate) fn expect_multiple(size: usize, unit: usize, call: &'static str) -> Result<()> {
    if size > 0 && size.is_multiple_of(unit) {
        return Ok(());
    }
    let detail = match size {
        0 => {
            format!(
                "the size is 0 bytes. Fix: use at least one unit (PhysicalMemory::unit), here {unit} bytes"
            )
        }
        _ => format!(
            "{size} bytes is not a multiple of the unit {unit}. Fix: use \
             size.next_multiple_of(PhysicalMemory::unit(..)?)"
        ),
    };
    Err(Error::invalid(call, detail))
}

/// Resolves `range` against `len` elements, and returns an error if it is out of bounds.
pub(crate) fn range_within(
    range: impl RangeBounds<usize>,
    len: usize,
    call: &'static str,
) -> Result<Range<usize>> {
    let start = match range.start_bound() {
        Bound::Included(&start) => Some(start),
        Bound::Excluded(&start) => start.checked_add(1),
        Bound::Unbounded => Some(0),
    };
    let end = match range.end_bound() {
        Bound::Included(&end) => end.checked_add(1),
        Bound::Excluded(&end) => Some(end),
        Bound::Unbounded => Some(len),
    };
    match (start, end) {
        (Some(start), Some(end)) if start <= end && end <= len => Ok(start..end),
        _ => {
            // Only `..=usize::MAX` has an end that overflows, and only an excluded `usize::MAX` a
            // start.
            let start = start.map_or(format!("{}+1", usize::MAX), |start| start.to_string());
            let end = end.map_or(format!("={}", usize::MAX), |end| end.to_string());
            Err(Error::invalid(
                call,
                format!("the range {start}..{end} is out of bounds for {len} elements"),
            ))
        }
    }
}

/// Returns an error if `index` is not a valid split position of `len` elements.
pub(crate) fn expect_split(index: usize, len: usize, call: &'static str) -> Result<()> {
    if index <= len {
        return Ok(());
    }
    Err(Error::invalid(
        call,
        format!("the split index {index} is greater than the length of {len} elements"),
    ))
}

/// Returns an error unless the source and the destination of a copy have the same number of
/// elements.
pub(crate) fn expect_equal(source: usize, destination: usize, call: &'static str) -> Result<()> {
    if source == destination {
        return Ok(());
    }
    Err(Error::invalid(
        call,
        format!(
            "the source has {source} elements and the destination {destination}. Fix: take a slice of \
             the longer one"
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_size_rejects_overflow() {
        assert_eq!(byte_size::<f32>(3, "t").unwrap(), 12);
        assert_eq!(byte_size::<u64>(0, "t").unwrap(), 0);
        assert!(byte_size::<u64>(usize::MAX / 8 + 1, "t").is_err());
        assert!(byte_size::<u8>(isize::MAX as usize + 1, "t").is_err());
    }

    #[test]
    fn ranges_out_of_bounds_are_rejected() {
        assert_eq!(range_within(.., 5, "t").unwrap(), 0..5);
        assert_eq!(range_within(2.., 5, "t").unwrap(), 2..5);
        assert_eq!(range_within(..=4, 5, "t").unwrap(), 0..5);
        assert_eq!(range_within(5..5, 5, "t").unwrap(), 5..5);
        assert!(range_within(..6, 5, "t").is_err());
        #[expect(clippy::reversed_empty_ranges, reason = "the case under test")]
        let reversed = range_within(3..2, 5, "t");
        assert!(reversed.is_err());
        let endless = range_within(..=usize::MAX, 5, "t").unwrap_err().to_string();
        let range = format!("the range 0..={} is", usize::MAX);
        assert!(endless.contains(&range), "{endless}");
        let beyond = (Bound::Excluded(usize::MAX), Bound::Unbounded);
        let beyond = range_within(beyond, 5, "t").unwrap_err().to_string();
        assert!(beyond.contains("+1..5 is"), "{beyond}");
        assert!(expect_split(5, 5, "t").is_ok());
        let split = expect_split(6, 5, "t").unwrap_err().to_string();
        assert_eq!(
            split,
            "t: the split index 6 is greater than the length of 5 elements"
        );
    }
}
