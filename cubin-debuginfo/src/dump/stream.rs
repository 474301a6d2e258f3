//! Streams of section items that are decoded again in each pass, since a section can have more
//! items than memory holds.

use super::unclaimed_bytes::UnclaimedBytes;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::{Serialize, SerializeSeq, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;

/// A part of a debug section: an item, or the bytes between items.
#[derive(Debug)]
pub enum StreamPart<T> {
    /// One of the items that the section is decoded into.
    Item(T),
    /// A run of bytes between items, which belongs to no item.
    Rest(UnclaimedBytes),
}

/// Takes the parts one by one, until it breaks.
pub(super) type Visit<'v, T> = dyn FnMut(StreamPart<T>) -> ControlFlow<()> + 'v;

type Walk<'s, T> = dyn Fn(&mut Visit<'_, T>) -> ControlFlow<()> + 's;

/// The items of a debug section, in file order. Each iteration decodes them again, one by one.
pub struct ItemStream<'s, T>(Box<Walk<'s, T>>);

impl<'s, T: 's> ItemStream<'s, T> {
    /// What a function visits, each time the same. It is only made of what was found to be readable
    /// before.
    pub(super) fn new(walk: impl Fn(&mut Visit<'_, T>) -> ControlFlow<()> + 's) -> Self {
        Self(Box::new(walk))
    }

    /// The items of an iterator that can be made again, without bytes between them.
    pub(super) fn of<I: Iterator<Item = T>>(items: impl Fn() -> I + 's) -> Self {
        Self::new(move |visit| items().try_for_each(|item| visit(StreamPart::Item(item))))
    }

    /// Visits items and what is between them.
    pub(super) fn parts(&self, visit: &mut Visit<'_, T>) -> ControlFlow<()> {
        (self.0)(visit)
    }

    /// Calls `each` with every item of the section, until `each` returns an error.
    ///
    /// # Errors
    ///
    /// That of the function.
    pub fn try_each<E>(&self, mut each: impl FnMut(T) -> Result<(), E>) -> Result<(), E> {
        self.try_parts(|part| match part {
            StreamPart::Item(item) => each(item),
            StreamPart::Rest(_) => Ok(()),
        })
    }

    /// Calls `each` with every item of the section and with every run of bytes between items, until
    /// `each` returns an error.
    ///
    /// # Errors
    ///
    /// That of the function.
    pub fn try_parts<E>(&self, mut each: impl FnMut(StreamPart<T>) -> Result<(), E>) -> Result<(), E> {
        let mut result = Ok(());
        let _ = self.parts(&mut |part| {
            result = each(part);
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        result
    }

    /// Calls `find` with the items of the section, and returns its first result that is not `None`.
    /// Later items are not decoded.
    pub fn find_map<U>(&self, mut find: impl FnMut(T) -> Option<U>) -> Option<U> {
        let mut found = None;
        let _ = self.parts(&mut |part| {
            if let StreamPart::Item(item) = part {
                found = find(item);
            }
            if found.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        found
    }

    /// Collects all items of the section in memory. There can be as many as the section has bytes.
    pub fn collect(&self) -> Vec<T> {
        let mut all = Vec::new();
        let _ = self.try_each(|item| {
            all.push(item);
            Ok::<_, std::convert::Infallible>(())
        });
        all
    }

    /// The items changed by a function, without those it drops.
    pub(super) fn filter_map<U: 's>(self, change: impl Fn(T) -> Option<U> + 's) -> ItemStream<'s, U> {
        ItemStream::new(move |visit| {
            self.parts(&mut |part| match part {
                StreamPart::Item(item) => {
                    change(item).map_or(ControlFlow::Continue(()), |item| visit(StreamPart::Item(item)))
                }
                StreamPart::Rest(rest) => visit(StreamPart::Rest(rest)),
            })
        })
    }

    /// The items that a function likes.
    pub(super) fn filter(self, likes: impl Fn(&T) -> bool + 's) -> Self {
        self.filter_map(move |item| likes(&item).then_some(item))
    }
}

impl<T> fmt::Debug for ItemStream<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream")
    }
}

impl<T: Serialize> Serialize for ItemStream<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut all = serializer.serialize_seq(None)?;
        self.try_each(|item| all.serialize_element(&item))?;
        all.end()
    }
}

impl<T: JsonSchema> JsonSchema for ItemStream<'_, T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Vec::<T>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<T>::json_schema(generator)
    }
}
