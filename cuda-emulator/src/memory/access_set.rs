//! The bytes that a piece of work has accessed, for `CUDA_EMULATOR_CHECK=stream`.

use std::collections::BTreeMap;
use std::sync::Mutex;

use cuda_emulator_engine::Unpoisoned;

/// How a byte is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
    /// An atomic, volatile or relaxed read. Strong accesses do not race with each other.
    StrongRead,
    StrongWrite,
}

const ALL: [Access; 4] = [
    Access::Read,
    Access::Write,
    Access::StrongRead,
    Access::StrongWrite,
];

impl Access {
    pub fn new(writes: bool, strong: bool) -> Access {
        match (writes, strong) {
            (false, false) => Access::Read,
            (true, false) => Access::Write,
            (false, true) => Access::StrongRead,
            (true, true) => Access::StrongWrite,
        }
    }

    pub fn writes(self) -> bool {
        matches!(self, Access::Write | Access::StrongWrite)
    }

    pub fn is_strong(self) -> bool {
        matches!(self, Access::StrongRead | Access::StrongWrite)
    }

    /// Returns whether unordered accesses to the same byte are a race.
    fn races_with(self, other: Access) -> bool {
        (self.writes() || other.writes()) && !(self.is_strong() && other.is_strong())
    }

    /// Returns whether every access that races with `earlier` also races with this one.
    fn replaces(self, earlier: Access) -> bool {
        let races = |one: Access, with: &Access| one.races_with(*with);
        ALL.iter()
            .all(|with| !races(earlier, with) || races(self, with))
    }
}

/// Bytes per page.
const PAGE: u64 = 4096;
const WORDS: usize = (PAGE / 64) as usize;

/// A set of bytes of a page.
#[derive(Clone, Default)]
enum Bytes {
    #[default]
    None,
    All,
    Some(Box<[u64; WORDS]>),
}

impl Bytes {
    fn word(&self, index: usize) -> u64 {
        match self {
            Bytes::None => 0,
            Bytes::All => u64::MAX,
            Bytes::Some(words) => words[index],
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self, Bytes::None)
    }

    /// Adds or removes the bytes from `from` to `to`.
    fn set(&mut self, from: u64, to: u64, value: bool) {
        let full = if value { Bytes::All } else { Bytes::None };
        if to - from == PAGE || std::mem::discriminant(self) == std::mem::discriminant(&full) {
            *self = full;
            return;
        }
        if !matches!(self, Bytes::Some(_)) {
            *self = Bytes::Some(Box::new([self.word(0); WORDS]));
        }
        let Bytes::Some(words) = self else { return };
        let mut at = from;
        while at < to {
            let (index, bit) = ((at / 64) as usize, at % 64);
            let count = (64 - bit).min(to - at);
            let mask = (u64::MAX >> (64 - count)) << bit;
            match value {
                true => words[index] |= mask,
                false => words[index] &= !mask,
            }
            at += count;
        }
    }

    fn remove_all(&mut self, other: &Bytes) {
        match (&mut *self, other) {
            (Bytes::None, _) | (_, Bytes::None) => return,
            (_, Bytes::All) => *self = Bytes::None,
            (Bytes::All, _) => {
                *self = Bytes::Some(Box::new(std::array::from_fn(|i| !other.word(i))));
            }
            (Bytes::Some(words), _) => {
                for (index, word) in words.iter_mut().enumerate() {
                    *word &= !other.word(index);
                }
            }
        }
        self.compress();
    }

    /// Stores a full or an empty set without words.
    fn compress(&mut self) {
        if let Bytes::Some(words) = self {
            if words.iter().all(|&word| word == u64::MAX) {
                *self = Bytes::All;
            } else if words.iter().all(|&word| word == 0) {
                *self = Bytes::None;
            }
        }
    }

    /// Returns the runs of bytes that are in both sets: first byte and length.
    fn common(&self, other: &Bytes) -> Vec<(u64, u64)> {
        let mut runs: Vec<(u64, u64)> = Vec::new();
        if self.is_empty() || other.is_empty() {
            return runs;
        }
        for index in 0..WORDS {
            let mut word = self.word(index) & other.word(index);
            let mut at = index as u64 * 64;
            while word != 0 {
                let skip = word.trailing_zeros();
                word >>= skip;
                at += u64::from(skip);
                let count = word.trailing_ones();
                word = word.checked_shr(count).unwrap_or(0);
                match runs.last_mut() {
                    Some(last) if last.0 + last.1 == at => last.1 += u64::from(count),
                    _ => runs.push((at, count.into())),
                }
                at += u64::from(count);
            }
        }
        runs
    }
}

/// An instruction that accesses a page, and the bytes from its first to its last access.
#[derive(Clone, Copy)]
struct Site {
    instruction: u32,
    access: Access,
    from: u64,
    to: u64,
}

/// Maximum number of instructions that are kept for a page.
const MAX_SITES: usize = 32;

