//! Convolution of an image that is cut into strips.

use std::ops::Range;

use cuda_compute::{Border, Convolution, ConvolutionOptions, Extent, Filter, Kernels, Kind};
use cuda_safe::{DeviceBuffer, Owner, Stream, StreamOptions};

use super::{
    agree::{Fact, agree},
    part,
    strip::{Shape, Strip},
};
use crate::{
    collectives::{Collectives, expect_context},
    error::{Error, Result},
};

/// The convolution of an `f32` image that is cut into strips of rows, one for each rank of a group.
///
/// Each call sends the rows beside the cuts to the neighbours, on a stream of its own, while the rows that need none of them
/// are computed; then come the rest. The result is as large as the image, and as accurate as that of a [`Convolution`] of
/// the whole image; its sums may be added in another order.
///
/// ```
/// use cuda_compute::{Border, ConvolutionOptions, Filter};
/// use cuda_nccl::{Collectives, PeerGroup, spread::Strips};
/// use cuda_safe::Stream;
///
/// # fn main() -> cuda_nccl::Result<()> {
/// let image: Vec<f32> = (0..12 * 40).map(|i| (i % 12) as f32).collect();
/// let mean = Filter::new(1, 3, &[1.0 / 3.0; 3])?;
/// let options = ConvolutionOptions::default().border(Border::Clamp);
/// let strips = PeerGroup::of_all_devices()?.run(|rank| {
///     let stream = Stream::new(rank.context())?;
///     let strips = Strips::new(rank, &mean, options, 12, 40)?;
///     let mut from = strips.strip(&stream)?;
///     from.copy_from_slice(&stream, &image[12 * strips.rows().start..12 * strips.rows().end])?;
///     let mut to = strips.strip(&stream)?;
///     strips.run(&stream, &mut from, &mut to)?;
///     to.to_vec(&stream)
/// })?;
/// let errors = strips.concat().iter().zip(&image).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
/// assert!(errors < 1e-5); // columns of equal numbers stay as they are
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Strips<'a, C> {
    ranks: &'a C,
    convolution: Convolution,
    shape: Shape,
    rows: Range<usize>,
    /// What borders and the rows beside them go on, before others.
    side: Stream,
}

fn border_name(border: Border) -> &'static str {
    match border {
        Border::Zero => "Zero",
        Border::Clamp => "Clamp",
        Border::Reflect => "Reflect",
        Border::Wrap => "Wrap",
    }
}

fn extent_name(extent: Extent) -> &'static str {
    match extent {
        Extent::Same => "Same",
        Extent::Valid => "Valid",
        Extent::ValidRows => "Rows",
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Convolution => "convolution",
        Kind::Correlation => "correlation",
    }
}

