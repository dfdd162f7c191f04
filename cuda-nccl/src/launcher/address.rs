//! Where the ranks meet.

use std::{
    fmt,
    net::{IpAddr, TcpListener, ToSocketAddrs},
};

use sha2::{Digest, Sha256};

use super::{Launcher, find::Found, nodes, variables::Variables};

const ADDRESS: &str = "CUDA_NCCL_ADDRESS";

/// Ports that are derived lie below those that systems give to clients (32768 on Linux), and are seldom taken.
const PORTS: std::ops::Range<u16> = 23_000..31_000;

/// Where rank 0 listens, and what says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Meeting {
    pub(super) host: String,
    pub(super) port: u16,
    /// For errors: the variables that the host and the port come from.
    pub(super) source: String,
}

impl fmt::Display for Meeting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, .. } = self;
        // An address of IPv6.
        if host.contains(':') {
            write!(f, "[{host}]:{port}")
        } else {
            write!(f, "{host}:{port}")
        }
    }
}

impl Meeting {
    /// What is wrong if no address of the host is one of this machine's, where rank 0 is. No more than a hint: a network
    /// may translate addresses.
    pub(super) fn elsewhere(&self) -> Option<String> {
        let Self { host, source, .. } = self;
        let hint = format!(
            "({source}) is no address of the host where rank 0 runs: set {ADDRESS} for all ranks to one that is"
        );
        let places: Vec<_> = match (host.as_str(), 0).to_socket_addrs() {
            Ok(places) => places.map(|place| place.ip()).collect(),
            Err(error) => return Some(format!("{host} {hint} ({error})")),
        };
        // The system lets nobody listen at an address of another machine.
        let here = |&place: &IpAddr| TcpListener::bind((place, 0)).is_ok();
        (!places.iter().any(here)).then(|| format!("{host} {hint}"))
    }

    /// Whether only processes of this host can come.
    pub(super) fn is_local(&self) -> bool {
        self.host == "localhost"
            || self
                .host
                .parse::<IpAddr>()
                .is_ok_and(|address| address.is_loopback())
    }
}

/// `host:port`, or `[host]:port`.
fn split(text: &str) -> Option<Meeting> {
    let (host, port) = text.rsplit_once(':')?;
    let bare = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    // Without the brackets, the end of an address of IPv6 would be taken for a port.
    let host = match bare {
        Some(host) => host,
        None if host.contains(':') => return None,
        None => host,
    };
    let port = port.parse().ok().filter(|&port| port != 0)?;
    (!host.is_empty() && !host.contains(char::is_whitespace)).then(|| Meeting {
        host: host.to_owned(),
        port,
        source: ADDRESS.to_owned(),
    })
}

/// What [`ADDRESS`] says, if it is set.
pub(super) fn named(variables: &Variables<'_>) -> Option<Result<Meeting, String>> {
    let text = variables.text(ADDRESS)?;
    Some(split(&text).ok_or_else(|| {
        format!(
            "{ADDRESS}={text:?} is no host and port: write the host of rank 0 and a free port there, as node1:29400 or \
             [2001:db8::1]:29400"
        )
    }))
}

pub(super) fn meeting(
    variables: &Variables<'_>,
    found: &Found,
    identity: &[String],
) -> Result<Meeting, String> {
    if let Some(named) = named(variables) {
        return named;
    }
    let remedy = format!(
        "set {ADDRESS} to the host of rank 0 and a free port there, as node1:29400, the same for all ranks"
    );
    if found.launcher == Launcher::ByHand {
        return Err(format!("{ADDRESS} is not set: {remedy}"));
    }
    let port = port(variables, found, identity);
    let one_host = found.local_size == Some(found.size);
    let (host, source) = if let Some(host) = variables.text("MASTER_ADDR") {
        (host, "MASTER_ADDR")
    } else if found.launcher == Launcher::Torchrun {
        return Err(format!(
            "MASTER_ADDR is not set, though RANK and WORLD_SIZE are: torchrun sets it; else {remedy}"
        ));
    } else if one_host {
        ("127.0.0.1".to_owned(), "all ranks are on this host")
    } else if let Some((name, list)) = node_list(variables) {
        match nodes::first_node(&list) {
            Some(host) => (host, name),
            None => return Err(format!("{name}={list:?} is no list of nodes: {remedy}")),
        }
    } else {
        return Err(format!("nothing says on which host rank 0 is: {remedy}"));
    };
    let (port, port_source) = port?;
    Ok(Meeting {
        host,
        port,
        source: format!("{source}, {port_source}"),
    })
}

/// The step's nodes, else those of the job.
fn node_list(variables: &Variables<'_>) -> Option<(&'static str, String)> {
    [
        "SLURM_STEP_NODELIST",
        "SLURM_JOB_NODELIST",
        "SLURM_NODELIST",
    ]
    .into_iter()
    .find_map(|name| Some((name, variables.text(name)?)))
}

fn port(
    variables: &Variables<'_>,
    found: &Found,
    identity: &[String],
) -> Result<(u16, &'static str), String> {
    const PORT: &str = "MASTER_PORT";
    if let Some(text) = variables.text(PORT) {
        let number = text.parse::<u16>().ok().filter(|&port| port != 0);
        let Some(port) = number else {
            return Err(format!(
                "{PORT}={text:?} is no port: one is a number from 1 to 65535"
            ));
        };
        // Torchrun's agent has its store at the port.
        let taken = found.launcher == Launcher::Torchrun
            && variables
                .text("TORCHELASTIC_USE_AGENT_STORE")
                .is_some_and(|text| text.eq_ignore_ascii_case("true"));
        return Ok(match port {
            port if !taken => (port, PORT),
            u16::MAX => (u16::MAX - 1, "the port before MASTER_PORT"),
            port => (port + 1, "the port after MASTER_PORT"),
        });
    }
    if found.launcher == Launcher::Torchrun {
        return Err(format!(
            "{PORT} is not set, though RANK and WORLD_SIZE are: torchrun sets it; else set it to a free port of MASTER_ADDR, the \
             same for all ranks"
        ));
    }
    if identity.is_empty() {
        return Err(format!(
            "no variable tells this job from others, which a port could follow from: set {ADDRESS} to the host of rank 0 and a \
             free port there, as node1:29400, the same for all ranks"
        ));
    }
    let digest = Sha256::digest(identity.join("\n"));
    let number = u16::from_le_bytes([digest[0], digest[1]]);
    let port = PORTS.start + number % (PORTS.end - PORTS.start);
    Ok((port, "a port that follows from the job's number"))
}
