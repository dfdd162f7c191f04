//! Where the threads of a group meet, and hand each other what they have to say.

use std::{
    hint,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// A meeting place of a fixed number of ranks. Each brings an offer and leaves with all of them; nobody leaves before all
/// have come. A meeting takes place for all ranks or for none.
pub(crate) struct Meeting<O> {
    size: usize,
    /// Whether a rank has a core of its own to wait on.
    spins: bool,
    /// The meetings that have taken place.
    round: AtomicU64,
    state: Mutex<State<O>>,
    changed: Condvar,
}

struct State<O> {
    offers: Vec<Option<O>>,
    arrived: usize,
    /// Of the last meeting. The next one can't take place before everybody has read this.
    all: Arc<[O]>,
    /// Why there will be no more meetings.
    lost: Option<String>,
}

/// How long a waiting rank keeps its core: longer than ranks are usually apart, shorter than anybody would notice.
const SPIN: Duration = Duration::from_micros(200);

impl<O> Meeting<O> {
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
            }),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<O>> {
        // Nothing that is done under the lock panics halfway.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Meets the others, and returns what all of them brought, in the order of ranks.
    ///
    /// With a time limit, the error says which rank is lost; nobody meets any more from then on. Without one, the caller
    /// knows that all the others are on their way here.
    pub(crate) fn meet(
        &self,
        rank: usize,
        offer: O,
        limit: Option<Duration>,
    ) -> Result<Arc<[O]>, String> {
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
            // First of all: who has met may end at once, and the others have met too.
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
            let left = limit.saturating_sub(start.elapsed());
            if left.is_zero() {
                let missing: Vec<String> = (0..self.size)
                    .filter(|&other| state.offers[other].is_none())
                    .map(|other| other.to_string())
                    .collect();
                let who = match &missing[..] {
                    [one] => format!("rank {one} has"),
                    all => format!("ranks {} have", all.join(" and ")),
                };
                let why = format!(
                    "{who} not come within the time limit of {limit:?} (PeerOptions::timeout)"
                );
                self.end(&mut state, &why);
                return Err(why);
            }
            state = self
                .changed
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// Why there are no more meetings.
    pub(crate) fn lost(&self) -> Option<String> {
        self.lock().lost.clone()
    }

    /// There will be no more meetings: who waits for one, and who comes later, is told why. The first reason stays.
    pub(crate) fn lose(&self, why: &str) {
        let mut state = self.lock();
        self.end(&mut state, why);
    }

    fn end(&self, state: &mut State<O>, why: &str) {
        if state.lost.is_none() {
            state.lost = Some(why.to_owned());
        }
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Option<Duration> = Some(Duration::from_secs(60));

    #[test]
    fn all_leave_with_what_all_brought() {
        for size in [1, 2, 5] {
            let meeting = Meeting::new(size);
            thread::scope(|scope| {
                for rank in 0..size {
                    let meeting = &meeting;
                    scope.spawn(move || {
                        for round in 0..200 {
                            let limit = if round % 2 == 0 { LONG } else { None };
                            let all = meeting.meet(rank, round * 10 + rank, limit).unwrap();
                            let wanted: Vec<usize> = (0..size).map(|r| round * 10 + r).collect();
                            assert_eq!(*all, *wanted);
                        }
                    });
                }
            });
        }
    }

    #[test]
    fn nobody_waits_for_the_lost() {
        let meeting = Meeting::new(2);
        thread::scope(|scope| {
            let waits = scope.spawn(|| meeting.meet(0, (), LONG));
            thread::sleep(Duration::from_millis(5));
            meeting.lose("gone");
            assert_eq!(waits.join().unwrap().unwrap_err(), "gone");
        });
        meeting.lose("later");
        assert_eq!(meeting.meet(1, (), LONG).unwrap_err(), "gone");
    }

    #[test]
    fn who_does_not_come_in_time_is_named() {
        let meeting = Meeting::new(3);
        thread::scope(|scope| {
            let short = Some(Duration::from_millis(500));
            let other = scope.spawn(|| meeting.meet(2, (), LONG));
            thread::sleep(Duration::from_millis(5));
            let error = meeting.meet(0, (), short).unwrap_err();
            assert!(error.starts_with("rank 1 has not come"), "{error}");
            assert_eq!(other.join().unwrap().unwrap_err(), error);
        });
    }
    /// A meeting whose ranks keep their cores while they wait, whatever the machine has.
    fn spinning<O>(size: usize) -> Meeting<O> {
        Meeting {
            spins: true,
            ..Meeting::new(size)
        }
    }

    #[test]
    fn ranks_that_spin_meet_and_end_like_others() {
        let meeting = spinning(2);
        thread::scope(|scope| {
            for rank in 0..2 {
                let meeting = &meeting;
                scope.spawn(move || {
                    for round in 0..200 {
                        let all = meeting.meet(rank, 2 * round + rank, LONG).unwrap();
                        assert_eq!(*all, [2 * round, 2 * round + 1]);
                    }
                });
            }
        });
        thread::scope(|scope| {
            let waits = scope.spawn(|| meeting.meet(0, 0, LONG));
            thread::sleep(Duration::from_millis(5));
            meeting.lose("gone");
            assert_eq!(waits.join().unwrap().unwrap_err(), "gone");
        });
        let meeting = spinning(2);
        let limit = Duration::from_millis(30);
        let start = Instant::now();
        let error = meeting.meet(1, (), Some(limit)).unwrap_err();
        assert!(start.elapsed() >= limit);
        let text = "rank 0 has not come within the time limit of 30ms (PeerOptions::timeout)";
        assert_eq!(error, text);
        assert_eq!(meeting.lost().as_deref(), Some(text));
    }

    #[test]
    fn several_missing_ranks_are_named() {
        let meeting = Meeting::new(4);
        let error = meeting.meet(2, (), Some(Duration::from_millis(10)));
        let error = error.unwrap_err();
        assert!(
            error.starts_with("ranks 0 and 1 and 3 have not come within the time limit of 10ms"),
            "{error}"
        );
    }

    #[test]
    fn a_rank_without_a_limit_waits_on_after_a_loss() {
        // It knows that the others are on their way.
        let meeting = Meeting::new(2);
        meeting.lose("gone");
        thread::scope(|scope| {
            let waits = scope.spawn(|| meeting.meet(0, 1, None));
            thread::sleep(Duration::from_millis(5));
            assert_eq!(*meeting.meet(1, 2, None).unwrap(), [1, 2]);
            assert_eq!(*waits.join().unwrap().unwrap(), [1, 2]);
        });
    }
}
