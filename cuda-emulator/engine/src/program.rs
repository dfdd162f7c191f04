//! Programs and images: PTX that has been loaded, and PTX that has been placed in memory.

use std::sync::Arc;

use crate::boundary::{CODE_WINDOW, KernelInfo, Shape, VariableInfo};
use crate::ir::Opcode;
use crate::state::frame::Buffer;
use crate::state::op::{LANES, Op};

/// Parsed, linked and lowered PTX. It contains no addresses.
pub struct Program {
    pub(super) kernels: Vec<KernelInfo>,
    pub(super) variables: Vec<VariableInfo>,
    pub(super) initializers: Vec<Initializer>,
    pub(super) target: u32,
    /// The compute capability of the device.
    pub(super) device: u32,
    /// All functions' instructions, one after the other.
    pub(super) code: Vec<Op>,
    /// Each instruction's entry in the list.
    pub(super) opcodes: Vec<&'static Opcode>,
    /// The source of each instruction.
    pub(super) places: Vec<Place>,
    pub(super) functions: Vec<Function>,
    /// Index into `functions` of each kernel.
    pub(super) entries: Vec<u32>,
    /// For each kernel: whether it calls functions.
    pub(super) calls: Vec<bool>,
    /// For each kernel: whether it, or a function it may call, uses dynamic shared memory.
    pub(super) dynamic: Vec<bool>,
    pub(super) sites: Vec<Site>,
    /// Operands of vector instructions.
    pub(super) lists: Vec<u32>,
    /// Branch tables of `brx.idx`.
    pub(super) tables: Vec<Vec<u32>>,
    pub(super) constants: Constants,
    /// Number of memory instructions, each with an index in a worker's region cache.
    pub(super) memory_instructions: u32,
    /// The inputs' names, lines and files, for reports.
    pub(super) inputs: Vec<Input>,
    /// For each kernel: whether it, or a function it may call, uses the system's shared memory.
    pub(super) reserved: Vec<bool>,
    /// For each kernel: whether it, or a function it may call, reads its cluster's index.
    pub(super) clustered: Vec<bool>,
    /// Whether the device runtime is linked in.
    pub(super) device_runtime: bool,
}

/// An input's data for reports.
pub(super) struct Input {
    pub name: String,
    pub text: String,
    /// `.file` index and name.
    pub files: Vec<(u32, String)>,
}

impl Input {
    /// Returns the name of a `.file` index.
    fn file(&self, number: u32) -> &str {
        let known = self.files.iter().find(|f| f.0 == number);
        as_given(known.map_or("?", |f| f.1.as_str()))
    }
}

/// The source of an instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    pub input: u16,
    pub line: u32,
    /// `.loc`: file index and line. The line is 0 if there is none.
    pub file: u32,
    pub source_line: u32,
    /// The same for the outermost call into which the code is inlined.
    pub outer_file: u32,
    pub outer_line: u32,
}

/// Initial value of a variable.
pub(super) struct Initializer {
    pub variable: u32,
    pub bytes: Vec<u8>,
    pub relocations: Vec<Patch>,
}

/// An address in an initializer.
pub(super) struct Patch {
    pub offset: u64,
    pub target: Target,
    pub size: u8,
    pub shift: u8,
}

/// The target of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Target {
    /// A variable plus an offset.
    Variable(u32, i64),
    /// A function.
    Function(u32),
}

/// A lowered function.
pub(super) struct Function {
    pub name: String,
    pub entry_pc: u32,
    pub frame_size: u32,
    /// Bytes of local variables.
    pub local_size: u32,
    /// Slices of the formal parameters and return values in the frame.
    pub params: Vec<Slice>,
    pub returns: Vec<Slice>,
}

/// Per-lane bytes in a frame: lane `i` has `size` bytes at `offset + i * stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slice {
    pub offset: u32,
    pub stride: u32,
    pub size: u32,
}

/// A call instruction's arguments.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// The called function. None for an indirect call.
    pub function: Option<u32>,
    pub arguments: Vec<Slice>,
    pub returns: Vec<Slice>,
}

/// Constants, each repeated for 32 lanes.
#[derive(Clone, Debug, Default)]
pub(super) struct Constants {
    pub bytes: Vec<u8>,
    /// 64-bit constants that are addresses: offset in `bytes`.
    pub addresses: Vec<(u32, Target)>,
}

impl Program {
    /// Returns the compute capability of the device that the program was loaded for: 90 for 9.0.
    pub fn device(&self) -> u32 {
        self.device
    }

    /// Returns an instruction's source as lines of a report, each after a line break. The text is
    /// empty if the program has no such instruction.
    pub fn place(&self, pc: u32) -> String {
        let Some(place) = self.places.get(pc as usize) else {
            return String::new();
        };
        let Some(input) = self.inputs.get(usize::from(place.input)) else {
            return String::new();
        };
        let mut out = String::new();
        let file = |number| input.file(number);
        if place.source_line != 0 {
            out += &format!("\n  source: {}:{}", file(place.file), place.source_line);
        }
        if place.outer_line != 0 {
            out += &format!(
                "\n  inlined at: {}:{}",
                file(place.outer_file),
                place.outer_line
            );
        }
        let text = input
            .text
            .lines()
            .nth(place.line.saturating_sub(1) as usize)
            .unwrap_or("")
            .trim();
        let name = if input.name.is_empty() {
            String::new()
        } else {
            format!(" of {}", input.name)
        };
        out += &format!("\n  PTX line {}{name}: {text}", place.line);
        if place.source_line == 0 {
            out += "\n  (compile with line information, -lineinfo, to see the source line)";
        }
        out
    }

