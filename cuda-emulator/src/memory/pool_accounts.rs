//! The accounting of a pool's reserved and used memory, in the driver's units.
//!
//! As seen on an H200 (driver 580), a pool gets memory from the system in pieces of 32 MiB. It
//! places allocations in them at multiples of 512 bytes, and releases pieces that contain no
//! allocation. These places exist only in the account: the emulator's memory is elsewhere, in the
//! arena, which delays the reuse of freed addresses. The places are real only in a pool that other
//! processes may open, where they are offsets in the pool's file.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::arena::ALIGNMENT;
use crate::system::PAGE;

/// Bytes by which a pool grows.
pub const PIECE: u64 = 32 << 20;
/// Size of the file of a shared pool. Only touched pages take memory.
pub const FILE_SIZE: u64 = 1 << 36;

/// The account of a pool.
#[derive(Default)]
pub struct Account {
    /// The numbers of the reserved pieces in a linear address space.
    pieces: BTreeSet<u64>,
    /// The unused parts of the pieces.
    gaps: Gaps,
    /// Place and size of each allocation, by address.
    of: HashMap<u64, (u64, u64)>,
    used: u64,
    used_most: u64,
    reserved_most: u64,
    /// Whether places are whole pages, because they are in a file.
    paged: bool,
    /// Whether the next wait has to look for memory to release.
    pub pending: bool,
}

/// Unused ranges, of which no two are adjacent.
#[derive(Default)]
struct Gaps {
    /// The end of each gap by its start.
    all: BTreeMap<u64, u64>,
    /// The starts of the gaps of each size class.
    classes: BTreeMap<u32, BTreeSet<u64>>,
}

/// Returns the size class of a length. There are eight classes per power of two, and every length
/// in a higher class is larger.
fn class(length: u64) -> u32 {
    let power = length.max(8).ilog2();
    power * 8 + ((length.max(8) >> (power - 3)) & 7) as u32
}

impl Gaps {
    fn put(&mut self, start: u64, end: u64) {
        if start < end {
            self.all.insert(start, end);
            let class = self.classes.entry(class(end - start)).or_default();
            class.insert(start);
        }
    }

    fn remove(&mut self, start: u64) -> Option<u64> {
        let end = self.all.remove(&start)?;
        let class = class(end - start);
        if let Some(starts) = self.classes.get_mut(&class) {
            starts.remove(&start);
            if starts.is_empty() {
                self.classes.remove(&class);
            }
        }
        Some(end)
    }

    /// Adds a range that is not yet a gap, and merges it with adjacent gaps.
    fn add(&mut self, mut start: u64, mut end: u64) {
        let before = self.all.range(..start).next_back();
        if let Some((&first, _)) = before.filter(|(_, last)| **last == start) {
            self.remove(first);
            start = first;
        }
        if let Some(last) = self.remove(end) {
            end = last;
        }
        self.put(start, end);
    }

    /// Removes a range from the gap that contains it.
    fn take(&mut self, start: u64, end: u64) {
        let around = self.all.range(..=start).next_back();
        let Some((&first, _)) = around else {
            return;
        };
        if let Some(last) = self.remove(first) {
            self.put(first, start);
            self.put(end, last);
        }
    }

    /// Returns the first gap of at least `bytes` bytes. In higher size classes every gap is large
    /// enough, and in the same class some are.
    fn first(&self, bytes: u64) -> Option<u64> {
        let own = class(bytes);
        let above = self.classes.range(own + 1..);
        let above = above.filter_map(|(_, starts)| starts.first()).min();
        let fits = |start: &&u64| self.all[*start] - **start >= bytes;
        let alike = self.classes.get(&own);
        let before = alike.map(|starts| starts.range(..above.copied().unwrap_or(u64::MAX)));
        let found = before.and_then(|mut before| before.find(fits));
        found.or(above).copied()
    }
}

impl Account {
    pub fn new(paged: bool) -> Account {
        Account {
            paged,
            ..Account::default()
        }
    }

    pub fn used(&self) -> u64 {
        self.used
    }

    pub fn used_most(&self) -> u64 {
        self.used_most
    }

    pub fn reserved(&self) -> u64 {
        self.pieces.len() as u64 * PIECE
    }

    pub fn reserved_most(&self) -> u64 {
        self.reserved_most
    }

    pub fn reset_used_most(&mut self) {
        self.used_most = self.used;
    }

    pub fn reset_reserved_most(&mut self) {
        self.reserved_most = self.reserved();
    }

    /// Returns the bytes that an allocation occupies. Places start at multiples of a unit.
    fn rounded(&self, size: u64) -> Option<u64> {
        let unit = if self.paged { PAGE } else { ALIGNMENT };
        size.checked_next_multiple_of(unit)
    }

