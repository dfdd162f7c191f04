//! Kernels that compute expressions element by element.

use cuda_safe::LaunchConfig;

use super::{
    hashed::Hashed,
    launch::Launch,
    operands::{Operands, Target, grid},
    plan::Plan,
    render::{Form, Use},
    state::Evaluation,
    tile::{self, Tile},
};
use crate::{
    array::Shape,
    error::Result,
    kernel::{Source, Specialisation},
};

/// A kernel for one form of expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Elementwise {
    form: Hashed<Form>,
    unroll: u8,
    threads: u16,
    /// Whether elements follow the last vector. Without the code for them, the compiler needs less time.
    tail: bool,
}

const TEXT: &str = include_str!("../kernels/elementwise.cu");
/// The number of elements for each thread from which it stores pairs of them. 505000 elements, three for each,
/// took 4.8 µs without pairs, and 5.1 with them (H200).
const PAIRED: u64 = 4;

impl Specialisation for Elementwise {
    fn source(&self) -> Source {
        self.form
            .add_headers(
                Source::new("elementwise.cu", TEXT, "elementwise"),
                Use::Stored,
            )
            .define("THREADS", self.threads)
            .define("UNROLL", self.unroll)
            .define("TAIL", u8::from(self.tail))
    }
}

/// Enqueues a kernel that computes the plan's values and stores them in the targets, one per root.
pub(super) fn run(
    evaluation: &mut Evaluation<'_>,
    plan: Plan,
    shape: Shape,
    targets: &[Target<'_>],
) -> Result<()> {
    if shape.elements() == 0 {
        return Ok(());
    }
    let kernels = evaluation.kernels;
    // Goes through the axes in the first result's order in memory.
    let order = targets[0].layout.axes();
    let mut operands = Operands::new(plan, shape, targets, &order, |_| 0);
    let mut widest = operands.vector_width();
    let elements = operands.space.elements() as u64;
    let each = match operands.draws() {
        true => u64::MAX, // because a block of random numbers is for several elements
        false => kernels.hardware().elements_of_a_thread(elements),
    };
    if widest == 1 && each >= PAIRED && operands.pair_apart() {
        widest = 2;
    }
    let mut vector = widest;
    while vector as u64 > each {
        vector /= 2;
    }
    let form = operands.form(vector);
    if widest == 1
        && let Some(tiling) = tile::tiling(
            &form,
            &operands.space,
            |operand, bytes| operands.is_aligned(operand, bytes),
            kernels.hardware(),
        )?
    {
        let tile = Tile::new(form, &tiling);
        let launch = Launch {
            kernel: kernels.get(&tile)?,
            config: LaunchConfig::new(tiling.blocks, tile.threads()),
            words: operands.words(tile.form())?,
            sizes: tiling.sizes,
            scratch: [None; 2],
        };
        // SAFETY: the kernel was generated for these parameters. It reads and writes elements of the
        // operands within their layouts.
        return unsafe { evaluation.launch(launch, tile.form(), &operands) };
    }
    let vectors = elements / vector as u64;
    let (unroll, threads) = vectors_and_threads(&form, each / vector as u64);
    let per_block = u64::from(threads) * u64::from(unroll);
    let words = operands.words(&form)?;
    let kernel = Elementwise {
        form: Hashed::new(form),
        unroll,
        threads,
        tail: !elements.is_multiple_of(vector as u64),
    };
    let launch = Launch {
        config: LaunchConfig::new(
            grid(vectors.div_ceil(per_block).max(1))?,
            u32::from(threads),
        ),
        kernel: kernels.get(&kernel)?,
        words,
        sizes: Vec::new(),
        scratch: [None; 2],
    };
    // SAFETY: as above.
    unsafe { evaluation.launch(launch, &kernel.form, &operands) }
}

/// Returns the number of vectors per thread, and of threads per block. `each` is the number of vectors
/// for each of the threads that keep the device busy. `tuning/NOTES.md` has the measurements behind the
/// figures.
///
/// Elements that are found by an index arrive later, and long computations leave time to load more. So
/// threads have twice the usual number of vectors then, if the arrays are large.
fn vectors_and_threads(form: &Form, each: u64) -> (u8, u16) {
    let usual = unroll(form);
    let reads = form.leaves.iter().any(|leaf| leaf.is_read());
    if each < 16 || !reads || form.is_random() {
        return (u64::from(usual).min(each) as u8, 256);
    }
    let is_found = form.leaves.iter().any(|leaf| leaf.through.is_some());
    let is_long = form.vector <= 4 && usual == 1 && !form.is_simple();
    let unroll = if is_found || is_long {
        usual * 2
    } else {
        usual
    };
    let is_small = unroll > 1 && form.vector > 1;
    (unroll, if is_small { 128 } else { 256 })
}

/// Returns the usual number of vectors per thread: 16 bytes of the largest element that is read, which
/// keeps the memory busy. More vectors per thread would leave too few blocks, or slow them down.
fn unroll(form: &Form) -> u8 {
    let read = form.leaves.iter().filter(|leaf| leaf.is_read());
    match read.map(|leaf| leaf.data.size()).max() {
        Some(size) => (16 / (size * usize::from(form.vector))).clamp(1, 4) as u8,
        // Kernels that read nothing have only enough work for two vectors.
        None => 2,
    }
}

#[cfg(test)]
impl Elementwise {
    /// Returns the number of elements that a thread processes at once.
    pub(super) fn vector(&self) -> u8 {
        self.form.vector
    }
}

#[cfg(test)]
mod tests {
    use cuda_safe::{Context, Stream};

    use super::{
        super::{
            leaf::{Indirect, LeafForm},
            plan::{LeafSource, Value},
            space::Access,
        },
        *,
    };
    use crate::{element::DataType, kernel::Kernels};

    #[test]
    fn a_thread_has_sixteen_bytes_of_the_largest_element() {
        let of = |leaves: &[(DataType, Access)], vector| {
            let leaves = leaves
                .iter()
                .map(|&(data, access)| LeafForm::of(LeafSource::Memory, data, access));
            unroll(&Form {
                leaves: leaves.collect(),
                rank: 1,
                narrow: true,
                vector,
                ..Form::default()
            })
        };
        let read = |data| (data, Access::Linear);
        assert_eq!(of(&[read(DataType::F32)], 1), 4);
        assert_eq!(of(&[read(DataType::F32)], 2), 2);
        assert_eq!(of(&[read(DataType::F32)], 4), 1);
        assert_eq!(of(&[read(DataType::F64)], 1), 2);
        assert_eq!(of(&[read(DataType::U8), read(DataType::F64)], 1), 2);
        // At most four vectors, and at least one.
        assert_eq!(of(&[read(DataType::U8)], 1), 4);
        assert_eq!(of(&[read(DataType::Complex64)], 2), 1);
        // Nothing is read in vectors.
        assert_eq!(of(&[], 4), 2);
        assert_eq!(of(&[(DataType::F64, Access::Uniform)], 2), 2);
    }

    #[test]
    fn threads_of_many_elements_load_more_at_once_if_they_wait_or_compute_long() {
        let data = DataType::F32;
        let memory = LeafForm::of(LeafSource::Memory, data, Access::Linear);
        let varies = true;
        let found = LeafForm {
            through: Some(Indirect { leaf: 0, varies }),
            ..memory
        };
        let of = |leaf: LeafForm, vector, values, each| {
            let form = Form {
                values: vec![Value::Load { leaf: 0, data }; values],
                leaves: vec![leaf],
                rank: 1,
                narrow: true,
                vector,
                ..Form::default()
            };
            vectors_and_threads(&form, each)
        };
        assert_eq!(of(memory, 4, 8, 16), (1, 256));
        assert_eq!(of(memory, 4, 9, 16), (2, 128));
        assert_eq!(of(found, 4, 8, 16), (2, 128));
        assert_eq!(of(found, 1, 8, 16), (8, 256));
        assert_eq!(of(memory, 2, 8, 16), (2, 128));
        // Threads that compute eight elements at once need the registers.
        assert_eq!(of(memory, 8, 9, 16), (1, 256));
        // Fewer elements are divided among all threads.
        assert_eq!(of(found, 4, 9, 15), (1, 256));
        assert_eq!(of(memory, 1, 9, 2), (2, 256));
        let made = LeafForm::of(LeafSource::Place, data, Access::Linear);
        assert_eq!(of(made, 4, 9, 16), (2, 256));
        // With random numbers, `each` says nothing about the size of arrays.
        let form = Form {
            leaves: vec![
                found,
                LeafForm::of(LeafSource::Random, data, Access::Linear),
            ],
            rank: 1,
            narrow: true,
            vector: 4,
            ..Form::default()
        };
        assert_eq!(vectors_and_threads(&form, u64::MAX), (1, 256));
    }

    #[test]
    fn operands_decide_on_vectors_and_tiles() {
        use crate::s;
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        // 1024 threads keep the device busy.
        let kernels = || Kernels::of_multiprocessors(&context, 1);
        let chosen = |kernels: &Kernels| {
            let found: Vec<Elementwise> = kernels.compiled_for();
            let tiles: Vec<Tile> = kernels.compiled_for();
            let forms = found
                .iter()
                .map(|kernel| (kernel.form.vector, kernel.unroll));
            (forms.collect::<Vec<_>>(), tiles.len())
        };
        for (length, vector) in [
            (100, 1),
            (2047, 1),
            (2048, 2),
            (4095, 2),
            (4096, 4),
            (1 << 16, 4),
        ] {
            let own = kernels();
            (kernels_of(&own, &stream, length) + 1.0).eval().unwrap();
            assert_eq!(chosen(&own), (vec![(vector, 1)], 0), "{length}");
        }
        let own = kernels();
        let part = kernels_of(&own, &stream, 4097).slice(s![1..]).unwrap();
        (&part + 1.0).eval().unwrap();
        assert_eq!(chosen(&own), (vec![(2, 2)], 0));
        // Pairs of results that are not aligned, or an odd number in each row, are no vectors.
        let own = kernels();
        let mut result = kernels_of(&own, &stream, 4097).slice(s![1..]).unwrap();
        result.assign(&part + 1.0).unwrap();
        assert_eq!(chosen(&own), (vec![(1, 4)], 0));
        let rows = |columns: usize| {
            let own = kernels();
            let x = own.zeros::<f32>(&stream, &[64, columns + 1]);
            let [left, right] = [s![.., ..-1], s![.., 1..]].map(|part| x.slice(part).unwrap());
            (&left + &right).eval().unwrap();
            chosen(&own).0
        };
        assert_eq!((rows(66), rows(65)), (vec![(2, 2)], vec![(1, 4)]));
        // Pairs of f64 are not faster.
        let own = kernels();
        let part = own.zeros::<f64>(&stream, &[4097]).slice(s![1..]).unwrap();
        (&part + 1.0).eval().unwrap();
        assert_eq!(chosen(&own).0[0].0, 1);
        let own = kernels();
        let x = own.zeros::<f32>(&stream, &[96, 96]);
        (&x + x.t()).eval().unwrap();
        assert_eq!(chosen(&own), (vec![], 1));
    }

    fn kernels_of(kernels: &Kernels, stream: &Stream, length: usize) -> crate::Array<f32> {
        kernels.zeros(stream, &[length])
    }
}
