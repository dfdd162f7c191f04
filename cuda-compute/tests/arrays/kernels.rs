//! Arrays as arguments of custom kernels, and their memory as buffers and views.

use std::{thread::sleep, time::Duration};

use cuda_compute::{Array, Order, STRIDED_HEADER, s};
use cuda_safe::{
    Context, ContextFlags, Device, ErrorKind, Function, Graph, In, LaunchConfig, Module, Program,
    Stream, WithLen, launch::ArgumentList,
};

use crate::{elements, failure::failure, stream};

const SOURCE: &str = r#"
    #include "strided.cuh"
    extern "C" __global__ void add(float *y, const float *x, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] += x[i];
    }
    extern "C" __global__ void number(Strided<int, 2> x) {
        if (threadIdx.x < x.size()) x[threadIdx.x] = threadIdx.x;
    }
    extern "C" __global__ void columns(int *sums, Strided<const int, 2> x) {
        int sum = 0;
        for (int i = 0; i < x.shape[0]; ++i) sum += x(i, threadIdx.x);
        sums[threadIdx.x] = sum;
    }
    extern "C" __global__ void either(bool *z, const bool *x, const bool *y) {
        z[threadIdx.x] = x[threadIdx.x] || y[threadIdx.x];
    }"#;

cuda_safe::kernels! {
    /// The kernels with declared types.
    struct Kernels;
    /// Adds `x` to `y`.
    fn add(y: &mut [f32], (x, n): (&[f32], i32));
    /// Combines conditions.
    fn either(z: &mut [bool], x: &[bool], y: &[bool]);
}

fn program() -> Program {
    Program::new(SOURCE).header("strided.cuh", STRIDED_HEADER)
}

fn kernel(context: &Context, name: &str) -> Function {
    let module = Module::compile(context, program()).unwrap();
    module.function(name).unwrap()
}

fn floats(stream: &Stream, count: u16) -> Array<f32> {
    let host: Vec<f32> = (0..count).map(f32::from).collect();
    Array::from_slice(stream, &host).unwrap()
}

#[test]
fn arrays_are_arguments_of_every_kind_of_launch() {
    let stream = stream();
    let add = kernel(stream.context(), "add");
    let config = LaunchConfig::for_elements(100);
    let (x, mut y) = (floats(&stream, 100), floats(&stream, 100));
    let (address, host) = (y.as_device_ptr(), [1.0f32; 100]);
    let mut list = ArgumentList::new();
    list.push(&mut y).push(WithLen::i32(&x));
    // SAFETY: the kernel accesses 100 elements, which all of them have.
    unsafe {
        add.launch_list(&stream, config, list).unwrap();
        add.launch(&stream, config, (&mut y, &x, 100i32)).unwrap();
        let arguments = (&mut y, WithLen::i32(In(&host)));
        add.launch(&stream, config, arguments).unwrap();
    }
    let typed = Kernels::compile(stream.context(), program()).unwrap();
    // SAFETY: as above.
    unsafe { typed.add(&stream, config, &mut y, &x).unwrap() };
    let wanted: Vec<f32> = (0..100u16).map(|i| f32::from(i) * 4.0 + 1.0).collect();
    assert_eq!(y.to_vec().unwrap(), wanted);
    assert_eq!(y.as_device_ptr(), address, "in place");
}

#[test]
fn elements_of_bool_are_arguments() {
    let stream = stream();
    let typed = Kernels::compile(stream.context(), program()).unwrap();
    let x = Array::from_slice(&stream, &[true, false, false]).unwrap();
    let y = Array::from_slice(&stream, &[true, true, false]).unwrap();
    let mut z = Array::full(&stream, 3, false).unwrap();
    // SAFETY: three threads and three elements, which stay 0 or 1.
    unsafe { typed.either(&stream, LaunchConfig::new(1, 3), &mut z, &x, &y) }.unwrap();
    assert_eq!(z.to_vec().unwrap(), [true, true, false]);
}

