//! The device text of closures.
