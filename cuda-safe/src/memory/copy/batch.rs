//! Batches of copies that one driver call enqueues.

use std::{fmt, marker::PhantomData};

use cuda_sys::{CUdeviceptr, CUresult};

use super::{
    other_device_reason, read_only_reason,
    region::{CopySource, CopyTarget, Place},
    region_call::{BoxCopy, Side},
    region_copy::{HostRegion, HostRegionMut, RegionCopy},
};
pub use crate::raw::memory::SourceAccessOrder;
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
    /// Attributes of the copies in a batch (`CUmemcpyAttributes`).
    pub struct CopyAttributes {
        /// The time at which the driver may read host memory. The default is the stream's order.
        /// Device memory is always read in that order, because it may have been allocated in it.
        source_order: Option<SourceAccessOrder>, set to SourceAccessOrder;
        /// A hint to favor overlap with kernels over the speed of the copies.
        prefer_overlap_with_compute: bool;
    }
}

/// A batch of copies that one driver call enqueues, in no order among each other.
///
/// Each copy is a [`RegionCopy`]. If all of them are contiguous, the batch uses the driver call for
/// linear copies.
///
/// Do not put copies that depend on each other into one batch, because their result is unspecified.
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
///     Err(error) if *error.kind() == ErrorKind::Unsupported => return Ok(()), // the driver is older than 12.8
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
    /// The number of copies added so far, including those without elements.
    added: usize,
    owners: Vec<Owner<'a>>,
    /// Whether the batch borrows host memory.
    waits: bool,
    memory: PhantomData<&'a mut ()>,
}

/// A copy of a batch.
#[derive(Clone, Copy)]
struct One<'a> {
    copy: BoxCopy,
    how: RawCopyAttributes,
    /// The index of the copy among those that the caller added.
    number: usize,
    /// The owner of the side's device memory.
    owner: Owner<'a>,
}

impl<'a> CopyBatch<'a> {
    /// Creates an empty batch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the attributes of copies that you add from now on.
    pub fn set_attributes(&mut self, attributes: CopyAttributes) {
        self.attributes = attributes;
    }

