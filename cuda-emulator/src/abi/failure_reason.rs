//! The reason for this thread's last failed call: the text of `cuEmulatorGetReport`.

use std::cell::RefCell;
use std::ffi::{CStr, CString};
use std::fmt::Write as _;

use super::status::Code;

/// A failed call, with its arguments as text.
pub struct FailedCall {
    pub name: &'static str,
    /// The arguments' names and values.
    pub arguments: Vec<(&'static str, String)>,
}

/// The reason for a failure, recorded during the call.
enum Reason {
    /// The emulator lacks this feature.
    MissingFeature(&'static str),
    /// A pointer is null. The code that reads pointers does not know their parameters' names.
    Null,
    /// A sentence, valid for this code.
    Text(Code, String),
}

thread_local! {
    /// The reason recorded so far by the current call.
    static NOTED: RefCell<Option<Reason>> = const { RefCell::new(None) };
    /// The reason for the last failed call.
    static LAST: RefCell<Option<CString>> = const { RefCell::new(None) };
}

fn note(reason: Reason) {
    NOTED.with_borrow_mut(|noted| *noted = Some(reason));
}

/// Returns the code of a call that needs something the emulator lacks.
#[cold]
pub fn missing_feature(what: &'static str) -> Code {
    note(Reason::MissingFeature(what));
    Code::ERROR_NOT_SUPPORTED
}

/// Returns the code of a call with a null pointer.
#[cold]
pub fn null() -> Code {
    note(Reason::Null);
    Code::ERROR_INVALID_VALUE
}

/// Returns `code`, and records the reason for the report.
#[cold]
pub fn rejected(code: Code, text: impl Into<String>) -> Code {
    note(Reason::Text(code, text.into()));
    code
}

/// Returns the code of an argument that is out of range, and records the reason.
#[cold]
pub fn invalid(text: impl Into<String>) -> Code {
    rejected(Code::ERROR_INVALID_VALUE, text)
}

/// Discards the reason recorded by a call that succeeded after all.
pub fn forget() {
    NOTED.with_borrow_mut(|noted| {
        if noted.is_some() {
            *noted = None;
        }
    });
}

/// Stores the reason for a failed call. Returns the missing feature, if that is the reason. Calls
/// `call` only if the reason lists the arguments.
#[cold]
pub fn failed(code: Code, call: impl Fn() -> FailedCall) -> Option<&'static str> {
    let noted = NOTED.take();
    let (text, missing_feature) = match (noted, code) {
        (Some(Reason::MissingFeature(what)), Code::ERROR_NOT_SUPPORTED) => {
            (Some(format!("{what} is not emulated")), Some(what))
        }
        (Some(Reason::Text(for_code, text)), _) if for_code == code => (Some(text), None),
        (Some(Reason::Null), Code::ERROR_INVALID_VALUE) => (Some(nulls(&call())), None),
        (_, Code::ERROR_INVALID_VALUE) => (Some(values(&call())), None),
        _ => (None, None),
    };
    set(text);
    missing_feature
}

/// Sets the reason for the last failed call.
pub fn set(text: Option<String>) {
    LAST.set(text.and_then(|text| CString::new(text).ok()));
}

/// Returns the address of the text. It is valid until the next call that fails on this thread.
pub fn address() -> Option<usize> {
    LAST.with_borrow(|last| last.as_deref().map(|text: &CStr| text.as_ptr() as usize))
}

/// Describes the null pointers among a call's arguments.
fn nulls(call: &FailedCall) -> String {
    let nulls = call.arguments.iter().filter(|(_, value)| value == "null");
    let nulls: Vec<String> = nulls.map(|(name, _)| format!("`{name}`")).collect();
    let call = call.name;
    match &nulls[..] {
        [] => format!("{call}: a pointer in a structure must not be null"),
        [one] => format!("{call}: {one} must not be null"),
        several => {
            let several = several.join(", ");
            format!("{call}: {several} must not all be null")
        }
    }
}

/// Lists all arguments of a call that rejected one of them.
fn values(call: &FailedCall) -> String {
    let mut text = format!("{} rejected one of its arguments:", call.name);
    for (index, (name, value)) in call.arguments.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        let _ = write!(text, "{comma} `{name}` = {value}");
    }
    text
}
