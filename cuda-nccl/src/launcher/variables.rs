//! Variables of the environment: what they hold, and errors that name them.

use crate::error::{Error, Result};

/// Looks up variables. Tests give their own.
pub(super) struct Variables<'a> {
    lookup: &'a dyn Fn(&str) -> Option<String>,
}

impl<'a> Variables<'a> {
    pub(super) fn new(lookup: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self { lookup }
    }

    /// What the variable holds. One that holds nothing counts as not set.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let text = (self.lookup)(name)?.trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// Whether the variable is set, be it to nothing.
    pub(super) fn is_set(&self, name: &str) -> bool {
        (self.lookup)(name).is_some()
    }

    /// The number that the variable holds.
    pub(super) fn number(&self, name: &str) -> Result<Option<usize>> {
        let Some(text) = (self.lookup)(name) else {
            return Ok(None);
        };
        // Ranks are C integers to NCCL.
        match text.trim().parse::<usize>() {
            Ok(number) if i32::try_from(number).is_ok() => Ok(Some(number)),
            _ => Err(Error::Start(format!(
                "{name}={text:?} is no number from 0 to {}: the launcher sets it; if it was set by hand, correct or unset it",
                i32::MAX
            ))),
        }
    }

    /// The number of a variable that has to be there.
    pub(super) fn needed(&self, name: &str, because: &str) -> Result<usize> {
        self.number(name)?.ok_or_else(|| {
            Error::Start(format!(
                "{name} is not set, though {because}: start all ranks by the launcher, or set {name} for each"
            ))
        })
    }

    /// The variables of these that are set, as `NAME=value`, for what all ranks of a job have in common.
    pub(super) fn known(&self, names: &[&str]) -> Vec<String> {
        let known = |name: &&str| Some(format!("{name}={}", self.text(name)?));
        names.iter().filter_map(known).collect()
    }
}
