//! Rules that the source code itself keeps, and pages that are made from it.

mod circles;
mod comments;
mod format_pages;
mod json_page;
mod limits;
mod releases_page;
mod rules_pages;
