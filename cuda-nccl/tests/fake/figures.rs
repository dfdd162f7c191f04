//! Overhead of a call over a raw call that does nothing.

use std::{sync::Barrier, thread, time::Instant};

use cuda_nccl::{Communicator, Library, Reduction, UniqueId, sys};
use cuda_safe::{Context, DeviceBuffer, Stream};

use crate::library::{Fake, options};

const ROUNDS: usize = 201;
const CALLS: u32 = 1000;

/// Returns the median times of a call, raw and by this crate, in nanoseconds. All ranks begin each
/// round together.
fn call(rank: &Communicator, together: &Barrier) -> [f64; 2] {
    let stream = Stream::new(rank.context()).unwrap();
    let mut data = DeviceBuffer::<f32>::zeroed(&stream, 1).unwrap();
    let all_reduce = Library::get().unwrap().functions().ncclAllReduce.unwrap();
    let (of, sum) = (sys::ncclDataType_t::ncclFloat32, sys::ncclRedOp_t::ncclSum);
    let comm = rank.as_raw();
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        for which in [round % 2, 1 - round % 2] {
            together.wait();
            let since = Instant::now();
            for _ in 0..CALLS {
                if which == 1 {
                    rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
                    continue;
                }
                let ptr = data.as_device_ptr();
                let (from, to) = (ptr as *const _, ptr as *mut _);
                // SAFETY: the function does nothing.
                let _ = unsafe { all_reduce(from, to, 1, of, sum, comm, stream.as_raw()) };
            }
            times[which].push(since.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS));
        }
    }
    times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    })
}

#[test]
#[ignore = "measures"]
fn cost_of_a_call() {
    let fake = Fake::new();
    fake.set("silent", 1);
    for ranks in 1..=4 {
        let id = UniqueId::new().unwrap();
        let together = &Barrier::new(ranks);
        let times: Vec<[f64; 2]> = thread::scope(|scope| {
            let threads: Vec<_> = (0..ranks)
                .map(|number| {
                    scope.spawn(move || {
                        let context = Context::primary(0).unwrap();
                        let rank = Communicator::new(&context, id, number, ranks, options());
                        call(&rank.unwrap(), together)
                    })
                })
                .collect();
            let done = threads.into_iter();
            done.map(|thread| thread.join().unwrap()).collect()
        });
        let slowest = |which: usize| times.iter().map(|time| time[which]).fold(0.0, f64::max);
        println!(
            "{ranks} ranks of one process, the slowest: raw {:.0} ns, cuda-nccl {:.0} ns a call",
            slowest(0),
            slowest(1)
        );
    }
}
