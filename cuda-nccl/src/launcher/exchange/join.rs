//! All ranks but 0: connect, prove to know the secret, and wait for the bytes.

use std::{
    io::{self, ErrorKind, Write},
    net::{TcpStream, ToSocketAddrs},
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
    let (stream, theirs) = connect(meeting, deadline)?;
    let patient = Deadline {
        end: deadline.end + GRACE,
        ..deadline
    };
    let client = Client {
        meeting,
        secret,
        stream,
        deadline: patient,
    };
    let nonce = protocol::nonce().map_err(|error| {
        Error::Start(format!(
            "the system gives no random numbers for a proof of the secret: {error}"
        ))
    })?;
    let hello = Hello { rank, size, nonce }.write(secret, &theirs);
    (&client.stream)
        .write_all(&hello)
        .map_err(|error| client.lost(&error))?;
    let pair = Pair {
        zero: theirs,
        other: nonce,
        rank,
    };
    client.message(&pair, WELCOME)?;
    let bytes = client.message(&pair, BYTES)?;
    // Rank 0 may have failed by now; what uses the bytes will find that out.
    let _ = (&client.stream).write_all(&pair.receipt(secret));
    Ok(bytes)
}

/// Tries until somebody greets.
fn connect(meeting: &Meeting, deadline: Deadline) -> Result<(TcpStream, Nonce)> {
    let mut pause = PAUSES.0;
    loop {
        let missed = match attempt(meeting, deadline) {
            Ok(done) => return Ok(done),
            Err(missed) => missed,
        };
        if matches!(missed, Missed::Foreign) || deadline.left().is_none() {
            return Err(missed.error(meeting, deadline));
        }
        thread::sleep(pause.min(deadline.left().unwrap_or_default()));
        pause = (2 * pause).min(PAUSES.1);
    }
}

/// Why there is no rank 0 at the other end.
enum Missed {
    /// Nobody takes the connection.
    Absent(io::Error),
    /// Somebody takes it and does not greet. Rank 0 greets at once, but may end before it does.
    Silent(io::Error),
    /// Somebody sends something else.
    Foreign,
}

impl Missed {
    fn error(&self, meeting: &Meeting, deadline: Deadline) -> Error {
        const REMEDY: &str = "set CUDA_NCCL_ADDRESS for all ranks to an address with a free port";
        let place = format!("{meeting} ({})", meeting.source);
        let limit = deadline.shown();
        Error::Start(match self {
            Self::Absent(why) => format!(
                "rank 0 was not there at {place} within {limit} ({why}): was it started, is that its host, and can this \
                 host reach it?"
            ),
            Self::Silent(why) => format!(
                "what listens at {place} did not greet as rank 0 does within {limit} ({why}): has another program this \
                 port? Then {REMEDY}"
            ),
            Self::Foreign => format!(
                "what listens at {place} is not rank 0, or has another version of this crate: {REMEDY}"
            ),
        })
    }
}

fn attempt(meeting: &Meeting, deadline: Deadline) -> Result<(TcpStream, Nonce), Missed> {
    let places = (meeting.host.as_str(), meeting.port)
        .to_socket_addrs()
        .map_err(Missed::Absent)?;
    let nowhere = io::Error::new(ErrorKind::NotFound, "the host's name leads nowhere");
    let mut missed = Missed::Absent(nowhere);
    for place in places {
        let limit = deadline.left().unwrap_or(PAUSES.0).min(CONNECT);
        let stream = match TcpStream::connect_timeout(&place, limit) {
            // A port of the range that clients get may connect to itself, where nobody listens.
            Ok(stream) if stream.local_addr().ok() == stream.peer_addr().ok() => {
                missed = Missed::Absent(ErrorKind::ConnectionRefused.into());
                continue;
            }
            Ok(stream) => stream,
            Err(why) => {
                missed = Missed::Absent(why);
                continue;
            }
        };
        match greeted(&stream, deadline) {
            Ok(Some(nonce)) => return Ok((stream, nonce)),
            // Another of the host's addresses may lead to rank 0.
            Ok(None) => missed = Missed::Foreign,
            Err(why) => missed = Missed::Silent(why),
        }
    }
    Err(missed)
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

struct Client<'a> {
    meeting: &'a Meeting,
    secret: &'a Secret,
    stream: TcpStream,
    deadline: Deadline,
}

impl Client<'_> {
    /// The bytes of the next message, which has to be of this kind.
    fn message(&self, pair: &Pair, kind: u8) -> Result<Vec<u8>> {
        let mut head = [0; 5];
        self.read(&mut head)?;
        if head[0] == STRANGER {
            return Err(Error::Start(format!(
                "rank 0 at {} ({}) has another secret, or belongs to another job: set CUDA_NCCL_SECRET to the same text for \
                 all ranks, or CUDA_NCCL_ADDRESS to a port that no other job has",
                self.meeting, self.meeting.source
            )));
        }
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if length > LONGEST {
            return Err(self.foreign());
        }
        let (mut bytes, mut code) = (vec![0; length], [0; 32]);
        self.read(&mut bytes)?;
        self.read(&mut code)?;
        if !pair.proves(self.secret, head[0], &bytes, &code) {
            return Err(self.foreign());
        }
        match head[0] {
            found if found == kind => Ok(bytes),
            FAILED => Err(Error::Start(format!(
                "rank 0 says: {}",
                String::from_utf8_lossy(&bytes)
            ))),
            _ => Err(self.foreign()),
        }
    }

    fn read(&self, bytes: &mut [u8]) -> Result<()> {
        protocol::read(&self.stream, bytes, self.deadline).map_err(|error| self.lost(&error))
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

    fn foreign(&self) -> Error {
        Error::Start(format!(
            "what listens at {} sends no proof that it knows the secret: is it rank 0 of this job?",
            self.meeting
        ))
    }
}
