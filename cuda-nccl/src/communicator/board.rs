//! What the ranks of one process tell each other of their calls.
//!
//! NCCL writes as much into another rank's memory as its own rank was told, so ranks that disagree about a length would write
//! beyond the end of memory that belongs to safe code. Within one process nothing of the kind is enqueued: each rank
//! writes its collectives down in its [lane](super::lane), and compares them with those of the others; sends and receives meet
//! on the board itself. What differs is refused, and ends the communicators of all ranks here, since another one may have
//! enqueued its call already.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, ThreadId},
    time::Duration,
};

use super::{
    call::{Call, Kind},
    lane::{self, Chunk, Words},
    shared::Shared,
};

/// By what names a communicator: its unique id, and what it was made of.
type Boards = HashMap<Vec<u8>, Weak<Board>>;

static BOARDS: Mutex<Option<Boards>> = Mutex::new(None);

#[derive(Default)]
pub(super) struct Board {
    /// Another number whenever a rank has come or gone.
    members: AtomicU64,
    state: Mutex<State>,
    /// A member has come further.
    further: Condvar,
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
struct State {
    members: Vec<Member>,
    /// Sends without their receives, or the other way round, by who sends and who receives.
    pairs: HashMap<[usize; 2], VecDeque<(Kind, usize)>>,
}

struct Member {
    rank: usize,
    shared: Weak<Shared>,
    /// The thread that made it.
    thread: ThreadId,
    step: Step,
    /// Where it writes its calls.
    tail: Arc<Chunk>,
    /// Where others begin to, who have come since it has looked.
    arrived: Vec<(usize, Arc<Chunk>)>,
}

/// How far a rank has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Coming,
    Ready,
    Gone,
}

/// A rank's place at the board. It leaves when this is dropped.
pub(super) struct Seat {
    board: Arc<Board>,
    rank: usize,
}

impl Seat {
    /// At the board of the communicator of this name. A board where the rank sits already is that of another communicator: by
    /// `NCCL_COMM_ID` all have the same id.
    pub(super) fn take(mut name: Vec<u8>, rank: usize) -> Self {
        let mut boards = BOARDS.lock().unwrap_or_else(PoisonError::into_inner);
        let boards = boards.get_or_insert_default();
        boards.retain(|_, board| board.strong_count() > 0);
        let board = loop {
            let Some(board) = boards.get(&name).and_then(Weak::upgrade) else {
                let board = Arc::new(Board::default());
                boards.insert(name, Arc::downgrade(&board));
                break board;
            };
            let mut state = board.lock();
            let taken = state.member(rank).is_some();
            drop(state);
            if !taken {
                break board;
            }
            name.push(0);
        };
        let mut state = board.lock();
        let tail = Chunk::new(0);
        let mut arrived = Vec::new();
        for other in &mut state.members {
            arrived.push((other.rank, other.tail.clone()));
            other.arrived.push((rank, tail.clone()));
        }
        state.members.push(Member {
            rank,
            shared: Weak::new(),
            thread: thread::current().id(),
            step: Step::Coming,
            tail,
            arrived,
        });
        drop(state);
        board.members.fetch_add(1, Ordering::Relaxed);
        Self { board, rank }
    }

    /// Whom to end when another rank is lost.
    pub(super) fn is(&self, shared: &Arc<Shared>) {
        let mut state = self.board.lock();
        if let Some(member) = state.member(self.rank) {
            member.shared = Arc::downgrade(shared);
        }
    }

    /// Whether a rank is of this process.
    pub(super) fn has(&self, rank: usize) -> bool {
        let mut state = self.board.lock();
        state.member(rank).is_some()
    }

    /// The other ranks of this process.
    pub(super) fn others(&self) -> Vec<Arc<Shared>> {
        let state = self.board.lock();
        let others = state
            .members
            .iter()
            .filter(|member| member.rank != self.rank);
        others
            .filter_map(|member| member.shared.upgrade())
            .collect()
    }

    /// This rank has come so far.
    pub(super) fn step(&self, step: Step) {
        let mut state = self.board.lock();
        if let Some(member) = state.member(self.rank) {
            member.step = step;
        }
        self.board.further.notify_all();
    }

