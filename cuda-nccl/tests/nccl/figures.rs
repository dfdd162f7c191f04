//! Measures the cost of a call and the time of an all-reduce. Raw calls and this crate's calls
//! alternate.

use std::time::Instant;

use cuda_nccl::{Communicator, Library, Reduction, UniqueId, sys};
use cuda_safe::{Context, DeviceBuffer, Stream};

use crate::pair::{options, ranks, turn, unverified};

fn raw(rank: &Communicator, comm: sys::ncclComm_t, stream: &Stream, data: &mut DeviceBuffer<f32>) {
    let _ = rank;
    let all_reduce = Library::get().unwrap().functions().ncclAllReduce.unwrap();
    let ptr = data.as_device_ptr();
    let (of, sum) = (sys::ncclDataType_t::ncclFloat32, sys::ncclRedOp_t::ncclSum);
    // SAFETY: the memory has this length, and lives until the stream has been waited for.
    let result = unsafe {
        all_reduce(
            ptr as *const _,
            ptr as *mut _,
            data.len(),
            of,
            sum,
            comm,
            stream.as_raw(),
        )
    };
    assert_eq!(result, sys::ncclResult_t::ncclSuccess);
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// With a single rank NCCL has nothing to do, so the overhead of this crate is visible.
#[test]
#[ignore = "measures"]
fn cost_of_a_call() {
    let Some(_turn) = turn() else { return };
    let context = Context::primary(0).unwrap();
    let rank = Communicator::new(
        &context,
        UniqueId::new().unwrap(),
        0,
        1,
        unverified(options()),
    );
    let (rank, stream) = (rank.unwrap(), Stream::new(&context).unwrap());
    let mut data = DeviceBuffer::<f32>::zeroed(&stream, 1).unwrap();
    let comm = rank.as_raw();
    let (rounds, calls) = (201, 1000);
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..rounds {
        for which in [round % 2, 1 - round % 2] {
            let since = Instant::now();
            for _ in 0..calls {
                match which {
                    0 => raw(&rank, comm, &stream, &mut data),
                    _ => rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap(),
                }
            }
            times[which].push(since.elapsed().as_secs_f64() * 1e6 / f64::from(calls));
            stream.synchronize().unwrap();
        }
    }
    let more = times[0].iter().zip(&times[1]).map(|(raw, own)| own - raw);
    println!(
        "one rank, a call: raw {:.3} us, cuda-nccl {:.3} us, {:.3} us more",
        median(times[0].clone()),
        median(times[1].clone()),
        median(more.collect())
    );
}

#[test]
#[ignore = "measures"]
fn time_of_an_all_reduce() {
    let Some(_turn) = turn() else { return };
    ranks(&unverified(options()), |rank, stream| {
        let comm = rank.as_raw();
        let mut lines = Vec::new();
        for (len, rounds, calls) in [(1, 41, 300), (1 << 20, 21, 50), (1 << 27, 5, 10)] {
            let mut data = DeviceBuffer::<f32>::zeroed(stream, len).unwrap();
            // The two alternate under the same conditions: first enqueueing only, then waiting for
            // each call.
            let mut call = [Vec::new(), Vec::new()];
            let mut done = [Vec::new(), Vec::new()];
            let mut each = [Vec::new(), Vec::new()];
            for round in 0..rounds {
                for which in [round % 2, 1 - round % 2] {
                    let since = Instant::now();
                    for _ in 0..calls {
                        match which {
                            0 => raw(rank, comm, stream, &mut data),
                            _ => rank.all_reduce(stream, &mut data, Reduction::Sum).unwrap(),
                        }
                    }
                    call[which].push(since.elapsed().as_secs_f64() * 1e6 / f64::from(calls));
                    stream.synchronize().unwrap();
                    done[which].push(since.elapsed().as_secs_f64() * 1e6 / f64::from(calls));
                    let since = Instant::now();
                    for _ in 0..calls {
                        match which {
                            0 => {
                                raw(rank, comm, stream, &mut data);
                                stream.synchronize().unwrap();
                            }
                            _ => {
                                rank.all_reduce(stream, &mut data, Reduction::Sum).unwrap();
                                rank.wait(stream).unwrap();
                            }
                        }
                    }
                    each[which].push(since.elapsed().as_secs_f64() * 1e6 / f64::from(calls));
                }
            }
            for (which, name) in ["raw", "cuda-nccl"].into_iter().enumerate() {
                let [call, done, each] =
                    [&call, &done, &each].map(|values| median(values[which].clone()));
                // With two ranks the data transferred is as long as the array.
                let bus = len as f64 * 4.0 / done / 1e3;
                lines.push(format!(
                    "{len:>10} floats, {name:>9}: {call:8.2} us a call, {done:8.2} us in a row ({bus:6.1} GB/s bus), \
                     {each:8.2} us with a wait"
                ));
            }
        }
        if rank.rank() == 0 {
            println!("rank 0:\n{}", lines.join("\n"));
        }
    });
}
