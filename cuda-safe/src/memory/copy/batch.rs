//! Many copies in one call.

use std::{fmt, marker::PhantomData};

use cuda_sys::{CUdeviceptr, CUresult};

use super::{
    is_read_only, of_another_device,
    region::{CopySource, CopyTarget, Place},
    region_call::{BoxCopy, Side},
    region_copy::{HostRegion, HostRegionMut, RegionCopy},
};
pub use crate::raw::memory::SourceOrder;
use crate::{
    capture,
    driver::newer,
    error::{Error, Result},
    memory::plain::PlainData,
    raw::{
        flags::options,
        structures::{RawCopyAttributes, RawCopyOperand, RawCopyOperation},
    },
    stream::{Stream, owner::Owner},
};

options! {
    /// How the copies of a batch are done (`CUmemcpyAttributes`).
    pub struct CopyAttributes {
        /// When host memory may be read; unless said otherwise, in the order of the stream. Memory of the device is always
        /// read in that order: it may have been allocated in it.
        source_order: Option<SourceOrder>, set to SourceOrder;
        /// A hint: the copies should run beside kernels rather than fast.
        prefer_overlap_with_compute: bool;
    }
}

/// Copies that one driver call enqueues, in no order among themselves. Each is a [`RegionCopy`]; where all of them copy
/// bytes that follow each other, the call is the one for such copies.
///
/// Copies that depend on each other have no place in one batch: what they leave is unspecified.
///
/// ```
/// use cuda_safe::{Context, memory::{CopyBatch, HostRegion, RegionCopy}, DeviceBuffer, ErrorKind, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let (host, from) = ([1u32, 2, 3], DeviceBuffer::from_slice(&stream, &[4u32, 5])?);
/// let (mut a, mut b) = (DeviceBuffer::zeroed(&stream, 3)?, DeviceBuffer::zeroed(&stream, 2)?);
/// let mut batch = CopyBatch::new();
/// batch.upload(RegionCopy::new(3), &mut a, HostRegion::new(&host, 3)?)?;
/// batch.copy(RegionCopy::new(2), &mut b, &from)?;
/// match batch.enqueue(&stream) {
///     Err(error) if *error.kind() == ErrorKind::Unsupported => return Ok(()), // a driver older than 12.8
///     enqueued => enqueued?,
/// }
/// assert_eq!((a.to_vec(&stream)?, b.to_vec(&stream)?), (vec![1, 2, 3], vec![4, 5]));
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
#[must_use = "nothing is copied before `enqueue`"]
pub struct CopyBatch<'a> {
    attributes: CopyAttributes,
    copies: Vec<One<'a>>,
    /// How many were added: those without elements count, too.
    added: usize,
    owners: Vec<Owner<'a>>,
    /// Whether host memory is borrowed.
    waits: bool,
    memory: PhantomData<&'a mut ()>,
}

/// A copy of a batch.
#[derive(Clone, Copy)]
struct One<'a> {
    copy: BoxCopy,
    how: RawCopyAttributes,
    /// Which it is of those that the caller added.
    number: usize,
    /// What its memory on a device belongs to.
    owner: Owner<'a>,
}

impl<'a> CopyBatch<'a> {
    /// No copies.
    pub fn new() -> Self {
        Self::default()
    }

    /// How the copies are done that are added from now on.
    pub fn set_attributes(&mut self, attributes: CopyAttributes) {
        self.attributes = attributes;
    }

