//! The dotted parts of an opcode.

use crate::ptx::Type;

/// The unused modifiers of an instruction, in order.
pub(super) struct Modifiers<'a> {
    list: Vec<&'a str>,
}

impl<'a> Modifiers<'a> {
    /// Splits an opcode into its name and its modifiers.
    pub(super) fn split(opcode: &'a str) -> (&'a str, Modifiers<'a>) {
        let mut parts = opcode.split('.');
        let name = parts.next().unwrap_or("");
        (
            name,
            Modifiers {
                list: parts.collect(),
            },
        )
    }

    /// Removes a modifier. Returns whether it was present.
    pub(super) fn take(&mut self, name: &str) -> bool {
        match self.list.iter().position(|&m| m == name) {
            Some(at) => {
                self.list.remove(at);
                true
            }
            None => false,
        }
    }

    /// Removes and returns the first of several modifiers that is present.
    pub(super) fn one_of(&mut self, names: &[&'static str]) -> Option<&'static str> {
        names.iter().find(|n| self.take(n)).copied()
    }

    /// Removes the first modifier if it is one of these.
    pub(super) fn first_of(&mut self, names: &[&'static str]) -> Option<&'static str> {
        let first = *self.list.first()?;
        let found = names.iter().find(|&&n| n == first)?;
        self.list.remove(0);
        Some(found)
    }

    /// Removes all modifiers with this prefix.
    pub(super) fn drop_prefixed(&mut self, prefix: &str) {
        self.list.retain(|m| !m.starts_with(prefix));
    }

    /// Removes the first modifier that is a type.
    pub(super) fn ty(&mut self) -> Option<Type> {
        let at = self.list.iter().position(|m| Type::parse(m).is_some())?;
        Type::parse(self.list.remove(at))
    }

    /// Removes and returns the first modifier.
    pub(super) fn next(&mut self) -> Option<&'a str> {
        (!self.list.is_empty()).then(|| self.list.remove(0))
    }

    /// Returns the remaining modifiers.
    pub(super) fn rest(&self) -> &[&'a str] {
        &self.list
    }
}
