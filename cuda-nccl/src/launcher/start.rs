//! Creation of a communicator for a launched process.

use std::env;

use cuda_safe::{Context, Device};

use super::Launch;
use crate::{
    communicator::{Communicator, CommunicatorOptions, UniqueId},
    error::{Error, Result},
};

/// Creates this process's communicator. Returns when all ranks have joined.
///
/// It reads the rank from the variables of `mpirun`, `srun` or `torchrun`, or those set by the
/// user, and selects the device whose number is the rank's number on this host. Rank 0 sends NCCL's
/// unique id to the other ranks over TCP. Then all ranks create the communicator.
///
/// [The guide to starting](crate::guide::starting) contains the command lines.
///
/// ```no_run
/// use cuda_nccl::{Collectives, CommunicatorOptions, Reduction};
/// use cuda_safe::{DeviceBuffer, Stream};
///
/// # fn main() -> cuda_nccl::Result<()> {
/// let group = cuda_nccl::start(CommunicatorOptions::default())?; // mpirun -n 2 program
/// let stream = Stream::new(group.context())?;
/// let mut x = DeviceBuffer::from_slice(&stream, &[group.rank() as f32])?;
/// group.all_reduce(&stream, &mut x, Reduction::Sum)?;
/// group.wait(&stream)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns [`Error::Start`] if no launcher started this process. Otherwise returns the errors of
/// [`Launch::from_env`] and [`Launch::communicator`].
pub fn start(options: CommunicatorOptions) -> Result<Communicator> {
    let launch = Launch::from_env()?.ok_or_else(|| {
        Error::Start(
            "no launcher started this process (CUDA_NCCL_RANK, RANK, OMPI_COMM_WORLD_RANK, PMI_RANK and SLURM_STEP_NUM_TASKS \
             are not set). Fix: start it with mpirun, srun or torchrun, or set CUDA_NCCL_RANK, CUDA_NCCL_SIZE and \
             CUDA_NCCL_ADDRESS. In a single process, use all devices with Communicator::for_devices or PeerGroup"
                .to_owned(),
        )
    })?;
    launch.communicator(options)
}

impl Launch {
    /// Returns the device of this rank: the one with its number on this host, or the only visible
    /// one if the launcher shows each rank a single device (`CUDA_VISIBLE_DEVICES`).
    ///
    /// # Errors
    /// Returns [`Error::Start`] if this host has fewer devices than ranks, and [`Error::Cuda`] if
    /// there is no driver or no device.
    pub fn device(&self) -> Result<Device> {
        let devices = Device::all()?;
        let visible = env::var("CUDA_VISIBLE_DEVICES").ok();
        let ordinal = ordinal(self.local_rank, devices.len(), visible.as_deref())?;
        Ok(devices[ordinal])
    }

    /// Creates the rank's communicator on its [`device`](Self::device)'s primary context. All ranks
    /// must call this with the same options, and it returns when they have.
    ///
    /// The ranks get NCCL's unique id through [`share_bytes`](Self::share_bytes). If `NCCL_COMM_ID`
    /// is set, they use NCCL's own bootstrap instead: its value is the `host:port` where rank 0
    /// listens, the same for all ranks, and no secret is used.
    ///
    /// # Errors
    /// Returns [`Error::Missing`] or [`Error::Unsupported`] if [NCCL cannot be
    /// used](crate::Library::get), and the errors of [`device`](Self::device),
    /// [`share_bytes`](Self::share_bytes) and [`Communicator::new`]. The time limit of the options
    /// applies to each of these steps.
    pub fn communicator(&self, options: CommunicatorOptions) -> Result<Communicator> {
        // Errors of this rank are found before the others wait for it. Rank 0 reports its errors to
        // them.
        let context =
            crate::library::Library::get().and_then(|_| Ok(Context::primary_of(self.device()?)?));
        let id = if self.nccl_bootstrap {
            // NCCL creates the same id from the variable on every rank.
            UniqueId::new()?
        } else {
            if self.rank != 0 {
                context.as_ref().map_err(Error::clone)?;
            }
            let make = || {
                context.as_ref().map_err(Error::clone)?;
                Ok(UniqueId::new()?.to_bytes().to_vec())
            };
            let bytes = self.share_bytes(options.timeout, make)?;
            let bytes = bytes.try_into().map_err(|bytes: Vec<u8>| {
                Error::Start(format!(
                    "rank 0 sent {} bytes as NCCL's unique id, which must have {}. Fix: run the same program on all ranks",
                    bytes.len(),
                    UniqueId::SIZE
                ))
            })?;
            UniqueId::from_bytes(bytes)
        };
        Communicator::new(&context?, id, self.rank, self.size, options)
    }
}

/// Returns the index of this rank's device among the visible devices.
fn ordinal(local_rank: usize, devices: usize, visible: Option<&str>) -> Result<usize> {
    if local_rank < devices {
        return Ok(local_rank);
    }
    match visible {
        // For instance srun --gpus-per-task=1: every rank sees one device, and each a different
        // one.
        Some(_) if devices == 1 => Ok(0),
        _ => Err(Error::Start(format!(
            "rank {local_rank} of this host has no device: the program sees {devices}{}. Fix: start at most one rank per device \
             on a host, or set CUDA_NCCL_LOCAL_RANK",
            visible.map_or(String::new(), |visible| format!(
                " (CUDA_VISIBLE_DEVICES={visible})"
            ))
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_rank_selects_the_device() {
        assert_eq!(ordinal(0, 2, None).unwrap(), 0);
        assert_eq!(ordinal(1, 2, Some("2,3")).unwrap(), 1);
        // Each rank sees only its own device.
        assert_eq!(ordinal(3, 1, Some("3")).unwrap(), 0);
        let error = |visible| ordinal(2, 2, visible).unwrap_err().to_string();
        assert!(
            error(None).contains("rank 2 of this host has no device: the program sees 2. Fix:")
        );
        assert!(error(Some("4,5")).contains("(CUDA_VISIBLE_DEVICES=4,5)"));
        // Two ranks on a host with one device are a mistake.
        assert!(ordinal(1, 1, None).is_err());
    }
}
