//! NumPy's files. Headers are in the form in which NumPy 2.4 writes them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use cuda_compute::{Array, Complex, Element, Error, NpzReader, NpzWriter, Order, bf16, f16};

use crate::{OnHost, failure::failure, shaped, stream, upload};

/// A file in the system's folder for temporary files, which is removed at the end of the test.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Self {
        let file = format!("cuda_compute_{}_{name}", std::process::id());
        Self(std::env::temp_dir().join(file))
    }

    fn with(name: &str, bytes: &[u8]) -> Self {
        let file = Self::new(name);
        fs::write(&file.0, bytes).unwrap();
        file
    }
}

impl AsRef<Path> for Temporary {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Returns a file of version 1.0 with this description, padded to 128 bytes as NumPy does.
fn file(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    // A list describes a record.
    let descr = match descr.starts_with('[') {
        true => descr.into(),
        false => format!("'{descr}'"),
    };
    let text = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}");
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(format!("{text:<117}\n").bytes());
    assert_eq!(bytes.len(), 128);
    bytes.extend(data);
    bytes
}

/// Saves an array, compares the header, and loads it again.
fn check<T: Element + PartialEq>(name: &str, descr: &str, elements: &[T]) {
    let stream = stream();
    let saved = Temporary::new(&format!("{name}.npy"));
    let x = shaped(&stream, [2, elements.len() / 2], elements);
    x.save_npy(&saved).unwrap();
    let bytes = fs::read(&saved).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains(&format!("'descr': '{descr}'")), "{text}");
    assert!(text.contains("'fortran_order': False"), "{text}");
    let size = size_of_val(elements) / elements.len();
    assert_eq!((bytes.len() - elements.len() * size) % 16, 0);
    let back = Array::<T>::load_npy(&stream, &saved).unwrap();
    assert_eq!(back.shape(), x.shape());
    assert!(back.host() == elements, "{name}");
}

#[test]
fn arrays_of_every_type_are_saved_and_loaded() {
    check("bool", "|b1", &[true, false, false, true]);
    check("i8", "|i1", &[-1i8, 2, 3, 4]);
    check("i16", "<i2", &[-1i16, 2, 3, 300]);
    check("i32", "<i4", &[-1i32, 2, 3, 70_000]);
    check("i64", "<i8", &[-1i64, 2, 3, 1 << 40]);
    check("u8", "|u1", &[1u8, 2, 3, 255]);
    check("u16", "<u2", &[1u16, 2, 3, 300]);
    check("u32", "<u4", &[1u32, 2, 3, u32::MAX]);
    check("u64", "<u8", &[1u64, 2, 3, u64::MAX]);
    check("usize", "<u8", &[1usize, 2]);
    check("f16", "<f2", &[1.5, -2.0].map(f16::from_f32));
    check("bf16", "<V2", &[1.5, -2.0].map(bf16::from_f32));
    check("f32", "<f4", &[1.5f32, -2.0]);
    check("f64", "<f8", &[1.5f64, -2.0]);
    check(
        "c8",
        "<c8",
        &[Complex::new(1.5f32, -2.0), Complex::new(0.0, 3.0)],
    );
    check(
        "c16",
        "<c16",
        &[Complex::new(1.5f64, -2.0), Complex::new(0.0, 3.0)],
    );
}

fn loaded<T: Element>(name: &str, bytes: &[u8]) -> Result<Array<T>, Error> {
    Array::load_npy(&stream(), Temporary::with(name, bytes))
}