    /// Returns the place for an allocation that needs new pieces. A file has a fixed size, so the
    /// first sufficient hole between its pieces is used. Otherwise the place is after the last
    /// piece.
    fn room(&self, bytes: u64) -> u64 {
        let mut from = 0;
        for piece in self.pieces.iter().filter(|_| self.paged) {
            if (piece * PIECE).saturating_sub(from) >= bytes {
                return from;
            }
            from = self.free_before((piece + 1) * PIECE);
        }
        let end = self.pieces.last().map_or(0, |piece| (piece + 1) * PIECE);
        self.free_before(end)
    }

    /// Returns the start of the gap that ends at `end`, or `end` if none does.
    fn free_before(&self, end: u64) -> u64 {
        let last = self.gaps.all.range(..end).next_back();
        last.filter(|(_, last)| **last == end)
            .map_or(end, |(start, _)| *start)
    }

    /// Reserves a place for an allocation: the first sufficient gap in the existing pieces, or else
    /// new pieces.
    ///
    /// Returns `None` if the pool would then exceed `most` bytes or the end of its file.
    pub fn take(&mut self, size: u64, most: Option<u64>) -> Option<u64> {
        let bytes = self.rounded(size)?;
        let place = self.gaps.first(bytes).unwrap_or_else(|| self.room(bytes));
        let last = place.checked_add(bytes)?.div_ceil(PIECE);
        if self.paged && last > FILE_SIZE / PIECE {
            return None;
        }
        let there = self.pieces.range(place / PIECE..last).count() as u64;
        let more = last - place / PIECE - there;
        let all = more.checked_mul(PIECE)?.checked_add(self.reserved())?;
        if most.is_some_and(|most| all > most) {
            return None;
        }
        for piece in place / PIECE..last {
            if self.pieces.insert(piece) {
                self.gaps.add(piece * PIECE, (piece + 1) * PIECE);
            }
        }
        self.gaps.take(place, place + bytes);
        self.used += size;
        self.used_most = self.used_most.max(self.used);
        self.reserved_most = self.reserved_most.max(self.reserved());
        Some(place)
    }

    /// Records the place and size of the allocation at an address.
    pub fn bind(&mut self, address: u64, place: u64, size: u64) {
        self.of.insert(address, (place, size));
    }

    /// Returns the place of the allocation at an address.
    pub fn place_of(&self, address: u64) -> Option<u64> {
        self.of.get(&address).map(|(place, _)| *place)
    }

    /// Removes the allocation at an address.
    pub fn remove(&mut self, address: u64) {
        let Some((place, size)) = self.of.remove(&address) else {
            return;
        };
        if let Some(bytes) = self.rounded(size) {
            self.gaps.add(place, place + bytes);
            self.used -= size;
        }
    }

