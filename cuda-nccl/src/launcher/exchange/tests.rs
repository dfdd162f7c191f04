//! Real sockets on the loopback, threads as ranks, and all that can go wrong.

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
    launcher::{address::Meeting, secret::Secret},
};

/// More than anything here takes, so that a slow machine changes nothing.
const LONG: Duration = Duration::from_secs(30);
const SHORT: Duration = Duration::from_secs(1);
const BYTES: &[u8] = b"what all ranks get";

fn secret() -> Secret {
    Secret::new("what all ranks know")
}

/// A listener at a free port, of an address that no other test has: a port that a test gives up is not taken by others.
fn place() -> (TcpListener, Meeting) {
    static PLACES: AtomicU8 = AtomicU8::new(2);
    let host = format!(
        "127.0.{}.{}",
        std::process::id() % 250 + 1,
        PLACES.fetch_add(1, Relaxed)
    );
    let listener = TcpListener::bind((host.as_str(), 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let meeting = Meeting {
        host,
        port,
        source: "a test".to_owned(),
    };
    (listener, meeting)
}

fn zero(
    listener: TcpListener,
    meeting: &Meeting,
    size: usize,
    limit: Duration,
) -> JoinHandle<Result<()>> {
    let meeting = meeting.clone();
    thread::spawn(move || {
        serve::serve(
            &listener,
            &meeting,
            &secret(),
            size,
            BYTES,
            Deadline::after(limit),
        )
    })
}

fn other(
    meeting: &Meeting,
    secret: Secret,
    rank: usize,
    size: usize,
    limit: Duration,
) -> JoinHandle<Result<Vec<u8>>> {
    let meeting = meeting.clone();
    thread::spawn(move || join::join(&meeting, &secret, rank, size, Deadline::after(limit)))
}

#[track_caller]
fn start_error<T: std::fmt::Debug>(outcome: Result<T>, words: &[&str]) {
    match outcome.unwrap_err() {
        Error::Start(text) => words
            .iter()
            .for_each(|word| assert!(text.contains(word), "no {word:?} in: {text}")),
        other => panic!("not of the start: {other:?}"),
    }
}

#[track_caller]
fn lost<T: std::fmt::Debug>(outcome: Result<T>, words: &[&str]) {
    match outcome.unwrap_err() {
        Error::Lost(text) => words
            .iter()
            .for_each(|word| assert!(text.contains(word), "no {word:?} in: {text}")),
        other => panic!("not a lost rank: {other:?}"),
    }
}

/// A connection, and the nonce of rank 0.
fn knock(meeting: &Meeting) -> (TcpStream, [u8; 32]) {
    let mut stream = TcpStream::connect(meeting.to_string()).unwrap();
    let mut greeting = [0; GREETING];
    stream.read_exact(&mut greeting).unwrap();
    assert_eq!(greeting[..8], MAGIC);
    (stream, greeting[8..].try_into().unwrap())
}

/// A rank that has proven itself, and then does as the test wants.
fn enter(meeting: &Meeting, rank: u32, size: u32) -> TcpStream {
    let (mut stream, theirs) = knock(meeting);
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
fn many_ranks_in_any_order() {
    const SIZE: usize = 40;
    let (listener, meeting) = place();
    // Some are there before rank 0 looks.
    let early: Vec<_> = (1..SIZE / 2)
        .rev()
        .map(|rank| other(&meeting, secret(), rank, SIZE, LONG))
        .collect();
    thread::sleep(Duration::from_millis(50));
    let zero = zero(listener, &meeting, SIZE, LONG);
    let late: Vec<_> = (SIZE / 2..SIZE)
        .map(|rank| other(&meeting, secret(), rank, SIZE, LONG))
        .collect();
    for rank in early.into_iter().chain(late) {
        assert_eq!(rank.join().unwrap().unwrap(), BYTES);
    }
    zero.join().unwrap().unwrap();
}

#[test]
fn ranks_wait_for_a_rank_0_that_starts_later() {
    let (listener, meeting) = place();
    drop(listener);
    let rank = other(&meeting, secret(), 1, 2, LONG);
    thread::sleep(Duration::from_millis(150));
    let given = share(&meeting, &secret(), 0, 2, LONG, || Ok(BYTES.to_vec()));
    assert_eq!(given.unwrap(), BYTES);
    assert_eq!(rank.join().unwrap().unwrap(), BYTES);
}

#[test]
fn the_most_bytes_and_none() {
    for bytes in [vec![], vec![9; LONGEST]] {
        let (listener, meeting) = place();
        drop(listener);
        let rank = other(&meeting, secret(), 1, 2, LONG);
        let given = share(&meeting, &secret(), 0, 2, LONG, || Ok(bytes.clone()));
        assert_eq!(given.unwrap(), bytes);
        assert_eq!(rank.join().unwrap().unwrap(), bytes);
    }
    let (listener, meeting) = place();
    drop(listener);
    let rank = other(&meeting, secret(), 1, 2, LONG);
    let refused = share(&meeting, &secret(), 0, 2, LONG, || Ok(vec![0; LONGEST + 1]));
    start_error(refused, &["65537 bytes"]);
    start_error(rank.join().unwrap(), &["rank 0 says: 65537 bytes"]);
}

#[test]
fn nobody_listens() {
    let (listener, meeting) = place();
    drop(listener);
    let begin = Instant::now();
    let outcome = join::join(&meeting, &secret(), 1, 2, Deadline::after(SHORT));
    start_error(
        outcome,
        &["was not there", &meeting.to_string(), "1.0s", "refused"],
    );
    assert!(begin.elapsed() >= SHORT);
    let nowhere = Meeting {
        host: "no-such-host.invalid".to_owned(),
        ..meeting
    };
    let outcome = join::join(&nowhere, &secret(), 1, 2, Deadline::after(SHORT));
    start_error(outcome, &["no-such-host.invalid", "a test"]);
}

#[test]
fn the_address_is_in_use() {
    let (_listener, meeting) = place();
    start_error(
        listen(&meeting),
        &[
            "can't listen",
            &meeting.to_string(),
            "a test",
            "CUDA_NCCL_ADDRESS",
        ],
    );
    let elsewhere = Meeting {
        host: "host.example".to_owned(),
        ..meeting
    };
    start_error(listen(&elsewhere), &["can't listen", "host.example"]);
}

#[test]
fn ranks_that_do_not_come_are_named_to_all() {
    let (listener, meeting) = place();
    let zero = zero(listener, &meeting, 12, SHORT);
    let rank = other(&meeting, secret(), 2, 12, SHORT);
    start_error(
        zero.join().unwrap(),
        &[
            "10 of 12 ranks",
            "rank 1, 3, 4, 5, 6, 7, 8, 9 and more",
            "1.0s",
        ],
    );
    start_error(rank.join().unwrap(), &["rank 0 says", "rank 1, 3, 4"]);
}

#[test]
fn rank_0_is_told_that_its_address_is_elsewhere() {
    // Of the block for documentation: no machine has it.
    for host in ["192.0.2.7", "no-such-host.invalid"] {
        let (listener, meeting) = place();
        let elsewhere = Meeting {
            host: host.to_owned(),
            ..meeting
        };
        start_error(
            zero(listener, &elsewhere, 2, SHORT).join().unwrap(),
            &[
                "rank 1",
                host,
                "a test",
                "no address of the host where rank 0 runs",
            ],
        );
    }
    assert_eq!(place().1.elsewhere(), None);
}

#[test]
fn a_rank_that_comes_twice_ends_the_start_for_all() {
    let (listener, meeting) = place();
    let zero = zero(listener, &meeting, 4, LONG);
    let waiting = enter(&meeting, 3, 4);
    let first = other(&meeting, secret(), 1, 4, LONG);
    let second = other(&meeting, secret(), 1, 4, LONG);
    start_error(
        zero.join().unwrap(),
        &["rank 1 has come twice", "from 127."],
    );
    for rank in [first, second] {
        start_error(rank.join().unwrap(), &["rank 0 says", "twice"]);
    }
    drop(waiting);
}

#[test]
fn another_number_of_ranks() {
    let (listener, meeting) = place();
    let zero = zero(listener, &meeting, 3, LONG);
    let rank = other(&meeting, secret(), 1, 4, LONG);
    start_error(zero.join().unwrap(), &["rank 1", "with 4 ranks", "with 3"]);
    start_error(rank.join().unwrap(), &["rank 0 says", "with 4 ranks"]);
}

#[test]
fn a_rank_that_there_is_not() {
    for rank in [0, 3, 7] {
        let (listener, meeting) = place();
        let zero = zero(listener, &meeting, 3, LONG);
        let wrong = other(&meeting, secret(), rank, 3, LONG);
        start_error(
            zero.join().unwrap(),
            &[&format!("it is rank {rank}"), "from 0 to 2"],
        );
        start_error(wrong.join().unwrap(), &["rank 0 says"]);
    }
}

#[test]
fn another_secret_is_turned_away_and_the_others_start() {
    let (listener, meeting) = place();
    let zero = zero(listener, &meeting, 2, LONG);
    let stranger = other(&meeting, Secret::new("another one"), 1, 2, LONG);
    start_error(
        stranger.join().unwrap(),
        &["another secret", "CUDA_NCCL_SECRET"],
    );
    let rank = other(&meeting, secret(), 1, 2, LONG);
    assert_eq!(rank.join().unwrap().unwrap(), BYTES);
    zero.join().unwrap().unwrap();
}

#[test]
fn an_error_tells_of_strangers() {
    let (listener, meeting) = place();
    let zero = zero(listener, &meeting, 2, SHORT);
    let stranger = other(&meeting, Secret::new("another one"), 1, 2, LONG);
    stranger.join().unwrap().unwrap_err();
    start_error(
        zero.join().unwrap(),
        &[
            "rank 1",
            "1 client was turned away",
            "rank 1, with another secret",
        ],
    );
}

#[test]
fn foreign_and_slow_clients_hold_up_nobody() {
    let (listener, meeting) = place();
    let zero = zero(listener, &meeting, 2, LONG);
    // Connects and says nothing, says too little, says something else, goes away at once, is of another version.
    let (silent, _) = knock(&meeting);
    let (mut slow, _) = knock(&meeting);
    slow.write_all(&MAGIC).unwrap();
    let (mut garbage, _) = knock(&meeting);
    garbage.write_all(&[0x55; 3 * HELLO]).unwrap();
    let (mut web, _) = knock(&meeting);
    web.write_all(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        .unwrap();
    drop(TcpStream::connect(meeting.to_string()).unwrap());
    let (mut version, theirs) = knock(&meeting);
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
        other(&meeting, secret(), 1, 2, LONG)
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
fn a_hello_can_not_be_used_again_or_changed() {
    let (listener, meeting) = place();
    let zero = zero(listener, &meeting, 3, SHORT);
    let (mut first, theirs) = knock(&meeting);
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
    let (mut again, _) = knock(&meeting);
    again.write_all(&hello).unwrap();
    assert_eq!(answer(&mut again), super::protocol::STRANGER);
    let (mut changed, theirs) = knock(&meeting);
    let mut hello = Hello {
        rank: 1,
        size: 3,
        nonce: [3; 32],
    }
    .write(&secret(), &theirs);
    hello[8] = 2;
    changed.write_all(&hello).unwrap();
    assert_eq!(answer(&mut changed), super::protocol::STRANGER);
    start_error(zero.join().unwrap(), &["1 of 3 ranks", "rank 2"]);
}

#[test]
fn a_rank_that_ends_while_it_waits_is_lost() {
    let (listener, meeting) = place();
    let zero = zero(listener, &meeting, 4, LONG);
    let waiting = other(&meeting, secret(), 2, 4, LONG);
    let gone = enter(&meeting, 1, 4);
    drop(gone);
    lost(
        zero.join().unwrap(),
        &["rank 1", "ended before all ranks had come"],
    );
    // It has come in time to be told, or finds nobody any more.
    waiting.join().unwrap().unwrap_err();
}

#[test]
fn a_rank_that_ends_instead_of_a_receipt_is_lost() {
    let (listener, meeting) = place();
    let zero = zero(listener, &meeting, 2, LONG);
    let rank = enter(&meeting, 1, 2);
    let mut all = Vec::new();
    rank.shutdown(Shutdown::Write).unwrap();
    let _ = (&rank).read_to_end(&mut all);
    lost(zero.join().unwrap(), &["rank 1"]);
}

#[test]
fn rank_0_ends() {
    let (listener, meeting) = place();
    let (send, receive) = mpsc::channel();
    // Greets, takes the hello, and ends.
    let zero = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream
            .write_all(&super::protocol::greeting(&[5; 32]))
            .unwrap();
        stream.read_exact(&mut [0; HELLO]).unwrap();
        receive.recv().unwrap();
    });
    let rank = other(&meeting, secret(), 1, 2, LONG);
    send.send(()).unwrap();
    zero.join().unwrap();
    lost(
        rank.join().unwrap(),
        &["rank 0 at", "ended before all ranks had come"],
    );
}

#[test]
fn a_rank_0_that_fails_before_it_has_the_bytes() {
    let (listener, meeting) = place();
    drop(listener);
    let rank = other(&meeting, secret(), 1, 2, LONG);
    let failed = share(&meeting, &secret(), 0, 2, LONG, || {
        Err(Error::Missing("no library".to_owned()))
    });
    assert!(matches!(failed, Err(Error::Missing(_))), "{failed:?}");
    start_error(rank.join().unwrap(), &["rank 0 says: no library"]);
}

#[test]
fn what_listens_is_not_rank_0() {
    let imposter = |answer: &'static [u8]| {
        let (listener, meeting) = place();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(answer).unwrap();
            let _ = stream.read_to_end(&mut Vec::new());
        });
        let outcome = join::join(&meeting, &secret(), 1, 2, Deadline::after(SHORT));
        server.join().unwrap();
        outcome
    };
    start_error(
        imposter(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
        &["is not rank 0", "CUDA_NCCL_ADDRESS"],
    );
    // Knows how to greet, and not the secret: no welcome, no length and no bytes of it are believed.
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
    start_error(imposter(&WELCOME), &["no proof"]);
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
    start_error(imposter(&HUGE), &["no proof"]);
    // Less than a greeting.
    start_error(imposter(b"220 mail\r\n"), &["is not rank 0"]);
    // Greets and says no more, or nothing at all.
    for silent in [&MAGIC[..], b""] {
        start_error(
            imposter(silent),
            &["did not greet", "another program", "CUDA_NCCL_ADDRESS"],
        );
    }
}

#[test]
fn a_number_of_ranks_that_is_a_mistake_takes_no_time() {
    let (listener, meeting) = place();
    let since = Instant::now();
    let size = i32::MAX as usize;
    let error = zero(listener, &meeting, size, Duration::from_millis(50)).join();
    let text = error.unwrap().unwrap_err().to_string();
    let start = format!("{} of {size} ranks have not come to rank 0 at ", size - 1);
    assert!(text.starts_with(&start), "{text}");
    assert!(
        text.contains("within 50.0ms: rank 1, 2, 3, 4, 5, 6, 7, 8 and more;"),
        "{text}"
    );
    assert!(since.elapsed() < SHORT + SHORT, "{:?}", since.elapsed());
    assert_eq!(Deadline::after(Duration::ZERO).shown(), "no time at all");
}

/// An imposter that sends `answer`, takes the hello if it sent a greeting, and then keeps the connection open.
fn answer_of_a_rank_0(answer: Vec<u8>, ends: bool, limit: Duration) -> Result<Vec<u8>> {
    let (listener, meeting) = place();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        drop(listener);
        stream.write_all(&answer).unwrap();
        if ends {
            // The rank has nothing more to say. Wait for its hello, or else the answer is lost with a reset.
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
    let outcome = answer_of_a_rank_0(greeting, false, Duration::from_millis(50));
    start_error(
        outcome,
        &["did not send the first bytes within 50.0ms: some rank has not come"],
    );
    // The grace period is two seconds.
    assert!(begin.elapsed() >= Duration::from_millis(2050));
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
                "ended before all ranks had come: see what it printed",
            ],
        );
    }
    let foreign = answer_of_a_rank_0(whole, true, LONG);
    start_error(foreign, &["sends no proof that it knows the secret"]);
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
    lost(outcome, &["ended before all ranks had come"]);
    let outcome = answer_of_a_rank_0(message(LONGEST + 1), true, LONG);
    start_error(outcome, &["sends no proof"]);
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
    let named = Meeting {
        host: "node1".to_owned(),
        port: 0,
        ..meeting
    };
    let open = listen(&named).unwrap().local_addr().unwrap();
    assert!(open.ip().is_unspecified(), "{open}");
}
