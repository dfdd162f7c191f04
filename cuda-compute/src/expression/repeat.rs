//! Evaluations that repeat the launches of an earlier one.
//!
//! To evaluate an expression, its graph is planned, laid out and rendered into a form, which
//! identifies the kernel. This takes a few microseconds. Programs evaluate the same expressions
//! again and again, with other arrays and numbers. The launches of an evaluation are therefore
//! recorded. An evaluation with the same [`Signature`] runs them again, with its own addresses and
//! numbers.

use std::sync::{Arc, RwLock};

use cuda_safe::Stream;
use rustc_hash::FxHashMap;

use super::{
    launch::Launch,
    operands::Operands,
    plan::{NodeAddress, Stored},
    render::Form,
    signature::{Pattern, Signature},
};
use crate::{
    array::{Layout, Memory},
    element::DataType,
    error::Result,
    kernel::{Kernels, read, write},
};

/// The maximum number of evaluations that are kept. If there are more, all are forgotten.
const MOST: usize = 1024;
/// The number of words that a launch copies without an allocation.
const FEW_WORDS: usize = 64;
/// The reason that a signature has what a recorded evaluation refers to.
const FITS: &str = "the signature fits the pattern";

/// The recorded evaluations of one context, by the hash of their signature.
#[derive(Debug, Default)]
pub(super) struct Repeats(RwLock<FxHashMap<u64, Arc<Repeat>>>);

impl Repeats {
    /// Returns the recorded evaluation with this signature.
    pub(super) fn find(&self, signature: &Signature<'_>) -> Option<Arc<Repeat>> {
        let known = read(&self.0);
        let found = known.get(&signature.hash())?;
        found.pattern.fits(signature).then(|| found.clone())
    }

    fn insert(&self, hash: u64, repeat: Repeat) {
        let mut known = write(&self.0);
        let all = match known.len() >= MOST {
            true => std::mem::take(&mut *known),
            false => FxHashMap::default(),
        };
        let old = known.insert(hash, Arc::new(repeat));
        drop(known); // kernels are not freed under the lock
        drop((all, old));
    }
}

/// A recorded evaluation.
#[derive(Debug)]
pub(super) struct Repeat {
    pattern: Pattern,
    launches: Vec<Recorded>,
    /// The sizes in bytes of the memory that it allocates.
    new: Vec<usize>,
    /// The results: the number of the new memory, and the layout there.
    results: Vec<(usize, Layout)>,
}

/// A recorded launch, and its words that another evaluation replaces.
#[derive(Debug)]
struct Recorded {
    launch: Launch,
    replaced: Vec<Replaced>,
    memories: Vec<Source>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The signature's memory with this number.
    Given(u8),
    /// New memory with this number.
    New(u8),
}

#[derive(Clone, Copy, Debug)]
enum Replaced {
    /// An address, which is this far from that of the memory's first array.
    Address {
        word: usize,
        source: Source,
        distance: u64,
    },
    /// The words of the number at this visit of the signature.
    Number {
        word: usize,
        words: usize,
        visit: u8,
    },
}

impl Repeat {
    /// Allocates the results, enqueues the launches and returns the results. Returns `None`, and does
    /// nothing, if new memory is not aligned as that of the recorded evaluation.
    pub(super) fn run(
        &self,
        kernels: &Kernels,
        stream: &Stream,
        signature: &Signature<'_>,
    ) -> Result<Option<Vec<Stored>>> {
        let mut new = Vec::with_capacity(self.new.len());
        for &bytes in &self.new {
            let memory = Memory::new(kernels, stream, bytes, DataType::U8)?;
            if !is_aligned(&memory) {
                return Ok(None);
            }
            new.push(Arc::new(memory));
        }
        // A source of this evaluation, and the address that distances count from.
        let source = |source: Source| -> (&Memory, u64) {
            match source {
                Source::Given(place) => {
                    let used = signature.memory(place).expect(FITS);
                    (used.memory, used.address)
                }
                Source::New(place) => {
                    let memory = &new[usize::from(place)];
                    (memory, memory.address())
                }
            }
        };
        for recorded in &self.launches {
            let (mut few, mut many) = ([0; FEW_WORDS], Vec::new());
            let recorded_words = &recorded.launch.words;
            let words = match few.get_mut(..recorded_words.len()) {
                Some(words) => {
                    words.copy_from_slice(recorded_words);
                    words
                }
                None => {
                    many.extend_from_slice(recorded_words);
                    &mut many[..]
                }
            };
            for replaced in &recorded.replaced {
                match *replaced {
                    Replaced::Address {
                        word,
                        source: from,
                        distance,
                    } => {
                        words[word] = source(from).1.wrapping_add(distance);
                    }
                    Replaced::Number {
                        word,
                        words: count,
                        visit,
                    } => {
                        let number = signature.number(visit).expect(FITS);
                        words[word..word + count].copy_from_slice(&number[..count]);
                    }
                }
            }
            let memories = recorded.memories.iter();
            let memories = memories.map(|&from| source(from).0);
            // SAFETY: an equal evaluation, whose arrays have the same layouts, ran this launch. It has
            // the addresses and numbers of this evaluation in their places.
            unsafe {
                let launch = &recorded.launch;
                launch.enqueue(kernels, stream, words, memories)?;
            }
        }
        let results = self.results.iter();
        let results = results.map(|&(place, layout)| (new[place].clone(), layout));
        Ok(Some(results.collect()))
    }
}

