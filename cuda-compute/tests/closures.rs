//! Closures on the device and on the CPU.

use cuda_compute::{device_fn, fold};

#[test]
fn try_it() {
    let wave = device_fn!(|x: f32, y: f32| (x * y).sin() + 1.0);
    println!("{wave:?}");
    assert_eq!(wave.call((0.0, 1.0)), 1.0);
    let largest = fold!(|a: f32, b: f32| a.max(b), f32::NEG_INFINITY);
    println!("{largest:?}");
    let all = device_fn!(|x: f32, n: i32| {
        let mut s = 0.0;
        let x = x * 2.0;
        for i in 0..n {
            s += x * i as f32 / {
                s = s + 1.0;
                s
            };
            if s > 100. {
                return s;
            } else if s < -3. {
                s = 1.0
            } else {
                continue;
            }
        }
        let k = loop {
            if s > 3.0 {
                break s * 2.0;
            }
            s += 1.0;
        };
        for j in 1..=n {
            s += j as f32
        }
        if n > 0 && {
            s += 1.0;
            s > 2.0
        } {
            s
        } else {
            k
        }
    });
    println!("{}", all.source());
}
