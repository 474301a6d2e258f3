//! Queries for several images: the one that has the function answers, as it does alone.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use cubin_debuginfo::address_query::QueryError;
use cubin_debuginfo::images::{
    FileNumber, FunctionInImage, ImageAnswer, ImageError, ImageFacts, ImageNumber, ImageQuery, ImageSet,
    LoadedFunction, LoadedFunctions,
};
use cubin_debuginfo::lines::{LineLookup, QueryAnswer};
use cubin_debuginfo::symbolize::Symbolizer;
use nv_debug_sections::catalog::Space;
use nv_debug_sections::container::Container;
use nv_debug_sections::cubin::Cubin;
use std::cell::RefCell;

const SAXPY: &[u8] = include_bytes!("../../examples/saxpy/saxpy.cubin");
const BLOCK_SUM: &[u8] = include_bytes!("../../examples/block_sum/block_sum.cubin");
const FATBIN: &[u8] = include_bytes!("../../examples/saxpy/saxpy.fatbin");

/// Asks a set of images, each in a file of its own. `ask` also gets the lookups of all images.
fn with_images<T>(images: &[&[u8]], ask: impl FnOnce(ImageSet, &[LineLookup<'_>]) -> T) -> T {
    let cubins: Vec<Cubin<'_>> = images.iter().map(|bytes| Cubin::parse(bytes).unwrap()).collect();
    let symbolizers: Vec<Symbolizer<'_>> =
        cubins.iter().map(|cubin| Symbolizer::new(cubin).unwrap()).collect();
    let lookups: Vec<LineLookup<'_>> = cubins
        .iter()
        .zip(&symbolizers)
        .map(|(cubin, symbolizer)| LineLookup::new(cubin, symbolizer))
        .collect();
    let mut set = ImageSet::default();
    for (number, cubin) in (0..).zip(&cubins) {
        let name = format!("image {number}");
        assert_eq!(
            set.add(ImageFacts::of(FileNumber(number), &name, cubin, Space::Native)),
            ImageNumber(number)
        );
    }
    ask(set, &lookups)
}

fn error_of(answer: &ImageAnswer<'_, '_>) -> ImageError {
    match &answer.answer.error {
        Some(QueryError::Images(error)) => error.clone(),
        other => panic!("{other:?}"),
    }
}

/// An answer as it is shown.
fn shown(answer: &QueryAnswer<'_, '_>) -> Vec<String> {
    let addresses = answer.addresses.iter();
    let mut shown: Vec<String> = addresses
        .map(|found| format!("{:?} {} {:#x} {}", found.function, found.section, found.offset, found.lines))
        .collect();
    shown.extend(answer.error.iter().map(ToString::to_string));
    shown
}

/// The oracle asks each image alone: the only one without an error is the one that answers.
#[test]
fn the_image_that_has_the_function_answers_as_it_does_alone() {
    with_images(&[SAXPY, BLOCK_SUM], |set, lookups| {
        for (query, owner) in [
            ("saxpy+0xe0", 0),
            ("saxpy", 0),
            ("saxpy+16", 0),
            (" saxpy + 0x10", 0),
            ("saxp+0x10", 0),
            (".text.saxpy:0xe0", 0),
            (".text.saxpy+0xe0", 0),
            ("block_sum+0x10", 1),
            (".text.block_sum: 0x10", 1),
            ("_Z10sum_windowPKf6Window", 1),
            ("sum_window+0x10", 1),
            ("sum_window(float const*, Window)+0x10", 1),
            ("sum_window( const float *,Window )", 1),
            ("$block_sum$_Z10sum_windowPKf6Window", 1),
        ] {
            let query = query.trim();
            let alone: Vec<QueryAnswer<'_, '_>> =
                lookups.iter().map(|lookup| lookup.query(query, None)).collect();
            let is_error: Vec<bool> = alone.iter().map(|answer| answer.error.is_some()).collect();
            assert_eq!(is_error, [owner == 1, owner == 0], "{query}");
            let asked = RefCell::new(Vec::new());
            // Asked twice: what was found is remembered.
            for _ in 0..2 {
                let found = set.answer(&ImageQuery::new(query), |image| {
                    asked.borrow_mut().push(image);
                    Ok(&lookups[image.0 as usize])
                });
                let owner = ImageNumber(owner as u32);
                assert_eq!(found.image, Some(owner), "{query}");
                assert_eq!(shown(&found.answer), shown(&alone[owner.0 as usize]), "{query}");
                // The tables of the other one are not needed.
                assert_eq!(std::mem::take(&mut *asked.borrow_mut()), [owner], "{query}");
            }
        }
    });
}

#[test]
fn a_file_a_function_and_numbers_say_what_is_meant() {
    with_images(&[SAXPY, BLOCK_SUM], |set, lookups| {
        let ask = |query: &ImageQuery<'static>| {
            let found = set.answer(query, |image| Ok(&lookups[image.0 as usize]));
            (found.image.map(|image| image.0), shown(&found.answer))
        };
        let offset = ImageQuery::new("0x10");
        assert_eq!(offset.number, Some(16));
        let (image, said) = ask(&offset);
        assert_eq!((image, &*said[0]), (None, "an offset without a function, and there are 2 images"));
        let of_file = ask(&ImageQuery { file: Some(FileNumber(0)), ..offset });
        let of_function = ask(&ImageQuery { function: Some("saxpy"), ..offset });
        let read_by_caller =
            ImageQuery { asked: "10", number: Some(16), function: Some("saxpy"), file: None };
        let named = ask(&ImageQuery::new("saxpy+0x10"));
        assert_eq!((&of_file, &of_function, &ask(&read_by_caller)), (&named, &named, &named));
        // The other file does not have it, and says which functions it has.
        let (_, said) = ask(&ImageQuery { file: Some(FileNumber(1)), ..ImageQuery::new("saxpy+0x10") });
        assert!(said[0].starts_with("no function 'saxpy'; the functions are block_sum"), "{said:?}");
        let (_, said) = ask(&ImageQuery { file: Some(FileNumber(7)), ..offset });
        assert_eq!(said, ["no image with code"]);
    });
    // Files that only queries name answer no other query.
    with_images(&[SAXPY, BLOCK_SUM], |mut set, lookups| {
        set.set_common_files(1);
        let ask = |query: &ImageQuery<'static>| {
            let found = set.answer(query, |image| Ok(&lookups[image.0 as usize]));
            found.image.filter(|_| found.answer.error.is_none())
        };
        let of_other = ImageQuery::new("block_sum+0x10");
        assert_eq!((ask(&ImageQuery::new("0x10")), ask(&of_other)), (Some(ImageNumber(0)), None));
        assert_eq!(ask(&ImageQuery { file: Some(FileNumber(1)), ..of_other }), Some(ImageNumber(1)));
    });
}