    /// Releases unused pieces, last first, while `wanted` is true for the reserved bytes. Returns
    /// the start of each released piece.
    pub fn release(&mut self, wanted: impl Fn(u64) -> bool) -> Vec<u64> {
        let mut released = Vec::new();
        if !wanted(self.reserved()) {
            return released; // the usual case, since every wait calls this
        }
        // Only gaps can contain unused pieces.
        let gaps: Vec<(u64, u64)> = self.gaps.all.iter().rev().map(|(a, b)| (*a, *b)).collect();
        for (start, end) in gaps {
            for piece in (start.div_ceil(PIECE)..end / PIECE).rev() {
                if !wanted(self.reserved()) {
                    return released;
                }
                self.pieces.remove(&piece);
                self.gaps.take(piece * PIECE, (piece + 1) * PIECE);
                released.push(piece * PIECE);
            }
        }
        released
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system;

    const MIB: u64 = 1 << 20;

    /// The values that an H200 (driver 580) returns after each of these steps.
    #[test]
    fn account_matches_an_h200() {
        let mut account = Account::default();
        let take = |account: &mut Account, address, size| {
            let place = account.take(size, None).unwrap();
            account.bind(address, place, size);
            place
        };
        assert_eq!(take(&mut account, 1, 1), 0);
        assert_eq!(take(&mut account, 2, 1000), 512);
        assert_eq!((account.reserved(), account.used()), (PIECE, 1001));
        take(&mut account, 3, 20 * MIB);
        assert_eq!(account.reserved(), PIECE);
        take(&mut account, 4, 40 * MIB);
        assert_eq!(
            (account.reserved(), account.used()),
            (2 * PIECE, 62_915_561)
        );
        account.remove(4);
        let above = |threshold: u64| move |reserved: u64| reserved > threshold;
        account.release(above(0));
        assert_eq!((account.reserved(), account.used()), (PIECE, 20_972_521));
        for address in 1..=3 {
            account.remove(address);
        }
        assert_eq!((account.reserved(), account.used()), (PIECE, 0));
        account.release(above(0));
        assert_eq!(
            (account.reserved(), account.reserved_most()),
            (0, 2 * PIECE)
        );
        take(&mut account, 1, 100 * MIB);
        account.remove(1);
        for (keep, left) in [(50, 2), (33, 2), (32, 1), (0, 0)] {
            let keep = keep * MIB;
            account.release(|reserved| reserved >= keep + PIECE);
            assert_eq!(account.reserved(), left * PIECE, "{keep}");
        }
        for address in 1..=4 {
            take(&mut account, address, 10 * MIB);
        }
        assert_eq!(account.reserved(), 2 * PIECE);
        account.remove(1);
        account.remove(3);
        account.release(above(0));
        assert_eq!(account.reserved(), 2 * PIECE, "both pieces are in use");
        take(&mut account, 3, 10 * MIB);
        assert_eq!((account.reserved(), account.used()), (2 * PIECE, 30 * MIB));
    }

    #[test]
    fn pool_does_not_exceed_its_maximum() {
        let mut account = Account::default();
        let most = Some(PIECE);
        assert!(account.take(8 * MIB, most).is_some() && account.take(8 * MIB, most).is_some());
        assert_eq!(account.take(40 * MIB, most), None);
        assert_eq!(
            account.take(u64::MAX - 5, None),
            None,
            "beyond all addresses"
        );
        assert_eq!((account.used(), account.reserved()), (16 * MIB, PIECE));
    }

    #[test]
    fn places_stay_within_the_file() {
        let mut account = Account::new(true);
        let large = 1024 * MIB;
        let kept = account.take(40 * MIB, None).unwrap();
        account.bind(1, kept, 40 * MIB);
        let mut before = None;
        for address in 2..102 {
            let place = account.take(large, None).unwrap();
            assert!(place + large <= FILE_SIZE, "{address}");
            account.bind(address, place, large);
            before.into_iter().for_each(|one| account.remove(one));
            before = Some(address);
            account.release(|reserved| reserved > 0);
        }
        assert_eq!(account.take(FILE_SIZE, None), None);
        account.remove(101);
        account.release(|reserved| reserved > 0);
        assert_eq!(account.take(large, None), Some(40 * MIB));
        let rest = FILE_SIZE - large - 40 * MIB;
        assert_eq!(account.take(rest + 1, None), None);
        assert!(account.take(rest, None).is_some());
        assert_eq!(account.reserved(), FILE_SIZE);
    }

    /// Returns the first sufficient gap in the pieces by walking all places, or `None` if there is
    /// no such gap.
    fn walked(places: &BTreeMap<u64, u64>, pieces: &BTreeSet<u64>, bytes: u64) -> Option<u64> {
        let mut from = None;
        for piece in pieces {
            let (base, end) = (piece * PIECE, (piece + 1) * PIECE);
            if piece
                .checked_sub(1)
                .is_none_or(|one| !pieces.contains(&one))
            {
                from = Some(base);
            }
            for (&place, &length) in places.range(base..end) {
                match from {
                    Some(from) if place >= from + bytes => return Some(from),
                    _ => from = Some((place + length).next_multiple_of(ALIGNMENT)),
                }
            }
            if let Some(from) = from
                && from + bytes <= end
            {
                return Some(from);
            }
        }
        None
    }

    #[test]
    fn places_match_a_linear_search() {
        let mut account = Account::default();
        let mut places = BTreeMap::new();
        let mut random = 7u64;
        let mut number = |below: u64| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (random >> 33) % below
        };
        let mut live = Vec::new();
        for address in 0..3000u64 {
            if number(5) < 3 || live.is_empty() {
                let size = match number(4) {
                    0 => 1 + number(40 * MIB),
                    1 => 1 + number(5000),
                    _ => 512 * (1 + number(64)),
                };
                let expected = walked(&places, &account.pieces, size);
                let place = account.take(size, None).unwrap();
                assert!(
                    expected.is_none_or(|expected| expected == place),
                    "{address}"
                );
                account.bind(address, place, size);
                places.insert(place, size);
                live.push(address);
            } else {
                let address = live.swap_remove(number(live.len() as u64) as usize);
                places.remove(&account.place_of(address).unwrap());
                account.remove(address);
            }
            if number(50) == 0 {
                let threshold = number(4) * PIECE;
                for start in account.release(|reserved| reserved > threshold) {
                    let before = places.range(..start + PIECE).next_back();
                    assert!(before.is_none_or(|(place, size)| place + size <= start));
                }
            }
        }
        for address in live {
            account.remove(address);
        }
        account.release(|reserved| reserved > 0);
        assert_eq!((account.used(), account.reserved()), (0, 0));
        assert!(account.gaps.all.is_empty() && account.gaps.classes.is_empty());
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "Windows measures the time of a thread in steps of several milliseconds"
    )]
    fn allocation_cost_does_not_grow_with_the_pool() {
        let time = |count: u64| {
            let mut account = Account::default();
            let start = system::thread_time();
            for address in 0..count {
                let place = account.take(3000, None).unwrap();
                account.bind(address, place, 3000);
            }
            for address in (0..count).step_by(2) {
                account.remove(address);
            }
            for address in (0..count).step_by(2) {
                let place = account.take(3000, None).unwrap();
                account.bind(address, place, 3000);
            }
            system::thread_time() - start
        };
        let (few, many) = (time(2_000), time(40_000));
        // 20 times the number of allocations: a walk through all of them would take 400 times as
        // long.
        assert!(many < few * 150, "{few:?} {many:?}");
    }
}
