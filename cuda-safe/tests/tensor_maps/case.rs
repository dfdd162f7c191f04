//! Test cases: a tensor, and the use that a kernel makes of its map.

/// The tensor map that the driver encodes.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// The driver's number of the data type.
    pub ty: u32,
    /// The offset of the tensor from the start of its region, in bytes.
    pub start: u64,
    pub dims: Vec<u64>,
    /// The strides of all dimensions except the first, in bytes.
    pub strides: Vec<u64>,
    pub kind: Kind,
    pub steps: Vec<u32>,
    pub interleave: u32,
    pub swizzle: u32,
    pub promotion: u32,
    pub fill: u32,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Tiled(Vec<u32>),
    Im2col {
        lower: Vec<i32>,
        upper: Vec<i32>,
        channels: u32,
        pixels: u32,
    },
    /// Lower corner, upper corner, channels, pixels and mode.
    Wide(i32, i32, u32, u32, u32),
}

/// Returns the size of an element in bytes, for the driver's number of its type.
pub fn size_of(ty: u32) -> u64 {
    [1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4]
        .get(ty as usize)
        .copied()
        .unwrap_or(1)
}

impl Tensor {
    fn dense(ty: u32, dims: &[u64], kind: Kind) -> Tensor {
        let mut strides = Vec::new();
        let mut bytes = size_of(ty);
        for dim in &dims[..dims.len().saturating_sub(1)] {
            bytes = (bytes * dim).next_multiple_of(16);
            strides.push(bytes);
        }
        Tensor {
            ty,
            start: 0,
            dims: dims.to_vec(),
            strides,
            kind,
            steps: vec![1; dims.len()],
            interleave: 0,
            swizzle: 0,
            promotion: 0,
            fill: 0,
        }
    }

    /// Creates a tensor whose rows are as close together as possible.
    pub fn tiled(ty: u32, dims: &[u64], boxes: &[u32]) -> Tensor {
        Tensor::dense(ty, dims, Kind::Tiled(boxes.to_vec()))
    }

    pub fn im2col(
        ty: u32,
        dims: &[u64],
        lower: &[i32],
        upper: &[i32],
        channels: u32,
        pixels: u32,
    ) -> Tensor {
        Tensor::dense(
            ty,
            dims,
            Kind::Im2col {
                lower: lower.to_vec(),
                upper: upper.to_vec(),
                channels,
                pixels,
            },
        )
    }

    pub fn swizzle(mut self, swizzle: u32) -> Tensor {
        self.swizzle = swizzle;
        self
    }

    pub fn interleave(mut self, interleave: u32) -> Tensor {
        self.interleave = interleave;
        self
    }

    pub fn fill(mut self, fill: u32) -> Tensor {
        self.fill = fill;
        self
    }

    pub fn steps(mut self, steps: &[u32]) -> Tensor {
        self.steps = steps.to_vec();
        self
    }

    pub fn strides(mut self, strides: &[u64]) -> Tensor {
        self.strides = strides.to_vec();
        self
    }

    pub fn with(mut self, change: impl FnOnce(&mut Tensor)) -> Tensor {
        change(&mut self);
        self
    }

    /// Returns the largest number of bytes that a copy can have.
    pub fn most(&self) -> u64 {
        let size = size_of(self.ty).max(1);
        match &self.kind {
            Kind::Tiled(boxes) => boxes.iter().map(|&b| u64::from(b)).product::<u64>() * size,
            Kind::Im2col {
                channels, pixels, ..
            } => u64::from(channels * pixels) * size,
            Kind::Wide(..) => 0,
        }
    }
}

/// The use of a map.
#[derive(Clone, Debug)]
pub enum Work {
    /// The map is only encoded.
    Encode,
    /// A call with invalid arguments, which the case's name selects.
    Odd,
    /// The map is encoded, and its address is replaced by this offset from the start of its region
    /// in bytes.
    Address(u64),
    /// A copy to shared memory. The fields form the instruction's text.
    Load {
        /// The part after `cp.async.bulk.tensor.2d.`, up to the completion mechanism.
        form: &'static str,
        /// The modifiers after it, and their operands.
        extra: (&'static str, &'static str),
        /// The change to the map before the copy.
        replace: Option<Replace>,
        /// Whether a prefetch of the same tile comes first.
        prefetch: bool,
    },
    /// A copy to global memory, or a reduction if there is an operation.
    Store {
        operation: Option<&'static str>,
        form: &'static str,
    },
}

/// `tensormap.replace` in shared or global memory, as the lines' operands after the address.
#[derive(Clone, Debug)]
pub struct Replace {
    pub global: bool,
    pub lines: Vec<String>,
    /// The value of `%value`, and for `%place` the offset from the start of the region in bytes.
    pub value: u64,
    pub place: u64,
}

#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    pub tensor: Tensor,
    pub work: Work,
    /// The coordinates of the tile.
    pub at: Vec<i32>,
    /// The offsets of im2col.
    pub offsets: Vec<u16>,
    /// The offset of the tile in shared memory.
    pub shared: u32,
    /// Whether the data is ordinary numbers instead of all bit patterns.
    pub mild: bool,
    /// Whether the case may fault, and therefore runs in its own process.
    pub alone: bool,
}

impl Case {
    fn new(name: String, tensor: Tensor, work: Work, at: &[i32]) -> Case {
        Case {
            name,
            tensor,
            work,
            at: at.to_vec(),
            offsets: Vec::new(),
            shared: 0,
            mild: false,
            alone: false,
        }
    }

    pub fn encode(name: impl Into<String>, tensor: Tensor) -> Case {
        Case::new(name.into(), tensor, Work::Encode, &[])
    }

    pub fn load(name: impl Into<String>, tensor: Tensor, at: &[i32]) -> Case {
        let form = match tensor.kind {
            Kind::Tiled(_) => "shared::cluster.global.tile",
            _ => "shared::cluster.global.im2col",
        };
        let work = Work::Load {
            form,
            extra: ("", ""),
            replace: None,
            prefetch: false,
        };
        Case::new(name.into(), tensor, work, at)
    }

    pub fn store(
        name: impl Into<String>,
        operation: Option<&'static str>,
        tensor: Tensor,
        at: &[i32],
    ) -> Case {
        let form = match tensor.kind {
            Kind::Tiled(_) => "global.shared::cta.tile",
            _ => "global.shared::cta.im2col_no_offs",
        };
        Case::new(name.into(), tensor, Work::Store { operation, form }, at)
    }

    pub fn offsets(mut self, offsets: &[u16]) -> Case {
        self.offsets = offsets.to_vec();
        self
    }

    pub fn shared(mut self, shared: u32) -> Case {
        self.shared = shared;
        self
    }

    pub fn mild(mut self) -> Case {
        self.mild = true;
        self
    }

    pub fn alone(mut self) -> Case {
        self.alone = true;
        self
    }

    /// Whether the kernel changes the map, so that the driver has not checked the new contents.
    pub fn unchecked(&self) -> bool {
        matches!(
            self.work,
            Work::Load {
                replace: Some(_),
                ..
            }
        )
    }

    pub fn work(mut self, work: Work) -> Case {
        self.work = work;
        self
    }
}
