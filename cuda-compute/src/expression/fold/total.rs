//! The kernel of reductions with one result.

use std::{ffi::c_void, mem::offset_of, sync::Arc};

use bytemuck::{Pod, Zeroable};
use cuda_safe::{Function, LaunchConfig, Stream};

use super::{
    super::{
        hashed::Hashed,
        launch::{Launch, Scratch},
        operands::Operands,
        reduction::{Folded, accumulator_room},
        render::Form,
        state::Evaluation,
    },
    schedule::{REGISTERS, Registers, lanes},
    source::source,
    table::{self, Variant},
};
use crate::{
    error::Result,
    kernel::{Source, Specialisation, ZEROED_WORDS},
};

const TEXT: &str = include_str!("../../kernels/total.cu");

/// A kernel for the folds of one form of expressions into one result each.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Total {
    pub(crate) form: Hashed<Form>,
    pub(crate) folds: Arc<[Folded]>,
    pub(crate) variant: Variant,
    /// The number of blocks per multiprocessor for which the compiler must limit the registers, or 0
    /// if it chooses their number. It chooses well for simple values. With a limit of 64 it uses
    /// more of them: 34 instead of 28 for a sum of `f32`, so that not all blocks are resident.
    pub(crate) blocks: u32,
}

/// The struct `Sizes` of `kernels/total.cu`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Sizes {
    /// The number of elements before the first vector.
    pub(crate) head: u64,
    /// The address of [`partial_words`] zeroed words for each block.
    pub(crate) workspace: u64,
}

impl Specialisation for Total {
    fn source(&self) -> Source {
        let Variant {
            threads,
            unroll,
            pieces,
        } = self.variant;
        source(&self.form, ("total.cu", TEXT, "total"), &self.folds)
            .define("THREADS", threads)
            .define("UNROLL", unroll)
            .define("LANES", lanes(&self.form, &self.folds))
            .define("PIECES", u32::from(pieces))
            .define("BLOCKS", self.blocks)
            .define("ROOM", size_of::<u32>() * partial_words(&self.folds))
    }
}

/// Returns the maximum number of words that a block publishes. Each has 32 bits of the accumulator.
pub(crate) fn partial_words(folds: &[Folded]) -> usize {
    let bytes = |folded: &Folded| folded.fold.accumulator_bytes(folded.data);
    let all = match folds {
        [one] => bytes(one),
        // Accumulators of at most eight bytes need no greater alignment.
        _ if folds.iter().all(|folded| bytes(folded) <= 8) => 8 * folds.len(),
        _ => accumulator_room(folds),
    };
    all.div_ceil(size_of::<u32>())
}

/// Enqueues the reduction of `count` elements.
pub(super) fn run(
    evaluation: &mut Evaluation<'_>,
    mut operands: Operands<'_>,
    folds: Vec<Folded>,
    count: usize,
) -> Result<()> {
    let kernels = evaluation.kernels;
    let (vector, head) = operands.start_at_vector();
    let form = operands.form(vector);
    let mut words = operands.words(&form)?;
    words[0] = count as u64; // also 0, which is not the number of places
    let hardware = kernels.hardware();
    let vectors = words[0].div_ceil(vector as u64);
    let registers = Registers::of_one_result(&form, &folds);
    let most = registers
        .unroll(REGISTERS, u64::MAX)
        .min(form.unroll(vectors));
    let variant = table::choose(vectors, 16 / vector, hardware).with_at_most(most.into());
    let room = (ZEROED_WORDS / partial_words(&folds)) as u32;
    let blocks = variant.blocks(vectors, hardware).min(room);
    let kernel = Total {
        blocks: if form.is_simple() {
            0
        } else {
            1024 / variant.threads
        },
        form: Hashed::new(form),
        folds: folds.into(),
        variant,
    };
    let place = offset_of!(Sizes, workspace) / size_of::<u64>();
    let scratch = (blocks > 1).then_some((place, Scratch::Zeroed));
    let sizes = Sizes { head, workspace: 0 };
    let launch = Launch {
        kernel: kernels.get(&kernel)?,
        config: LaunchConfig::new(blocks, variant.threads),
        words,
        sizes: bytemuck::cast_slice(&[sizes]).to_vec(),
        scratch: [scratch, None],
    };
    // SAFETY: the kernel was generated for these words. The scratch memory has room for the partials
    // of all blocks.
    unsafe { evaluation.launch(launch, &kernel.form, &operands) }
}

