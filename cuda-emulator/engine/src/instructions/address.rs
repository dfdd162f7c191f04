//! Address instructions: between state spaces, on the stack, of blocks of a cluster.

use crate::boundary::{LOCAL_WINDOW, SHARED_WINDOW};
use crate::ir::{Code, Faults, Form, Opcode, Role};
use crate::lanes::arithmetic::{test, unary_imm};
use crate::memory::address as run;
use crate::memory::cluster;
use crate::ptx::Type;
use crate::state::op::Exec;

pub(super) const LISTS: &[&[Opcode]] = &[CONVERT, SPACES, STACK, CLUSTER];

/// `d = a + imm`. Converting from or to a space adds or subtracts the window of that space.
const OFFSET: Code = unary_imm(|a: u64, imm| a.wrapping_add(imm));

/// The same, but the address differs if the block is not alone in its cluster.
const fn shared(plain: Exec, wide: Exec) -> Code {
    Code {
        plain,
        wide,
        ..OFFSET
    }
}

const CONVERT: &[Opcode] = &[
    Opcode::new(
        "cvta.[shared|shared::cta|shared::cluster].[u64|b64]",
        shared(cluster::to_generic::<false>, cluster::to_generic::<true>),
    )
    .imm(SHARED_WINDOW),
    Opcode::new("cvta.local.[u64|b64]", OFFSET).imm(LOCAL_WINDOW),
    Opcode::new("cvta.[global|const|param|param::entry].[u64|b64]", OFFSET),
    Opcode::new(
        "cvta.to.[shared|shared::cta|shared::cluster].[u64|b64]",
        shared(cluster::to_shared::<false>, cluster::to_shared::<true>),
    )
    .imm(SHARED_WINDOW.wrapping_neg()),
    Opcode::new("cvta.to.local.[u64|b64]", OFFSET).imm(LOCAL_WINDOW.wrapping_neg()),
    Opcode::new(
        "cvta.to.[global|const|param|param::entry].[u64|b64]",
        OFFSET,
    ),
    // Cache policies have no effect.
    Opcode::new(
        "createpolicy*",
        Code {
            d: Role::Write(Type::B64),
            ..Code::new(run::no_policy)
        },
    )
    .form(Form::First)
    .since(80),
];

const IN_CLUSTER: Code = test(|a: u64| a >> 60 == SHARED_WINDOW >> 60);

/// `d` = whether the address in `a` is in the space.
const fn tested(exec: Exec) -> Code {
    Code {
        plain: exec,
        wide: exec,
        ..IN_CLUSTER
    }
}

const SPACES: &[Opcode] = &[
    space("isspacep.[shared|shared::cta]", tested(run::is_own_shared)),
    space("isspacep.shared::cluster", IN_CLUSTER),
    space(
        "isspacep.local",
        test(|a: u64| a >> 60 == LOCAL_WINDOW >> 60),
    ),
    space("isspacep.const", tested(run::is_constant)),
    space("isspacep.global", tested(run::is_global)),
    space("isspacep.[param|param::entry]", tested(run::is_param)),
];

const fn space(name: &'static str, code: Code) -> Opcode {
    Opcode::new(name, code).form(Form::Test)
}

/// `d` = the address of `a` bytes on the stack, aligned to `imm`.
const fn alloca(ty: Type, exec: Exec) -> Code {
    Code {
        d: Role::Write(ty),
        a: Role::Read(ty),
        imm: true,
        ..Code::new(exec).faults(Faults::ADDRESS)
    }
}

const fn save(ty: Type, exec: Exec) -> Code {
    Code {
        d: Role::Write(ty),
        ..Code::new(exec)
    }
}

const fn restore(ty: Type, exec: Exec) -> Code {
    Code {
        a: Role::Read(ty),
        ..Code::new(exec)
    }
}

