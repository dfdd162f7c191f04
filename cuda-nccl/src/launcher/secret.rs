//! What the ranks prove to know.

use std::fmt;

use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::{Launcher, address::Meeting, variables::Variables};

const SECRET: &str = "CUDA_NCCL_SECRET";
const SHORTEST: usize = 16;

/// The shared secret. It is never shown.
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

    /// A code of these parts that only who knows the secret can make.
    pub(super) fn code(&self, parts: &[&[u8]]) -> [u8; 32] {
        self.mac(parts).finalize().into_bytes().into()
    }

    /// Whether the code is that of the parts. Takes the same time wherever it differs.
    pub(super) fn proves(&self, parts: &[&[u8]], code: &[u8]) -> bool {
        self.mac(parts).verify_slice(code).is_ok()
    }

    fn mac(&self, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut mac = Hmac::new_from_slice(&self.0).expect("keys of all lengths will do");
        for part in parts {
            mac.update(part);
        }
        mac
    }
}

pub(super) fn secret(
    variables: &Variables<'_>,
    launcher: Launcher,
    meeting: Option<&Meeting>,
    identity: &[String],
) -> Result<Secret, String> {
    if let Some(text) = variables.text(SECRET) {
        if text.len() < SHORTEST {
            return Err(format!(
                "{SECRET} has {} characters: give it at least {SHORTEST} that nobody can guess, as openssl rand -hex 16 prints",
                text.len()
            ));
        }
        return Ok(Secret::new(text));
    }
    let local = meeting.is_some_and(Meeting::is_local);
    if identity.is_empty() || (launcher == Launcher::ByHand && !local) {
        return Err(format!(
            "{SECRET} is not set, and no variable tells this job from others: set it for all ranks to the same text of at least \
             {SHORTEST} characters, as openssl rand -hex 16 prints"
        ));
    }
    Ok(Secret::new(format!("job\n{}", identity.join("\n"))))
}