#[test]
fn an_error_says_why_no_image_or_not_only_one_answers() {
    let container = Container::parse(FATBIN).unwrap();
    let images: Vec<_> = container.entries().map(|entry| entry.unwrap().payload().unwrap()).collect();
    let cubins: Vec<&[u8]> =
        images.iter().map(|bytes| &**bytes).filter(|bytes| bytes.starts_with(b"\x7fELF")).collect();
    assert_eq!(cubins.len(), 2);
    with_images(&cubins, |set, lookups| {
        let ask = |query: &'static str| {
            error_of(&set.answer(&ImageQuery::new(query), |image| Ok(&lookups[image.0 as usize])))
        };
        let archs = ["sm_75", "sm_90"].map(str::to_owned).to_vec();
        assert_eq!(
            ask("saxpy+0x10"),
            ImageError::SeveralArchitectures { function: "saxpy".to_owned(), archs: archs.clone() }
        );
        let known = "the functions are saxpy, fminf, fmaxf".to_owned();
        assert_eq!(
            ask("nosuch+1"),
            ImageError::NoFunction { function: "nosuch".to_owned(), images: 2, known }
        );
        assert!(set.images_to_load("saxpy").is_err());
    });
    // The same twice is one answer; a stripped one is another.
    with_images(&[SAXPY, SAXPY, BLOCK_SUM], |set, lookups| {
        let found = set.answer(&ImageQuery::new("saxpy+0xe0"), |image| Ok(&lookups[image.0 as usize]));
        assert_eq!((found.image, found.answer.addresses.len()), (Some(ImageNumber(0)), 1));
        let unreadable = set.answer(&ImageQuery::new("block_sum"), |image| {
            if image.0 == 2 { Err("broken".to_owned()) } else { Ok(&lookups[image.0 as usize]) }
        });
        assert_eq!(error_of(&unreadable), ImageError::Unreadable("broken".to_owned()));
        let part = error_of(&set.answer(&ImageQuery::new("s+1"), |image| Ok(&lookups[image.0 as usize])));
        let matches = "saxpy, block_sum, $block_sum$_Z10sum_windowPKf6Window".to_owned();
        assert_eq!(part, ImageError::Part { function: "s".to_owned(), matches });
    });
}

#[test]
fn numbers_are_addresses_once_functions_are_loaded() {
    // Two images that say the same are as one.
    with_images(&[SAXPY, BLOCK_SUM, SAXPY], |mut set, lookups| {
        let numbers = set.images_to_load("saxpy").unwrap();
        assert_eq!(numbers, [ImageNumber(0), ImageNumber(2)]);
        let function = lookups[0].functions("saxpy").unwrap()[0];
        let code = cubin_debuginfo::address_query::CodeAddress {
            section: function.section,
            offset: function.offset,
        };
        let images = numbers.into_iter().map(|image| FunctionInImage { image, code }).collect();
        let loaded =
            LoadedFunction { name: "saxpy".to_owned(), address: 0x7000, size: function.size, images };
        set.set_loaded(LoadedFunctions::new(vec![loaded]).unwrap());
        let ask = |query: &'static str| {
            let found = set.answer(&ImageQuery::new(query), |image| Ok(&lookups[image.0 as usize]));
            shown(&found.answer)
        };
        assert_eq!(ask("0x70e0"), ask("saxpy+0xe0"));
        assert_eq!(ask("0xe0"), ["no function is loaded at 0xe0"]);
        let of_other = ImageQuery { file: Some(FileNumber(1)), ..ImageQuery::new("0x70e0") };
        let found = set.answer(&of_other, |image| Ok(&lookups[image.0 as usize]));
        assert_eq!(error_of(&found), ImageError::NotLoaded { address: 0x70e0 });
    });
}
