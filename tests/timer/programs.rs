//! Are the figures of programs right? Small programs run over a driver without a GPU whose time is simulated, so that
//! every figure is known beforehand.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// A folder with the driver, and the program twice: linked against the driver, and looking its functions up.
fn built() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let source = |name: &str| format!("{}/../../tests/timer/{name}", env!("CARGO_MANIFEST_DIR"));
        let cc = |arguments: &[&str], name: &str| {
            let status = Command::new("cc")
                .current_dir(folder.path())
                .args(["-O1", "-w"])
                .arg(source(name))
                .args(arguments)
                .status();
            assert!(status.unwrap().success(), "cc {arguments:?}");
        };
        let driver = ["-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", "libcuda.so", "-lpthread"];
        cc(&driver, "fake_driver.c");
        std::fs::copy(folder.path().join("libcuda.so"), folder.path().join("libcuda.so.1")).unwrap();
        cc(&["-o", "looked-up", "-ldl", "-lpthread"], "program.c");
        cc(&["-DLINKED", "-o", "linked", "-L.", "-lcuda", "-lpthread"], "program.c");
        cc(&["-static", "-o", "static", "-ldl", "-lpthread"], "program.c");
        folder
    });
    let library = Path::new(env!("CARGO_BIN_EXE_warpwise-time")).with_file_name("libwarpwise_time.so");
    assert!(library.is_file(), "{} is not built: cargo build --workspace --release", library.display());
    folder.path()
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise-time"));
    command.args(arguments).current_dir(built()).env("LD_LIBRARY_PATH", built()).stdin(Stdio::null());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What one of the programs does under the timer, and the figures.
fn timed(program: &str, what: &str) -> (Output, Value) {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("times.json");
    let output = command(&["time", "--all", "--json", json.to_str().unwrap(), program, what]).output().unwrap();
    let figures = std::fs::read(&json).unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)));
    (output, serde_json::from_slice(&figures).unwrap())
}

/// Launches, timed launches and total microseconds of a kernel.
fn kernel(figures: &Value, name: &str) -> (u64, u64, f64) {
    let kernels = figures["kernels"].as_array().unwrap();
    let found = kernels.iter().filter(|kernel| kernel["name"].as_str().unwrap().starts_with(name));
    found.fold((0, 0, 0.0), |(launches, timed, total), kernel| {
        let count = |key: &str| kernel[key].as_u64().unwrap();
        (
            launches + count("launches"),
            timed + count("timed"),
            total + (kernel["total_ns"].as_f64().unwrap() / 100.0).round() / 10.0,
        )
    })
}

#[test]
fn kernels_are_timed_however_the_driver_is_found() {
    for program in ["./linked", "./looked-up"] {
        let (output, figures) = timed(program, "plain");
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), "2\n".to_owned()), "{program}");
        assert_eq!(kernel(&figures, "slow_us500(float*, int)"), (11, 11, 5500.0), "{program}");
        assert_eq!(kernel(&figures, "fast_us2"), (10, 10, 20.0), "{program}");
        let slow = &figures["kernels"][0];
        assert_eq!(slow["registers"], 40);
        assert_eq!(slow["local_bytes"], 16);
        assert_eq!(slow["median_ns"].as_f64().unwrap().round(), 500_000.0);
        let shapes: Vec<_> =
            slow["shapes"].as_array().unwrap().iter().map(|shape| (&shape["block"][0], &shape["launches"])).collect();
        assert_eq!(format!("{shapes:?}"), "[(Number(256), Number(6)), (Number(128), Number(5))]");
        assert_eq!(slow["shapes"][0]["occupancy"], 0.5);
        assert!(text(&output.stderr).contains("slow_us500(float*, int)"), "{}", text(&output.stderr));
    }
}

#[test]
fn programs_that_die_keep_their_figures() {
    for (what, code) in [("abort", 134), ("kill", 137), ("_exit", 7)] {
        let (output, figures) = timed("./looked-up", what);
        assert_eq!(output.status.code(), Some(code), "{what}");
        let (launches, timed, _) = kernel(&figures, "slow_us500");
        assert_eq!((launches, timed), (11, 10), "{what}");
        assert_eq!(figures["kernels"][0]["unread"], 1, "{what}");
    }
}

