//! An instruction form: its operands, its PTX, and the comparison of its results with a GPU's.

use std::fmt::Write as _;

use crate::approximate::Approximate;
use crate::operand::{Operand, Width};
use crate::random::{Random, hash};

/// Threads per block, each of which runs one case. The number of cases of a form is a multiple of
/// this number, or smaller.
pub const BLOCK: usize = 128;

/// The required agreement of results.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// Bit for bit.
    Exact,
    /// Within the documented error.
    Within(Approximate),
}

/// An instruction with one choice of types and modifiers, or a short sequence of instructions.
#[derive(Clone, Debug)]
pub struct Form {
    /// The unique name: the tested instruction in PTX notation.
    pub name: String,
    /// The kinds of values for the operands `%a0`, `%a1`, ….
    pub operands: Vec<Operand>,
    /// The registers `%d0`, `%d1`, … that hold the results.
    pub results: Vec<Width>,
    /// The instructions. `%i` is the thread's number, and `%m` the address of its 16 zeroed bytes
    /// in global memory.
    pub body: String,
    /// Declarations at module scope.
    pub globals: String,
    /// The required PTX version.
    pub version: (u32, u32),
    /// The target of its module.
    pub target: &'static str,
    /// Whether an implementation may reject it at load as unsupported.
    pub optional: bool,
    /// Whether recorded results may be missing. If they exist, they are compared.
    pub awaited: bool,
    /// The required agreement of the results.
    pub check: Check,
    /// The operands of all cases, one case after another, if they are not chosen by kind.
    pub given: Vec<u64>,
    /// Number of cases: a multiple of [`BLOCK`], or a smaller whole number of warps.
    pub cases: usize,
    /// Whether the instruction may be used in a random program. It must be defined and exact for
    /// any bits, independent of other lanes, and not subject to contraction.
    pub in_programs: bool,
    /// Whether the result depends on other lanes. The whole warp then executes the instruction.
    pub whole_warp: bool,
    /// Blocks per cluster. 0 means no clusters.
    pub cluster: u32,
}

impl Form {
    /// Creates the form `name %d0, …, %a0, …;`. The number of cases depends on the number of
    /// operands.
    #[must_use]
    pub fn new(name: impl Into<String>, operands: &[Operand], results: &[Width]) -> Self {
        let name = name.into();
        let registers = (0..results.len())
            .map(|i| format!("%d{i}"))
            .chain((0..operands.len()).map(|i| format!("%a{i}")));
        let body = format!("{name} {};", registers.collect::<Vec<_>>().join(", "));
        Self {
            name,
            operands: operands.to_vec(),
            results: results.to_vec(),
            body,
            globals: String::new(),
            version: (8, 0),
            target: "sm_90",
            optional: false,
            awaited: false,
            check: Check::Exact,
            given: Vec::new(),
            cases: match operands.len() {
                0 => BLOCK,
                1 => 2 * BLOCK,
                2 => 4 * BLOCK,
                _ => 5 * BLOCK,
            },
            in_programs: false,
            whole_warp: false,
            cluster: 0,
        }
    }

    /// Replaces the instructions derived from the name.
    #[must_use]
    pub fn body(mut self, body: impl Into<String>) -> Self {
        self.body = body.into();
        self
    }

    /// Sets declarations at module scope.
    #[must_use]
    pub fn globals(mut self, globals: impl Into<String>) -> Self {
        self.globals = globals.into();
        self
    }

    /// Requires a PTX version newer than 8.0.
    #[must_use]
    pub fn since(mut self, major: u32, minor: u32) -> Self {
        self.version = (major, minor);
        self
    }

    /// Sets a target other than `sm_90`.
    #[must_use]
    pub fn target(mut self, target: &'static str) -> Self {
        self.target = target;
        self
    }

    /// Allows an implementation to reject the form at load.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// Allows missing recorded results.
    #[must_use]
    pub fn awaited(mut self) -> Self {
        self.awaited = true;
        self
    }

    /// Requires results within the documented error.
    #[must_use]
    pub fn within(mut self, approximate: Approximate) -> Self {
        self.check = Check::Within(approximate);
        self
    }

    /// Allows the form in random programs.
    #[must_use]
    pub fn in_programs(mut self) -> Self {
        self.in_programs = true;
        self
    }

    /// Marks the form as depending on other lanes.
    #[must_use]
    pub fn whole_warp(mut self) -> Self {
        self.whole_warp = true;
        self
    }

    /// Runs in clusters of this number of blocks. The number of blocks must be a multiple of it.
    #[must_use]
    pub fn clusters(mut self, blocks: u32) -> Self {
        self.cluster = blocks;
        self
    }

    /// Sets the number of blocks of cases.
    #[must_use]
    pub fn blocks(mut self, blocks: usize) -> Self {
        self.cases = blocks * BLOCK;
        self
    }

    /// Uses a single warp of cases.
    #[must_use]
    pub fn one_warp(mut self) -> Self {
        self.cases = 32;
        self
    }

