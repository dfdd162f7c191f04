//! Communicators that are made out of others.

use std::{
    collections::HashSet,
    ffi::c_int,
    sync::atomic::Ordering,
    thread,
    time::{Duration, Instant},
};

use super::{
    Communicator,
    agree::{agree, gather_words},
    call::Kind,
    current::{enter, said},
    prepare::bytes,
    start::{CONTROL, Start, finish},
    unique_id::UniqueId,
};
use crate::{
    error::{Error, Result},
    result::NcclResult,
    sys,
};

impl Communicator {
    /// Divides the ranks: those with the same `color` make a new communicator, in which they are in the order of their `key`,
    /// and of their old rank where keys are the same. A rank without a color gets `None`. All ranks of this communicator
    /// call it. The new communicator has nothing in common with this one: either may end before the other.
    ///
    /// The ranks tell each other color, key and a unique id over this communicator. Each rank then starts anew, in an order that
    /// needs a thread or a process for each rank.
    ///
    /// # Errors
    /// As [`new`](Self::new), and those of a collective.
    #[doc(alias = "ncclCommSplit")]
    pub fn split(&self, color: Option<u32>, key: i32) -> Result<Option<Self>> {
        if let Some(place) = std::env::var_os("NCCL_COMM_ID") {
            return Err(self.told(Error::Start(format!(
                "split: NCCL_COMM_ID={} is set, by which NCCL gives all communicators the same place to meet, and several can't \
                 meet there: start by CUDA_NCCL_ADDRESS instead",
                place.to_string_lossy()
            ))));
        }
        if self.0.options.verify {
            agree(&[(&*self.0, &[&bytes::<u64>(Kind::Split, [0; 2], 0, 0)])])?;
        }
        let words = [color.map_or(u64::MAX, u64::from), u64::from(key as u32)];
        let all = gather_words(&[(&*self.0, &words)])?.swap_remove(0);
        let mut group: Vec<(i32, usize)> = all
            .chunks_exact(words.len())
            .enumerate()
            .filter(|(_, theirs)| theirs[0] == words[0])
            .map(|(rank, theirs)| (theirs[1] as u32 as i32, rank))
            .collect();
        group.sort_unstable();
        let place = group.iter().position(|(_, rank)| *rank == self.0.rank);
        let (Some(rank), Some((_, first))) = (place, group.first()) else {
            return Err(Error::Value(
                "split: what the ranks have told each other was overwritten".into(),
            ));
        };
        // NCCL waits for a communicator behind each id that it makes: the first of each color alone makes one. A rank that
        // can't has the others know.
        let id = match color.is_some() && rank == 0 {
            true => UniqueId::new().map(|id| id.to_bytes()),
            false => Ok([0; UniqueId::SIZE]),
        };
        let mut words: Vec<u64> = id
            .as_ref()
            .unwrap_or(&[0; UniqueId::SIZE])
            .chunks_exact(8)
            .map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default()))
            .collect();
        words.push(u64::from(id.is_err()));
        let all = gather_words(&[(&*self.0, &words)])?.swap_remove(0);
        id?;
        if color.is_none() {
            return Ok(None);
        }
        let theirs = &all[first * words.len()..][..words.len()];
        let (id, failed) = theirs.split_at(words.len() - 1);
        if failed != [0] {
            return Err(Error::Value(format!(
                "split: rank {first}, the first of color {}, can't make a unique id",
                color.unwrap_or_default()
            )));
        }
        let mut bytes = [0; UniqueId::SIZE];
        for (bytes, word) in bytes.chunks_exact_mut(8).zip(id) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        let id = UniqueId::from_bytes(bytes);
        Self::new(
            &self.0.context,
            id,
            rank,
            group.len(),
            self.0.options.clone(),
        )
        .map(Some)
    }

    /// A communicator without the ranks of `exclude`, which may have ended already: only those that stay call it, with the same
    /// list. They keep their order. Nothing of this communicator may be under way.
    ///
    /// # Errors
    /// As [`new`](Self::new). [`Error::Value`] for a rank that there is not, and for one that excludes itself.
    /// [`Error::Unsupported`] before NCCL 2.27. [`Error::Lost`] if this communicator has been aborted.
    #[doc(alias = "ncclCommShrink")]
    pub fn shrink(&self, exclude: &[usize]) -> Result<Self> {
        let inner = &self.0;
        let without: HashSet<usize> = exclude.iter().copied().collect();
        if without.contains(&inner.rank) || without.iter().any(|rank| *rank >= inner.size) {
            return Err(Error::Value(format!(
                "{} can't stay where {exclude:?} are excluded: ranks count from 0, and a rank that goes calls nothing",
                inner.who()
            )));
        }
        let rank = inner.rank - without.iter().filter(|rank| **rank < inner.rank).count();
        let mut list: Vec<c_int> = without.iter().map(|rank| *rank as c_int).collect();
        list.sort_unstable();
        let number = inner.shrunk.fetch_add(1, Ordering::Relaxed);
        let mut name = inner.name.clone();
        name.extend(number.to_le_bytes());
        // Those who are left out may make one of their own.
        name.extend(list.iter().flat_map(|rank| rank.to_le_bytes()));
        let start = Start::new(
            &inner.context,
            &inner.options,
            [rank, inner.size - without.len()],
            name,
        )?;
        let shrink = inner
            .library
            .need("ncclCommShrink", inner.library.functions().ncclCommShrink)?;
        inner.wait_for_all()?;
        let since = Instant::now();
        let (place, config) = (start.comms[CONTROL].get(), start.config(CONTROL));
        let begun = inner.with_control(|control| {
            let _current = enter(&inner.context)?;
            if control.is_null() {
                return Err(inner.lost_error());
            }
            let (list, count) = (list.as_mut_ptr(), list.len() as c_int);
            let flags = sys::NCCL_SHRINK_DEFAULT as c_int;
            // SAFETY: a live communicator; list, place and config live until the call is over or aborted.
            Ok(unsafe { shrink(control, list, count, place, config, flags) })
        })?;
        let begun = NcclResult(begun.0);
        if !matches!(begun, NcclResult::SUCCESS | NcclResult::IN_PROGRESS) {
            return Err(Error::nccl("ncclCommShrink", begun, &said(inner.library)));
        }
        // The call goes on also where it has returned success.
        loop {
            match inner.control_state()? {
                NcclResult::IN_PROGRESS => {}
                NcclResult::SUCCESS => break,
                result => return Err(Error::nccl("ncclCommShrink", result, &said(inner.library))),
            }
            if since.elapsed() > inner.options.timeout {
                // The abort ends the call, which would write to what is dropped here.
                return Err(inner.lose(format!(
                    "{}: the ranks that stay have not come within the time limit of {:?} (ncclCommShrink)",
                    inner.who(),
                    inner.options.timeout
                )));
            }
            thread::sleep(Duration::from_micros(100));
        }
        if start.comm(CONTROL).is_null() {
            return Err(Error::Lost(format!(
                "{}: ncclCommShrink has made no communicator",
                inner.who()
            )));
        }
        let mut made = finish(vec![start])?;
        Ok(made.swap_remove(0))
    }
}
