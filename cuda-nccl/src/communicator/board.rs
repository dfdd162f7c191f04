//! Comparison of calls between the ranks of one process.
//!
//! NCCL writes the number of bytes that the sending rank passed, so ranks that disagree about a
//! length would write past the end of memory that belongs to safe code. Within one process such a
//! call is never enqueued. Each rank records its collectives in a [lane](super::lane) and compares
//! them with those of the other ranks. Sends and receives are compared here, under a lock. If calls
//! differ, the call is rejected and the communicators of all ranks in this process are aborted,
//! because another rank may have enqueued its call already.

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
    lane::{self, Chunk},
    shared::Shared,
};
use crate::record::{SAME_CALL, Words, compare, compare_transfers};

/// Groups by the key of their communicator: its unique id, and how it was derived.
type Groups = HashMap<Vec<u8>, Weak<LocalGroup>>;

static GROUPS: Mutex<Option<Groups>> = Mutex::new(None);

#[derive(Default)]
pub(super) struct LocalGroup {
    /// Changes whenever a rank joins or leaves.
    members: AtomicU64,
    state: Mutex<State>,
    /// Notified when a member reaches its next step.
    changed: Condvar,
}

impl LocalGroup {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
struct State {
    members: Vec<Member>,
    /// Sends without their receives and receives without their sends, by sender and receiver.
    pairs: HashMap<[usize; 2], VecDeque<(Kind, Words)>>,
}

struct Member {
    rank: usize,
    shared: Weak<Shared>,
    /// The thread that created the rank.
    thread: ThreadId,
    step: Step,
    /// The chunk that it currently writes its calls to.
    tail: Arc<Chunk>,
    /// Ranks that joined since this rank last took this list, each with the chunk where its calls
    /// begin.
    arrived: Vec<(usize, Arc<Chunk>)>,
}

/// Progress of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Starting,
    Ready,
    Ended,
}

/// A rank's membership in the group. Dropping it leaves the group.
pub(super) struct Membership {
    group: Arc<LocalGroup>,
    rank: usize,
}

