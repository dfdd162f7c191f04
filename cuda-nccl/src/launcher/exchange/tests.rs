//! The exchange over real sockets on the loopback interface, with threads as ranks, and its
//! failures.

mod crowd;

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        atomic::{AtomicU8, Ordering::Relaxed},
        mpsc,
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::{
    Deadline, join, listen,
    protocol::{GREETING, HELLO, Hello, LONGEST, MAGIC},
    serve, share,
};
use crate::{
    error::{Error, Result},
    launcher::{address::Address, secret::Secret},
};

/// Longer than any step takes, even on a slow machine.
const LONG: Duration = Duration::from_secs(30);
const SHORT: Duration = Duration::from_secs(1);
const BYTES: &[u8] = b"what all ranks get";

fn secret() -> Secret {
    Secret::new("what all ranks know")
}

/// Returns a listener at a free port, with an address that no other test uses. So no other test can
/// take a port that a test has given up.
fn place() -> (TcpListener, Address) {
    static PLACES: AtomicU8 = AtomicU8::new(2);
    let host = format!(
        "127.0.{}.{}",
        std::process::id() % 250 + 1,
        PLACES.fetch_add(1, Relaxed)
    );
    let listener = TcpListener::bind((host.as_str(), 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let address = Address {
        host,
        port,
        source: "a test".to_owned(),
    };
    (listener, address)
}

fn zero(
    listener: TcpListener,
    address: &Address,
    size: usize,
    limit: Duration,
) -> JoinHandle<Result<()>> {
    let address = address.clone();
    thread::spawn(move || {
        serve::serve(
            &listener,
            &address,
            &secret(),
            size,
            BYTES,
            Deadline::after(limit),
        )
    })
}

fn other(
    address: &Address,
    secret: Secret,
    rank: usize,
    size: usize,
    limit: Duration,
) -> JoinHandle<Result<Vec<u8>>> {
    let address = address.clone();
    thread::spawn(move || join::join(&address, &secret, rank, size, Deadline::after(limit)))
}

#[track_caller]
fn start_error<T: std::fmt::Debug>(outcome: Result<T>, words: &[&str]) {
    match outcome.unwrap_err() {
        Error::Start(text) => words
            .iter()
            .for_each(|word| assert!(text.contains(word), "no {word:?} in: {text}")),
        other => panic!("not an Error::Start: {other:?}"),
    }
}

#[track_caller]
fn lost<T: std::fmt::Debug>(outcome: Result<T>, words: &[&str]) {
    match outcome.unwrap_err() {
        Error::Lost(text) => words
            .iter()
            .for_each(|word| assert!(text.contains(word), "no {word:?} in: {text}")),
        other => panic!("not an Error::Lost: {other:?}"),
    }
}

/// Returns a connection and rank 0's nonce.
fn knock(address: &Address) -> (TcpStream, [u8; 32]) {
    let mut stream = TcpStream::connect(address.to_string()).unwrap();
    let mut greeting = [0; GREETING];
    stream.read_exact(&mut greeting).unwrap();
    assert_eq!(greeting[..8], MAGIC);
    (stream, greeting[8..].try_into().unwrap())
}

/// Returns the connection of a welcomed rank, which the test continues to use.
fn enter(address: &Address, rank: u32, size: u32) -> TcpStream {
    let (mut stream, theirs) = knock(address);
    let hello = Hello {
        rank,
        size,
        nonce: [7; 32],
    }
    .write(&secret(), &theirs);
    stream.write_all(&hello).unwrap();
    let mut welcome = [0; 37];
    stream.read_exact(&mut welcome).unwrap();
    assert_eq!(welcome[0], super::protocol::WELCOME);
    stream
}

#[test]
fn ranks_may_arrive_in_any_order() {
    const SIZE: usize = 40;
    let (listener, address) = place();
    // Some ranks connect before rank 0 starts.
    let early: Vec<_> = (1..SIZE / 2)
        .rev()
        .map(|rank| other(&address, secret(), rank, SIZE, LONG))
        .collect();
    thread::sleep(Duration::from_millis(50));
    let zero = zero(listener, &address, SIZE, LONG);
    let late: Vec<_> = (SIZE / 2..SIZE)
        .map(|rank| other(&address, secret(), rank, SIZE, LONG))
        .collect();
    for rank in early.into_iter().chain(late) {
        assert_eq!(rank.join().unwrap().unwrap(), BYTES);
    }
    zero.join().unwrap().unwrap();
}

#[test]
fn ranks_wait_for_a_rank_0_that_starts_later() {
    let (listener, address) = place();
    drop(listener);
    let rank = other(&address, secret(), 1, 2, LONG);
    thread::sleep(Duration::from_millis(150));
    let given = share(&address, &secret(), 0, 2, LONG, || Ok(BYTES.to_vec()));
    assert_eq!(given.unwrap(), BYTES);
    assert_eq!(rank.join().unwrap().unwrap(), BYTES);
}

#[test]
fn zero_to_the_maximum_of_bytes_are_sent() {
    for bytes in [vec![], vec![9; LONGEST]] {
        let (listener, address) = place();
        drop(listener);
        let rank = other(&address, secret(), 1, 2, LONG);
        let given = share(&address, &secret(), 0, 2, LONG, || Ok(bytes.clone()));
        assert_eq!(given.unwrap(), bytes);
        assert_eq!(rank.join().unwrap().unwrap(), bytes);
    }
    let (listener, address) = place();
    drop(listener);
    let rank = other(&address, secret(), 1, 2, LONG);
    let rejected = share(&address, &secret(), 0, 2, LONG, || Ok(vec![0; LONGEST + 1]));
    start_error(rejected, &["65537 bytes"]);
    start_error(
        rank.join().unwrap(),
        &["rank 0 reports: share_bytes: 65537 bytes"],
    );
}

#[test]
fn missing_rank_0_is_reported() {
    let (listener, address) = place();
    drop(listener);
    let begin = Instant::now();
    let outcome = join::join(&address, &secret(), 1, 2, Deadline::after(SHORT));
    start_error(
        outcome,
        &["was not reached", &address.to_string(), "1.0s", "refused"],
    );
    assert!(begin.elapsed() >= SHORT);
    let nowhere = Address {
        host: "no-such-host.invalid".to_owned(),
        ..address
    };
    let outcome = join::join(&nowhere, &secret(), 1, 2, Deadline::after(SHORT));
    start_error(outcome, &["no-such-host.invalid", "a test"]);
}

#[test]
fn address_in_use_is_reported() {
    let (_listener, address) = place();
    start_error(
        listen(&address),
        &[
            "cannot listen",
            &address.to_string(),
            "a test",
            "CUDA_NCCL_ADDRESS",
        ],
    );
    let elsewhere = Address {
        host: "host.example".to_owned(),
        ..address
    };
    start_error(listen(&elsewhere), &["cannot listen", "host.example"]);
}

#[test]
fn missing_ranks_are_reported_to_all() {
    let (listener, address) = place();
    let zero = zero(listener, &address, 12, SHORT);
    let rank = other(&address, secret(), 2, 12, SHORT);
    start_error(
        zero.join().unwrap(),
        &[
            "10 of 12 ranks",
            "ranks 1, 3, 4, 5, 6, 7, 8, 9 and more",
            "1.0s",
        ],
    );
    start_error(rank.join().unwrap(), &["rank 0 reports", "ranks 1, 3, 4"]);
}

#[test]
fn address_of_another_host_is_reported() {
    // An address reserved for documentation, which no machine has.
    for host in ["192.0.2.7", "no-such-host.invalid"] {
        let (listener, address) = place();
        let elsewhere = Address {
            host: host.to_owned(),
            ..address
        };
        start_error(
            zero(listener, &elsewhere, 2, SHORT).join().unwrap(),
            &["rank 1", host, "a test", "not an address of rank 0's host"],
        );
    }
    assert_eq!(place().1.elsewhere(), None);
}

#[test]
fn duplicate_rank_fails_the_start_for_all() {
    let (listener, address) = place();
    let zero = zero(listener, &address, 4, LONG);
    let waiting = enter(&address, 3, 4);
    let first = other(&address, secret(), 1, 4, LONG);
    let second = other(&address, secret(), 1, 4, LONG);
    start_error(
        zero.join().unwrap(),
        &["rank 1 has joined twice", "from 127."],
    );
    for rank in [first, second] {
        start_error(rank.join().unwrap(), &["rank 0 reports", "twice"]);
    }
    drop(waiting);
}

#[test]
fn different_number_of_ranks_is_rejected() {
    let (listener, address) = place();
    let zero = zero(listener, &address, 3, LONG);
    let rank = other(&address, secret(), 1, 4, LONG);
    let text = "the number of ranks is 4 on rank 1 and 3 on rank 0 (rank 1 connects from ";
    start_error(zero.join().unwrap(), &[text]);
    start_error(rank.join().unwrap(), &["rank 0 reports", text]);
}

#[test]
fn rank_out_of_range_is_rejected() {
    for rank in [0, 3, 7] {
        let (listener, address) = place();
        let zero = zero(listener, &address, 3, LONG);
        let wrong = other(&address, secret(), rank, 3, LONG);
        start_error(
            zero.join().unwrap(),
            &[&format!("to be rank {rank}"), "from 0 to 2"],
        );
        start_error(wrong.join().unwrap(), &["rank 0 reports"]);
    }
}

#[test]
fn wrong_secret_is_rejected_and_the_others_start() {
    let (listener, address) = place();
    let zero = zero(listener, &address, 2, LONG);
    let stranger = other(&address, Secret::new("another one"), 1, 2, LONG);
    start_error(
        stranger.join().unwrap(),
        &["another secret", "CUDA_NCCL_SECRET"],
    );
    let rank = other(&address, secret(), 1, 2, LONG);
    assert_eq!(rank.join().unwrap().unwrap(), BYTES);
    zero.join().unwrap().unwrap();
}

#[test]
fn error_lists_rejected_clients() {
    let (listener, address) = place();
    let zero = zero(listener, &address, 2, SHORT);
    let stranger = other(&address, Secret::new("another one"), 1, 2, LONG);
    stranger.join().unwrap().unwrap_err();
    start_error(
        zero.join().unwrap(),
        &[
            "rank 1",
            "1 client was rejected",
            "rank 1, with another secret",
        ],
    );
}

#[test]
fn unrelated_and_slow_clients_delay_no_rank() {
    let (listener, address) = place();
    let zero = zero(listener, &address, 2, LONG);
    // Clients that stay silent, send too little, send something else, disconnect at once, or use
    // another version.
    let (silent, _) = knock(&address);
    let (mut slow, _) = knock(&address);
    slow.write_all(&MAGIC).unwrap();
    let (mut garbage, _) = knock(&address);
    garbage.write_all(&[0x55; 3 * HELLO]).unwrap();
    let (mut web, _) = knock(&address);
    web.write_all(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        .unwrap();
    drop(TcpStream::connect(address.to_string()).unwrap());
    let (mut version, theirs) = knock(&address);
    let mut hello = Hello {
        rank: 1,
        size: 2,
        nonce: [1; 32],
    }
    .write(&secret(), &theirs);
    hello[7] = 9;
    version.write_all(&hello).unwrap();
    let begin = Instant::now();
    assert_eq!(
        other(&address, secret(), 1, 2, LONG)
            .join()
            .unwrap()
            .unwrap(),
        BYTES
    );
    zero.join().unwrap().unwrap();
    assert!(
        begin.elapsed() < Duration::from_secs(5),
        "{:?}",
        begin.elapsed()
    );
    drop((silent, slow));
}

#[test]
fn hello_cannot_be_replayed_or_changed() {
    let (listener, address) = place();
    let zero = zero(listener, &address, 3, SHORT);
    let (mut first, theirs) = knock(&address);
    let hello = Hello {
        rank: 1,
        size: 3,
        nonce: [3; 32],
    }
    .write(&secret(), &theirs);
    first.write_all(&hello).unwrap();
    let answer = |stream: &mut TcpStream| {
        let mut kind = [0];
        stream.read_exact(&mut kind).unwrap();
        kind[0]
    };
    assert_eq!(answer(&mut first), super::protocol::WELCOME);
    let (mut again, _) = knock(&address);
    again.write_all(&hello).unwrap();
    assert_eq!(answer(&mut again), super::protocol::REJECTED);
    let (mut changed, theirs) = knock(&address);
    let mut hello = Hello {
        rank: 1,
        size: 3,
        nonce: [3; 32],
    }
    .write(&secret(), &theirs);
    hello[8] = 2;
    changed.write_all(&hello).unwrap();
    assert_eq!(answer(&mut changed), super::protocol::REJECTED);
    start_error(zero.join().unwrap(), &["1 of 3 ranks", "rank 2"]);
}

#[test]
fn rank_that_ends_while_it_waits_is_lost() {
    let (listener, address) = place();
    let zero = zero(listener, &address, 4, LONG);
    let waiting = other(&address, secret(), 2, 4, SHORT);
    let rejected = enter(&address, 1, 4);
    drop(rejected);
    lost(
        zero.join().unwrap(),
        &["rank 1", "ended before all ranks had arrived"],
    );
    // It either connects in time for the report, or finds no listener until its limit is over.
    waiting.join().unwrap().unwrap_err();
}

#[test]
fn rank_that_ends_before_its_receipt_is_lost() {
    let (listener, address) = place();
    let zero = zero(listener, &address, 2, LONG);
    let rank = enter(&address, 1, 2);
    let mut all = Vec::new();
    rank.shutdown(Shutdown::Write).unwrap();
    let _ = (&rank).read_to_end(&mut all);
    lost(zero.join().unwrap(), &["rank 1"]);
}

#[test]
fn end_of_rank_0_is_reported() {
    let (listener, address) = place();
    let (send, receive) = mpsc::channel();
    // Sends the greeting, reads the hello, and ends.
    let zero = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream
            .write_all(&super::protocol::greeting(&[5; 32]))
            .unwrap();
        stream.read_exact(&mut [0; HELLO]).unwrap();
        receive.recv().unwrap();
    });
    let rank = other(&address, secret(), 1, 2, LONG);
    send.send(()).unwrap();
    zero.join().unwrap();
    lost(
        rank.join().unwrap(),
        &["rank 0 at", "ended before all ranks had arrived"],
    );
}

#[test]
fn error_of_make_is_reported_to_all() {
    let (listener, address) = place();
    drop(listener);
    let rank = other(&address, secret(), 1, 2, LONG);
    let failed = share(&address, &secret(), 0, 2, LONG, || {
        Err(Error::Missing("no library".to_owned()))
    });
    assert!(matches!(failed, Err(Error::Missing(_))), "{failed:?}");
    start_error(rank.join().unwrap(), &["rank 0 reports: no library"]);
}

#[test]
fn listener_that_is_not_rank_0_is_rejected() {
    let imposter = |answer: &'static [u8]| {
        let (listener, address) = place();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(answer).unwrap();
            let _ = stream.read_to_end(&mut Vec::new());
        });
        let outcome = join::join(&address, &secret(), 1, 2, Deadline::after(SHORT));
        server.join().unwrap();
        outcome
    };
    start_error(
        imposter(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
        &["is not rank 0", "CUDA_NCCL_ADDRESS"],
    );
    // Sends a valid greeting, but does not know the secret. Its welcome, length and bytes must not
    // be trusted.
    const WELCOME: [u8; GREETING + 37] = {
        let mut bytes = [0; GREETING + 37];
        let mut at = 0;
        while at < 8 {
            bytes[at] = MAGIC[at];
            at += 1;
        }
        bytes[GREETING] = super::protocol::WELCOME;
        bytes
    };
    start_error(imposter(&WELCOME), &["did not prove"]);
    const HUGE: [u8; GREETING + 5] = {
        let mut bytes = [0xff; GREETING + 5];
        let mut at = 0;
        while at < 8 {
            bytes[at] = MAGIC[at];
            at += 1;
        }
        bytes[GREETING] = super::protocol::WELCOME;
        bytes
    };
    start_error(imposter(&HUGE), &["did not prove"]);
    // Shorter than a greeting.
    start_error(imposter(b"220 mail\r\n"), &["is not rank 0"]);
    // Greets and then stays silent, or sends nothing at all.
    for silent in [&MAGIC[..], b""] {
        start_error(
            imposter(silent),
            &["did not greet", "another program", "CUDA_NCCL_ADDRESS"],
        );
    }
}

