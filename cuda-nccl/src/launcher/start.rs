//! From a launched process to a rank of a communicator.

use std::env;

use cuda_safe::{Context, Device};

use super::Launch;
use crate::{
    communicator::{Communicator, CommunicatorOptions, UniqueId},
    error::{Error, Result},
};

/// Starts this process's rank: what `mpirun`, `srun`, `torchrun` or the user says of it, the device of its number on this
/// host, the first bytes over one exchange from rank 0, and NCCL's communicator. All in one call, which returns when all
/// ranks are there.
///
/// [The chapter on starting](crate::guide::starting) has the command lines.
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
/// [`Error::Start`] where no launcher started this process; otherwise as [`Launch::from_env`] and
/// [`Launch::communicator`].
pub fn start(options: CommunicatorOptions) -> Result<Communicator> {
    let launch = Launch::from_env()?.ok_or_else(|| {
        Error::Start(
            "no launcher started this process (CUDA_NCCL_RANK, RANK, OMPI_COMM_WORLD_RANK, PMI_RANK and SLURM_STEP_NUM_TASKS \
             are not set): start it by mpirun, srun or torchrun, or set CUDA_NCCL_RANK, CUDA_NCCL_SIZE and CUDA_NCCL_ADDRESS; \
             one process alone can have all devices with Communicator::for_devices or PeerGroup"
                .to_owned(),
        )
    })?;
    launch.communicator(options)
}

impl Launch {
    /// The device of this rank: that of its number on this host, or the only one, where the launcher shows each rank its own
    /// (`CUDA_VISIBLE_DEVICES`).
    ///
    /// # Errors
    /// [`Error::Start`] where this host has fewer devices than ranks. No driver, or no device.
    pub fn device(&self) -> Result<Device> {
        let devices = Device::all()?;
        let visible = env::var("CUDA_VISIBLE_DEVICES").ok();
        let ordinal = ordinal(self.local_rank, devices.len(), visible.as_deref())?;
        Ok(devices[ordinal])
    }

    /// The rank's communicator, on its [`device`](Self::device)'s primary context. All ranks call this, with the same options;
    /// it returns when they have.
    ///
    /// The ranks learn NCCL's unique id by [`share_bytes`](Self::share_bytes). If `NCCL_COMM_ID` is set, they use NCCL's own
    /// way instead: its value is the `host:port` at which rank 0 listens, the same for all ranks, and nothing is proved.
    ///
    /// # Errors
    /// [`Error::Missing`] without NCCL. As [`device`](Self::device), [`share_bytes`](Self::share_bytes) and
    /// [`Communicator::new`], each within the time limit of the options.
    pub fn communicator(&self, options: CommunicatorOptions) -> Result<Communicator> {
        // What this rank lacks is better said before the others are kept waiting; rank 0 tells them of it.
        let context =
            crate::library::Library::get().and_then(|_| Ok(Context::primary_of(self.device()?)?));
        let id = if self.nccl_bootstrap {
            // NCCL makes the same of it for every rank.
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
                    "rank 0 sent {} bytes as NCCL's unique id, which has {}: run the same program on all ranks",
                    bytes.len(),
                    UniqueId::SIZE
                ))
            })?;
            UniqueId::from_bytes(bytes)
        };
        Communicator::new(&context?, id, self.rank, self.size, options)
    }
}

/// Which of the visible devices is this rank's.
fn ordinal(local_rank: usize, devices: usize, visible: Option<&str>) -> Result<usize> {
    if local_rank < devices {
        return Ok(local_rank);
    }
    match visible {
        // As srun --gpus-per-task=1 does it: every rank sees one, another one each.
        Some(_) if devices == 1 => Ok(0),
        _ => Err(Error::Start(format!(
            "rank {local_rank} of this host has no device: there are {devices}{}; start at most as many ranks on a host as it has \
             devices, or set CUDA_NCCL_LOCAL_RANK",
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
    fn each_rank_has_its_device() {
        assert_eq!(ordinal(0, 2, None).unwrap(), 0);
        assert_eq!(ordinal(1, 2, Some("2,3")).unwrap(), 1);
        // One for each rank, and each sees its own alone.
        assert_eq!(ordinal(3, 1, Some("3")).unwrap(), 0);
        let error = |visible| ordinal(2, 2, visible).unwrap_err().to_string();
        assert!(error(None).contains("rank 2 of this host has no device: there are 2;"));
        assert!(error(Some("4,5")).contains("(CUDA_VISIBLE_DEVICES=4,5)"));
        // On a host with one device two ranks are a mistake.
        assert!(ordinal(1, 1, None).is_err());
    }
}
