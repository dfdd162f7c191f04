use cuda_compute::device_fn;

fn main() {
    let _ = device_fn!(|x: i32| match x { 0 => 1, _ => x });
    let _ = device_fn!(|x: i32| { let (a, b) = (x, x); a + b });
    let _ = device_fn!(|x: i32| { println!("{x}"); x });
    let _ = device_fn!(|x: i32| unsafe { x });
    let _ = device_fn!(|x: i32| { let y = &x; *y });
    let _ = device_fn!(|x: i32| 'outer: loop { break 'outer x });
    let _ = device_fn!(|x: i32| { for i in (0..x).rev() {} x });
    let _ = device_fn!(|x: i32| { #[cfg(test)] let x = 1; x });
    let _ = device_fn!(|x: i32| { fn f() {} x });
    let _ = device_fn!(|x: i32| "text");
    let _ = device_fn!(|x: i32| { let y = x; });
    let _ = device_fn!(|x: i32| (x, x + 1));
    let _ = device_fn!(|x: i32| -> (i32, i32) { (x, x + 1) });
    let _ = device_fn!(|x: i32| x.mass * 2);
}
