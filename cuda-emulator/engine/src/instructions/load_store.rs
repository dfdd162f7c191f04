//! Loads and stores.

use crate::ir::{Code, Faults, Form, Opcode, Role};
use crate::lanes::arithmetic::Reg;
use crate::memory::load_store::{self as run, Pair};
use crate::memory::transfer::{Mem, Widen};
use crate::memory::vector;
use crate::ptx::Type;
use crate::warp::control;

pub(super) const LISTS: &[&[Opcode]] = &[LIST, ASYNC];

/// A store to another block of the cluster, whose mbarrier counts the bytes. Executed when issued.
const ASYNC: &[Opcode] = &[written(
    "st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.v2|.v4}.[b32|b64|u32|u64|s32|s64|f32|f64]",
    Form::StoreAsync,
)
.since(90)];

/// An instruction that is lowered to one of the moves below, selected by the type, the register and
/// the address.
const fn written(name: &'static str, form: Form) -> Opcode {
    let code = Code::new(control::nothing).faults(Faults::ADDRESS);
    Opcode::new(name, code).form(form)
}

/// Address spaces.
macro_rules! spaces {
    () => {
        "{.global|.shared|.shared::cta|.shared::cluster|.local|.const|.param|.param::entry|.param::func}"
    };
}

/// The cache modifiers of memory operations, and the kind and number of elements.
macro_rules! elements {
    () => {
        concat!(
            "{.L1::evict_normal|.L1::evict_unchanged|.L1::evict_first|.L1::evict_last|.L1::no_allocate}",
            "{.L2::evict_normal|.L2::evict_first|.L2::evict_last}{.L2::cache_hint}{.L2::64B|.L2::128B|.L2::256B}",
            "{.v2|.v4|.v8}",
            ".[b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64|f16|f16x2|bf16|bf16x2]"
        )
    };
}

const LIST: &[Opcode] = &[
    written(
        concat!(
            "ld{.weak|.volatile|.relaxed|.acquire}{.mmio}{.cta|.cluster|.gpu|.sys}",
            spaces!(),
            "{.ca|.cg|.cs|.lu|.cv}{.nc}{.unified}",
            elements!()
        ),
        Form::Load,
    ),
    written(concat!("ldu{.global}", elements!()), Form::Load),
    written(
        concat!(
            "st{.weak|.volatile|.relaxed|.release}{.mmio}{.cta|.cluster|.gpu|.sys}",
            spaces!(),
            "{.wb|.cg|.cs|.wt}",
            elements!()
        ),
        Form::Store,
    ),
];

/// A kind of move between memory and registers.
pub(crate) struct Move {
    /// The type in memory, and the width of the register.
    memory: Type,
    register: Type,
    opcode: Opcode,
}

/// Returns the move with these properties, if one exists.
pub(crate) fn find(
    moves: &'static [Move],
    memory: Type,
    register: Type,
) -> Option<&'static Opcode> {
    let slot = |ty: Type| ty.size().max(4);
    // Only a widening move sign-extends. A list without signed types has moves that do not extend.
    let fits = |m: &&Move, signed: bool| {
        m.memory.size() == memory.size()
            && slot(m.register) == slot(register)
            && m.memory.signed() == signed
    };
    // A predicate does not have 32 bits per lane.
    if register == Type::Pred {
        return None;
    }
    let signed = memory.signed();
    let exact = moves.iter().find(|m| fits(m, signed));
    let any = || moves.iter().find(|m| fits(m, false));
    exact.or_else(any).map(|m| &m.opcode)
}

/// A list of moves between memory of a type and registers of another type.
macro_rules! moves {
    ($verb:literal, $make:ident: $($memory:ident $register:ident $name:literal),* $(,)?) => {
        &[$(Move {
            memory: <$memory as Reg>::TYPE,
            register: <$register as Reg>::TYPE,
            opcode: Opcode::internal(concat!($verb, $name), $make::<$memory, $register>()),
        }),*]
    };
}

