//! Large numbers of silent clients, which must not keep ranks out.

use std::{collections::VecDeque, sync::atomic::AtomicBool};

use super::{
    super::{
        guests::{MAX_PENDING, PendingClients},
        protocol::greeting,
    },
    *,
};

#[test]
fn silent_clients_are_dropped_for_ranks() {
    let (listener, address) = place();
    let zero = zero(listener, &address, 2, LONG);
    let crowd: Vec<_> = (0..100).map(|_| knock(&address)).collect();
    assert_eq!(
        other(&address, secret(), 1, 2, LONG)
            .join()
            .unwrap()
            .unwrap(),
        BYTES
    );
    zero.join().unwrap().unwrap();
    drop(crowd);
}

#[test]
fn rank_with_a_complete_hello_is_kept() {
    let (listener, address) = place();
    let secret = secret();
    let mut server = serve::Server::new(&address, &secret, 2);
    let mut client = TcpStream::connect(address.to_string()).unwrap();
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
    // All of them connect before the server reads again.
    let crowd: Vec<_> = (0..2 * (MAX_PENDING + 2))
        .map(|_| {
            let stranger = TcpStream::connect(address.to_string()).unwrap();
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
fn rank_with_a_partial_hello_outlasts_silent_clients() {
    let (listener, address) = place();
    let mut pending = PendingClients::new(2);
    let come = || {
        let client = TcpStream::connect(address.to_string()).unwrap();
        let (stream, from) = listener.accept().unwrap();
        (client, stream, from)
    };
    let (mut client, stream, from) = come();
    pending.greet(stream, from).unwrap();
    client.write_all(&MAGIC).unwrap();
    let mut crowd = Vec::new();
    while !pending.is_full() {
        let (client, stream, from) = come();
        pending.greet(stream, from).unwrap();
        crowd.push((client, from));
    }
    // Silent clients are rejected first, each to make room for another silent one.
    for (_, silent) in &crowd {
        let received = pending.make_room();
        let rejected: Vec<_> = received.rejected.iter().map(|(from, _)| *from).collect();
        assert_eq!(rejected, [*silent]);
        let (_, stream, from) = come();
        pending.greet(stream, from).unwrap();
    }
    client.write_all(&[0; HELLO - MAGIC.len()]).unwrap();
    let complete = pending.receive().complete;
    let complete: Vec<_> = complete.iter().map(|client| client.from).collect();
    assert_eq!(complete, [from]);
}

#[test]
fn a_new_client_replaces_one_client() {
    let (listener, address) = place();
    let mut pending = PendingClients::new(2);
    let come = || {
        let client = TcpStream::connect(address.to_string()).unwrap();
        let (stream, from) = listener.accept().unwrap();
        (client, stream, from)
    };
    let mut crowd = Vec::new();
    while !pending.is_full() {
        let (client, stream, from) = come();
        pending.greet(stream, from).unwrap();
        crowd.push((client, from));
    }
    // All clients but the first have sent data, and only the first is rejected.
    for (client, _) in &mut crowd[1..] {
        client.write_all(&MAGIC).unwrap();
    }
    let received = pending.make_room();
    let rejected: Vec<_> = received.rejected.iter().map(|(from, _)| *from).collect();
    assert_eq!(rejected, [crowd[0].1]);
    assert!(!received.anything, "others were read from");
    assert!(!pending.is_full());
    // If all have begun their hello, the oldest is rejected.
    let (mut client, stream, from) = come();
    pending.greet(stream, from).unwrap();
    client.write_all(&MAGIC).unwrap();
    let rejected = pending.make_room().rejected;
    assert_eq!(rejected.len(), 1);
    assert_eq!(rejected[0].0, crowd[1].1);
    assert!(
        rejected[0].1.starts_with("sent no complete hello"),
        "{rejected:?}"
    );
}

#[test]
fn rejected_rank_connects_again() {
    let (listener, address) = place();
    let rank = other(&address, secret(), 1, 2, LONG);
    // Greets and closes the connection before or after the hello, as rank 0 does with silent
    // clients.
    for reads in [false, true, false] {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(&greeting(&[5; 32])).unwrap();
        if reads {
            stream.read_exact(&mut [0; HELLO]).unwrap();
        }
    }
    let zero = zero(listener, &address, 2, LONG);
    assert_eq!(rank.join().unwrap().unwrap(), BYTES);
    zero.join().unwrap().unwrap();
}

#[test]
fn rank_that_is_always_rejected_reports_it() {
    let (listener, address) = place();
    let rank = other(&address, secret(), 1, 2, SHORT);
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
    let (listener, address) = place();
    let zero = zero(listener, &address, SIZE, LONG);
    let started = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut crowd = VecDeque::new();
            while !started.load(Relaxed) {
                crowd.extend(TcpStream::connect(address.to_string()));
                if crowd.len() > 200 {
                    crowd.pop_front();
                }
            }
        });
        let ranks: Vec<_> = (1..SIZE)
            .map(|rank| {
                thread::sleep(Duration::from_millis(20));
                other(&address, secret(), rank, SIZE, LONG)
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
