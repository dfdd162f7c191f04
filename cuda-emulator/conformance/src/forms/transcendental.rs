//! Approximate instructions, compared within their documented error.

use crate::approximate::{
    Approximate, Format,
    Function::{self, *},
};
use crate::form::Form;
use crate::operand::Operand;

pub fn add(forms: &mut Vec<Form>) {
    let single: [(&str, Function); 7] = [
        ("rcp.approx", Rcp),
        ("sqrt.approx", Sqrt),
        ("rsqrt.approx", Rsqrt),
        ("sin.approx", Sin),
        ("cos.approx", Cos),
        ("lg2.approx", Lg2),
        ("ex2.approx", Ex2),
    ];
    for ftz in [false, true] {
        let suffix = if ftz { ".ftz" } else { "" };
        for (name, function) in single {
            push(
                forms,
                format!("{name}{suffix}.f32"),
                function,
                Format::F32,
                ftz,
            );
        }
        push(
            forms,
            format!("div.approx{suffix}.f32"),
            Div,
            Format::F32,
            ftz,
        );
        push(
            forms,
            format!("div.full{suffix}.f32"),
            DivFull,
            Format::F32,
            ftz,
        );
    }
    push(forms, "tanh.approx.f32".into(), Tanh, Format::F32, false);
    push(
        forms,
        "rcp.approx.ftz.f64".into(),
        RcpGross,
        Format::F64,
        true,
    );
    push(
        forms,
        "rsqrt.approx.ftz.f64".into(),
        RsqrtGross,
        Format::F64,
        true,
    );
    push(forms, "rsqrt.approx.f64".into(), Rsqrt, Format::F64, false);
    for (t, format) in [("f16", Format::F16), ("f16x2", Format::F16x2)] {
        push(forms, format!("ex2.approx.{t}"), Ex2, format, false);
        push(forms, format!("tanh.approx.{t}"), Tanh, format, false);
    }
    for (t, format) in [("bf16", Format::Bf16), ("bf16x2", Format::Bf16x2)] {
        push(forms, format!("ex2.approx.ftz.{t}"), Ex2, format, true);
        push(forms, format!("tanh.approx.{t}"), Tanh, format, false);
    }
}

fn push(forms: &mut Vec<Form>, name: String, function: Function, format: Format, ftz: bool) {
    let operand = match format {
        Format::F16 => Operand::F16,
        Format::F16x2 => Operand::F16x2,
        Format::Bf16 => Operand::Bf16,
        Format::Bf16x2 => Operand::Bf16x2,
        Format::F32 => Operand::F32,
        Format::F64 => Operand::F64,
    };
    let arity = if matches!(function, Div | DivFull) {
        2
    } else {
        1
    };
    let approximate = Approximate {
        function,
        format,
        ftz,
    };
    let form = Form::new(name, &vec![operand; arity], &[operand.width()]);
    forms.push(form.within(approximate).blocks(4));
}
