//! Are the descriptions of all benchmark kernels valid?

use std::path::Path;
use warpwise_bench::bundle::descriptions;
use warpwise_bench::launch::{Arg, Launch};

/// What a machine without a GPU interprets in a moment.
const SMALL_THREADS: u64 = 4096;

fn threads(launch: &Launch) -> u64 {
    launch.grid.iter().chain(&launch.block).map(|&n| u64::from(n)).product()
}

#[test]
fn every_description_is_whole_and_its_small_size_is_small() {
    let kernels = descriptions(&Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels")).unwrap();
    let count = |section: &str| {
        kernels.iter().filter(|(name, d)| name.starts_with(section) || d.also.iter().any(|a| a == section)).count()
    };
    assert!(count("spill") >= 14 && count("fuse") >= 17 && count("annotate") >= 20 && count("map") >= 15);
    for (name, description) in &kernels {
        let (full, small) = (&description.full, &description.small);
        assert!(threads(small) <= SMALL_THREADS, "{name}: {} threads at the small size", threads(small));
        assert!(threads(full) >= 132 * 32, "{name}: {} threads leave a GPU empty", threads(full));
        assert!(full.shared <= 48 << 10, "{name}");
        let written = |arg: &Arg| matches!(arg, Arg::Buffer { direction, .. } if *direction != warpwise_bench::launch::Direction::In);
        assert!(full.args.iter().any(written), "{name} writes nothing");
        assert_eq!(description.regs.is_some(), name.starts_with("allocators/"), "{name}");
    }
}
