//! The code provider: a ptxas on this machine. `nvdwarf-compile` reads the code facts from its
//! cubin.

pub mod ptxas;
