//! Rank 0: listens until all others have come, and gives them the bytes.
//!
//! One thread, and sockets that don't block: who is slow, or no rank at all, keeps nobody waiting.

use std::{
    collections::BTreeMap,
    io::Write,
    net::{SocketAddr, TcpListener, TcpStream},
    thread,
    time::{Duration, Instant},
};

use super::{
    Deadline,
    guests::{GUESTS, Guest, Guests, HELLO_LIMIT, Heard},
    protocol::{self, BYTES, FAILED, Hello, LONGEST, Pair, WELCOME},
    waits,
};
use crate::{
    error::{Error, Result},
    launcher::{address::Meeting, secret::Secret},
};

/// How often sockets are looked at.
const PAUSE: Duration = Duration::from_millis(1);
/// How many clients that were turned away an error tells of.
const NOTES: usize = 4;

/// A rank that has proven to know the secret.
pub(super) struct Member {
    stream: TcpStream,
    from: SocketAddr,
    pair: Pair,
}

pub(super) struct Server<'a> {
    meeting: &'a Meeting,
    secret: &'a Secret,
    size: usize,
    guests: Guests,
    pub(super) members: BTreeMap<u32, Member>,
    /// Who was turned away, and why: when ranks are missing, these may be they.
    notes: Vec<String>,
    turned_away: usize,
}

pub(super) fn serve(
    listener: &TcpListener,
    meeting: &Meeting,
    secret: &Secret,
    size: usize,
    bytes: &[u8],
    deadline: Deadline,
) -> Result<()> {
    let mut server = Server::new(meeting, secret, size);
    let outcome = server
        .gather(listener, deadline)
        .and_then(|()| server.give(bytes, deadline));
    if let Err(error) = &outcome {
        server.tell(&error.to_string());
    }
    outcome
}

/// Tells all others who come before the deadline why there is no group.
pub(super) fn refuse(
    listener: &TcpListener,
    meeting: &Meeting,
    secret: &Secret,
    size: usize,
    why: &Error,
    deadline: Deadline,
) {
    let mut server = Server::new(meeting, secret, size);
    // The reason is known already, and told to those who are there.
    let _ = server.gather(listener, deadline);
    server.tell(&why.to_string());
}

impl<'a> Server<'a> {
    pub(super) fn new(meeting: &'a Meeting, secret: &'a Secret, size: usize) -> Self {
        Self {
            meeting,
            secret,
            size,
            guests: Guests::new(size),
            members: BTreeMap::new(),
            notes: Vec::new(),
            turned_away: 0,
        }
    }

    /// Until all ranks have come.
    fn gather(&mut self, listener: &TcpListener, deadline: Deadline) -> Result<()> {
        let failed = |what: &str, error: std::io::Error| {
            Error::Start(format!("rank 0 can't {what} at {}: {error}", self.meeting))
        };
        listener
            .set_nonblocking(true)
            .map_err(|error| failed("listen", error))?;
        while self.members.len() + 1 < self.size {
            if deadline.left().is_none() {
                return Err(self.late(deadline));
            }
            let mut moved = false;
            // So many at a time: a crowd keeps nobody from being heard.
            for _ in 0..GUESTS {
                // An error: nobody is there; or one went away again, or there are no more files. Others may still come.
                let Ok((stream, from)) = listener.accept() else {
                    break;
                };
                moved = true;
                self.greet(stream, from)?;
            }
            moved |= self.listen_to_guests()?;
            self.look_after_members()?;
            if !moved {
                thread::sleep(PAUSE);
            }
        }
        Ok(())
    }

    pub(super) fn greet(&mut self, stream: TcpStream, from: SocketAddr) -> Result<()> {
        if self.guests.is_full() {
            let heard = self.guests.make_room();
            self.follow(heard)?;
        }
        // A client that can't be greeted has gone away.
        let _ = self.guests.greet(stream, from);
        Ok(())
    }

    fn listen_to_guests(&mut self) -> Result<bool> {
        let heard = self.guests.listen();
        let anything = heard.anything;
        self.follow(heard)?;
        Ok(anything)
    }

    fn follow(&mut self, heard: Heard) -> Result<()> {
        let Heard { complete, gone, .. } = heard;
        for (from, why) in gone {
            self.note(from, &why);
        }
        complete.into_iter().try_for_each(|guest| self.admit(guest))
    }

