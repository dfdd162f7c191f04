//! Kernel sources and launch parameters for textual requests, for programs that measure variants.
//!
//! This module is not part of the stable interface. It changes with the kernels, and exists for
//! `tuning/tune.py`.
//!
//! ```
//! use cuda_compute::tuning::Launch;
//!
//! let launch = Launch::from_request("reduce sum f32 threads=256 unroll=2").unwrap();
//! assert_eq!((launch.threads, launch.shared_bytes), (256, 0));
//! assert!(launch.source.defines().any(|define| define == ("UNROLL", "2")));
//! let launch = Launch::from_request("convolve tile 31x31 warps=8 rows=4").unwrap();
//! assert_eq!(launch.source.entry(), "convolve_tile");
//! ```

use std::fmt::Write;

use cuda_safe::ComputeCapability;

pub use crate::kernel::Source;
use crate::{
    DataType,
    convolution::{
        Border, table as convolution,
        variant::{Correlation, Pixels, Stencil, Unroll, Variant as Convolver},
    },
    expression::{
        fold::table as reduction,
        reduction::{Fold, Nan},
    },
    kernel::{ANY, Specialisation, Table},
    reduce::operation::{Map, Operation, Reduction},
};

/// A kernel and its launch parameters.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Launch {
    /// The source.
    pub source: Source,
    /// Threads per block.
    pub threads: u32,
    /// Bytes of dynamic shared memory per block.
    pub shared_bytes: u32,
}

impl Launch {
    /// Returns the kernel for a request, which consists of words and named numbers.
    ///
    /// ```text
    /// reduce OPERATION ELEMENT [ACCUMULATOR] [threads= unroll= pieces=]
    ///     OPERATION sum dot min max; ELEMENT and ACCUMULATOR f32 f64 i32 u32 i64 u64, ELEMENT also f16 bf16
    /// convolve direct WIDTHxHEIGHT [SIZE] [warps= rows= blocks=]
    /// convolve march WIDTHxHEIGHT [SIZE] [rows= depth= blocks= separable=]
    /// convolve tile WIDTHxHEIGHT [ELEMENT] [SIZE] [channels= aligned_output= warps= rows= pair= blocks=]
    ///     ELEMENT u8 u16 f16 bf16 f32 (the default)
    ///     SIZE: border= (0 zero, 1 clamp, 2 reflect, 3 wrap) aligned= pad_x= pad_y=
    /// ```
    ///
    /// # Errors
    /// Returns a message that names the word if the request contains an unknown word, or if a word
    /// is missing.
    pub fn from_request(request: &str) -> Result<Self, String> {
        let wrong = |why: String| format!("{request}: {why}");
        let mut request = Request::of(request).map_err(wrong)?;
        let launch = match request.word("a kernel").map_err(wrong)? {
            "reduce" => reduce(&mut request),
            "convolve" => convolve(&mut request),
            other => Err(format!("unknown kernel {other}")),
        };
        let launch = launch.and_then(|launch| request.end().map(|()| launch));
        launch.map_err(wrong)
    }
}

/// Returns a listing of the tables from which variants are chosen, with the measurements.
#[must_use]
pub fn tables() -> String {
    let mut text = String::new();
    show(&mut text, "reduce, by 16-byte vectors", &reduction::TABLE);
    show(&mut text, "convolve, by weights", &convolution::DENSE);
    show(
        &mut text,
        "convolve in two passes, by weights",
        &convolution::SEPARABLE,
    );
    show(
        &mut text,
        "convolve one channel, by rows of the filter",
        &convolution::ONE_CHANNEL,
    );
    show(
        &mut text,
        "convolve several channels, by rows of the filter",
        &convolution::CHANNELS,
    );
    text
}

