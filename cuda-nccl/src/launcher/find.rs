//! The environment variables of each launcher.

use super::{
    address::Address,
    found::{Found, Launcher},
    nodes,
    variables::Variables,
};
use crate::error::{Error, Result};

/// The lookup key for the number of the parent process. It is not an environment variable.
pub(super) const PARENT: &str = "(parent process)";

/// The variable names of a launcher.
struct Names {
    launcher: Launcher,
    rank: &'static str,
    size: &'static str,
    local_rank: &'static str,
    local_size: Option<&'static str>,
}

/// The variables of each launcher, from the innermost to the outermost. An inner launcher inherits
/// the variables of the outer ones.
const NAMES: [Names; 5] = [
    Names {
        launcher: Launcher::Manual,
        rank: "CUDA_NCCL_RANK",
        size: "CUDA_NCCL_SIZE",
        local_rank: LOCAL_RANK,
        local_size: None,
    },
    Names {
        launcher: Launcher::Torchrun,
        rank: "RANK",
        size: "WORLD_SIZE",
        local_rank: "LOCAL_RANK",
        local_size: Some("LOCAL_WORLD_SIZE"),
    },
    Names {
        launcher: Launcher::OpenMpi,
        rank: "OMPI_COMM_WORLD_RANK",
        size: "OMPI_COMM_WORLD_SIZE",
        local_rank: "OMPI_COMM_WORLD_LOCAL_RANK",
        local_size: Some("OMPI_COMM_WORLD_LOCAL_SIZE"),
    },
    Names {
        launcher: Launcher::Hydra,
        rank: "PMI_RANK",
        size: "PMI_SIZE",
        local_rank: "MPI_LOCALRANKID",
        local_size: Some("MPI_LOCALNRANKS"),
    },
    Names {
        launcher: Launcher::Slurm,
        rank: "SLURM_PROCID",
        size: "SLURM_STEP_NUM_TASKS",
        local_rank: "SLURM_LOCALID",
        local_size: None,
    },
];

/// Overrides the local rank of any launcher.
const LOCAL_RANK: &str = "CUDA_NCCL_LOCAL_RANK";

/// A rank and a size that are both set.
struct Place<'a> {
    names: &'a Names,
    rank: usize,
    size: usize,
}

pub(super) fn find(variables: &Variables<'_>) -> Result<Option<Found>> {
    let mut places = Vec::new();
    for names in &NAMES {
        places.extend(place(variables, names)?);
    }
    let Some(chosen) = choose(variables, &places)? else {
        return alone(variables);
    };
    let Place { names, rank, size } = *chosen;
    let local_size = match names.local_size {
        Some(name) => variables.number(name)?.map(|number| (name, number)),
        None if names.launcher == Launcher::Slurm => slurm_local_size(variables)?,
        None => None,
    };
    let local_rank = local_rank(variables, chosen)?;
    // A local rank set by the user selects a device, and a host may have more devices than ranks.
    let is_rank = local_rank.0 != LOCAL_RANK || names.launcher == Launcher::Manual;
    if let Some((name, local_size)) = local_size {
        if local_size == 0 || local_size > size {
            return Err(Error::Start(format!(
                "{name}={local_size} is not a possible number of ranks on this host, because {}={size}",
                names.size
            )));
        }
        if is_rank && local_rank.1 >= local_size {
            return Err(Error::Start(format!(
                "{}={} is too large: {name} reports {local_size} ranks on this host, and they are counted from 0. Fix: set it to at \
                 most {}",
                local_rank.0,
                local_rank.1,
                local_size - 1
            )));
        }
    } else if is_rank && local_rank.1 >= size {
        return Err(Error::Start(format!(
            "{}={} is too large for {}={size}: ranks are counted from 0. Fix: set it to at most {}",
            local_rank.0,
            local_rank.1,
            names.size,
            size - 1
        )));
    }
    Ok(Some(Found {
        launcher: names.launcher,
        rank,
        size,
        local_rank: local_rank.1,
        local_size: local_size.map(|(_, number)| number),
    }))
}

/// Returns the rank and size in these variables, if one of the variables is set.
fn place<'a>(variables: &Variables<'_>, names: &'a Names) -> Result<Option<Place<'a>>> {
    let Names { rank, size, .. } = names;
    // Slurm sets a rank in batch scripts too, and the job's number of tasks everywhere. Only srun
    // sets the step's.
    if names.launcher == Launcher::Slurm && !variables.is_set(size) {
        return Ok(None);
    }
    if !variables.is_set(rank) && !variables.is_set(size) {
        return Ok(None);
    }
    let number = variables.needed(rank, &format!("{size} is"))?;
    let of = variables.needed(size, &format!("{rank} is"))?;
    if number >= of {
        return Err(Error::Start(format!(
            "{rank}={number} is too large for {size}={of}: ranks are counted from 0. Fix: set {size} to the number of ranks, and \
             {rank} to a number below it"
        )));
    }
    Ok(Some(Place {
        names,
        rank: number,
        size: of,
    }))
}

