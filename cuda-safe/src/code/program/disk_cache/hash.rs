//! The hash of the cache.

use sha2::{Digest, Sha256};

/// A hash over a list of byte strings. The length of each is hashed too, so that `ab`, `c` and `a`,
/// `bc` have different hashes.
pub(super) struct Hash(Sha256);

impl Hash {
    pub(super) fn new() -> Self {
        Self(Sha256::new())
    }

    pub(super) fn part(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        let bytes = bytes.as_ref();
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    pub(super) fn number(&mut self, number: u64) -> &mut Self {
        self.part(number.to_le_bytes())
    }

    pub(super) fn finish(self) -> String {
        self.0
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_separates_parts() {
        let hash = |parts: &[&str]| {
            let mut hash = Hash::new();
            parts.iter().for_each(|part| {
                hash.part(part);
            });
            hash.finish()
        };
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
        assert_ne!(hash(&["a", ""]), hash(&["a"]));
        assert_eq!(hash(&["a", "b"]), hash(&["a", "b"]));
        assert_eq!(hash(&[]).len(), 64);
        let mut with_number = Hash::new();
        with_number.number(1);
        assert_ne!(with_number.finish(), hash(&[]));
    }
}