impl Membership {
    /// Joins the group of the communicator with this key. If the rank is already a member of the
    /// group with this key, that group belongs to another communicator: with `NCCL_COMM_ID` all
    /// communicators have the same id.
    pub(super) fn join(mut name: Vec<u8>, rank: usize) -> Self {
        let mut groups = GROUPS.lock().unwrap_or_else(PoisonError::into_inner);
        let groups = groups.get_or_insert_default();
        groups.retain(|_, group| group.strong_count() > 0);
        let group = loop {
            let Some(group) = groups.get(&name).and_then(Weak::upgrade) else {
                let group = Arc::new(LocalGroup::default());
                groups.insert(name, Arc::downgrade(&group));
                break group;
            };
            let mut state = group.lock();
            let taken = state.member(rank).is_some();
            drop(state);
            if !taken {
                break group;
            }
            name.push(0);
        };
        let mut state = group.lock();
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
            step: Step::Starting,
            tail,
            arrived,
        });
        drop(state);
        group.members.fetch_add(1, Ordering::Relaxed);
        Self { group, rank }
    }

    /// Sets the state to end when another rank is lost.
    pub(super) fn set_shared(&self, shared: &Arc<Shared>) {
        let mut state = self.group.lock();
        if let Some(member) = state.member(self.rank) {
            member.shared = Arc::downgrade(shared);
        }
    }

    /// Returns whether a rank belongs to this process.
    pub(super) fn contains(&self, rank: usize) -> bool {
        let mut state = self.group.lock();
        state.member(rank).is_some()
    }

    /// Returns the other ranks of this process.
    pub(super) fn others(&self) -> Vec<Arc<Shared>> {
        let state = self.group.lock();
        let others = state
            .members
            .iter()
            .filter(|member| member.rank != self.rank);
        others
            .filter_map(|member| member.shared.upgrade())
            .collect()
    }

    /// Records that this rank has reached a step.
    pub(super) fn step(&self, step: Step) {
        let mut state = self.group.lock();
        if let Some(member) = state.member(self.rank) {
            member.step = step;
        }
        self.group.changed.notify_all();
    }

    /// Waits until the ranks created by other threads of this process have reached a step, with a
    /// time limit.
    ///
    /// NCCL allocates and frees memory of all ranks of a process while it creates and ends a
    /// communicator, and that waits for kernels on their devices. A rank that is ready earlier must
    /// not start a kernel that waits for the others yet, because their threads wait for that
    /// kernel. On two GPUs this hangs.
    pub(super) fn wait_for(&self, step: Step, limit: Duration) {
        let mine = thread::current().id();
        let state = self.group.lock();
        let behind = |state: &mut State| {
            state
                .members
                .iter()
                .any(|member| member.thread != mine && member.step < step)
        };
        // If the time limit is over, the next call reports it.
        let _ = self.group.changed.wait_timeout_while(state, limit, behind);
    }

    /// Compares the rank's next call with those of the other ranks in this process. Returns a
    /// message if they differ.
    #[inline]
    pub(super) fn compare(&self, calls: &mut Calls, call: &Call) -> Option<String> {
        if calls.members != self.group.members.load(Ordering::Relaxed) {
            self.refresh(calls);
        }
        if !call.kind.is_collective() {
            return self.compare_pair(call);
        }
        let number = calls.number;
        calls.number += 1;
        if calls.others.is_empty() {
            return None;
        }
        let record = call.record();
        let words = record.words();
        if let Some(begun) = lane::write(&mut calls.own, number, &words) {
            self.begin(begun);
        }
        let others = calls.others.iter_mut();
        let mut made = others.filter_map(|(rank, theirs)| {
            let theirs = lane::read(theirs, number)?;
            (theirs != words).then_some((*rank, theirs))
        });
        let (rank, theirs) = made.next()?;
        let ranks = [(self.rank, &words[..]), (rank, &theirs[..])];
        let note = format_args!("collective number {}", number + 1);
        aborted(compare(&record.facts(), ranks.into_iter(), note, SAME_CALL))
    }

    /// Updates the list of ranks in this process.
    #[cold]
    fn refresh(&self, calls: &mut Calls) {
        let mut state = self.group.lock();
        calls.members = self.group.members.load(Ordering::Relaxed);
        if let Some(own) = state.member(self.rank) {
            calls.others.append(&mut own.arrived);
            calls.own = own.tail.clone();
        }
        calls
            .others
            .retain(|(rank, _)| state.member(*rank).is_some());
    }

    /// Sets the chunk where ranks that join later begin to read.
    #[cold]
    fn begin(&self, chunk: Arc<Chunk>) {
        let mut state = self.group.lock();
        if let Some(own) = state.member(self.rank) {
            own.tail = chunk;
        }
    }

    fn compare_pair(&self, call: &Call) -> Option<String> {
        let mut state = self.group.lock();
        let other = call.root as usize;
        match call.kind {
            Kind::Send => state.pair([self.rank, other], self.rank, call),
            _ => state.pair([other, self.rank], self.rank, call),
        }
    }
}

/// A rank's own call records, and its read positions in those of the others.
pub(super) struct Calls {
    /// The number of collectives that it has made.
    number: u64,
    own: Arc<Chunk>,
    others: Vec<(usize, Arc<Chunk>)>,
    /// [`LocalGroup::members`] at the last refresh.
    members: u64,
}