const STACK: &[Opcode] = &[
    Opcode::new("alloca{.u64|.b64}", alloca(Type::U64, run::alloca::<u64>))
        .form(Form::Alloca)
        .since(52),
    Opcode::new("alloca.[u32|b32]", alloca(Type::U32, run::alloca::<u32>))
        .form(Form::Alloca)
        .since(52),
    Opcode::new(
        "stacksave{.u64|.b64}",
        save(Type::U64, run::stack_save::<u64>),
    )
    .since(52),
    Opcode::new(
        "stacksave.[u32|b32]",
        save(Type::U32, run::stack_save::<u32>),
    )
    .since(52),
    Opcode::new(
        "stackrestore{.u64|.b64}",
        restore(Type::U64, run::stack_restore::<u64>),
    )
    .since(52),
    Opcode::new(
        "stackrestore.[u32|b32]",
        restore(Type::U32, run::stack_restore::<u32>),
    )
    .since(52),
];

/// `d` = the address in block `b` of the cluster that corresponds to `a`. `imm` is 1 for generic
/// addresses.
const fn map(ty: Type, exec: Exec) -> Code {
    Code {
        d: Role::Write(ty),
        a: Role::Read(ty),
        b: Role::Read(Type::U32),
        imm: true,
        ..Code::new(exec).faults(Faults::ADDRESS)
    }
}

/// The rank of the block whose shared memory `a` is in.
const fn rank(ty: Type, exec: Exec) -> Code {
    Code {
        d: Role::Write(Type::U32),
        a: Role::Read(ty),
        ..Code::new(exec)
    }
}

const CLUSTER: &[Opcode] = &[
    Opcode::new("mapa{.u64}", map(Type::U64, cluster::map_address::<u64>))
        .imm(1)
        .since(90),
    Opcode::new("mapa.u32", map(Type::U32, cluster::map_address::<u32>))
        .imm(1)
        .since(90),
    Opcode::new(
        "mapa.shared::cluster{.u64}",
        map(Type::U64, cluster::map_address::<u64>),
    )
    .since(90),
    Opcode::new(
        "mapa.shared::cluster.u32",
        map(Type::U32, cluster::map_address::<u32>),
    )
    .since(90),
    Opcode::new(
        "getctarank{.shared::cluster}{.u64}",
        rank(Type::U64, cluster::rank_of_address::<u64>),
    )
    .since(90),
    Opcode::new(
        "getctarank{.shared::cluster}.u32",
        rank(Type::U32, cluster::rank_of_address::<u32>),
    )
    .since(90),
];

/// Yields to other warps, because this one polls memory.
pub(crate) const POLL: Opcode = Opcode::internal("poll", Code::new(run::poll));

/// `d` = the generic address of local memory at offset `imm` of the frame.
pub(crate) const ADDRESS_OF_LOCAL: Opcode = Opcode::internal(
    "address of local",
    Code {
        d: Role::Write(Type::U64),
        imm: true,
        ..Code::new(run::local)
    },
);

/// `d` = the address of the kernel's parameters at offset `imm`.
pub(crate) const ADDRESS_OF_PARAM: Opcode = Opcode::internal(
    "address of parameter",
    Code {
        d: Role::Write(Type::U64),
        imm: true,
        ..Code::new(run::kernel_param)
    },
);

/// `d` = the address of each lane's argument `a` in the frame, with stride `x`, plus `imm`.
pub(crate) const ADDRESS_OF_ARGUMENT: Opcode = Opcode::internal(
    "address of argument",
    Code {
        d: Role::Write(Type::U64),
        a: Role::Frame,
        x: Role::Number,
        imm: true,
        ..Code::new(run::param)
    },
);

/// `d = a + imm`, from 64-bit and 32-bit registers.
pub(crate) const ADDRESS: Opcode = Opcode::internal("address", OFFSET);
pub(crate) const ADDRESS_OF_32: Opcode = Opcode::internal(
    "address of 32 bits",
    unary_imm(|a: u32, imm| u64::from(a.wrapping_add(imm as u32))),
);
