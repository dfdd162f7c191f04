//! The division of a transfer into pieces and parts.

/// Returns the start of each piece of `bytes` bytes, followed by the end of the last one.
///
/// The first pieces are small so that the link starts early. The last ones are small because the
/// threads and the device cannot overlap on the last piece.
pub(super) fn cuts(bytes: usize, piece: usize) -> Vec<usize> {
    let smallest = (piece / 8).next_multiple_of(PAGE);
    let mut cuts = Vec::with_capacity(bytes / piece + 16);
    let (mut begin, mut grown) = (0, smallest);
    cuts.push(0);
    while begin < bytes {
        let left = bytes - begin;
        let len = grown.min((left / 4).max(smallest)).next_multiple_of(PAGE);
        begin += len.min(piece).min(left);
        cuts.push(begin);
        grown = (2 * grown).min(piece);
    }
    cuts
}

/// Except for the last one, the sizes of pieces and of their parts are multiples of this.
pub(super) const PAGE: usize = 4096;

/// Returns the offset and the size of one part of a piece of `len` bytes. A small piece has empty
/// parts.
pub(super) fn part(len: usize, part: usize, parts: usize) -> (usize, usize) {
    let each = len.div_ceil(parts).next_multiple_of(PAGE);
    let begin = (part * each).min(len);
    (begin, each.min(len - begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_cover_all_bytes_once_and_fit() {
        for piece in [PAGE, 64 << 10, 4 << 20] {
            for bytes in [
                1,
                2,
                PAGE - 1,
                PAGE,
                PAGE + 1,
                100_000,
                1 << 20,
                (4 << 20) + 3,
                (33 << 20) + 1,
            ] {
                let cuts = cuts(bytes, piece);
                assert_eq!((cuts[0], *cuts.last().unwrap()), (0, bytes));
                for pair in cuts.windows(2) {
                    let len = pair[1] - pair[0];
                    assert!(len > 0 && len <= piece, "{len} of {bytes} in {piece}");
                    assert!(pair[0].is_multiple_of(PAGE));
                }
            }
        }
    }

    #[test]
    fn large_transfers_begin_and_end_with_small_pieces() {
        let piece = 4 << 20;
        let cuts = cuts(64 << 20, piece);
        let lens: Vec<_> = cuts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(lens[..4], [piece / 8, piece / 4, piece / 2, piece]);
        assert!(*lens.last().unwrap() <= piece / 8);
    }

    #[test]
    fn parts_cover_the_piece() {
        for len in [1, PAGE, PAGE + 1, 5 * PAGE, 1 << 20, (1 << 20) + 77] {
            for parts in [1, 2, 7, 15] {
                let mut end = 0;
                for i in 0..parts {
                    let (begin, len) = part(len, i, parts);
                    assert_eq!(begin, end);
                    end += len;
                }
                assert_eq!(end, len);
            }
        }
    }
}