    /// Returns an instruction's source as a phrase: file and line, or else the PTX line.
    pub(crate) fn short_place(&self, pc: u32) -> String {
        let place = self.places.get(pc as usize).copied().unwrap_or_default();
        match self.inputs.get(usize::from(place.input)) {
            Some(input) if place.outer_line != 0 => {
                format!("{}:{}", input.file(place.outer_file), place.outer_line)
            }
            Some(input) if place.source_line != 0 => {
                format!("{}:{}", input.file(place.file), place.source_line)
            }
            _ => format!("PTX line {}", place.line),
        }
    }

    /// Returns the kernels, in the order of the text.
    pub fn kernels(&self) -> &[KernelInfo] {
        &self.kernels
    }

    /// Returns the module-scope variables, in the order of the text.
    pub fn variables(&self) -> &[VariableInfo] {
        &self.variables
    }

    /// Returns the highest `.target` of the inputs: 90 for `sm_90`.
    pub fn target(&self) -> u32 {
        self.target
    }
}

/// A [`Program`] placed in memory.
pub struct Image {
    pub(super) program: Arc<Program>,
    pub(super) constants: Buffer,
    /// Addresses of `.const` variables, for `isspacep`.
    pub(super) constant_ranges: Vec<(u64, u64)>,
}

impl Image {
    /// Places a program in memory and writes the variables' initial values. `addresses[i]` is the
    /// address of `variables()[i]`.
    ///
    /// # Safety
    ///
    /// The caller must ensure that each address:
    ///
    /// - is aligned for its variable;
    /// - is valid for reads and writes of the variable's size;
    /// - outlives the image.
    ///
    /// # Panics
    ///
    /// Panics if `addresses` and `variables()` differ in length.
    pub unsafe fn place(program: Arc<Program>, addresses: &[u64]) -> Image {
        assert_eq!(
            addresses.len(),
            program.variables.len(),
            "one address for each variable"
        );
        let value = |target: Target| match target {
            Target::Variable(index, addend) => {
                addresses[index as usize].wrapping_add_signed(addend)
            }
            Target::Function(index) => CODE_WINDOW + u64::from(index) * 16,
        };
        let constants = Buffer::new(program.constants.bytes.len());
        // SAFETY: the buffer is at least as long as the bytes.
        unsafe {
            let bytes = &program.constants.bytes;
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), constants.ptr(), bytes.len());
            for &(offset, target) in &program.constants.addresses {
                let slot = constants.ptr().add(offset as usize).cast::<[u64; LANES]>();
                slot.write([value(target); LANES]);
            }
        }
        for (variable, &address) in program.variables.iter().zip(addresses) {
            // SAFETY: the caller guarantees that the address is valid for the variable's size.
            unsafe { std::ptr::write_bytes(address as *mut u8, 0, variable.size as usize) };
        }
        for init in &program.initializers {
            let base = addresses[init.variable as usize];
            // SAFETY: the parser keeps initializers within their variable.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    init.bytes.as_ptr(),
                    base as *mut u8,
                    init.bytes.len(),
                )
            };
            for patch in &init.relocations {
                let bytes = (value(patch.target) >> patch.shift).to_le_bytes();
                // SAFETY: as above. The initializer has room for the address.
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        bytes.as_ptr(),
                        (base + patch.offset) as *mut u8,
                        patch.size.into(),
                    );
                }
            }
        }
        let constant_ranges = program
            .variables
            .iter()
            .zip(addresses)
            .filter(|(v, _)| v.space == super::Space::Const)
            .map(|(v, &a)| (a, v.size))
            .collect();
        Image {
            program,
            constants,
            constant_ranges,
        }
    }

    /// Returns the program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }
}

/// Returns the file name that was passed to the compiler. Compilers prepend the working directory,
/// even to the name of a text that is not in a file.
fn as_given(file: &str) -> &str {
    let here = std::env::current_dir().ok();
    here.and_then(|here| file.strip_prefix(here.to_str()?)?.strip_prefix('/'))
        .unwrap_or(file)
}

/// One launch.
pub struct Launch<'a> {
    /// The placed program.
    pub image: &'a Image,
    /// The index in [`Program::kernels`](Program::kernels).
    pub kernel: usize,
    /// The shape.
    pub shape: Shape,
    /// The parameter buffer, at least [`KernelInfo::param_bytes`] long.
    pub params: &'a [u8],
}

#[cfg(test)]
mod tests {
    #[test]
    fn file_names_are_relative_to_the_working_directory() {
        let here = std::env::current_dir().unwrap();
        let here = here.to_str().unwrap();
        for (file, expected) in [
            (format!("{here}/program.cu"), "program.cu"),
            (format!("{here}/src/program.cu"), "src/program.cu"),
            (
                format!("{here}s/program.cu"),
                &*format!("{here}s/program.cu"),
            ),
            ("/elsewhere/program.cu".into(), "/elsewhere/program.cu"),
            ("program.cu".into(), "program.cu"),
        ] {
            assert_eq!(super::as_given(&file), expected);
        }
    }
}
