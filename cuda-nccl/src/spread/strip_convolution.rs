//! Convolution of an image that is divided into strips.

use std::ops::Range;

use cuda_compute::{Border, Convolution, ConvolutionOptions, Extent, Filter, Kernels, Kind};
use cuda_safe::{DeviceBuffer, Owner, Stream, StreamOptions};

use super::{
    agree::agree,
    part,
    strip::{Shape, Strip},
};
use crate::{
    collectives::{Collectives, expect_context},
    error::{Error, Result},
    record::{CALL, Fact, digest},
};

/// The convolution of an `f32` image that is divided into strips of rows, one for each rank of a
/// group.
///
/// Each call sends the rows next to the borders of the strips to the neighbours on a separate
/// stream, while the rows that do not depend on them are computed. The remaining rows follow. The
/// result has the size of the image, and the accuracy of a [`Convolution`] of the whole image. Its
/// sums may be added in a different order.
///
/// ```
/// use cuda_compute::{Border, ConvolutionOptions, Filter};
/// use cuda_nccl::{Collectives, PeerGroup, spread::StripConvolution};
/// use cuda_safe::Stream;
///
/// # fn main() -> cuda_nccl::Result<()> {
/// let image: Vec<f32> = (0..12 * 40).map(|i| (i % 12) as f32).collect();
/// let mean = Filter::new(1, 3, &[1.0 / 3.0; 3])?;
/// let options = ConvolutionOptions::default().border(Border::Clamp);
/// let strips = PeerGroup::of_all_devices()?.run(|rank| {
///     let stream = Stream::new(rank.context())?;
///     let strips = StripConvolution::new(rank, &mean, options, 12, 40)?;
///     let mut from = strips.strip(&stream)?;
///     from.copy_from_slice(&stream, &image[12 * strips.rows().start..12 * strips.rows().end])?;
///     let mut to = strips.strip(&stream)?;
///     strips.run(&stream, &mut from, &mut to)?;
///     to.to_vec(&stream)
/// })?;
/// let errors = strips.concat().iter().zip(&image).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
/// assert!(errors < 1e-5); // the mean of equal numbers in a column changes nothing
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct StripConvolution<'a, C> {
    ranks: &'a C,
    convolution: Convolution,
    shape: Shape,
    rows: Range<usize>,
    /// High-priority stream for the exchange, and for the rows that depend on it.
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