    /// How many copies there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.copies.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.copies.is_empty()
    }

    /// Adds a copy within a device.
    ///
    /// # Errors
    /// As [`RegionCopy::enqueue`]; and for memory of two devices, between which that copies.
    pub fn copy<T: PlainData>(
        &mut self,
        copy: RegionCopy,
        target: &'a mut impl CopyTarget<T>,
        source: &'a impl CopySource<T>,
    ) -> Result<()> {
        let target: &'a _ = target;
        let (to, from) = (target.region(), source.region());
        let [target, source] = [to, from].map(|one| one.owner.context().device().ordinal());
        if target != source {
            return Err(Error::invalid(
                "CopyBatch::copy",
                format!(
                    "copy {} of the batch goes from memory of device {source} to memory of device {target}: batches stay \
                     within a device, use RegionCopy::enqueue",
                    self.added
                ),
            ));
        }
        let order = SourceOrder::STREAM;
        let places = (to.place, from.place);
        self.add::<T>(copy, places, to.owner, order, "CopyBatch::copy")?;
        self.owners.extend([to.owner, from.owner]);
        Ok(())
    }

    /// Adds a copy from the host to the device.
    ///
    /// # Errors
    /// As [`RegionCopy::enqueue`].
    pub fn upload<T: PlainData>(
        &mut self,
        copy: RegionCopy,
        target: &'a mut impl CopyTarget<T>,
        source: HostRegion<'a, T>,
    ) -> Result<()> {
        let target: &'a _ = target;
        let to = target.region();
        let order = self.attributes.source_order.unwrap_or(SourceOrder::STREAM);
        let places = (to.place, source.place);
        self.add::<T>(copy, places, to.owner, order, "CopyBatch::upload")?;
        self.owners.push(to.owner);
        self.waits = true;
        Ok(())
    }

    /// Adds a copy from the device to the host.
    ///
    /// # Errors
    /// As [`RegionCopy::enqueue`].
    pub fn download<T: PlainData>(
        &mut self,
        copy: RegionCopy,
        target: HostRegionMut<'a, T>,
        source: &'a impl CopySource<T>,
    ) -> Result<()> {
        let from = source.region();
        let order = SourceOrder::STREAM;
        let places = (target.place, from.place);
        self.add::<T>(copy, places, from.owner, order, "CopyBatch::download")?;
        self.owners.push(from.owner);
        self.waits = true;
        Ok(())
    }

    fn add<T: PlainData>(
        &mut self,
        copy: RegionCopy,
        (to, from): (Place, Place),
        owner: Owner<'a>,
        order: SourceOrder,
        call: &'static str,
    ) -> Result<()> {
        let copy = copy.between::<T>(to, from, call)?;
        let number = self.added;
        self.added += 1;
        if let Some(copy) = copy {
            let how = RawCopyAttributes {
                order: order.0,
                places: [[0; 2]; 2],
                flags: self.attributes.prefer_overlap_with_compute.into(),
            };
            self.copies.push(One {
                copy,
                how,
                number,
                owner,
            });
        }
        Ok(())
    }

    /// Enqueues all copies. The host waits only if its memory takes part.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for a driver older than CUDA 12.8. The driver's code for
    /// the legacy default stream, to which batches can't go, for a stream that is being captured, for one of another device
    /// that has no access to the memory, and where an array and
    /// linear memory are copied between whose rows begin at no multiple of the elements. Some of the copies may have been
    /// made then.
    #[doc(alias = "cuMemcpyBatchAsync")]
    #[doc(alias = "cuMemcpy3DBatchAsync")]
    pub fn enqueue(self, stream: &Stream) -> Result<()> {
        if self.copies.is_empty() {
            return Ok(()); // the driver refuses none
        }
        let _uncaptured = stream.uncaptured("CopyBatch::enqueue", capture::REMEDY)?;
        if !self.waits {
            return self.submit(stream);
        }
        let _current = stream.enter_to_wait("CopyBatch::enqueue")?;
        let enqueued = self.submit(stream);
        // The borrow ends with this, also after a failure.
        let waited = stream.settle().or_abort();
        enqueued.and(waited)
    }

    fn submit(&self, stream: &Stream) -> Result<()> {
        let owners = self.owners.iter().copied();
        stream.ordered("CopyBatch::enqueue", owners, || {
            let _current = stream.enter("CopyBatch::enqueue")?;
            match self.copies.iter().all(|one| one.copy.linear().is_some()) {
                true => self.submit_linear(stream),
                false => self.submit_boxes(stream),
            }
        })
    }

    fn submit_linear(&self, stream: &Stream) -> Result<()> {
        let call = newer::cuMemcpyBatchAsync()?;
        let count = self.copies.len();
        let mut to: Vec<CUdeviceptr> = Vec::with_capacity(count);
        let (mut from, mut sizes) = (to.clone(), Vec::with_capacity(count));
        let (mut attributes, mut indices) = (Vec::new(), Vec::new());
        for (i, One { copy, how, .. }) in self.copies.iter().enumerate() {
            to.push(address(copy.to));
            from.push(address(copy.from));
            sizes.push(copy.linear().expect("all are"));
            if attributes.last() != Some(how) {
                attributes.push(*how);
                indices.push(i);
            }
        }
        let mut failed = usize::MAX;
        // SAFETY: lists of these lengths; memory of the owners, ordered with what else uses it, and host memory that is
        // borrowed until it is waited for.
        let code = unsafe {
            call(
                to.as_mut_ptr(),
                from.as_mut_ptr(),
                sizes.as_mut_ptr(),
                count,
                attributes.as_mut_ptr(),
                indices.as_mut_ptr(),
                attributes.len(),
                &mut failed,
                stream.as_raw(),
            )
        };
        self.checked(stream, "cuMemcpyBatchAsync", code, failed)
    }

    fn submit_boxes(&self, stream: &Stream) -> Result<()> {
        let call = newer::cuMemcpy3DBatchAsync()?;
        let operations = self.copies.iter().map(|one| operation(&one.copy, one.how));
        let mut operations = operations.collect::<Result<Vec<_>>>()?;
        let mut failed = usize::MAX;
        // SAFETY: as above.
        let code = unsafe {
            call(
                operations.len(),
                operations.as_mut_ptr(),
                &mut failed,
                0,
                stream.as_raw(),
            )
        };
        self.checked(stream, "cuMemcpy3DBatchAsync", code, failed)
    }

    fn checked(
        &self,
        stream: &Stream,
        call: &'static str,
        code: CUresult,
        failed: usize,
    ) -> Result<()> {
        let checked = stream.check(call, code);
        if code != CUresult::CUDA_ERROR_INVALID_VALUE {
            return checked;
        }
        let told = |one: &One<'_>| format!("copy {} of the batch: {}", one.number, one.copy);
        let explained = |one: &One<'_>| {
            let why = of_another_device(stream, one.owner)
                .or_else(|| is_read_only(stream, written(&one.copy)?).map(str::to_owned))?;
            Some(format!("{}: {why}", told(one)))
        };
        let why = match self.copies.get(failed) {
            Some(one) => Some(explained(one).unwrap_or_else(|| told(one))),
            None => self.copies.iter().find_map(explained),
        };
        checked.map_err(|error| {
            error.with_detail(why.unwrap_or_else(|| {
                "no single copy is told as the reason; a batch can't go to the legacy default stream"
                    .to_owned()
            }))
        })
    }
}

