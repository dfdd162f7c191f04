//! Functions that the engine provides: `vprintf`, `__assertfail`, `malloc`, `free`.

use crate::boundary::FaultKind;
use crate::memory::resolve::{Mem, resolve};
use crate::program::Slice;
use crate::state::context::Ctx;
use crate::state::op::{Flow, Op};
use crate::state::shadow::allocate;
use crate::state::special::thread_index;
use crate::state::touch::space;

/// Maximum length of a string read from device memory.
const MAX_STRING: u64 = 1 << 20;
/// Maximum field width or precision in a format.
const MAX_WIDTH: usize = 4096;

/// Returns a 64-bit or 32-bit argument of the call.
pub(super) fn argument(ctx: &Ctx<'_>, slice: Slice, lane: u32) -> u64 {
    let at = ctx.bases[0] as u64 + u64::from(slice.offset) + u64::from(lane * slice.stride);
    // SAFETY: the slice is in the frame and aligned for its size.
    unsafe {
        if slice.size >= 8 {
            u64::load(at)
        } else {
            u64::from(u32::load(at))
        }
    }
}

pub(super) fn set_result(ctx: &Ctx<'_>, slice: Slice, lane: u32, value: u64) {
    let at = ctx.bases[0] as u64 + u64::from(slice.offset) + u64::from(lane * slice.stride);
    // SAFETY: the same as in `argument`.
    unsafe {
        if slice.size >= 8 {
            value.store(at)
        } else {
            (value as u32).store(at)
        }
    }
}

/// Reads a NUL-terminated string in generic memory.
fn string(ctx: &mut Ctx<'_>, lane: u32, address: u64) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for i in 0..MAX_STRING {
        let host = resolve(
            ctx,
            None,
            space::GENERIC,
            lane,
            address.wrapping_add(i),
            1,
            false,
        )?;
        // SAFETY: checked just now.
        match unsafe { u8::load(host) } {
            0 => break,
            byte => out.push(byte),
        }
    }
    Some(out)
}

/// Calls `f` for each lane, up to the first failure.
pub(super) fn lanes(mask: u32, mut f: impl FnMut(u32) -> Option<()>) -> Flow {
    let mut left = mask;
    while left != 0 {
        if f(left.trailing_zeros()).is_none() {
            return Flow::Fault;
        }
        left &= left - 1;
    }
    Flow::Next
}

/// `vprintf(format, arguments)`
pub(crate) unsafe fn print(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let site = &ctx.launch.program.sites[op.x as usize];
    lanes(mask, |lane| {
        let format = argument(ctx, site.arguments[0], lane);
        let data = argument(ctx, site.arguments[1], lane);
        let format = string(ctx, lane, format)?;
        let (text, count) = format_text(ctx, lane, &format, data)?;
        ctx.launch.device.print(&text);
        set_result(ctx, site.returns[0], lane, count);
        Some(())
    })
}

/// `__assertfail(message, file, line, function, size of a character)`
pub(crate) unsafe fn assert_fail(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let site = &ctx.launch.program.sites[op.x as usize];
    let lane = mask.trailing_zeros();
    let value: Vec<u64> = site
        .arguments
        .iter()
        .map(|&a| argument(ctx, a, lane))
        .collect();
    let mut text =
        |address| string(ctx, lane, address).map(|s| String::from_utf8_lossy(&s).into_owned());
    let (Some(message), Some(file), Some(function)) =
        (text(value[0]), text(value[1]), text(value[3]))
    else {
        return Flow::Fault;
    };
    let [bx, by, bz] = ctx.block;
    let [tx, ty, tz] = thread_index(ctx.warp * 32 + lane, ctx.launch.shape.block);
    let text = format!(
        "{file}:{}: {function}: block: [{bx},{by},{bz}], thread: [{tx},{ty},{tz}] Assertion `{message}` failed.",
        value[2] as u32
    );
    ctx.fail(FaultKind::Assert, lane, text)
}

/// `malloc(size)`
pub(crate) unsafe fn malloc(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let site = &ctx.launch.program.sites[op.x as usize];
    lanes(mask, |lane| {
        let size = argument(ctx, site.arguments[0], lane);
        let address = if size == 0 { 0 } else { allocate(ctx, size) };
        set_result(ctx, site.returns[0], lane, address);
        Some(())
    })
}

/// `free(address)`
pub(crate) unsafe fn free(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let site = &ctx.launch.program.sites[op.x as usize];
    let flow = lanes(mask, |lane| {
        let address = argument(ctx, site.arguments[0], lane);
        if address != 0 && !ctx.launch.device.free(address) {
            let text =
                format!("free of 0x{address:x}, which is not live memory from device-side malloc");
            ctx.fail(FaultKind::IllegalAddress, lane, text);
            return None;
        }
        Some(())
    });
    let generation = ctx.launch.device.generation();
    ctx.regions.refresh(generation);
    flow
}

