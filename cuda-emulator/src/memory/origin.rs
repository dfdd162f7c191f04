//! The origin of memory.

/// The call that created memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `cuMemAlloc`, `cuMemAllocPitch`
    Device,
    /// `cuMemAllocAsync` and its relatives
    Stream,
    /// An allocation node of a graph
    Graph,
    /// `cuMemAllocManaged`
    Managed,
    /// This call: `cuMemAllocHost` or `cuMemHostAlloc`
    Host(&'static str),
    /// `cuMemHostRegister`
    Registered,
    /// A variable of a module
    Variable(String),
    /// Device-side `malloc`
    Heap,
    /// `cuMemMap`
    Mapped,
    /// `cuIpcOpenMemHandle`
    Opened,
    /// `cuExternalMemoryGetMappedBuffer`
    External,
}

impl Origin {
    /// Returns whether it counts against the device's memory.
    pub fn on_device(&self) -> bool {
        !matches!(self, Origin::Host(_) | Origin::Registered)
    }

    /// Returns the name of the call for reports.
    pub fn describe(&self) -> String {
        match self {
            Origin::Device => "cuMemAlloc".into(),
            Origin::Stream => "cuMemAllocAsync".into(),
            Origin::Graph => "allocation node of a graph".into(),
            Origin::Managed => "cuMemAllocManaged".into(),
            Origin::Host(call) => (*call).into(),
            Origin::Registered => "cuMemHostRegister".into(),
            Origin::Variable(name) => format!("module variable `{name}`"),
            Origin::Heap => "malloc in a kernel".into(),
            Origin::Mapped => "cuMemMap".into(),
            Origin::Opened => "cuIpcOpenMemHandle".into(),
            Origin::External => "cuExternalMemoryGetMappedBuffer".into(),
        }
    }
}
