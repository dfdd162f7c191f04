//! Compound assignments and assignments by mask.

use cuda_compute::{Array, s};

use crate::{stream, values};

#[test]
fn compound_assignments_compute_in_place() {
    let stream = stream();
    let mut x = Array::from_slice(&stream, &[8, 9, 10]).unwrap();
    let y = Array::from_slice(&stream, &[1, 2, 3]).unwrap();
    let place = x.as_device_ptr();
    x += &y;
    x += 1;
    x -= &y * 2;
    x *= y.clone();
    assert_eq!(x.to_vec().unwrap(), [8, 16, 24]);
    x /= 3;
    x %= 5;
    assert_eq!(x.to_vec().unwrap(), [2, 0, 3]);
    x <<= 3;
    x >>= 1;
    x |= 1;
    x &= 13;
    x ^= &y;
    assert_eq!(x.to_vec().unwrap(), [9 ^ 1, 1 ^ 2, 13 ^ 3]);
    assert_eq!(x.as_device_ptr(), place);
    // Clones and expressions keep the old elements.
    let (before, lazy) = (x.clone(), &x + 0);
    x += x.expr();
    assert_eq!(x.to_vec().unwrap(), [16, 6, 28]);
    assert_eq!(
        (before.to_vec().unwrap(), values(lazy)),
        (vec![8, 3, 14], vec![8, 3, 14])
    );
    let mut flags = Array::from_slice(&stream, &[true, false]).unwrap();
    flags |= true;
    assert_eq!(flags.to_vec().unwrap(), [true, true]);
}

#[test]
fn parts_and_expressions_have_compound_assignments() {
    let mut x = Array::range(&stream(), 0..6)
        .unwrap()
        .reshape([2, 3])
        .unwrap();
    let row = x.slice(s![1]).unwrap();
    let place = x.as_device_ptr();
    let mut part = x.slice_mut(s![.., 1..]).unwrap();
    part += 10;
    part *= 2;
    drop(part);
    assert_eq!(x.to_vec().unwrap(), [0, 22, 24, 3, 28, 30]);
    assert_ne!(x.as_device_ptr(), place, "`row` shares the memory");
    assert_eq!(row.to_vec().unwrap(), [3, 4, 5]);
    let mut sum = x.sum();
    sum += 1;
    sum -= x.max();
    assert_eq!(values(sum), [107 + 1 - 30]);
}

#[test]
#[should_panic(
    expected = "`+=` of an array failed: assign: an expression of shape [2, 3] can't be broadcast to an array of \
                           shape [3]. Fix: to handle the error, write `a.assign(&a + b)?`"
)]
fn compound_assignments_do_not_grow_an_array() {
    let mut x = Array::<i32>::zeros(&stream(), 3).unwrap();
    x += Array::<i32>::zeros(x.stream(), [2, 3]).unwrap();
}

#[test]
#[should_panic(expected = "`<<=` of an array failed: shapes [3] and [2] of `<<` don't match")]
fn compound_assignments_name_the_operator() {
    let mut x = Array::<i32>::zeros(&stream(), 3).unwrap();
    x <<= Array::<i32>::zeros(x.stream(), 2).unwrap();
}

#[test]
fn masks_select_the_elements_to_assign() {
    let stream = stream();
    let mut x = Array::from_nested(&stream, [[1, -2, 3], [-4, 5, -6]]).unwrap();
    let place = x.as_device_ptr();
    x.assign_where(x.less(-3), 0).unwrap();
    assert_eq!(x.to_vec().unwrap(), [1, -2, 3, 0, 5, 0]);
    let column = Array::from_nested(&stream, [[false], [true]]).unwrap();
    x.assign_where(&column, Array::from_slice(&stream, &[7, 8, 9]).unwrap())
        .unwrap();
    assert_eq!(x.to_vec().unwrap(), [1, -2, 3, 7, 8, 9]);
    x.slice_mut(s![.., ..2])
        .unwrap()
        .assign_where(true, -1)
        .unwrap();
    assert_eq!(x.to_vec().unwrap(), [-1, -1, 3, -1, -1, 9]);
    assert_eq!(x.as_device_ptr(), place);
    let wide = Array::from_slice(&stream, &[true; 4]).unwrap();
    let error = x.assign_where(&wide, 0).unwrap_err().to_string();
    assert!(error.contains("don't match"), "{error}");
    let error = x
        .slice(s![0])
        .unwrap()
        .assign_where(&column, 0)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("an expression of shape [2, 3] can't be broadcast to an array of shape [3]"),
        "{error}"
    );
    assert_eq!(x.to_vec().unwrap(), [-1, -1, 3, -1, -1, 9]);
}

#[test]
fn graphs_replay_assignments_to_arrays_that_are_not_shared() {
    let stream = stream();
    let mut sum = Array::from_slice(&stream, &[1, 2, 3]).unwrap();
    let mut doubled = Array::<i32>::zeros(&stream, 3).unwrap();
    let y = Array::from_slice(&stream, &[10, 20, 30]).unwrap();
    // Kernels are compiled before the capture.
    sum += &y;
    doubled.assign(&sum * 2).unwrap();
    let addresses = [sum.as_device_ptr(), doubled.as_device_ptr()];
    let mut record = || -> cuda_compute::Result<()> {
        sum += &y;
        doubled.assign(&sum * 2)?;
        let error = (&y + 1).eval().unwrap_err();
        assert!(matches!(error, cuda_compute::Error::Cuda(_)), "{error}");
        Ok(())
    };
    // SAFETY: the arrays outlive the graph, are not shared, and are not written to before its end.
    let graph = unsafe { stream.capture(|_| record()) }.unwrap();
    assert_eq!(addresses, [sum.as_device_ptr(), doubled.as_device_ptr()]);
    assert_eq!(sum.to_vec().unwrap(), [11, 22, 33]);
    let mut graph = graph.instantiate().unwrap();
    for _ in 0..3 {
        graph.launch(&stream).unwrap();
    }
    assert_eq!(sum.to_vec().unwrap(), [41, 82, 123]);
    assert_eq!(doubled.to_vec().unwrap(), [82, 164, 246]);
}
