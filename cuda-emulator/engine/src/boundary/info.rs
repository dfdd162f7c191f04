//! The declarations of a module's kernels and variables.

/// One parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamInfo {
    /// Byte offset in the parameter buffer.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
}

/// A module's declaration of a kernel.
#[derive(Clone, Debug)]
pub struct KernelInfo {
    /// The index of the linked input that contains the kernel.
    pub input: usize,
    /// The name as written in PTX (mangled for C++).
    pub name: String,
    /// The parameters in order.
    pub params: Vec<ParamInfo>,
    /// Size of the parameter buffer in bytes.
    pub param_bytes: u32,
    /// Bytes of statically declared shared memory that the kernel and its callees use.
    pub static_shared: u32,
    /// Bytes of local memory per thread, without recursion.
    pub local_bytes: u32,
    /// Estimated number of 32-bit registers per thread, from the lowered code. At most 255.
    pub registers: u32,
    /// `.maxntid`: the maximum number of threads per block.
    pub max_threads: Option<u32>,
    /// `.reqntid`: the exact block size.
    pub required_block: Option<[u32; 3]>,
    /// `.minnctapersm`: the minimum number of blocks per multiprocessor.
    pub min_blocks: Option<u32>,
    /// `.maxnreg`: the maximum number of registers per thread.
    pub max_registers: Option<u32>,
    /// `.reqnctapercluster`: the exact cluster size, in blocks.
    pub required_cluster: Option<[u32; 3]>,
    /// `.explicitcluster`: a launch must give the cluster size if `required_cluster` does not.
    pub explicit_cluster: bool,
    /// `.maxclusterrank`: the maximum number of blocks per cluster.
    pub max_cluster: Option<u32>,
    /// Whether the kernel, or a function that it may call, calls the device runtime.
    pub nests: bool,
    /// Whether the kernel, or a function that it may call, calls `cudaGraphLaunch`.
    pub launches_graphs: bool,
}

/// State space of a module variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// `.global`
    Global,
    /// `.const`
    Const,
}

/// A module-scope `.global` or `.const` variable.
#[derive(Clone, Debug)]
pub struct VariableInfo {
    /// The name as written in PTX.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Its state space.
    pub space: Space,
    /// Whether it is declared with `.attribute(.managed)`.
    pub managed: bool,
    /// Whether it is declared `.visible`, `.weak` or `.common`. `cuModuleGetGlobal` finds only
    /// these variables. On a GPU it also finds the others.
    pub exported: bool,
}
