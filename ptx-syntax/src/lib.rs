//! Lossless parser for PTX with the debug directives as typed nodes.
