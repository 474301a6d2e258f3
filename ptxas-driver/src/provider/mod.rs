//! Who makes code: a ptxas of the machine. What its cubin says of the code is read by `nvdwarf-compile`.

pub mod ptxas;