impl RegionCopy {
    /// As [`enqueue`](Self::enqueue), within one device, with attributes.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for a driver older than CUDA 13.2; otherwise as
    /// [`CopyBatch::enqueue`], of a batch of this copy.
    #[doc(alias = "cuMemcpyWithAttributesAsync")]
    #[doc(alias = "cuMemcpy3DWithAttributesAsync")]
    pub fn enqueue_with<T: PlainData>(
        self,
        stream: &Stream,
        target: &mut impl CopyTarget<T>,
        source: &impl CopySource<T>,
        attributes: CopyAttributes,
    ) -> Result<()> {
        let mut batch = CopyBatch::new();
        batch.set_attributes(attributes);
        batch.copy(self, target, source)?;
        let Some(One {
            copy,
            mut how,
            owner,
            ..
        }) = batch.copies.first().copied()
        else {
            return Ok(());
        };
        let owners = batch.owners.iter().copied();
        let enqueued = stream.ordered("RegionCopy::enqueue_with", owners, || {
            let _current = stream.enter("cuMemcpyWithAttributesAsync")?;
            if let Some(bytes) = copy.linear() {
                let call = newer::cuMemcpyWithAttributesAsync()?;
                let (to, from) = (address(copy.to), address(copy.from));
                // SAFETY: memory of the owners, ordered with what else uses it.
                let code = unsafe { call(to, from, bytes, &mut how, stream.as_raw()) };
                return stream.check("cuMemcpyWithAttributesAsync", code);
            }
            let call = newer::cuMemcpy3DWithAttributesAsync()?;
            let mut operation = operation(&copy, how)?;
            // SAFETY: as above.
            let code = unsafe { call(&mut operation, 0, stream.as_raw()) };
            stream.check("cuMemcpy3DWithAttributesAsync", code)
        });
        enqueued.map_err(|error| match error.driver_code() {
            Some(CUresult::CUDA_ERROR_INVALID_VALUE) => match of_another_device(stream, owner) {
                Some(why) => error.with_detail(why),
                None => error,
            },
            _ => error,
        })
    }
}

/// The address that a copy writes to, if it writes to linear memory.
fn written(copy: &BoxCopy) -> Option<CUdeviceptr> {
    match copy.to {
        Side::Device(..) | Side::Host(..) => Some(address(copy.to)),
        Side::Array(..) | Side::Nothing => None,
    }
}

/// Host and device have one address space in these calls.
fn address(side: Side) -> CUdeviceptr {
    match side {
        Side::Device(ptr, _) => ptr,
        Side::Host(ptr, _) => ptr.expose_provenance() as CUdeviceptr,
        Side::Array(..) | Side::Nothing => unreachable!("linear memory"),
    }
}

/// A copy as the call for boxes has it: counted in elements where an array takes part, and in bytes otherwise.
fn operation(copy: &BoxCopy, how: RawCopyAttributes) -> Result<RawCopyOperation> {
    let is_array = |side| matches!(side, Side::Array(..));
    let unit = match is_array(copy.to) || is_array(copy.from) {
        true => copy.element,
        false => 1,
    };
    let operand = |side: Side| match side {
        Side::Array(array, x, y, z) => Ok(RawCopyOperand {
            kind: 2,
            words: [array.addr() as u64, (x / unit) as u64, y as u64, z as u64],
        }),
        Side::Device(_, strides) | Side::Host(_, strides) => {
            if !strides.pitch.is_multiple_of(unit) {
                return Err(Error::invalid(
                    "CopyBatch::enqueue",
                    format!(
                        "a pitch of {} bytes is no multiple of the array's elements, {unit} bytes: RegionCopy::enqueue \
                         copies it",
                        strides.pitch
                    ),
                ));
            }
            let (row, rows) = ((strides.pitch / unit) as u64, strides.slice_rows as u64);
            Ok(RawCopyOperand {
                kind: 1,
                words: [address(side), row, rows, 0],
            })
        }
        Side::Nothing => unreachable!("there are elements"),
    };
    let extent = copy.extent;
    Ok(RawCopyOperation {
        from: operand(copy.from)?,
        to: operand(copy.to)?,
        extent: [
            extent.width * copy.element / unit,
            extent.height,
            extent.depth,
        ],
        order: how.order,
        flags: how.flags,
    })
}

impl fmt::Debug for CopyBatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CopyBatch({} copies)", self.copies.len())
    }
}
