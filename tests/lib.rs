//! The tests of this package are in its three test targets; this library is empty, for a package has to have a target.