/// Returns the innermost launcher, or an error if another one contradicts it.
fn choose<'p, 'n>(
    variables: &Variables<'_>,
    places: &'p [Place<'n>],
) -> Result<Option<&'p Place<'n>>> {
    let Some(first) = places.first() else {
        return Ok(None);
    };
    // These two variables may have been set for the shell that started the launcher instead of this
    // process.
    let loose =
        first.names.launcher == Launcher::Torchrun && !variables.is_set("TORCHELASTIC_RUN_ID");
    let same = |other: &&Place<'_>| (other.rank, other.size) == (first.rank, first.size);
    if loose && let Some(other) = places[1..].first().filter(|other| !same(other)) {
        let (mine, its) = (first.names, other.names);
        return Err(Error::Start(format!(
            "{}={} and {}={} contradict {}={} and {}={}, which {} set. Fix: unset {} and {}",
            mine.rank,
            first.rank,
            mine.size,
            first.size,
            its.rank,
            other.rank,
            its.size,
            other.size,
            its.launcher,
            mine.rank,
            mine.size
        )));
    }
    // Slurm's MPI plugins set PMI's variables too, but these contain less information.
    let outer = places
        .iter()
        .find(|place| place.names.launcher == Launcher::Slurm);
    if first.names.launcher == Launcher::Hydra && outer.as_ref().is_some_and(same) {
        return Ok(outer);
    }
    Ok(Some(first))
}

/// Returns this process's rank on its host, and the variable that contains it.
fn local_rank(variables: &Variables<'_>, place: &Place<'_>) -> Result<(&'static str, usize)> {
    if let Some(number) = variables.number(LOCAL_RANK)? {
        return Ok((LOCAL_RANK, number));
    }
    let name = place.names.local_rank;
    if let Some(number) = variables.number(name)? {
        return Ok((name, number));
    }
    if place.size == 1 {
        return Ok((name, 0));
    }
    let by_hand = place.names.launcher == Launcher::Manual;
    let address = by_hand
        .then(|| super::address::named(variables))
        .flatten()
        .transpose()
        .map_err(Error::Start)?;
    if address.as_ref().is_some_and(Address::is_local) {
        // All ranks are on this host.
        return Ok((place.names.rank, place.rank));
    }
    let or = if name == LOCAL_RANK {
        String::new()
    } else {
        format!(", or {LOCAL_RANK}")
    };
    let address = match address {
        None if by_hand => {
            ". If all ranks are on this host, set CUDA_NCCL_ADDRESS to 127.0.0.1:29400 instead"
                .to_owned()
        }
        Some(address) => format!(
            ". If all ranks are on this host, change CUDA_NCCL_ADDRESS from {address} to 127.0.0.1:{} instead",
            address.port
        ),
        None => String::new(),
    };
    Err(Error::Start(format!(
        "{name} is not set, although {}={} is. Fix: set it{or} to the rank's number on its host, counted from 0, which \
         selects the device{address}",
        place.names.rank, place.rank
    )))
}

/// Returns the number of ranks on this node, from Slurm's list of tasks per node.
fn slurm_local_size(variables: &Variables<'_>) -> Result<Option<(&'static str, usize)>> {
    const TASKS: &str = "SLURM_STEP_TASKS_PER_NODE";
    let (Some(tasks), Some(node)) = (variables.text(TASKS), variables.number("SLURM_NODEID")?)
    else {
        return Ok(None);
    };
    match nodes::tasks_of_node(&tasks, node) {
        Some(number) => Ok(Some((TASKS, number))),
        None => Err(Error::Start(format!(
            "{TASKS}={tasks:?} has no number of ranks for node SLURM_NODEID={node}, although srun sets both. Fix: unset them if they \
             were set by hand"
        ))),
    }
}

/// Handles a process without a launcher, or with incomplete variables.
fn alone(variables: &Variables<'_>) -> Result<Option<Found>> {
    // Without this check, each process would take all devices.
    for name in ["CUDA_NCCL_ADDRESS", LOCAL_RANK] {
        if variables.is_set(name) {
            return Err(Error::Start(format!(
                "{name} is set, but neither CUDA_NCCL_RANK and CUDA_NCCL_SIZE nor a launcher's variables are. Fix: set both for \
                 each rank, start with mpirun, srun or torchrun, or unset {name} to run a single process"
            )));
        }
    }
    if let Some(rank) = variables.text("PMIX_RANK") {
        return Err(Error::Start(format!(
            "PMIX_RANK={rank} is set, but no variable contains the number of ranks. Fix: set CUDA_NCCL_RANK and \
             CUDA_NCCL_SIZE, or start with mpirun, srun or torchrun"
        )));
    }
    if variables.is_set("SLURM_PROCID") {
        let tasks = variables.number("SLURM_NTASKS")?.unwrap_or(1);
        if tasks > 1 {
            return Err(Error::Start(format!(
                "SLURM_NTASKS={tasks}, but SLURM_STEP_NUM_TASKS is not set, so the batch script itself started this process. \
                 Fix: start the program with srun, or unset SLURM_NTASKS to run a single process"
            )));
        }
    }
    Ok(None)
}

/// Returns variables that are equal for all ranks of this job and differ between jobs. Empty if
/// there are none.
pub(super) fn identity(variables: &Variables<'_>, launcher: Launcher) -> Vec<String> {
    let slurm = ["SLURM_JOB_ID", "SLURM_STEP_ID"];
    match launcher {
        Launcher::Manual => variables.known(&["CUDA_NCCL_ADDRESS"]),
        Launcher::Torchrun => variables.known(&[
            "MASTER_ADDR",
            "MASTER_PORT",
            "TORCHELASTIC_RUN_ID",
            // After a restart, late ranks of the previous attempt must be rejected.
            "TORCHELASTIC_RESTART_COUNT",
        ]),
        Launcher::Slurm => variables.known(&slurm),
        Launcher::OpenMpi => variables.known(&["PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"]),
        Launcher::Hydra => {
            let known = variables.known(&["PMI_JOBID", "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"]);
            let one_host = variables.text("PMI_SIZE") == variables.text("MPI_LOCALNRANKS");
            // Two runs of one batch job may be on one host at the same time. Their parent processes
            // differ.
            let parent = if one_host {
                variables.known(&[PARENT])
            } else {
                Vec::new()
            };
            [known, parent].concat()
        }
    }
}