/// Moves into registers.
macro_rules! loads {
    ($verb:literal, $make:ident $(, $wide:ident)?) => {
        moves!($verb, $make: u8 u32 " u8", i8 u32 " s8", u16 u32 " u16", i16 u32 " s16", u32 u32 " u32", u8 u64 " u8 to 64 bits",
            i8 u64 " s8 to 64 bits", u16 u64 " u16 to 64 bits", i16 u64 " s16 to 64 bits", u32 u64 " u32 to 64 bits",
            i32 u64 " s32 to 64 bits", u64 u64 " u64" $(, $wide $wide " u128")?)
    };
}

/// Moves out of registers.
macro_rules! stores {
    ($verb:literal, $make:ident $(, $wide:ident)?) => {
        moves!($verb, $make: u8 u32 " u8", u16 u32 " u16", u32 u32 " u32", u8 u64 " u8 of 64 bits", u16 u64 " u16 of 64 bits",
            u32 u64 " u32 of 64 bits", u64 u64 " u64" $(, $wide $wide " u128")?)
    };
}

const fn pair((plain, wide): Pair) -> Code {
    Code {
        imm: true,
        ..Code::pair(plain, wide)
    }
}

/// An access to memory at `a` plus `imm`. `c` selects the addressing, and `y` is the
/// index in the region cache.
const fn access(run: Pair) -> Code {
    Code {
        a: Role::Address,
        c: Role::Reach,
        y: Role::Cache,
        ..pair(run).faults(Faults::ADDRESS)
    }
}

const fn load<T: Mem + Widen<D> + 'static, D: Reg + 'static>() -> Code {
    Code {
        d: Role::Write(D::TYPE),
        b: Role::Number,
        ..access(run::load::<T, D>())
    }
}

const fn store<T: Mem + 'static, D: Reg + Widen<T> + 'static>() -> Code {
    Code {
        b: Role::Read(D::TYPE),
        ..access(run::store::<T, D>())
    }
}

const fn load_vector<T: Mem + Widen<D> + 'static, D: Reg + 'static>() -> Code
where
    u64: Widen<T>,
{
    Code {
        b: Role::Number,
        x: Role::List,
        ..access(vector::load::<T, D>())
    }
}

const fn store_vector<T: Mem + Into<u64> + 'static, D: Reg + Widen<T> + 'static>() -> Code {
    Code {
        x: Role::List,
        ..access(vector::store::<T, D>())
    }
}

const fn load_param<T: Mem + Widen<D> + 'static, D: Reg + 'static>() -> Code {
    Code {
        d: Role::Write(D::TYPE),
        ..pair(run::load_param::<T, D>())
    }
}

const fn load_frame<T: Mem + Widen<D> + 'static, D: Reg + 'static>() -> Code {
    Code {
        d: Role::Write(D::TYPE),
        a: Role::Frame,
        b: Role::Number,
        ..pair(run::load_frame::<T, D>())
    }
}

const fn store_frame<T: Mem + 'static, D: Reg + Widen<T> + 'static>() -> Code {
    Code {
        a: Role::Frame,
        b: Role::Read(D::TYPE),
        c: Role::Number,
        ..pair(run::store_frame::<T, D>())
    }
}

pub(crate) static LOAD: &[Move] = loads!("load", load, u128);
pub(crate) static STORE: &[Move] = stores!("store", store, u128);
pub(crate) static LOAD_VECTOR: &[Move] = loads!("load vector of", load_vector);
pub(crate) static STORE_VECTOR: &[Move] = stores!("store vector of", store_vector);
/// Loads of the kernel's parameters at offset `imm`.
pub(crate) static LOAD_PARAM: &[Move] = loads!("load parameter", load_param, u128);
/// Loads of a function's parameters in the frame.
pub(crate) static LOAD_FRAME: &[Move] = loads!("load argument", load_frame, u128);
pub(crate) static STORE_FRAME: &[Move] = stores!("store argument", store_frame, u128);