impl<'a, C: Collectives> StripConvolution<'a, C> {
    /// Creates a convolution of an image of `width` x `height`, of which each rank has
    /// [`rows`](Self::rows). All ranks must call this together.
    ///
    /// # Errors
    /// All ranks return [`Error::Value`] if:
    /// - the size, the filter or the options differ between ranks;
    /// - the [`Extent`] is not [`Same`](Extent::Same);
    /// - a strip has fewer rows than the filter reaches beyond it: use fewer ranks;
    /// - the size of the image exceeds the address space.
    ///
    /// A rank returns [`Error::Compute`] if the filter is too large or the kernel does not compile
    /// for its device.
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
        let weights = filter.weights().iter();
        let weights = digest(weights.map(|weight| u64::from(weight.to_bits())));
        let facts = vec![
            Fact::Name(CALL, "StripConvolution"),
            Fact::Number("the image's width", width as u64),
            Fact::Number("the image's height", height as u64),
            Fact::Number("the filter's width", filter.width() as u64),
            Fact::Number("the filter's height", filter.height() as u64),
            Fact::Name("the border", border_name(options.border)),
            Fact::Name("the kind", kind_name(options.kind)),
            Fact::Name("the extent", extent_name(options.extent)),
            Fact::Number("separate", u64::from(options.separate)),
            Fact::Number("the hash of the filter's weights", weights),
        ];
        agree(ranks, &side, Ok((facts, [])))?;
        if options.extent != Extent::Same {
            return Err(Error::Value(format!(
                "strips need Extent::Same, not {:?}: the result has the rows of the image",
                options.extent
            )));
        }
        let above = match options.kind {
            Kind::Convolution => filter.height() / 2,
            Kind::Correlation => (filter.height() - 1) / 2,
        };
        let below = filter.height() - 1 - above;
        // The result is the same on all ranks.
        let least = part(height, ranks.size(), ranks.size() - 1).len();
        let reach = above.max(below) + usize::from(options.border == Border::Reflect);
        if least < reach.max(1) {
            let remedy = match height / reach.max(1) {
                0 => "the image is too small for any number of ranks".to_owned(),
                most => format!("use at most {most} ranks"),
            };
            return Err(Error::Value(format!(
                "{height} rows divided among {} ranks leave {least} for the last one, but the filter reaches {reach} rows: {remedy}",
                ranks.size()
            )));
        }
        let shape = |rows| Shape::new(width, rows, [above, below], options.border);
        let rows = part(height, ranks.size(), ranks.rank());
        // Rank 0 has the most rows, so this result is the same on all ranks too.
        let most = part(height, ranks.size(), 0).len();
        let (Some(_), Some(shape)) = (shape(most), shape(rows.len())) else {
            return Err(Error::Value(format!(
                "an image of {width} x {height} exceeds the address space"
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

    /// Returns the rows of the image that belong to this rank.
    #[must_use]
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// Allocates a strip and sets it to zero.
    ///
    /// # Errors
    /// Returns [`Error::Cuda`] if there is not enough memory.
    pub fn strip(&self, stream: &Stream) -> Result<Strip> {
        let len = self.shape.all_rows() * self.shape.pitch;
        Ok(Strip {
            memory: DeviceBuffer::zeroed(stream, len)?,
            shape: self.shape,
        })
    }

    /// Enqueues the convolution of `from` into `to`. The rows of the neighbours in `from` are
    /// updated.
    ///
    /// # Errors
    /// - Returns [`Error::Value`] if a strip was created by another `StripConvolution`, or if a
    ///   strip or the stream belongs to another context. The other ranks then return an
    ///   [`Error::Value`] that names this one.
    /// - Returns the errors of [`Collectives::exchange`] and [`Convolution::run`].
    pub fn run(&self, stream: &Stream, from: &mut Strip, to: &mut Strip) -> Result<()> {
        let side = &self.side;
        let owners = [from.memory.owner(), to.memory.owner()];
        if let Err(error) = self.expect_own(stream, [&from.shape, &to.shape], owners) {
            if self.exchanges() {
                self.ranks.report_error(&error.to_string());
            }
            return Err(error);
        }
        stream.ordered_with(owners, || {
            // The side stream starts after all work enqueued so far, and later work waits for it on
            // every path. In between, the two streams run at the same time, on memory that belongs
            // to neither.
            side.ordered_with([Owner::Stream(stream)], || {
                // SAFETY: the streams are ordered as described above, and both strips are borrowed
                // exclusively.
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
                "the strip was created by another StripConvolution: use strips of this one".into(),
            ));
        }
        expect_context(self.ranks.rank(), self.ranks.context(), stream, owners)
    }

    /// Returns whether rows are exchanged.
    fn exchanges(&self) -> bool {
        self.ranks.size() > 1 || self.shape.border == Border::Wrap
    }

    /// # Safety
    /// The caller must ensure that both strips may be used on both streams, and that later work on
    /// them waits for both streams.
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
            // SAFETY: the side stream neither writes the source rows nor uses the target rows.
            unsafe { self.convolve(stream, from, 0, rows, to, above as isize)? };
        }
        // SAFETY: no other work on this rank uses the rows of the neighbours. The other ranks read
        // rows that nothing writes.
        unsafe { self.exchange(side, from)? };
        if rows > filter_rows {
            if above > 0 {
                let first = -(above as isize);
                // SAFETY: the other stream does not use the target rows.
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
            // SAFETY: the other stream has no work.
            unsafe { self.convolve(side, from, first, rows + filter_rows, to, 0)? };
        }
        Ok(())
    }

    /// Convolves `rows` source rows starting at `first`, and writes the result starting at row
    /// `at`. For a filter of `height` rows, the result has `rows - (height - 1)` rows.
    ///
    /// # Safety
    /// The requirements of [`enqueue`](Self::enqueue) apply. Nothing else may use the rows of the
    /// result or write the source rows.
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
        // SAFETY: the caller orders all work on both.
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
    /// The requirements of [`enqueue`](Self::enqueue) apply, and nothing else may use these rows.
    unsafe fn exchange(&self, side: &Stream, strip: &Strip) -> Result<()> {
        let Shape {
            rows, above, below, ..
        } = self.shape;
        let (me, size) = (self.ranks.rank(), self.ranks.size());
        let wraps = self.shape.border == Border::Wrap;
        let previous = (me > 0 || wraps).then(|| (me + size - 1) % size);
        let next = (me + 1 < size || wraps).then(|| (me + 1) % size);
        let (top, bottom) = (-(above as isize), rows as isize);
        // SAFETY: the caller guarantees the use of the rows.
        let (first, last, mut before, mut behind) = unsafe {
            (
                strip.rows_at(0, below),
                strip.rows_at(bottom - above as isize, above),
                strip.rows_at_mut(top, above),
                strip.rows_at_mut(bottom, below),
            )
        };
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        // The order matters: of two ranks in a ring, each is the other's neighbour on both sides.
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

    /// Fills a row beyond the edge of the image. Rows of zeros are already filled.
    ///
    /// # Safety
    /// The requirements of [`exchange`](Self::exchange) apply.
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
            // Rows of zeros are never written, and wrapped rows have come from other ranks.
            Border::Zero | Border::Wrap => return Ok(()),
        };
        // SAFETY: the caller guarantees the use of the rows. The two rows are distinct.
        let (from, mut to) = unsafe { (strip.rows_at(source, 1), strip.rows_at_mut(row, 1)) };
        Ok(to.copy_from(side, &from)?)
    }
}
