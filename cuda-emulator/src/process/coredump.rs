//! The settings of GPU core dumps. The emulator writes no dumps, so it rejects settings that would
//! enable them.

use std::collections::HashMap;
use std::sync::Mutex;

use super::warnings;
use crate::abi::status::{Code, Result};
use crate::abi::*;
use cuda_emulator_engine::Unpoisoned;

/// Maximum bytes of a text, with the NUL.
const TEXT: usize = 1024;

#[derive(Clone)]
struct Settings {
    triggers_host: bool,
    lightweight: bool,
    file: Vec<u8>,
    flags: u32,
}

struct All {
    global: Option<Settings>,
    /// Settings of the contexts that have their own, by context number. Numbers are never reused.
    own: Option<HashMap<u64, Settings>>,
}

static ALL: Mutex<All> = Mutex::new(All {
    global: None,
    own: None,
});

/// Calls a function with the settings of a context, or with those of the process.
fn with<R>(context: Option<u64>, use_it: impl FnOnce(&mut Settings) -> R) -> R {
    let mut all = ALL.lock().unpoisoned();
    let global = all.global.get_or_insert_with(|| Settings {
        triggers_host: true,
        lightweight: false,
        file: Vec::new(),
        flags: 0,
    });
    let Some(id) = context else {
        return use_it(global);
    };
    let global = global.clone();
    use_it(all.own.get_or_insert_default().entry(id).or_insert(global))
}

/// The value of a setting.
enum Value {
    Switch(bool),
    Text(Vec<u8>),
    Flags(u32),
}

fn value(context: Option<u64>, setting: u32) -> Result<Value> {
    with(context, |settings| {
        Ok(match setting {
            CU_COREDUMP_ENABLE_ON_EXCEPTION => Value::Switch(false),
            CU_COREDUMP_TRIGGER_HOST => Value::Switch(settings.triggers_host),
            CU_COREDUMP_LIGHTWEIGHT => Value::Switch(settings.lightweight),
            // These two exist only for the process.
            CU_COREDUMP_ENABLE_USER_TRIGGER if context.is_none() => Value::Switch(false),
            CU_COREDUMP_PIPE if context.is_none() => Value::Text(Vec::new()),
            CU_COREDUMP_FILE => Value::Text(settings.file.clone()),
            CU_COREDUMP_GENERATION_FLAGS => Value::Flags(settings.flags),
            _ => return Err(Code::ERROR_INVALID_VALUE),
        })
    })
}

/// Returns the maximum size of a setting in bytes.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the setting does not exist.
pub fn size(context: Option<u64>, setting: u32) -> Result<usize> {
    Ok(match value(context, setting)? {
        Value::Switch(_) => 1,
        Value::Text(_) => TEXT,
        Value::Flags(_) => 4,
    })
}

/// Returns the bytes of a setting for a buffer of `room` bytes.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the setting does not exist or the buffer's size does not
/// fit it.
pub fn get(context: Option<u64>, setting: u32, room: usize) -> Result<Vec<u8>> {
    let (bytes, fits) = match value(context, setting)? {
        Value::Switch(on) => (vec![on.into()], room == 1),
        Value::Flags(flags) => (flags.to_ne_bytes().to_vec(), room == 4),
        Value::Text(mut text) => {
            text.push(0);
            let fits = room >= text.len();
            (text, fits)
        }
    };
    if fits {
        Ok(bytes)
    } else {
        Err(Code::ERROR_INVALID_VALUE)
    }
}

/// Changes a setting.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the setting does not exist or `bytes` has the wrong size,
/// and `CUDA_ERROR_NOT_SUPPORTED` if the setting would enable dumps.
pub fn set(context: Option<u64>, setting: u32, bytes: &[u8]) -> Result {
    let fits = match value(context, setting)? {
        Value::Switch(_) => bytes.len() == 1,
        Value::Flags(_) => bytes.len() == 4,
        Value::Text(_) => bytes.len() <= TEXT,
    };
    if !fits {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let on = bytes.first().is_some_and(|&byte| byte != 0);
    with(context, |settings| {
        match setting {
            CU_COREDUMP_ENABLE_ON_EXCEPTION | CU_COREDUMP_ENABLE_USER_TRIGGER if on => {
                return Err(warnings::missing_feature("a core dump of the device"));
            }
            CU_COREDUMP_TRIGGER_HOST => settings.triggers_host = on,
            CU_COREDUMP_LIGHTWEIGHT => settings.lightweight = on,
            CU_COREDUMP_GENERATION_FLAGS => {
                settings.flags = u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            }
            CU_COREDUMP_FILE => {
                let end = bytes.iter().position(|&byte| byte == 0);
                settings.file = bytes[..end.unwrap_or(bytes.len())].to_vec();
            }
            // It would have to be set before the first context, as on an H200 (driver 580).
            CU_COREDUMP_PIPE => return Err(Code::ERROR_NOT_SUPPORTED),
            _ => {}
        }
        Ok(())
    })
}
