//! Textures and surfaces.

use crate::ir::{Code, Faults, Form, Opcode, Role};
use crate::memory::{query, surface, texture};
use crate::ptx::Type;
use crate::warp::control;

pub(super) const LISTS: &[&[Opcode]] = &[TEXTURES, SURFACES];

/// Invalid handles, freed texels, and coordinates that trap.
const FAULTS: Faults = Faults::ADDRESS;

/// Lowered to one of the entries below.
const fn written(name: &'static str, form: Form) -> Opcode {
    Opcode::new(name, Code::new(control::nothing).faults(FAULTS)).form(form)
}

macro_rules! geometries {
    () => {
        ".[1d|2d|3d|a1d|a2d|cube|acube]"
    };
}

const TEXTURES: &[Opcode] = &[
    written(
        concat!("tex{.level|.grad}", geometries!(), ".v4.[f32|u32|s32].f32"),
        Form::Texture,
    ),
    written("tex.[1d|2d|3d|a1d|a2d].v4.[f32|u32|s32].s32", Form::Texture),
    written("tld4.[r|g|b|a].2d.v4.[f32|u32|s32].f32", Form::Texture),
    written("txq{.level}.[width|height|depth].b32", Form::TextureQuery),
];

const SURFACES: &[Opcode] = &[
    written(
        "suld.b.[1d|2d|3d|a1d|a2d]{.ca|.cg|.cs|.cv}{.v2|.v4}.[b8|b16|b32|b64].[trap|clamp|zero]",
        Form::Surface,
    ),
    written(
        "sust.b.[1d|2d|3d|a1d|a2d]{.wb|.cg|.cs|.wt}{.v2|.v4}.[b8|b16|b32|b64].[trap|clamp|zero]",
        Form::Surface,
    ),
    written(
        "sust.p.[1d|2d|3d|a1d|a2d]{.wb|.cg|.cs|.wt}{.v2|.v4}.b32.[trap|clamp|zero]",
        Form::Surface,
    ),
    written(
        "sured.b.add.[1d|2d|3d].[u32|u64|s32].[trap|clamp|zero]",
        Form::Surface,
    ),
    written(
        "sured.b.[min|max].[1d|2d|3d].[u32|s32|u64|s64].[trap|clamp|zero]",
        Form::Surface,
    ),
    written(
        "sured.b.[and|or].[1d|2d|3d].b32.[trap|clamp|zero]",
        Form::Surface,
    ),
    written(
        "sured.p.[add|min|max|and|or].[1d|2d|3d].b32.[trap|clamp|zero]",
        Form::Surface,
    ),
    written(
        "sured.p.[min|max].[1d|2d|3d].b64.[trap|clamp|zero]",
        Form::Surface,
    ),
    written("suq.[width|height|depth].b32", Form::SurfaceQuery),
    Opcode::new(
        "istypep.[texref|samplerref|surfref]",
        Code {
            d: Role::Write(Type::Pred),
            a: Role::Read(Type::B64),
            ..Code::new(query::is_type)
        },
    ),
];

/// `tex` and `tld4`, encoded in `imm`. The operands are in the list `x`.
pub(crate) const SAMPLE: Opcode = Opcode::internal(
    "tex",
    Code {
        x: Role::List,
        imm: true,
        ..Code::new(texture::sample).faults(FAULTS)
    },
);

/// `suld`, `sust` and `sured`, encoded in `imm`. The operands are in the list `x`.
pub(crate) const SURFACE: Opcode = Opcode::internal(
    "surface",
    Code {
        x: Role::List,
        imm: true,
        ..Code::new(surface::access).faults(FAULTS)
    },
);

/// Queries the texture or surface at `a`, level `b`. `imm` selects the property.
pub(crate) const QUERY: Opcode = Opcode::internal(
    "txq",
    Code {
        d: Role::Write(Type::B32),
        a: Role::Read(Type::B64),
        b: Role::Read(Type::B32),
        imm: true,
        ..Code::new(query::ask).faults(FAULTS)
    },
);
