//! Settings of GPU core dumps.

use crate::abi::pointers::{Buffer, In, Out};
use crate::abi::status::Result;
use crate::process::call::export;
use crate::process::{context, coredump};

fn get(context: Option<u64>, attrib: u32, value: Buffer, size: Out<usize>) -> Result {
    if value.0.is_null() {
        return size.set(coredump::size(context, attrib)?);
    }
    let bytes = coredump::get(context, attrib, size.get()?)?;
    bytes
        .iter()
        .enumerate()
        .try_for_each(|(index, byte)| value.0.at(index).set(*byte))
}

fn set(context: Option<u64>, attrib: u32, value: Buffer, size: Out<usize>) -> Result {
    let bytes = In::<u8>::of(value.0.address()).bytes(size.get()?.min(1 << 16))?;
    coredump::set(context, attrib, &bytes)
}

export! {
    fn cuCoredumpGetAttribute(attrib: u32, value: Buffer, size: Out<usize>) {
        get(Some(context::current()?.id), attrib, value, size)
    }

    early fn cuCoredumpGetAttributeGlobal(attrib: u32, value: Buffer, size: Out<usize>) {
        get(None, attrib, value, size)
    }

    fn cuCoredumpSetAttribute(attrib: u32, value: Buffer, size: Out<usize>) {
        set(Some(context::current()?.id), attrib, value, size)
    }

    early fn cuCoredumpSetAttributeGlobal(attrib: u32, value: Buffer, size: Out<usize>) {
        set(None, attrib, value, size)
    }
}