    /// Waits until the ranks that other threads of this process have made are so far, for a limited time.
    ///
    /// NCCL allocates and frees memory of all ranks of a process while it makes and ends a communicator, which waits for kernels
    /// on their devices. A rank that is ready earlier must not start a kernel yet that waits for the others, whose threads
    /// wait for it: on two GPUs, that hangs.
    pub(super) fn wait_for(&self, step: Step, limit: Duration) {
        let mine = thread::current().id();
        let state = self.board.lock();
        let behind = |state: &mut State| {
            state
                .members
                .iter()
                .any(|member| member.thread != mine && member.step < step)
        };
        // After the time limit it is the next call that finds out.
        let _ = self.board.further.wait_timeout_while(state, limit, behind);
    }

    /// Compares the rank's next call with those of the other ranks here. What differs is told.
    #[inline]
    pub(super) fn compare(&self, calls: &mut Calls, call: &Call) -> Option<String> {
        if calls.members != self.board.members.load(Ordering::Relaxed) {
            self.look_around(calls);
        }
        if !call.kind.is_collective() {
            return self.compare_pair(call);
        }
        let number = calls.number;
        calls.number += 1;
        if calls.others.is_empty() {
            return None;
        }
        let words = call.words();
        if let Some(begun) = lane::write(&mut calls.own, number, &words) {
            self.begin(begun);
        }
        let others = calls.others.iter_mut();
        let mut made = others.filter_map(|(rank, theirs)| {
            let theirs = lane::read(theirs, number)?;
            (theirs != words).then_some((*rank, theirs))
        });
        let (rank, theirs) = made.next()?;
        Some(differ(number, [(self.rank, &words), (rank, &theirs)]))
    }

    /// Who is here.
    #[cold]
    fn look_around(&self, calls: &mut Calls) {
        let mut state = self.board.lock();
        calls.members = self.board.members.load(Ordering::Relaxed);
        if let Some(own) = state.member(self.rank) {
            calls.others.append(&mut own.arrived);
            calls.own = own.tail.clone();
        }
        calls
            .others
            .retain(|(rank, _)| state.member(*rank).is_some());
    }

    /// Those who come later begin there.
    #[cold]
    fn begin(&self, chunk: Arc<Chunk>) {
        let mut state = self.board.lock();
        if let Some(own) = state.member(self.rank) {
            own.tail = chunk;
        }
    }

    fn compare_pair(&self, call: &Call) -> Option<String> {
        let mut state = self.board.lock();
        let other = call.root as usize;
        match call.kind {
            Kind::Send => state.pair([self.rank, other], self.rank, call),
            _ => state.pair([other, self.rank], self.rank, call),
        }
    }
}

/// What a rank knows of its calls and of where the others have theirs.
pub(super) struct Calls {
    /// How many collectives it has made.
    number: u64,
    own: Arc<Chunk>,
    others: Vec<(usize, Arc<Chunk>)>,
    /// [`Board::members`] when it last looked.
    members: u64,
}

impl Calls {
    pub(super) fn new() -> Self {
        Self {
            number: 0,
            own: Chunk::new(0),
            others: Vec::new(),
            // Nobody is there before the first has come.
            members: 0,
        }
    }
}

impl State {
    fn member(&mut self, rank: usize) -> Option<&mut Member> {
        self.members.iter_mut().find(|member| member.rank == rank)
    }

    fn pair(&mut self, pair: [usize; 2], rank: usize, call: &Call) -> Option<String> {
        let other = pair[usize::from(pair[0] == rank)];
        if !self.members.iter().any(|member| member.rank == other) {
            return None; // it is in another process
        }
        let bytes = call.bytes();
        let waiting = self.pairs.entry(pair).or_default();
        match waiting.front() {
            Some((kind, theirs)) if *kind != call.kind => {
                let theirs = *theirs;
                waiting.pop_front();
                let (sent, received) = match call.kind {
                    Kind::Send => (bytes, theirs),
                    _ => (theirs, bytes),
                };
                (sent != received).then(|| {
                    format!(
                        "rank {} sends {sent} bytes to rank {}, which receives {received} from it. The communicator was aborted",
                        pair[0], pair[1]
                    )
                })
            }
            _ => {
                waiting.push_back((call.kind, bytes));
                None
            }
        }
    }
}

