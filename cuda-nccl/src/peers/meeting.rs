//! A rendezvous of a group's threads, in which they exchange values.

use std::{
    hint,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::loss::Loss;
use crate::{
    notice::{self, rounded},
    record::list,
};

/// A rendezvous of a fixed number of ranks. Each rank passes a value and receives the values of
/// all. A rank returns only after all have arrived. A round completes for all ranks or for none.
pub(crate) struct Rendezvous<O> {
    size: usize,
    /// Whether there are enough cores for waiting ranks to spin.
    spins: bool,
    /// The number of completed rounds.
    round: AtomicU64,
    state: Mutex<State<O>>,
    changed: Condvar,
}

struct State<O> {
    offers: Vec<Option<O>>,
    arrived: usize,
    /// The values of the last round. The next round cannot complete before all ranks have read
    /// them.
    all: Arc<[O]>,
    /// The reason why the rounds have ended, if they have.
    lost: Option<Loss>,
    /// The last round with a notice about missing ranks.
    noticed: Option<u64>,
}

/// How long a rank waits for the others, and in which call.
#[derive(Clone, Copy)]
pub(crate) struct Limit<'a> {
    pub(crate) time: Duration,
    pub(crate) call: &'a str,
}

/// How long a waiting rank spins: longer than the usual delay between ranks, but too short to waste
/// much processor time.
const SPIN: Duration = Duration::from_micros(200);

