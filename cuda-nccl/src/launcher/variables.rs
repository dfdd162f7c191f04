//! Access to environment variables, with errors that name them.

use crate::error::{Error, Result};

/// Looks up variables. Tests pass their own lookup.
pub(super) struct Variables<'a> {
    lookup: &'a dyn Fn(&str) -> Option<String>,
}

impl<'a> Variables<'a> {
    pub(super) fn new(lookup: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self { lookup }
    }

    /// Returns the value of a variable. An empty variable counts as not set.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let text = (self.lookup)(name)?.trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// Returns whether the variable is set, even if it is empty.
    pub(super) fn is_set(&self, name: &str) -> bool {
        (self.lookup)(name).is_some()
    }

    /// Returns the number in a variable.
    pub(super) fn number(&self, name: &str) -> Result<Option<usize>> {
        let Some(text) = (self.lookup)(name) else {
            return Ok(None);
        };
        // NCCL uses C integers for ranks.
        match text.trim().parse::<usize>() {
            Ok(number) if i32::try_from(number).is_ok() => Ok(Some(number)),
            _ => Err(Error::Start(format!(
                "{name}={text:?} is not a number from 0 to {}. Fix: correct it, or unset it and let the launcher set it",
                i32::MAX
            ))),
        }
    }

    /// Returns the number in a variable that must be set.
    pub(super) fn needed(&self, name: &str, because: &str) -> Result<usize> {
        self.number(name)?.ok_or_else(|| {
            Error::Start(format!(
                "{name} is not set, although {because}. Fix: start all ranks with the launcher, or set {name} for each"
            ))
        })
    }

    /// Returns those of the variables that are set, as `NAME=value`.
    pub(super) fn known(&self, names: &[&str]) -> Vec<String> {
        let known = |name: &&str| Some(format!("{name}={}", self.text(name)?));
        names.iter().filter_map(known).collect()
    }
}
