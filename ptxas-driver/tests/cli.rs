//! What a user of the command line meets: every command, its options, messages and exit codes, on
//! sound and on bad input.

mod bad_input;
mod check;
mod coprocess;
mod coverage;
mod damaged;
mod debug_only;
mod diff;
mod documents;
mod dump;
mod extract;
mod findings;
mod hostile;
mod images;
mod kills;
mod lines;
mod lines_queries;
mod merc;
mod messages;
mod sections;
mod shells;
mod strip;
mod support;
mod vars;
mod verify;
