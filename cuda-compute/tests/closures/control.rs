//! Statements, branches, loops, and the order of evaluation.

use cuda_compute::device_fn;

use crate::suite::Suite;

#[test]
fn variables() {
    Suite::new()
        .same(device_fn!(|x: f32| {
            let x = x + 1.0;
            let x = x * x;
            x - 3.0
        }))
        .same(device_fn!(|int: i16, float: f32| {
            let double: f64 = float as f64;
            double + int as f64
        }))
        .same(device_fn!(|sin: f32, rs_add: f32| {
            let r#while = sin * rs_add;
            r#while - sin
        }))
        .same(device_fn!(|mut x: i64, _y: f32, _: bool| {
            x &= 0xff;
            x += 1;
            x
        }))
        .same(device_fn!(|x: f32| {
            let y;
            if x > 0.0 {
                y = x
            } else {
                y = -x;
            }
            y
        }))
        .same(device_fn!(|x: i32| {
            let y = {
                let x = x / 2;
                x + 1
            };
            let _ = y;
            let _unused = 5u8;
            x ^ y
        }))
        .same(device_fn!(|größe: f32| {
            let größe_2 = größe;
            größe + größe_2
        }))
        .same(device_fn!(|x: f64| -> f64 { x * 0.5 }))
        .run();
}

#[test]
fn branches() {
    Suite::new()
        .same(device_fn!(|x: f32| if x > 0.0 { x } else { 0.0 }))
        .same(device_fn!(|x: f32| if x < -1.0 {
            -1.0
        } else if x > 1.0 {
            1.0
        } else {
            x
        } * 2.0))
        .same(device_fn!(|x: i32, y: i32| {
            if x < 0 {
                return y;
            }
            let z = if y < 0 {
                return x;
            } else {
                let t = y / 3;
                t ^ x
            };
            z | 1
        }))
        .same(device_fn!(|x: f32, y: f32| {
            let mut sum = 0.0;
            if x > y && {
                sum += 1.0;
                y > 0.0
            } || {
                sum += 10.0;
                x == y
            } {
                sum += 100.0
            }
            sum
        }))
        .same(device_fn!(|x: u8| if x == 0 {
            return 0.5f32;
        } else if x < 10 {
            return 1.5;
        } else {
            return 2.5;
        }))
        .same(device_fn!(|x: i8, y: i8| (if x > y { x } else { y })
            as i32
            * 1000))
        .same(device_fn!(|x: bool, y: i64| if x {
            if y > 0 { 1 } else { 2 }
        } else {
            3
        }))
        .same(device_fn!(
            |x: f32| (x > 1.0) == if x > 2.0 { true } else { x > 1.5 }
        ))
        .run();
}

#[test]
fn loops() {
    Suite::new()
        .same(device_fn!(|n: u8| {
            let mut sum = 0u32;
            for i in 0..n {
                sum += i as u32
            }
            sum
        }))
        .same(device_fn!(|n: u8| {
            let mut sum = 0u32;
            for i in 0..=n {
                sum += i as u32;
            }
            sum
        }))
        .same(device_fn!(|a: i8, b: i8| {
            let mut count = 0;
            for _ in a..=b {
                count += 1;
            }
            count
        }))
        .same(device_fn!(|a: i8| {
            let mut count = 0i64;
            for i in (a / 2)..a {
                if i % 3 == 0 {
                    continue;
                }
                count += i as i64;
            }
            count
        }))
        .same(device_fn!(|a: i8| {
            let mut s = 0i64;
            for i in -3..=5 {
                if i == a {
                    break;
                }
                s = s * 2 + i as i64;
            }
            s
        }))
        .same(device_fn!(|a: u8| {
            let mut s = 0u64;
            for i in 250..=255 {
                if i == a {
                    continue;
                }
                s += i as u64;
            }
            s
        }))
        .same(device_fn!(|a: u8| {
            let mut s = 0u32;
            for mut i in 0..a {
                i /= 2;
                s += i as u32;
            }
            s
        }))
        .same(device_fn!(|a: u8| {
            let mut n = a;
            for _ in 0..n {
                n /= 2;
            }
            n
        }))
        .same(device_fn!(|start: u16| {
            let mut n = start as u64;
            let mut steps = 0;
            while n > 1 && steps < 200 {
                n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
                steps += 1;
            }
            steps
        }))
        .same(device_fn!(|x: u32| {
            let mut i = 0;
            let found = loop {
                if x >> i == 0 || i == 31 {
                    break i;
                }
                i += 1;
            };
            found * 2
        }))
        .same(device_fn!(|x: u8| {
            let mut total = 0i32;
            for i in 0..x % 16 {
                let mut j = i;
                loop {
                    if j == 0 {
                        break;
                    }
                    j -= 1;
                    if j % 2 == 1 {
                        continue;
                    }
                    total += j as i32;
                    if total > 50 {
                        return -total;
                    }
                }
            }
            total
        }))
        .run();
}

#[test]
fn the_mandelbrot_set() {
    Suite::new()
        .same(device_fn!(|re: f32, im: f32| {
            let mut x = 0.0;
            let mut y = 0.0;
            let mut n = 0;
            while n < 50 && x * x + y * y <= 4.0 {
                let next = x * x - y * y + re;
                y = 2.0 * x * y + im;
                x = next;
                n += 1;
            }
            n as u8
        }))
        .run();
}

#[test]
fn operands_are_evaluated_from_left_to_right() {
    Suite::new()
        .same(device_fn!(|x: i32| {
            let mut i = x & 7;
            i + {
                i *= 2;
                i
            } + {
                i += 3;
                i
            } * i
        }))
        .same(device_fn!(|x: f32| {
            let mut a = x;
            let b = a - {
                a = 2.0;
                a
            } / {
                a += 1.0;
                a
            };
            b * a
        }))
        .same(device_fn!(|x: i32| {
            let mut i = x & 7;
            i += {
                i += 100;
                i * 2
            };
            i
        }))
        .same(device_fn!(|x: i32| {
            let mut i = x & 7;
            i.max({
                i = 5;
                3
            })
            .clamp(
                {
                    i -= 1;
                    -i
                },
                {
                    i += 9;
                    i
                },
            )
        }))
        .same(device_fn!(|x: i32| {
            let mut i = x & 7;
            (i < {
                i += 1;
                i
            }) as i32
                + i
        }))
        .same(device_fn!(|x: i32| {
            let mut i = x & 7;
            for j in i..({
                i += 4;
                i
            }) {
                i += j;
            }
            i
        }))
        .same(device_fn!(|x: i32| {
            let mut i = x & 7;
            while {
                i += 1;
                i < 20
            } {
                i *= 2;
            }
            i
        }))
        .same(device_fn!(|x: i32| {
            let mut i = x & 7;
            let a = i;
            i = 9;
            a + i
        }))
        .same(device_fn!(|x: f32| {
            let mut a = x;
            let y = (a * 2.0).mul_add(
                {
                    a = 3.0;
                    a
                },
                a,
            );
            a = 1.0;
            y + a
        }))
        .run();
}
