//! Rank 0: listens until all other ranks have arrived, and sends them the bytes.
//!
//! It uses one thread and non-blocking sockets, so slow or unrelated clients delay no rank.

use std::{
    collections::BTreeMap,
    io::Write,
    net::{SocketAddr, TcpListener, TcpStream},
    thread,
    time::{Duration, Instant},
};

use super::{
    deadline::{Deadline, waits},
    guests::{HELLO_LIMIT, MAX_PENDING, PendingClient, PendingClients, Received},
    protocol::{self, BYTES, FAILED, Hello, LONGEST, Pair, WELCOME},
};
use crate::{
    error::{Error, Result},
    launcher::{address::Address, secret::Secret},
    notice::{self, rounded},
    record::{Fact, LISTED, compare, list},
};

/// The interval between checks of the sockets.
const PAUSE: Duration = Duration::from_millis(1);
/// The maximum number of rejected clients that an error lists.
const NOTES: usize = 4;

/// A rank that has proved its knowledge of the secret.
pub(super) struct Member {
    stream: TcpStream,
    from: SocketAddr,
    pair: Pair,
}

pub(super) struct Server<'a> {
    address: &'a Address,
    secret: &'a Secret,
    size: usize,
    pending: PendingClients,
    pub(super) members: BTreeMap<u32, Member>,
    /// Rejected clients and the reasons. Missing ranks may be among them.
    notes: Vec<String>,
    rejected: usize,
}

pub(super) fn serve(
    listener: &TcpListener,
    address: &Address,
    secret: &Secret,
    size: usize,
    bytes: &[u8],
    deadline: Deadline,
) -> Result<()> {
    let mut server = Server::new(address, secret, size);
    let outcome = server
        .gather(listener, deadline)
        .and_then(|()| server.send_bytes(bytes, deadline));
    if let Err(error) = &outcome {
        server.report(&error.to_string());
    }
    outcome
}

/// Reports the reason of a failed start to all ranks that connect before the deadline.
pub(super) fn report_failure(
    listener: &TcpListener,
    address: &Address,
    secret: &Secret,
    size: usize,
    why: &Error,
    deadline: Deadline,
) {
    let mut server = Server::new(address, secret, size);
    // The reason is already known, and is reported to the ranks that are connected.
    let _ = server.gather(listener, deadline);
    server.report(&why.to_string());
}

impl<'a> Server<'a> {
    pub(super) fn new(address: &'a Address, secret: &'a Secret, size: usize) -> Self {
        Self {
            address,
            secret,
            size,
            pending: PendingClients::new(size),
            members: BTreeMap::new(),
            notes: Vec::new(),
            rejected: 0,
        }
    }

    /// Waits until all ranks have arrived.
    fn gather(&mut self, listener: &TcpListener, deadline: Deadline) -> Result<()> {
        let failed = |what: &str, error: std::io::Error| {
            Error::Start(format!("rank 0 cannot {what} at {}: {error}", self.address))
        };
        listener
            .set_nonblocking(true)
            .map_err(|error| failed("listen", error))?;
        let mut notice = notice::due(deadline.limit);
        while self.members.len() + 1 < self.size {
            let Some(left) = deadline.left() else {
                return Err(self.late_error(deadline));
            };
            if let Some(due) = notice.take_if(|due| deadline.limit - left > *due) {
                notice::print(&self.late(due, deadline.limit));
            }
            let mut moved = false;
            // Accept a limited number at a time, so that many new clients do not delay the others.
            for _ in 0..MAX_PENDING {
                // An error means that no client is waiting, that one has disconnected again, or
                // that there are no file descriptors left. Others may still connect.
                let Ok((stream, from)) = listener.accept() else {
                    break;
                };
                moved = true;
                self.greet(stream, from)?;
            }
            moved |= self.receive_hellos()?;
            self.check_members()?;
            if !moved {
                thread::sleep(PAUSE);
            }
        }
        Ok(())
    }

    pub(super) fn greet(&mut self, stream: TcpStream, from: SocketAddr) -> Result<()> {
        if self.pending.is_full() {
            let received = self.pending.make_room();
            self.handle(received)?;
        }
        // A client that cannot be greeted has disconnected.
        let _ = self.pending.greet(stream, from);
        Ok(())
    }

    fn receive_hellos(&mut self) -> Result<bool> {
        let received = self.pending.receive();
        let anything = received.anything;
        self.handle(received)?;
        Ok(anything)
    }

    fn handle(&mut self, received: Received) -> Result<()> {
        let Received {
            complete, rejected, ..
        } = received;
        for (from, why) in rejected {
            self.note(from, &why);
        }
        complete
            .into_iter()
            .try_for_each(|client| self.admit(client))
    }

