//! Launches of executable graphs: their order on a stream and among each other.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::*;

#[test]
fn launching_a_graph_invalidates_the_capture() {
    let _alone = alone();
    let _context = Own::new();
    let (kernel, stream) = (affine(), stream(1));
    let a = upload(&[1u32]);
    begin(stream, GLOBAL);
    run(kernel, stream, a, 1, 2, 0);
    let small = end(stream);
    let exec = instantiate(small);
    // In any mode, whether launched before or not, as on an H200 (driver 580).
    for mode in [GLOBAL, LOCAL, RELAXED] {
        begin(stream, mode);
        fails!(STREAM_CAPTURE_UNSUPPORTED, cuGraphLaunch(exec, stream));
        end_with(stream, STREAM_CAPTURE_INVALIDATED);
        ok!(cuGraphLaunch(exec, stream));
        ok!(cuStreamSynchronize(stream));
    }
    ok!(cuGraphExecDestroy(exec));
    ok!(cuGraphDestroy(small));
    assert_eq!(download::<u32>(a, 1), [8]);
}

#[test]
fn launches_of_one_executable_graph_are_serialized() {
    let _alone = alone();
    let _context = Own::new();
    let (kernel, first, second) = (affine(), stream(1), stream(1));
    let a = upload(&[1u32]);
    begin(first, GLOBAL);
    run(kernel, first, a, 1, 2, 1);
    let graph = end(first);
    let exec = instantiate(graph);
    let gate = block(first);
    ok!(cuGraphLaunch(exec, first));
    ok!(cuGraphLaunch(exec, second));
    ok!(cuGraphExecDestroy(exec));
    std::thread::sleep(std::time::Duration::from_millis(20));
    fails!(NOT_READY, cuStreamQuery(second));
    gate.open();
    ok!(cuStreamSynchronize(second));
    assert_eq!(download::<u32>(a, 1), [7]);
}

#[test]
fn launches_in_a_stream_do_not_interleave() {
    const ROUNDS: u32 = 200;
    const STEPS: u32 = 8;
    let _alone = alone();
    let context = Own::new();
    let (kernel, stream) = (affine(), stream(1));
    // Each graph counts a word up from 0 and stores the result, which is wrong if the graphs
    // interleave.
    let (word, sums) = (alloc(4), upload(&[0u32; 2]));
    let execs = [0u64, 1].map(|index| {
        begin(stream, GLOBAL);
        ok!(cuMemsetD32Async(word, 0, 1, stream));
        for _ in 0..STEPS {
            run(kernel, stream, word, 1, 1, 1);
        }
        ok!(cuMemcpyDtoDAsync_v2(sums + 4 * index, word, 4, stream));
        instantiate(end(stream)) as usize
    });
    let (owner, stream) = (context.0 as usize, stream as usize);
    std::thread::scope(|threads| {
        for (exec, index) in execs.into_iter().zip([0u64, 1]) {
            threads.spawn(move || {
                ok!(cuCtxSetCurrent(owner as CUcontext));
                let stream = stream as CUstream;
                for round in 0..ROUNDS {
                    ok!(cuGraphLaunch(exec as CUgraphExec, stream));
                    // Sometimes checks the result, in the stream's order.
                    if round % 20 == 0 {
                        ok!(cuStreamSynchronize(stream));
                        assert_eq!(download::<u32>(sums + 4 * index, 1), [STEPS]);
                    }
                }
                ok!(cuStreamSynchronize(stream));
            });
        }
    });
    assert_eq!(download::<u32>(sums, 2), [STEPS; 2]);
}

#[test]
fn launches_of_different_executable_graphs_run_concurrently() {
    let _alone = alone();
    let _context = Own::new();
    let (first, second) = (stream(1), stream(1));
    let word = upload(&[0u32]);
    begin(first, GLOBAL);
    ok!(cuStreamWaitValue32_v2(first, word, 1, 1));
    let waiting = instantiate(end(first));
    begin(second, GLOBAL);
    ok!(cuStreamWriteValue32_v2(second, word, 1, 0));
    let writing = instantiate(end(second));
    ok!(cuGraphLaunch(waiting, first));
    ok!(cuGraphLaunch(writing, second));
    ok!(cuStreamSynchronize(first));
}
