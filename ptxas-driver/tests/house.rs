//! Rules that the source code itself keeps, and pages that are made from it.

mod circles;
mod limits;
mod rules_pages;
