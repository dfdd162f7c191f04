//! The address where the ranks meet.

use std::{
    fmt,
    net::{IpAddr, TcpListener, ToSocketAddrs},
};

use sha2::{Digest, Sha256};

use super::{
    found::{Found, Launcher},
    nodes,
    variables::Variables,
};

const ADDRESS: &str = "CUDA_NCCL_ADDRESS";

/// Derived ports are below the range that systems assign to clients (from 32768 on Linux), and are
/// seldom taken.
const PORTS: std::ops::Range<u16> = 23_000..31_000;

/// The address where rank 0 listens, and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) host: String,
    pub(super) port: u16,
    /// The variables that the host and the port come from, for errors.
    pub(super) source: String,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, .. } = self;
        // An IPv6 address.
        if host.contains(':') {
            write!(f, "[{host}]:{port}")
        } else {
            write!(f, "{host}:{port}")
        }
    }
}

impl Address {
    /// Returns a hint for rank 0 if none of the host's addresses belongs to this machine. It is
    /// only a hint, because a network may translate addresses.
    pub(super) fn elsewhere(&self) -> Option<String> {
        let Self { host, source, .. } = self;
        let hint = |reason: &str| {
            format!(
                "{host} ({source}) is not an address of rank 0's host{reason}. Fix: set {ADDRESS} on all ranks to an address \
                 of that host"
            )
        };
        let places: Vec<_> = match (host.as_str(), 0).to_socket_addrs() {
            Ok(places) => places.map(|place| place.ip()).collect(),
            Err(error) => return Some(hint(&format!(": {error}"))),
        };
        // The system does not allow listening at an address of another machine.
        let here = |&place: &IpAddr| TcpListener::bind((place, 0)).is_ok();
        (!places.iter().any(here)).then(|| hint(""))
    }

    /// Returns whether only processes of this host can connect.
    pub(super) fn is_local(&self) -> bool {
        self.host == "localhost"
            || self
                .host
                .parse::<IpAddr>()
                .is_ok_and(|address| address.is_loopback())
    }
}

/// Parses `host:port` or `[host]:port`.
fn split(text: &str) -> Option<Address> {
    let (host, port) = text.rsplit_once(':')?;
    let bare = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    // Without brackets, the end of an IPv6 address would be taken for a port.
    let host = match bare {
        Some(host) => host,
        None if host.contains(':') => return None,
        None => host,
    };
    let port = port.parse().ok().filter(|&port| port != 0)?;
    (!host.is_empty() && !host.contains(char::is_whitespace)).then(|| Address {
        host: host.to_owned(),
        port,
        source: ADDRESS.to_owned(),
    })
}

/// Parses [`ADDRESS`], if it is set.
pub(super) fn named(variables: &Variables<'_>) -> Option<Result<Address, String>> {
    let text = variables.text(ADDRESS)?;
    Some(split(&text).ok_or_else(|| {
        format!(
            "{ADDRESS}={text:?} is not a host and a port. Fix: set it to the host of rank 0 and a free port there, such \
             as node1:29400 or [2001:db8::1]:29400"
        )
    }))
}

pub(super) fn find_address(
    variables: &Variables<'_>,
    found: &Found,
    identity: &[String],
) -> Result<Address, String> {
    if let Some(named) = named(variables) {
        return named;
    }
    let remedy = format!(
        "Fix: set {ADDRESS} on all ranks to the host of rank 0 and a free port there, such as node1:29400"
    );
    if found.launcher == Launcher::Manual {
        return Err(format!("{ADDRESS} is not set. {remedy}"));
    }
    let port = port(variables, found, identity);
    let one_host = found.local_size == Some(found.size);
    let (host, source) = if let Some(host) = variables.text("MASTER_ADDR") {
        (host, "MASTER_ADDR")
    } else if found.launcher == Launcher::Torchrun {
        return Err(format!(
            "MASTER_ADDR is not set, although RANK and WORLD_SIZE are. Torchrun sets all three. {remedy}"
        ));
    } else if one_host {
        ("127.0.0.1".to_owned(), "all ranks are on this host")
    } else if let Some((name, list)) = node_list(variables) {
        match nodes::first_node(&list) {
            Some(host) => (host, name),
            None => return Err(format!("{name}={list:?} is not a list of nodes. {remedy}")),
        }
    } else {
        return Err(format!("no variable names the host of rank 0. {remedy}"));
    };
    let (port, port_source) = port?;
    Ok(Address {
        host,
        port,
        source: format!("{source}, {port_source}"),
    })
}

/// Returns the nodes of the step, or else those of the job.
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
                "{PORT}={text:?} is not a port. Fix: set it to a number from 1 to 65535"
            ));
        };
        // Torchrun's agent runs its store at this port.
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
            "{PORT} is not set, although RANK and WORLD_SIZE are. Torchrun sets all three. Fix: set it on all ranks to a free \
             port of MASTER_ADDR"
        ));
    }
    if identity.is_empty() {
        return Err(format!(
            "no variable distinguishes this job from others, so no port can be derived. Fix: set {ADDRESS} on all \
             ranks to the host of rank 0 and a free port there, such as node1:29400"
        ));
    }
    let digest = Sha256::digest(identity.join("\n"));
    let number = u16::from_le_bytes([digest[0], digest[1]]);
    let port = PORTS.start + number % (PORTS.end - PORTS.start);
    Ok((port, "a port derived from the job's number"))
}
