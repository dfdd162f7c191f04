//! Loads and stores of single values. The address is resolved separately, so there is one function
//! for each kind of data.

use crate::lanes::arithmetic::{Reg, write, write_some};
use crate::memory::reach::{Hosts, Reach, Way};
use crate::memory::transfer::{Mem, Widen, copy_run, load_some, masked, store_some};
use crate::state::context::Ctx;
use crate::state::op::each;
use crate::state::op::{Exec, FULL, Flow, LANES, Op};

/// An instruction's code for the baseline processor, and for one with AVX2.
pub(crate) type Pair = (Exec, Exec);

/// Defines a constructor of instructions that move data.
macro_rules! memory_instruction {
    ($(#[$doc:meta])* $name:ident<$($g:ident : $($bound:path)|+),*; $w:ident> |$ctx:ident, $op:ident, $mask:ident| where [$($clause:tt)*] $body:block) => {
        $(#[$doc])*
        pub(crate) const fn $name<$($g),*>() -> Pair
        where $($g: $($bound +)+ 'static,)* $($clause)*
        {
            #[inline(always)]
            unsafe fn body<$($g,)* const $w: bool>($ctx: &mut Ctx<'_>, $op: &Op, $mask: u32) -> Flow
            where $($g: $($bound +)+ 'static,)* $($clause)*
            {
                // SAFETY: operands were encoded by the lowering for slots of these types.
                unsafe { $body }
                Flow::Next
            }
            unsafe fn plain<$($g),*>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow
            where $($g: $($bound +)+ 'static,)* $($clause)*
            {
                // SAFETY: guaranteed by the caller.
                unsafe { body::<$($g,)* false>(ctx, op, mask) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
            unsafe fn avx2<$($g),*>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow
            where $($g: $($bound +)+ 'static,)* $($clause)*
            {
                // SAFETY: guaranteed by the caller.
                unsafe { body::<$($g,)* true>(ctx, op, mask) }
            }
            #[cfg(target_arch = "x86_64")]
            return (plain::<$($g),*>, avx2::<$($g),*>);
            #[cfg(not(target_arch = "x86_64"))]
            return (plain::<$($g),*>, plain::<$($g),*>);
        }
    };
}
pub(crate) use memory_instruction;

memory_instruction! {
    /// `d = [a + imm]`. `c` selects the addressing, and `b` selects bytes that the checks
    /// ignore.
    load<T: Mem, D: Reg; W> |ctx, op, mask| where [T: Widen<D>] {
        let size = size_of::<T>();
        let bytes = size as u64;
        let reach = Reach::decode(op.c);
        let mut hosts = Hosts::uninit();
        let way = reach.find_fast::<W>(ctx, op, mask, bytes, reach.load(), &mut hosts);
        let d = ctx.at::<D::Slot>(op.d);
        match way {
            Way::Run(host) => {
                let whole = size == size_of::<D::Slot>() && size <= 8;
                if whole && mask == FULL {
                    copy_run::<W>(host, d as u64, LANES * size);
                } else if whole && masked::<W>(size) {
                    load_some(host, d as u64, mask);
                } else {
                    write_some(d, mask, |i| T::load_whole::<W>(host.wrapping_add(i as u64 * bytes)).widen().put());
                }
            }
            Way::Same(host) => {
                let value = T::load_whole::<W>(host).widen().put();
                write(d, mask, |_| value);
            }
            Way::Lanes => {
                let hosts = hosts.assume_init_ref();
                write_some(d, mask, |i| T::load_whole::<W>(hosts[i]).widen().put());
            }
            Way::Fault => return Flow::Fault,
        }
    }
}

memory_instruction! {
    /// `[a + imm] = b`. `c` selects the addressing.
    store<T: Mem, D: Reg; W> |ctx, op, mask| where [D: Widen<T>] {
        let size = size_of::<T>();
        let bytes = size as u64;
        let reach = Reach::decode(op.c);
        let mut hosts = Hosts::uninit();
        let way = reach.find_fast::<W>(ctx, op, mask, bytes, reach.store(), &mut hosts);
        let b = ctx.at::<D::Slot>(op.b);
        match way {
            Way::Run(host) => {
                let whole = size == size_of::<D::Slot>() && size <= 8;
                if whole && mask == FULL {
                    copy_run::<W>(b as u64, host, LANES * size);
                } else if whole && masked::<W>(size) {
                    store_some(b as u64, host, mask);
                } else {
                    each(mask, |i| D::get(*b.add(i)).widen().store_whole::<W>(host.wrapping_add(i as u64 * bytes)));
                }
            }
            Way::Lanes => {
                let hosts = hosts.assume_init_ref();
                each(mask, |i| D::get(*b.add(i)).widen().store_whole::<W>(hosts[i]));
            }
            // Of stores to the same address, the last one would remain, but `Reach::find` does not
            // report them.
            Way::Same(host) => each(mask, |i| D::get(*b.add(i)).widen().store_whole::<W>(host)),
            Way::Fault => return Flow::Fault,
        }
    }
}

memory_instruction! {
    /// `d = parameter buffer [imm]`, the same for every lane.
    load_param<T: Mem, D: Reg; W> |ctx, op, mask| where [T: Widen<D>] {
        let value = T::load(ctx.launch.params().0 + op.imm).widen().put();
        write(ctx.at::<D::Slot>(op.d), mask, |_| value);
    }
}

memory_instruction! {
    /// `d = [a + lane * b + imm]` in the frame, for a function's parameter.
    load_frame<T: Mem, D: Reg; W> |ctx, op, mask| where [T: Widen<D>] {
        let a = ctx.at::<u8>(op.a) as u64 + op.imm;
        write_some(ctx.at::<D::Slot>(op.d), mask, |i| T::load(a + i as u64 * u64::from(op.b)).widen().put());
    }
}

memory_instruction! {
    /// `[a + lane * c + imm] = b` in the frame.
    store_frame<T: Mem, D: Reg; W> |ctx, op, mask| where [D: Widen<T>] {
        let a = ctx.at::<u8>(op.a) as u64 + op.imm;
        let b = ctx.at::<D::Slot>(op.b);
        each(mask, |i| D::get(*b.add(i)).widen().store(a + i as u64 * u64::from(op.c)));
    }
}
