//! The reasons why a group has ended, and their texts.

use std::time::Duration;

use crate::{notice::rounded, record::list};

/// The reason why a group has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// The thread of this rank has panicked.
    Panicked(usize),
    /// The rank was dropped by its owner, whose result is unknown here.
    Dropped(usize),
    /// The rank's closure has returned without an error.
    Returned(usize),
    /// The rank's closure has returned this error.
    ReturnedError(usize, String),
    /// These ranks have not arrived within the limit.
    Late(Vec<usize>, Duration),
    /// The device of this rank has failed with this error.
    DeviceFailed(usize, String),
    /// A call of the group has failed. The text names the rank and the reason.
    Failed(String),
}

/// The remedy for calls that one rank makes and another does not.
const SAME_CALLS: &str = "make the same calls in the same order on all ranks";

impl Loss {
    /// Returns the message for a rank. `call` describes the rank's call, and may be empty.
    pub(crate) fn text(&self, reader: usize, call: &str) -> String {
        let (why, fix) = self.cause_and_remedy(reader);
        let call = match call {
            "" => String::new(),
            call => format!(". This rank called {call}"),
        };
        let fix = match &*fix {
            "" => String::new(),
            fix => format!(". Fix: {fix}"),
        };
        why + &call + &fix
    }

    fn cause_and_remedy(&self, reader: usize) -> (String, String) {
        match self {
            Self::Panicked(rank) => (
                format!("rank {rank} has panicked"),
                format!("see rank {rank}'s panic above"),
            ),
            Self::Dropped(rank) => (
                format!("rank {rank} has ended"),
                format!("see rank {rank}'s result. If it is not an error, {SAME_CALLS}"),
            ),
            Self::Returned(rank) => (format!("rank {rank} has returned"), SAME_CALLS.into()),
            // The error has its own remedy.
            Self::ReturnedError(rank, error) => (
                format!("rank {rank} returned an error: {error}"),
                String::new(),
            ),
            Self::Late(ranks, limit) if ranks.contains(&reader) => (
                format!(
                    "this rank, rank {reader}, arrived too late: another rank waited for the time limit of {:?} \
                     (PeerOptions::timeout)",
                    rounded(*limit)
                ),
                "raise PeerOptions::timeout, or do the long work before the other ranks call"
                    .into(),
            ),
            Self::Late(ranks, limit) => {
                let late = list(ranks);
                let have = if ranks.len() == 1 { "has" } else { "have" };
                (
                    format!(
                        "{late} {have} not arrived within the time limit of {:?} (PeerOptions::timeout)",
                        rounded(*limit)
                    ),
                    format!(
                        "{late} may be slow: raise PeerOptions::timeout. Otherwise {SAME_CALLS}"
                    ),
                )
            }
            Self::DeviceFailed(rank, error) => (
                format!("the device of rank {rank} has failed: {error}"),
                String::new(),
            ),
            Self::Failed(why) => (why.clone(), String::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedy_fits_the_cause() {
        let text = |loss: Loss| loss.text(0, "all_reduce");
        assert_eq!(
            text(Loss::Panicked(1)),
            "rank 1 has panicked. This rank called all_reduce. Fix: see rank 1's panic above"
        );
        assert_eq!(
            text(Loss::Dropped(1)),
            "rank 1 has ended. This rank called all_reduce. Fix: see rank 1's result. If it is not an error, make the same \
             calls in the same order on all ranks"
        );
        assert_eq!(
            text(Loss::Returned(1)),
            "rank 1 has returned. This rank called all_reduce. Fix: make the same calls in the same order on all ranks"
        );
        assert_eq!(
            text(Loss::ReturnedError(1, "no data file".into())),
            "rank 1 returned an error: no data file. This rank called all_reduce"
        );
        assert_eq!(
            text(Loss::Failed("rank 1 failed: no memory".into())),
            "rank 1 failed: no memory. This rank called all_reduce"
        );
        assert_eq!(
            Loss::Panicked(1).text(0, ""),
            "rank 1 has panicked. Fix: see rank 1's panic above"
        );
    }

    #[test]
    fn late_rank_is_named_in_its_own_error() {
        let late = |ranks: &[usize]| Loss::Late(ranks.to_vec(), Duration::from_secs(20) / 3);
        assert_eq!(
            late(&[1]).text(0, "all_reduce"),
            "rank 1 has not arrived within the time limit of 6.7s (PeerOptions::timeout). This rank called all_reduce. Fix: \
             rank 1 may be slow: raise PeerOptions::timeout. Otherwise make the same calls in the same order on all ranks"
        );
        assert_eq!(
            late(&[1]).text(1, ""),
            "this rank, rank 1, arrived too late: another rank waited for the time limit of 6.7s (PeerOptions::timeout). \
             Fix: raise PeerOptions::timeout, or do the long work before the other ranks call"
        );
        let text = late(&[1, 2]).text(0, "");
        assert!(text.starts_with("ranks 1, 2 have not arrived"), "{text}");
    }
}