#[test]
fn byte_orders_and_axis_orders_are_read() {
    let data = [1.5f32, -2.0, 3.0, 4.0, 5.0, 6.0];
    let little: Vec<u8> = data.iter().flat_map(|x| x.to_le_bytes()).collect();
    let big: Vec<u8> = data.iter().flat_map(|x| x.to_be_bytes()).collect();
    let x: Array<f32> = loaded("little.npy", &file("<f4", false, "(2, 3)", &little)).unwrap();
    assert_eq!(
        (x.shape().as_slice(), x.host()),
        (&[2, 3][..], data.to_vec())
    );
    let x: Array<f32> = loaded("big.npy", &file(">f4", false, "(6,)", &big)).unwrap();
    assert_eq!(x.host(), data);
    // Fortran order stays in memory.
    let x: Array<f32> = loaded("fortran.npy", &file("<f4", true, "(2, 3)", &little)).unwrap();
    assert!(x.is_contiguous(Order::F));
    assert_eq!(x.host(), [1.5, 3.0, 5.0, -2.0, 4.0, 6.0]);
    // The parts of complex numbers are swapped one by one.
    let x: Array<Complex<f32>> = loaded("complex.npy", &file(">c8", false, "(3,)", &big)).unwrap();
    assert_eq!(x.host()[1], Complex::new(3.0, 4.0));
    // No axes, no elements, and bytes that are true.
    let x: Array<f32> = loaded("scalar.npy", &file("<f4", false, "()", &little[..4])).unwrap();
    assert_eq!((x.rank(), x.value()), (0, 1.5));
    let x: Array<f32> = loaded("empty.npy", &file("<f4", false, "(0, 3)", &[])).unwrap();
    assert_eq!(x.shape(), [0, 3]);
    let x: Array<bool> = loaded("bools.npy", &file("|b1", false, "(3,)", &[0, 1, 7])).unwrap();
    assert_eq!(x.host(), [false, true, true]);
}

#[test]
fn layouts_are_saved_in_the_order_of_memory() {
    let stream = stream();
    let x = Array::range(&stream, 0..6i16)
        .unwrap()
        .reshape([2, 3])
        .unwrap();
    let fortran = Temporary::new("transposed.npy");
    x.t().save_npy(&fortran).unwrap();
    let bytes = fs::read(&fortran).unwrap();
    assert!(String::from_utf8_lossy(&bytes).contains("'fortran_order': True"));
    let back = Array::<i16>::load_npy(&stream, &fortran).unwrap();
    assert_eq!(back.host(), x.t().host());
    // A part with gaps becomes contiguous.
    let part = x.slice(cuda_compute::s![.., ..2]).unwrap();
    part.save_npy(&fortran).unwrap();
    let back = Array::<i16>::load_npy(&stream, &fortran).unwrap();
    assert_eq!(back.host(), [0, 1, 3, 4]);
    let empty = Array::<f32>::zeros(&stream, [3, 0]).unwrap();
    empty.save_npy(&fortran).unwrap();
    let back = Array::<f32>::load_npy(&stream, &fortran).unwrap();
    assert_eq!(back.shape(), [3, 0]);
}

#[test]
fn large_files_are_copied_in_parts() {
    let stream = stream();
    // Two parts of 8 MiB and a smaller one.
    let count = (8 << 20) / 4 * 2 + 5;
    let x = Array::range(&stream, 0..count).unwrap();
    let saved = Temporary::new("large.npy");
    let mut parts = Vec::new();
    x.save_npy_with(&saved, |done, total| parts.push((done, total)))
        .unwrap();
    let bytes = count as usize * 4;
    assert_eq!(parts, [(8 << 20, bytes), (16 << 20, bytes), (bytes, bytes)]);
    let mut read = Vec::new();
    let back = Array::<i32>::load_npy_with(&stream, &saved, |done, total| read.push((done, total)));
    assert_eq!(read, parts);
    assert!(x.equal(back.unwrap()).all().eval().unwrap().value());
    // Whole parts only.
    let whole = x.slice(cuda_compute::s![..(16 << 20) / 4]).unwrap();
    whole.save_npy(&saved).unwrap();
    let back = Array::<i32>::load_npy(&stream, &saved).unwrap();
    assert!(whole.equal(&back).all().eval().unwrap().value());
}

