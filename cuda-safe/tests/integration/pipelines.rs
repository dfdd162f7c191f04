use std::panic::{AssertUnwindSafe, catch_unwind};

use cuda_safe::{
    Context, DeviceBuffer, Error, ErrorKind, Function, LaunchConfig, Module, Result, Stream,
    WithLen, memory::Pipeline,
};

use crate::{device, rejection};

const SOURCE: &str = r#"
extern "C" __global__ void pairs(const unsigned *x, unsigned *sums, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sums[i] = x[2 * i] + x[2 * i + 1];
}"#;

fn pairs(context: &Context) -> Function {
    let module = Module::compile(context, SOURCE).unwrap();
    module.function("pairs").unwrap()
}

/// The pipeline computes sums of pairs, for `PIECE` numbers at a time.
const PIECE: usize = 8;

fn enqueue(
    pairs: &Function,
    stream: &Stream,
    x: &DeviceBuffer<u32>,
    sums: &mut DeviceBuffer<u32>,
) -> Result<()> {
    let config = LaunchConfig::for_elements(sums.len());
    // SAFETY: the kernel writes n sums of two numbers each, and the buffers have these lengths.
    unsafe { pairs.launch(stream, config, (x, WithLen::i32(sums))) }
}

/// Returns the sums of all pairs of `numbers`.
fn all_sums(
    pipeline: &mut Pipeline<u32, u32>,
    pairs: &Function,
    numbers: &[u32],
) -> Result<Vec<u32>> {
    let mut sums = Vec::new();
    pipeline.run(
        numbers.chunks(PIECE),
        |piece, host| {
            host.fill(0);
            host[..piece.len()].copy_from_slice(piece);
        },
        |stream, x, y| enqueue(pairs, stream, x, y),
        |piece, result| sums.extend_from_slice(&result[..piece.len() / 2]),
    )?;
    Ok(sums)
}

fn expected(numbers: &[u32]) -> Vec<u32> {
    numbers
        .chunks(2)
        .map(|pair| pair[0].wrapping_add(pair[1]))
        .collect()
}

#[test]
fn pieces_are_returned_in_order_for_any_number_of_slots() {
    let (context, _) = device();
    let pairs = pairs(&context);
    let numbers: Vec<u32> = (0..100).map(|i| i * i).collect();
    for slots in [1, 2, 3, 20] {
        let mut pipeline = Pipeline::new(&context, slots, PIECE, PIECE / 2).unwrap();
        assert_eq!(pipeline.slots(), slots);
        // No pieces, one piece, as many as there are slots, and more. The last piece is shorter.
        for count in [0, 4, slots * PIECE, 100] {
            let numbers = &numbers[..count.min(100)];
            assert_eq!(
                all_sums(&mut pipeline, &pairs, numbers).unwrap(),
                expected(numbers)
            );
        }
    }
}

#[test]
fn output_is_taken_when_its_slot_is_reused() {
    let (context, _) = device();
    let pairs = pairs(&context);
    let mut pipeline = Pipeline::<u32, u32>::new(&context, 3, PIECE, PIECE / 2).unwrap();
    let steps = std::cell::RefCell::new(Vec::new());
    pipeline
        .run(
            0..5u32,
            |piece, host| {
                steps.borrow_mut().push(format!("fill {piece}"));
                host.fill(*piece);
            },
            |stream, x, y| enqueue(&pairs, stream, x, y),
            |piece, sums| {
                steps.borrow_mut().push(format!("take {piece}"));
                assert_eq!(sums, [2 * piece; PIECE / 2]);
            },
        )
        .unwrap();
    let expected = [
        "fill 0", "fill 1", "fill 2", "take 0", "fill 3", "take 1", "fill 4", "take 2", "take 3",
        "take 4",
    ];
    assert_eq!(steps.into_inner(), expected);
}

#[test]
fn failed_closure_ends_the_run_but_not_the_pipeline() {
    let (context, _) = device();
    let pairs = pairs(&context);
    let numbers: Vec<u32> = (0..80).collect();
    let sums = expected(&numbers);
    let mut pipeline = Pipeline::new(&context, 3, PIECE, PIECE / 2).unwrap();
    for failing in ["fill", "work", "take"] {
        for at in [0, 2, 4] {
            let step = |name, turn| {
                if name == failing && turn == at {
                    Err(format!("{name} {turn}"))
                } else {
                    Ok(())
                }
            };
            let (mut worked, mut taken) = (0..10, 0);
            let error = pipeline
                .run(
                    0..10,
                    |turn, _: &mut [u32]| step("fill", *turn).map_err(Stop),
                    |stream, x, y| {
                        step("work", worked.next().unwrap()).map_err(Stop)?;
                        Ok(enqueue(&pairs, stream, x, y)?)
                    },
                    |turn, _| {
                        step("take", turn).map_err(Stop)?;
                        taken += 1;
                        Ok(())
                    },
                )
                .unwrap_err();
            assert_eq!(error.0, format!("{failing} {at}"));
            // Only the outputs in slots that were reused before the failure have been taken.
            let expected = if failing == "take" {
                at
            } else {
                (at - 2i32).max(0)
            };
            assert_eq!(taken, expected, "{failing} {at}");
            assert_eq!(all_sums(&mut pipeline, &pairs, &numbers).unwrap(), sums);
        }
    }
}

/// The caller's own error type.
#[derive(Debug)]
struct Stop(String);

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self(error.to_string())
    }
}

#[test]
fn panic_waits_for_pending_pieces() {
    let (context, stream) = device();
    let pairs = pairs(&context);
    let numbers: Vec<u32> = (0..80).collect();
    let mut pipeline = Pipeline::new(&context, 2, PIECE, PIECE / 2).unwrap();
    for at in [0, 1, 5] {
        let mut streams = Vec::new();
        let caught = catch_unwind(AssertUnwindSafe(|| {
            pipeline.run(
                0..10,
                |turn, _: &mut [u32]| assert_ne!(*turn, at, "expected"),
                |stream, x, y| {
                    streams.push(stream.clone());
                    enqueue(&pairs, stream, x, y)
                },
                |_, _| (),
            )
        }));
        assert!(caught.is_err());
        assert!(streams.iter().all(|stream| stream.query().unwrap()));
        let sums = all_sums(&mut pipeline, &pairs, &numbers).unwrap();
        assert_eq!(sums, expected(&numbers));
    }
    stream.synchronize().unwrap();
}

#[test]
fn pipeline_needs_slots_but_may_have_no_input() {
    let (context, _) = device();
    rejection(Pipeline::<u32, u32>::new(&context, 0, 4, 4));
    let too_large = Pipeline::<u64, u8>::new(&context, 2, usize::MAX, 1).unwrap_err();
    assert_ne!(*too_large.kind(), ErrorKind::Fault);
    // Work without input.
    let mut pipeline = Pipeline::<u32, u32>::new(&context, 2, 0, 3).unwrap();
    let mut results = Vec::new();
    pipeline
        .run(
            [5, 6, 7],
            |_, host| assert!(host.is_empty()),
            |stream, _, y| y.fill(stream, 4),
            |piece, result| results.push((piece, result.to_vec())),
        )
        .unwrap();
    assert_eq!(results, [5, 6, 7].map(|piece| (piece, vec![4; 3])));
    assert_eq!(
        format!("{pipeline:?}"),
        "Pipeline(2 slots of 0 elements in, 3 out)"
    );
}
