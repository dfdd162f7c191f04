//! Results of NumPy, which `scripts/numpy_cases.py` writes.

use std::{env, fs, path::Path};

use cuda_compute::{Array, NpzReader, QuantileMethod};
use cuda_safe::{Context, Stream};

use crate::case::{Element, is_nan};

/// A file with an array and NumPy's results.
struct File {
    reader: NpzReader,
    stream: Stream,
    name: String,
}

impl File {
    fn open(path: &Path) -> Self {
        Self {
            reader: NpzReader::open(path).unwrap(),
            stream: Stream::new(&Context::primary(0).unwrap()).unwrap(),
            name: path.display().to_string(),
        }
    }

    fn load<T: cuda_compute::Element>(&mut self, name: &str) -> Array<T> {
        self.reader.load(&self.stream, name).unwrap()
    }

    /// Compares elements. NaN equals NaN.
    fn same<T: Element>(&mut self, name: &str, got: &Array<T>) {
        let wanted = self.load::<T>(name);
        assert_eq!(got.shape(), wanted.shape(), "{name} of {}", self.name);
        let (got, wanted) = (got.to_vec().unwrap(), wanted.to_vec().unwrap());
        let equal = |(a, b): (&T, &T)| a == b || (is_nan(a) && is_nan(b));
        let all = got.iter().zip(&wanted).all(equal);
        assert!(all, "{name} of {}: {got:?}, not {wanted:?}", self.name);
    }

    fn places(&mut self, name: &str, got: &Array<usize>) {
        let wanted = self.load::<i64>(name).to_vec().unwrap();
        let got: Vec<i64> = (got.to_vec().unwrap().into_iter())
            .map(|place| place as i64)
            .collect();
        assert_eq!(got, wanted, "{name} of {}", self.name);
    }

    fn near(&mut self, name: &str, got: Vec<f64>) {
        let wanted = self.load::<f64>(name).to_vec().unwrap();
        let near = |(a, b): (&f64, &f64)| (a.is_nan() && b.is_nan()) || (a - b).abs() < 1e-5;
        let all = got.len() == wanted.len() && got.iter().zip(&wanted).all(near);
        assert!(all, "{name} of {}: {got:?}, not {wanted:?}", self.name);
    }
}

fn check<T: Element>(path: &Path) {
    let mut file = File::open(path);
    let (x, y) = (file.load::<T>("x"), file.load::<T>("y"));
    let axis = file.load::<i64>("axis").item().unwrap() as usize;
    let q = file.load::<f64>("q").item().unwrap();
    file.same("sort", &x.sort_axis(axis).unwrap());
    file.places("argsort", &x.argsort_axis(axis).unwrap());
    let wide = |values: Array<T::Quantile>| -> Vec<f64> {
        values
            .to_vec()
            .unwrap()
            .into_iter()
            .map(T::quantile)
            .collect()
    };
    let quantiles = x.quantile_axis(q, axis, QuantileMethod::Linear).unwrap();
    file.near("quantile", wide(quantiles));
    file.near("median", wide(x.median().unwrap()));
    file.same("unique", &x.unique().unwrap());
    file.places("unique_indices", &x.unique_indices().unwrap().1);
    file.places("unique_inverse", &x.unique_inverse().unwrap().1);
    file.places("unique_counts", &x.unique_counts().unwrap().1);
    let wanted = file.load::<bool>("isin").to_vec().unwrap();
    assert_eq!(
        x.isin(&y).unwrap().to_vec().unwrap(),
        wanted,
        "{}",
        file.name
    );
    file.same("setxor1d", &x.symmetric_difference(&y).unwrap());
    let sorted = x.sort().unwrap();
    file.places("searchsorted", &sorted.searchsorted(&y).unwrap());
}

#[test]
#[ignore = "needs files that scripts/numpy_cases.py writes"]
fn results_match_those_of_numpy() {
    let folder = env::var("CUDA_NUMPY_CASES").expect("CUDA_NUMPY_CASES names a folder of files");
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .split('_')
            .next()
        {
            Some("f4") => check::<f32>(&path),
            Some("f8") => check::<f64>(&path),
            Some("i4") => check::<i32>(&path),
            _ => continue,
        }
        files += 1;
    }
    assert!(files > 0, "no files");
    println!("{files} files");
}
