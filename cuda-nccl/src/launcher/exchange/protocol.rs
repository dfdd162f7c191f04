//! The messages of the exchange. All numbers are little-endian.
//!
//! ```text
//! rank 0 → other   greeting   MAGIC, its nonce
//! other → rank 0   hello      MAGIC, rank, size, its nonce, code
//! rank 0 → other   message    kind, length, bytes, code   WELCOME and BYTES, FAILED or REJECTED
//! other → rank 0   receipt    code                        for BYTES
//! ```
//!
//! A code is an HMAC with the shared secret over a word that names the message, both nonces and the
//! rest of the message. It cannot be computed without the secret, and cannot be replayed.

use std::{
    io::{self, ErrorKind, Read},
    net::TcpStream,
    time::Duration,
};

use super::deadline::Deadline;
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
/// The reason why the start has failed.
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

    /// Parses a hello. Returns it and whether its code is valid, or `None` if the bytes are not a
    /// hello.
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

/// The two nonces of a connection, and the rank that is connected to rank 0.
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

#[cfg(test)]
mod tests {
    use std::{
        io::Write, net::TcpListener, os::unix::thread::JoinHandleExt, thread, time::Instant,
    };

    use super::*;

    fn secret() -> Secret {
        Secret::new("a secret")
    }

    #[test]
    fn a_hello_carries_large_numbers() {
        let hello = Hello {
            rank: 0x0102_0304,
            size: 0xf5f6_f7f8,
            nonce: [9; 32],
        };
        let bytes = hello.write(&secret(), &[4; 32]);
        assert_eq!(bytes[8..16], [4, 3, 2, 1, 0xf8, 0xf7, 0xf6, 0xf5]);
        let (read, proven) = Hello::read(&bytes, &secret(), &[4; 32]).unwrap();
        assert!(proven);
        assert_eq!(
            (read.rank, read.size, read.nonce),
            (hello.rank, hello.size, hello.nonce)
        );
    }

    #[test]
    fn a_hello_with_any_changed_byte_proves_nothing() {
        let hello = Hello {
            rank: 1,
            size: 2,
            nonce: [9; 32],
        };
        let bytes = hello.write(&secret(), &[4; 32]);
        for at in 0..HELLO {
            let mut changed = bytes;
            changed[at] ^= 1;
            let read = Hello::read(&changed, &secret(), &[4; 32]);
            match at < MAGIC.len() {
                true => assert!(read.is_none(), "{at}"),
                false => assert!(!read.unwrap().1, "{at}"),
            }
        }
        let foreign = Hello::read(&bytes, &secret(), &[5; 32]).unwrap();
        assert!(!foreign.1, "another nonce");
        let foreign = Hello::read(&bytes, &Secret::new("another"), &[4; 32]).unwrap();
        assert!(!foreign.1, "another secret");
    }

    /// Pairs that differ from the first one in one field each.
    fn pairs() -> [Pair; 4] {
        let pair = Pair {
            zero: [1; 32],
            other: [2; 32],
            rank: 3,
        };
        [
            pair,
            Pair {
                zero: [7; 32],
                ..pair
            },
            Pair {
                other: [7; 32],
                ..pair
            },
            Pair { rank: 7, ..pair },
        ]
    }

    #[test]
    fn codes_depend_on_the_pair_the_secret_the_kind_and_the_bytes() {
        let [pair, others @ ..] = pairs();
        let message = pair.message(&secret(), BYTES, b"bytes");
        assert_eq!(message[..10], *b"\x02\x05\0\0\0bytes");
        let code = &message[10..];
        assert_eq!(code.len(), 32);
        assert!(pair.proves(&secret(), BYTES, b"bytes", code));
        assert!(!pair.proves(&secret(), WELCOME, b"bytes", code));
        assert!(!pair.proves(&secret(), BYTES, b"byte", code));
        assert!(!pair.proves(&Secret::new("another"), BYTES, b"bytes", code));
        for other in others {
            assert!(!other.proves(&secret(), BYTES, b"bytes", code));
        }
    }