/// Enqueues the kernel with these parameters.
///
/// # Safety
/// The caller must ensure that:
/// - the words are those of the kernel's form;
/// - the workspace has [`partial_words`] words for each block if there are several. They are zero
///   and belong to the stream;
/// - the stream is ordered with the streams of all memory that the words refer to, and no other work
///   writes the operands while the kernel runs.
pub(crate) unsafe fn enqueue(
    kernel: &Function,
    stream: &Stream,
    config: LaunchConfig,
    words: &mut [u64],
    mut sizes: Sizes,
) -> Result<()> {
    let mut pointers: [*mut c_void; 2] = [words.as_mut_ptr().cast(), (&raw mut sizes).cast()];
    // SAFETY: these are the kernel's parameters. The rest is the caller's promise.
    unsafe { kernel.launch_raw(stream, config, &mut pointers)? };
    Ok(())
}

#[cfg(test)]
mod tests {
    use cuda_safe::{Context, Stream};

    use super::{super::super::reduction::Fold, *};
    use crate::{element::DataType, kernel::Kernels, s};

    fn folded(fold: Fold, data: DataType) -> Folded {
        Folded {
            fold,
            data,
            value: 0,
            place: 0,
        }
    }

    #[test]
    fn partials_have_as_many_words_as_accumulators() {
        let sum = |data| folded(Fold::Sum, data);
        let words = |folds: &[Folded]| partial_words(folds);
        assert_eq!(words(&[sum(DataType::U8)]), 1);
        assert_eq!(words(&[sum(DataType::F32)]), 1);
        assert_eq!(words(&[sum(DataType::F64)]), 2);
        assert_eq!(words(&[folded(Fold::Variance(0), DataType::F32)]), 4);
        assert_eq!(words(&[sum(DataType::F32), sum(DataType::F64)]), 4);
        let variance = folded(Fold::Variance(0), DataType::F64);
        assert_eq!(words(&[sum(DataType::F32), variance]), 12);
    }

    #[test]
    fn the_first_vector_is_aligned() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let kernels = Kernels::of_multiprocessors(&context, 132);
        let chosen = || {
            let kernel: Vec<Total> = kernels.compiled_for();
            let of = |total: &Total| {
                let apart: Vec<bool> = total.form.leaves.iter().map(|leaf| leaf.apart).collect();
                (total.form.vector, apart)
            };
            let mut all: Vec<_> = kernel.iter().map(of).collect();
            all.sort();
            all
        };
        let x = kernels.zeros::<f32>(&stream, &[40]);
        x.sum().eval().unwrap();
        let one = |vector, apart| (vector, vec![apart]);
        assert_eq!(chosen(), [one(4, false)]);
        // The same kernel for any start.
        for start in 1..5 {
            x.slice(s![start..]).unwrap().sum().eval().unwrap();
        }
        assert_eq!(chosen(), [one(4, false)]);
        // Of two operands, the second one may be apart from vectors.
        let from = |start: usize| x.slice(s![start..start + 30]).unwrap();
        (from(1) * from(5)).sum().eval().unwrap();
        (from(1) * from(2)).sum().eval().unwrap();
        let two = |apart| (4, vec![false, apart]);
        assert_eq!(chosen(), [one(4, false), two(false), two(true)]);
        // Elements that are not consecutive are read one by one.
        x.slice(s![..;2]).unwrap().sum().eval().unwrap();
        let all = [one(1, false), one(4, false), two(false), two(true)];
        assert_eq!(chosen(), all);
    }

    #[test]
    fn blocks_publish_partials_of_any_size() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        // More blocks than a warp has threads, so that several warps of the last one take partials.
        let kernels = Kernels::of_multiprocessors(&context, 132);
        let length = 300_000;
        let x = kernels.zeros::<f32>(&stream, &[length]);
        let places = crate::Expr::index([length], 0).unwrap().cast::<f32>();
        let x = (&x + places).eval().unwrap();
        let wide = x.cast::<f64>();
        let one = (length - 1) as f64;
        for _ in 0..2 {
            let (sum, largest, variance) = (wide.sum(), x.argmax(), wide.var(0));
            let (sum, largest, variance) = crate::eval((&sum, &largest, &variance)).unwrap();
            assert_eq!(sum.item().unwrap(), one * (one + 1.0) / 2.0);
            assert_eq!(largest.item().unwrap(), length - 1);
            let wanted = one * (one + 2.0) / 12.0;
            let variance = variance.item().unwrap();
            assert!(
                (variance - wanted).abs() < 1e-10 * wanted,
                "{variance} {wanted}"
            );
        }
        // The words are zero again.
        let words = kernels.zeroed().of(&stream).unwrap();
        assert!(words.to_vec(&stream).unwrap().iter().all(|&word| word == 0));
    }
}
