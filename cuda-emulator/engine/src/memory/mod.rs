//! Memory: address resolution, loads and stores, atomics, copies, mbarriers, textures.

pub(super) mod address;
pub(super) mod atomic;
pub(super) mod bulk;
pub(super) mod check;
pub(super) mod cluster;
pub(super) mod combine;
pub(super) mod consecutive;
pub(super) mod global_race;
pub(super) mod load_store;
pub(super) mod mbarrier;
pub(super) mod query;
pub(super) mod reach;
pub(super) mod resolve;
pub(super) mod sixteen;
pub(super) mod surface;
pub(super) mod tensor_field;
pub(super) mod tensor_map;
pub(super) mod texels;
pub(super) mod texture;
pub(super) mod transfer;
pub(super) mod vector;