    #[test]
    fn receipts_differ_between_pairs_and_secrets() {
        let mut receipts: Vec<_> = pairs().map(|pair| pair.receipt(&secret())).into();
        receipts.push(pairs()[0].receipt(&Secret::new("another")));
        let code = &pairs()[0].message(&secret(), BYTES, &[])[5..];
        receipts.push(code.try_into().unwrap());
        for (at, receipt) in receipts.iter().enumerate() {
            assert!(!receipts[..at].contains(receipt), "{at}");
        }
    }

    #[test]
    fn a_stranger_gets_a_message_without_a_code() {
        let message = rejection();
        assert_eq!(message[0], REJECTED);
        assert_eq!(message[1..], [0; 36]);
    }

    #[test]
    fn nonces_are_never_the_same() {
        assert_ne!(nonce().unwrap(), nonce().unwrap());
    }

    #[test]
    fn reading_takes_bytes_one_by_one_and_ends_with_the_deadline() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let mut writer = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().unwrap();
        writer.set_nodelay(true).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                for byte in 0..5 {
                    thread::sleep(Duration::from_millis(5));
                    writer.write_all(&[byte]).unwrap();
                }
            });
            let mut bytes = [0; 5];
            read(
                &stream,
                &mut bytes,
                Deadline::after(Duration::from_secs(20)),
            )
            .unwrap();
            assert_eq!(bytes, [0, 1, 2, 3, 4]);
        });
        // No more data arrives.
        let (start, limit) = (Instant::now(), Duration::from_millis(50));
        let late = read(&stream, &mut [0], Deadline::after(limit)).unwrap_err();
        assert_eq!(late.kind(), ErrorKind::TimedOut);
        assert!(start.elapsed() >= limit);
        // The deadline also ends a read if data is available.
        writer.write_all(&[9]).unwrap();
        let late = read(&stream, &mut [0], Deadline::after(Duration::ZERO)).unwrap_err();
        assert_eq!(late.kind(), ErrorKind::TimedOut);
        read(&stream, &mut [], Deadline::after(Duration::ZERO)).unwrap();
        drop(writer);
        let long = Deadline::after(Duration::from_secs(20));
        let ended = read(&stream, &mut [0; 2], long).unwrap_err();
        assert_eq!(ended.kind(), ErrorKind::UnexpectedEof);
    }
    /// Sets SO_LINGER to zero seconds, so that closing the stream sends a reset.
    fn reset(stream: TcpStream) {
        use std::os::fd::AsRawFd;
        let linger = libc::linger {
            l_onoff: 1,
            l_linger: 0,
        };
        // SAFETY: the descriptor is open, and the value has the size that is passed.
        let code = unsafe {
            libc::setsockopt(
                stream.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_LINGER,
                (&raw const linger).cast(),
                size_of_val(&linger) as libc::socklen_t,
            )
        };
        assert_eq!(code, 0);
    }

    #[test]
    fn reading_returns_the_error_of_the_connection() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let writer = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().unwrap();
        reset(writer);
        let long = Deadline::after(Duration::from_secs(20));
        let error = read(&stream, &mut [0], long).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    }

    #[test]
    fn reading_goes_on_after_a_signal() {
        extern "C" fn ignore(_: libc::c_int) {}
        let handler = ignore as extern "C" fn(libc::c_int);
        // SAFETY: the handler does nothing. No other test uses this signal.
        unsafe { libc::signal(libc::SIGUSR1, handler as libc::sighandler_t) };
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let mut writer = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().unwrap();
        let reader = thread::spawn(move || {
            let long = Deadline::after(Duration::from_secs(20));
            read(&stream, &mut [0], long)
        });
        for _ in 0..20 {
            thread::sleep(Duration::from_millis(5));
            // SAFETY: the thread is joined below, so its number is still its own.
            let code = unsafe { libc::pthread_kill(reader.as_pthread_t(), libc::SIGUSR1) };
            assert_eq!(code, 0);
        }
        writer.write_all(&[1]).unwrap();
        reader.join().unwrap().unwrap();
    }
}