    /// Returns the operands of every case: combinations of the first edge values of each operand,
    /// then mixtures of all edge values with random ones.
    #[must_use]
    pub fn inputs(&self) -> Vec<u64> {
        if !self.given.is_empty() {
            return self.given.clone();
        }
        let edges: Vec<Vec<u64>> = self.operands.iter().map(|o| o.edges()).collect();
        let mut lengths = vec![1; edges.len()];
        loop {
            let before = lengths.clone();
            for i in 0..lengths.len() {
                lengths[i] += 1;
                let product: usize = lengths.iter().product();
                if lengths[i] > edges[i].len() || product > self.cases * 3 / 4 {
                    lengths[i] -= 1;
                }
            }
            if before == lengths {
                break;
            }
        }
        let combinations: usize = lengths.iter().product();
        let mut random = Random::from_name(&self.name);
        let mut inputs = Vec::with_capacity(self.cases * edges.len());
        for case in 0..self.cases {
            let mut rest = case;
            for (i, operand) in self.operands.iter().enumerate() {
                let value = if case < combinations {
                    let at = rest % lengths[i];
                    rest /= lengths[i];
                    edges[i][at]
                } else if random.bits() & 1 == 0 {
                    *random.pick(&edges[i])
                } else {
                    operand.random(&mut random)
                };
                inputs.push(operand.width().cut(value));
            }
        }
        inputs
    }

    /// Returns a value that changes with the operands or instructions, to detect stale data.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let inputs = self.inputs();
        let text = self.body.bytes().chain(self.globals.bytes());
        hash(text.chain(inputs.into_iter().flat_map(u64::to_le_bytes)))
    }

    /// Returns the kernel, named `kernel`, with the parameters in, out and scratch.
    #[must_use]
    pub fn kernel(&self, kernel: &str) -> String {
        let mut text = format!("// {}\n{}", self.name, self.globals);
        if !self.globals.is_empty() {
            text.push('\n');
        }
        let cluster = match self.cluster {
            0 => String::new(),
            blocks => format!(".explicitcluster\n.reqnctapercluster {blocks}, 1, 1\n"),
        };
        write!(
            text,
            ".visible .entry {kernel}(.param .u64 p_in, .param .u64 p_out, .param .u64 p_scratch)\n\
             {cluster}{{\n\
             .reg .b64 %in, %out, %m;\n.reg .b32 %i, %x, %y;\n"
        )
        .unwrap();
        for (prefix, widths) in [
            ("a", self.operands.iter().map(|o| o.width()).collect()),
            ("d", self.results.clone()),
        ] {
            for (i, width) in widths.iter().enumerate() {
                writeln!(text, ".reg .{} %{prefix}{i};", register(*width)).unwrap();
            }
        }
        let (arity, results) = (self.operands.len() * 8, self.results.len() * 8);
        write!(
            text,
            "mov.u32 %x, %ctaid.x;\nmov.u32 %y, %tid.x;\nmad.lo.u32 %i, %x, {BLOCK}, %y;\n\
             ld.param.u64 %in, [p_in];\nld.param.u64 %out, [p_out];\nld.param.u64 %m, [p_scratch];\n\
             mad.wide.u32 %in, %i, {arity}, %in;\nmad.wide.u32 %out, %i, {results}, %out;\n\
             mad.wide.u32 %m, %i, 16, %m;\n"
        )
        .unwrap();
        for (i, operand) in self.operands.iter().enumerate() {
            let at = i * 8;
            match operand.width() {
                Width::Pred => writeln!(
                    text,
                    "ld.global.b32 %x, [%in+{at}];\nsetp.ne.s32 %a{i}, %x, 0;"
                ),
                width => writeln!(text, "ld.global.{} %a{i}, [%in+{at}];", register(width)),
            }
            .unwrap();
        }
        text.push_str(&self.body);
        text.push('\n');
        for (i, width) in self.results.iter().enumerate() {
            let at = i * 8;
            match width {
                Width::Pred => writeln!(
                    text,
                    "selp.b32 %x, 1, 0, %d{i};\nst.global.b32 [%out+{at}], %x;"
                ),
                width => writeln!(text, "st.global.{} [%out+{at}], %d{i};", register(*width)),
            }
            .unwrap();
        }
        text.push_str("ret;\n}\n");
        text
    }
}

fn register(width: Width) -> &'static str {
    match width {
        Width::Pred => "pred",
        Width::B16 => "b16",
        Width::B32 => "b32",
        Width::B64 => "b64",
    }
}

/// Returns a module with a kernel `form_N` for each form, where N is its index in `forms`.
#[must_use]
pub fn module(forms: &[&Form]) -> String {
    let (major, minor) = forms.iter().map(|f| f.version).max().unwrap_or((8, 0));
    let target = forms.iter().map(|f| f.target).max().unwrap_or("sm_90");
    let mut text = format!(".version {major}.{minor}\n.target {target}\n.address_size 64\n\n");
    for (i, form) in forms.iter().enumerate() {
        text.push_str(&form.kernel(&format!("form_{i}")));
    }
    text
}
