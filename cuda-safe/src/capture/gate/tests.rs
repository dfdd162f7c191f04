//! Tests of calls and captures on several threads.

use std::{
    sync::{RwLock, mpsc},
    thread::{sleep, spawn},
    time::Duration,
};

use super::*;

/// Keeps tests with global captures alone, because a global capture waits for the calls of all
/// other threads.
static TURNS: RwLock<()> = RwLock::new(());

const BEGIN: Start = Start::Begin { global: false };
const GLOBAL: Start = Start::Begin { global: true };
const THIS_THREAD: Capturers = Capturers {
    this_thread: true,
    others: false,
};
const OTHERS: Capturers = Capturers {
    this_thread: false,
    others: true,
};

/// Returns a place in a context that only this test uses.
fn place(context: usize, queue: Queue) -> Place {
    Place { context, queue }
}

/// Returns whether `begin` on another thread succeeds while `held` is entered.
fn begins(held: Place, target: Place, blocking: bool) -> bool {
    let entered = enter(held, Length::Long);
    let (sender, receiver) = mpsc::channel();
    let beginner = spawn(move || {
        let beginning = begin(target, blocking, BEGIN).expect("another thread holds it");
        sender.send(()).unwrap();
        drop(beginning);
    });
    let through = receiver.recv_timeout(Duration::from_millis(100)).is_ok();
    drop(entered);
    beginner.join().unwrap();
    through
}

#[test]
fn capture_waits_for_users_of_its_stream() {
    let _turn = TURNS.read().unwrap_or_else(PoisonError::into_inner);
    let stream = place(1, Queue::Stream(7));
    assert!(!begins(stream, stream, false));
    assert!(!begins(place(1, Queue::All), stream, false));
    assert!(!begins(place(1, Queue::Legacy), stream, true));
}

#[test]
fn capture_ignores_users_of_other_streams() {
    let _turn = TURNS.read().unwrap_or_else(PoisonError::into_inner);
    let stream = place(2, Queue::Stream(7));
    assert!(begins(place(2, Queue::Stream(8)), stream, true));
    assert!(begins(place(3, Queue::Stream(7)), stream, true));
    assert!(begins(place(3, Queue::All), stream, true));
    assert!(begins(place(2, Queue::Legacy), stream, false));
    // The per-thread default stream is a different stream on every thread.
    let own = place(2, Queue::PerThread);
    assert!(begins(own, own, true));
}

#[test]
fn thread_cannot_capture_a_stream_that_it_uses() {
    let _turn = TURNS.read().unwrap_or_else(PoisonError::into_inner);
    let stream = place(4, Queue::Stream(7));
    let entered = enter(stream, Length::Long);
    assert!(begin(stream, false, BEGIN).is_none());
    assert!(begin(place(4, Queue::Stream(8)), false, BEGIN).is_some());
    drop(entered);
    assert!(begin(stream, false, BEGIN).is_some());
}

#[test]
fn users_wait_for_a_beginning_capture() {
    let _turn = TURNS.read().unwrap_or_else(PoisonError::into_inner);
    let stream = place(5, Queue::Stream(7));
    let beginning = begin(stream, false, BEGIN).unwrap();
    let user = spawn(move || {
        let _entered = enter(stream, Length::Long);
        let context = ptr::without_provenance_mut(5);
        (captures_exist(), capturers(context))
    });
    sleep(Duration::from_millis(50));
    let counted = beginning.count();
    drop(beginning);
    assert_eq!(user.join().unwrap(), (true, OTHERS));
    let context = ptr::without_provenance_mut(5);
    assert_eq!(capturers(context), THIS_THREAD);
    drop(counted);
    assert_eq!(capturers(context), Capturers::default());
}

#[test]
fn begins_and_ends_are_counted_by_context() {
    let _turn = TURNS.read().unwrap_or_else(PoisonError::into_inner);
    let [context, other] = [16, 17].map(ptr::without_provenance_mut);
    assert_eq!((changes(context), changes(other)), (0, 0));
    for number in [1, 3] {
        let counted = begin(place(16, Queue::Stream(7)), false, BEGIN)
            .unwrap()
            .count();
        assert_eq!((changes(context), changes(other)), (number, 0));
        drop(counted);
        assert_eq!((changes(context), changes(other)), (number + 1, 0));
    }
}

#[test]
fn per_thread_default_stream_is_a_separate_place() {
    let _turn = TURNS.read().unwrap_or_else(PoisonError::into_inner);
    let (own, stream) = (place(18, Queue::PerThread), place(18, Queue::Stream(7)));
    let entered = enter(own, Length::Long);
    assert!(begin(own, true, BEGIN).is_none());
    assert!(begin(stream, true, BEGIN).is_some());
    drop(entered);
    let entered = enter(stream, Length::Long);
    assert!(begin(own, true, BEGIN).is_some());
    drop(entered);
}

#[test]
fn thread_with_a_place_does_not_queue_behind_a_capture() {
    let _turn = TURNS.read().unwrap_or_else(PoisonError::into_inner);
    let (one, other) = (place(6, Queue::Stream(1)), place(6, Queue::Stream(2)));
    let held = enter(one, Length::Long);
    let beginner = spawn(move || drop(begin(one, false, BEGIN).unwrap()));
    while state().waiting.iter().all(|target| target.place != one) {
        sleep(Duration::from_millis(1));
    }
    // Both would wait forever if they queued: the capture waits for `held`.
    drop(enter(other, Length::Long));
    drop(enter(one, Length::Long));
    drop(held);
    beginner.join().unwrap();
}

