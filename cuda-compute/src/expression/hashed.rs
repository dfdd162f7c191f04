//! Values with a stored hash, which is compared first.

use std::{
    hash::{BuildHasher, Hash, Hasher},
    ops::Deref,
    sync::Arc,
};

use rustc_hash::FxBuildHasher;

/// A shared value and its hash. Looking up a kernel hashes and compares the key through a trait
/// object, field by field. This type makes a large value a single field.
#[derive(Debug)]
pub(crate) struct Hashed<T> {
    value: Arc<T>,
    hash: u64,
}

impl<T: Hash> Hashed<T> {
    pub(crate) fn new(value: T) -> Self {
        Self {
            hash: FxBuildHasher.hash_one(&value),
            value: Arc::new(value),
        }
    }
}

impl<T> Clone for Hashed<T> {
    fn clone(&self) -> Self {
        Self {
            value: self.value.clone(),
            hash: self.hash,
        }
    }
}

impl<T> Deref for Hashed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> Hash for Hashed<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl<T: PartialEq> PartialEq for Hashed<T> {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
            && (Arc::ptr_eq(&self.value, &other.value) || self.value == other.value)
    }
}

impl<T: Eq> Eq for Hashed<T> {}
