//! Crowds of clients that say nothing, which must not keep ranks out.

use std::{collections::VecDeque, sync::atomic::AtomicBool};

use super::{
    super::{
        guests::{GUESTS, Guests},
        protocol::greeting,
    },
    *,
};

#[test]
fn a_crowd_of_silent_clients_makes_room() {
    let (listener, meeting) = place();
    let zero = zero(listener, &meeting, 2, LONG);
    let crowd: Vec<_> = (0..100).map(|_| knock(&meeting)).collect();
    assert_eq!(
        other(&meeting, secret(), 1, 2, LONG)
            .join()
            .unwrap()
            .unwrap(),
        BYTES
    );
    zero.join().unwrap().unwrap();
    drop(crowd);
}

#[test]
fn a_rank_that_has_said_its_hello_stays_in_a_crowd() {
    let (listener, meeting) = place();
    let secret = secret();
    let mut server = serve::Server::new(&meeting, &secret, 2);
    let mut client = TcpStream::connect(meeting.to_string()).unwrap();
    let (stream, from) = listener.accept().unwrap();
    server.greet(stream, from).unwrap();
    let mut greeting = [0; GREETING];
    client.read_exact(&mut greeting).unwrap();
    let hello = Hello {
        rank: 1,
        size: 2,
        nonce: [7; 32],
    };
    let hello = hello.write(&secret, greeting[8..].try_into().unwrap());
    client.write_all(&hello).unwrap();
    // All of them come before the server listens again.
    let crowd: Vec<_> = (0..2 * (GUESTS + 2))
        .map(|_| {
            let stranger = TcpStream::connect(meeting.to_string()).unwrap();
            let (stream, from) = listener.accept().unwrap();
            server.greet(stream, from).unwrap();
            stranger
        })
        .collect();
    let members: Vec<_> = server.members.keys().copied().collect();
    assert_eq!(members, [1]);
    drop(crowd);
}

#[test]
fn a_rank_that_has_begun_its_hello_outlasts_silent_clients() {
    let (listener, meeting) = place();
    let mut guests = Guests::new(2);
    let come = || {
        let client = TcpStream::connect(meeting.to_string()).unwrap();
        let (stream, from) = listener.accept().unwrap();
        (client, stream, from)
    };
    let (mut client, stream, from) = come();
    guests.greet(stream, from).unwrap();
    client.write_all(&MAGIC).unwrap();
    let mut crowd = Vec::new();
    while !guests.is_full() {
        let (client, stream, from) = come();
        guests.greet(stream, from).unwrap();
        crowd.push((client, from));
    }
    // The silent go first, each to make room for another that is silent too.
    for (_, silent) in &crowd {
        let heard = guests.make_room();
        let gone: Vec<_> = heard.gone.iter().map(|(from, _)| *from).collect();
        assert_eq!(gone, [*silent]);
        let (_, stream, from) = come();
        guests.greet(stream, from).unwrap();
    }
    client.write_all(&[0; HELLO - MAGIC.len()]).unwrap();
    let complete = guests.listen().complete;
    let complete: Vec<_> = complete.iter().map(|guest| guest.from).collect();
    assert_eq!(complete, [from]);
}

#[test]
fn a_guest_that_comes_costs_one_that_goes() {
    let (listener, meeting) = place();
    let mut guests = Guests::new(2);
    let come = || {
        let client = TcpStream::connect(meeting.to_string()).unwrap();
        let (stream, from) = listener.accept().unwrap();
        (client, stream, from)
    };
    let mut crowd = Vec::new();
    while !guests.is_full() {
        let (client, stream, from) = come();
        guests.greet(stream, from).unwrap();
        crowd.push((client, from));
    }
    // All but the first have something to say, and only the first has to go.
    for (client, _) in &mut crowd[1..] {
        client.write_all(&MAGIC).unwrap();
    }
    let heard = guests.make_room();
    let gone: Vec<_> = heard.gone.iter().map(|(from, _)| *from).collect();
    assert_eq!(gone, [crowd[0].1]);
    assert!(!heard.anything, "others were read from");
    assert!(!guests.is_full());
    // When all have begun, the oldest goes.
    let (mut client, stream, from) = come();
    guests.greet(stream, from).unwrap();
    client.write_all(&MAGIC).unwrap();
    let gone = guests.make_room().gone;
    assert_eq!(gone.len(), 1);
    assert_eq!(gone[0].0, crowd[1].1);
    assert!(gone[0].1.starts_with("did not say who it is"), "{gone:?}");
}

#[test]
fn a_rank_that_was_turned_away_comes_again() {
    let (listener, meeting) = place();
    let rank = other(&meeting, secret(), 1, 2, LONG);
    // Greets and ends the connection, as rank 0 does with the silent in a crowd, before the hello or after it.
    for reads in [false, true, false] {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(&greeting(&[5; 32])).unwrap();
        if reads {
            stream.read_exact(&mut [0; HELLO]).unwrap();
        }
    }
    let zero = zero(listener, &meeting, 2, LONG);
    assert_eq!(rank.join().unwrap().unwrap(), BYTES);
    zero.join().unwrap().unwrap();
}

#[test]
fn a_rank_that_is_always_turned_away_says_so() {
    let (listener, meeting) = place();
    let rank = other(&meeting, secret(), 1, 2, SHORT);
    listener.set_nonblocking(true).unwrap();
    while !rank.is_finished() {
        if let Ok((mut stream, _)) = listener.accept() {
            let _ = stream.write_all(&greeting(&[5; 32]));
        }
        thread::sleep(Duration::from_millis(1));
    }
    start_error(
        rank.join().unwrap(),
        &["greeted this rank", "1.0s", "CUDA_NCCL_ADDRESS"],
    );
}

#[test]
fn ranks_start_while_silent_clients_keep_coming() {
    const SIZE: usize = 4;
    let (listener, meeting) = place();
    let zero = zero(listener, &meeting, SIZE, LONG);
    let started = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut crowd = VecDeque::new();
            while !started.load(Relaxed) {
                crowd.extend(TcpStream::connect(meeting.to_string()));
                if crowd.len() > 200 {
                    crowd.pop_front();
                }
            }
        });
        let ranks: Vec<_> = (1..SIZE)
            .map(|rank| {
                thread::sleep(Duration::from_millis(20));
                other(&meeting, secret(), rank, SIZE, LONG)
            })
            .collect();
        let all: Vec<_> = ranks.into_iter().map(|rank| rank.join().unwrap()).collect();
        started.store(true, Relaxed);
        for bytes in all {
            assert_eq!(bytes.unwrap(), BYTES);
        }
    });
    zero.join().unwrap().unwrap();
}