#[test]
fn every_kind_of_launch_counts() {
    let (output, figures) = timed("./looked-up", "kinds");
    assert_eq!(text(&output.stdout), "launch refused\n");
    assert_eq!(kernel(&figures, "group_us100"), (1, 1, 100.0));
    assert_eq!(kernel(&figures, "coop_us200"), (2, 2, 400.0));
    assert_eq!(kernel(&figures, "refused"), (0, 0, 0.0));
    let kernels = figures["kernels"].as_array().unwrap();
    let group = kernels.iter().find(|kernel| kernel["is_clustered"] == true).unwrap();
    assert_eq!(
        (&group["shapes"][0]["cluster"], &group["shapes"][0]["dynamic_shared_bytes"]),
        (&2.into(), &4096.into())
    );
    assert_eq!(group["mangled"], "_Z11group_us100Pfi");
    let devices: Vec<_> =
        kernels.iter().filter(|kernel| kernel["name"] == "coop_us200").map(|kernel| &kernel["device"]).collect();
    assert_eq!(devices, [0, 1]);
}

#[test]
fn graphs_are_timed_as_a_whole_and_left_as_they_are() {
    let log = tempfile::NamedTempFile::new().unwrap();
    let output = command(&["time", "./looked-up", "graph"]).env("FAKE_LOG", log.path()).output().unwrap();
    assert_eq!(text(&output.stdout), "end of capture: 0\n");
    assert_eq!(std::fs::read_to_string(log.path()).unwrap(), "", "an event in a graph, or a spoilt capture");
    let (_, figures) = timed("./looked-up", "graph");
    assert_eq!(kernel(&figures, "graph of 3 kernels: node_us30 x2, other_us40"), (5, 5, 500.0));
    assert_eq!(kernel(&figures, "node_us30"), (2, 2, 60.0));
    assert_eq!(figures["processes"][0]["captured_launches"], 3);
}

#[test]
fn streams_threads_and_processes_are_told_apart() {
    assert_eq!(kernel(&timed("./linked", "streams").1, "streams_us1000"), (40, 40, 40000.0));
    // A launch that is under way while the first launch of another thread begins is counted, not timed, and so are
    // launches of two streams whose addresses share a turn at the same moment; what was timed stands for them.
    let (launches, timed_launches, total) = kernel(&timed("./linked", "threads").1, "threads_us20");
    assert_eq!((launches, total), (200, 4000.0));
    assert!((100..=200).contains(&timed_launches), "{timed_launches}");
    let (_, figures) = timed("./looked-up", "fork");
    assert_eq!(kernel(&figures, "fork_us10"), (5, 5, 50.0));
    assert_eq!(figures["processes"].as_array().unwrap().len(), 2);
}

#[test]
fn launches_left_out_are_stood_for() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("times.json");
    let output = command(&["time", "--json", json.to_str().unwrap(), "./linked", "many"]).output().unwrap();
    let figures: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let (launches, timed, total) = kernel(&figures, "many_us5");
    assert_eq!(launches, 400_000);
    assert!((1..=400_000).contains(&timed), "{timed}");
    assert!((total / 2e6 - 1.0).abs() < 1e-6, "{total}: {}", text(&output.stderr));
}

#[test]
fn an_interrupt_keeps_what_was_measured() {
    let mut child =
        command(&["time", "./looked-up", "sleep"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "asleep\n");
    assert!(Command::new("kill").arg("-INT").arg(child.id().to_string()).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(text(&output.stderr).contains("sleep_us50"), "{}", text(&output.stderr));
}

#[test]
fn what_cannot_be_timed_is_named_in_a_sentence() {
    let said = |arguments: &[&str]| {
        let output = command(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        text(&output.stderr)
    };
    assert!(said(&["time", "no-such-program"]).contains("there is no program no-such-program on PATH"));
    assert!(said(&["time", "./no-such-program"]).contains("there is no program ./no-such-program"));
    assert!(said(&["time", "looked-up"]).contains("./looked-up is one here"));
    assert!(said(&["time", "/etc/passwd"]).contains("not executable"));
    assert!(said(&["time", "./static", "nothing"]).contains("statically"));
    assert!(said(&["time", "./looked-up", "nothing"]).contains("driver"));
    assert!(said(&["time", "./looked-up", "idle"]).contains("launched no kernel"));
    assert!(
        said(&["time", "--json", "/no/such/folder/x.json", "./looked-up"])
            .contains("cannot write /no/such/folder/x.json")
    );
    assert!(said(&["compare", "./looked-up", "./linked", "--", "idle"]).contains("launched no kernel"));
    let alone = tempfile::tempdir().unwrap();
    let copy = alone.path().join("warpwise-time");
    std::fs::copy(env!("CARGO_BIN_EXE_warpwise-time"), &copy).unwrap();
    let output = Command::new(&copy).args(["time", "true"]).output().unwrap();
    assert!(
        text(&output.stderr).contains("there is no libwarpwise_time.so beside the command"),
        "{}",
        text(&output.stderr)
    );
}

/// Two programs compared: status, text and figures.
fn compared(a: &str, b: &str, arguments: &[&str]) -> (Option<i32>, String, Value) {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("times.json");
    let mut all = vec!["compare", "--rounds", "3", "--json", json.to_str().unwrap(), a, b, "--"];
    all.extend(arguments);
    let output = command(&all).output().unwrap();
    let figures = std::fs::read(&json).unwrap();
    let figures = serde_json::from_slice(&figures).unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)));
    (output.status.code(), text(&output.stdout), figures)
}