/// Returns whether new memory has the alignment that allocations of the driver have.
fn is_aligned(memory: &Memory) -> bool {
    memory.address().is_multiple_of(256)
}

/// The launches of an evaluation so far.
#[derive(Debug)]
pub(super) struct Record {
    hash: u64,
    pattern: Pattern,
    given: Vec<(Arc<Memory>, u64)>,
    /// The visits of the numbers' nodes.
    numbers: Vec<(u8, NodeAddress)>,
    launches: Vec<Recorded>,
    new: Vec<Arc<Memory>>,
}

impl Record {
    pub(super) fn new(signature: &Signature<'_>) -> Option<Self> {
        let memories = signature.memories();
        let numbers = signature.numbers();
        Some(Self {
            hash: signature.hash(),
            pattern: Pattern::of(signature)?,
            given: memories
                .map(|used| (used.memory.clone(), used.address))
                .collect(),
            numbers: numbers
                .map(|(visit, node)| (visit, NodeAddress::of(node)))
                .collect(),
            launches: Vec::new(),
            new: Vec::new(),
        })
    }

    /// Adds a launch of a kernel with this form. Returns `None` if it can't be repeated.
    pub(super) fn add(
        &mut self,
        launch: &Launch,
        form: &Form,
        operands: &Operands<'_>,
    ) -> Option<()> {
        let slots = form.slots();
        let mut replaced = Vec::new();
        for (memory, operand) in operands.addresses() {
            let leaves = slots.leaves.iter().chain(&slots.outputs);
            let word = *leaves.clone().nth(operand)?;
            let (source, address) = self.source(memory)?;
            replaced.push(Replaced::Address {
                word,
                source,
                distance: launch.words[word].wrapping_sub(address),
            });
        }
        let ends = slots.scalars.iter().skip(1).chain([&slots.total]);
        for ((&word, &end), node) in slots.scalars.iter().zip(ends).zip(operands.numbers()) {
            // Other numbers follow from the expression's structure.
            if let Some((visit, _)) = self.numbers.iter().find(|(_, known)| *known == node) {
                replaced.push(Replaced::Number {
                    word,
                    words: end - word,
                    visit: *visit,
                });
            }
        }
        let memories = operands.memories();
        let memories = memories.map(|memory| Some(self.source(memory)?.0));
        let memories = memories.collect::<Option<_>>()?;
        self.launches.push(Recorded {
            launch: launch.clone(),
            replaced,
            memories,
        });
        Some(())
    }

    /// Returns the source of memory, which is new unless the signature has it, and the address that
    /// distances count from.
    fn source(&mut self, memory: &Arc<Memory>) -> Option<(Source, u64)> {
        let given = self.given.iter().zip(0..);
        for ((known, address), place) in given {
            if Arc::ptr_eq(known, memory) {
                return Some((Source::Given(place), *address));
            }
        }
        let is_known = |known: &Arc<Memory>| Arc::ptr_eq(known, memory);
        let place = self.new.iter().position(is_known).or_else(|| {
            self.new.push(memory.clone());
            is_aligned(memory).then_some(self.new.len() - 1)
        })?;
        Some((Source::New(u8::try_from(place).ok()?), memory.address()))
    }

    /// Keeps the evaluation, which had these results.
    pub(super) fn finish(self, repeats: &Repeats, results: &[Stored]) {
        let place = |memory: &Arc<Memory>| {
            let mut new = self.new.iter();
            new.position(|known| Arc::ptr_eq(known, memory))
        };
        let results = results
            .iter()
            .map(|(memory, layout)| Some((place(memory)?, *layout)));
        // A result in memory that was there before depends on that memory's layout.
        let Some(results) = results.collect::<Option<Vec<_>>>() else {
            return;
        };
        let repeat = Repeat {
            pattern: self.pattern,
            launches: self.launches,
            new: self.new.iter().map(|memory| memory.size()).collect(),
            results,
        };
        repeats.insert(self.hash, repeat);
    }
}

#[cfg(test)]
mod tests;
