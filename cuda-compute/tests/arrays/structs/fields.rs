//! Fields of structs, as arrays and as expressions.

use super::*;
use crate::{OnHost, failure::failure, shaped, upload};

#[test]
fn fields_share_the_memory() {
    let stream = stream();
    let host = numbers::<Mixed>(30);
    let mut x = shaped(&stream, [5, 6], &host);
    // 8 of 40 bytes, at a multiple of 8.
    let ids = x.field(|m| &m.id).unwrap();
    assert_eq!(ids.as_device_ptr(), x.as_device_ptr());
    assert_eq!((ids.shape(), ids.strides()), (x.shape(), &[30isize, 5][..]));
    assert_eq!(ids.host(), host.iter().map(|m| m.id).collect::<Vec<_>>());
    let nested = x.field(|m| &m.position.y).unwrap();
    assert_eq!(
        nested.host(),
        host.iter().map(|m| m.position.y).collect::<Vec<_>>()
    );
    let halves = x.field(|m| &m.brain).unwrap();
    assert_eq!(
        halves.host(),
        host.iter().map(|m| m.brain).collect::<Vec<_>>()
    );
    let waves = x.field(|m| &m.wave).unwrap();
    assert_eq!(
        waves.conj().eval().unwrap().host()[29],
        host[29].wave.conj()
    );
    assert_eq!(waves.host()[29], host[29].wave);
    let last = x
        .slice(s![..;-2, 5])
        .unwrap()
        .field(|m| &m.tail[7])
        .unwrap();
    assert_eq!(last.host(), [29, 17, 5]);
    // A field of a field, in two steps.
    let imaginary = waves.field(|z| &z.im).unwrap();
    assert_eq!(imaginary.host(), [-1.0; 30]);

    // 12 of 40 bytes: 40 is not a multiple of 12, so there is no stride for a view, but an
    // expression works.
    failure(x.field(|m| &m.position))
        .mentions("a field of type Float3 (12 bytes) at byte 8 of Mixed (40 bytes)");
    let positions = x.expr().field(|m| &m.position).eval().unwrap();
    assert_eq!(
        positions.host(),
        host.iter().map(|m| m.position).collect::<Vec<_>>()
    );
    let parts = x.expr().field(|m| &m.half)
        + x.expr()
            .field(|m| &m.position)
            .field(|p| &p.x)
            .cast::<f16>();
    let wanted: Vec<f16> = host
        .iter()
        .map(|m| m.half + f16::from_f32(m.position.x))
        .collect();
    assert_eq!(parts.eval().unwrap().host(), wanted);

    // Writing a field leaves the other fields and other references unchanged.
    let before = x.clone();
    x.field_mut(|m| &m.id)
        .unwrap()
        .assign(&ids * 2 + 1)
        .unwrap();
    x.field_mut(|m| &m.half)
        .unwrap()
        .fill(f16::from_f32(0.5))
        .unwrap();
    let part = x.slice_mut(s![2, ..;-1]).unwrap();
    part.field(|m| &m.position.z)
        .unwrap()
        .assign(
            before
                .slice(s![3])
                .unwrap()
                .field(|m| &m.position.x)
                .unwrap(),
        )
        .unwrap();
    let mut wanted = host.clone();
    for (i, m) in wanted.iter_mut().enumerate() {
        m.id = m.id * 2 + 1;
        m.half = f16::from_f32(0.5);
        if i / 6 == 2 {
            m.position.z = host[18 + 5 - i % 6].position.x;
        }
    }
    assert_eq!(x.host(), wanted);
    assert_eq!(before.host(), host);
    assert_eq!(ids.host(), host.iter().map(|m| m.id).collect::<Vec<_>>());
}

#[test]
fn fields_are_written_in_place() {
    let stream = stream();
    let host = numbers::<Float4>(1000);
    let mut x = upload(&stream, &host);
    let address = x.as_device_ptr();
    let sums = x.field(|v| &v.x).unwrap() + x.field(|v| &v.y).unwrap();
    x.field_mut(|v| &v.w).unwrap().assign(sums).unwrap();
    // Assigns from a field between those that are written.
    let y = x.field(|v| &v.y).unwrap();
    x.field_mut(|v| &v.z).unwrap().assign(y).unwrap();
    assert_eq!(x.as_device_ptr(), address);
    let wanted: Vec<Float4> = host
        .iter()
        .map(|v| Float4 {
            z: v.y,
            w: v.x + v.y,
            ..*v
        })
        .collect();
    assert_eq!(x.host(), wanted);
    // Closures of fields, and reductions of the results.
    let twice = device_fn!(|a: f32, b: f32| a * 2.0 + b);
    let got = twice.map((x.field(|v| &v.x).unwrap(), x.expr().field(|v| &v.w)));
    let most = got.reduce(fold!(|a: f32, b: f32| a.max(b), f32::NEG_INFINITY));
    let host = wanted
        .iter()
        .map(|v| v.x * 2.0 + v.w)
        .fold(f32::NEG_INFINITY, f32::max);
    assert_eq!(most.eval().unwrap().value(), host);
}

#[test]
fn references_outside_the_struct_are_rejected() {
    let stream = stream();
    let x = Array::full(&stream, 3, MinMax::of(1)).unwrap();
    static ELSEWHERE: f32 = 1.0;
    failure(x.field(|_| &ELSEWHERE))
        .mentions("a field of MinMax returns a reference of type f32 to something else");
    failure(x.expr().field(|_| &ELSEWHERE).eval()).mentions("something else");
    let mut y = x.clone();
    y.field_mut(|_| &ELSEWHERE).unwrap_err();
}

#[test]
fn closures_take_fields_and_compute_several_results() {
    let stream = stream();
    let host = numbers::<Mixed>(30);
    let x = Array::from_slice(&stream, &host).unwrap().expr();
    let (y, id) = (x.field(|m| &m.position.y), x.field(|m| &m.id));
    let scaled = device_fn!(|y: f32, id: u64| y * id as f32);
    let sign = device_fn!(|re: f32, im: f32| re > im);
    let wave = x.field(|m| &m.wave);
    let results = (scaled.map((&y, &id)), sign.map((wave.real(), wave.imag())));
    let (scaled, sign) = eval(results).unwrap();
    let products = host.iter().map(|m| m.position.y * m.id as f32);
    assert_eq!(scaled.to_vec().unwrap(), products.collect::<Vec<_>>());
    let signs = host.iter().map(|m| m.wave.re > m.wave.im);
    assert_eq!(sign.to_vec().unwrap(), signs.collect::<Vec<_>>());
}
