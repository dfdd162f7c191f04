//! Programs that import names by one `use` line, and the names that both crates have.

mod one_line {
    use cuda_compute::prelude::*;

    kernels! {
        /// A kernel of arrays.
        struct Kernels = "__global__ void scale(float *x, float factor) { x[threadIdx.x] *= factor; }";
        /// Multiplies the elements of one block.
        fn scale(x: &mut [f32], factor: f32);
    }

    #[test]
    fn complex_numbers_and_halves() -> Result<()> {
        let stream = Stream::new(&Context::primary(0)?)?;
        let z = Array::from_slice(
            &stream,
            &[Complex::new(1.0f32, 2.0), Complex::new(3.0, -4.0)],
        )?;
        let (product, size) = eval((&z * z.conj(), z.abs()))?;
        assert_eq!(product.real().to_vec()?, [5.0, 25.0]);
        assert_eq!(size.slice(s![1])?.item()?, 5.0);
        let half = size.cast::<f16>().eval()?;
        assert_eq!(half.cast::<bf16>().to_vec()?[1], bf16::from_f32(5.0));
        Ok(())
    }

    #[test]
    fn arrays_and_kernels() -> Result<()> {
        let context = Context::primary(0)?;
        let stream = Stream::new(&context)?;
        let kernels = Kernels::load(&context)?;
        let mut x = Array::from_slice(&stream, &[1.0f32, 2.0])?;
        // SAFETY: two threads and two elements.
        unsafe { kernels.scale(&stream, LaunchConfig::new(1, 2), &mut x, 3.0)? };
        let closure = device_fn!(|x: f32| if x > 4.0 { x } else { -x });
        let largest = fold!(|a: f32, b: f32| a.max(b), f32::NEG_INFINITY);
        assert_eq!(closure.map((&x,)).reduce(largest).item()?, 6.0);
        assert_eq!(x.into_buffer()?.to_vec(&stream)?, [3.0, 6.0]);
        Ok(())
    }
}

mod both_crates {
    use cuda_compute::{Error, Result, *};
    use cuda_safe::*;

    #[test]
    fn errors_of_both_crates_become_one() {
        let work = || -> Result<f32> {
            let context = Context::primary(0)?;
            let stream = Stream::new(&context)?;
            let x: DeviceBuffer<f32> = Array::from_slice(&stream, &[1.0f32, 2.0])?.into_buffer()?;
            Array::<f32>::from_buffer(x, [2, 1])?.sum_axis(2).item()
        };
        assert!(matches!(work(), Err(Error::Shape(_))));
    }
}

/// Returns the names that a crate's root exports, from the text of its `lib.rs`.
fn exported(text: &str) -> Vec<String> {
    let code: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().starts_with("//"))
        .collect();
    let code = code.join("\n");
    let mut names = Vec::new();
    for item in code.split("\npub ").skip(1) {
        let item = item.split(';').next().unwrap_or_default();
        let Some((kind, rest)) = item.split_once(' ') else {
            continue;
        };
        if kind != "use" {
            names.push(rest.trim().to_owned());
            continue;
        }
        for name in rest.split(|c: char| ",{}\n".contains(c)).map(str::trim) {
            let name = name.rsplit(" as ").next().unwrap_or_default();
            let name = name.strip_suffix("::self").unwrap_or(name);
            let name = name.rsplit("::").next().unwrap_or_default();
            if !name.is_empty() && name != "self" {
                names.push(name.to_owned());
            }
        }
    }
    names
}

#[test]
fn only_error_and_result_are_names_of_both_crates() {
    let compute = exported(include_str!("../src/lib.rs"));
    let safe = exported(include_str!("../../cuda-safe/src/lib.rs"));
    for (names, some) in [
        (&compute, ["Array", "prelude"]),
        (&safe, ["Stream", "launch"]),
    ] {
        assert!(
            some.iter().all(|name| names.iter().any(|own| own == name)),
            "{names:?}"
        );
    }
    let common: Vec<_> = compute.iter().filter(|name| safe.contains(name)).collect();
    // Each crate's guide is a module of documentation.
    assert_eq!(common, ["guide", "Error", "Result"]);
}
