//! The syntax tree. Names borrow from the source text.

/// A scalar type of PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
#[rustfmt::skip]
pub(crate) enum Type {
    Pred, B8, B16, B32, B64, B128, U8, U16, U32, U64, S8, S16, S32, S64, F16, F16x2, BF16, BF16x2, F32, F64, U16x2, S16x2,
    TF32, E4M3x2, E5M2x2, F32x2,
}

impl Type {
    /// Returns the type named by a modifier without its dot.
    pub(crate) fn parse(name: &str) -> Option<Type> {
        use Type::*;
        Some(match name {
            "pred" => Pred,
            "b8" => B8,
            "b16" => B16,
            "b32" => B32,
            "b64" => B64,
            "b128" => B128,
            "u8" => U8,
            "u16" => U16,
            "u32" => U32,
            "u64" => U64,
            "s8" => S8,
            "s16" => S16,
            "s32" => S32,
            "s64" => S64,
            "f16" => F16,
            "f16x2" => F16x2,
            "bf16" => BF16,
            "bf16x2" => BF16x2,
            "f32" => F32,
            "f64" => F64,
            "u16x2" => U16x2,
            "s16x2" => S16x2,
            "tf32" => TF32,
            "e4m3x2" => E4M3x2,
            "e5m2x2" => E5M2x2,
            "f32x2" => F32x2,
            _ => return None,
        })
    }

    /// Returns the size in bytes. 0 for a predicate.
    pub(crate) fn size(self) -> u32 {
        use Type::*;
        match self {
            Pred => 0,
            B8 | U8 | S8 => 1,
            B16 | U16 | S16 | F16 | BF16 | E4M3x2 | E5M2x2 => 2,
            B32 | U32 | S32 | F32 | F16x2 | BF16x2 | U16x2 | S16x2 | TF32 => 4,
            B64 | U64 | S64 | F64 | F32x2 => 8,
            B128 => 16,
        }
    }

    /// Returns whether this is a signed integer.
    pub(crate) fn signed(self) -> bool {
        matches!(
            self,
            Type::S8 | Type::S16 | Type::S32 | Type::S64 | Type::S16x2
        )
    }
}

/// The state space of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum StateSpace {
    Global,
    Const,
    Shared,
    Local,
    Param,
    /// A parameter in a register.
    Reg,
}

/// Linkage of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Linkage {
    /// Private to its module.
    Internal,
    /// `.visible`
    Visible,
    /// `.weak`
    Weak,
    /// `.common`
    Common,
    /// `.extern`: defined elsewhere.
    Extern,
}

/// A module.
#[derive(Debug, Default)]
pub(crate) struct Module<'a> {
    pub version: (u32, u32),
    /// The number of `.target`, and its suffix: `a`, `f` or nothing.
    pub target: u32,
    pub suffix: &'a str,
    /// `.file` index and name.
    pub files: Vec<(u32, &'a str)>,
    pub variables: Vec<Variable<'a>>,
    pub functions: Vec<Function<'a>>,
    /// `.alias name, target`
    pub aliases: Vec<(&'a str, &'a str)>,
}

/// A variable or parameter.
#[derive(Clone, Debug)]
pub(crate) struct Variable<'a> {
    pub name: &'a str,
    pub space: StateSpace,
    pub align: u64,
    /// Size in bytes. 0 for `[]` without an initializer.
    pub size: u64,
    /// The type of an element, and the number of elements of a vector.
    pub ty: Type,
    pub vector: u32,
    pub init: Option<Init<'a>>,
    pub linkage: Linkage,
    pub managed: bool,
    pub line: u32,
}

/// An initializer: bytes, and addresses that are inserted into them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Init<'a> {
    pub bytes: Vec<u8>,
    pub relocations: Vec<Relocation<'a>>,
}

/// An address in an initializer.
#[derive(Clone, Debug)]
pub(crate) struct Relocation<'a> {
    pub offset: u64,
    pub symbol: &'a str,
    pub addend: i64,
    /// Size of the address in bytes: 8, or 1 if `mask(symbol)` selects one byte.
    pub size: u8,
    /// Right shift before the byte is extracted.
    pub shift: u8,
}

/// A kernel or device function.
#[derive(Debug)]
pub(crate) struct Function<'a> {
    pub name: &'a str,
    pub entry: bool,
    pub linkage: Linkage,
    pub returns: Vec<Variable<'a>>,
    pub params: Vec<Variable<'a>>,
    /// None for a declaration.
    pub body: Option<Vec<Statement<'a>>>,
    pub max_threads: Option<u32>,
    pub required_block: Option<[u32; 3]>,
    pub min_blocks: Option<u32>,
    /// `.maxnreg`
    pub max_registers: Option<u32>,
    /// `.reqnctapercluster`
    pub required_cluster: Option<[u32; 3]>,
    /// `.explicitcluster`
    pub explicit_cluster: bool,
    /// `.maxclusterrank`
    pub max_cluster: Option<u32>,
    pub line: u32,
}

/// A statement in a function's body.
#[derive(Debug)]
pub(crate) enum Statement<'a> {
    /// `{`
    Enter,
    /// `}`
    Leave,
    Label(&'a str, u32),
    /// `.reg`: one name, or names `name0` to `name(count-1)`.
    Registers {
        name: &'a str,
        ty: Type,
        /// Elements of each register: 1, 2 or 4.
        vector: u32,
        count: Option<u32>,
        line: u32,
    },
    Variable(Variable<'a>),
    Instruction(Instruction<'a>),
    /// `.loc file line column`, and the location into which it is inlined.
    Location {
        at: Location,
        inlined_at: Option<Location>,
    },
    /// `.pragma "…";`, without the quotes, and its line.
    Pragma(&'a str, u32),
    /// `name: .branchtargets a, b;`
    BranchTargets(&'a str, Vec<&'a str>),
    /// `name: .callprototype …;` or `name: .calltargets …;`: the signature of an indirect call.
    CallPrototype(&'a str),
}

/// A source location: file, line and column.
pub(crate) type Location = [u32; 3];

/// An instruction.
#[derive(Debug)]
pub(crate) struct Instruction<'a> {
    pub line: u32,
    /// Predicate name, and whether it is negated.
    pub guard: Option<(&'a str, bool)>,
    /// The opcode with its modifiers, as written.
    pub opcode: &'a str,
    pub operands: Vec<Operand<'a>>,
    /// Byte range in the source, for messages.
    pub span: (u32, u32),
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand<'a> {
    /// A register, special register, variable, function or label.
    Name(&'a str),
    /// `!%p`
    Not(&'a str),
    /// `-%r`: a negated register.
    Minus(&'a str),
    /// `name+offset`
    NameOffset(&'a str, i64),
    /// An integer, as its low 64 bits.
    Int(u64),
    /// A decimal floating-point number.
    Float(f64),
    /// `0f…`: bits of a float.
    Single(u32),
    /// `0d…`: bits of a double.
    Double(u64),
    /// `[name+offset]`. No name for an absolute address.
    Address(Option<&'a str>, i64),
    /// `[name+offset, {a, b}]`: a tensor map, and coordinates.
    Tensor(&'a str, i64, Vec<Operand<'a>>),
    /// `{a, b}`
    Vector(Vec<Operand<'a>>),
    /// `{a, b}|p`: results, and a predicate that reports whether the texels are resident.
    Marked(Vec<Operand<'a>>, &'a str),
    /// `(a, b)` of a call.
    List(Vec<Operand<'a>>),
    /// `a|b`
    Pair(&'a str, &'a str),
    /// A register by its number. Not written in PTX.
    Register(u32),
    /// `_`
    Sink,
}
