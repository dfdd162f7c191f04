//! Memory that a graph allocates and frees in every launch.

use std::{ffi::c_void, fmt, marker::PhantomData};

use cuda_sys::{
    self as sys, CUDA_MEM_ALLOC_NODE_PARAMS, CUdeviceptr, CUgraphMem_attribute,
    CUmemAllocationType, CUmemLocation, CUmemLocationType,
};

use super::{
    Graph,
    held::next_number,
    kept::{Part, Place},
    node::Node,
};
use crate::{
    device::Device,
    driver::{self, callback},
    error::{Error, Result},
    launch::address_argument,
    memory::{PlainData, byte_size, expect_guaranteed},
};

/// Memory that exists between two nodes of a graph during a launch, created by
/// [`Graph::add_allocation`]. As a kernel argument it is the address of the memory.
pub struct Allocation<T> {
    number: u64,
    address: CUdeviceptr,
    len: usize,
    element: PhantomData<fn() -> T>,
}

impl<T: PlainData> Allocation<T> {
    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the address of the memory, which is the same in every launch.
    #[must_use]
    pub fn as_device_ptr(&self) -> CUdeviceptr {
        self.address
    }

    /// Returns all of the memory, for copies and fills.
    ///
    /// # Safety
    /// The caller must ensure that nodes that use it run after the allocation's node and before the
    /// node that frees it.
    #[must_use]
    pub unsafe fn part(&self) -> Part<T> {
        let place = Place {
            address: self.address,
            len: self.len,
            on_host: false,
        };
        Part::new(self.number, place)
    }
}

impl<T> Clone for Allocation<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Allocation<T> {}

impl<T> fmt::Debug for Allocation<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Allocation({} elements at {:#x})",
            self.len, self.address
        )
    }
}

address_argument!([T: PlainData] Allocation<T>);

impl Graph {
    /// Adds a node that allocates device memory for `len` elements, with unspecified contents. It
    /// depends on the nodes in `after`.
    ///
    /// A node of the same graph must free the memory: [`add_free`](Self::add_free). Graphs that run
    /// after each other share the memory that they need between such nodes.
    ///
    /// See [`cuGraphAddMemAllocNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if the device has too
    /// little memory. Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if
    /// `len` is 0, or if the type has an alignment above 256 bytes. Also returns the errors of
    /// [`add_empty`](Self::add_empty).
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Stream, graph::Graph};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let square = Module::compile(&context, r#"
    ///     extern "C" __global__ void square(const int *x, int *y) {
    ///         y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
    ///     }"#)?.function("square")?;
    /// let config = LaunchConfig::new(1, 4);
    /// let mut graph = Graph::new(&context)?;
    /// let x = graph.keep(DeviceBuffer::from_slice(&stream, &[1, 2, 3, 4])?);
    /// let (allocated, scratch) = graph.add_allocation::<i32>(&[], 4)?;
    /// // SAFETY: four threads and four elements. The scratch memory exists between the two
    /// // kernels.
    /// let powers = unsafe {
    ///     let squares = graph.add_kernel(&[allocated], &square, config, (x, scratch))?;
    ///     graph.add_kernel(&[squares], &square, config, (scratch, x))?
    /// };
    /// graph.add_free(&[powers], scratch)?;
    /// let mut exec = graph.instantiate()?;
    /// exec.launch(&stream)?;
    /// assert_eq!(exec.memory(x)?.to_vec(&stream)?, [1, 16, 81, 256]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuGraphAddMemAllocNode")]
    pub fn add_allocation<T: PlainData>(
        &mut self,
        after: &[Node],
        len: usize,
    ) -> Result<(Node, Allocation<T>)> {
        const CALL: &str = "Graph::add_allocation";
        let bytes = byte_size::<T>(len, CALL)?;
        // The alignment must be guaranteed, because the address is known only after the node has
        // been added.
        expect_guaranteed::<T>(CALL)?;
        if bytes == 0 {
            return Err(Error::invalid(
                CALL,
                "`len` is 0, so there is nothing to allocate",
            ));
        }
        let mut parameters = CUDA_MEM_ALLOC_NODE_PARAMS::default();
        parameters.poolProps.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        parameters.poolProps.location = CUmemLocation::new(
            CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
            self.context().device().as_raw(),
        );
        parameters.bytesize = bytes;
        let node = self.add_allocating(after, bytes, &mut parameters)?;
        let allocation = Allocation {
            number: next_number(),
            address: parameters.dptr,
            len,
            element: PhantomData,
        };
        self.held.allocate(allocation.number);
        Ok((node, allocation))
    }

    /// Adds a node that frees memory of [`add_allocation`](Self::add_allocation). It depends on the
    /// nodes in `after`, which must include all nodes that use the memory.
    ///
    /// See [`cuGraphAddMemFreeNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the memory
    /// belongs to another graph, or if another node already frees it. Also returns the errors of
    /// [`add_empty`](Self::add_empty).
    #[doc(alias = "cuGraphAddMemFreeNode")]
    pub fn add_free<T: PlainData>(
        &mut self,
        after: &[Node],
        allocation: Allocation<T>,
    ) -> Result<Node> {
        self.held.expect_allocated(allocation.number)?;
        let address = allocation.address;
        let node = self.add(
            "cuGraphAddMemFreeNode",
            after,
            // SAFETY: the graph and its nodes are alive. The driver checks the address.
            |node, graph, nodes, count| unsafe {
                sys::cuGraphAddMemFreeNode(node, graph, nodes, count, address)
            },
        )?;
        self.held.free(allocation.number);
        Ok(node)
    }
}

