//! The last kernel that was launched on a stream, because a driver does not report which kernel
//! faulted.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// The number of a kernel, by which its name is known as long as this value exists. A launch stores
/// only the number.
#[derive(Debug)]
pub(crate) struct Number(u64);

static NAMES: Mutex<BTreeMap<u64, Box<str>>> = Mutex::new(BTreeMap::new());

impl Number {
    pub(crate) fn of(name: &str) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        names.insert(number, name.into());
        Self(number)
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        names.remove(&self.0);
    }
}

/// The last kernel that was launched on a stream.
#[derive(Debug, Default)]
pub(crate) struct Last(AtomicU64);

impl Last {
    #[inline]
    pub(crate) fn set(&self, kernel: &Number) {
        self.0.store(kernel.0, Ordering::Relaxed);
    }

    /// Returns its name, or `None` if no kernel was launched or the kernel no longer exists.
    pub(crate) fn name(&self) -> Option<String> {
        let names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        let name = names.get(&self.0.load(Ordering::Relaxed))?;
        Some(name.clone().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_known_while_its_kernel_exists() {
        let last = Last::default();
        assert_eq!(last.name(), None);
        let (one, two) = (Number::of("one"), Number::of("two"));
        last.set(&one);
        assert_eq!(last.name().as_deref(), Some("one"));
        last.set(&two);
        assert_eq!(last.name().as_deref(), Some("two"));
        drop(one);
        assert_eq!(last.name().as_deref(), Some("two"));
        drop(two);
        assert_eq!(last.name(), None);
    }
}
