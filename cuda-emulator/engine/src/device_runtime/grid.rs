//! A running grid's part of the device runtime: its streams and events, and the commands that wait
//! for its end.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

use super::copies::Rows;
use super::errors::Error;
use super::tree::Tree;
use crate::boundary::Shape;
use crate::lock::Unpoisoned;
use crate::state::frame::Buffer;

/// Size of the chunks that parameter buffers are allocated from, in bytes.
const CHUNK: usize = 64 << 10;

/// The thread that enqueued a command, and the instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub block: [u32; 3],
    /// The thread's number in its block.
    pub thread: u32,
    pub pc: u32,
}

/// A stream as named by commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// The default stream of a block.
    Block(u64),
    /// The default stream of a thread.
    Thread(u64),
    Named(u64),
    /// After the grid and all its other commands.
    Tail,
    /// Unordered.
    Free,
}

/// A child launch: a kernel of the program, by index, and the shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child {
    pub kernel: usize,
    pub shape: Shape,
}

/// The work of a command.
pub(super) enum Work {
    Launch(Child, Vec<u8>),
    Copy { to: Rows, from: Rows },
    Clear { to: Rows },
}

/// A command that a grid has enqueued.
pub(super) struct Command {
    pub work: Work,
    pub tail: bool,
    /// Commands of the same grid that must run before it.
    pub after: Vec<usize>,
    pub origin: Origin,
}

/// The dependencies of a stream's next command.
#[derive(Default)]
struct Stream {
    after: Vec<usize>,
}

#[derive(Default)]
struct State {
    commands: Vec<Command>,
    streams: HashMap<Key, Stream>,
    named: HashSet<u64>,
    /// The commands that each event depends on.
    events: HashMap<u64, Vec<usize>>,
    /// The last error of each thread that has one.
    errors: HashMap<u64, Error>,
    /// Parameter buffers, by address: the launch they were allocated for, and their size.
    buffers: HashMap<u64, (Option<Child>, usize)>,
    chunks: Vec<Buffer>,
    /// Bytes used in the last chunk.
    used: usize,
}

/// A running grid.
pub(crate) struct Grid<'t> {
    pub(super) tree: &'t Tree<'t>,
    /// 1 for a grid launched by the host.
    pub(super) depth: u32,
    state: Mutex<State>,
}

impl<'t> Grid<'t> {
    pub(super) fn new(tree: &'t Tree<'t>, depth: u32) -> Grid<'t> {
        Grid {
            tree,
            depth,
            state: Mutex::default(),
        }
    }

    /// Returns the commands, once the grid has ended.
    pub(super) fn take(&self) -> Vec<Command> {
        let mut state = self.state.lock().unpoisoned();
        // Buffers that were allocated and never launched.
        for _ in state.buffers.drain() {
            self.tree.release();
        }
        for _ in state.events.drain() {
            self.tree.release_event();
        }
        std::mem::take(&mut state.commands)
    }

    /// Allocates memory for parameters, as a kernel sees it. It counts as a pending launch.
    pub(super) fn buffer(
        &self,
        child: Option<Child>,
        size: usize,
        align: usize,
    ) -> Result<u64, Error> {
        self.tree.reserve()?;
        let mut state = self.state.lock().unpoisoned();
        let align = align.max(64);
        let fits = |state: &State| {
            let last = state.chunks.last()?;
            let at = state.used.checked_next_multiple_of(align)?;
            (at.checked_add(size)? <= last.size()).then_some((last.ptr() as u64, at))
        };
        let (base, at) = match fits(&state) {
            Some(place) => place,
            None => {
                let chunk = Buffer::new(size.max(CHUNK));
                let base = chunk.ptr() as u64;
                self.tree.add_memory(base, chunk.size() as u64);
                state.chunks.push(chunk);
                (base, 0)
            }
        };
        state.used = at + size;
        // Empty buffers need distinct addresses, too.
        state.used += usize::from(size == 0);
        let address = base + at as u64;
        state.buffers.insert(address, (child, size));
        Ok(address)
    }

    /// Consumes a parameter buffer for a launch. Returns None if the address is not a buffer.
    pub(super) fn claim(&self, address: u64) -> Option<(Option<Child>, usize)> {
        self.state.lock().unpoisoned().buffers.remove(&address)
    }

    /// Enqueues work whose place is already reserved.
    pub(super) fn enqueue(&self, key: Key, work: Work, origin: Origin) {
        let mut state = self.state.lock().unpoisoned();
        let number = state.commands.len();
        let after = match key {
            Key::Free => Vec::new(),
            _ => {
                let stream = state.streams.entry(key).or_default();
                std::mem::replace(&mut stream.after, vec![number])
            }
        };
        state.commands.push(Command {
            work,
            tail: key == Key::Tail,
            after,
            origin,
        });
    }

    pub(super) fn create_stream(&self) -> u64 {
        let handle = self.tree.handle();
        self.state.lock().unpoisoned().named.insert(handle);
        handle
    }

    /// Destroys a stream. Its work remains. Returns whether the stream existed.
    pub(super) fn destroy_stream(&self, handle: u64) -> bool {
        self.state.lock().unpoisoned().named.remove(&handle)
    }

    pub(super) fn has_stream(&self, handle: u64) -> bool {
        self.state.lock().unpoisoned().named.contains(&handle)
    }

    pub(super) fn create_event(&self) -> Result<u64, Error> {
        self.tree.reserve_event()?;
        let handle = self.tree.handle();
        self.state
            .lock()
            .unpoisoned()
            .events
            .insert(handle, Vec::new());
        Ok(handle)
    }

    /// Destroys an event. Returns whether it existed.
    pub(super) fn destroy_event(&self, handle: u64) -> bool {
        let found = self.state.lock().unpoisoned().events.remove(&handle);
        if found.is_some() {
            self.tree.release_event();
        }
        found.is_some()
    }

    /// Records the stream's current work in an event. Returns false if the event does not exist.
    pub(super) fn record(&self, event: u64, key: Key) -> bool {
        let mut state = self.state.lock().unpoisoned();
        let before = state
            .streams
            .get(&key)
            .map_or_else(Vec::new, |s| s.after.clone());
        match state.events.get_mut(&event) {
            Some(event) => *event = before,
            None => return false,
        }
        true
    }

    /// Makes the stream's next command depend on an event. Returns false if the event does not
    /// exist.
    pub(super) fn wait(&self, key: Key, event: u64) -> bool {
        let mut state = self.state.lock().unpoisoned();
        let Some(before) = state.events.get(&event).cloned() else {
            return false;
        };
        let stream = state.streams.entry(key).or_default();
        for command in before {
            if !stream.after.contains(&command) {
                stream.after.push(command);
            }
        }
        true
    }

    /// Returns a thread's last error.
    pub(super) fn error(&self, thread: u64) -> u32 {
        let state = self.state.lock().unpoisoned();
        state.errors.get(&thread).map_or(0, |&error| error as u32)
    }

    pub(super) fn set_error(&self, thread: u64, error: Option<Error>) {
        let mut state = self.state.lock().unpoisoned();
        match error {
            Some(error) => state.errors.insert(thread, error),
            None => state.errors.remove(&thread),
        };
    }
}

impl Drop for Grid<'_> {
    fn drop(&mut self) {
        for chunk in &self.state.get_mut().unpoisoned().chunks {
            self.tree.remove_memory(chunk.ptr() as u64);
        }
    }
}
