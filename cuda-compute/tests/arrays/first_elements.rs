//! The kernels that find a few of the largest elements, for orders and sizes that take different ways
//! through them.

use cuda_compute::{Array, Ordered, s};
use half::bf16;

use crate::{
    shaped,
    sort_keys::{Key, order, random_keys, sorted_places},
    stream,
};

fn check<K: Key + Ordered>(x: &Array<K>, host: &[K], lines: usize, k: usize) {
    let length = host.len() / lines;
    let (values, places) = x.top_k_axis(k, 1).unwrap();
    assert_eq!(values.shape(), [lines, k]);
    let (values, places) = (values.to_vec().unwrap(), places.to_vec().unwrap());
    for line in 0..lines {
        let of_line = &host[line * length..(line + 1) * length];
        let wanted = &sorted_places(of_line, true)[..k];
        let found = line * k..(line + 1) * k;
        let what = format!("line {line} of {lines}, {k} of {length} {:?}", K::DATA_TYPE);
        assert!(&places[found.clone()] == wanted, "{what}");
        let same = |(value, &at): (&K, &usize)| order(value, &of_line[at]).is_eq();
        assert!(values[found].iter().zip(wanted).all(same), "{what}");
    }
}

fn orders<K: Key + Ordered>(lines: usize, length: usize, k: usize) {
    let stream = stream();
    let random = random_keys::<K>(lines * length, u64::MAX);
    let mut ascending = random.clone();
    ascending.sort_by(order);
    let descending: Vec<K> = ascending.iter().rev().copied().collect();
    let equal = vec![random[0]; random.len()];
    let few = random_keys::<K>(lines * length, 3);
    for host in [random, ascending, descending, equal, few] {
        check(&shaped(&stream, [lines, length], &host), &host, lines, k);
    }
}

#[test]
fn blocks_that_share_a_line_find_its_largest_elements() {
    orders::<f32>(1, 30_011, 100);
    orders::<u64>(1, 20_000, 128);
    orders::<u8>(1, 30_003, 32);
    orders::<bf16>(2, 17_001, 5);
}

#[test]
fn a_block_finds_the_largest_elements_of_a_line() {
    orders::<f32>(3, 1500, 40);
    orders::<i64>(5, 1024, 128);
}

#[test]
fn a_warp_finds_the_largest_elements_of_a_line() {
    orders::<f32>(130, 1030, 32);
    orders::<f64>(130, 1027, 1);
    orders::<i16>(129, 1024, 10);
}

#[test]
fn lines_need_not_be_aligned_or_contiguous() {
    let stream = stream();
    let host = random_keys::<f32>(40 * 1200, u64::MAX);
    let x = shaped(&stream, [40, 1200], &host);
    let part = x.slice(s![.., 3..;2]).unwrap();
    let of_part = part.to_vec().unwrap();
    check(&part, &of_part, 40, 7);
    let columns = shaped(&stream, [1200, 40], &host).t();
    let of_columns = columns.to_vec().unwrap();
    check(&columns, &of_columns, 40, 90);
}