/// The accesses to one page.
#[derive(Default)]
struct Page {
    /// For each [`Access`], the bytes.
    bytes: [Bytes; ALL.len()],
    sites: Vec<Site>,
}

impl Page {
    fn add(&mut self, from: u64, to: u64, access: Access, instruction: Option<u32>) {
        self.bytes[access as usize].set(from, to, true);
        let Some(instruction) = instruction else {
            return;
        };
        let known = |site: &&mut Site| site.instruction == instruction && site.access == access;
        if let Some(site) = self.sites.iter_mut().find(known) {
            (site.from, site.to) = (site.from.min(from), site.to.max(to));
        } else if self.sites.len() < MAX_SITES {
            self.sites.push(Site {
                instruction,
                access,
                from,
                to,
            });
        }
    }

    fn is_empty(&self) -> bool {
        self.bytes.iter().all(Bytes::is_empty)
    }
}

/// Two accesses to the same bytes, at least one of them a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub address: u64,
    pub size: u64,
    /// The accesses of the two sets.
    pub accesses: [Access; 2],
}

impl Conflict {
    /// Adds the bytes of another conflict if they follow this one's and are accessed alike.
    pub fn extend(&mut self, next: &Conflict) {
        if next.accesses == self.accesses && next.address == self.address + self.size {
            self.size += next.size;
        }
    }
}

/// A set of accessed bytes.
#[derive(Default)]
pub struct AccessSet {
    /// By address over [`PAGE`].
    pages: BTreeMap<u64, Page>,
}

/// Divides a range into parts of pages: the page's number, and the first and last offset in it.
fn parts(start: u64, size: u64) -> impl Iterator<Item = (u64, u64, u64)> {
    let end = start.saturating_add(size);
    let mut at = start;
    std::iter::from_fn(move || {
        (at < end).then(|| {
            let (page, from) = (at / PAGE, at % PAGE);
            let to = (from + (end - at)).min(PAGE);
            at += to - from;
            (page, from, to)
        })
    })
}

impl AccessSet {
    pub fn add(&mut self, start: u64, size: u64, access: Access) {
        for (page, from, to) in parts(start, size) {
            let page = self.pages.entry(page).or_default();
            page.add(from, to, access, None);
        }
    }

    /// Removes a range.
    pub fn remove(&mut self, start: u64, size: u64) {
        let numbers: Vec<_> = match parts(start, size).next() {
            Some((first, ..)) => {
                let pages = self
                    .pages
                    .range(first..=(start.saturating_add(size) - 1) / PAGE);
                pages.map(|(&number, _)| number).collect()
            }
            None => return,
        };
        for number in numbers {
            let base = number * PAGE;
            let from = start.max(base) - base;
            let to = (start.saturating_add(size) - base).min(PAGE);
            if let Some(page) = self.pages.get_mut(&number) {
                for bytes in &mut page.bytes {
                    bytes.set(from, to, false);
                    bytes.compress();
                }
                if page.is_empty() {
                    self.pages.remove(&number);
                }
            }
        }
    }

    /// Removes the accesses that a later, ordered piece of work replaces: work that races with one
    /// of them and has not finished yet also races with the later one.
    pub fn remove_replaced(&mut self, later: &AccessSet) {
        let removed = |number: &u64, page: &mut Page| {
            if let Some(other) = later.pages.get(number) {
                for access in ALL {
                    let replacing = ALL.into_iter().filter(|one| one.replaces(access));
                    for one in replacing {
                        page.bytes[access as usize].remove_all(&other.bytes[one as usize]);
                    }
                }
            }
            page.is_empty()
        };
        self.pages.retain(|number, page| !removed(number, page));
    }

    /// Returns the conflicts with another set in the order of pages.
    pub fn conflicts(&self, other: &AccessSet) -> impl Iterator<Item = Conflict> {
        let common = self.pages.iter().filter_map(|(number, page)| {
            let theirs = other.pages.get(number)?;
            Some((number * PAGE, page, theirs))
        });
        let pairs = || {
            ALL.into_iter()
                .flat_map(|own| ALL.map(|theirs| [own, theirs]))
        };
        common.flat_map(move |(base, page, theirs)| {
            let racing = pairs().filter(|[own, theirs]| own.races_with(*theirs));
            racing.flat_map(move |accesses| {
                let bytes = &page.bytes[accesses[0] as usize];
                let runs = bytes.common(&theirs.bytes[accesses[1] as usize]);
                runs.into_iter().map(move |(at, size)| Conflict {
                    address: base + at,
                    size,
                    accesses,
                })
            })
        })
    }

    /// Returns an instruction that has accessed a byte in this way.
    pub fn instruction(&self, address: u64, access: Access) -> Option<u32> {
        let page = self.pages.get(&(address / PAGE))?;
        let at = address % PAGE;
        let mut sites = page.sites.iter();
        let fits = |site: &&Site| site.access == access && (site.from..site.to).contains(&at);
        sites.find(fits).map(|site| site.instruction)
    }

    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Returns the approximate memory that it takes, in bytes.
    pub fn cost(&self) -> usize {
        let cost = |page: &Page| {
            let words = |bytes: &&Bytes| matches!(bytes, Bytes::Some(_));
            size_of::<Page>()
                + size_of::<[u64; WORDS]>() * page.bytes.iter().filter(words).count()
                + size_of::<Site>() * page.sites.len()
        };
        self.pages.values().map(cost).sum()
    }
}

