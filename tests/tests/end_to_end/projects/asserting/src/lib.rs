//! Nothing: only its tests matter.