impl Calls {
    pub(super) fn new() -> Self {
        Self {
            number: 0,
            own: Chunk::new(0),
            others: Vec::new(),
            // 0 means that no rank has joined yet.
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
        let words = call.record().words();
        let waiting = self.pairs.entry(pair).or_default();
        match waiting.front() {
            Some((kind, theirs)) if *kind != call.kind => {
                let theirs = *theirs;
                waiting.pop_front();
                let (sent, received) = match call.kind {
                    Kind::Send => (words, theirs),
                    _ => (theirs, words),
                };
                aborted(compare_transfers(pair, &sent, &received, format_args!("")))
            }
            _ => {
                waiting.push_back((call.kind, words));
                None
            }
        }
    }
}

/// Returns the error message of a failed comparison, with a note that the communicator was aborted.
fn aborted(compared: Result<(), String>) -> Option<String> {
    let why = compared.err()?;
    Some(format!("{why}. The communicator was aborted"))
}

impl Drop for Membership {
    fn drop(&mut self) {
        let mut state = self.group.lock();
        if let Some(place) = state
            .members
            .iter()
            .position(|member| member.rank == self.rank)
        {
            state.members.swap_remove(place);
        }
        drop(state);
        self.group.members.fetch_add(1, Ordering::Relaxed);
        self.group.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::communicator::call::bytes;

    fn call(kind: Kind, len: usize, root: i32) -> Call {
        bytes::<u8>(kind, [0; 2], len, root)
    }

    /// The beginning of the message about a send of rank 0 to rank 1.
    fn differ(sent: usize, received: usize) -> String {
        format!(
            "the length is {received} on rank 1 and {sent} on rank 0 (transfer, sent by rank 0, received by rank 1). Fix: "
        )
    }

    #[test]
    fn different_calls_of_one_process_are_rejected() {
        let members = [0, 1].map(|rank| Membership::join(b"same".to_vec(), rank));
        let mut calls = [Calls::new(), Calls::new()];
        for len in 1..5 {
            assert_eq!(
                members[0].compare(&mut calls[0], &call(Kind::Broadcast, len, 0)),
                None
            );
        }
        for len in 1..4 {
            assert_eq!(
                members[1].compare(&mut calls[1], &call(Kind::Broadcast, len, 0)),
                None
            );
        }
        let why = members[1]
            .compare(&mut calls[1], &call(Kind::Broadcast, 5, 0))
            .unwrap();
        let start =
            "the length is 5 on rank 1 and 4 on rank 0 (broadcast, collective number 4). Fix: ";
        let end = ". The communicator was aborted";
        assert_eq!(why, start.to_owned() + SAME_CALL + end);
    }

    #[test]
    fn sends_must_match_receives() {
        let members = [0, 1].map(|rank| Membership::join(b"pairs".to_vec(), rank));
        let mut calls = [Calls::new(), Calls::new()];
        assert_eq!(
            members[1].compare(&mut calls[1], &call(Kind::Receive, 7, 0)),
            None
        );
        assert_eq!(
            members[1].compare(&mut calls[1], &call(Kind::Send, 9, 0)),
            None
        );
        assert_eq!(
            members[0].compare(&mut calls[0], &call(Kind::Send, 7, 1)),
            None
        );
        assert_eq!(
            members[0].compare(&mut calls[0], &call(Kind::Send, 8, 1)),
            None
        );
        let why = members[1]
            .compare(&mut calls[1], &call(Kind::Receive, 6, 0))
            .unwrap();
        assert!(why.starts_with(&differ(8, 6)), "{why}");
        // A rank of another process is unknown here.
        assert_eq!(
            members[0].compare(&mut calls[0], &call(Kind::Send, 1, 2)),
            None
        );
        assert_eq!(calls.map(|calls| calls.number), [0, 0]);
    }

    #[test]
    fn ranks_wait_only_for_ranks_of_other_threads() {
        let mine = Membership::join(b"steps".to_vec(), 0);
        let same = Membership::join(b"steps".to_vec(), 1);
        mine.wait_for(Step::Ready, Duration::from_secs(600)); // ranks of this thread are not waited for
        let other = thread::spawn(|| Membership::join(b"steps".to_vec(), 2))
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
            mine.wait_for(Step::Ended, Duration::from_secs(600));
        });
        drop(same);
    }

    #[test]
    fn a_reused_id_gets_a_new_group() {
        let first = [0, 1].map(|rank| Membership::join(b"again".to_vec(), rank));
        let second = [0, 1].map(|rank| Membership::join(b"again".to_vec(), rank));
        let mut calls = [0; 4].map(|_| Calls::new());
        let [a, b, c, d] = &mut calls;
        assert_eq!(first[0].compare(a, &call(Kind::AllGather, 1, 0)), None);
        assert_eq!(second[0].compare(b, &call(Kind::AllGather, 2, 0)), None);
        assert_eq!(second[1].compare(c, &call(Kind::AllGather, 2, 0)), None);
        assert_eq!(first[1].compare(d, &call(Kind::AllGather, 1, 0)), None);
    }