impl<'a, C: Collectives> Strips<'a, C> {
    /// A convolution of an image of `width` x `height`, of which each rank has [`rows`](Self::rows). All ranks call this
    /// together.
    ///
    /// # Errors
    /// On all ranks: the size, the filter or the options of one of them differ. Another [`Extent`] than
    /// [`Same`](Extent::Same). A strip has fewer rows than the filter reaches beyond it: take fewer ranks. The image is
    /// larger than any memory.
    ///
    /// The filter is too large, or the kernel does not compile for this device.
    pub fn new(
        ranks: &'a C,
        filter: &Filter,
        options: ConvolutionOptions,
        width: usize,
        height: usize,
    ) -> Result<Self> {
        let context = ranks.context();
        let urgent = StreamOptions::default().priority(i32::MIN);
        let side = Stream::with_options(context, urgent)?;
        let weights = filter.weights().iter().fold(0u64, |hash, weight| {
            (hash ^ u64::from(weight.to_bits())).wrapping_mul(0x0100_0000_01b3)
        });
        let facts = vec![
            Fact::Name("the call", "Strips"),
            Fact::Number("the image's width", width as u64),
            Fact::Number("the image's height", height as u64),
            Fact::Number("the filter's width", filter.width() as u64),
            Fact::Number("the filter's height", filter.height() as u64),
            Fact::Name("the border", border_name(options.border)),
            Fact::Name("the kind", kind_name(options.kind)),
            Fact::Name("the extent", extent_name(options.extent)),
            Fact::Number("separate, as 0 or 1,", u64::from(options.separate)),
            Fact::Number("a number made of the filter's weights", weights),
        ];
        agree(ranks, &side, Ok((facts, [])))?;
        if options.extent != Extent::Same {
            return Err(Error::Value(format!(
                "strips have as many rows as their part of the image: Extent::Same, not {:?}",
                options.extent
            )));
        }
        let above = match options.kind {
            Kind::Convolution => filter.height() / 2,
            Kind::Correlation => (filter.height() - 1) / 2,
        };
        let below = filter.height() - 1 - above;
        // The same finding on all ranks.
        let least = part(height, ranks.size(), ranks.size() - 1).len();
        let reach = above.max(below) + usize::from(options.border == Border::Reflect);
        if least < reach.max(1) {
            let remedy = match height / reach.max(1) {
                0 => "too few for any number of ranks".to_owned(),
                most => format!("take {most} ranks at most"),
            };
            return Err(Error::Value(format!(
                "{height} rows over {} ranks are {least} for the last one, and the filter reaches {reach} rows: {remedy}",
                ranks.size()
            )));
        }
        let shape = |rows| Shape::new(width, rows, [above, below], options.border);
        let rows = part(height, ranks.size(), ranks.rank());
        // Rank 0 has most, so that this too is the same on all ranks.
        let most = part(height, ranks.size(), 0).len();
        let (Some(_), Some(shape)) = (shape(most), shape(rows.len())) else {
            return Err(Error::Value(format!(
                "an image of {width} x {height} is larger than any memory"
            )));
        };
        let kernels = Kernels::new(context)?;
        let within = options.extent(Extent::ValidRows);
        Ok(Self {
            ranks,
            convolution: Convolution::with_kernels(&kernels, filter, within)?,
            shape,
            rows,
            side,
        })
    }

    /// The rows of the image that this rank has.
    #[must_use]
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// A strip of zeros.
    ///
    /// # Errors
    /// Memory ran out.
    pub fn strip(&self, stream: &Stream) -> Result<Strip> {
        let len = self.shape.all_rows() * self.shape.pitch;
        Ok(Strip {
            memory: DeviceBuffer::zeroed(stream, len)?,
            shape: self.shape,
        })
    }

    /// Enqueues the convolution of `from` into `to`. The rows of the neighbours in `from` are renewed.
    ///
    /// # Errors
    /// A strip of another cut, a strip or a stream of another context; the other ranks get an [`Error::Value`] that names
    /// this one. As [`Collectives::exchange`], and as [`Convolution::run`].
    pub fn run(&self, stream: &Stream, from: &mut Strip, to: &mut Strip) -> Result<()> {
        let side = &self.side;
        let owners = [from.memory.owner(), to.memory.owner()];
        if let Err(error) = self.expect_own(stream, [&from.shape, &to.shape], owners) {
            if self.exchanges() {
                self.ranks.refuse(&error.to_string());
            }
            return Err(error);
        }
        stream.ordered_with(owners, || {
            // The side stream begins behind what is enqueued so far, and what comes later waits for it, whatever happens in
            // between. The two go on at the same time, on memory that belongs to neither.
            side.ordered_with([Owner::Stream(stream)], || {
                // SAFETY: as just said; both strips are borrowed exclusively.
                unsafe { self.enqueue(stream, side, from, to) }
            })
        })
    }

