//! From syntax tree to [`Program`]: names are resolved, instructions chosen, registers given their slots.

mod allocate;
mod atomic;
mod bits;
mod compare;
mod control;
mod convert;
mod copy;
mod forms;
mod function;
mod link;
mod mbarrier;
mod memory;
mod modifiers;
mod operands;
mod warp;

pub(super) use link::link;