    #[test]
    fn communicators_have_separate_groups_and_ranks_leave() {
        let one = Membership::join(b"one".to_vec(), 0);
        let two = Membership::join(b"two".to_vec(), 1);
        let mut calls = [Calls::new(), Calls::new()];
        assert_eq!(
            one.compare(&mut calls[0], &call(Kind::AllGather, 1, 0)),
            None
        );
        assert_eq!(
            two.compare(&mut calls[1], &call(Kind::AllGather, 2, 0)),
            None
        );
        let other = Membership::join(b"one".to_vec(), 1);
        drop(one);
        assert_eq!(
            other.compare(&mut calls[1], &call(Kind::AllGather, 9, 0)),
            None
        );
    }
    #[test]
    fn sends_and_receives_are_compared_in_order() {
        let members = [0, 1].map(|rank| Membership::join(b"order".to_vec(), rank));
        let mut calls = [Calls::new(), Calls::new()];
        let mut compare = |rank: usize, kind, len| {
            let call = call(kind, len, 1 - rank as i32);
            members[rank].compare(&mut calls[rank], &call)
        };
        // Several of one kind wait for the others.
        for len in [7, 8, 9] {
            assert_eq!(compare(0, Kind::Send, len), None);
        }
        for len in [7, 8] {
            assert_eq!(compare(1, Kind::Receive, len), None);
        }
        let why = compare(1, Kind::Receive, 1).unwrap();
        assert!(why.starts_with(&differ(9, 1)), "{why}");
        // The sender may be the later one.
        assert_eq!(compare(1, Kind::Receive, 6), None);
        let why = compare(0, Kind::Send, 8).unwrap();
        assert!(why.starts_with(&differ(8, 6)), "{why}");
    }

    #[test]
    fn partners_of_other_processes_are_not_remembered() {
        let zero = Membership::join(b"elsewhere".to_vec(), 0);
        let one = Membership::join(b"elsewhere".to_vec(), 1);
        let mut calls = [Calls::new(), Calls::new()];
        let send = |to| call(Kind::Send, 1, to);
        assert_eq!(zero.compare(&mut calls[0], &send(2)), None);
        assert!(zero.group.lock().pairs.is_empty());
        assert_eq!(zero.compare(&mut calls[0], &send(1)), None);
        assert_eq!(zero.group.lock().pairs.len(), 1);
        // Rank 2 is of this process after all, and receives something else.
        let two = Membership::join(b"elsewhere".to_vec(), 2);
        assert_eq!(two.compare(&mut calls[1], &call(Kind::Receive, 5, 0)), None);
        assert_eq!(
            [0, 1, 2, 3].map(|rank| one.contains(rank)),
            [true, true, true, false]
        );
        drop(zero);
        assert!(!one.contains(0));
    }

    #[test]
    fn groups_without_ranks_are_forgotten() {
        let known = |name: &[u8]| {
            let groups = GROUPS.lock().unwrap_or_else(PoisonError::into_inner);
            groups
                .as_ref()
                .is_some_and(|groups| groups.contains_key(name))
        };
        drop(Membership::join(b"forgotten".to_vec(), 0));
        let _other = Membership::join(b"remembered".to_vec(), 0);
        assert!(!known(b"forgotten") && known(b"remembered"));
    }

    #[test]
    fn calls_that_all_have_read_are_freed() {
        let members = [0, 1].map(|rank| Membership::join(b"freed".to_vec(), rank));
        let mut calls = [Calls::new(), Calls::new()];
        let tail = |rank: usize| {
            let mut state = members[rank].group.lock();
            Arc::downgrade(&state.member(rank).unwrap().tail)
        };
        let first = [tail(0), tail(1)];
        for _ in 0..1000 {
            for rank in 0..2 {
                let call = call(Kind::AllGather, 1, 0);
                assert_eq!(members[rank].compare(&mut calls[rank], &call), None);
            }
        }
        assert!(first.iter().all(|chunk| chunk.upgrade().is_none()));
        // A rank that comes later begins with the next calls.
        let late = Membership::join(b"freed".to_vec(), 2);
        let mut of_late = Calls::new();
        assert_eq!(
            late.compare(&mut of_late, &call(Kind::AllGather, 1, 0)),
            None
        );
    }
}
