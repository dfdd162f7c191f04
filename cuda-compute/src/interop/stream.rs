//! Conversion between streams and the numbers that libraries exchange.

use std::ptr;

use cuda_safe::{Context, Stream};

use crate::error::{Error, Result};

/// Returns the number of a stream for other libraries, for `__dlpack__(stream=…)` or the `stream`
/// entry of `__cuda_array_interface__`.
///
/// 1 is the legacy default stream, 2 is the calling thread's default stream, and other numbers are
/// handles.
///
/// ```
/// # use cuda_compute::interop::stream_number;
/// # use cuda_safe::{Context, Stream};
/// # fn main() -> cuda_compute::Result<()> {
/// # let context = Context::primary(0)?;
/// assert_eq!(stream_number(&Stream::legacy_default(&context)), 1);
/// assert_eq!(stream_number(&Stream::per_thread_default(&context)), 2);
/// let stream = Stream::new(&context)?;
/// assert_eq!(stream_number(&stream), stream.as_raw() as i64);
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn stream_number(stream: &Stream) -> i64 {
    match stream.as_raw().expose_provenance() as i64 {
        0 => 1, // raw calls use handle 0 for the legacy default stream
        number => number,
    }
}

/// Returns the stream with a number, without owning it, or `None` for -1.
///
/// # Safety
/// The caller must ensure that a number above 2 is the handle of a stream of the context that stays
/// live as long as the result is used.
pub(super) unsafe fn numbered(context: &Context, number: Option<i64>) -> Result<Option<Stream>> {
    match number {
        None | Some(1) => Ok(Some(Stream::legacy_default(context))),
        Some(2) => Ok(Some(Stream::per_thread_default(context))),
        Some(-1) => Ok(None),
        Some(0) => Err(Error::Foreign(
            "stream 0 is ambiguous. Fix: pass 1 for the legacy default stream, or 2 for the calling thread's"
                .into(),
        )),
        Some(number) if number < 0 => Err(Error::Foreign(format!(
            "stream {number} is not allowed: pass -1 for no ordering, or a positive number"
        ))),
        Some(number) => {
            let raw = ptr::with_exposed_provenance_mut(number as usize);
            // SAFETY: the caller ensures that it is a live stream of the context.
            Ok(Some(unsafe { Stream::borrow_raw(raw, context) }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_for_streams() {
        let context = Context::primary(0).unwrap();
        // SAFETY: none of these numbers is a handle.
        let of = |number| unsafe { numbered(&context, number) };
        let legacy = Stream::legacy_default(&context);
        assert!(of(None).unwrap().unwrap() == legacy && of(Some(1)).unwrap().unwrap() == legacy);
        let own = Stream::per_thread_default(&context);
        assert!(of(Some(2)).unwrap().unwrap() == own);
        assert!(of(Some(-1)).unwrap().is_none());
        let error = |number| of(Some(number)).unwrap_err().to_string();
        assert!(error(0).contains("stream 0 is ambiguous"));
        assert!(error(-2).contains("stream -2 is not allowed"));
        let stream = Stream::new(&context).unwrap();
        // SAFETY: the handle of a live stream.
        let again = unsafe { numbered(&context, Some(stream_number(&stream))) };
        assert_eq!(again.unwrap().unwrap().as_raw(), stream.as_raw());
    }
}
