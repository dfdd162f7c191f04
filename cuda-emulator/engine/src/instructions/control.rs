//! Branches, calls, barriers, fences.

use crate::ir::{Code, Faults, Form, Opcode, Role};
use crate::memory::address;
use crate::ptx::Type;
use crate::warp::control::{self as run, Barrier};

pub(super) const LISTS: &[&[Opcode]] = &[FLOW, BARRIERS, FENCES, HINTS];

/// A return. One is also added at the end of every function.
pub(crate) const RETURN: Opcode = Opcode::new("ret{.uni}", Code::new(run::ret)).form(Form::Return);

/// A call. `x` is the index of the call site.
const CALL: Opcode = Opcode::new(
    "call{.uni}",
    Code {
        x: Role::Number,
        ..Code::new(run::call)
    },
)
.form(Form::Call);

/// A call of the function whose address is in `a`.
pub(crate) const CALL_INDIRECT: Opcode = Opcode::internal(
    "call indirect",
    Code {
        a: Role::Read(Type::U64),
        ..CALL.code.faults(Faults::ADDRESS)
    },
);

const FLOW: &[Opcode] = &[
    Opcode::new(
        "bra{.uni}",
        Code {
            x: Role::Target,
            ..Code::new(run::branch)
        },
    )
    .form(Form::Branch),
    Opcode::new(
        "brx.idx{.uni}",
        Code {
            a: Role::Read(Type::U32),
            ..Code::new(run::switch).faults(Faults::ILLEGAL)
        },
    )
    .form(Form::Switch),
    CALL,
    RETURN,
    Opcode::new("exit", Code::new(run::exit)).form(Form::Exit),
    Opcode::new("trap", Code::new(run::trap).faults(Faults::TRAP)),
    Opcode::new("brkpt", Code::new(run::breakpoint).faults(Faults::TRAP)),
    Opcode::new(
        "nanosleep.[u32|b32]",
        Code {
            a: Role::Read(Type::U32),
            ..Code::new(run::pause)
        },
    )
    .since(70),
];

/// A barrier with number and thread count.
const BARRIER: Code = Code {
    a: Role::Read(Type::U32),
    b: Role::Read(Type::U32),
    imm: true,
    ..Code::new(run::barrier)
};

/// A barrier that reduces the threads' predicates `c ^ y` to a result. Threads that arrived earlier
/// write their results when the barrier opens, so the destination is live until then.
const fn reduction(d: Type) -> Code {
    Code {
        d: Role::Write(d),
        c: Role::Read(Type::Pred),
        y: Role::Number,
        ..BARRIER
    }
}

const fn barrier(name: &'static str, what: Barrier, code: Code) -> Opcode {
    Opcode::new(name, code).form(Form::Barrier).imm(what as u64)
}

/// The barrier of a cluster.
const CLUSTER: Code = Code {
    imm: true,
    ..Code::new(run::barrier)
};

const BARRIERS: &[Opcode] = &[
    barrier("bar{.cta}.sync{.aligned}", Barrier::Sync, BARRIER),
    barrier("bar{.cta}.arrive{.aligned}", Barrier::Arrive, BARRIER),
    barrier(
        "bar{.cta}.red{.aligned}.popc{.aligned}.u32",
        Barrier::ReduceCount,
        reduction(Type::U32),
    ),
    barrier(
        "bar{.cta}.red{.aligned}.and{.aligned}.pred",
        Barrier::ReduceAnd,
        reduction(Type::Pred),
    ),
    barrier(
        "bar{.cta}.red{.aligned}.or{.aligned}.pred",
        Barrier::ReduceOr,
        reduction(Type::Pred),
    ),
    barrier("barrier{.cta}.sync{.aligned}", Barrier::Sync, BARRIER),
    barrier("barrier{.cta}.arrive{.aligned}", Barrier::Arrive, BARRIER),
    barrier(
        "barrier{.cta}.red{.aligned}.popc{.aligned}.u32",
        Barrier::ReduceCount,
        reduction(Type::U32),
    ),
    barrier(
        "barrier{.cta}.red{.aligned}.and{.aligned}.pred",
        Barrier::ReduceAnd,
        reduction(Type::Pred),
    ),
    barrier(
        "barrier{.cta}.red{.aligned}.or{.aligned}.pred",
        Barrier::ReduceOr,
        reduction(Type::Pred),
    ),
    Opcode::new(
        "barrier.cluster.arrive{.release|.relaxed}{.aligned}",
        CLUSTER,
    )
    .imm(Barrier::ClusterArrive as u64)
    .since(90),
    Opcode::new("barrier.cluster.wait{.acquire}{.aligned}", CLUSTER)
        .imm(Barrier::ClusterWait as u64)
        .since(90),
];

/// A fence between memory operations.
pub(crate) const FENCE: Opcode = Opcode::new("membar.[cta|gl|gpu|sys]", Code::new(address::fence));

const FENCES: &[Opcode] = &[
    FENCE,
    Opcode::new(
        "fence{.sc|.acq_rel|.acquire|.release}{.sync_restrict::shared::cta|.sync_restrict::shared::cluster}.[cta|cluster|gpu|sys]",
        FENCE.code,
    )
    .since(70),
    Opcode::new("fence.mbarrier_init.release.cluster", FENCE.code).since(90),
    // All proxies are the same memory here.
    Opcode::new("fence.proxy*", FENCE.code).form(Form::Bare).since(70),
    Opcode::new("membar.proxy*", FENCE.code).form(Form::Bare),
];

const NOTHING: Code = Code::new(run::nothing);

const HINTS: &[Opcode] = &[
    Opcode::new("pmevent{.mask}", NOTHING).form(Form::Nothing),
    Opcode::new("setmaxnreg.[inc|dec].sync.aligned.u32", NOTHING)
        .form(Form::Nothing)
        .specific(90),
    Opcode::new("griddepcontrol.[launch_dependents|wait]", NOTHING)
        .form(Form::Nothing)
        .since(90),
    // The address is ignored. A GPU also ignores invalid addresses.
    Opcode::new("prefetch*", NOTHING).form(Form::Nothing),
    Opcode::new("prefetchu*", NOTHING).form(Form::Nothing),
    Opcode::new("discard*", NOTHING)
        .form(Form::Nothing)
        .since(80),
    Opcode::new("applypriority*", NOTHING)
        .form(Form::Nothing)
        .since(80),
];
