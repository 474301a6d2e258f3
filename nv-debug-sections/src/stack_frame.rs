//! The layout of a function's stack frame in code that ptxas made with `-g`.
//!
//! From the stack pointer (`R1`) up, a frame has the arguments that calls pass in memory, then the
//! variables, then saved registers and what else the code generator needs. Calls share the space of
//! their arguments, so the call that needs most decides.
//!
//! Arguments go to twelve 32-bit registers, `R4` to `R15`. Each takes the first free registers that
//! are aligned for it, to 16 bytes at most; where no such run is left it goes to memory with its
//! own alignment, and a smaller argument after it may still find registers. The argument of a
//! parameter without a size (`.param .b8 p[]`, the variadic one) is always in memory. A result of
//! more than twelve registers is a variable of the caller, whose address is passed in `R4`; all
//! calls share it.
//!
//! Variables are sorted by alignment, the largest first; of one alignment those that leave less
//! padding after them are first; of these the one that was declared last.
//!
//! No public specification. Observed: ptxas 13.0.88, sm_75-sm_121, `-g`.

use std::cmp::Reverse;

/// Registers that carry arguments and results, of 32 bits each.
const ARGUMENT_REGISTERS: usize = 12;

/// Bytes of a register.
const REGISTER_BYTES: u64 = 4;

/// The largest alignment that an argument has in registers.
const REGISTER_ALIGNMENT: u64 = 16;

/// The size and alignment of a variable or a parameter, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SizeAndAlignment {
    /// The size of the variable or parameter in bytes.
    pub size: u64,
    /// The alignment of the variable or parameter in bytes, a power of two.
    pub alignment: u64,
}

/// An argument of a function call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Argument {
    /// The size and alignment of the argument.
    pub extent: SizeAndAlignment,
    /// Whether the parameter has no size of its own, as the variadic parameter `.param .b8 p[]` has
    /// none.
    pub is_variadic: bool,
}

/// Whether each argument of a call is passed in registers or in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArgumentPassing {
    /// For each argument, whether it is passed in registers.
    pub in_registers: Vec<bool>,
    /// The number of bytes of the arguments that are passed in memory.
    pub memory_bytes: u64,
}

/// Whether a result of this size is returned in memory, in a variable of the caller, instead of
/// registers.
pub fn is_in_memory(result: SizeAndAlignment) -> bool {
    result.size > ARGUMENT_REGISTERS as u64 * REGISTER_BYTES
}

/// Determines for each argument of a call whether it is passed in registers or in memory.
///
/// `None` for sizes that add up to 2^64 bytes or more.
pub fn pass_arguments(arguments: &[Argument], result: Option<SizeAndAlignment>) -> Option<ArgumentPassing> {
    let mut is_taken = [false; ARGUMENT_REGISTERS];
    is_taken[0] = result.is_some_and(is_in_memory);
    let mut passing = ArgumentPassing::default();
    for &Argument { extent, is_variadic } in arguments {
        let run = if is_variadic { None } else { free_registers(&is_taken, extent) };
        passing.in_registers.push(run.is_some());
        if let Some((first, count)) = run {
            is_taken.iter_mut().skip(first).take(count).for_each(|one| *one = true);
        } else {
            let alignment = extent.alignment.max(REGISTER_BYTES);
            let start = passing.memory_bytes.checked_next_multiple_of(alignment)?;
            passing.memory_bytes = start.checked_add(extent.size)?;
        }
    }
    Some(passing)
}

/// The first run of free registers for an argument, as its first and its length.
fn free_registers(is_taken: &[bool; ARGUMENT_REGISTERS], extent: SizeAndAlignment) -> Option<(usize, usize)> {
    let count = usize::try_from(extent.size.div_ceil(REGISTER_BYTES)).ok()?;
    let alignment = extent.alignment.clamp(REGISTER_BYTES, REGISTER_ALIGNMENT);
    let step = usize::try_from(alignment / REGISTER_BYTES).ok()?;
    let starts = (0..ARGUMENT_REGISTERS).step_by(step);
    let is_free = |first: &usize| {
        let run = first.checked_add(count).and_then(|end| is_taken.get(*first..end));
        run.is_some_and(|run| !run.contains(&true))
    };
    starts.into_iter().find(is_free).map(|first| (first, count))
}