fn show<V: std::fmt::Debug>(text: &mut String, name: &str, table: &Table<V>) {
    for policy in table.0 {
        let device = match policy.since {
            ANY => "any device".into(),
            ComputeCapability { major, minor } => format!("sm_{major}{minor} and newer"),
        };
        let elements = policy
            .element_bytes
            .map_or("any bytes".into(), |bytes| format!("{bytes} bytes"));
        let measured = policy
            .measured
            .unwrap_or("not measured: values of another device or element type");
        let _ = writeln!(
            text,
            "{name}: {device}, elements of {elements}\n  {measured}"
        );
        for row in policy.rows {
            let _ = writeln!(text, "  up to {}: {:?}", row.up_to, row.variant);
            if policy.measured.is_some() {
                let _ = writeln!(text, "    {}", row.figures);
            }
        }
    }
}

fn reduce(request: &mut Request<'_>) -> Result<Launch, String> {
    let (map, fold) = match request.word("an operation")? {
        "sum" => (Map::Element, Fold::Sum),
        "dot" => (Map::Product, Fold::Sum),
        "min" => (Map::Element, Fold::Minimum(Nan::Ignored)),
        "max" => (Map::Element, Fold::Maximum(Nan::Ignored)),
        other => return Err(format!("unknown operation {other}")),
    };
    let element = match request.word("an element type")? {
        "f16" => DataType::F16,
        "bf16" => DataType::Bf16,
        other => scalar(other)?,
    };
    let accumulator = match (request.words.next(), element) {
        (Some(name), _) => scalar(name)?,
        (None, DataType::F16 | DataType::Bf16) => DataType::F32,
        (None, scalar) => scalar,
    };
    let reduction = Reduction {
        operation: Operation {
            element,
            accumulator,
            map,
            fold,
        },
        narrow: true,
        apart: false,
        variant: reduction::Variant {
            threads: request.number("threads", 512),
            unroll: request.number("unroll", 4),
            pieces: request.number("pieces", 0) != 0,
        },
    };
    Ok(Launch {
        source: reduction.source(),
        threads: reduction.variant.threads,
        shared_bytes: 0,
    })
}

fn scalar(name: &str) -> Result<DataType, String> {
    let scalars = [
        DataType::F32,
        DataType::F64,
        DataType::I32,
        DataType::U32,
        DataType::I64,
        DataType::U64,
    ];
    let found = scalars.into_iter().find(|data| data.name() == name);
    found.ok_or_else(|| format!("unknown type {name}"))
}

fn convolve(request: &mut Request<'_>) -> Result<Launch, String> {
    let kind = request.word("a kernel: direct, march or tile")?;
    let filter = request.word("a filter's size")?;
    let sides = filter
        .split_once('x')
        .map(|(width, height)| (width.parse(), height.parse()));
    let Some((Ok(width @ 1u32..), Ok(height @ 1u32..))) = sides else {
        return Err(format!("{filter} is not a filter size such as 3x3"));
    };
    let pixels = match kind {
        "tile" => pixels(request)?,
        _ => Pixels::PLANES,
    };
    let aligned = request.number("aligned", 1) != 0;
    let stencil = Stencil {
        pixels,
        width,
        height,
        pad_x: request.number("pad_x", (width - 1) / 2),
        pad_y: request.number("pad_y", (height - 1) / 2),
        aligned,
        aligned_output: match pixels {
            Pixels::PLANES => aligned,
            _ => request.number("aligned_output", 1) != 0,
        },
    };
    let border = match request.number("border", 0) {
        0 => Border::Zero,
        1 => Border::Clamp,
        2 => Border::Reflect,
        3 => Border::Wrap,
        other => return Err(format!("unknown border {other}")),
    };
    let rows = request.number("rows", 4);
    let blocks = request.number("blocks", 4);
    let variant = match kind {
        "direct" => Convolver::Direct {
            warps: request.number("warps", 4),
            rows,
            blocks,
        },
        "march" => Convolver::March {
            rows,
            blocks,
            depth: request.number("depth", 3),
            separable: request.number("separable", 0) != 0,
            warps: u32::MAX, // the measuring program chooses the number of blocks
        },
        "tile" => Convolver::Tile {
            warps: request.number("warps", 4),
            rows,
            blocks,
            unroll: match (request.number("pair", 0), pixels) {
                (0, Pixels::PLANES) => Unroll::Rows(2),
                (0, _) => Unroll::Weights(32),
                (pair, _) => Unroll::Rows(pair),
            },
        },
        other => return Err(format!("unknown kernel convolve {other}")),
    };
    let kernel = Correlation {
        variant,
        stencil,
        border,
    };
    Ok(Launch {
        source: kernel.source(),
        threads: kernel.threads(),
        shared_bytes: kernel.shared_bytes(),
    })
}

