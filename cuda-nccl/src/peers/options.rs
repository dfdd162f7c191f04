//! Options of a peer group.

use std::time::Duration;

use crate::error::{Error, Result};

/// Options of a [`PeerGroup`](crate::PeerGroup). Default: a time limit of one minute, 8 MiB reduced in one step, 32
/// MiB in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PeerOptions {
    /// How long a rank waits for the others to make the same call, and for its own work in
    /// [`wait`](crate::Collectives::wait). One minute by default. A rank that waits for the others
    /// prints a notice after a sixth of this limit, if the limit is at least 6 seconds.
    pub timeout: Duration,
    /// The largest total size, over all ranks, of a reduction that is done in one step, by all
    /// ranks. Each device allocates twice a rank's share of it. Larger arrays are reduced in
    /// pieces, each by one rank. 8 MiB by default.
    pub scratch_bytes: usize,
    /// The number of bytes in flight from the other ranks to one rank when arrays are reduced in
    /// pieces. Each device allocates twice this size at the first such call, and at the first
    /// [`reduce_scatter`](crate::Collectives::reduce_scatter) of any length. 32 MiB by default. The
    /// minimum is a rank's share of [`scratch_bytes`](Self::scratch_bytes).
    pub piece_bytes: usize,
    /// Whether linked devices get direct access to each other's memory. On by default. If off, all
    /// copies go through host memory, as they do between devices without a link.
    pub links: bool,
}

impl Default for PeerOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            scratch_bytes: 8 << 20,
            piece_bytes: 32 << 20,
            links: true,
        }
    }
}

impl PeerOptions {
    /// Returns the size of an outbox and the size of one slot of an inbox. An inbox has two slots
    /// for each other rank.
    pub(super) fn sizes(&self, ranks: usize) -> Result<(usize, usize)> {
        let others = (ranks - 1).max(1);
        let part = (self.scratch_bytes / ranks).max(16);
        let sizes = part.checked_next_multiple_of(256).and_then(|part| {
            let place = (self.piece_bytes / others).max(part);
            let place = place.checked_next_multiple_of(256)?;
            let inbox = place.checked_mul(2 * others)?;
            isize::try_from(inbox).is_ok().then_some((part, place))
        });
        sizes.ok_or_else(|| {
            Error::Value(format!(
                "PeerOptions: scratch_bytes {} and piece_bytes {} exceed the address space",
                self.scratch_bytes, self.piece_bytes
            ))
        })
    }

    /// Sets [`timeout`](Self::timeout).
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }

    /// Sets [`scratch_bytes`](Self::scratch_bytes).
    #[must_use]
    pub fn scratch_bytes(mut self, bytes: usize) -> Self {
        self.scratch_bytes = bytes;
        self
    }

    /// Sets [`piece_bytes`](Self::piece_bytes).
    #[must_use]
    pub fn piece_bytes(mut self, bytes: usize) -> Self {
        self.piece_bytes = bytes;
        self
    }

    /// Sets [`links`](Self::links).
    #[must_use]
    pub fn links(mut self, on: bool) -> Self {
        self.links = on;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_defaults_and_setters() {
        let default = PeerOptions::default();
        let expected = PeerOptions {
            timeout: Duration::from_secs(60),
            scratch_bytes: 8_388_608,
            piece_bytes: 33_554_432,
            links: true,
        };
        assert_eq!(default, expected);
        let second = Duration::from_secs(1);
        let set = default
            .links(false)
            .timeout(second)
            .scratch_bytes(2)
            .piece_bytes(3);
        let expected = PeerOptions {
            timeout: second,
            scratch_bytes: 2,
            piece_bytes: 3,
            links: false,
        };
        assert_eq!(set, expected);
        assert_eq!(
            set.links(true),
            PeerOptions {
                links: true,
                ..expected
            }
        );
    }

    #[test]
    fn scratch_memory_is_shared_by_the_ranks_and_pieces_by_the_others() {
        let sizes = |scratch, piece, ranks| {
            let options = PeerOptions::default()
                .scratch_bytes(scratch)
                .piece_bytes(piece);
            options.sizes(ranks).unwrap()
        };
        assert_eq!(sizes(8 << 20, 32 << 20, 1), (8 << 20, 32 << 20));
        assert_eq!(sizes(8 << 20, 32 << 20, 2), (4 << 20, 32 << 20));
        assert_eq!(sizes(8 << 20, 32 << 20, 4), (2 << 20, 11_184_896));
        assert_eq!(sizes(8 << 20, 32 << 20, 16), (1 << 19, 2_237_184));
        // Both are multiples of 256 bytes.
        assert_eq!(sizes(3 * 256, 2 * 512, 3), (256, 512));
        assert_eq!(sizes(3 * 256 - 1, 2 * 512 - 1, 3), (256, 512));
        assert_eq!(sizes(3 * 256 + 3, 2 * 512 + 2, 3), (512, 768));
        // There is room for something in any case.
        assert_eq!(sizes(0, 0, 2), (256, 256));
        assert_eq!(sizes(2048, 0, 2), (1024, 1024));
    }

    #[test]
    fn sizes_are_limited_by_the_address_space() {
        let sizes = |place: usize, ranks: usize| {
            let others = (ranks - 1).max(1);
            let options = PeerOptions::default().piece_bytes(place * others);
            options.sizes(ranks).map(|(_, place)| place)
        };
        for ranks in [1, 2, 3, 4, 6] {
            let others = (ranks - 1).max(1);
            let most = (isize::MAX as usize / (2 * others)) & !255;
            assert_eq!(sizes(most, ranks).unwrap(), most, "{ranks}");
            let error = sizes(most + 256, ranks).unwrap_err();
            assert!(matches!(error, Error::Value(_)), "{error}");
            let text = format!(
                "PeerOptions: scratch_bytes 8388608 and piece_bytes {} exceed the address space",
                (most + 256) * others
            );
            assert_eq!(error.to_string(), text);
        }
    }
}