/// Returns the size and alignment of the variable in the stack frame for a parameter that arrives
/// in registers and whose address is taken.
pub fn spill_slot(parameter: SizeAndAlignment) -> SizeAndAlignment {
    SizeAndAlignment {
        size: parameter.size.max(REGISTER_BYTES),
        alignment: parameter.alignment.max(REGISTER_BYTES),
    }
}

/// Returns the offsets of variables from the stack pointer, above `argument_bytes` of arguments.
/// The variables are given in the order of their declarations: first the variable for results in
/// memory, last the parameters whose address is taken.
///
/// `None` for sizes that add up to 2^64 bytes or more.
pub fn variable_offsets(argument_bytes: u64, variables: &[SizeAndAlignment]) -> Option<Vec<u64>> {
    let mut order: Vec<(usize, SizeAndAlignment)> = variables.iter().copied().enumerate().collect();
    order.sort_by_key(|&(index, SizeAndAlignment { size, alignment })| {
        let padding = size.checked_next_multiple_of(alignment).map_or(0, |end| end - size);
        (Reverse(alignment), padding, Reverse(index))
    });
    let mut offsets = vec![0; variables.len()];
    let mut end = argument_bytes;
    for (index, SizeAndAlignment { size, alignment }) in order {
        let start = end.checked_next_multiple_of(alignment.max(1))?;
        offsets[index] = start;
        end = start.checked_add(size)?;
    }
    Some(offsets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent((alignment, size): (u64, u64)) -> SizeAndAlignment {
        SizeAndAlignment { size, alignment }
    }

    /// Bytes in memory of a call with these (alignment, size) of arguments.
    fn memory(arguments: &[(u64, u64)], result: Option<(u64, u64)>) -> Option<u64> {
        let argument = |&one: &(u64, u64)| Argument { extent: extent(one), is_variadic: false };
        let arguments: Vec<Argument> = arguments.iter().map(argument).collect();
        pass_arguments(&arguments, result.map(extent)).map(|passing| passing.memory_bytes)
    }

    // Each number is the offset of a local variable in code of ptxas 13.0.88 (`IADD3 R0, R1, 0xb8`
    // and so on), sm_75, sm_90, sm_100.
    #[test]
    fn arguments_that_find_no_registers_are_in_memory() {
        assert_eq!(memory(&[(4, 4); 12], None), Some(0));
        assert_eq!(memory(&[(4, 4); 14], None), Some(8));
        assert_eq!(memory(&[(8, 8); 7], None), Some(8));
        assert_eq!(memory(&[(4, 48)], None), Some(0));
        assert_eq!(memory(&[(8, 52)], None), Some(52));
        assert_eq!(memory(&[(4, 4), (16, 32), (4, 40)], None), Some(40));
        assert_eq!(memory(&[(4, 52), (16, 60)], None), Some(124));
        // The last one is not filled up to a multiple of 4.
        assert_eq!(memory(&[(1, 133), (4, 59)], None), Some(195));
        // `.b64` needs an even register, and the `.b32` after it takes the odd one that it left.
        let mut arguments = [(4, 4); 13];
        arguments[11] = (8, 8);
        assert_eq!(memory(&arguments, None), Some(8));
        let small = [(4, 4), (4, 1), (8, 8), (4, 2), (4, 4), (1, 4), (4, 8), (8, 8), (4, 51), (4, 4)];
        assert_eq!(memory(&small, None), Some(51));
        // An alignment above 16 counts in memory only.
        assert_eq!(memory(&[(4, 4), (32, 32)], None), Some(0));
        assert_eq!(memory(&[(4, 20), (32, 32)], None), Some(32));
        assert_eq!(memory(&[(4, 68), (32, 64)], None), Some(160));
        assert_eq!(memory(&[(4, 68), (128, 64)], None), Some(192));
    }

    #[test]
    fn a_result_in_memory_takes_the_first_register() {
        assert_eq!(memory(&[(4, 4); 12], Some((4, 48))), Some(0));
        assert_eq!(memory(&[(4, 4); 12], Some((4, 49))), Some(4));
        assert_eq!(memory(&[(4, 4); 11], Some((4, 64))), Some(0));
    }

    #[test]
    fn a_variadic_argument_is_in_memory() {
        let fixed = Argument { extent: extent((4, 60)), is_variadic: false };
        let variadic = Argument { extent: extent((8, 20)), is_variadic: true };
        let alone = pass_arguments(&[variadic], None);
        assert_eq!(alone, Some(ArgumentPassing { in_registers: vec![false], memory_bytes: 20 }));
        assert_eq!(pass_arguments(&[fixed, variadic], None).map(|passing| passing.memory_bytes), Some(84));
    }

    /// Offsets of variables with these (size, alignment) pairs.
    fn offsets(arguments: u64, variables: &[(u64, u64)]) -> Option<Vec<u64>> {
        let variables: Vec<SizeAndAlignment> =
            variables.iter().map(|&(size, alignment)| extent((alignment, size))).collect();
        variable_offsets(arguments, &variables)
    }

    #[test]
    fn variables_are_sorted_by_alignment_padding_and_the_last_first() {
        assert_eq!(offsets(184, &[(64, 8)]), Some(vec![184]));
        assert_eq!(offsets(80, &[(12, 4), (40, 8), (3, 1), (64, 32)]), Some(vec![0xc8, 0xa0, 0xd4, 0x60]));
        assert_eq!(offsets(4, &[(13, 1), (3, 2), (5, 1)]), Some(vec![0xc, 4, 7]));
        assert_eq!(offsets(0, &[(16, 8), (24, 8), (40, 8)]), Some(vec![64, 40, 0]));
        assert_eq!(offsets(0, &[(37, 8), (54, 8), (1, 4)]), Some(vec![56, 0, 96]));
        let padded = [(13, 8), (6, 8), (15, 8), (16, 8), (9, 8), (2, 8), (3, 8), (12, 8)];
        assert_eq!(offsets(0, &padded), Some(vec![40, 32, 16, 0, 88, 80, 72, 56]));
    }

    #[test]
    fn parameters_with_an_address_fill_registers() {
        let locals = [(3, 4), (1, 1), (3, 2), (5, 4)];
        let with_parameter = |alignment, size| {
            let SizeAndAlignment { size, alignment } = spill_slot(SizeAndAlignment { size, alignment });
            let all: Vec<(u64, u64)> = locals.into_iter().chain([(size, alignment)]).collect();
            offsets(80, &all).map(|mut offsets| {
                offsets.truncate(locals.len());
                offsets
            })
        };
        assert_eq!(with_parameter(1, 2), Some(vec![84, 97, 94, 88]));
        assert_eq!(with_parameter(1, 5), Some(vec![80, 101, 98, 92]));
        assert_eq!(with_parameter(2, 8), Some(vec![88, 101, 98, 92]));
        assert_eq!(with_parameter(8, 5), Some(vec![88, 101, 98, 92]));
    }

    #[test]
    fn sizes_beyond_64_bits_have_no_layout() {
        assert_eq!(memory(&[(4, u64::MAX), (4, 80)], None), None);
        assert_eq!(offsets(1, &[(u64::MAX, 1)]), None);
        assert_eq!(offsets(0, &[(4, 0)]), Some(vec![0]));
    }
}
