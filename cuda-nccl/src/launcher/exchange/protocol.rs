//! The messages of the exchange. All numbers are little-endian.
//!
//! ```text
//! rank 0 → other   greeting   MAGIC, its nonce
//! other → rank 0   hello      MAGIC, rank, size, its nonce, code
//! rank 0 → other   message    kind, length, bytes, code      first WELCOME, then BYTES; or FAILED, or REJECTED
//! other → rank 0   receipt    code                           for BYTES
//! ```
//!
//! A code is an HMAC with the shared secret over a word that names the message, both nonces and the
//! rest of the message. It cannot be computed without the secret, and cannot be replayed.

use std::{
    io::{self, ErrorKind, Read},
    net::TcpStream,
    time::Duration,
};

use super::Deadline;
use crate::launcher::secret::Secret;

/// The last byte is the protocol version.
pub(super) const MAGIC: [u8; 8] = *b"cunccl\0\x01";
pub(super) const GREETING: usize = 8 + 32;
pub(super) const HELLO: usize = 8 + 4 + 4 + 32 + 32;
/// The maximum number of bytes sent to all ranks.
pub(super) const LONGEST: usize = 1 << 16;

/// Rank 0 has checked the rank's code, and proves that it knows the secret.
pub(super) const WELCOME: u8 = 1;
/// The bytes for all ranks.
pub(super) const BYTES: u8 = 2;
/// The reason why there is no group.
pub(super) const FAILED: u8 = 3;
/// The rank's code was wrong. This message has no valid code.
pub(super) const REJECTED: u8 = 4;

pub(super) type Nonce = [u8; 32];

pub(super) fn nonce() -> io::Result<Nonce> {
    let mut nonce = [0; 32];
    getrandom::fill(&mut nonce).map_err(io::Error::other)?;
    Ok(nonce)
}

pub(super) fn greeting(nonce: &Nonce) -> [u8; GREETING] {
    let mut bytes = [0; GREETING];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..].copy_from_slice(nonce);
    bytes
}

/// A rank's introduction.
pub(super) struct Hello {
    pub(super) rank: u32,
    pub(super) size: u32,
    pub(super) nonce: Nonce,
}

impl Hello {
    pub(super) fn write(&self, secret: &Secret, theirs: &Nonce) -> [u8; HELLO] {
        let mut bytes = [0; HELLO];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&self.rank.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.size.to_le_bytes());
        bytes[16..48].copy_from_slice(&self.nonce);
        let code = secret.code(&[b"hello", theirs, &bytes[..48]]);
        bytes[48..].copy_from_slice(&code);
        bytes
    }

    /// Parses a hello, and checks its code. Returns `None` if the bytes are not a hello.
    pub(super) fn read(bytes: &[u8; HELLO], secret: &Secret, ours: &Nonce) -> Option<(Self, bool)> {
        if bytes[..8] != MAGIC {
            return None;
        }
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let mut nonce = [0; 32];
        nonce.copy_from_slice(&bytes[16..48]);
        let hello = Self {
            rank: word(8),
            size: word(12),
            nonce,
        };
        let proven = secret.proves(&[b"hello", ours, &bytes[..48]], &bytes[48..]);
        Some((hello, proven))
    }
}

/// The two nonces of a connection, and the rank at the other end than rank 0.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) zero: Nonce,
    pub(super) other: Nonce,
    pub(super) rank: u32,
}

impl Pair {
    pub(super) fn message(&self, secret: &Secret, kind: u8, bytes: &[u8]) -> Vec<u8> {
        let mut message = vec![kind];
        message.extend((bytes.len() as u32).to_le_bytes());
        message.extend(bytes);
        message.extend(self.code(secret, b"message", kind, bytes));
        message
    }

    pub(super) fn proves(&self, secret: &Secret, kind: u8, bytes: &[u8], code: &[u8]) -> bool {
        let rank = self.rank.to_le_bytes();
        secret.proves(
            &[b"message", &self.zero, &self.other, &rank, &[kind], bytes],
            code,
        )
    }

    pub(super) fn receipt(&self, secret: &Secret) -> [u8; 32] {
        self.code(secret, b"receipt", BYTES, &[])
    }

    fn code(&self, secret: &Secret, word: &[u8], kind: u8, bytes: &[u8]) -> [u8; 32] {
        let rank = self.rank.to_le_bytes();
        secret.code(&[word, &self.zero, &self.other, &rank, &[kind], bytes])
    }
}

/// Returns the message to a client without the secret. Rank 0 can prove nothing to it.
pub(super) fn rejection() -> [u8; 37] {
    let mut message = [0; 37];
    message[0] = REJECTED;
    message
}

/// Fills `bytes` before the deadline, however slowly the data arrives.
pub(super) fn read(
    mut stream: &TcpStream,
    mut bytes: &mut [u8],
    deadline: Deadline,
) -> io::Result<()> {
    while !bytes.is_empty() {
        let Some(left) = deadline.left() else {
            return Err(ErrorKind::TimedOut.into());
        };
        // Some systems round less than a millisecond to "no limit".
        stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        match stream.read(bytes) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(read) => bytes = &mut bytes[read..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