#[test]
fn join_fails_if_a_user_waits_for_the_capture() {
    let _turn = TURNS.read().unwrap_or_else(PoisonError::into_inner);
    let (captured, joining) = (place(8, Queue::Stream(1)), place(8, Queue::Stream(2)));
    for joins_first in [true, false] {
        let counted = begin(captured, false, BEGIN).unwrap().count();
        let (sender, receiver) = mpsc::channel();
        let user = spawn(move || {
            let _entered = enter(joining, Length::Long);
            sender.send(()).unwrap();
            if joins_first {
                sleep(Duration::from_millis(5));
            }
            wait_for_change(ptr::without_provenance_mut(8));
        });
        receiver.recv().unwrap();
        if !joins_first {
            sleep(Duration::from_millis(5));
        }
        assert!(begin(joining, false, Start::Join).is_none());
        drop(counted);
        user.join().unwrap();
    }
}

#[test]
fn wait_for_change_ends_with_the_capture() {
    let _turn = TURNS.read().unwrap_or_else(PoisonError::into_inner);
    let context = ptr::without_provenance_mut(9);
    wait_for_change(context); // returns at once
    let (sender, receiver) = mpsc::channel();
    let capturing = spawn(move || {
        let counted = begin(place(9, Queue::Stream(7)), false, BEGIN)
            .unwrap()
            .count();
        sender.send(()).unwrap();
        sleep(Duration::from_millis(30));
        drop(counted);
    });
    receiver.recv().unwrap();
    while capturers(context) != Capturers::default() {
        wait_for_change(context);
    }
    capturing.join().unwrap();
    let waits = |one: &Patient| one.context == 9 && one.thread == this_thread();
    assert!(!state().patient.iter().any(waits));
}

/// Returns whether `begin` on another thread succeeds while `held` is entered.
fn starts(held: (Place, Length), target: Place, start: Start) -> bool {
    let entered = enter(held.0, held.1);
    let (sender, receiver) = mpsc::channel();
    let beginner = spawn(move || {
        drop(begin(target, true, start).expect("another thread holds it"));
        sender.send(()).unwrap();
    });
    let through = receiver.recv_timeout(Duration::from_millis(100)).is_ok();
    drop(entered);
    beginner.join().unwrap();
    through
}

/// Calls on other streams are affected too, but not those of the same thread.
#[test]
fn global_capture_waits_for_calls_of_other_threads() {
    let _alone = TURNS.write().unwrap_or_else(PoisonError::into_inner);
    let stream = place(10, Queue::Stream(7));
    assert!(!starts((Place::NONE, Length::Long), stream, GLOBAL));
    let elsewhere = place(11, Queue::Stream(8));
    assert!(!starts((elsewhere, Length::Short), stream, GLOBAL));
    assert!(starts((Place::NONE, Length::Long), stream, BEGIN));
    assert!(starts((elsewhere, Length::Scope), stream, GLOBAL));
    let _own = enter(Place::NONE, Length::Long);
    drop(begin(stream, true, GLOBAL).unwrap());
}

#[test]
fn join_fails_within_a_scope_of_the_stream() {
    let _turn = TURNS.read().unwrap_or_else(PoisonError::into_inner);
    let stream = place(12, Queue::Stream(7));
    let scope = enter(stream, Length::Scope);
    assert!(begin(stream, false, Start::Join).is_none());
    assert!(begin(place(12, Queue::Stream(8)), false, Start::Join).is_some());
    // A capture of this thread ends within the scope.
    assert!(begin(stream, false, BEGIN).is_some());
    // This thread can wait for a join by another thread, unless this thread captures a stream
    // itself.
    let joins = move || spawn(move || begin(stream, false, Start::Join).is_some());
    assert!(joins().join().unwrap());
    let counted = begin(place(12, Queue::Stream(9)), false, BEGIN)
        .unwrap()
        .count();
    assert!(!joins().join().unwrap());
    drop((counted, scope));
    assert!(begin(stream, false, Start::Join).is_some());
}

#[test]
fn one_of_two_deadlocked_captures_fails() {
    let _turn = TURNS.read().unwrap_or_else(PoisonError::into_inner);
    let (one, other) = (place(13, Queue::Stream(1)), place(13, Queue::Stream(2)));
    let held = enter(one, Length::Short);
    let (sender, receiver) = mpsc::channel();
    let beginner = spawn(move || {
        let _held = enter(other, Length::Short);
        sender.send(()).unwrap();
        begin(one, false, BEGIN).is_some()
    });
    receiver.recv().unwrap();
    let first = begin(other, false, BEGIN).is_some();
    drop(held);
    assert!(!(first && beginner.join().unwrap()), "one of them fails");
}

/// The capture waits for a long call. A short call does not wait for the capture, and a long one
/// does not wait forever.
#[test]
fn calls_queue_briefly_behind_a_waiting_capture() {
    let _turn = TURNS.read().unwrap_or_else(PoisonError::into_inner);
    let stream = place(14, Queue::Stream(1));
    let held = enter(stream, Length::Long);
    let beginner = spawn(move || drop(begin(stream, false, BEGIN).unwrap()));
    while state().waiting.iter().all(|target| target.place != stream) {
        sleep(Duration::from_millis(1));
    }
    for length in [Length::Short, Length::Long] {
        let start = Instant::now();
        spawn(move || drop(enter(stream, length))).join().unwrap();
        let waited = start.elapsed();
        assert_eq!(length == Length::Long, waited >= PATIENCE, "{waited:?}");
    }
    drop(held);
    beginner.join().unwrap();
}

#[test]
fn listener_inside_begin_does_not_wait() {
    let _turn = TURNS.read().unwrap_or_else(PoisonError::into_inner);
    let stream = place(15, Queue::Stream(1));
    let _beginning = begin(stream, false, BEGIN).unwrap();
    drop(enter(stream, Length::Short));
}