    /// Checks a hello. Only a client that knows the secret can make the group fail.
    fn admit(&mut self, client: PendingClient) -> Result<()> {
        let Some((hello, proven)) = Hello::read(&client.hello, self.secret, &client.nonce) else {
            self.note(client.from, "does not speak this protocol");
            return Ok(());
        };
        if !proven {
            let _ = (&client.stream).write_all(&protocol::rejection());
            self.note(
                client.from,
                &format!("claims to be rank {}, with another secret", hello.rank),
            );
            return Ok(());
        }
        let (rank, size) = (hello.rank, hello.size);
        let member = Member {
            stream: client.stream,
            from: client.from,
            pair: Pair {
                zero: client.nonce,
                other: hello.nonce,
                rank,
            },
        };
        let sizes = [[u64::from(size)], [self.size as u64]];
        let complaint = if let Err(why) = compare(
            &[Fact::Number("the number of ranks", sizes[1][0])],
            [(rank as usize, &sizes[0][..]), (0, &sizes[1][..])].into_iter(),
            format_args!("rank {rank} connects from {}", member.from),
            "start all ranks with the same number of ranks",
        ) {
            Some(why)
        } else if rank == 0 || rank >= size {
            Some(format!(
                "a process from {} claims to be rank {rank} of {size}. Fix: start each rank once, from 0 to {}",
                member.from,
                size - 1
            ))
        } else {
            self.members.get(&rank).map(|first| {
                format!(
                    "rank {rank} has joined twice, from {} and from {}. Fix: give each process a different rank",
                    first.from, member.from
                )
            })
        };
        if let Some(complaint) = complaint {
            member.send(self.secret, FAILED, complaint.as_bytes());
            return Err(Error::Start(complaint));
        }
        if member.send(self.secret, WELCOME, &[]) {
            self.members.insert(rank, member);
        } else {
            self.note(member.from, "disconnected");
        }
        Ok(())
    }

    /// Returns an error if a rank has ended. Waiting ranks send nothing, so a readable socket means
    /// that the rank has ended.
    fn check_members(&self) -> Result<()> {
        for (rank, member) in &self.members {
            match member.stream.peek(&mut [0]) {
                Err(error) if waits(&error) => {}
                _ => {
                    return Err(Error::Lost(format!(
                        "rank {rank}, from {}, ended before all ranks had arrived. Fix: see its output",
                        member.from
                    )));
                }
            }
        }
        Ok(())
    }

    fn send_bytes(&self, bytes: &[u8], deadline: Deadline) -> Result<()> {
        for member in self.members.values() {
            if !member.send(self.secret, BYTES, bytes) {
                return Err(self.lost(member));
            }
        }
        // The last rank may have arrived just before the deadline.
        let deadline = Deadline {
            end: deadline.end.max(Instant::now() + HELLO_LIMIT),
            ..deadline
        };
        for member in self.members.values() {
            let mut receipt = [0; 32];
            let read = member
                .stream
                .set_nonblocking(false)
                .and_then(|()| protocol::read(&member.stream, &mut receipt, deadline));
            // The receipt is checked as a code, although it only means that the bytes have arrived.
            if read.is_err() || receipt != member.pair.receipt(self.secret) {
                return Err(self.lost(member));
            }
        }
        Ok(())
    }

    fn lost(&self, member: &Member) -> Error {
        Error::Lost(format!(
            "rank {}, from {}, ended while rank 0 sent its bytes to all {} ranks. Fix: see its output",
            member.pair.rank, member.from, self.size
        ))
    }

    /// Returns the ranks that have not arrived: at most one more than a list shows, because the
    /// number of ranks may be a mistake and very large.
    fn missing(&self) -> Vec<usize> {
        let is_missing = |rank: &usize| !self.members.contains_key(&(*rank as u32));
        let missing = (1..self.size).filter(is_missing);
        missing.take(LISTED + 1).collect()
    }

    /// Returns the notice about ranks that are late.
    fn late(&self, waited: Duration, limit: Duration) -> String {
        format!(
            "rank 0 has waited {:?} at {} for {} of {} ranks: {}. It fails after {:?}",
            rounded(waited),
            self.address,
            self.size - 1 - self.members.len(),
            self.size,
            list(&self.missing()),
            rounded(limit)
        )
    }

    fn late_error(&self, deadline: Deadline) -> Error {
        let missing = self.missing();
        let mut text = format!(
            "{} of {} ranks have not connected to rank 0 at {} ({}) within {}: {}",
            self.size - 1 - self.members.len(),
            self.size,
            self.address,
            self.address.source,
            deadline.shown(),
            list(&missing)
        );
        if self.rejected > 0 {
            let rejected = match self.rejected {
                1 => "1 client was".to_owned(),
                many => format!("{many} clients were"),
            };
            text += &format!("; {rejected} rejected: {}", self.notes.join("; "));
        }
        if let Some(elsewhere) = self.address.elsewhere() {
            text += &format!("; {elsewhere}");
        } else if self.rejected == 0 {
            text +=
                ". Fix: check that they were started, and that they can reach this host and port";
        }
        Error::Start(text)
    }