impl<O> Rendezvous<O> {
    pub(crate) fn new(size: usize) -> Self {
        Self {
            size,
            spins: thread::available_parallelism().is_ok_and(|cores| cores.get() > size),
            round: AtomicU64::new(0),
            state: Mutex::new(State {
                offers: (0..size).map(|_| None).collect(),
                arrived: 0,
                all: Arc::from([]),
                lost: None,
                noticed: None,
            }),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<O>> {
        // No code panics while it holds the lock with a half-changed state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the other ranks, and returns the values of all ranks in rank order.
    ///
    /// If the time limit expires, the error names the ranks that did not arrive, and later rounds
    /// fail as well. Well before that, one of the waiting ranks prints a notice. Without a limit,
    /// the caller must know that all other ranks will arrive.
    pub(crate) fn meet(
        &self,
        rank: usize,
        offer: O,
        limit: Option<Limit<'_>>,
    ) -> Result<Arc<[O]>, Loss> {
        let start = Instant::now();
        let mut state = self.lock();
        if let (Some(why), Some(_)) = (&state.lost, limit) {
            return Err(why.clone());
        }
        let round = self.round.load(Ordering::Relaxed);
        state.offers[rank] = Some(offer);
        state.arrived += 1;
        if state.arrived == self.size {
            state.arrived = 0;
            let all: Arc<[O]> = state.offers.iter_mut().filter_map(Option::take).collect();
            state.all = all.clone();
            self.round.store(round + 1, Ordering::Release);
            drop(state);
            self.changed.notify_all();
            return Ok(all);
        }
        if self.spins {
            drop(state);
            while self.round.load(Ordering::Acquire) == round && start.elapsed() < SPIN {
                hint::spin_loop();
            }
            state = self.lock();
        }
        loop {
            // Checked before `lost`: a rank may end right after the round, which is already
            // complete for all ranks.
            if self.round.load(Ordering::Relaxed) != round {
                return Ok(state.all.clone());
            }
            let Some(limit) = limit else {
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            if let Some(why) = &state.lost {
                return Err(why.clone());
            }
            let waited = start.elapsed();
            let left = limit.time.saturating_sub(waited);
            if left.is_zero() {
                let why = Loss::Late(self.missing(&state), limit.time);
                self.end(&mut state, why.clone());
                return Err(why);
            }
            let notice = notice::due(limit.time).filter(|_| state.noticed != Some(round));
            let until_notice = notice.map(|notice| notice.saturating_sub(waited));
            if let (Some(notice), Some(Duration::ZERO)) = (notice, until_notice) {
                state.noticed = Some(round);
                let missing = self.missing(&state);
                // Printing may block, and other ranks need the lock.
                drop(state);
                notice::print(&late(rank, &missing, notice, limit));
                state = self.lock();
                continue;
            }
            state = self
                .changed
                .wait_timeout(state, until_notice.unwrap_or(left).min(left))
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// Returns the ranks that have not arrived.
    fn missing(&self, state: &State<O>) -> Vec<usize> {
        let is_missing = |other: &usize| state.offers[*other].is_none();
        (0..self.size).filter(is_missing).collect()
    }

    /// Returns the reason why the rounds have ended, if they have.
    pub(crate) fn lost(&self) -> Option<Loss> {
        self.lock().lost.clone()
    }

    /// Ends all rounds. Ranks that wait, and those that arrive later, receive this reason. The
    /// first reason is kept.
    pub(crate) fn lose(&self, why: Loss) {
        let mut state = self.lock();
        self.end(&mut state, why);
    }

    fn end(&self, state: &mut State<O>, why: Loss) {
        state.lost.get_or_insert(why);
        self.changed.notify_all();
    }
}

/// Returns the notice about ranks that are late.
fn late(rank: usize, missing: &[usize], waited: Duration, limit: Limit<'_>) -> String {
    let have = if missing.len() == 1 { "has" } else { "have" };
    format!(
        "{} {have} not arrived after {:?}. Rank {rank} waits in {}, which fails after {:?} (PeerOptions::timeout)",
        list(missing),
        rounded(waited),
        limit.call,
        rounded(limit.time)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Option<Limit<'_>> = limit(60_000);

    const fn limit(millis: u64) -> Option<Limit<'static>> {
        Some(Limit {
            time: Duration::from_millis(millis),
            call: "a_call",
        })
    }

    #[test]
    fn notice_names_the_missing_ranks() {
        assert_eq!(
            late(0, &[1], Duration::from_secs(20) / 3, limit(40_000).unwrap()),
            "rank 1 has not arrived after 6.7s. Rank 0 waits in a_call, which fails after 40s (PeerOptions::timeout)"
        );
    }

    fn loss() -> Loss {
        Loss::Failed("a loss".into())
    }

    #[test]
    fn every_rank_receives_all_values() {
        for size in [1, 2, 5] {
            let rendezvous = Rendezvous::new(size);
            thread::scope(|scope| {
                for rank in 0..size {
                    let rendezvous = &rendezvous;
                    scope.spawn(move || {
                        for round in 0..200 {
                            let limit = if round % 2 == 0 { LONG } else { None };
                            let all = rendezvous.meet(rank, round * 10 + rank, limit).unwrap();
                            let wanted: Vec<usize> = (0..size).map(|r| round * 10 + r).collect();
                            assert_eq!(*all, *wanted);
                        }
                    });
                }
            });
        }
    }

    #[test]
    fn lost_rank_ends_the_wait() {
        let rendezvous = Rendezvous::new(2);
        thread::scope(|scope| {
            let waits = scope.spawn(|| rendezvous.meet(0, (), LONG));
            thread::sleep(Duration::from_millis(5));
            rendezvous.lose(loss());
            assert_eq!(waits.join().unwrap().unwrap_err(), loss());
        });
        rendezvous.lose(Loss::Dropped(0));
        assert_eq!(rendezvous.meet(1, (), LONG).unwrap_err(), loss());
    }

    #[test]
    fn late_rank_is_named() {
        let rendezvous = Rendezvous::new(3);
        thread::scope(|scope| {
            let short = limit(500);
            let other = scope.spawn(|| rendezvous.meet(2, (), LONG));
            thread::sleep(Duration::from_millis(5));
            let error = rendezvous.meet(0, (), short).unwrap_err();
            assert_eq!(error, Loss::Late(vec![1], Duration::from_millis(500)));
            assert_eq!(other.join().unwrap().unwrap_err(), error);
        });
    }
    /// A rendezvous whose ranks spin while they wait, regardless of the number of cores.
    fn spinning<O>(size: usize) -> Rendezvous<O> {
        Rendezvous {
            spins: true,
            ..Rendezvous::new(size)
        }
    }

    #[test]
    fn ranks_that_spin_meet_and_end_like_others() {
        let rendezvous = spinning(2);
        thread::scope(|scope| {
            for rank in 0..2 {
                let rendezvous = &rendezvous;
                scope.spawn(move || {
                    for round in 0..200 {
                        let all = rendezvous.meet(rank, 2 * round + rank, LONG).unwrap();
                        assert_eq!(*all, [2 * round, 2 * round + 1]);
                    }
                });
            }
        });
        thread::scope(|scope| {
            let waits = scope.spawn(|| rendezvous.meet(0, 0, LONG));
            thread::sleep(Duration::from_millis(5));
            rendezvous.lose(loss());
            assert_eq!(waits.join().unwrap().unwrap_err(), loss());
        });
        let rendezvous = spinning(2);
        let start = Instant::now();
        let error = rendezvous.meet(1, (), limit(30)).unwrap_err();
        assert!(start.elapsed() >= Duration::from_millis(30));
        assert_eq!(error, Loss::Late(vec![0], Duration::from_millis(30)));
        assert_eq!(rendezvous.lost(), Some(error));
    }

    #[test]
    fn several_missing_ranks_are_named() {
        let rendezvous = Rendezvous::new(4);
        let error = rendezvous.meet(2, (), limit(10));
        let late = Loss::Late(vec![0, 1, 3], Duration::from_millis(10));
        assert_eq!(error.unwrap_err(), late);
    }

    #[test]
    fn a_rank_without_a_limit_waits_on_after_a_loss() {
        // A caller without a limit knows that the other ranks will arrive.
        let rendezvous = Rendezvous::new(2);
        rendezvous.lose(loss());
        thread::scope(|scope| {
            let waits = scope.spawn(|| rendezvous.meet(0, 1, None));
            thread::sleep(Duration::from_millis(5));
            assert_eq!(*rendezvous.meet(1, 2, None).unwrap(), [1, 2]);
            assert_eq!(*waits.join().unwrap().unwrap(), [1, 2]);
        });
    }
}
