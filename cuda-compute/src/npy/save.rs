//! Arrays to files.

use std::io::Write;

use cuda_safe::{PinnedBuffer, memory::Transfer};

use super::{
    file::{CHUNK, failed},
    header,
};
use crate::{
    array::{Array, Order},
    element::Element,
    error::Result,
};

/// Returns the array if it is contiguous, and otherwise a copy.
pub(super) fn dense<T: Element>(array: &Array<T>) -> Result<Array<T>> {
    array.contiguous(order(array))
}

fn order<T: Element>(array: &Array<T>) -> Order {
    match array.is_contiguous(Order::F) && !array.is_contiguous(Order::C) {
        true => Order::F,
        false => Order::C,
    }
}

/// Writes an array. `name` names the target in errors.
pub(super) fn save<T: Element>(
    array: &Array<T>,
    target: &mut impl Write,
    name: &str,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<()> {
    let dense = dense(array)?;
    let order = order(&dense);
    header::write::<T>(target, name, array.shape(), order)?;
    let (stream, all) = (dense.stream(), dense.bytes());
    let start = |at: usize, spare: Option<PinnedBuffer<u8>>| -> Result<Transfer<u8>> {
        let length = (all.end - at).min(CHUNK);
        let host = match spare {
            Some(host) if host.len() == length => host,
            _ => PinnedBuffer::zeroed(stream.context(), length)?,
        };
        let part = dense.memory.bytes(at..at + length)?;
        let download = stream.download(&part, host);
        Ok(download.map_err(cuda_safe::Error::from)?)
    };
    let mut next = if all.is_empty() {
        None
    } else {
        Some(start(all.start, None)?)
    };
    let (mut at, mut spare) = (all.start, None);
    while let Some(transfer) = next.take() {
        let host = transfer.wait()?;
        at += host.len();
        if at < all.end {
            // The next part is copied while this one is written.
            next = Some(start(at, spare.take())?);
        }
        target
            .write_all(&host)
            .map_err(failed(&name, "can't be written"))?;
        spare = Some(host);
        progress(at - all.start, all.len());
    }
    target.flush().map_err(failed(&name, "can't be written"))
}
