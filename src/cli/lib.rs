//! The `warpwise` command: [`command`] has a file for each subcommand, [`report`] and [`map_report`] what they show.

pub mod command;
pub mod map_report;
pub mod ptxas;
pub mod report;
