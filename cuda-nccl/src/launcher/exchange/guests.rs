//! Clients of rank 0 that have not yet said who they are.

use std::{
    collections::VecDeque,
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use super::{
    protocol::{self, HELLO, Nonce},
    waits,
};

/// How long a client may take for its hello, which it sends as soon as it has read the greeting.
pub(super) const HELLO_LIMIT: Duration = Duration::from_secs(10);
/// How many clients may be between connection and hello, beside as many as there are ranks.
pub(super) const GUESTS: usize = 64;

/// A client that has not said who it is.
pub(super) struct Guest {
    pub(super) stream: TcpStream,
    pub(super) from: SocketAddr,
    pub(super) nonce: Nonce,
    pub(super) hello: [u8; HELLO],
    filled: usize,
    since: Instant,
}

/// All of them, the oldest first.
pub(super) struct Guests {
    waiting: VecDeque<Guest>,
    room: usize,
}

/// What was read from the guests.
#[derive(Default)]
pub(super) struct Heard {
    /// Whether anybody sent anything.
    pub(super) anything: bool,
    /// The guests whose hello is complete.
    pub(super) complete: Vec<Guest>,
    /// The guests that are turned away, with the reason.
    pub(super) gone: Vec<(SocketAddr, String)>,
}

impl Guests {
    pub(super) fn new(ranks: usize) -> Self {
        Self {
            waiting: VecDeque::new(),
            room: ranks.saturating_add(GUESTS),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() >= self.room
    }

    /// Greets a client, and adds it.
    pub(super) fn greet(&mut self, stream: TcpStream, from: SocketAddr) -> io::Result<()> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        let nonce = protocol::nonce()?;
        // The socket's buffer is empty: it takes all of it.
        (&stream).write_all(&protocol::greeting(&nonce))?;
        self.waiting.push_back(Guest {
            stream,
            from,
            nonce,
            hello: [0; HELLO],
            filled: 0,
            since: Instant::now(),
        });
        Ok(())
    }

    /// Reads what has arrived.
    pub(super) fn listen(&mut self) -> Heard {
        let mut heard = Heard::default();
        for _ in 0..self.waiting.len() {
            let Some(guest) = self.waiting.pop_front() else {
                break;
            };
            if let Some(guest) = heard.listen_to(guest) {
                match guest.since.elapsed() > HELLO_LIMIT {
                    true => heard.turn_away(guest, "did not say who it is"),
                    false => self.waiting.push_back(guest),
                }
            }
        }
        heard
    }

    /// Turns away the guest that has been silent for longest, or the oldest if all have begun their hello. A rank that is
    /// turned away comes again.
    ///
    /// Only guests that may have to go are read from: reading from all of them for each client that comes would take too long
    /// in a crowd.
    pub(super) fn make_room(&mut self) -> Heard {
        let mut heard = Heard::default();
        while self.is_full() {
            let silent = self.waiting.iter().position(|guest| guest.filled == 0);
            let Some(guest) = self.waiting.remove(silent.unwrap_or(0)) else {
                break;
            };
            let before = guest.filled;
            match heard.listen_to(guest) {
                Some(guest) if guest.filled > before => self.waiting.push_back(guest),
                Some(guest) if before == 0 => {
                    heard.turn_away(guest, "said nothing while many others came");
                }
                Some(guest) => {
                    heard.turn_away(guest, "did not say who it is while many others came");
                }
                None => {}
            }
        }
        heard
    }
}

impl Heard {
    /// Reads from a guest. Returns the guest if the rest of its hello is still to come.
    fn listen_to(&mut self, mut guest: Guest) -> Option<Guest> {
        match guest.stream.read(&mut guest.hello[guest.filled..]) {
            Ok(0) => self.turn_away(guest, "went away without saying who it is"),
            Ok(read) => {
                self.anything = true;
                guest.filled += read;
                if guest.filled < HELLO {
                    return Some(guest);
                }
                self.complete.push(guest);
            }
            Err(error) if waits(&error) => return Some(guest),
            Err(error) => self.turn_away(guest, &error.to_string()),
        }
        None
    }

    fn turn_away(&mut self, guest: Guest, why: &str) {
        self.gone.push((guest.from, why.to_owned()));
    }
}