#[cold]
fn differ(number: u64, ranks: [(usize, &Words); 2]) -> String {
    let [one, other] =
        ranks.map(|(rank, words)| format!("rank {rank} makes {}", Call::describe(words)));
    format!(
        "the ranks don't make the same call (collective number {}): {one}; {other}. The communicator was aborted",
        number + 1
    )
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut state = self.board.lock();
        if let Some(place) = state
            .members
            .iter()
            .position(|member| member.rank == self.rank)
        {
            state.members.swap_remove(place);
        }
        drop(state);
        self.board.members.fetch_add(1, Ordering::Relaxed);
        self.board.further.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::communicator::prepare::bytes;

    fn call(kind: Kind, len: usize, root: i32) -> Call {
        bytes::<u8>(kind, [0; 2], len, root)
    }

    #[test]
    fn ranks_of_a_process_make_the_same_calls() {
        let seats = [0, 1].map(|rank| Seat::take(b"same".to_vec(), rank));
        let mut calls = [Calls::new(), Calls::new()];
        for len in 1..5 {
            assert_eq!(
                seats[0].compare(&mut calls[0], &call(Kind::Broadcast, len, 0)),
                None
            );
        }
        for len in 1..4 {
            assert_eq!(
                seats[1].compare(&mut calls[1], &call(Kind::Broadcast, len, 0)),
                None
            );
        }
        let why = seats[1]
            .compare(&mut calls[1], &call(Kind::Broadcast, 5, 0))
            .unwrap();
        let text = "the ranks don't make the same call (collective number 4): rank 1 makes broadcast of 5 u8, root 0; rank 0 makes \
                    broadcast of 4 u8, root 0. The communicator was aborted";
        assert_eq!(why, text);
    }

    #[test]
    fn what_is_sent_is_received() {
        let seats = [0, 1].map(|rank| Seat::take(b"pairs".to_vec(), rank));
        let mut calls = [Calls::new(), Calls::new()];
        assert_eq!(
            seats[1].compare(&mut calls[1], &call(Kind::Receive, 7, 0)),
            None
        );
        assert_eq!(
            seats[1].compare(&mut calls[1], &call(Kind::Send, 9, 0)),
            None
        );
        assert_eq!(
            seats[0].compare(&mut calls[0], &call(Kind::Send, 7, 1)),
            None
        );
        assert_eq!(
            seats[0].compare(&mut calls[0], &call(Kind::Send, 8, 1)),
            None
        );
        let why = seats[1]
            .compare(&mut calls[1], &call(Kind::Receive, 6, 0))
            .unwrap();
        assert!(
            why.starts_with("rank 0 sends 8 bytes to rank 1, which receives 6 from it"),
            "{why}"
        );
        // Who is elsewhere is not known here.
        assert_eq!(
            seats[0].compare(&mut calls[0], &call(Kind::Send, 1, 2)),
            None
        );
        assert_eq!(calls.map(|calls| calls.number), [0, 0]);
    }

    #[test]
    fn ranks_wait_for_those_of_other_threads() {
        let mine = Seat::take(b"steps".to_vec(), 0);
        let same = Seat::take(b"steps".to_vec(), 1);
        mine.wait_for(Step::Ready, Duration::from_secs(600)); // of this thread: it would be for ever
        let other = thread::spawn(|| Seat::take(b"steps".to_vec(), 2))
            .join()
            .unwrap();
        let since = std::time::Instant::now();
        mine.wait_for(Step::Ready, Duration::from_millis(50));
        assert!(since.elapsed() >= Duration::from_millis(50));
        thread::scope(|scope| {
            scope.spawn(|| other.step(Step::Ready));
            mine.wait_for(Step::Ready, Duration::from_secs(600));
        });
        thread::scope(|scope| {
            scope.spawn(|| drop(other));
            mine.wait_for(Step::Gone, Duration::from_secs(600));
        });
        drop(same);
    }

    #[test]
    fn an_id_that_comes_again_has_another_board() {
        let first = [0, 1].map(|rank| Seat::take(b"again".to_vec(), rank));
        let second = [0, 1].map(|rank| Seat::take(b"again".to_vec(), rank));
        let mut calls = [0; 4].map(|_| Calls::new());
        let [a, b, c, d] = &mut calls;
        assert_eq!(first[0].compare(a, &call(Kind::AllGather, 1, 0)), None);
        assert_eq!(second[0].compare(b, &call(Kind::AllGather, 2, 0)), None);
        assert_eq!(second[1].compare(c, &call(Kind::AllGather, 2, 0)), None);
        assert_eq!(first[1].compare(d, &call(Kind::AllGather, 1, 0)), None);
    }

    #[test]
    fn communicators_have_boards_of_their_own_and_ranks_leave() {
        let one = Seat::take(b"one".to_vec(), 0);
        let two = Seat::take(b"two".to_vec(), 1);
        let mut calls = [Calls::new(), Calls::new()];
        assert_eq!(
            one.compare(&mut calls[0], &call(Kind::AllGather, 1, 0)),
            None
        );
        assert_eq!(
            two.compare(&mut calls[1], &call(Kind::AllGather, 2, 0)),
            None
        );
        let other = Seat::take(b"one".to_vec(), 1);
        drop(one);
        assert_eq!(
            other.compare(&mut calls[1], &call(Kind::AllGather, 9, 0)),
            None
        );
    }
    #[test]
    fn sends_and_receives_are_compared_in_order() {
        let seats = [0, 1].map(|rank| Seat::take(b"order".to_vec(), rank));
        let mut calls = [Calls::new(), Calls::new()];
        let mut compare = |rank: usize, kind, len| {
            let call = call(kind, len, 1 - rank as i32);
            seats[rank].compare(&mut calls[rank], &call)
        };
        // Several of one kind wait for the others.
        for len in [7, 8, 9] {
            assert_eq!(compare(0, Kind::Send, len), None);
        }
        for len in [7, 8] {
            assert_eq!(compare(1, Kind::Receive, len), None);
        }
        let text = |sent, received| {
            format!(
                "rank 0 sends {sent} bytes to rank 1, which receives {received} from it. The communicator was aborted"
            )
        };
        assert_eq!(compare(1, Kind::Receive, 1), Some(text(9, 1)));
        // The sender may be the later one.
        assert_eq!(compare(1, Kind::Receive, 6), None);
        assert_eq!(compare(0, Kind::Send, 8), Some(text(8, 6)));
    }

    #[test]
    fn partners_of_other_processes_are_not_remembered() {
        let zero = Seat::take(b"elsewhere".to_vec(), 0);
        let one = Seat::take(b"elsewhere".to_vec(), 1);
        let mut calls = [Calls::new(), Calls::new()];
        let send = |to| call(Kind::Send, 1, to);
        assert_eq!(zero.compare(&mut calls[0], &send(2)), None);
        assert!(zero.board.lock().pairs.is_empty());
        assert_eq!(zero.compare(&mut calls[0], &send(1)), None);
        assert_eq!(zero.board.lock().pairs.len(), 1);
        // Rank 2 is of this process after all, and receives something else.
        let two = Seat::take(b"elsewhere".to_vec(), 2);
        assert_eq!(two.compare(&mut calls[1], &call(Kind::Receive, 5, 0)), None);
        assert_eq!(
            [0, 1, 2, 3].map(|rank| one.has(rank)),
            [true, true, true, false]
        );
        drop(zero);
        assert!(!one.has(0));
    }

    #[test]
    fn boards_without_ranks_are_forgotten() {
        let known = |name: &[u8]| {
            let boards = BOARDS.lock().unwrap_or_else(PoisonError::into_inner);
            boards
                .as_ref()
                .is_some_and(|boards| boards.contains_key(name))
        };
        drop(Seat::take(b"forgotten".to_vec(), 0));
        let _other = Seat::take(b"remembered".to_vec(), 0);
        assert!(!known(b"forgotten") && known(b"remembered"));
    }

    #[test]
    fn calls_that_all_have_read_are_freed() {
        let seats = [0, 1].map(|rank| Seat::take(b"freed".to_vec(), rank));
        let mut calls = [Calls::new(), Calls::new()];
        let tail = |rank: usize| {
            let mut state = seats[rank].board.lock();
            Arc::downgrade(&state.member(rank).unwrap().tail)
        };
        let first = [tail(0), tail(1)];
        for _ in 0..1000 {
            for rank in 0..2 {
                let call = call(Kind::AllGather, 1, 0);
                assert_eq!(seats[rank].compare(&mut calls[rank], &call), None);
            }
        }
        assert!(first.iter().all(|chunk| chunk.upgrade().is_none()));
        // A rank that comes later begins with the next calls.
        let late = Seat::take(b"freed".to_vec(), 2);
        let mut of_late = Calls::new();
        assert_eq!(
            late.compare(&mut of_late, &call(Kind::AllGather, 1, 0)),
            None
        );
    }
}