/// A set of accessed bytes to which several threads add.
#[derive(Default)]
pub struct AccessRecorder {
    /// Pages by the remainder of their number.
    shards: [Mutex<BTreeMap<u64, Page>>; 16],
}

impl AccessRecorder {
    pub fn add(&self, start: u64, size: u64, access: Access, instruction: Option<u32>) {
        for (page, from, to) in parts(start, size) {
            let mut shard = self.shards[page as usize % self.shards.len()]
                .lock()
                .unpoisoned();
            let page = shard.entry(page).or_default();
            page.add(from, to, access, instruction);
        }
    }

    pub fn finish(self) -> AccessSet {
        let mut pages = BTreeMap::new();
        for shard in self.shards {
            pages.append(&mut shard.into_inner().unpoisoned());
        }
        for page in pages.values_mut() {
            page.bytes.iter_mut().for_each(Bytes::compress);
        }
        AccessSet { pages }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(ranges: &[(u64, u64, Access)]) -> AccessSet {
        let mut set = AccessSet::default();
        for &(start, size, access) in ranges {
            set.add(start, size, access);
        }
        set
    }

    fn conflicts(one: &AccessSet, other: &AccessSet) -> Vec<(u64, u64)> {
        one.conflicts(other).map(|c| (c.address, c.size)).collect()
    }

    #[test]
    fn only_shared_bytes_with_a_write_conflict() {
        let written = set(&[(100, 8, Access::Write), (8000, 1000, Access::Write)]);
        for (start, size, expected) in [
            (90, 10, vec![]),
            (90, 11, vec![(100, 1)]),
            (107, 100, vec![(107, 1)]),
            (108, 100, vec![]),
            (0, 1 << 20, vec![(100, 8), (8000, 192), (8192, 808)]),
        ] {
            let read = set(&[(start, size, Access::Read)]);
            assert_eq!(conflicts(&written, &read), expected, "{start} {size}");
            assert_eq!(conflicts(&read, &written), expected, "{start} {size}");
            assert_eq!(conflicts(&read, &read), []);
        }
    }

    #[test]
    fn interleaved_elements_do_not_conflict() {
        let recorder = [AccessRecorder::default(), AccessRecorder::default()];
        for i in 0..4096 {
            recorder[i % 2].add(i as u64 * 4, 4, Access::Write, Some(7));
        }
        let [even, odd] = recorder.map(AccessRecorder::finish);
        assert_eq!(conflicts(&even, &odd), []);
        assert_eq!(conflicts(&even, &even).len(), 2048);
        assert_eq!(even.instruction(8, Access::Write), Some(7));
        assert_eq!(even.instruction(8, Access::Read), None);
    }

    #[test]
    fn strong_accesses_race_only_with_weak_ones() {
        use Access::*;
        for (one, other, expected) in [
            (StrongWrite, StrongWrite, false),
            (StrongWrite, StrongRead, false),
            (StrongWrite, Read, true),
            (StrongRead, Write, true),
            (StrongRead, Read, false),
            (Read, Read, false),
            (Write, Write, true),
        ] {
            assert_eq!(one.races_with(other), expected, "{one:?} {other:?}");
            assert_eq!(other.races_with(one), expected, "{one:?} {other:?}");
        }
    }

    #[test]
    fn later_accesses_replace_those_that_race_no_more() {
        use Access::*;
        for (earlier, later, left) in [
            (Write, Write, false),
            (Read, Write, false),
            (Read, Read, false),
            (StrongWrite, Write, false),
            (StrongRead, StrongWrite, false),
            (StrongRead, Read, false),
            (Write, Read, true),
            (Write, StrongWrite, true),
            (Read, StrongWrite, true),
        ] {
            let mut one = set(&[(0, 64, earlier)]);
            one.remove_replaced(&set(&[(0, 64, later)]));
            assert_eq!(!one.is_empty(), left, "{earlier:?} {later:?}");
        }
        let mut one = set(&[(0, 8192, Write)]);
        one.remove_replaced(&set(&[(10, 8000, Write)]));
        let all = set(&[(0, 8192, Read)]);
        assert_eq!(conflicts(&one, &all), [(0, 10), (8010, 182)]);
    }

    #[test]
    fn removed_ranges_leave_the_rest() {
        let mut one = set(&[(0, 3 * 4096, Access::Write)]);
        one.remove(4000, 4200);
        let all = set(&[(0, 3 * 4096, Access::Read)]);
        assert_eq!(conflicts(&one, &all), [(0, 4000), (8200, 4088)]);
        one.remove(0, u64::MAX);
        assert!(one.is_empty() && one.cost() == 0);
    }
}
