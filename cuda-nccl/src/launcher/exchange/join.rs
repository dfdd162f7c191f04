//! The ranks other than 0: connect, prove knowledge of the secret, and wait for the bytes.

use std::{
    io::{self, ErrorKind, Write},
    net::{SocketAddr, TcpStream, ToSocketAddrs},
    thread,
    time::Duration,
};

use super::{
    deadline::Deadline,
    protocol::{self, BYTES, FAILED, Hello, LONGEST, MAGIC, Nonce, Pair, REJECTED, WELCOME},
};
use crate::{
    error::{Error, Result},
    launcher::{address::Address, secret::Secret},
};

/// The time limit of one attempt to connect.
const CONNECT: Duration = Duration::from_secs(2);
/// The first and the longest pause between attempts.
const PAUSES: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(200));
/// How long to wait for rank 0's report of the missing ranks after its own limit is over.
const GRACE: Duration = Duration::from_secs(2);

pub(super) fn join(
    address: &Address,
    secret: &Secret,
    rank: usize,
    size: usize,
    deadline: Deadline,
) -> Result<Vec<u8>> {
    let (Ok(rank), Ok(size)) = (u32::try_from(rank), u32::try_from(size)) else {
        return Err(Error::Start(format!(
            "{size} ranks are too many: the maximum is u32::MAX"
        )));
    };
    let client = Client {
        address,
        secret,
        rank,
        size,
        deadline,
    };
    let (stream, pair) = client.enter()?;
    let bytes = client
        .message(&stream, &pair, BYTES)
        .map_err(|end| match end {
            MessageError::Stream(error) => client.lost(&error),
            MessageError::Final(error) => error,
        })?;
    // Rank 0 may have failed in the meantime. The use of the bytes will show that.
    let _ = (&stream).write_all(&pair.receipt(secret));
    Ok(bytes)
}

/// The reason why an attempt did not end with a welcome.
#[derive(Debug)]
enum JoinError {
    /// The connection is not accepted.
    Absent(io::Error),
    /// The connection is accepted, but no greeting arrives. Rank 0 greets immediately, unless it
    /// ends first.
    Silent(io::Error),
    /// A greeting arrives, but the connection ends before the welcome. Rank 0 does this if many
    /// others connect at once.
    Dropped(io::Error),
    /// The peer does not speak this protocol.
    Foreign {
        /// Rank 0 may still start at another address of the host that has not answered yet.
        may_come: bool,
    },
    /// The final error is known.
    Final(Error),
}

/// The reason why there is no message.
enum MessageError {
    /// The stream failed or ended.
    Stream(io::Error),
    /// The message itself contains the error.
    Final(Error),
}

/// A rank that joins the others.
struct Client<'a> {
    address: &'a Address,
    secret: &'a Secret,
    rank: u32,
    size: u32,
    deadline: Deadline,
}