#[test]
fn huge_number_of_ranks_fails_quickly() {
    let (listener, address) = place();
    let since = Instant::now();
    let size = i32::MAX as usize;
    let error = zero(listener, &address, size, Duration::from_millis(50)).join();
    let text = error.unwrap().unwrap_err().to_string();
    let start = format!(
        "{} of {size} ranks have not connected to rank 0 at ",
        size - 1
    );
    assert!(text.starts_with(&start), "{text}");
    assert!(
        text.contains("within 50.0ms: ranks 1, 2, 3, 4, 5, 6, 7, 8 and more. "),
        "{text}"
    );
    assert!(since.elapsed() < SHORT + SHORT, "{:?}", since.elapsed());
    assert_eq!(Deadline::after(Duration::ZERO).shown(), "no time at all");
}

/// Returns the result of a rank that joins an imposter. The imposter sends `answer` and reads the
/// hello if `answer` begins with a greeting. If `ends` is set, it closes the connection.
fn answer_of_a_rank_0(answer: Vec<u8>, ends: bool, limit: Duration) -> Result<Vec<u8>> {
    let (listener, meeting) = place();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        drop(listener);
        stream.write_all(&answer).unwrap();
        if ends {
            // Wait for the rank's hello. Otherwise a reset may discard the answer.
            stream.shutdown(Shutdown::Write).unwrap();
        }
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let outcome = join::join(&meeting, &secret(), 1, 2, Deadline::after(limit));
    server.join().unwrap();
    outcome
}

