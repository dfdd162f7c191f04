//! The rank of this process, read from the launcher's environment variables.

mod address;
mod exchange;
mod find;
mod found;
mod nodes;
mod secret;
mod start;
#[cfg(test)]
mod tests;
mod variables;

use std::{fmt, time::Duration};

use self::{address::Address, secret::Secret, variables::Variables};
pub use self::{found::Launcher, start::start};
use crate::error::{Error, Result};

/// The rank of this process in a job, its launcher, and the address where the job's processes meet.
///
/// ```
/// use cuda_nccl::{Launch, Launcher};
///
/// // The variables that `mpirun -n 2` of Open MPI sets for its second process:
/// let variables = |name: &str| {
///     let value = match name {
///         "OMPI_COMM_WORLD_RANK" | "OMPI_COMM_WORLD_LOCAL_RANK" => "1",
///         "OMPI_COMM_WORLD_SIZE" | "OMPI_COMM_WORLD_LOCAL_SIZE" => "2",
///         "PMIX_NAMESPACE" => "prterun-node-4711@1",
///         _ => return None,
///     };
///     Some(value.to_owned())
/// };
/// let launch = Launch::read(&variables)?.expect("started by mpirun");
/// assert_eq!((launch.launcher, launch.rank, launch.size), (Launcher::OpenMpi, 1, 2));
/// # Ok::<(), cuda_nccl::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Launch {
    /// The launcher of this process.
    pub launcher: Launcher,
    /// The rank of this process, counted from 0.
    pub rank: usize,
    /// The number of processes.
    pub size: usize,
    /// The rank of this process among the processes on its host, counted from 0.
    pub local_rank: usize,
    /// The number of processes on this host, if the launcher reports it.
    pub local_size: Option<usize>,
    /// The address where the processes meet, or the reason why it is unknown.
    address: Result<Address, String>,
    /// The shared secret, or the reason why there is none.
    secret: Result<Secret, String>,
    /// Whether `NCCL_COMM_ID` is set, so that the ranks use NCCL's own bootstrap.
    nccl_bootstrap: bool,
}

impl Launch {
    /// Reads the environment of this process. Returns `None` if no launcher started it.
    ///
    /// # Errors
    /// Returns [`Error::Start`](crate::Error::Start) if a variable is missing, is not a number, or
    /// contradicts another.
    pub fn from_env() -> Result<Option<Self>> {
        Self::read(&|name| match name {
            // Under Hydra, only the parent process distinguishes the processes of one job on a host
            // from those of another.
            find::PARENT => parent(),
            _ => Some(std::env::var_os(name)?.to_string_lossy().into_owned()),
        })
    }

    /// Reads variables from `lookup`, which returns the value of each.
    ///
    /// If several launchers are nested, the innermost counts: first the variables set by hand, then
    /// `torchrun`, `mpirun` and `srun`. If `torchrun` did not set `RANK` and `WORLD_SIZE` (it also
    /// sets `TORCHELASTIC_RUN_ID`), they must agree with the variables of `mpirun` and `srun`. The
    /// variables set by hand always take precedence.
    ///
    /// # Errors
    /// Returns the errors of [`from_env`](Self::from_env).
    pub fn read(lookup: &dyn Fn(&str) -> Option<String>) -> Result<Option<Self>> {
        let variables = Variables::new(lookup);
        let Some(found) = find::find(&variables)? else {
            return Ok(None);
        };
        let identity = find::identity(&variables, found.launcher);
        let address = address::find_address(&variables, &found, &identity);
        let secret = secret::secret(&variables, found.launcher, address.as_ref().ok(), &identity);
        Ok(Some(Self {
            launcher: found.launcher,
            rank: found.rank,
            size: found.size,
            local_rank: found.local_rank,
            local_size: found.local_size,
            address,
            secret,
            nccl_bootstrap: variables.text("NCCL_COMM_ID").is_some(),
        }))
    }

    /// Returns the address where rank 0 listens for the others, as `host:port`.
    ///
    /// The first of these that is known is used: `CUDA_NCCL_ADDRESS`; `MASTER_ADDR` and
    /// `MASTER_PORT`; this host, if all ranks run on it; the first host of Slurm's list. Ranks
    /// started by hand need `CUDA_NCCL_ADDRESS`. If no variable names a port, one from 23000 to
    /// 30999 is derived from the job's number. If the agent of `torchrun` itself listens at
    /// `MASTER_PORT`, the next port is used (for 65535, the port before it).
    ///
    /// # Errors
    /// Returns [`Error::Start`](crate::Error::Start) if no variable names the address, or if its
    /// value is not a host and a port.
    pub fn address(&self) -> Result<String> {
        let address = self.address.as_ref();
        address
            .map(Address::to_string)
            .map_err(|why| Error::Start(why.clone()))
    }

    /// Calls `make` on rank 0, and returns its bytes on all ranks. All ranks must call this, and it
    /// returns when they have.
    ///
    /// Rank 0 listens at [`address`](Self::address) in the meantime. Each rank proves to rank 0
    /// that it knows the shared secret, and rank 0 proves the same to each rank (challenge and
    /// response with HMAC-SHA256). The secret is `CUDA_NCCL_SECRET`, with at least 16 characters.
    /// If the variable is not set, the secret is derived from variables that the launcher sets for
    /// all ranks of the job. **A derived secret keeps jobs apart, but protects nothing**: anyone
    /// who can see the job's number could take part. The bytes are authenticated but not encrypted.
    ///
    /// Rank 0 rejects other clients, and the ranks do not wait for slow ones. If a very large
    /// number of clients connect at once, rank 0 drops the silent ones. A rank whose connection was
    /// dropped connects again.
    ///
    /// # Errors
    /// - Returns [`Error::Start`](crate::Error::Start) if the address is unknown or in use; if no
    ///   rank 0 listens there within the limit; if the secrets differ; or if a rank does not arrive
    ///   within the limit, joins twice, or has a different number of ranks. Rank 0 reports its
    ///   findings to the other ranks.
    /// - Returns [`Error::Lost`](crate::Error::Lost) if a rank ends during the exchange.
    /// - Returns the error of `make` on rank 0. The other ranks return
    ///   [`Error::Start`](crate::Error::Start) with its text, if they connect within five seconds.
    pub fn share_bytes(
        &self,
        limit: Duration,
        make: impl FnOnce() -> Result<Vec<u8>>,
    ) -> Result<Vec<u8>> {
        if self.size == 1 {
            return make();
        }
        let known = |why: &String| Error::Start(why.clone());
        let address = self.address.as_ref().map_err(known)?;
        let secret = self.secret.as_ref().map_err(known)?;
        exchange::share(address, secret, self.rank, self.size, limit, make)
    }
}

impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "rank {} of {}, {} of its host, started {}{}",
            self.rank,
            self.size,
            self.local_rank,
            if self.launcher == Launcher::Manual {
                ""
            } else {
                "by "
            },
            self.launcher
        )
    }
}

/// Returns the number of the parent process, which Windows does not record reliably.
fn parent() -> Option<String> {
    #[cfg(unix)]
    return Some(std::os::unix::process::parent_id().to_string());
    #[cfg(not(unix))]
    None
}