/// A conversion of a format: flags, width, precision.
#[derive(Default)]
struct Spec {
    left: bool,
    plus: bool,
    blank: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

/// Expands a format. Returns the text and the number of arguments.
fn format_text(ctx: &mut Ctx<'_>, lane: u32, format: &[u8], data: u64) -> Option<(Vec<u8>, u64)> {
    let mut out = Vec::with_capacity(format.len() + 32);
    let (mut i, mut at, mut count) = (0, data, 0u64);
    while i < format.len() {
        if format[i] != b'%' {
            out.push(format[i]);
            i += 1;
            continue;
        }
        let start = i;
        i += 1;
        let mut spec = Spec::default();
        let peek = |i: usize| format.get(i).copied().unwrap_or(0);
        loop {
            match peek(i) {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.blank = true,
                b'#' => spec.alternate = true,
                b'0' => spec.zero = true,
                _ => break,
            }
            i += 1;
        }
        // Arguments are contiguous, each aligned to its size.
        let mut next = |ctx: &mut Ctx<'_>, size: u64| -> Option<u64> {
            at = at.next_multiple_of(size);
            let host = resolve(ctx, None, space::GENERIC, lane, at, size, false)?;
            at += size;
            count += 1;
            // SAFETY: checked just now.
            Some(unsafe {
                if size == 8 {
                    u64::load(host)
                } else {
                    u64::from(u32::load(host))
                }
            })
        };
        let mut number = |ctx: &mut Ctx<'_>, i: &mut usize| -> Option<Option<i64>> {
            if peek(*i) == b'*' {
                *i += 1;
                return Some(Some(i64::from(next(ctx, 4)? as i32)));
            }
            let mut value = None;
            while peek(*i).is_ascii_digit() {
                value = Some(
                    (value.unwrap_or(0i64) * 10 + i64::from(peek(*i) - b'0')).min(MAX_WIDTH as i64),
                );
                *i += 1;
            }
            Some(value)
        };
        if let Some(width) = number(ctx, &mut i)? {
            spec.left |= width < 0;
            spec.width = (width.unsigned_abs() as usize).min(MAX_WIDTH);
        }
        if peek(i) == b'.' {
            i += 1;
            let precision = number(ctx, &mut i)?.unwrap_or(0);
            spec.precision = usize::try_from(precision).ok().map(|p| p.min(MAX_WIDTH));
        }
        let mut long = 0;
        let mut short = 0;
        loop {
            match peek(i) {
                b'l' => long += 1,
                b'j' | b'z' | b't' => long = 2,
                b'h' => short += 1,
                b'L' | b'q' => long = 2,
                _ => break,
            }
            i += 1;
        }
        let conversion = peek(i);
        i += 1;
        let size = if long > 0 { 8 } else { 4 };
        match conversion {
            b'%' => out.push(b'%'),
            b'd' | b'i' => {
                let raw = next(ctx, size)?;
                let value = match (long > 0, short) {
                    (true, _) => raw as i64,
                    (_, 1) => i64::from(raw as i16),
                    (_, 0) => i64::from(raw as i32),
                    _ => i64::from(raw as i8),
                };
                let sign = if value < 0 {
                    "-"
                } else if spec.plus {
                    "+"
                } else if spec.blank {
                    " "
                } else {
                    ""
                };
                integer(&mut out, &spec, sign, value.unsigned_abs().to_string());
            }
            b'u' | b'x' | b'X' | b'o' => {
                let raw = next(ctx, size)?;
                let value = match (long > 0, short) {
                    (true, _) | (_, 0) => raw,
                    (_, 1) => raw & 0xffff,
                    _ => raw & 0xff,
                };
                let (prefix, digits) = match conversion {
                    b'u' => ("", value.to_string()),
                    b'x' => ("0x", format!("{value:x}")),
                    b'X' => ("0X", format!("{value:X}")),
                    _ => ("0", format!("{value:o}")),
                };
                let prefix = if spec.alternate && value != 0 {
                    prefix
                } else {
                    ""
                };
                integer(&mut out, &spec, prefix, digits);
            }
            b'p' => {
                let value = next(ctx, 8)?;
                pad(
                    &mut out,
                    &spec,
                    "",
                    format!("0x{value:x}").as_bytes(),
                    false,
                );
            }
            b'c' => {
                let value = next(ctx, 4)? as u8;
                pad(&mut out, &spec, "", &[value], false);
            }
            b's' => {
                let address = next(ctx, 8)?;
                let mut text = if address == 0 {
                    b"(null)".to_vec()
                } else {
                    string(ctx, lane, address)?
                };
                text.truncate(spec.precision.unwrap_or(usize::MAX));
                pad(&mut out, &spec, "", &text, false);
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let value = f64::from_bits(next(ctx, 8)?);
                float(&mut out, &spec, conversion, value);
            }
            b'n' => {
                next(ctx, 8)?;
            }
            _ => out.extend_from_slice(&format[start..i.min(format.len())]),
        }
    }
    Some((out, count))
}

