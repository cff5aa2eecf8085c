//! Only its tests matter.
