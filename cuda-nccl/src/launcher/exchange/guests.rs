//! Clients of rank 0 that have not sent their hello yet.

use std::{
    collections::VecDeque,
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use super::{
    deadline::waits,
    protocol::{self, HELLO, Nonce},
};

/// How long a client may take to send its hello. Ranks send it as soon as they have read the
/// greeting.
pub(super) const HELLO_LIMIT: Duration = Duration::from_secs(10);
/// The number of clients that may be waiting for their hello, in addition to one per rank.
pub(super) const MAX_PENDING: usize = 64;

/// A client that has not sent its complete hello.
pub(super) struct PendingClient {
    pub(super) stream: TcpStream,
    pub(super) from: SocketAddr,
    pub(super) nonce: Nonce,
    pub(super) hello: [u8; HELLO],
    filled: usize,
    since: Instant,
}

/// All such clients, the oldest first.
pub(super) struct PendingClients {
    waiting: VecDeque<PendingClient>,
    room: usize,
}

/// The results of reading from the clients.
#[derive(Default)]
pub(super) struct Received {
    /// Whether any client sent data.
    pub(super) anything: bool,
    /// Clients whose hello is complete.
    pub(super) complete: Vec<PendingClient>,
    /// Clients that were rejected, with the reason.
    pub(super) rejected: Vec<(SocketAddr, String)>,
}

impl PendingClients {
    pub(super) fn new(ranks: usize) -> Self {
        Self {
            waiting: VecDeque::new(),
            room: ranks.saturating_add(MAX_PENDING),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() >= self.room
    }

    /// Sends the greeting to a client, and adds it.
    pub(super) fn greet(&mut self, stream: TcpStream, from: SocketAddr) -> io::Result<()> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        let nonce = protocol::nonce()?;
        // The socket's buffer is empty, so it accepts the whole greeting.
        (&stream).write_all(&protocol::greeting(&nonce))?;
        self.waiting.push_back(PendingClient {
            stream,
            from,
            nonce,
            hello: [0; HELLO],
            filled: 0,
            since: Instant::now(),
        });
        Ok(())
    }

    /// Reads the data that has arrived.
    pub(super) fn receive(&mut self) -> Received {
        let mut received = Received::default();
        for _ in 0..self.waiting.len() {
            let Some(client) = self.waiting.pop_front() else {
                break;
            };
            if let Some(client) = received.receive_from(client) {
                match client.since.elapsed() > HELLO_LIMIT {
                    true => received.reject(client, "did not send a hello in time"),
                    false => self.waiting.push_back(client),
                }
            }
        }
        received
    }

    /// Rejects the client that has been silent for the longest time, or the oldest if all have
    /// begun their hello. A rank that is rejected connects again.
    ///
    /// Reads only from clients that may be rejected. Reading from all clients for each new one
    /// would take too long if there are many.
    pub(super) fn make_room(&mut self) -> Received {
        let mut received = Received::default();
        while self.is_full() {
            let silent = self.waiting.iter().position(|client| client.filled == 0);
            let Some(client) = self.waiting.remove(silent.unwrap_or(0)) else {
                break;
            };
            let before = client.filled;
            match received.receive_from(client) {
                Some(client) if client.filled > before => self.waiting.push_back(client),
                Some(client) if before == 0 => {
                    received.reject(client, "sent nothing while many others connected");
                }
                Some(client) => {
                    received.reject(client, "sent no complete hello while many others connected");
                }
                None => {}
            }
        }
        received
    }
}

impl Received {
    /// Reads from a client. Returns the client if its hello is still incomplete.
    fn receive_from(&mut self, mut client: PendingClient) -> Option<PendingClient> {
        match client.stream.read(&mut client.hello[client.filled..]) {
            Ok(0) => self.reject(client, "disconnected without a hello"),
            Ok(read) => {
                self.anything = true;
                client.filled += read;
                if client.filled < HELLO {
                    return Some(client);
                }
                self.complete.push(client);
            }
            Err(error) if waits(&error) => return Some(client),
            Err(error) => self.reject(client, &error.to_string()),
        }
        None
    }

    fn reject(&mut self, client: PendingClient, why: &str) {
        self.rejected.push((client.from, why.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use std::{net::TcpListener, thread};

    use super::*;
    use crate::launcher::exchange::protocol::GREETING;

    /// Returns the pending clients of a group with one rank, and the client's end of the only
    /// connection.
    fn one_client() -> (PendingClients, TcpStream, SocketAddr) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, from) = listener.accept().unwrap();
        let mut clients = PendingClients::new(1);
        clients.greet(stream, from).unwrap();
        (clients, client, from)
    }

    /// Reads until a client is rejected or complete, or nothing has happened for a while.
    fn received(clients: &mut PendingClients) -> Received {
        for _ in 0..200 {
            let received = clients.receive();
            if !received.rejected.is_empty() || !received.complete.is_empty() {
                return received;
            }
            thread::sleep(Duration::from_millis(1));
        }
        Received::default()
    }

    #[test]
    fn a_client_is_rejected_after_the_hello_limit() {
        let (mut clients, _client, from) = one_client();
        let Some(early) = Instant::now().checked_sub(HELLO_LIMIT - Duration::from_secs(5)) else {
            return; // the machine has just started
        };
        clients.waiting[0].since = early;
        assert!(clients.receive().rejected.is_empty());
        assert_eq!(clients.waiting.len(), 1);
        let Some(late) = Instant::now().checked_sub(HELLO_LIMIT + Duration::from_millis(1)) else {
            return;
        };
        clients.waiting[0].since = late;
        let rejected = clients.receive().rejected;
        assert_eq!(
            rejected,
            [(from, "did not send a hello in time".to_owned())]
        );
        assert!(clients.waiting.is_empty());
    }

    #[test]
    fn a_failed_connection_is_rejected_with_the_reason() {
        let (mut clients, client, from) = one_client();
        // Wait for the greeting. Closing the connection without reading it makes the system send a
        // reset.
        while client.peek(&mut [0; GREETING]).unwrap() < GREETING {}
        drop(client);
        let rejected = received(&mut clients).rejected;
        assert_eq!(rejected.len(), 1);
        assert_eq!(rejected[0].0, from);
        assert!(
            rejected[0].1.starts_with("Connection reset"),
            "{rejected:?}"
        );
        assert!(clients.waiting.is_empty());
    }

    #[test]
    fn a_closed_connection_is_rejected() {
        let (mut clients, mut client, from) = one_client();
        client.read_exact(&mut [0; GREETING]).unwrap();
        drop(client);
        let rejected = received(&mut clients).rejected;
        assert_eq!(
            rejected,
            [(from, "disconnected without a hello".to_owned())]
        );
    }

    #[test]
    fn a_hello_is_complete_after_its_last_byte() {
        for first in [1, 2, HELLO / 2, HELLO - 1] {
            let (mut clients, mut client, from) = one_client();
            let bytes: Vec<u8> = (0..HELLO as u8).collect();
            client.write_all(&bytes[..first]).unwrap();
            while clients.waiting[0].filled < first {
                let received = clients.receive();
                assert!(received.complete.is_empty() && received.rejected.is_empty());
            }
            assert!(!clients.receive().anything);
            client.write_all(&bytes[first..]).unwrap();
            let received = received(&mut clients);
            assert!(received.anything);
            assert_eq!(received.complete.len(), 1);
            assert_eq!(received.complete[0].from, from);
            assert_eq!(received.complete[0].hello[..], bytes);
            assert!(clients.waiting.is_empty());
        }
    }

    #[test]
    fn rejected_clients_are_described_by_their_progress() {
        let (mut clients, _client, from) = one_client();
        clients.room = 1;
        let rejected = clients.make_room().rejected;
        assert_eq!(
            rejected,
            [(from, "sent nothing while many others connected".to_owned())]
        );
        let (mut clients, mut client, from) = one_client();
        client.write_all(&[1, 2]).unwrap();
        while clients.waiting[0].filled == 0 {
            clients.receive();
        }
        clients.room = 1;
        let rejected = clients.make_room().rejected;
        let text = "sent no complete hello while many others connected";
        assert_eq!(rejected, [(from, text.to_owned())]);
    }

    #[test]
    fn there_is_room_for_the_ranks_and_a_crowd() {
        assert_eq!(PendingClients::new(5).room, 5 + MAX_PENDING);
        assert_eq!(PendingClients::new(usize::MAX).room, usize::MAX);
        let (mut clients, _client, _) = one_client();
        assert!(!clients.is_full());
        clients.room = 2;
        assert!(!clients.is_full());
        clients.room = 1;
        assert!(clients.is_full());
    }
}