fn pad(out: &mut Vec<u8>, spec: &Spec, prefix: &str, body: &[u8], zeros: bool) {
    let fill = spec.width.saturating_sub(prefix.len() + body.len());
    if !spec.left && !zeros {
        out.resize(out.len() + fill, b' ');
    }
    out.extend_from_slice(prefix.as_bytes());
    if !spec.left && zeros {
        out.resize(out.len() + fill, b'0');
    }
    out.extend_from_slice(body);
    if spec.left {
        out.resize(out.len() + fill, b' ');
    }
}

fn integer(out: &mut Vec<u8>, spec: &Spec, prefix: &str, mut digits: String) {
    if let Some(precision) = spec.precision {
        if precision == 0 && digits == "0" {
            digits.clear();
        }
        digits.insert_str(0, &"0".repeat(precision.saturating_sub(digits.len())));
    }
    pad(
        out,
        spec,
        prefix,
        digits.as_bytes(),
        spec.zero && spec.precision.is_none(),
    );
}

fn float(out: &mut Vec<u8>, spec: &Spec, conversion: u8, value: f64) {
    let upper = conversion.is_ascii_uppercase();
    let sign = if value.is_sign_negative() {
        "-"
    } else if spec.plus {
        "+"
    } else if spec.blank {
        " "
    } else {
        ""
    };
    let magnitude = value.abs();
    let precision = spec.precision.unwrap_or(6);
    let mut body = if !value.is_finite() {
        if value.is_nan() {
            "nan".into()
        } else {
            "inf".into()
        }
    } else {
        match conversion.to_ascii_lowercase() {
            b'f' => fixed(magnitude, precision, spec.alternate),
            b'e' => exponent(magnitude, precision, spec.alternate),
            b'a' => hexadecimal(magnitude, spec.precision),
            _ => {
                let significant = precision.max(1);
                let text = format!("{magnitude:.*e}", significant - 1);
                let power: i32 = text
                    .split_once('e')
                    .and_then(|(_, p)| p.parse().ok())
                    .unwrap_or(0);
                let mut body = if power < -4 || power >= significant as i32 {
                    exponent(magnitude, significant - 1, spec.alternate)
                } else {
                    fixed(
                        magnitude,
                        (significant as i32 - 1 - power).max(0) as usize,
                        spec.alternate,
                    )
                };
                if !spec.alternate {
                    let (mantissa, tail) = match body.find('e') {
                        Some(at) => (body[..at].to_string(), body[at..].to_string()),
                        None => (body, String::new()),
                    };
                    let mantissa = if mantissa.contains('.') {
                        mantissa.trim_end_matches('0').trim_end_matches('.')
                    } else {
                        &mantissa
                    };
                    body = format!("{mantissa}{tail}");
                }
                body
            }
        }
    };
    let mut prefix = sign.to_string();
    if conversion.eq_ignore_ascii_case(&b'a') && value.is_finite() {
        prefix += "0x";
    }
    if upper {
        body.make_ascii_uppercase();
        prefix.make_ascii_uppercase();
    }
    pad(
        out,
        spec,
        &prefix,
        body.as_bytes(),
        spec.zero && value.is_finite(),
    );
}

fn fixed(value: f64, precision: usize, point: bool) -> String {
    let mut text = format!("{value:.precision$}");
    if point && precision == 0 {
        text.push('.');
    }
    text
}

fn exponent(value: f64, precision: usize, point: bool) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    let point = if point && precision == 0 { "." } else { "" };
    format!(
        "{mantissa}{point}e{}{:02}",
        if power < 0 { '-' } else { '+' },
        power.abs()
    )
}

/// Returns the digits and exponent of `%a`, without the `0x`.
fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    let bits = value.to_bits();
    let (mut fraction, mut power) = (bits & ((1 << 52) - 1), (bits >> 52 & 0x7ff) as i32);
    let mut lead = u64::from(power != 0);
    power = if value == 0.0 {
        0
    } else if power == 0 {
        -1022
    } else {
        power - 1023
    };
    if let Some(p) = precision.filter(|&p| p < 13) {
        // Round to nearest even at the last digit.
        let drop = 52 - 4 * p as u32;
        let whole = lead << 52 | fraction;
        let half = 1u64 << (drop - 1);
        let rest = whole & ((1 << drop) - 1);
        let mut kept = whole >> drop;
        kept += u64::from(rest > half || rest == half && kept & 1 == 1);
        let whole = kept << drop;
        (lead, fraction) = (whole >> 52, whole & ((1 << 52) - 1));
    }
    let mut digits = format!("{fraction:013x}");
    match precision {
        Some(p) if p > 13 => digits.push_str(&"0".repeat(p - 13)),
        Some(p) => digits.truncate(p),
        None => digits.truncate(digits.trim_end_matches('0').len()),
    }
    let point = if digits.is_empty() { "" } else { "." };
    format!("{lead}{point}{digits}p{power:+}")
}
