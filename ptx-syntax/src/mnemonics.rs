//! The first words of all opcodes.

/// Whether an opcode of PTX ISA 9.0 begins with this word.
///
/// Observed: ptxas 13.0.88 says of others `Not a name of any known instruction`. Every word of up
/// to four small letters and those of the PTX ISA were tried; of some, such as `wgmma`, it knows no
/// opcode without what follows the dot.
pub(crate) fn is_mnemonic(word: &str) -> bool {
    let head = head(word);
    let first = HEADS.partition_point(|other| *other < head);
    let alike = HEADS.iter().zip(MNEMONICS).skip(first).take_while(|(other, _)| **other == head);
    alike.into_iter().any(|(_, known)| *known == word)
}

/// The first eight bytes of a word as a number; numbers sort as words do.
const fn head(word: &str) -> u64 {
    let word = word.as_bytes();
    let (mut head, mut index) = (0, 0);
    while index < word.len() && index < 8 {
        head |= (word[index] as u64) << (56 - 8 * index);
        index += 1;
    }
    head
}

/// The heads of [`MNEMONICS`]: every instruction is looked up, and numbers are compared faster than
/// words.
static HEADS: [u64; MNEMONICS.len()] = {
    let mut heads = [0; MNEMONICS.len()];
    let mut index = 0;
    while index < heads.len() {
        heads[index] = head(MNEMONICS[index]);
        index += 1;
    }
    heads
};

/// Sorted by their bytes.
#[rustfmt::skip] // as many in a line as fit
const MNEMONICS: &[&str] = &[
    "abs", "activemask", "add", "addc", "alloca", "and", "applypriority", "atom", "bar", "barrier",
    "bfe", "bfi", "bfind", "bmsk", "bra", "brev", "brkpt", "brx", "call", "clusterlaunchcontrol",
    "clz", "cnot", "copysign", "cos", "cp", "createpolicy", "cvt", "cvta", "discard", "div", "dp2a",
    "dp4a", "elect", "ex2", "exit", "fence", "fma", "fns", "getctarank", "griddepcontrol",
    "isspacep", "istypep", "ld", "ldmatrix", "ldu", "lg2", "lop3", "mad", "mad24", "madc", "mapa",
    "match", "max", "mbarrier", "membar", "min", "mma", "mov", "movmatrix", "mul", "mul24",
    "multimem", "nanosleep", "neg", "not", "or", "pmevent", "popc", "prefetch", "prefetchu", "prmt",
    "rcp", "red", "redux", "rem", "ret", "rsqrt", "sad", "selp", "set", "setmaxnreg", "setp", "shf",
    "shfl", "shl", "shr", "sin", "slct", "sqrt", "st", "stackrestore", "stacksave", "stmatrix",
    "sub", "subc", "suld", "suq", "sured", "sust", "szext", "tanh", "tcgen05", "tensormap", "testp",
    "tex", "tld4", "trap", "txq", "vabsdiff", "vabsdiff2", "vabsdiff4", "vadd", "vadd2", "vadd4",
    "vavrg2", "vavrg4", "vmad", "vmax", "vmax2", "vmax4", "vmin", "vmin2", "vmin4", "vote", "vset",
    "vset2", "vset4", "vshl", "vshr", "vsub", "vsub2", "vsub4", "wgmma", "wmma", "xor",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(MNEMONICS.is_sorted());
        assert!(MNEMONICS.iter().all(|word| is_mnemonic(word)));
        assert!(is_mnemonic("wgmma") && is_mnemonic("ret") && !is_mnemonic("L"));
        for word in ["", "clusterlaunchcontro", "clusterlaunchcontrols", "vabsdiff3", "zzz"] {
            assert!(!is_mnemonic(word), "{word}");
        }
    }
}
