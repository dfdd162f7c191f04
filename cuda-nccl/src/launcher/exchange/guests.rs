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

#[cfg(test)]
mod tests {
    use std::{net::TcpListener, thread};

    use super::*;
    use crate::launcher::exchange::protocol::GREETING;

    /// Guests for one rank, and the client's end of the only connection.
    fn one_guest() -> (Guests, TcpStream, SocketAddr) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, from) = listener.accept().unwrap();
        let mut guests = Guests::new(1);
        guests.greet(stream, from).unwrap();
        (guests, client, from)
    }

    /// Listens until a guest is turned away or complete, or nothing has happened for a while.
    fn heard(guests: &mut Guests) -> Heard {
        for _ in 0..200 {
            let heard = guests.listen();
            if !heard.gone.is_empty() || !heard.complete.is_empty() {
                return heard;
            }
            thread::sleep(Duration::from_millis(1));
        }
        Heard::default()
    }

    #[test]
    fn a_guest_is_turned_away_when_the_hello_limit_is_over() {
        let (mut guests, _client, from) = one_guest();
        let Some(early) = Instant::now().checked_sub(HELLO_LIMIT - Duration::from_secs(5)) else {
            return; // the machine has just started
        };
        guests.waiting[0].since = early;
        assert!(guests.listen().gone.is_empty());
        assert_eq!(guests.waiting.len(), 1);
        let Some(late) = Instant::now().checked_sub(HELLO_LIMIT + Duration::from_millis(1)) else {
            return;
        };
        guests.waiting[0].since = late;
        let gone = guests.listen().gone;
        assert_eq!(gone, [(from, "did not say who it is".to_owned())]);
        assert!(guests.waiting.is_empty());
    }

    #[test]
    fn a_connection_that_fails_is_turned_away_with_the_reason() {
        let (mut guests, client, from) = one_guest();
        // Wait for the greeting. Closing the connection without reading it makes the system send a reset.
        while client.peek(&mut [0; GREETING]).unwrap() < GREETING {}
        drop(client);
        let gone = heard(&mut guests).gone;
        assert_eq!(gone.len(), 1);
        assert_eq!(gone[0].0, from);
        assert!(gone[0].1.starts_with("Connection reset"), "{gone:?}");
        assert!(guests.waiting.is_empty());
    }

    #[test]
    fn a_closed_connection_is_turned_away() {
        let (mut guests, mut client, from) = one_guest();
        client.read_exact(&mut [0; GREETING]).unwrap();
        drop(client);
        let gone = heard(&mut guests).gone;
        assert_eq!(
            gone,
            [(from, "went away without saying who it is".to_owned())]
        );
    }

    #[test]
    fn a_hello_is_complete_after_its_last_byte() {
        for first in [1, 2, HELLO / 2, HELLO - 1] {
            let (mut guests, mut client, from) = one_guest();
            let bytes: Vec<u8> = (0..HELLO as u8).collect();
            client.write_all(&bytes[..first]).unwrap();
            while guests.waiting[0].filled < first {
                let heard = guests.listen();
                assert!(heard.complete.is_empty() && heard.gone.is_empty());
            }
            assert!(!guests.listen().anything);
            client.write_all(&bytes[first..]).unwrap();
            let heard = heard(&mut guests);
            assert!(heard.anything);
            assert_eq!(heard.complete.len(), 1);
            assert_eq!(heard.complete[0].from, from);
            assert_eq!(heard.complete[0].hello[..], bytes);
            assert!(guests.waiting.is_empty());
        }
    }

    #[test]
    fn guests_that_make_room_are_described_by_how_far_they_came() {
        let (mut guests, _client, from) = one_guest();
        guests.room = 1;
        let gone = guests.make_room().gone;
        assert_eq!(
            gone,
            [(from, "said nothing while many others came".to_owned())]
        );
        let (mut guests, mut client, from) = one_guest();
        client.write_all(&[1, 2]).unwrap();
        while guests.waiting[0].filled == 0 {
            guests.listen();
        }
        guests.room = 1;
        let gone = guests.make_room().gone;
        let text = "did not say who it is while many others came";
        assert_eq!(gone, [(from, text.to_owned())]);
    }

    #[test]
    fn there_is_room_for_the_ranks_and_a_crowd() {
        assert_eq!(Guests::new(5).room, 5 + GUESTS);
        assert_eq!(Guests::new(usize::MAX).room, usize::MAX);
        let (mut guests, _client, _) = one_guest();
        assert!(!guests.is_full());
        guests.room = 2;
        assert!(!guests.is_full());
        guests.room = 1;
        assert!(guests.is_full());
    }
}
