//! The sizes of several cubins, added up.

use super::{ArchBytes, ByteCount, CubinSizes, FunctionBytes, GroupBytes, SectionGroup};
use crate::names::demangle;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The sizes of all cubins of a file, added up.
#[derive(Debug, Clone, Default)]
pub struct Totals {
    archs: BTreeMap<String, Count>,
    groups: BTreeMap<SectionGroup, u64>,
    functions: BTreeMap<FunctionKey, Count>,
}

/// A function of one architecture.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct FunctionKey {
    arch: String,
    function: String,
}

#[derive(Debug, Clone, Copy, Default)]
struct Count {
    cubins: u64,
    bytes: u64,
    code_bytes: u64,
}

/// How the bytes of all cubins of a file are shared out, each list from the largest to the
/// smallest. With an older file each list goes by the size of the change instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Sizes {
    /// The number of cubins.
    pub cubins: u64,
    /// The bytes of the cubins, decompressed.
    #[serde(flatten)]
    pub size: ByteCount,
    /// The architectures.
    pub archs: Vec<ArchBytes>,
    /// The groups of sections. Their bytes add up to those of the cubins.
    pub groups: Vec<GroupBytes>,
    /// The kernels and functions. Sections of the whole file are not theirs.
    pub functions: Vec<FunctionBytes>,
}

impl Totals {
    /// Adds a cubin.
    pub fn add(&mut self, cubin: &CubinSizes) {
        let arch = cubin.arch.to_string();
        let of_arch = self.archs.entry(arch.clone()).or_default();
        of_arch.cubins += 1;
        of_arch.bytes += cubin.bytes;
        let mut seen = BTreeSet::new();
        for part in cubin.parts.iter().filter(|part| part.bytes > 0) {
            *self.groups.entry(part.group).or_default() += part.bytes;
            let Some(function) = &part.function else { continue };
            let key = FunctionKey { arch: arch.clone(), function: function.clone() };
            let count = self.functions.entry(key).or_default();
            count.cubins += u64::from(seen.insert(function));
            count.bytes += part.bytes;
            count.code_bytes += if part.group == SectionGroup::Code { part.bytes } else { 0 };
        }
    }

    /// The lists, compared with those of an older file if there is one.
    pub fn sizes(&self, base: Option<&Self>) -> Sizes {
        let nothing = Self::default();
        let older = base.unwrap_or(&nothing);
        let size = |bytes: u64, of_base: u64| ByteCount { bytes, base_bytes: base.map(|_| of_base) };
        let archs = keys(&self.archs, &older.archs).map(|arch| {
            let (now, then) = (count(&self.archs, arch), count(&older.archs, arch));
            ArchBytes { arch: arch.clone(), cubins: now.cubins, size: size(now.bytes, then.bytes) }
        });
        let groups = keys(&self.groups, &older.groups).map(|group| {
            let bytes = |of: &Self| of.groups.get(group).copied().unwrap_or_default();
            GroupBytes { group: *group, size: size(bytes(self), bytes(older)) }
        });
        let functions = keys(&self.functions, &older.functions).map(|key| {
            let (now, then) = (count(&self.functions, key), count(&older.functions, key));
            FunctionBytes {
                arch: key.arch.clone(),
                function: key.function.clone(),
                demangled: demangle(&key.function),
                cubins: now.cubins,
                size: size(now.bytes, then.bytes),
                code_bytes: now.code_bytes,
            }
        });
        let (archs, groups, functions) = (
            sorted(archs.collect(), |row: &ArchBytes| row.size),
            sorted(groups.collect(), |row: &GroupBytes| row.size),
            sorted(functions.collect(), |row: &FunctionBytes| row.size),
        );
        Sizes {
            cubins: archs.iter().map(|arch| arch.cubins).sum(),
            size: size(self.bytes(), older.bytes()),
            archs,
            groups,
            functions,
        }
    }

    /// The bytes of all cubins.
    fn bytes(&self) -> u64 {
        self.archs.values().map(|count| count.bytes).sum()
    }
}

/// The keys of two maps, each once, in order.
fn keys<'m, K: Ord, V>(now: &'m BTreeMap<K, V>, then: &'m BTreeMap<K, V>) -> impl Iterator<Item = &'m K> {
    now.keys().chain(then.keys()).collect::<BTreeSet<_>>().into_iter()
}

fn count<K: Ord>(counts: &BTreeMap<K, Count>, key: &K) -> Count {
    counts.get(key).copied().unwrap_or_default()
}

/// Rows by the size of the change, then by size; equal ones stay in the order of their names.
fn sorted<R>(mut rows: Vec<R>, size: impl Fn(&R) -> ByteCount) -> Vec<R> {
    rows.sort_by_key(|row| {
        let size = size(row);
        std::cmp::Reverse((size.growth().unsigned_abs(), size.bytes))
    });
    rows
}

#[cfg(test)]
mod tests {
    use super::super::SizedPart;
    use super::*;
    use nv_debug_sections::arch::Arch;

    fn cubin(arch: &str, parts: &[(Option<&str>, SectionGroup, u64)]) -> CubinSizes {
        let part = |&(function, group, bytes): &(Option<&str>, SectionGroup, u64)| SizedPart {
            function: function.map(str::to_owned),
            group,
            bytes,
        };
        let parts: Vec<SizedPart> = parts.iter().map(part).collect();
        let bytes = parts.iter().map(|part| part.bytes).sum();
        CubinSizes { arch: Arch::parse(arch).unwrap(), bytes, parts }
    }

    #[test]
    fn largest_first_and_with_a_base_by_change() {
        use SectionGroup::{Code, Debug, Headers};
        let mut now = Totals::default();
        now.add(&cubin("sm_80", &[(Some("small"), Code, 10), (None, Debug, 100), (None, Headers, 5)]));
        now.add(&cubin("sm_90", &[(Some("large"), Code, 400), (Some("large"), Debug, 1)]));
        now.add(&cubin("sm_90", &[(Some("large"), Code, 100)]));
        let sizes = now.sizes(None);
        assert_eq!((sizes.cubins, sizes.size), (3, ByteCount { bytes: 616, base_bytes: None }));
        let archs: Vec<_> =
            sizes.archs.iter().map(|row| format!("{} {} {}", row.arch, row.cubins, row.size.bytes)).collect();
        assert_eq!(archs, ["sm_90 2 501", "sm_80 1 115"]);
        assert_eq!(sizes.groups.iter().map(|row| row.size.bytes).collect::<Vec<_>>(), [510, 101, 5]);
        let large = sizes.functions.first().unwrap();
        assert_eq!(
            (&*large.function, large.cubins, large.size.bytes, large.code_bytes),
            ("large", 2, 501, 500)
        );

        let mut then = Totals::default();
        then.add(&cubin("sm_90", &[(Some("large"), Code, 490), (Some("gone"), Code, 30)]));
        let sizes = now.sizes(Some(&then));
        let growth: Vec<_> =
            sizes.functions.iter().map(|row| format!("{} {}", row.function, row.size.growth())).collect();
        assert_eq!(growth, ["gone -30", "large 11", "small 10"]);
        assert_eq!(sizes.size, ByteCount { bytes: 616, base_bytes: Some(520) });
    }
}