/// The memory that graphs have allocated on a device, in bytes. See [`Device::graph_memory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphMemory {
    /// Memory that is associated with graphs now. It stays associated after a launch, for the next
    /// one. [`Device::trim_graph_memory`] frees memory that no launch needs.
    pub used: u64,
    /// The maximum of `used` since the process started, or since the last reset.
    pub used_high: u64,
    /// Memory that is held for graphs, whether it is associated with one or not. An H200 holds it
    /// in pieces of 32 MiB.
    pub reserved: u64,
    /// The maximum of `reserved` since the process started, or since the last reset.
    pub reserved_high: u64,
}

impl Device {
    /// Returns how much memory the allocation nodes of graphs use and hold.
    ///
    /// See [`cuDeviceGetGraphMemAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error.
    ///
    /// ```
    /// # use cuda_safe::{Context, Device};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let device = context.device();
    /// device.trim_graph_memory()?;
    /// let memory = device.graph_memory()?;
    /// assert!(memory.used <= memory.reserved);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDeviceGetGraphMemAttribute")]
    pub fn graph_memory(self) -> Result<GraphMemory> {
        callback::reject_in_callback("cuDeviceGetGraphMemAttribute")?;
        let get = |attribute| -> Result<u64> {
            let mut value = 0u64;
            // SAFETY: these attributes are written as 64-bit numbers.
            let code = unsafe {
                sys::cuDeviceGetGraphMemAttribute(
                    self.as_raw(),
                    attribute,
                    (&raw mut value).cast::<c_void>(),
                )
            };
            driver::check("cuDeviceGetGraphMemAttribute", code)?;
            Ok(value)
        };
        Ok(GraphMemory {
            used: get(CUgraphMem_attribute::CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT)?,
            used_high: get(CUgraphMem_attribute::CU_GRAPH_MEM_ATTR_USED_MEM_HIGH)?,
            reserved: get(CUgraphMem_attribute::CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT)?,
            reserved_high: get(CUgraphMem_attribute::CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)?,
        })
    }

    /// Resets the two maxima of [`graph_memory`](Self::graph_memory) to the current values.
    ///
    /// See [`cuDeviceSetGraphMemAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error.
    #[doc(alias = "cuDeviceSetGraphMemAttribute")]
    pub fn reset_graph_memory_high(self) -> Result<()> {
        callback::reject_in_callback("cuDeviceSetGraphMemAttribute")?;
        for attribute in [
            CUgraphMem_attribute::CU_GRAPH_MEM_ATTR_USED_MEM_HIGH,
            CUgraphMem_attribute::CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH,
        ] {
            let mut zero = 0u64;
            // SAFETY: these attributes are read as 64-bit numbers.
            let code = unsafe {
                sys::cuDeviceSetGraphMemAttribute(
                    self.as_raw(),
                    attribute,
                    (&raw mut zero).cast::<c_void>(),
                )
            };
            driver::check("cuDeviceSetGraphMemAttribute", code)?;
        }
        Ok(())
    }

    /// Returns memory that is held for graphs, and that no running launch needs, to the system.
    ///
    /// See [`cuDeviceGraphMemTrim`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error.
    #[doc(alias = "cuDeviceGraphMemTrim")]
    pub fn trim_graph_memory(self) -> Result<()> {
        // SAFETY: the device exists.
        driver::call("cuDeviceGraphMemTrim", || unsafe {
            sys::cuDeviceGraphMemTrim(self.as_raw())
        })
    }
}
