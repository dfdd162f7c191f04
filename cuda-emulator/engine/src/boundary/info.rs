//! What a module declares about its kernels and variables.

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

/// What a module declares about one of its kernels.
#[derive(Clone, Debug)]
pub struct KernelInfo {
    /// Which of the texts that were linked it is from.
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
    /// 32-bit registers per thread, an estimate from the lowered code, at most 255.
    pub registers: u32,
    /// `.maxntid`: the greatest number of threads per block.
    pub max_threads: Option<u32>,
    /// `.reqntid`: the exact block size.
    pub required_block: Option<[u32; 3]>,
    /// `.minnctapersm`: the least number of blocks per multiprocessor.
    pub min_blocks: Option<u32>,
    /// `.maxnreg`: the greatest number of registers per thread.
    pub max_registers: Option<u32>,
    /// `.reqnctapercluster`: the exact cluster size, in blocks.
    pub required_cluster: Option<[u32; 3]>,
    /// `.explicitcluster`: a launch has to say the cluster size, if it isn't required.
    pub explicit_cluster: bool,
    /// `.maxclusterrank`: the greatest number of blocks per cluster.
    pub max_cluster: Option<u32>,
    /// It, or a function that it may call, calls the device runtime.
    pub nests: bool,
    /// It, or a function that it may call, calls `cudaGraphLaunch`.
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
    /// Declared with `.attribute(.managed)`.
    pub managed: bool,
    /// Declared `.visible`, `.weak` or `.common`: `cuModuleGetGlobal` finds it. (On a GPU it finds the others too.)
    pub exported: bool,
}
