//! The file format of a cached program.

use sha2::{Digest, Sha256};

use crate::code::program::CompiledProgram;

/// The first bytes of an entry. The digit is the version of the format.
const MAGIC: &[u8; 8] = b"CUDADIR3";

pub(super) fn encode(program: &CompiledProgram) -> Vec<u8> {
    let mut body = Vec::new();
    let mut part = |bytes: &[u8]| {
        body.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        body.extend_from_slice(bytes);
    };
    part(program.ptx.as_bytes());
    part(program.cubin.as_deref().unwrap_or_default());
    part(program.lto_ir.as_deref().unwrap_or_default());
    part(program.log.as_bytes());
    for (expression, lowered) in &program.lowered {
        part(expression.as_bytes());
        part(lowered.as_bytes());
    }
    let mut file = MAGIC.to_vec();
    file.extend_from_slice(&Sha256::digest(&body));
    file.extend_from_slice(&body);
    file
}

pub(super) fn decode(file: &[u8]) -> Option<CompiledProgram> {
    let (digest, mut body) = file.strip_prefix(MAGIC)?.split_at_checked(32)?;
    if *Sha256::digest(body) != *digest {
        return None;
    }
    let mut parts = Vec::new();
    while !body.is_empty() {
        let (length, rest) = body.split_first_chunk::<8>()?;
        let (part, rest) =
            rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        parts.push(part.to_vec());
        body = rest;
    }
    let mut parts = parts.into_iter();
    let mut text = || String::from_utf8(parts.next()?).ok();
    let ptx = text()?;
    let cubin = parts.next()?;
    let lto_ir = parts.next()?;
    let log = String::from_utf8(parts.next()?).ok()?;
    let mut lowered = Vec::new();
    while let Some(expression) = parts.next() {
        lowered.push((
            String::from_utf8(expression).ok()?,
            String::from_utf8(parts.next()?).ok()?,
        ));
    }
    let whole = |bytes: Vec<u8>| (!bytes.is_empty()).then_some(bytes);
    Some(CompiledProgram {
        ptx,
        cubin: whole(cubin),
        lto_ir: whole(lto_ir),
        log,
        lowered,
        precompiled: None,
        from_cache: true,
        sources: Default::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> CompiledProgram {
        CompiledProgram {
            ptx: ".version 8.0".into(),
            cubin: Some(vec![1, 2, 3]),
            lto_ir: Some(vec![4, 5]),
            log: "a warning".into(),
            lowered: vec![("f<int>".into(), "_Z1fIiEvv".into())],
            precompiled: None,
            from_cache: false,
            sources: Default::default(),
        }
    }

    #[test]
    fn decode_returns_the_encoded_program() {
        let entry = decode(&encode(&program())).unwrap();
        assert_eq!(entry.ptx, program().ptx);
        assert_eq!(entry.cubin, program().cubin);
        assert_eq!(entry.lto_ir, program().lto_ir);
        assert_eq!(entry.log, program().log);
        assert_eq!(entry.lowered, program().lowered);
        assert!(entry.from_cache);
    }

    #[test]
    fn decode_detects_damage() {
        let file = encode(&program());
        for length in 0..file.len() {
            assert!(decode(&file[..length]).is_none(), "cut to {length}");
        }
        for at in 0..file.len() {
            let mut damaged = file.clone();
            damaged[at] ^= 1;
            assert!(decode(&damaged).is_none(), "bit flipped in byte {at}");
        }
    }
}
