//! All ranks but 0: connect, prove to know the secret, and wait for the bytes.

use std::{
    io::{self, ErrorKind, Write},
    net::{TcpStream, ToSocketAddrs},
    thread,
    time::Duration,
};

use super::{
    Deadline,
    protocol::{
        self, BYTES, FAILED, GREETING, Hello, LONGEST, MAGIC, Nonce, Pair, STRANGER, WELCOME,
    },
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
        let why = match attempt(meeting, deadline) {
            Ok((stream, greeting)) => {
                if greeting[..8] != MAGIC {
                    return Err(Error::Start(format!(
                        "what listens at {meeting} ({}) is not rank 0, or has another version of this crate: set \
                         CUDA_NCCL_ADDRESS for all ranks to an address with a free port",
                        meeting.source
                    )));
                }
                let mut nonce = [0; 32];
                nonce.copy_from_slice(&greeting[8..]);
                return Ok((stream, nonce));
            }
            Err(why) => why,
        };
        match deadline.left() {
            Some(left) => thread::sleep(pause.min(left)),
            None => {
                return Err(Error::Start(format!(
                    "rank 0 was not there at {meeting} ({}) within {:.1?} ({why}): was it started, is that its host, and can \
                     this host reach it?",
                    meeting.source, deadline.limit
                )));
            }
        }
        pause = (2 * pause).min(PAUSES.1);
    }
}

fn attempt(meeting: &Meeting, deadline: Deadline) -> io::Result<(TcpStream, [u8; GREETING])> {
    let mut why = io::Error::new(ErrorKind::NotFound, "the host's name leads nowhere");
    for address in (meeting.host.as_str(), meeting.port).to_socket_addrs()? {
        let limit = deadline.left().unwrap_or(PAUSES.0).min(CONNECT);
        let attempt = TcpStream::connect_timeout(&address, limit).and_then(|stream| {
            stream.set_nodelay(true)?;
            // A port of the range that clients get may connect to itself, where nobody listens.
            if stream.local_addr()? == stream.peer_addr()? {
                return Err(ErrorKind::ConnectionRefused.into());
            }
            let mut greeting = [0; GREETING];
            protocol::read(&stream, &mut greeting, deadline)?;
            Ok((stream, greeting))
        });
        match attempt {
            Ok(done) => return Ok(done),
            Err(error) => why = error,
        }
    }
    Err(why)
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
                "rank 0 at {} did not send the first bytes within {:.1?}: some rank has not come",
                self.meeting, self.deadline.limit
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