#[test]
fn kernels_write_to_no_other_array() {
    let stream = stream();
    let add = kernel(stream.context(), "add");
    let config = LaunchConfig::for_elements(8);
    let x = floats(&stream, 8);
    let mut y = x.clone();
    let part = y.slice(s![2..4]).unwrap();
    let later = &y * 10.0;
    // SAFETY: the kernel accesses 8 elements, which both have.
    unsafe { add.launch(&stream, config, (&mut y, &x, 8i32)) }.unwrap();
    assert_eq!(y.to_vec().unwrap()[..4], [0.0, 2.0, 4.0, 6.0]);
    assert_eq!(x.to_vec().unwrap()[..4], [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(part.to_vec().unwrap(), [2.0, 3.0]);
    assert_eq!(later.to_vec().unwrap()[..3], [0.0, 10.0, 20.0]);
}

#[test]
fn launches_on_other_streams_are_ordered() {
    let (own, other) = (stream(), stream());
    let add = kernel(own.context(), "add");
    let config = LaunchConfig::for_elements(1000);
    let pause = |stream: &Stream| {
        let wait = || sleep(Duration::from_millis(50));
        stream.launch_host_function(wait).unwrap();
    };
    for round in 0..4 {
        let mut y = floats(&own, 1000);
        let x = floats(&own, 1000);
        // The kernel must wait for the arrays' values. The array's stream must wait for the kernel
        // before it reads, and before it frees memory.
        pause(if round % 2 == 0 { &own } else { &other });
        y.assign(&y * 2.0).unwrap();
        let mut list = ArgumentList::new();
        // SAFETY: the kernel accesses 1000 elements, which both have.
        unsafe {
            match round / 2 {
                0 => add.launch(&other, config, (&mut y, &x, 1000i32)).unwrap(),
                _ => {
                    list.push(&mut y).push(&x).push(1000i32);
                    add.launch_list(&other, config, list).unwrap();
                }
            }
        }
        drop(x);
        let reused = Array::full(&own, 1000, -1.0f32).unwrap();
        assert_eq!(y.to_vec().unwrap()[..3], [0.0, 3.0, 6.0]);
        assert_eq!(reused.to_vec().unwrap()[0], -1.0);
    }
}

#[test]
fn arguments_are_contiguous() {
    let stream = stream();
    let add = kernel(stream.context(), "add");
    let config = LaunchConfig::for_elements(6);
    let x = floats(&stream, 6).reshape([2, 3]).unwrap().t();
    let mut y = x.clone();
    let text = "an array of shape [3, 2] and strides [1, 3] is not contiguous in C order. Fix: make it contiguous with \
                x.contiguous(Order::C), or pass x.strided() or x.strided_mut() to a kernel that takes strides. To write to a \
                part of an array, pass x.slice_mut(s![..])?.strided_mut()";
    // SAFETY: nothing is launched.
    let results = unsafe {
        [
            add.launch(&stream, config, (&mut y, &x, 6i32)),
            add.launch(&stream, config, (0u64, &x, 6i32)),
            add.launch(&stream, config, (0u64, WithLen::i32(&x))),
        ]
    };
    for result in results {
        failure(result)
            .of_kind(ErrorKind::LaunchArguments)
            .mentions(text);
    }
    failure(x.view().map(|_| ())).mentions(text);
    failure(y.view_mut().map(|_| ())).mentions(text);
    assert_eq!(y.as_device_ptr(), x.as_device_ptr(), "not copied in vain");
    let x = x.contiguous(Order::C).unwrap();
    y = y.contiguous(Order::C).unwrap();
    // SAFETY: the kernel accesses 6 elements, which both have.
    unsafe { add.launch(&stream, config, (&mut y, &x, 6i32)) }.unwrap();
    assert_eq!(y.to_vec().unwrap(), [0.0, 6.0, 2.0, 8.0, 4.0, 10.0]);
}

#[test]
fn arguments_belong_to_the_context_of_the_launch() {
    let stream = stream();
    let other = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
    let add = kernel(&other, "add");
    let other = Stream::new(&other).unwrap();
    let (x, mut y) = (floats(&stream, 4), floats(&stream, 4));
    let text = "the stream and an array belong to different contexts. Fix: launch on a stream of the array's context";
    let config = LaunchConfig::for_elements(4);
    // SAFETY: nothing is launched.
    let results = unsafe {
        [
            add.launch(&other, config, (0u64, &x, 4i32)),
            add.launch(&other, config, (&mut y, 0u64, 4i32)),
        ]
    };
    for result in results {
        failure(result)
            .of_kind(ErrorKind::LaunchArguments)
            .mentions(text);
    }
}

#[test]
fn graphs_take_buffers() {
    let stream = stream();
    let add = kernel(stream.context(), "add");
    let config = LaunchConfig::for_elements(4);
    let (x, mut y) = (floats(&stream, 4), floats(&stream, 4));
    let mut graph = Graph::new(stream.context()).unwrap();
    // SAFETY: nothing is added.
    let added = unsafe { graph.add_kernel(&[], &add, config, (&mut y, &x, 4i32)) };
    failure(added)
        .of_kind(ErrorKind::InvalidArgument)
        .mentions("a kernel of a graph can't take arrays")
        .mentions("Fix: pass the token of `graph.keep(array.into_buffer()?)`");
    let x = graph.keep(x.into_buffer().unwrap());
    let y = graph.keep(y.into_buffer().unwrap());
    // SAFETY: the kernel accesses 4 elements, which both have.
    unsafe { graph.add_kernel(&[], &add, config, (y, x, 4i32)) }.unwrap();
    let mut exec = graph.instantiate().unwrap();
    exec.launch(&stream).unwrap();
    let sums = exec.memory(y).unwrap().to_vec(&stream).unwrap();
    assert_eq!(sums, [0.0, 2.0, 4.0, 6.0]);
}

#[test]
fn strided_arguments_have_any_layout() {
    let stream = stream();
    let (number, columns) = (
        kernel(stream.context(), "number"),
        kernel(stream.context(), "columns"),
    );
    let mut x = Array::<i32>::zeros(&stream, [2, 3]).unwrap().t();
    let before = x.clone();
    // SAFETY: the kernel writes the elements that the array has.
    unsafe {
        let config = LaunchConfig::new(1, 32);
        let argument = x.strided_mut::<2>().unwrap();
        assert_eq!(
            format!("{argument:?}"),
            r#"StridedMut { element: "i32", shape: [3, 2], strides: [1, 3] }"#
        );
        number.launch(&stream, config, (argument,)).unwrap();
    }
    assert_eq!(x.to_vec().unwrap(), [0, 1, 2, 3, 4, 5]);
    assert_eq!(x.strides(), [1, 3]);
    assert_eq!(before.to_vec().unwrap(), [0; 6]);
    let mut sums = Array::<i32>::zeros(&stream, 2).unwrap();
    let mut check = |x: &Array<i32>, wanted: [i32; 2]| {
        let config = LaunchConfig::new(1, 2);
        // SAFETY: two threads for two columns.
        unsafe { columns.launch(&stream, config, (&mut sums, x.strided::<2>().unwrap())) }.unwrap();
        assert_eq!(sums.to_vec().unwrap(), wanted);
    };
    check(&x, [6, 9]);
    check(&x.slice(s![1.., ..;-1]).unwrap(), [8, 6]);
    check(
        &x.slice(s![0]).unwrap().broadcast_to([4, 2]).unwrap(),
        [0, 4],
    );
    // Repeated elements get their own memory.
    let mut row = x.slice(s![0]).unwrap().broadcast_to([2, 2]).unwrap();
    let argument = row.strided_mut::<2>().unwrap();
    // SAFETY: the kernel writes the elements that the array has.
    unsafe { number.launch(&stream, LaunchConfig::new(1, 32), (argument,)) }.unwrap();
    assert_eq!(row.to_vec().unwrap(), [0, 1, 2, 3]);
    assert_eq!(x.to_vec().unwrap(), [0, 1, 2, 3, 4, 5]);
    failure(x.strided::<3>().map(|_| ())).begins_with(
        "strided::<3>: an array of shape [3, 2] has rank 2. Fix: strided::<2>(), and declare the kernel's parameter as `Strided<T, 2>`",
    );
    failure(x.strided_mut::<1>().map(|_| ())).begins_with("strided_mut::<1>: an array of shape");
    // The kernel's parameter has two axes.
    let line = row.slice(s![0]).unwrap();
    let argument = (line.strided::<1>().unwrap(),);
    // SAFETY: nothing is launched.
    let error = unsafe { number.launch(&stream, LaunchConfig::new(1, 32), argument) }.unwrap_err();
    assert!(
        error
            .detail()
            .contains("declare the parameter as `Strided<T, 1>`"),
        "{error}"
    );
}

#[test]
fn kernels_write_to_parts_of_arrays() {
    let stream = stream();
    let number = kernel(stream.context(), "number");
    let mut x = Array::<i32>::full(&stream, (3, 4), -1).unwrap();
    let before = x.clone();
    assert!(x.is_shared() && before.is_shared());
    let part = x.slice_mut(s![1.., 1..;2]).unwrap();
    // SAFETY: the kernel checks its index, and the type is the declared one.
    unsafe {
        let argument = (part.strided_mut::<2>().unwrap(),);
        number
            .launch(&stream, LaunchConfig::new(1, 32), argument)
            .unwrap();
    }
    assert_eq!(
        x.to_vec().unwrap(),
        [-1, -1, -1, -1, -1, 0, -1, 1, -1, 2, -1, 3]
    );
    assert!(!x.is_shared() && !before.is_shared());
    assert_eq!(before.to_vec().unwrap(), [-1; 12]);
    // A wrong number of axes copies nothing.
    let (other, place) = (x.clone(), x.as_device_ptr());
    failure(x.slice_mut(s![0]).unwrap().strided_mut::<2>().map(|_| ()))
        .begins_with("strided_mut::<2>: an array of shape [4] has rank 1");
    assert_eq!(x.as_device_ptr(), place);
    drop(other);
}

#[test]
fn views_are_the_memory_of_the_array() {
    let stream = stream();
    let x = floats(&stream, 10);
    let mut part = x.slice(s![4..8]).unwrap();
    let view = part.view().unwrap();
    assert_eq!((view.len(), view.stream()), (4, Some(&stream)));
    assert_eq!(view.to_vec(&stream).unwrap(), [4.0, 5.0, 6.0, 7.0]);
    let mut view = part.view_mut().unwrap();
    view.copy_from_slice(&stream, &[1.0; 4]).unwrap();
    assert_eq!(part.to_vec().unwrap(), [1.0; 4]);
    assert_eq!(x.to_vec().unwrap()[3..5], [3.0, 4.0]);
    let address = part.as_device_ptr();
    assert_eq!(part.view_mut().unwrap().as_device_ptr(), address);
    let mut none = x.slice(s![10..]).unwrap();
    assert!(none.view().unwrap().is_empty() && none.view_mut().unwrap().is_empty());
}

#[test]
fn buffers_are_copied_only_if_necessary() {
    let stream = stream();
    let x = floats(&stream, 6);
    let address = x.as_device_ptr();
    let whole = x.reshape([2, 3]).unwrap();
    // Shared memory is copied, and the other array keeps it.
    let copy = whole.into_buffer().unwrap();
    assert_ne!(copy.as_device_ptr(), address);
    assert_eq!(copy.to_vec(&stream).unwrap()[4..], [4.0, 5.0]);
    let buffer = x.into_buffer().unwrap();
    assert_eq!((buffer.as_device_ptr(), buffer.len()), (address, 6));
    let x = Array::<f32>::from_buffer(buffer, [3, 2]).unwrap();
    assert_eq!(x.as_device_ptr(), address);
    // So are parts of memory, and other layouts.
    let part = x.slice(s![1..]).unwrap().into_buffer().unwrap();
    assert_eq!(part.to_vec(&stream).unwrap(), [2.0, 3.0, 4.0, 5.0]);
    let first = floats(&stream, 6).slice(s![..2]).unwrap();
    assert_eq!(
        first.into_buffer().unwrap().to_vec(&stream).unwrap(),
        [0.0, 1.0]
    );
    let columns = x.t().into_buffer().unwrap();
    assert_eq!(
        columns.to_vec(&stream).unwrap(),
        [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]
    );
    let none = x.slice(s![3..]).unwrap().into_buffer().unwrap();
    assert!(none.is_empty());
    assert_eq!(elements(Array::<f32>::from_buffer(columns, 6)).len(), 6);
}