    fn note(&mut self, from: SocketAddr, what: &str) {
        self.rejected += 1;
        if self.notes.len() < NOTES {
            self.notes.push(format!("{from} {what}"));
        }
    }

    /// Reports the reason of a failed start to the connected ranks.
    fn report(&self, why: &str) {
        let mut end = why.len().min(LONGEST);
        while !why.is_char_boundary(end) {
            end -= 1;
        }
        for member in self.members.values() {
            member.send(self.secret, FAILED, &why.as_bytes()[..end]);
        }
    }
}

impl Member {
    /// Sends a message, and returns whether it was accepted. It fits into the socket's buffer,
    /// which is otherwise empty, unless the client has not read for a long time.
    fn send(&self, secret: &Secret, kind: u8, bytes: &[u8]) -> bool {
        let _ = self.stream.set_nonblocking(false);
        let _ = self.stream.set_write_timeout(Some(HELLO_LIMIT));
        let message = self.pair.message(secret, kind, bytes);
        let sent = (&self.stream).write_all(&message).is_ok();
        self.stream.set_nonblocking(true).is_ok() && sent
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::{super::protocol::GREETING, *};

    fn meeting() -> Address {
        Address {
            host: "127.0.0.1".to_owned(),
            port: 1,
            source: "a test".to_owned(),
        }
    }

    /// The client's end of a connection of `rank` that the server has just welcomed.
    fn enter(server: &mut Server<'_>, rank: u32) -> (TcpStream, Pair) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, from) = listener.accept().unwrap();
        server.greet(stream, from).unwrap();
        let mut greeting = [0; GREETING];
        client.read_exact(&mut greeting).unwrap();
        let zero = greeting[8..].try_into().unwrap();
        let hello = Hello {
            rank,
            size: server.size as u32,
            nonce: [7; 32],
        };
        client
            .write_all(&hello.write(server.secret, &zero))
            .unwrap();
        while !server.members.contains_key(&rank) {
            server.receive_hellos().unwrap();
        }
        let mut welcome = [0; 37];
        client.read_exact(&mut welcome).unwrap();
        assert_eq!(welcome[0], WELCOME);
        let pair = Pair {
            zero,
            other: [7; 32],
            rank,
        };
        (client, pair)
    }

    #[test]
    fn receipts_may_come_after_the_deadline() {
        let (meeting, secret) = (meeting(), Secret::new("a secret"));
        let mut server = Server::new(&meeting, &secret, 2);
        let (mut client, pair) = enter(&mut server, 1);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut message = [0; 5 + 3 + 32];
                client.read_exact(&mut message).unwrap();
                assert_eq!(message[..8], *b"\x02\x03\0\0\0abc");
                thread::sleep(Duration::from_millis(20));
                client.write_all(&pair.receipt(&secret)).unwrap();
            });
            server
                .send_bytes(b"abc", Deadline::after(Duration::ZERO))
                .unwrap();
        });
    }

    #[test]
    fn a_wrong_receipt_means_that_the_rank_is_lost() {
        let (meeting, secret) = (meeting(), Secret::new("a secret"));
        let mut server = Server::new(&meeting, &secret, 2);
        let (mut client, pair) = enter(&mut server, 1);
        let mut receipt = pair.receipt(&secret);
        receipt[31] ^= 1;
        client.write_all(&receipt).unwrap();
        let long = Deadline::after(Duration::from_secs(20));
        let error = server.send_bytes(b"abc", long).unwrap_err();
        let from = client.local_addr().unwrap();
        assert!(matches!(error, Error::Lost(_)), "{error}");
        let text = format!(
            "rank 1, from {from}, ended while rank 0 sent its bytes to all 2 ranks. Fix: see its output"
        );
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn notice_names_the_missing_ranks() {
        let (meeting, secret) = (meeting(), Secret::new("a secret"));
        let mut server = Server::new(&meeting, &secret, 3);
        let _client = enter(&mut server, 1);
        assert_eq!(
            server.late(Duration::from_secs(20) / 3, Duration::from_secs(40)),
            "rank 0 has waited 6.7s at 127.0.0.1:1 for 1 of 3 ranks: rank 2. It fails after 40s"
        );
    }

    #[test]
    fn an_error_describes_at_most_four_clients() {
        let (meeting, secret) = (meeting(), Secret::new("a secret"));
        let from = |port| SocketAddr::from(([127, 0, 0, 1], port));
        let text = |clients: u16| {
            let mut server = Server::new(&meeting, &secret, 3);
            (1..=clients).for_each(|port| server.note(from(port), "is odd"));
            server
                .late_error(Deadline::after(Duration::ZERO))
                .to_string()
        };
        let start = "2 of 3 ranks have not connected to rank 0 at 127.0.0.1:1 (a test) within no time at all: ranks 1, 2";
        assert_eq!(
            text(0),
            format!(
                "{start}. Fix: check that they were started, and that they can reach this host and port"
            )
        );
        assert_eq!(
            text(1),
            format!("{start}; 1 client was rejected: 127.0.0.1:1 is odd")
        );
        let four = "127.0.0.1:1 is odd; 127.0.0.1:2 is odd; 127.0.0.1:3 is odd; 127.0.0.1:4 is odd";
        assert_eq!(text(4), format!("{start}; 4 clients were rejected: {four}"));
        assert_eq!(text(6), format!("{start}; 6 clients were rejected: {four}"));
    }

    #[test]
    fn ranks_that_have_come_are_not_called_missing() {
        let (meeting, secret) = (meeting(), Secret::new("a secret"));
        let mut server = Server::new(&meeting, &secret, 4);
        let _second = enter(&mut server, 2);
        let text = server
            .late_error(Deadline::after(Duration::ZERO))
            .to_string();
        assert!(
            text.starts_with("2 of 4 ranks have not connected"),
            "{text}"
        );
        assert!(text.contains(": ranks 1, 3. "), "{text}");
    }

    /// Returns the report that a rank receives for this reason.
    fn reported(why: &str) -> Vec<u8> {
        let (meeting, secret) = (meeting(), Secret::new("a secret"));
        let mut server = Server::new(&meeting, &secret, 2);
        let (mut client, pair) = enter(&mut server, 1);
        thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let mut head = [0; 5];
                client.read_exact(&mut head).unwrap();
                assert_eq!(head[0], FAILED);
                let length = u32::from_le_bytes(head[1..].try_into().unwrap());
                let mut bytes = vec![0; length as usize + 32];
                client.read_exact(&mut bytes).unwrap();
                let code = bytes.split_off(length as usize);
                assert!(pair.proves(&secret, FAILED, &bytes, &code));
                bytes
            });
            server.report(why);
            reader.join().unwrap()
        })
    }

    #[test]
    fn long_reasons_are_cut_between_characters() {
        assert_eq!(reported("short"), b"short");
        let most = "x".repeat(LONGEST);
        assert_eq!(reported(&most), most.as_bytes());
        assert_eq!(reported(&(most.clone() + "y")), most.as_bytes());
        // Two bytes each: one character lies across the limit.
        let odd = "x".to_owned() + &"\u{df}".repeat(LONGEST / 2);
        assert_eq!(reported(&odd), &odd.as_bytes()[..LONGEST - 1]);
        // Four bytes each, three of them before the limit.
        let wide = "x".to_owned() + &"\u{1f600}".repeat(LONGEST / 4);
        assert_eq!(reported(&wide), &wide.as_bytes()[..LONGEST - 3]);
    }

    #[test]
    fn a_member_that_ends_is_lost() {
        let (meeting, secret) = (meeting(), Secret::new("a secret"));
        let mut server = Server::new(&meeting, &secret, 3);
        let (client, _) = enter(&mut server, 1);
        server.check_members().unwrap();
        let from = client.local_addr().unwrap();
        drop(client);
        let error = loop {
            match server.check_members() {
                Ok(()) => thread::sleep(PAUSE),
                Err(error) => break error,
            }
        };
        let text =
            format!("rank 1, from {from}, ended before all ranks had arrived. Fix: see its output");
        assert!(matches!(error, Error::Lost(_)), "{error}");
        assert_eq!(error.to_string(), text);
    }
    #[test]
    fn sending_to_a_client_that_has_gone_fails() {
        let (meeting, secret) = (meeting(), Secret::new("a secret"));
        let mut server = Server::new(&meeting, &secret, 2);
        let (client, pair) = enter(&mut server, 1);
        let member = &server.members[&1];
        assert!(member.send(&secret, BYTES, b"abc"));
        assert!(
            member
                .stream
                .peek(&mut [0])
                .is_err_and(|error| waits(&error))
        );
        // Closing the connection with unread bytes makes the system send a reset.
        let mut message = [0; 8];
        while client.peek(&mut message).unwrap() < message.len() {}
        drop(client);
        while member
            .stream
            .peek(&mut [0])
            .is_err_and(|error| waits(&error))
        {
            thread::sleep(PAUSE);
        }
        assert!(!member.send(&secret, BYTES, b"abc"));
        assert_eq!(pair.rank, 1);
    }
}
