//! Packed 16-bit integers and the video instructions.

use crate::form::Form;
use crate::operand::{Operand::*, Width::*};

pub fn add(forms: &mut Vec<Form>) {
    for t in ["u16x2", "s16x2"] {
        for op in ["add", "min", "max"] {
            forms.push(Form::new(format!("{op}.{t}"), &[I16x2; 2], &[B32]).in_programs());
        }
    }
    for op in ["min", "max"] {
        forms.push(Form::new(format!("{op}.relu.s16x2"), &[I16x2; 2], &[B32]).in_programs());
    }
    let three = [I32; 3];
    for op in ["vadd", "vsub", "vabsdiff", "vmin", "vmax"] {
        for sat in ["", ".sat"] {
            let name = format!("{op}.s32.u32.s32{sat}");
            forms.push(Form::new(name, &[I32; 2], &[B32]));
        }
        let form = Form::new(format!("{op}.u32.u32.u32 b1 h0"), &[I32; 2], &[B32]);
        let body = format!("{op}.u32.u32.u32 %d0, %a0.b1, %a1.h0;");
        forms.push(form.body(body));
        let form = Form::new(format!("{op}.s32.s32.s32 h1 b3 add"), &three, &[B32]);
        let body = format!("{op}.s32.s32.s32.add %d0, %a0.h1, %a1.b3, %a2;");
        forms.push(form.body(body));
    }
    for op in ["vshl", "vshr"] {
        for mode in ["clamp", "wrap"] {
            let name = format!("{op}.u32.u32.u32.{mode}");
            forms.push(Form::new(name, &[I32, Count], &[B32]));
        }
    }
    forms.push(Form::new("vmad.s32.s32.s32", &three, &[B32]));
    forms.push(Form::new("vset.s32.u32.lt", &[I32; 2], &[B32]));
    for lanes in ["2", "4"] {
        for t in ["s32", "u32"] {
            for op in ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"] {
                let name = format!("{op}{lanes}.{t}.{t}.{t}");
                forms.push(Form::new(name, &three, &[B32]));
            }
            let name = format!("vadd{lanes}.{t}.{t}.{t}.sat");
            forms.push(Form::new(name, &three, &[B32]));
            let name = format!("vabsdiff{lanes}.u32.{t}.{t}.add");
            forms.push(Form::new(name, &three, &[B32]));
            let name = format!("vset{lanes}.{t}.{t}.lt");
            forms.push(Form::new(name, &three, &[B32]));
        }
    }
}