#[test]
fn errors_name_the_file_and_both_types() {
    let data = 1.0f64.to_le_bytes();
    let doubles = file("<f8", false, "(1,)", &data);
    failure(loaded::<f32>("doubles.npy", &doubles))
        .mentions("doubles.npy: the elements are <f8 (f64), but Array<f32> needs <f4")
        .mentions("load Array<f64>, and convert it with cast()");
    failure(loaded::<f32>(
        "text.npy",
        &file("<U4", false, "(1,)", &[0; 16]),
    ))
    .mentions("the elements are <U4, but Array<f32> needs <f4")
    .mentions("x.astype(\"<f4\")");
    let record = file("[('a', '<f4')]", false, "(1,)", &data);
    failure(loaded::<f32>("record.npy", &record))
        .mentions("the elements are [('a', '<f4'), ], but");
    failure(loaded::<f64>("short.npy", &doubles[..132]))
        .mentions("short.npy: the 8 bytes of an array of shape [1] can't be read");
    failure(loaded::<f64>("other.npy", b"no array")).mentions("header");
    let complex = file("<c8", false, "(1,)", &data);
    failure(loaded::<f32>("complex.npy", &complex)).mentions("take its real() part");
    let large = file("<f8", false, "(8589934592, 8589934592)", &data);
    failure(loaded::<f64>("large.npy", &large))
        .mentions("large.npy: the header")
        .mentions("has too many elements");
    let axes = file("<f8", false, "(1, 1, 1, 1, 1, 1, 1, 1, 1)", &data);
    let error = loaded::<f64>("axes.npy", &axes).unwrap_err();
    assert!(matches!(error, Error::Shape(_)), "{error}");
    let missing = Array::<f32>::load_npy(&stream(), "/no/such/file.npy");
    failure(missing).mentions("/no/such/file.npy: can't be opened");
    let x = upload(&stream(), &[1.0f32]);
    failure(x.save_npy("/no/such/file.npy")).mentions("/no/such/file.npy: can't be created");
}

#[test]
fn archives_hold_arrays_by_name() {
    let stream = stream();
    let saved = Temporary::new("archive.npz");
    let x = Array::range(&stream, 0..100u32)
        .unwrap()
        .reshape([10, 10])
        .unwrap();
    let mut writer = NpzWriter::create(&saved).unwrap();
    writer.save("x", &x.t()).unwrap();
    writer
        .save("mask", &upload(&stream, &[true, false]))
        .unwrap();
    failure(writer.save("x", &x)).mentions("array \"x\"");
    writer.finish().unwrap();

    let mut reader = NpzReader::open(&saved).unwrap();
    assert_eq!(reader.names(), ["x", "mask"]);
    let mask: Array<bool> = reader.load(&stream, "mask").unwrap();
    assert_eq!(mask.host(), [true, false]);
    let mut parts = Vec::new();
    let back: Array<u32> = reader
        .load_with(&stream, "x", |done, _| parts.push(done))
        .unwrap();
    assert_eq!((back.host(), parts), (x.t().host(), vec![400]));
    failure(reader.load::<i32>(&stream, "x"))
        .mentions("archive.npz: array \"x\": the elements are <u4 (u32), but Array<i32> needs <i4");
    failure(reader.load::<u32>(&stream, "y"))
        .mentions("array \"y\" does not exist. Fix: pass one of [\"x\", \"mask\"]");
    failure(NpzReader::open(Temporary::with("no.npz", b"no archive"))).mentions("no.npz");
}

#[test]
fn damaged_archives_are_rejected() {
    let stream = stream();
    let saved = Temporary::new("damaged.npz");
    let mut writer = NpzWriter::create(&saved).unwrap();
    writer
        .save("x", &upload(&stream, &[0x1234_5678u32; 100]))
        .unwrap();
    writer.finish().unwrap();
    let mut bytes = std::fs::read(&saved).unwrap();
    let data = 0x1234_5678u32.to_le_bytes();
    let at = bytes.windows(4).position(|window| window == data).unwrap();
    bytes[at] ^= 1;
    std::fs::write(&saved, bytes).unwrap();
    let mut reader = NpzReader::open(&saved).unwrap();
    failure(reader.load::<u32>(&stream, "x")).mentions("damaged.npz: array \"x\": can't be read");
}

/// `numpy.savez_compressed(file, x=numpy.arange(400, dtype="<i4") // 100)`. Written
/// by NumPy 2.4.6.
const COMPRESSED: &[u8] = include_bytes!("npy/compressed.npz");

#[test]
fn compressed_archives_of_numpy_are_read() {
    let stream = stream();
    let mut reader = NpzReader::open(Temporary::with("compressed.npz", COMPRESSED)).unwrap();
    let x: Array<i32> = reader.load(&stream, "x").unwrap();
    assert!(x.host().into_iter().eq((0..400).map(|i| i / 100)));
}
