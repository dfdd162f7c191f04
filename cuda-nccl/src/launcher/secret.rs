//! The secret that all ranks of a job share.

use std::fmt;

use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::{address::Address, found::Launcher, variables::Variables};

const SECRET: &str = "CUDA_NCCL_SECRET";
const SHORTEST: usize = 16;

/// The shared secret. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Secret(Vec<u8>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    pub(super) fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// Returns an authentication code of the parts, which only ranks that know the secret can
    /// compute.
    pub(super) fn code(&self, parts: &[&[u8]]) -> [u8; 32] {
        self.mac(parts).finalize().into_bytes().into()
    }

    /// Returns whether the code matches the parts, in constant time.
    pub(super) fn proves(&self, parts: &[&[u8]], code: &[u8]) -> bool {
        self.mac(parts).verify_slice(code).is_ok()
    }

    fn mac(&self, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut mac = Hmac::new_from_slice(&self.0).expect("HMAC accepts keys of any length");
        for part in parts {
            mac.update(part);
        }
        mac
    }
}

pub(super) fn secret(
    variables: &Variables<'_>,
    launcher: Launcher,
    address: Option<&Address>,
    identity: &[String],
) -> Result<Secret, String> {
    if let Some(text) = variables.text(SECRET) {
        if text.len() < SHORTEST {
            return Err(format!(
                "{SECRET} has {} characters, but must have at least {SHORTEST}. Fix: use the output of openssl rand -hex 16",
                text.len()
            ));
        }
        return Ok(Secret::new(text));
    }
    let local = address.is_some_and(Address::is_local);
    if identity.is_empty() || (launcher == Launcher::Manual && !local) {
        return Err(format!(
            "{SECRET} is not set, and no variable distinguishes this job from others. Fix: set it on all ranks to the same text \
             of at least {SHORTEST} characters, such as the output of openssl rand -hex 16"
        ));
    }
    Ok(Secret::new(format!("job\n{}", identity.join("\n"))))
}