    /// Returns the number of copies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.copies.len()
    }

    /// Returns whether there are no copies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.copies.is_empty()
    }

    /// Adds a copy within a device.
    ///
    /// # Errors
    /// Returns the errors of [`RegionCopy::enqueue`], and an error if the two sides are on
    /// different devices.
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
                    "copy {} of the batch goes from memory of device {source} to memory of device {target}, but the \
                     copies of a batch stay within a device. Fix: use RegionCopy::enqueue",
                    self.added
                ),
            ));
        }
        let order = SourceAccessOrder::STREAM;
        let places = (to.place, from.place);
        self.add::<T>(copy, places, to.owner, order, "CopyBatch::copy")?;
        self.owners.extend([to.owner, from.owner]);
        Ok(())
    }

    /// Adds a copy from the host to the device.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the box is out
    /// of bounds of a side.
    pub fn upload<T: PlainData>(
        &mut self,
        copy: RegionCopy,
        target: &'a mut impl CopyTarget<T>,
        source: HostRegion<'a, T>,
    ) -> Result<()> {
        let target: &'a _ = target;
        let to = target.region();
        let order = self
            .attributes
            .source_order
            .unwrap_or(SourceAccessOrder::STREAM);
        let places = (to.place, source.place);
        self.add::<T>(copy, places, to.owner, order, "CopyBatch::upload")?;
        self.owners.push(to.owner);
        self.waits = true;
        Ok(())
    }

    /// Adds a copy from the device to the host.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the box is out
    /// of bounds of a side.
    pub fn download<T: PlainData>(
        &mut self,
        copy: RegionCopy,
        target: HostRegionMut<'a, T>,
        source: &'a impl CopySource<T>,
    ) -> Result<()> {
        let from = source.region();
        let order = SourceAccessOrder::STREAM;
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
        order: SourceAccessOrder,
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

    /// Enqueues all copies. Waits for them only if the batch uses host memory.
    ///
    /// See [`cuMemcpyBatchAsync`, `cuMemcpy3DBatchAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older
    /// than CUDA 12.8. Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if
    /// the stream is capturing, or if linear memory whose pitch is not a multiple of the elements
    /// is copied from or to an array. Returns the driver's error if the stream is the legacy
    /// default stream, which does not accept batches, or belongs to another device that has no
    /// access to the memory. After a driver error, some of the copies may have been made.
    #[doc(alias = "cuMemcpyBatchAsync")]
    #[doc(alias = "cuMemcpy3DBatchAsync")]
    pub fn enqueue(self, stream: &Stream) -> Result<()> {
        if self.copies.is_empty() {
            return Ok(()); // the driver rejects an empty batch
        }
        let _uncaptured = stream.uncaptured("CopyBatch::enqueue", capture::REMEDY)?;
        if !self.waits {
            return self.submit(stream);
        }
        let _current = stream.enter_to_wait("CopyBatch::enqueue")?;
        let enqueued = self.submit(stream);
        // The borrow ends here, even after a failure.
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
            sizes.push(copy.linear().expect("all copies are linear"));
            if attributes.last() != Some(how) {
                attributes.push(*how);
                indices.push(i);
            }
        }
        let mut failed = usize::MAX;
        // SAFETY: the lists have these lengths. Device memory belongs to the owners and is ordered
        // with its other uses. Host memory is borrowed until the wait for the copies.
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
        let describe = |one: &One<'_>| format!("copy {} of the batch: {}", one.number, one.copy);
        let explained = |one: &One<'_>| {
            let why = other_device_reason(stream, one.owner)
                .or_else(|| read_only_reason(stream, written(&one.copy)?).map(str::to_owned))?;
            Some(format!("{}: {why}", describe(one)))
        };
        let why = match self.copies.get(failed) {
            Some(one) => Some(explained(one).unwrap_or_else(|| describe(one))),
            None => self.copies.iter().find_map(explained),
        };
        checked.map_err(|error| {
            error.with_detail(why.unwrap_or_else(|| {
                "the driver does not report which copy failed, and the legacy default stream does not accept batches"
                    .to_owned()
            }))
        })
    }
}

impl RegionCopy {
    /// Enqueues the copy within one device, like [`enqueue`](Self::enqueue), with attributes.
    ///
    /// See [`cuMemcpyWithAttributesAsync`, `cuMemcpy3DWithAttributesAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older
    /// than CUDA 13.2. Also returns the errors of [`CopyBatch::enqueue`] for a batch of this copy.
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
                // SAFETY: the memory belongs to the owners and is ordered with its other uses.
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
            Some(CUresult::CUDA_ERROR_INVALID_VALUE) => match other_device_reason(stream, owner) {
                Some(why) => error.with_detail(why),
                None => error,
            },
            _ => error,
        })
    }
}

/// Returns the address that a copy writes to if its destination is linear memory.
fn written(copy: &BoxCopy) -> Option<CUdeviceptr> {
    match copy.to {
        Side::Device(..) | Side::Host(..) => Some(address(copy.to)),
        Side::Array(..) | Side::Nothing => None,
    }
}

/// Returns the address of linear memory. In batches, host and device share one address space.
fn address(side: Side) -> CUdeviceptr {
    match side {
        Side::Device(ptr, _) => ptr,
        Side::Host(ptr, _) => ptr.expose_provenance() as CUdeviceptr,
        Side::Array(..) | Side::Nothing => unreachable!("the side is linear memory"),
    }
}

/// Converts a copy for the call that copies boxes. Its numbers count elements if an array is
/// involved, and otherwise bytes.
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
                        "the pitch of {} bytes is not a multiple of the array's elements of {unit} bytes. Fix: use \
                         RegionCopy::enqueue",
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
        Side::Nothing => unreachable!("the copy has elements"),
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
