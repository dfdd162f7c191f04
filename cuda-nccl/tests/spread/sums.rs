//! Sums, minima, maxima and means.

use cuda_nccl::{
    Collectives, PeerRank, Reducible, Reduction, Result,
    spread::{self, Reductions},
};
use cuda_safe::{
    Context, DeviceBuffer, DeviceMemory, DeviceView, DeviceViewMut, PlainData, Stream,
    memory::{Storage, StorageMut},
};
use half::f16;

use crate::{SIZES, ranks, suite};

#[test]
fn reductions_combine_all_ranks() {
    let numbers: Vec<f32> = (0..10_001)
        .map(|i| ((i * 37) % 501) as f32 - 250.0)
        .collect();
    let exact: f64 = numbers.iter().map(|&x| f64::from(x)).sum();
    for size in SIZES {
        suite::on_all(ranks(size), |rank| {
            let stream = Stream::new(rank.context()).unwrap();
            let reductions = Reductions::new(rank).unwrap();
            let part = spread::part(numbers.len(), size, rank.rank());
            let data = DeviceBuffer::from_slice(&stream, &numbers[part.clone()]).unwrap();
            assert_eq!(f64::from(reductions.sum(&stream, &data).unwrap()), exact);
            assert_eq!(reductions.sum_wide(&stream, &data).unwrap(), exact);
            assert_eq!(reductions.min(&stream, &data).unwrap(), Some(-250.0));
            assert_eq!(reductions.max(&stream, &data).unwrap(), Some(250.0));
            let mean = reductions.mean(&stream, &data).unwrap().unwrap();
            assert_eq!(mean, exact / numbers.len() as f64);
            // Other types, which wrap around or have a wider sum.
            let large = DeviceBuffer::from_slice(&stream, &[i32::MAX, 1]).unwrap();
            let wrapped = (i32::MIN).wrapping_mul(size as i32);
            assert_eq!(reductions.sum(&stream, &large).unwrap(), wrapped);
            assert_eq!(
                reductions.sum_wide(&stream, &large).unwrap(),
                (i64::from(i32::MAX) + 1) * size as i64
            );
            let halves = DeviceBuffer::from_slice(&stream, &[f16::from_f32(1.5); 10]).unwrap();
            assert_eq!(
                reductions.sum(&stream, &halves).unwrap(),
                15.0 * size as f32
            );
            // Only the last rank has numbers.
            let last = rank.rank() + 1 == size;
            let some: &[u64] = if last { &[7, 9] } else { &[] };
            let some = DeviceBuffer::from_slice(&stream, some).unwrap();
            assert_eq!(reductions.min(&stream, &some).unwrap(), Some(7));
            assert_eq!(reductions.mean(&stream, &some).unwrap(), Some(8.0));
            let none = DeviceBuffer::<f64>::zeroed(&stream, 0).unwrap();
            assert_eq!(reductions.sum(&stream, &none).unwrap(), 0.0);
            assert_eq!(reductions.max(&stream, &none).unwrap(), None);
            assert_eq!(reductions.mean(&stream, &none).unwrap(), None);
        });
    }
}

#[test]
fn sums_have_the_same_bits_every_time() {
    let numbers: Vec<f32> = (0..5000).map(|i| (i as f32).sin()).collect();
    let run = || {
        let sums = std::sync::Mutex::new(Vec::new());
        suite::on_all(ranks(3), |rank| {
            let stream = Stream::new(rank.context()).unwrap();
            let part = &numbers[spread::part(numbers.len(), 3, rank.rank())];
            let data = DeviceBuffer::from_slice(&stream, part).unwrap();
            let sum = Reductions::new(rank).unwrap().sum(&stream, &data);
            sums.lock().unwrap().push(sum.unwrap().to_bits());
        });
        sums.into_inner().unwrap()
    };
    let (one, other) = (run(), run());
    assert!(one.iter().chain(&other).all(|&bits| bits == one[0]));
}

/// A group that uses only the trait's provided methods, and does not synchronize ranks on the host.
struct OnDevices(PeerRank);

impl Collectives for OnDevices {
    fn rank(&self) -> usize {
        self.0.rank()
    }
    fn size(&self) -> usize {
        self.0.size()
    }
    fn context(&self) -> &Context {
        self.0.context()
    }
    fn all_reduce<T: Reducible>(
        &self,
        stream: &Stream,
        data: &mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<()> {
        self.0.all_reduce(stream, data, reduction)
    }
    fn broadcast<T: PlainData>(
        &self,
        stream: &Stream,
        data: &mut DeviceMemory<impl StorageMut, T>,
        root: usize,
    ) -> Result<()> {
        self.0.broadcast(stream, data, root)
    }
    fn all_gather<T: PlainData>(
        &self,
        stream: &Stream,
        part: &DeviceMemory<impl Storage, T>,
        all: &mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<()> {
        self.0.all_gather(stream, part, all)
    }
    fn reduce_scatter<T: Reducible>(
        &self,
        stream: &Stream,
        all: &DeviceMemory<impl Storage, T>,
        part: &mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<()> {
        self.0.reduce_scatter(stream, all, part, reduction)
    }
    fn all_to_all<T: PlainData>(
        &self,
        stream: &Stream,
        from: &DeviceMemory<impl Storage, T>,
        to: &mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<()> {
        self.0.all_to_all(stream, from, to)
    }
    fn exchange<T: PlainData>(
        &self,
        stream: &Stream,
        sends: &[(usize, DeviceView<'_, T>)],
        receives: &mut [(usize, DeviceViewMut<'_, T>)],
    ) -> Result<()> {
        self.0.exchange(stream, sends, receives)
    }
    fn report_error(&self, why: &str) {
        self.0.report_error(why);
    }
    fn wait(&self, stream: &Stream) -> Result<()> {
        self.0.wait(stream)
    }
}

#[test]
fn provided_methods_work_without_a_rendezvous() {
    let numbers: Vec<f32> = (0..3000).map(|i| (i as f32).cos()).collect();
    let sums = std::sync::Mutex::new(Vec::new());
    let keep = |sum: f32| sums.lock().unwrap().push(sum.to_bits());
    let upload = |size, rank: usize, stream: &Stream| {
        let part = &numbers[spread::part(numbers.len(), size, rank)];
        DeviceBuffer::from_slice(stream, part).unwrap()
    };
    suite::on_all(ranks(3), |rank| {
        let stream = Stream::new(rank.context()).unwrap();
        let data = upload(3, rank.rank(), &stream);
        let reductions = Reductions::new(rank).unwrap();
        let sum = reductions.sum(&stream, &data).unwrap();
        keep(sum);
    });
    let others = ranks(3).into_iter().map(OnDevices).collect();
    suite::on_all(others, |rank| {
        let stream = Stream::new(rank.context()).unwrap();
        let data = upload(3, rank.rank(), &stream);
        let reductions = Reductions::new(rank).unwrap();
        let sum = reductions.sum(&stream, &data).unwrap();
        keep(sum);
        assert_eq!(reductions.max(&stream, &data).unwrap(), Some(1.0));
    });
    let sums = sums.into_inner().unwrap();
    assert!(sums.len() == 6 && sums.iter().all(|&bits| bits == sums[0]));
    suite::suite(ranks(2).into_iter().map(OnDevices).collect());
}