impl Client<'_> {
    /// Tries until rank 0 has welcomed this rank.
    fn enter(&self) -> Result<(TcpStream, Pair)> {
        let mut pause = PAUSES.0;
        let mut dropped = None;
        loop {
            match self.attempt() {
                Ok(entered) => return Ok(entered),
                Err(
                    join_error @ (JoinError::Foreign { may_come: false } | JoinError::Final(_)),
                ) => {
                    return Err(self.error(join_error));
                }
                // Rank 0 listens until all ranks have arrived. It was there before, so it has
                // ended.
                Err(JoinError::Absent(why))
                    if dropped.is_some() && why.kind() == ErrorKind::ConnectionRefused =>
                {
                    return Err(self.lost(&why));
                }
                Err(JoinError::Dropped(why)) => dropped = Some(why),
                Err(join_error) if self.deadline.left().is_none() => {
                    return Err(self.error(dropped.map_or(join_error, JoinError::Dropped)));
                }
                Err(_) => {}
            }
            thread::sleep(pause.min(self.deadline.left().unwrap_or_default()));
            pause = (2 * pause).min(PAUSES.1);
        }
    }

    fn error(&self, error: JoinError) -> Error {
        const REMEDY: &str = "set CUDA_NCCL_ADDRESS on all ranks to an address with a free port";
        let place = format!("{} ({})", self.address, self.address.source);
        let limit = self.deadline.shown();
        Error::Start(match error {
            JoinError::Final(error) => return error,
            JoinError::Absent(why) => format!(
                "rank 0 was not reached at {place} within {limit} ({why}). Fix: check that it was started, that this is \
                 its host, and that this host can reach it"
            ),
            JoinError::Silent(why) => format!(
                "the program that listens at {place} did not greet as rank 0 does within {limit} ({why}), so another program \
                 may be using this port. Fix: {REMEDY}"
            ),
            JoinError::Dropped(why) => format!(
                "rank 0 at {place} greeted this rank, but closed each connection before it answered, within {limit} ({why}). \
                 This happens if many other clients connect to this port. Fix: {REMEDY}"
            ),
            JoinError::Foreign { .. } => format!(
                "the program that listens at {place} is not rank 0, or uses another version of this crate. Fix: {REMEDY}"
            ),
        })
    }

    /// Connects, proves knowledge of the secret, and waits for the welcome.
    fn attempt(&self) -> Result<(TcpStream, Pair), JoinError> {
        let (stream, theirs) = self.connect()?;
        let nonce = protocol::nonce().map_err(|error| {
            JoinError::Final(Error::Start(format!(
                "the system returned no random numbers for the proof of the secret: {error}"
            )))
        })?;
        let (rank, size) = (self.rank, self.size);
        let hello = Hello { rank, size, nonce }.write(self.secret, &theirs);
        let pair = Pair {
            zero: theirs,
            other: nonce,
            rank,
        };
        let sent = (&stream).write_all(&hello).map_err(MessageError::Stream);
        let welcome = sent.and_then(|()| self.message(&stream, &pair, WELCOME));
        match welcome {
            Ok(_) => Ok((stream, pair)),
            Err(MessageError::Final(error)) => Err(JoinError::Final(error)),
            Err(MessageError::Stream(error)) if error.kind() == ErrorKind::TimedOut => {
                Err(JoinError::Final(self.lost(&error)))
            }
            Err(MessageError::Stream(error)) => Err(JoinError::Dropped(error)),
        }
    }

    /// Connects to a peer that greets, and returns its nonce.
    fn connect(&self) -> Result<(TcpStream, Nonce), JoinError> {
        let places = (self.address.host.as_str(), self.address.port)
            .to_socket_addrs()
            .map_err(JoinError::Absent)?;
        self.connect_to(places)
    }

    /// Connects to the first of these addresses that greets. If none does, the error describes an
    /// address that answered, if there is one, even if others were tried later.
    fn connect_to(
        &self,
        places: impl Iterator<Item = SocketAddr>,
    ) -> Result<(TcpStream, Nonce), JoinError> {
        let nowhere = io::Error::new(ErrorKind::NotFound, "the host's name has no address");
        let (mut absent, mut silent, mut is_foreign) = (None, None, false);
        for place in places {
            let limit = self.deadline.left().unwrap_or(PAUSES.0).min(CONNECT);
            let stream = match TcpStream::connect_timeout(&place, limit) {
                // If the port is in the range for clients and nobody listens, a connection may be
                // made to itself.
                Ok(stream) if stream.local_addr().ok() == stream.peer_addr().ok() => {
                    absent = Some(ErrorKind::ConnectionRefused.into());
                    continue;
                }
                Ok(stream) => stream,
                Err(why) => {
                    absent = Some(why);
                    continue;
                }
            };
            match greeted(&stream, self.deadline) {
                Ok(Some(nonce)) => return Ok((stream, nonce)),
                // Rank 0 may be at another address of the host.
                Ok(None) => is_foreign = true,
                Err(why) => silent = Some(why),
            }
        }
        let may_come = absent.is_some() || silent.is_some();
        Err(match (is_foreign, silent) {
            (true, _) => JoinError::Foreign { may_come },
            (false, Some(why)) => JoinError::Silent(why),
            (false, None) => JoinError::Absent(absent.unwrap_or(nowhere)),
        })
    }

    /// Returns the bytes of the next message, which must be of this kind.
    fn message(&self, stream: &TcpStream, pair: &Pair, kind: u8) -> Result<Vec<u8>, MessageError> {
        let patient = Deadline {
            end: self.deadline.end + GRACE,
            ..self.deadline
        };
        let read =
            |bytes: &mut [u8]| protocol::read(stream, bytes, patient).map_err(MessageError::Stream);
        let mut head = [0; 5];
        read(&mut head)?;
        if head[0] == REJECTED {
            return Err(MessageError::Final(Error::Start(format!(
                "rank 0 at {} ({}) uses another secret, or belongs to another job. Fix: set CUDA_NCCL_SECRET to the same text \
                 on all ranks, or CUDA_NCCL_ADDRESS to a port that no other job uses",
                self.address, self.address.source
            ))));
        }
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if length > LONGEST {
            return Err(self.foreign());
        }
        let (mut bytes, mut code) = (vec![0; length], [0; 32]);
        read(&mut bytes)?;
        read(&mut code)?;
        if !pair.proves(self.secret, head[0], &bytes, &code) {
            return Err(self.foreign());
        }
        match head[0] {
            found if found == kind => Ok(bytes),
            FAILED => Err(MessageError::Final(Error::Start(format!(
                "rank 0 reports: {}",
                String::from_utf8_lossy(&bytes)
            )))),
            _ => Err(self.foreign()),
        }
    }

    fn lost(&self, error: &io::Error) -> Error {
        if error.kind() == ErrorKind::TimedOut {
            return Error::Start(format!(
                "rank 0 at {} did not send its bytes within {}, because some rank has not arrived. Fix: see the output of rank 0",
                self.address,
                self.deadline.shown()
            ));
        }
        Error::Lost(format!(
            "rank 0 at {} ended before all ranks had arrived. Fix: see its output",
            self.address
        ))
    }

    fn foreign(&self) -> MessageError {
        MessageError::Final(Error::Start(format!(
            "the program that listens at {} did not prove that it knows the secret. Fix: check that rank 0 of this job runs there",
            self.address
        )))
    }
}

