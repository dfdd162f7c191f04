//! Warp-wide operations.

use crate::ir::{Code, Faults, Form, Opcode, Role};
use crate::ptx::Type;
use crate::warp::exchange::{ABS, ACTIVE, Kind, NAN, WIDE, active_mask, pack, shuffle, together};

pub(super) const LISTS: &[&[Opcode]] = &[SHUFFLE, VOTE, MATCH, REDUCE, OTHER];

/// An operation on a value `a` of each lane. `x` is the mask of participating lanes.
const fn value(ty: Type, d: Type) -> Code {
    Code {
        d: Role::Write(d),
        a: Role::Read(ty),
        x: Role::Read(Type::U32),
        imm: true,
        ..Code::new(together).faults(Faults::ILLEGAL)
    }
}

const fn warp(name: &'static str, kind: Kind, variant: u64, code: Code) -> Opcode {
    Opcode::new(name, code)
        .form(Form::Warp)
        .imm(pack(kind, variant))
}

/// Without a member mask, the lanes that execute the instruction together participate.
const fn active(name: &'static str, kind: Kind, code: Code) -> Opcode {
    let code = Code {
        x: Role::Unused,
        ..code
    };
    warp(name, kind, ACTIVE, code)
}

/// The fields of a shuffle.
const fn shuffled(code: Code) -> Code {
    Code {
        d: Role::Write(Type::U32),
        y: Role::Write(Type::Pred),
        a: Role::Read(Type::U32),
        b: Role::Read(Type::U32),
        c: Role::Read(Type::U32),
        x: Role::Read(Type::U32),
        imm: true,
        ..code.faults(Faults::ILLEGAL)
    }
}

const OLD_SHUFFLE: Code = shuffled(Code::new(together));

const SHUFFLE: &[Opcode] = &[
    warp(
        "shfl.sync.up.b32",
        Kind::ShuffleUp,
        0,
        shuffled(shuffle::<0>()),
    ),
    warp(
        "shfl.sync.down.b32",
        Kind::ShuffleDown,
        0,
        shuffled(shuffle::<1>()),
    ),
    warp(
        "shfl.sync.bfly.b32",
        Kind::ShuffleButterfly,
        0,
        shuffled(shuffle::<2>()),
    ),
    warp(
        "shfl.sync.idx.b32",
        Kind::ShuffleIndex,
        0,
        shuffled(shuffle::<3>()),
    ),
    active("shfl.up.b32", Kind::ShuffleUp, OLD_SHUFFLE),
    active("shfl.down.b32", Kind::ShuffleDown, OLD_SHUFFLE),
    active("shfl.bfly.b32", Kind::ShuffleButterfly, OLD_SHUFFLE),
    active("shfl.idx.b32", Kind::ShuffleIndex, OLD_SHUFFLE),
];

/// A predicate of each lane, flipped by `b`.
const fn ballot(d: Type) -> Code {
    Code {
        b: Role::Number,
        ..value(Type::Pred, d)
    }
}

const VOTE: &[Opcode] = &[
    warp("vote.sync.all.pred", Kind::VoteAll, 0, ballot(Type::Pred)),
    warp("vote.sync.any.pred", Kind::VoteAny, 0, ballot(Type::Pred)),
    warp(
        "vote.sync.uni.pred",
        Kind::VoteUniform,
        0,
        ballot(Type::Pred),
    ),
    warp(
        "vote.sync.ballot.b32",
        Kind::VoteBallot,
        0,
        ballot(Type::B32),
    ),
    active("vote.all.pred", Kind::VoteAll, ballot(Type::Pred)),
    active("vote.any.pred", Kind::VoteAny, ballot(Type::Pred)),
    active("vote.uni.pred", Kind::VoteUniform, ballot(Type::Pred)),
    active("vote.ballot.b32", Kind::VoteBallot, ballot(Type::B32)),
];

/// With a predicate as the second result.
const fn flagged(code: Code) -> Code {
    Code {
        y: Role::Write(Type::Pred),
        ..code
    }
}

const MATCH: &[Opcode] = &[
    warp(
        "match.any.sync.b32",
        Kind::MatchAny,
        0,
        value(Type::B32, Type::B32),
    )
    .since(70),
    warp(
        "match.any.sync.b64",
        Kind::MatchAny,
        WIDE,
        value(Type::B64, Type::B32),
    )
    .since(70),
    warp(
        "match.all.sync.b32",
        Kind::MatchAll,
        0,
        flagged(value(Type::B32, Type::B32)),
    )
    .since(70),
    warp(
        "match.all.sync.b64",
        Kind::MatchAll,
        WIDE,
        flagged(value(Type::B64, Type::B32)),
    )
    .since(70),
];

const INTEGER: Code = value(Type::B32, Type::B32);
const FLOAT: Code = value(Type::F32, Type::F32);

const REDUCE: &[Opcode] = &[
    warp("redux.sync.add.[u32|s32]", Kind::ReduceAdd, 0, INTEGER).since(80),
    warp("redux.sync.min.u32", Kind::ReduceMinU, 0, INTEGER).since(80),
    warp("redux.sync.max.u32", Kind::ReduceMaxU, 0, INTEGER).since(80),
    warp("redux.sync.min.s32", Kind::ReduceMinS, 0, INTEGER).since(80),
    warp("redux.sync.max.s32", Kind::ReduceMaxS, 0, INTEGER).since(80),
    warp("redux.sync.and.b32", Kind::ReduceAnd, 0, INTEGER).since(80),
    warp("redux.sync.or.b32", Kind::ReduceOr, 0, INTEGER).since(80),
    warp("redux.sync.xor.b32", Kind::ReduceXor, 0, INTEGER).since(80),
    warp("redux.sync.min.f32", Kind::ReduceMinF, 0, FLOAT).since(100),
    warp("redux.sync.min.NaN.f32", Kind::ReduceMinF, NAN, FLOAT).since(100),
    warp("redux.sync.min.abs.f32", Kind::ReduceMinF, ABS, FLOAT).since(100),
    warp(
        "redux.sync.min.abs.NaN.f32",
        Kind::ReduceMinF,
        ABS | NAN,
        FLOAT,
    )
    .since(100),
    warp("redux.sync.max.f32", Kind::ReduceMaxF, 0, FLOAT).since(100),
    warp("redux.sync.max.NaN.f32", Kind::ReduceMaxF, NAN, FLOAT).since(100),
    warp("redux.sync.max.abs.f32", Kind::ReduceMaxF, ABS, FLOAT).since(100),
    warp(
        "redux.sync.max.abs.NaN.f32",
        Kind::ReduceMaxF,
        ABS | NAN,
        FLOAT,
    )
    .since(100),
];

const OTHER: &[Opcode] = &[
    Opcode::new(
        "activemask.b32",
        Code {
            d: Role::Write(Type::B32),
            ..Code::new(active_mask)
        },
    ),
    warp(
        "elect.sync",
        Kind::Elect,
        0,
        Code {
            a: Role::Unused,
            ..flagged(INTEGER)
        },
    )
    .since(90),
    warp(
        "bar.warp.sync",
        Kind::Barrier,
        0,
        Code {
            d: Role::Unused,
            a: Role::Unused,
            ..INTEGER
        },
    ),
];
