//! The driver's messages about failed calls.

use crate::abi::pointers::{Buffer, Out, Text, Word};
use crate::abi::status::{Code, Result};
use crate::process::call::export;
use crate::process::log::{self, Callback};

/// Returns the messages from an iterator's position on, and moves the iterator to the end. Returns
/// all messages if the iterator is null.
fn text(iterator: Out<u32>, room: usize) -> Result<String> {
    if iterator.is_null() {
        return log::text(None, room);
    }
    let text = log::text(Some(iterator.get()?), room)?;
    iterator.set(log::end())?;
    Ok(text)
}

// Flags are reserved, and an H200 (driver 580) does not check them.
export! {
    early fn cuLogsRegisterCallback(callbackFunc: Word, userData: Word, callback_out: Out<u64>) {
        if callbackFunc.0 == 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        // SAFETY: the client passes a function of that type.
        let function = unsafe { std::mem::transmute::<u64, Callback>(callbackFunc.0) };
        callback_out.set_optional(log::listen(function, userData.0));
        Ok(())
    }

    early fn cuLogsUnregisterCallback(callback: u64) {
        log::unlisten(callback)
    }

    early fn cuLogsCurrent(iterator_out: Out<u32>, flags: u32) {
        iterator_out.set(log::end())
    }

    early fn cuLogsDumpToFile(iterator: Out<u32>, pathToFile: Text, flags: u32) {
        let path = pathToFile.str()?;
        let text = text(iterator, usize::MAX)?;
        std::fs::write(path, text).map_err(|_| Code::ERROR_INVALID_VALUE)
    }

    early fn cuLogsDumpToMemory(iterator: Out<u32>, buffer: Buffer, size: Out<usize>, flags: u32) {
        let room = size.get()?;
        buffer.0.check()?;
        // One byte is for the NUL.
        let text = match room.checked_sub(1).ok_or(Code::ERROR_INVALID_VALUE).and_then(|room| text(iterator, room)) {
            Ok(text) => text,
            Err(code) => {
                size.set(0)?;
                return Err(code);
            }
        };
        for (index, byte) in text.bytes().chain([0]).enumerate() {
            buffer.0.at(index).set(byte)?;
        }
        size.set(text.len())
    }
}