/// Reads the greeting and returns its nonce, or `None` if the peer is not rank 0.
fn greeted(stream: &TcpStream, deadline: Deadline) -> io::Result<Option<Nonce>> {
    stream.set_nodelay(true)?;
    // Read separately, because the first message of another program may be short.
    let mut magic = [0; MAGIC.len()];
    protocol::read(stream, &mut magic, deadline)?;
    if magic != MAGIC {
        return Ok(None);
    }
    let mut nonce = Nonce::default();
    protocol::read(stream, &mut nonce, deadline)?;
    Ok(Some(nonce))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// Returns an address whose listener sends `answer` and closes the connection. `None` returns
    /// an address without a listener.
    fn place(number: u8, answer: Option<&'static [u8]>) -> SocketAddr {
        let host = format!("127.1.{}.{number}", std::process::id() % 250 + 1);
        let listener = TcpListener::bind((host.as_str(), 0)).unwrap();
        let place = listener.local_addr().unwrap();
        if let Some(answer) = answer {
            thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                stream.write_all(answer).unwrap();
                // Otherwise the answer may be lost with the connection.
                thread::sleep(Duration::from_millis(200));
            });
        }
        place
    }

    fn address() -> Address {
        Address {
            host: "127.0.0.1".to_owned(),
            port: 1,
            source: "a test".to_owned(),
        }
    }

    fn client<'a>(address: &'a Address, secret: &'a Secret, limit: Duration) -> Client<'a> {
        Client {
            address,
            secret,
            rank: 1,
            size: 2,
            deadline: Deadline::after(limit),
        }
    }

    fn join_error(answers: &[Option<&'static [u8]>]) -> JoinError {
        let (address, secret) = (address(), Secret::new("a secret"));
        let client = client(&address, &secret, Duration::from_secs(10));
        let places = answers
            .iter()
            .zip(1..)
            .map(|(answer, number)| place(number, *answer));
        let places: Vec<_> = places.collect();
        client.connect_to(places.into_iter()).unwrap_err()
    }

    #[test]
    fn error_prefers_addresses_that_answered() {
        const FOREIGN: Option<&[u8]> = Some(b"HTTP/1.1 400 Bad Request");
        const SILENT: Option<&[u8]> = Some(b"");
        for answers in [
            [FOREIGN, None],
            [None, FOREIGN],
            [SILENT, FOREIGN],
            [FOREIGN, SILENT],
        ] {
            let join_error = join_error(&answers);
            assert!(
                matches!(join_error, JoinError::Foreign { may_come: true }),
                "{answers:?}: {join_error:?}"
            );
        }
        for answers in [[SILENT, None], [None, SILENT]] {
            let join_error = join_error(&answers);
            assert!(
                matches!(join_error, JoinError::Silent(_)),
                "{answers:?}: {join_error:?}"
            );
        }
        let foreign = join_error(&[FOREIGN, FOREIGN]);
        assert!(matches!(foreign, JoinError::Foreign { may_come: false }));
        let refused = |join_error| matches!(join_error, JoinError::Absent(why) if why.kind() == ErrorKind::ConnectionRefused);
        assert!(refused(join_error(&[None, None])));
        let nowhere = join_error(&[]);
        assert!(matches!(nowhere, JoinError::Absent(why) if why.kind() == ErrorKind::NotFound));
    }
    /// A port that connects to itself would be taken for a listener that never greets.
    #[test]
    fn a_connection_to_itself_counts_as_no_connection() {
        // Linux gives even ports of this range to clients, one after the other.
        let free = (40_000..60_000u16).step_by(2).find_map(|port| {
            let place = SocketAddr::from(([127, 0, 0, 1], port));
            TcpListener::bind(place).is_ok().then_some(place)
        });
        let free = free.unwrap();
        let address = address();
        let secret = Secret::new("a secret");
        let client = client(&address, &secret, Duration::from_secs(5));
        let joined = client.connect_to(std::iter::repeat_n(free, 40_000));
        assert!(
            matches!(&joined, Err(JoinError::Absent(why)) if why.kind() == ErrorKind::ConnectionRefused),
            "{:?}",
            joined.err()
        );
    }
}
