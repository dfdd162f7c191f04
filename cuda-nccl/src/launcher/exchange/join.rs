//! All ranks but 0: connect, prove to know the secret, and wait for the bytes.

use std::{
    io::{self, ErrorKind, Write},
    net::{SocketAddr, TcpStream, ToSocketAddrs},
    thread,
    time::Duration,
};

use super::{
    Deadline,
    protocol::{self, BYTES, FAILED, Hello, LONGEST, MAGIC, Nonce, Pair, STRANGER, WELCOME},
};
use crate::{
    error::{Error, Result},
    launcher::{address::Meeting, secret::Secret},
};

/// How long one attempt to connect may take.
const CONNECT: Duration = Duration::from_secs(2);
/// From the first pause between attempts to the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(200));
/// Rank 0 says which ranks are missing, when its own limit is over. That is worth waiting for.
const GRACE: Duration = Duration::from_secs(2);

pub(super) fn join(
    meeting: &Meeting,
    secret: &Secret,
    rank: usize,
    size: usize,
    deadline: Deadline,
) -> Result<Vec<u8>> {
    let (Ok(rank), Ok(size)) = (u32::try_from(rank), u32::try_from(size)) else {
        return Err(Error::Start(format!("{size} ranks are too many")));
    };
    let client = Client {
        meeting,
        secret,
        rank,
        size,
        deadline,
    };
    let (stream, pair) = client.enter()?;
    let bytes = client
        .message(&stream, &pair, BYTES)
        .map_err(|end| match end {
            End::Stream(error) => client.lost(&error),
            End::Told(error) => error,
        })?;
    // Rank 0 may have failed by now; what uses the bytes will find that out.
    let _ = (&stream).write_all(&pair.receipt(secret));
    Ok(bytes)
}

/// Why an attempt did not end with a welcome.
#[derive(Debug)]
enum Missed {
    /// Nobody takes the connection.
    Absent(io::Error),
    /// Somebody takes it and does not greet. Rank 0 greets at once, but may end before it does.
    Silent(io::Error),
    /// Somebody greets, and the connection ends before the welcome. Rank 0 does that when many others come at once.
    Dropped(io::Error),
    /// Somebody sends something else.
    Foreign {
        /// Rank 0 may still start at another of the host's addresses, which has not answered.
        may_come: bool,
    },
    /// The answer is known.
    Told(Error),
}

/// Why there is no message.
enum End {
    /// The stream failed or ended.
    Stream(io::Error),
    /// What came says why.
    Told(Error),
}