    /// Checks a hello. Only who knows the secret can make the group fail.
    fn admit(&mut self, guest: Guest) -> Result<()> {
        let Some((hello, proven)) = Hello::read(&guest.hello, self.secret, &guest.nonce) else {
            self.note(guest.from, "is something else");
            return Ok(());
        };
        if !proven {
            let _ = (&guest.stream).write_all(&protocol::stranger());
            self.note(
                guest.from,
                &format!("says that it is rank {}, with another secret", hello.rank),
            );
            return Ok(());
        }
        let (rank, size) = (hello.rank, hello.size);
        let member = Member {
            stream: guest.stream,
            from: guest.from,
            pair: Pair {
                zero: guest.nonce,
                other: hello.nonce,
                rank,
            },
        };
        let complaint = if size as usize != self.size {
            Some(format!(
                "rank {rank}, from {}, was started with {size} ranks, and rank 0 with {}: start all ranks with the same number",
                member.from, self.size
            ))
        } else if rank == 0 || rank >= size {
            Some(format!(
                "a process from {} says that it is rank {rank}, of {size}: start each rank once, from 0 to {}",
                member.from,
                size - 1
            ))
        } else {
            self.members.get(&rank).map(|first| {
                format!(
                    "rank {rank} has come twice, from {} and from {}: give each process a rank of its own",
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
            self.note(member.from, "went away");
        }
        Ok(())
    }

    /// Ranks that wait say nothing; if one can be read, it has ended.
    fn look_after_members(&self) -> Result<()> {
        for (rank, member) in &self.members {
            match member.stream.peek(&mut [0]) {
                Err(error) if waits(&error) => {}
                _ => {
                    return Err(Error::Lost(format!(
                        "rank {rank}, from {}, ended before all ranks had come: see what it printed",
                        member.from
                    )));
                }
            }
        }
        Ok(())
    }

    fn give(&self, bytes: &[u8], deadline: Deadline) -> Result<()> {
        for member in self.members.values() {
            if !member.send(self.secret, BYTES, bytes) {
                return Err(self.lost(member));
            }
        }
        // The last rank may have come just before the deadline.
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
            // Its content is compared as a code, though all that it tells is that the bytes have arrived.
            if read.is_err() || receipt != member.pair.receipt(self.secret) {
                return Err(self.lost(member));
            }
        }
        Ok(())
    }

    fn lost(&self, member: &Member) -> Error {
        Error::Lost(format!(
            "rank {}, from {}, ended while rank 0 gave all {} ranks their first bytes: see what it printed",
            member.pair.rank, member.from, self.size
        ))
    }

    fn late(&self, deadline: Deadline) -> Error {
        // One more than is shown: a number of ranks that is a mistake may be large.
        let missing: Vec<_> = (1..self.size as u32)
            .filter(|rank| !self.members.contains_key(rank))
            .take(SHOWN + 1)
            .collect();
        let mut text = format!(
            "{} of {} ranks have not come to rank 0 at {} ({}) within {}: {}",
            self.size - 1 - self.members.len(),
            self.size,
            self.meeting,
            self.meeting.source,
            deadline.shown(),
            list(&missing)
        );
        if let Some(elsewhere) = self.meeting.elsewhere() {
            text += &format!("; {elsewhere}");
        } else if self.turned_away == 0 {
            text += "; were they started, and can they reach this host and port?";
        }
        if self.turned_away > 0 {
            let turned_away = match self.turned_away {
                1 => "1 client was".to_owned(),
                many => format!("{many} clients were"),
            };
            text += &format!("; {turned_away} turned away: {}", self.notes.join("; "));
        }
        Error::Start(text)
    }

    fn note(&mut self, from: SocketAddr, what: &str) {
        self.turned_away += 1;
        if self.notes.len() < NOTES {
            self.notes.push(format!("{from} {what}"));
        }
    }

    /// Tells the others why there is no group.
    fn tell(&self, why: &str) {
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
    /// Whether the message was taken. It fits into the socket's buffer, where nothing else waits, unless the client has
    /// not read for long.
    fn send(&self, secret: &Secret, kind: u8, bytes: &[u8]) -> bool {
        let _ = self.stream.set_nonblocking(false);
        let _ = self.stream.set_write_timeout(Some(HELLO_LIMIT));
        let message = self.pair.message(secret, kind, bytes);
        let sent = (&self.stream).write_all(&message).is_ok();
        self.stream.set_nonblocking(true).is_ok() && sent
    }
}

/// How many ranks are named.
const SHOWN: usize = 8;

/// The first of some numbers.
fn list(ranks: &[u32]) -> String {
    let shown: Vec<_> = ranks.iter().take(SHOWN).map(u32::to_string).collect();
    let more = if ranks.len() > SHOWN { " and more" } else { "" };
    format!("rank {}{more}", shown.join(", "))
}
