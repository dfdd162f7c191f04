//! The launchers, and the information of one about this process.

use std::fmt;

/// The launcher of this process, and the variables that it sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Launcher {
    /// The user: `CUDA_NCCL_RANK`, `CUDA_NCCL_SIZE`, `CUDA_NCCL_ADDRESS`, and
    /// `CUDA_NCCL_LOCAL_RANK` for the devices of each host.
    Manual,
    /// PyTorch's `torchrun`, or a script that sets the same variables: `RANK`, `WORLD_SIZE`,
    /// `LOCAL_RANK`, `MASTER_ADDR`, `MASTER_PORT`.
    Torchrun,
    /// `mpirun` of Open MPI: `OMPI_COMM_WORLD_RANK`, `OMPI_COMM_WORLD_SIZE`,
    /// `OMPI_COMM_WORLD_LOCAL_RANK`.
    OpenMpi,
    /// `mpirun` or `mpiexec` of MPICH, Intel MPI and other launchers based on Hydra: `PMI_RANK`,
    /// `PMI_SIZE`, `MPI_LOCALRANKID`.
    Hydra,
    /// `srun` of Slurm: `SLURM_PROCID`, `SLURM_STEP_NUM_TASKS`, `SLURM_LOCALID`.
    Slurm,
}

impl fmt::Display for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Manual => "by hand",
            Self::Torchrun => "torchrun",
            Self::OpenMpi => "mpirun (Open MPI)",
            Self::Hydra => "mpirun (MPICH, Intel MPI)",
            Self::Slurm => "srun",
        })
    }
}

/// A launcher's information about this process.
pub(super) struct Found {
    pub(super) launcher: Launcher,
    pub(super) rank: usize,
    pub(super) size: usize,
    pub(super) local_rank: usize,
    pub(super) local_size: Option<usize>,
}