    fn expect_own(
        &self,
        stream: &Stream,
        shapes: [&Shape; 2],
        owners: [Owner<'_>; 2],
    ) -> Result<()> {
        if shapes != [&self.shape; 2] {
            return Err(Error::Value(
                "a strip belongs to the Strips that it was made by".into(),
            ));
        }
        expect_context(self.ranks.rank(), self.ranks.context(), stream, owners)
    }

    /// Whether rows are exchanged.
    fn exchanges(&self) -> bool {
        self.ranks.size() > 1 || self.shape.border == Border::Wrap
    }

    /// # Safety
    /// Both strips may be used on both streams, and what is enqueued on them later waits for both.
    unsafe fn enqueue(
        &self,
        stream: &Stream,
        side: &Stream,
        from: &Strip,
        to: &Strip,
    ) -> Result<()> {
        let Shape {
            rows, above, below, ..
        } = self.shape;
        let filter_rows = above + below;
        if rows > filter_rows {
            // SAFETY: rows that the side stream does not write, into rows that it does not touch.
            unsafe { self.convolve(stream, from, 0, rows, to, above as isize)? };
        }
        // SAFETY: rows of the neighbours, which nobody else touches on this rank; others read from rows that nobody writes.
        unsafe { self.exchange(side, from)? };
        if rows > filter_rows {
            if above > 0 {
                let first = -(above as isize);
                // SAFETY: into rows that the other stream does not touch.
                unsafe { self.convolve(side, from, first, above + filter_rows, to, 0)? };
            }
            if below > 0 {
                let (first, at) = (
                    rows as isize - filter_rows as isize,
                    (rows - below) as isize,
                );
                // SAFETY: as above.
                unsafe { self.convolve(side, from, first, below + filter_rows, to, at)? };
            }
        } else {
            let first = -(above as isize);
            // SAFETY: the other stream does nothing.
            unsafe { self.convolve(side, from, first, rows + filter_rows, to, 0)? };
        }
        Ok(())
    }

    /// The rows from `first` on, into as many less than the filter's beginning with `at`.
    ///
    /// # Safety
    /// As [`enqueue`](Self::enqueue), and nothing else uses the result's rows, or writes to the others.
    unsafe fn convolve(
        &self,
        stream: &Stream,
        from: &Strip,
        first: isize,
        rows: usize,
        to: &Strip,
        at: isize,
    ) -> Result<()> {
        let results = rows - self.shape.above - self.shape.below;
        // SAFETY: the caller orders what happens on both.
        let (input, mut output) =
            unsafe { (from.rows_at(first, rows), to.rows_at_mut(at, results)) };
        let (from, to) = (self.shape.layout(rows), self.shape.layout(results));
        self.convolution
            .run(stream, &input, from, &mut output, to)?;
        Ok(())
    }

    /// Fills the rows of the neighbours.
    ///
    /// # Safety
    /// As [`enqueue`](Self::enqueue), and nothing else uses these rows.
    unsafe fn exchange(&self, side: &Stream, strip: &Strip) -> Result<()> {
        let Shape {
            rows, above, below, ..
        } = self.shape;
        let (me, size) = (self.ranks.rank(), self.ranks.size());
        let wraps = self.shape.border == Border::Wrap;
        let previous = (me > 0 || wraps).then(|| (me + size - 1) % size);
        let next = (me + 1 < size || wraps).then(|| (me + 1) % size);
        let (top, bottom) = (-(above as isize), rows as isize);
        // SAFETY: the caller has said who uses which rows.
        let (first, last, mut before, mut behind) = unsafe {
            (
                strip.rows_at(0, below),
                strip.rows_at(bottom - above as isize, above),
                strip.rows_at_mut(top, above),
                strip.rows_at_mut(bottom, below),
            )
        };
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        // In this order: of two ranks in a ring, each is the other's neighbour on both sides.
        if below > 0 {
            sends.extend(previous.map(|rank| (rank, first)));
            receives.extend(next.map(|rank| (rank, behind.view_mut())));
        }
        if above > 0 {
            sends.extend(next.map(|rank| (rank, last)));
            receives.extend(previous.map(|rank| (rank, before.view_mut())));
        }
        if self.exchanges() {
            self.ranks.exchange(side, &sends, &mut receives)?;
        }
        for k in 1..=above as isize {
            if previous.is_none() {
                // SAFETY: as above.
                unsafe { self.beyond(side, strip, -k, 0, k)? };
            }
        }
        for k in 1..=below as isize {
            if next.is_none() {
                let last = rows as isize - 1;
                // SAFETY: as above.
                unsafe { self.beyond(side, strip, last + k, last, last - k)? };
            }
        }
        Ok(())
    }

    /// Fills a row beyond the edge of the image; zeros are there already.
    ///
    /// # Safety
    /// As [`exchange`](Self::exchange).
    unsafe fn beyond(
        &self,
        side: &Stream,
        strip: &Strip,
        row: isize,
        edge: isize,
        mirrored: isize,
    ) -> Result<()> {
        let source = match self.shape.border {
            Border::Clamp => edge,
            Border::Reflect => mirrored,
            // Nobody writes to these rows, and those of other ranks have come.
            Border::Zero | Border::Wrap => return Ok(()),
        };
        // SAFETY: the caller has said who uses which rows; these are two.
        let (from, mut to) = unsafe { (strip.rows_at(source, 1), strip.rows_at_mut(row, 1)) };
        Ok(to.copy_from(side, &from)?)
    }
}
