//! The benches of this package are in its bench targets; this library is empty, for a package has to have a target.
