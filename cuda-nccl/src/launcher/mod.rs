//! Which rank this process is, as the launcher says it in environment variables.

mod address;
mod exchange;
mod find;
mod nodes;
mod secret;
mod start;
#[cfg(test)]
mod tests;
mod variables;

use std::{fmt, time::Duration};

pub use self::start::start;
use self::{address::Meeting, secret::Secret, variables::Variables};
use crate::error::{Error, Result};

/// Who started this process, and with which variables it says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Launcher {
    /// The user: `CUDA_NCCL_RANK`, `CUDA_NCCL_SIZE`, `CUDA_NCCL_ADDRESS`, and for each host's devices
    /// `CUDA_NCCL_LOCAL_RANK`.
    ByHand,
    /// PyTorch's `torchrun`, or a script that sets the same: `RANK`, `WORLD_SIZE`, `LOCAL_RANK`, `MASTER_ADDR`,
    /// `MASTER_PORT`.
    Torchrun,
    /// `mpirun` of Open MPI: `OMPI_COMM_WORLD_RANK`, `OMPI_COMM_WORLD_SIZE`, `OMPI_COMM_WORLD_LOCAL_RANK`.
    OpenMpi,
    /// `mpirun` or `mpiexec` of MPICH, Intel MPI and their relatives (Hydra): `PMI_RANK`, `PMI_SIZE`, `MPI_LOCALRANKID`.
    Hydra,
    /// `srun` of Slurm: `SLURM_PROCID`, `SLURM_STEP_NUM_TASKS`, `SLURM_LOCALID`.
    Slurm,
}

impl fmt::Display for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ByHand => "by hand",
            Self::Torchrun => "torchrun",
            Self::OpenMpi => "mpirun (Open MPI)",
            Self::Hydra => "mpirun (MPICH, Intel MPI)",
            Self::Slurm => "srun",
        })
    }
}

/// Which of how many processes this one is, who says so, and where they meet.
///
/// ```
/// use cuda_nccl::{Launch, Launcher};
///
/// // What `mpirun -n 2` of Open MPI sets for its second process:
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
    /// Who started this process.
    pub launcher: Launcher,
    /// Which process this is, from 0.
    pub rank: usize,
    /// The number of processes.
    pub size: usize,
    /// Which process of its host this is, from 0.
    pub local_rank: usize,
    /// The number of processes of this host, where the launcher says it.
    pub local_size: Option<usize>,
    /// Where the processes meet; or why that is not known.
    meeting: Result<Meeting, String>,
    /// What they prove to know; or why there is nothing.
    secret: Result<Secret, String>,
    /// Whether NCCL has been told where its ranks meet.
    nccl_bootstrap: bool,
}

impl Launch {
    /// What the environment of this process says; `None` where no launcher started it.
    ///
    /// # Errors
    /// [`Error::Start`](crate::Error::Start): variables that are missing, hold no number, or contradict each other.
    pub fn from_env() -> Result<Option<Self>> {
        Self::read(&|name| match name {
            // Hydra gives a host's processes nothing else in common that tells their job from others.
            find::PARENT => Some(parent()),
            _ => Some(std::env::var_os(name)?.to_string_lossy().into_owned()),
        })
    }

    /// The same with other variables: `lookup` gives what each holds.
    ///
    /// Where several launchers are nested, the innermost is meant: what is set by hand, then `torchrun`, then `mpirun`,
    /// then `srun`. If `RANK` and `WORLD_SIZE` were not set by `torchrun` (which sets `TORCHELASTIC_RUN_ID`), then they have to
    /// agree with those of `mpirun` and `srun`. What is set by hand counts in any case.
    ///
    /// # Errors
    /// As [`from_env`](Self::from_env).
    pub fn read(lookup: &dyn Fn(&str) -> Option<String>) -> Result<Option<Self>> {
        let variables = Variables::new(lookup);
        let Some(found) = find::find(&variables)? else {
            return Ok(None);
        };
        let identity = find::identity(&variables, found.launcher);
        let meeting = address::meeting(&variables, &found, &identity);
        let secret = secret::secret(&variables, found.launcher, meeting.as_ref().ok(), &identity);
        Ok(Some(Self {
            launcher: found.launcher,
            rank: found.rank,
            size: found.size,
            local_rank: found.local_rank,
            local_size: found.local_size,
            meeting,
            secret,
            nccl_bootstrap: variables.text("NCCL_COMM_ID").is_some(),
        }))
    }

    /// Where rank 0 listens for the others, as `host:port`.
    ///
    /// It is the first of these that is known: `CUDA_NCCL_ADDRESS`; `MASTER_ADDR` and `MASTER_PORT`; this host, if all
    /// ranks are there; the first host of Slurm's list. Ranks by hand need `CUDA_NCCL_ADDRESS`. Where no variable names a port,
    /// it follows from the job's number: one from 23000 to 30999. The agent of `torchrun` listens at `MASTER_PORT` itself: then
    /// it is the port after that, or before it for 65535.
    ///
    /// # Errors
    /// [`Error::Start`](crate::Error::Start) where nothing says it, or not as a host and a port.
    pub fn address(&self) -> Result<String> {
        let meeting = self.meeting.as_ref();
        meeting
            .map(Meeting::to_string)
            .map_err(|why| Error::Start(why.clone()))
    }

    /// Gives all ranks the bytes that `make` returns on rank 0, where alone it is called. All ranks call this; it returns
    /// when they have.
    ///
    /// Rank 0 listens at [`address`](Self::address) meanwhile. Each rank proves to know the shared secret, and so does rank 0
    /// (challenge and response with HMAC-SHA256). The secret is `CUDA_NCCL_SECRET`, at least 16 characters; without it
    /// something is derived from what the launcher tells all ranks of the job. **That keeps jobs apart, and is no secret**: who
    /// can see the job's number could take part. The bytes are authenticated and not encrypted.
    ///
    /// Rank 0 turns foreign clients away, slow ones too, and the ranks don't wait for them. When very many clients come at once,
    /// the silent ones make room. A rank that had to make room connects again.
    ///
    /// # Errors
    /// - [`Error::Start`](crate::Error::Start): nothing says where to meet; the address is in use, or nobody listens there
    ///   within the limit; another secret; ranks that have not come within the limit, that come twice, or with another
    ///   number of ranks. Rank 0 tells the others what it found.
    /// - [`Error::Lost`](crate::Error::Lost): a rank ended meanwhile.
    /// - On rank 0 the error of `make`. The other ranks have [`Error::Start`](crate::Error::Start) with its text, if they come
    ///   within five seconds.
    pub fn share_bytes(
        &self,
        limit: Duration,
        make: impl FnOnce() -> Result<Vec<u8>>,
    ) -> Result<Vec<u8>> {
        if self.size == 1 {
            return make();
        }
        let known = |why: &String| Error::Start(why.clone());
        let meeting = self.meeting.as_ref().map_err(known)?;
        let secret = self.secret.as_ref().map_err(known)?;
        exchange::share(meeting, secret, self.rank, self.size, limit, make)
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
            if self.launcher == Launcher::ByHand {
                ""
            } else {
                "by "
            },
            self.launcher
        )
    }
}

fn parent() -> String {
    std::os::unix::process::parent_id().to_string()
}
