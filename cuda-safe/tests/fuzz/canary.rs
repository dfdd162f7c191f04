//! Detects closures of host functions that are dropped while they run, or run after they were dropped.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Duration,
};

use super::thread::fail;

const ALIVE: u64 = 0xa11f_e0a1_1fe0_a11f;
const GONE: u64 = 0xdead_0dea_d0de_ad0d;

/// A value that a closure owns. The closure calls [`run`](Self::run).
pub struct Canary(Box<State>);

struct State {
    mark: AtomicU64,
    running: AtomicBool,
}

impl Canary {
    pub fn new() -> Self {
        Self(Box::new(State {
            mark: AtomicU64::new(ALIVE),
            running: AtomicBool::new(false),
        }))
    }

    pub fn run(&self, microseconds: u64) {
        self.expect_alive("begins");
        if self.0.running.swap(true, Ordering::SeqCst) {
            fail("a host function runs twice at the same time");
        }
        thread::sleep(Duration::from_micros(microseconds));
        self.expect_alive("ends");
        self.0.running.store(false, Ordering::SeqCst);
    }

    fn expect_alive(&self, when: &str) {
        let mark = self.0.mark.load(Ordering::SeqCst);
        if mark != ALIVE {
            fail(format!(
                "the closure of a host function is gone when it {when} ({mark:#x})"
            ));
        }
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        if self.0.running.load(Ordering::SeqCst) {
            fail("the closure of a host function is dropped while it runs");
        }
        self.0.mark.store(GONE, Ordering::SeqCst);
    }
}
