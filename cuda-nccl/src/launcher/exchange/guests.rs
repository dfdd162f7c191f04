//! Clients of rank 0 that have not sent their hello yet.

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
        // The socket's buffer is empty, so it takes the whole greeting.
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
