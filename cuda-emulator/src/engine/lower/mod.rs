//! From syntax tree to [`Program`]: names are resolved, instructions chosen, registers given their slots.

mod allocate;
mod arithmetic;
mod atomic;
mod compare;
mod control;
mod convert;
mod copy;
mod float;
mod forms;
mod function;
mod half;
mod link;
mod mbarrier;
mod memory;
mod modifiers;
mod operands;
mod video;
mod warp;

pub(super) use link::link;
