//! Which native instructions of sm_110 give their lines to `IMNMX`.

/// The native instructions that give their lines to the `IMNMX` instructions after them in some
/// releases only.
///
/// `IMNMX` is the integer minimum or maximum of sm_110. Observed: ptxas 13.0.88 to 13.5.37.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImnmxLines {
    /// Products of matrices: `HMMA`, `DMMA` and `IMMA`; before CUDA 13.2.
    OfMatrices,
    /// Neither those nor the others; CUDA 13.2.
    OfNeither,
    /// What waits at a barrier in memory (`SYNCS.PHASECHK`), and some `MOV`, `PRMT` and `UPRMT`;
    /// CUDA 13.3.
    OfWaits,
    /// Those of CUDA 13.3, and some `ATOMG.EXCH`; from CUDA 13.4 on.
    OfWaitsAndExchanges,
}