#[test]
fn builds_that_agree_are_said_to() {
    for what in ["plain", "asynchronous"] {
        let (code, said, figures) = compared("./linked", "./looked-up", &[what]);
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(figures["copies"]["verdict"], "same", "{said}");
        assert_eq!(figures["output"]["verdict"], "same", "{said}");
        assert_eq!(figures["kernels"][0]["ratio"][0].as_f64().map(|ratio| (ratio * 1e6).round()), Some(1e6), "{said}");
    }
    assert!(compared("./linked", "./looked-up", &["asynchronous"]).1.contains("3 copies, 12288 bytes (1 of them"));
}

/// A build that runs the program with other arguments than it is given.
fn linked_with(folder: &Path, arguments: &str) -> String {
    let other = folder.join("other");
    std::fs::write(&other, format!("#!/bin/sh\nexec ./linked {arguments}\n")).unwrap();
    assert!(Command::new("chmod").arg("+x").arg(&other).status().unwrap().success());
    other.into_os_string().into_string().unwrap()
}

#[test]
fn tables_of_versions_are_not_the_programs() {
    let folder = tempfile::tempdir().unwrap();
    let other = linked_with(folder.path(), "versions");
    let (code, said, figures) = compared("./linked", &other, &["no versions"]);
    assert_eq!((code, &figures["copies"]["verdict"]), (Some(0), &"same".into()), "{said}");
    assert!(said.contains("1 copy, 4096 bytes"), "{said}");
}

#[test]
fn a_comparison_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rounds");
    let compare = |rounds: &str, what: &str| {
        let keep = file.to_str().unwrap();
        let all = ["compare", "--rounds", rounds, "--keep", keep, "./linked", "./looked-up", "--", what];
        let output = command(&all).output().unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let lines = || std::fs::read_to_string(&file).unwrap().lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(compare("2", "plain").1.contains("\n2 rounds; above 1"));
    let before = lines();
    assert_eq!(before.len(), 3);
    // a round that was being written when the machine stopped
    let cut = std::fs::read_to_string(&file).unwrap() + &before[1][..40];
    std::fs::write(&file, cut).unwrap();
    let (code, said, _) = compare("3", "plain");
    assert!(code == Some(0) && said.contains("\n3 rounds; above 1") && said.contains("the same bit by bit"), "{said}");
    assert!(lines().len() == 4 && lines()[..3] == before[..]);
    // all are there
    assert!(compare("3", "plain").1.contains("\n3 rounds; above 1") && lines().len() == 4);
    let (code, _, said) = compare("3", "asynchronous");
    assert!(code != Some(0) && said.contains("has something else than rounds of these builds"), "{said}");
    assert_eq!(lines().len(), 4);
}

#[test]
fn builds_that_differ_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let other = linked_with(folder.path(), "plain 2");
    let (code, said, figures) = compared("./linked", &other, &["plain"]);
    assert_eq!(code, Some(1), "{said}");
    assert_eq!(figures["copies"]["verdict"], "different");
    assert!(said.contains("1 of 1 copies, the first of them number 1 with 4096 bytes"), "{said}");
    assert!(said.contains("DIFFERENT from line 1 on:\n    A: 2\n    B: 3"), "{said}");
}

#[test]
fn a_program_that_differs_from_itself_is_said_to() {
    let (code, said, figures) = compared("./linked", "./linked", &["random"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!((&figures["copies"]["verdict"], &figures["output"]["verdict"]), (&"unknown".into(), &"unknown".into()));
    assert!(said.contains("copied back: A and B each differ from themselves between runs"), "{said}");
}