#[test]
fn a_rank_0_that_never_answers_a_hello_is_missed_in_time() {
    let greeting = super::protocol::greeting(&[5; 32]).to_vec();
    let begin = Instant::now();
    // Long enough for the greeting to arrive on a busy machine.
    let outcome = answer_of_a_rank_0(greeting, false, Duration::from_millis(500));
    start_error(
        outcome,
        &["did not send its bytes within 500.0ms, because some rank has not arrived"],
    );
    // The grace period is two seconds.
    assert!(begin.elapsed() >= Duration::from_millis(2500));
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_welcome_that_is_cut_at_any_byte_is_an_end_of_rank_0() {
    // No code is right, so a whole message would be a foreign one.
    let whole = [
        &super::protocol::greeting(&[5; 32])[..],
        &[super::protocol::WELCOME, 0, 0, 0, 0],
        &[0; 32],
    ]
    .concat();
    for kept in [40, 41, 44, 45, 46, 76] {
        let outcome = answer_of_a_rank_0(whole[..kept].to_vec(), true, LONG);
        lost(
            outcome,
            &[
                "rank 0 at",
                "ended before all ranks had arrived. Fix: see its output",
            ],
        );
    }
    let foreign = answer_of_a_rank_0(whole, true, LONG);
    start_error(foreign, &["did not prove that it knows the secret"]);
}

#[test]
fn a_message_of_the_greatest_length_is_read() {
    let message = |length: usize| {
        let mut bytes = super::protocol::greeting(&[5; 32]).to_vec();
        bytes.push(super::protocol::WELCOME);
        bytes.extend((length as u32).to_le_bytes());
        bytes
    };
    // Its bytes are waited for, and the connection ends before they come.
    let outcome = answer_of_a_rank_0(message(LONGEST), true, LONG);
    lost(outcome, &["ended before all ranks had arrived"]);
    let outcome = answer_of_a_rank_0(message(LONGEST + 1), true, LONG);
    start_error(outcome, &["did not prove that it knows the secret"]);
}

#[test]
fn so_many_ranks_that_a_message_has_no_room_are_rejected() {
    let (_listener, meeting) = place();
    for (rank, size) in [(1, 1 << 32), (1 << 32, 1 << 33)] {
        let outcome = join::join(&meeting, &secret(), rank, size, Deadline::after(LONG));
        start_error(outcome, &[&format!("{size} ranks are too many")]);
    }
}

#[test]
fn a_deadline_that_no_clock_can_express_is_none() {
    let never = Deadline::after(Duration::MAX);
    assert!(never.left().unwrap() > Duration::from_secs(1 << 27));
    assert_eq!(Deadline::after(Duration::ZERO).left(), None);
    assert_eq!(Deadline::after(LONG).shown(), "30.0s");
    assert!(Deadline::after(LONG).left().unwrap() <= LONG);
}

#[test]
fn an_address_of_this_host_alone_is_not_open_to_others() {
    let (listener, meeting) = place();
    drop(listener);
    let local = listen(&meeting).unwrap().local_addr().unwrap();
    assert_eq!(local.to_string(), meeting.to_string());
    let named = Address {
        host: "node1".to_owned(),
        port: 0,
        ..meeting
    };
    let open = listen(&named).unwrap().local_addr().unwrap();
    assert!(open.ip().is_unspecified(), "{open}");
}
