//! The register maps `.nv_debug_info_reg_sass` and `.nv_debug_info_reg_type`.

use super::contents::Contents;
use super::dump_source::DumpSource;
use super::open_section::OpenSection;
use super::relocated_view::RelocatedView;
use super::span::Span;
use super::stream::{ItemStream, StreamPart};
use nv_debug_sections::reg_type::{self, RegisterType};
use nv_debug_sections::{Result, reg_sass};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;

/// The register ranges of a function in `.nv_debug_info_reg_sass`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FunctionRegisters")]
pub struct Registers<'s> {
    /// The byte range of the function's registers in the section.
    #[serde(flatten)]
    pub at: Span,
    /// Number of bytes from the start of the function's registers to its first range. The ranges
    /// follow one another from there to the end.
    pub header_size: u64,
    /// The name of the function's symbol.
    pub function: String,
    /// The register ranges of the function: which SASS register holds which PTX register, over
    /// which code.
    pub ranges: ItemStream<'s, Register<'s>>,
}

/// A PTX register in a SASS register over a range of code.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RegisterRange")]
pub struct Register<'s> {
    /// The byte range of the register in its section.
    #[serde(flatten)]
    pub at: Span,
    /// Name of the PTX register, such as `%rd1`.
    pub ptx: Cow<'s, str>,
    /// Which 32-bit word of the PTX register the SASS register holds: 0 is the lowest; of `.b128`
    /// 0, 1, 1, 2.
    pub part: u32,
    /// PTX type of the register, such as `b64`, from `.nv_debug_info_reg_type`; `None` if that does
    /// not say it.
    pub r#type: Option<String>,
    /// Name of the SASS register, such as `R4`.
    pub sass: String,
    /// Start of the code range, in bytes from the start of the function.
    pub start: u32,
    /// End of the code range, in bytes from the start of the function.
    pub end: u32,
}

/// The types of a function's register ranges in `.nv_debug_info_reg_type`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RegisterTypes<'s> {
    /// The byte range of the function's types in the section.
    #[serde(flatten)]
    pub at: Span,
    /// The name of the function's symbol.
    pub function: String,
    /// The PTX types of the registers, one for each register range of the function.
    pub types: ItemStream<'s, String>,
}

pub(super) fn registers<'s>(
    source: &'s DumpSource<'_, '_>,
    opened: &'s OpenSection<'_>,
) -> Result<Contents<'s>> {
    let (view, types) = (opened.view()?, reg_type::decode(opened.types()?)?);
    let types: HashMap<_, _> = types.iter().map(|types| (types.function, types.types)).collect();
    let functions: Vec<_> = reg_sass::decode(&view.data.bytes)?.into_iter().map(Rc::new).collect();
    let wanted = |name: &str| source.filter.as_ref().is_none_or(|filter| filter.has_name(name));
    Ok(Contents::Registers(ItemStream::new(move |visit| {
        let mut end = 0;
        for function in &functions {
            let at = Span::next(&mut end, function.size());
            if !wanted(&String::from_utf8_lossy(function.function)) {
                continue;
            }
            let header_size = function.header_size();
            let types = types.get(function.function).copied().unwrap_or_default();
            let own = Rc::clone(function);
            let ranges = ItemStream::new(move |visit| {
                let mut end = at.offset + header_size;
                own.ranges.iter().enumerate().try_for_each(|(index, range)| {
                    visit(StreamPart::Item(Register {
                        at: Span::next(&mut end, range.size()),
                        ptx: String::from_utf8_lossy(range.ptx_name),
                        part: range.part,
                        r#type: types
                            .get(index)
                            .and_then(|code| RegisterType::of_code(*code))
                            .map(|known| known.to_string()),
                        sass: range.register.to_string(),
                        start: range.start,
                        end: range.end,
                    }))
                })
            });
            let function = String::from_utf8_lossy(function.function).into_owned();
            visit(StreamPart::Item(Registers { at, header_size, function, ranges }))?;
        }
        ControlFlow::Continue(())
    })))
}

pub(super) fn types<'s>(view: &'s RelocatedView<'_>) -> Result<Contents<'s>> {
    let name = |code: &u8| {
        RegisterType::of_code(*code).map_or_else(|| format!("type {code}"), |known| known.to_string())
    };
    let functions = reg_type::decode(&view.data.bytes)?;
    Ok(Contents::RegisterTypes(ItemStream::new(move |visit| {
        let mut end = 0;
        functions.iter().try_for_each(|function| {
            let types = function.types;
            visit(StreamPart::Item(RegisterTypes {
                at: Span::next(&mut end, function.size()),
                function: String::from_utf8_lossy(function.function).into_owned(),
                types: ItemStream::of(move || types.iter().map(name)),
            }))
        })
    })))
}