/// One rank that joins the others.
struct Client<'a> {
    meeting: &'a Meeting,
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
                Err(missed @ (Missed::Foreign { may_come: false } | Missed::Told(_))) => {
                    return Err(self.missed(missed));
                }
                // Rank 0 listens until all have come: it was there, and has ended.
                Err(Missed::Absent(why))
                    if dropped.is_some() && why.kind() == ErrorKind::ConnectionRefused =>
                {
                    return Err(self.lost(&why));
                }
                Err(Missed::Dropped(why)) => dropped = Some(why),
                Err(missed) if self.deadline.left().is_none() => {
                    return Err(self.missed(dropped.map_or(missed, Missed::Dropped)));
                }
                Err(_) => {}
            }
            thread::sleep(pause.min(self.deadline.left().unwrap_or_default()));
            pause = (2 * pause).min(PAUSES.1);
        }
    }

    fn missed(&self, missed: Missed) -> Error {
        const REMEDY: &str = "set CUDA_NCCL_ADDRESS for all ranks to an address with a free port";
        let place = format!("{} ({})", self.meeting, self.meeting.source);
        let limit = self.deadline.shown();
        Error::Start(match missed {
            Missed::Told(error) => return error,
            Missed::Absent(why) => format!(
                "rank 0 was not there at {place} within {limit} ({why}): was it started, is that its host, and can this \
                 host reach it?"
            ),
            Missed::Silent(why) => format!(
                "what listens at {place} did not greet as rank 0 does within {limit} ({why}): has another program this \
                 port? Then {REMEDY}"
            ),
            Missed::Dropped(why) => format!(
                "rank 0 at {place} greeted this rank, and ended each connection before it answered, within {limit} ({why}): do \
                 many other programs connect to this port? Then {REMEDY}"
            ),
            Missed::Foreign { .. } => format!(
                "what listens at {place} is not rank 0, or has another version of this crate: {REMEDY}"
            ),
        })
    }

    /// Connects, proves to know the secret, and waits for the welcome.
    fn attempt(&self) -> Result<(TcpStream, Pair), Missed> {
        let (stream, theirs) = self.connect()?;
        let nonce = protocol::nonce().map_err(|error| {
            Missed::Told(Error::Start(format!(
                "the system gives no random numbers for a proof of the secret: {error}"
            )))
        })?;
        let (rank, size) = (self.rank, self.size);
        let hello = Hello { rank, size, nonce }.write(self.secret, &theirs);
        let pair = Pair {
            zero: theirs,
            other: nonce,
            rank,
        };
        let sent = (&stream).write_all(&hello).map_err(End::Stream);
        let welcome = sent.and_then(|()| self.message(&stream, &pair, WELCOME));
        match welcome {
            Ok(_) => Ok((stream, pair)),
            Err(End::Told(error)) => Err(Missed::Told(error)),
            Err(End::Stream(error)) if error.kind() == ErrorKind::TimedOut => {
                Err(Missed::Told(self.lost(&error)))
            }
            Err(End::Stream(error)) => Err(Missed::Dropped(error)),
        }
    }

    /// A connection to somebody who greets, and their nonce.
    fn connect(&self) -> Result<(TcpStream, Nonce), Missed> {
        let places = (self.meeting.host.as_str(), self.meeting.port)
            .to_socket_addrs()
            .map_err(Missed::Absent)?;
        self.connect_to(places)
    }

    /// Connects to the first of these addresses that greets. If none does, the error prefers answers to addresses without an
    /// answer, in whatever order they come.
    fn connect_to(
        &self,
        places: impl Iterator<Item = SocketAddr>,
    ) -> Result<(TcpStream, Nonce), Missed> {
        let nowhere = io::Error::new(ErrorKind::NotFound, "the host's name leads nowhere");
        let (mut absent, mut silent, mut is_foreign) = (None, None, false);
        for place in places {
            let limit = self.deadline.left().unwrap_or(PAUSES.0).min(CONNECT);
            let stream = match TcpStream::connect_timeout(&place, limit) {
                // A port of the range that clients get may connect to itself, where nobody listens.
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
                // Another of the host's addresses may lead to rank 0.
                Ok(None) => is_foreign = true,
                Err(why) => silent = Some(why),
            }
        }
        let may_come = absent.is_some() || silent.is_some();
        Err(match (is_foreign, silent) {
            (true, _) => Missed::Foreign { may_come },
            (false, Some(why)) => Missed::Silent(why),
            (false, None) => Missed::Absent(absent.unwrap_or(nowhere)),
        })
    }

    /// The bytes of the next message, which has to be of this kind.
    fn message(&self, stream: &TcpStream, pair: &Pair, kind: u8) -> Result<Vec<u8>, End> {
        let patient = Deadline {
            end: self.deadline.end + GRACE,
            ..self.deadline
        };
        let read = |bytes: &mut [u8]| protocol::read(stream, bytes, patient).map_err(End::Stream);
        let mut head = [0; 5];
        read(&mut head)?;
        if head[0] == STRANGER {
            return Err(End::Told(Error::Start(format!(
                "rank 0 at {} ({}) has another secret, or belongs to another job: set CUDA_NCCL_SECRET to the same text for \
                 all ranks, or CUDA_NCCL_ADDRESS to a port that no other job has",
                self.meeting, self.meeting.source
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
            FAILED => Err(End::Told(Error::Start(format!(
                "rank 0 says: {}",
                String::from_utf8_lossy(&bytes)
            )))),
            _ => Err(self.foreign()),
        }
    }

    fn lost(&self, error: &io::Error) -> Error {
        if error.kind() == ErrorKind::TimedOut {
            return Error::Start(format!(
                "rank 0 at {} did not send the first bytes within {}: some rank has not come",
                self.meeting,
                self.deadline.shown()
            ));
        }
        Error::Lost(format!(
            "rank 0 at {} ended before all ranks had come: see what it printed",
            self.meeting
        ))
    }

    fn foreign(&self) -> End {
        End::Told(Error::Start(format!(
            "what listens at {} sends no proof that it knows the secret: is it rank 0 of this job?",
            self.meeting
        )))
    }
}

/// The nonce of who greets; `None` if it is not rank 0.
fn greeted(stream: &TcpStream, deadline: Deadline) -> io::Result<Option<Nonce>> {
    stream.set_nodelay(true)?;
    // By itself: what a foreign program sends first may be short.
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

    /// An address whose listener sends this and ends the connection. `None`: an address without a listener.
    fn place(number: u8, answer: Option<&'static [u8]>) -> SocketAddr {
        let host = format!("127.1.{}.{number}", std::process::id() % 250 + 1);
        let listener = TcpListener::bind((host.as_str(), 0)).unwrap();
        let place = listener.local_addr().unwrap();
        if let Some(answer) = answer {
            thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                stream.write_all(answer).unwrap();
                // Or else the answer may be lost with the connection.
                thread::sleep(Duration::from_millis(200));
            });
        }
        place
    }

    fn meeting() -> Meeting {
        Meeting {
            host: "127.0.0.1".to_owned(),
            port: 1,
            source: "a test".to_owned(),
        }
    }

    fn client<'a>(meeting: &'a Meeting, secret: &'a Secret, limit: Duration) -> Client<'a> {
        Client {
            meeting,
            secret,
            rank: 1,
            size: 2,
            deadline: Deadline::after(limit),
        }
    }

    fn missed(answers: &[Option<&'static [u8]>]) -> Missed {
        let (meeting, secret) = (meeting(), Secret::new("a secret"));
        let client = client(&meeting, &secret, Duration::from_secs(10));
        let places = answers
            .iter()
            .zip(1..)
            .map(|(answer, number)| place(number, *answer));
        let places: Vec<_> = places.collect();
        client.connect_to(places.into_iter()).unwrap_err()
    }

    #[test]
    fn answers_count_more_than_addresses_without_one() {
        const FOREIGN: Option<&[u8]> = Some(b"HTTP/1.1 400 Bad Request");
        const SILENT: Option<&[u8]> = Some(b"");
        for answers in [
            [FOREIGN, None],
            [None, FOREIGN],
            [SILENT, FOREIGN],
            [FOREIGN, SILENT],
        ] {
            let missed = missed(&answers);
            assert!(
                matches!(missed, Missed::Foreign { may_come: true }),
                "{answers:?}: {missed:?}"
            );
        }
        for answers in [[SILENT, None], [None, SILENT]] {
            let missed = missed(&answers);
            assert!(
                matches!(missed, Missed::Silent(_)),
                "{answers:?}: {missed:?}"
            );
        }
        let foreign = missed(&[FOREIGN, FOREIGN]);
        assert!(matches!(foreign, Missed::Foreign { may_come: false }));
        let refused = |missed| matches!(missed, Missed::Absent(why) if why.kind() == ErrorKind::ConnectionRefused);
        assert!(refused(missed(&[None, None])));
        let nowhere = missed(&[]);
        assert!(matches!(nowhere, Missed::Absent(why) if why.kind() == ErrorKind::NotFound));
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
        let meeting = meeting();
        let secret = Secret::new("a secret");
        let client = client(&meeting, &secret, Duration::from_secs(5));
        let missed = client.connect_to(std::iter::repeat_n(free, 40_000));
        assert!(
            matches!(&missed, Err(Missed::Absent(why)) if why.kind() == ErrorKind::ConnectionRefused),
            "{:?}",
            missed.err()
        );
    }
}
