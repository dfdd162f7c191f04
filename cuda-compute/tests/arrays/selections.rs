//! Selections, compared with filters on the host.

use cuda_compute::{Array, CastFrom, Number, s};
use half::{bf16, f16};
use num_complex::Complex;

use crate::{elements, failure::failure, random::whole_numbers, stream};

fn noise(count: usize) -> Vec<i32> {
    whole_numbers(count, 0..100)
}

#[test]
fn elements_of_all_sizes() {
    let stream = stream();
    for size in [
        0,
        1,
        2,
        31,
        32,
        33,
        1019,
        1024,
        1029,
        786_432,
        786_437,
        (1 << 20) + 5,
    ] {
        let host = noise(size);
        let x = Array::from_slice(&stream, &host).unwrap();
        for bound in [0, 3, 50, 100] {
            let wanted: Vec<i32> = host.iter().copied().filter(|&x| x < bound).collect();
            let got = x.compress(x.less(bound)).unwrap();
            assert_eq!(got.shape(), [wanted.len()]);
            assert!(got.to_vec().unwrap() == wanted, "{bound} of {size}");
        }
        let places: Vec<usize> = (0..size).filter(|&i| host[i] < 50).collect();
        assert!(
            x.less(50).nonzero().unwrap().to_vec().unwrap() == places,
            "{size}"
        );
    }
}

fn elements_of<T: Number + CastFrom<i32>>() {
    let stream = stream();
    let host = noise(20_011);
    let x = Array::from_slice(&stream, &host).unwrap();
    let values = x.cast::<T>().eval().unwrap();
    let kept: Vec<i32> = host.iter().copied().filter(|x| x % 3 == 0).collect();
    let rest: Vec<i32> = host.iter().copied().filter(|x| x % 3 != 0).collect();
    let convert = |host: &[i32]| {
        let x = Array::from_slice(&stream, host).unwrap();
        x.cast::<T>().eval().unwrap().to_vec().unwrap()
    };
    let (selected, others) = values.partition_by((&x % 3).equal(0)).unwrap();
    assert!(
        selected.to_vec().unwrap() == convert(&kept),
        "{:?}",
        T::DATA_TYPE
    );
    assert!(
        others.to_vec().unwrap() == convert(&rest),
        "{:?}",
        T::DATA_TYPE
    );
}

#[test]
fn elements_of_every_type() {
    elements_of::<i8>();
    elements_of::<i16>();
    elements_of::<i64>();
    elements_of::<u8>();
    elements_of::<u16>();
    elements_of::<f16>();
    elements_of::<bf16>();
    elements_of::<f32>();
    elements_of::<f64>();
    elements_of::<Complex<f32>>();
    elements_of::<Complex<f64>>();
    let stream = stream();
    let mask = Array::from_slice(&stream, &[true, false, true, true]).unwrap();
    let x = Array::from_slice(&stream, &[true, true, false, true]).unwrap();
    assert_eq!(elements(x.compress(&mask)), [true, false, true]);
}

#[test]
fn matrices_are_selected_from_in_c_order() {
    let stream = stream();
    let host = noise(60 * 47);
    let x = Array::from_shape(&stream, [47, 60], &host).unwrap();
    for x in [x.t(), x.slice(s![..;-2, 3..]).unwrap(), x.clone()] {
        let host = x.to_vec().unwrap();
        let wanted: Vec<i32> = host.iter().copied().filter(|&x| x > 20).collect();
        assert_eq!(x.compress(x.greater(20)).unwrap().to_vec().unwrap(), wanted);
        let wanted: Vec<usize> = (0..host.len()).filter(|&i| host[i] > 20).collect();
        assert_eq!(x.greater(20).nonzero().unwrap().to_vec().unwrap(), wanted);
        // A mask that is broadcast over rows.
        let mask = x.slice(s![0]).unwrap().greater(50);
        let wide = elements(mask.eval().unwrap().broadcast_to(x.shape()));
        let kept = host
            .iter()
            .zip(wide)
            .filter(|(_, kept)| *kept)
            .map(|(x, _)| *x);
        let wanted: Vec<i32> = kept.collect();
        assert_eq!(x.compress(&mask).unwrap().to_vec().unwrap(), wanted);
    }
    let wide = Array::<f32>::zeros(&stream, [4, 6]).unwrap();
    failure(wide.compress(Array::full(&stream, 5, true).unwrap())).mentions("[4, 6] and [5]");
}

#[test]
fn small_selections_do_not_keep_the_source_memory() {
    let stream = stream();
    let x = Array::range(&stream, 0u64..100_000).unwrap();
    let few = x.compress((&x % 1000).equal(999)).unwrap();
    assert_eq!(
        few.to_vec().unwrap(),
        (0..100).map(|i| i * 1000 + 999).collect::<Vec<u64>>()
    );
    // Results can be used in expressions.
    assert_eq!(
        (&few * 2)
            .cumsum(0)
            .unwrap()
            .slice(s![1])
            .unwrap()
            .item()
            .unwrap(),
        2 * (999 + 1999)
    );
}

#[test]
fn numbers_are_counted() {
    let stream = stream();
    for size in [0, 1, 1000, 100_003] {
        let host = noise(size);
        let x = Array::from_slice(&stream, &host).unwrap();
        for bins in [1, 7, 100, 300, 9000] {
            let mut wanted = vec![0u64; bins];
            for &x in host.iter().filter(|&&x| (x as usize) < bins) {
                wanted[x as usize] += 1;
            }
            let narrow = x.cast::<u8>().eval().unwrap();
            assert_eq!(narrow.histogram(bins).unwrap().to_vec().unwrap(), wanted);
            assert_eq!(elements(x.cast::<u32>().histogram(bins)), wanted);
            let large = (x.cast::<u32>() + 60_000)
                .cast::<u16>()
                .histogram(60_001)
                .unwrap();
            assert_eq!(large.slice(s![60_000]).unwrap().item().unwrap(), wanted[0]);
        }
    }
    // A matrix with gaps, in any order.
    let x = Array::from_shape(&stream, [47, 60], &noise(47 * 60)).unwrap();
    let part = x.slice(s![..;2, 3..]).unwrap().t().cast::<u8>();
    let counted = part.histogram(100).unwrap().to_vec().unwrap();
    assert_eq!(counted.iter().sum::<u64>(), 24 * 57);
    let zeros = part.equal(0).nonzero().unwrap().len() as u64;
    assert_eq!(counted[0], zeros);
}