fn pixels(request: &mut Request<'_>) -> Result<Pixels, String> {
    let data = match request.words.next() {
        Some("u8") => DataType::U8,
        Some("u16") => DataType::U16,
        Some("f16") => DataType::F16,
        Some("bf16") => DataType::Bf16,
        Some("f32") | None => DataType::F32,
        Some(other) => return Err(format!("unknown pixel type {other}")),
    };
    let channels = request.number("channels", 1);
    Ok(Pixels { data, channels })
}

/// The words of a request, and its numbers that have not been read yet.
struct Request<'a> {
    words: std::vec::IntoIter<&'a str>,
    numbers: Vec<(&'a str, u32)>,
}

impl<'a> Request<'a> {
    fn of(text: &'a str) -> Result<Self, String> {
        let (mut words, mut numbers) = (Vec::new(), Vec::new());
        for part in text.split_whitespace() {
            match part.split_once('=') {
                None => words.push(part),
                Some((name, value)) => {
                    let value = value
                        .parse()
                        .map_err(|_| format!("{part} is not a number"))?;
                    numbers.push((name, value));
                }
            }
        }
        Ok(Self {
            words: words.into_iter(),
            numbers,
        })
    }

    fn word(&mut self, what: &str) -> Result<&'a str, String> {
        self.words
            .next()
            .ok_or_else(|| format!("{what} is missing"))
    }

    fn number(&mut self, name: &str, otherwise: u32) -> u32 {
        let Some(at) = self.numbers.iter().position(|(known, _)| *known == name) else {
            return otherwise;
        };
        self.numbers.remove(at).1
    }

    fn end(&mut self) -> Result<(), String> {
        match (self.words.next(), self.numbers.first()) {
            (None, None) => Ok(()),
            (Some(word), _) | (None, Some(&(word, _))) => Err(format!("unexpected word {word}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Row;

    #[test]
    fn launch_builds_image_kernels() {
        let launch =
            Launch::from_request("convolve tile 5x3 u8 channels=3 border=1 rows=4").unwrap();
        assert_eq!(launch.source.entry(), "convolve_tile");
        assert_eq!((launch.threads, launch.shared_bytes), (128, 18 * 144 * 4));
        let defines: Vec<_> = launch.source.defines().collect();
        for define in [
            ("PIXEL", "U8"),
            ("CHANNELS", "3"),
            ("KH", "3"),
            ("ROWS", "4"),
            ("PAIR", "3"),
            ("OUT_ALIGNED", "1"),
        ] {
            assert!(defines.contains(&define), "{defines:?}");
        }
        for (element, pixel) in [
            ("u16", "U16"),
            ("f16", "F16"),
            ("bf16", "BF16"),
            ("f32", "F32"),
        ] {
            let launch = Launch::from_request(&format!("convolve tile 5x3 {element}")).unwrap();
            assert!(
                launch
                    .source
                    .defines()
                    .any(|define| define == ("PIXEL", pixel))
            );
        }
    }

    #[test]
    fn launch_builds_all_tabulated_variants() {
        for row in reduction::TABLE.0[0].rows {
            let reduction::Variant {
                threads,
                unroll,
                pieces,
            } = row.variant;
            let pieces = u32::from(pieces);
            let request =
                format!("reduce max f16 threads={threads} unroll={unroll} pieces={pieces}");
            let chosen = Reduction {
                operation: Operation {
                    element: DataType::F16,
                    accumulator: DataType::F32,
                    map: Map::Element,
                    fold: Fold::Maximum(Nan::Ignored),
                },
                narrow: true,
                apart: false,
                variant: row.variant,
            };
            let launch = Launch::from_request(&request).unwrap();
            assert_eq!((launch.source, launch.threads), (chosen.source(), threads));
        }
        let variants = [&convolution::DENSE, &convolution::SEPARABLE].map(|table| table.0[0].rows);
        for Row { variant, .. } in variants.into_iter().flatten() {
            let kernel = match *variant {
                Convolver::Direct {
                    warps,
                    rows,
                    blocks,
                } => {
                    format!("direct 6x8 warps={warps} rows={rows} blocks={blocks}")
                }
                Convolver::March {
                    rows,
                    depth,
                    blocks,
                    separable,
                    ..
                } => {
                    let separable = u32::from(separable);
                    format!(
                        "march 6x8 rows={rows} depth={depth} blocks={blocks} separable={separable}"
                    )
                }
                Convolver::Tile {
                    warps,
                    rows,
                    unroll,
                    blocks,
                } => {
                    assert_eq!(unroll, Unroll::Rows(2));
                    format!("tile 6x8 warps={warps} rows={rows} pair=2 blocks={blocks}")
                }
            };
            let chosen = Correlation {
                variant: *variant,
                stencil: Stencil {
                    pixels: Pixels::PLANES,
                    width: 6,
                    height: 8,
                    pad_x: 2,
                    pad_y: 3,
                    aligned: false,
                    aligned_output: false,
                },
                border: Border::Wrap,
            };
            let request = format!("convolve {kernel} border=3 aligned=0");
            let launch = Launch::from_request(&request).unwrap();
            assert_eq!(launch.source, chosen.source(), "{request}");
            assert_eq!(launch.threads, variant.threads());
            assert_eq!(launch.shared_bytes, chosen.shared_bytes());
            let elsewhere = Launch::from_request(&format!("{request} pad_x=0 pad_y=1")).unwrap();
            let pads = |define: &(&str, &str)| [("PAD_X", "0"), ("PAD_Y", "1")].contains(define);
            assert_eq!(elsewhere.source.defines().filter(pads).count(), 2);
        }
    }

    #[test]
    fn launch_rejects_invalid_requests() {
        for (request, why) in [
            ("", "a kernel is missing"),
            ("scan", "unknown kernel scan"),
            ("reduce", "an operation is missing"),
            ("reduce product f32", "unknown operation product"),
            ("reduce sum", "an element type is missing"),
            ("reduce sum f8", "unknown type f8"),
            ("reduce sum f32 f16", "unknown type f16"),
            ("reduce sum f32 f64 f64", "unexpected word f64"),
            ("reduce sum f32 thread=4", "unexpected word thread"),
            (
                "reduce sum f32 threads=many",
                "threads=many is not a number",
            ),
            ("convolve", "a kernel: direct, march or tile is missing"),
            ("convolve tile", "a filter's size is missing"),
            ("convolve image 3x3", "unknown kernel convolve image"),
            ("convolve tile 3x3 i8", "unknown pixel type i8"),
            ("convolve march 3x3 u8", "unexpected word u8"),
            ("convolve tile 3", "3 is not a filter size"),
            ("convolve tile 3x0", "3x0 is not a filter size"),
            ("convolve tile 0x3", "0x3 is not a filter size"),
            ("convolve plain 3x3", "unknown kernel convolve plain"),
            ("convolve tile 3x3 border=4", "unknown border 4"),
            ("convolve tile 3x3 depth=2", "unexpected word depth"),
        ] {
            let error = Launch::from_request(request).unwrap_err();
            assert!(
                error.starts_with(&format!("{request}: ")) && error.contains(why),
                "{error}"
            );
        }
    }

    #[test]
    fn tables_show_measurements() {
        let tables = tables();
        assert!(
            tables.contains("2^16: 4.86") && tables.contains("31 x 31: 593.2"),
            "{tables}"
        );
        assert_eq!(tables.matches("not measured").count(), 6, "{tables}");
        assert_eq!(tables.matches("2^16: 4.86").count(), 1, "{tables}");
    }
}
