//! One instruction form: its operands, its PTX, and how its results are compared with a GPU's.

use std::fmt::Write as _;

use crate::approximate::Approximate;
use crate::operand::{Operand, Width};
use crate::random::{Random, hash};

/// Threads of a block. A form has a whole number of blocks of cases, or less than one block.
pub const BLOCK: usize = 128;

/// How results must agree.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// Bit for bit.
    Exact,
    /// Within the documented error.
    Within(Approximate),
}

/// An instruction with one choice of types and modifiers, or a short sequence of such.
#[derive(Clone, Debug)]
pub struct Form {
    /// What is tested, as PTX writes it; unique.
    pub name: String,
    /// What each operand `%a0`, `%a1`, … is fed.
    pub operands: Vec<Operand>,
    /// The registers `%d0`, `%d1`, … that hold the results.
    pub results: Vec<Width>,
    /// The instructions. `%i` is the thread's number, `%m` the address of 16 zeroed bytes of its
    /// own in global memory.
    pub body: String,
    /// Declarations at module scope.
    pub globals: String,
    /// The PTX version that it needs.
    pub version: (u32, u32),
    /// The target that its module names.
    pub target: &'static str,
    /// May be refused at load by an implementation that says so.
    pub optional: bool,
    /// Need not have recorded results yet. If there are some, they count.
    pub awaited: bool,
    /// How the results must agree.
    pub check: Check,
    /// The operands of every case, one case after the other, where they aren't chosen by their kind.
    pub given: Vec<u64>,
    /// Number of cases: a multiple of [`BLOCK`], or a whole number of warps below it.
    pub cases: usize,
    /// Whether the instruction may stand anywhere in a random program: defined and exact for any
    /// bits, alone in its lane, and not open to contraction.
    pub anywhere: bool,
    /// Whether lanes look at one another: a warp executes it as a whole.
    pub whole_warp: bool,
    /// Blocks of a cluster; 0 without clusters.
    pub cluster: u32,
}

impl Form {
    /// `name %d0, …, %a0, …;` with as many cases as the number of operands requires.
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
            anywhere: false,
            whole_warp: false,
            cluster: 0,
        }
    }

    /// Instructions other than those that follow from the name.
    #[must_use]
    pub fn body(mut self, body: impl Into<String>) -> Self {
        self.body = body.into();
        self
    }

    /// Declarations at module scope.
    #[must_use]
    pub fn globals(mut self, globals: impl Into<String>) -> Self {
        self.globals = globals.into();
        self
    }

    /// Needs a newer PTX version than 8.0.
    #[must_use]
    pub fn since(mut self, major: u32, minor: u32) -> Self {
        self.version = (major, minor);
        self
    }

    /// Needs another target than `sm_90`.
    #[must_use]
    pub fn target(mut self, target: &'static str) -> Self {
        self.target = target;
        self
    }

    /// May be refused at load.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// Not recorded yet: the results are compared once they are.
    #[must_use]
    pub fn awaited(mut self) -> Self {
        self.awaited = true;
        self
    }

    /// Results within the documented error.
    #[must_use]
    pub fn within(mut self, approximate: Approximate) -> Self {
        self.check = Check::Within(approximate);
        self
    }

    /// May stand anywhere in a random program.
    #[must_use]
    pub fn anywhere(mut self) -> Self {
        self.anywhere = true;
        self
    }

    /// Lanes look at one another.
    #[must_use]
    pub fn whole_warp(mut self) -> Self {
        self.whole_warp = true;
        self
    }

    /// In clusters of so many blocks, of which there is a whole number.
    #[must_use]
    pub fn clusters(mut self, blocks: u32) -> Self {
        self.cluster = blocks;
        self
    }

    /// Another number of blocks of cases.
    #[must_use]
    pub fn blocks(mut self, blocks: usize) -> Self {
        self.cases = blocks * BLOCK;
        self
    }

    /// A single warp of cases.
    #[must_use]
    pub fn one_warp(mut self) -> Self {
        self.cases = 32;
        self
    }

    /// The operands of every case: combinations of the first edge values of each operand, then
    /// mixtures of all edge values with random ones.
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

    /// Changes when the operands or the instructions do, so that stale data are noticed.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let inputs = self.inputs();
        let text = self.body.bytes().chain(self.globals.bytes());
        hash(text.chain(inputs.into_iter().flat_map(u64::to_le_bytes)))
    }

    /// The kernel, named `kernel`, with parameters in, out and scratch.
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

/// A module with one kernel `form_N` for each form, where N is its place in `forms`.
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
