//! Communicators derived from others.

use std::{collections::HashSet, ffi::c_int, sync::atomic::Ordering, thread, time::Instant};

use super::{
    Communicator,
    agree::{agree, gather_words},
    call::{Kind, bytes},
    current::{enter, last_error},
    start::{CONTROL, Start, finish},
    unique_id::UniqueId,
};
use crate::{
    error::{Error, Result},
    pause,
    result::NcclResult,
    sys,
};

impl Communicator {
    /// Divides the ranks into groups: ranks with the same `color` form a new communicator, ordered
    /// by `key`, and by their old rank if keys are equal. Returns `None` on a rank without a color.
    ///
    /// All ranks of this communicator must call this. The new communicator is independent of this
    /// one, and either may end first. The ranks exchange color, key and a unique id over this
    /// communicator. Each rank then starts like [`new`](Self::new), so each must be in a separate
    /// thread or process.
    ///
    /// See
    /// [`ncclCommSplit`](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/comms.html#ncclcommsplit).
    ///
    /// # Errors
    /// Returns the errors of [`new`](Self::new) and of [collectives](#errors-of-collectives), and
    /// [`Error::Start`] if `NCCL_COMM_ID` is set.
    #[doc(alias = "ncclCommSplit")]
    pub fn split(&self, color: Option<u32>, key: i32) -> Result<Option<Self>> {
        if let Some(place) = std::env::var_os("NCCL_COMM_ID") {
            return Err(self.report(Error::Start(format!(
                "split: NCCL_COMM_ID={} is set, so all communicators would use the same address, but NCCL supports only one per \
                 address. Fix: unset it and start with CUDA_NCCL_ADDRESS",
                place.to_string_lossy()
            ))));
        }
        if self.0.options.verify {
            agree(&[(&*self.0, Ok(&[&bytes::<u64>(Kind::Split, [0; 2], 0, 0)]))])?;
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
                "split: the exchanged data was overwritten".into(),
            ));
        };
        // NCCL waits for a communicator for each id that it creates, so only the first rank of each
        // color creates one. If it cannot, it reports this to the others.
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
                "split: rank {first}, the first of color {}, cannot create a unique id",
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

    /// Creates a communicator without the ranks in `exclude`, which may have ended already.
    ///
    /// Only the remaining ranks call this, with the same list. They keep their order. No call of
    /// this communicator may be in progress.
    ///
    /// See
    /// [`ncclCommShrink`](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/comms.html#ncclcommshrink).
    ///
    /// # Errors
    /// - Returns the errors of [`new`](Self::new).
    /// - Returns [`Error::Value`] if `exclude` contains a rank that does not exist, or this rank.
    /// - Returns [`Error::Unsupported`] if NCCL is older than 2.27.
    /// - Returns [`Error::Lost`] if this communicator has been aborted.
    #[doc(alias = "ncclCommShrink")]
    pub fn shrink(&self, exclude: &[usize]) -> Result<Self> {
        let inner = &self.0;
        let without: HashSet<usize> = exclude.iter().copied().collect();
        if without.contains(&inner.rank) || without.iter().any(|rank| *rank >= inner.size) {
            return Err(Error::Value(format!(
                "shrink: {} cannot exclude {exclude:?}: a rank cannot exclude itself, and the ranks are 0 to {}",
                inner.who(),
                inner.size - 1
            )));
        }
        let rank = inner.rank - without.iter().filter(|rank| **rank < inner.rank).count();
        let mut list: Vec<c_int> = without.iter().map(|rank| *rank as c_int).collect();
        list.sort_unstable();
        let number = inner.shrunk.fetch_add(1, Ordering::Relaxed);
        let mut name = inner.name.clone();
        name.extend(number.to_le_bytes());
        // The excluded ranks may create a communicator too.
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
            // SAFETY: the communicator is live. The list, the place and the config live until the
            // call is over or aborted.
            Ok(unsafe { shrink(control, list, count, place, config, flags) })
        })?;
        let begun = NcclResult(begun.0);
        if !matches!(begun, NcclResult::SUCCESS | NcclResult::IN_PROGRESS) {
            return Err(Error::nccl(
                "ncclCommShrink",
                begun,
                &last_error(inner.library),
            ));
        }
        // The call may still be in progress after it has returned success.
        loop {
            match inner.control_state()? {
                NcclResult::IN_PROGRESS => {}
                NcclResult::SUCCESS => break,
                result => {
                    return Err(Error::nccl(
                        "ncclCommShrink",
                        result,
                        &last_error(inner.library),
                    ));
                }
            }
            let waited = since.elapsed();
            if waited > inner.options.timeout {
                // The abort ends the call, which would otherwise write to memory that is dropped
                // here.
                return Err(inner.lose(format!(
                    "{}: the remaining ranks have not arrived within the time limit of {:?} (ncclCommShrink)",
                    inner.who(),
                    inner.options.timeout
                )));
            }
            thread::sleep(pause::after(waited));
        }
        if start.comm(CONTROL).is_null() {
            return Err(Error::Lost(format!(
                "{}: ncclCommShrink returned no communicator",
                inner.who()
            )));
        }
        let mut made = finish(vec![start])?;
        Ok(made.swap_remove(0))
    }
}
