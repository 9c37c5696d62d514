//! What is measured, and in which order.

use crate::Failure;
use crate::cargo::{alone, nothing, run};
use crate::figures::Times;
use crate::workspaces::{HOSTS, MACROS, Workspace, Workspaces};
use std::fs;

/// How often.
#[derive(Clone, Copy)]
pub(crate) struct Rounds {
    /// Builds of everything, dependencies included.
    pub(crate) clean: u32,
    /// Builds of the host alone.
    pub(crate) others: u32,
}

/// What a host is measured by once its dependencies are built.
#[derive(Default)]
pub(crate) struct Host {
    /// What cargo takes to find out that there is nothing to do.
    pub(crate) nothing: Times,
    pub(crate) alone_build: Times,
    pub(crate) alone_check: Times,
    pub(crate) body_check: Times,
    pub(crate) body_build: Times,
    pub(crate) record_check: Times,
    pub(crate) record_build: Times,
}

/// Builds of everything.
#[derive(Default)]
pub(crate) struct Clean {
    pub(crate) build: Times,
    pub(crate) release: Times,
    pub(crate) packages: usize,
    /// The size of the program that a release build makes, without symbols.
    pub(crate) bytes: u64,
}

impl Clean {
    fn measure(&mut self, workspace: &Workspace) -> Result<(), Failure> {
        let Workspace { folder, package } = workspace;
        let target = folder.join("target");
        if target.exists() {
            fs::remove_dir_all(target)?;
        }
        let build = run(folder, &["build", "-p", package])?;
        self.build.push(build.took);
        self.packages = build.compiled.len();
        let release = ["build", "--release", "--config", "profile.release.strip=true", "-p", package];
        self.release.push(run(folder, &release)?.took);
        self.bytes = fs::metadata(workspace.released())?.len();
        Ok(())
    }
}

/// Of each of [`HOSTS`].
pub(crate) type OfEach<T> = [T; HOSTS.len()];

/// Builds the hosts with all dependencies, round by round.
pub(crate) fn clean(workspaces: &Workspaces, rounds: u32) -> Result<OfEach<Clean>, Failure> {
    let mut hosts = OfEach::<Clean>::default();
    // The first build waits for the disk, and its time would count for the first host.
    Clean::default().measure(&workspaces.macro_crate)?;
    for round in 1..=rounds {
        eprintln!("everything: round {round} of {rounds}");
        for (clean, workspace) in hosts.iter_mut().zip(&workspaces.hosts) {
            clean.measure(workspace)?;
        }
    }
    Ok(hosts)
}

/// Builds the hosts alone, round by round. Their dependencies have to be built.
pub(crate) fn hosts(workspaces: &Workspaces, rounds: u32) -> Result<OfEach<Host>, Failure> {
    let mut hosts = OfEach::<Host>::default();
    let mut sources = Vec::new();
    for workspace in &workspaces.hosts {
        sources.push(Source::read(workspace)?);
        // For checking, the dependencies are compiled once more.
        run(&workspace.folder, &["check", "-p", &workspace.package])?;
    }
    for round in 1..=rounds {
        eprintln!("the hosts: round {round} of {rounds}");
        for ((host, source), workspace) in hosts.iter_mut().zip(&mut sources).zip(&workspaces.hosts) {
            host.measure(workspace, source)?;
        }
    }
    Ok(hosts)
}

impl Host {
    fn measure(&mut self, workspace: &Workspace, source: &mut Source) -> Result<(), Failure> {
        let Workspace { folder, package } = workspace;
        run(folder, &["clean", "-p", package])?;
        self.alone_build.push(alone(folder, "build", package)?);
        self.alone_check.push(alone(folder, "check", package)?);
        self.nothing.push(nothing(folder, package)?);
        source.body += 1;
        source.write(workspace)?;
        self.body_check.push(alone(folder, "check", package)?);
        self.body_build.push(alone(folder, "build", package)?);
        source.record += 1;
        source.write(workspace)?;
        self.record_check.push(alone(folder, "check", package)?);
        self.record_build.push(alone(folder, "build", package)?);
        Ok(())
    }
}

/// Compiles the macro crate, whose dependencies are built already.
pub(crate) fn macro_crate(workspaces: &Workspaces, rounds: u32) -> Result<Times, Failure> {
    let folder = &workspaces.macro_crate.folder;
    let package = format!("axum-auth-module-{}", MACROS.trim_start_matches("auth-"));
    let mut times = Times::default();
    run(folder, &["build", "-p", &package])?;
    for _round in 0..rounds {
        run(folder, &["clean", "-p", &package])?;
        times.push(alone(folder, "build", &package)?);
    }
    Ok(times)
}

/// A host's `main.rs`, with one line in a function and one in the record that change.
struct Source {
    text: String,
    body: u32,
    record: u32,
}

impl Source {
    const FUNCTION: &str = "async fn me(";
    const RECORD: &str = "struct Account {";

    fn read(workspace: &Workspace) -> Result<Self, Failure> {
        let text = fs::read_to_string(workspace.main())?;
        for place in [Self::FUNCTION, Self::RECORD] {
            if text.lines().filter(|line| line.starts_with(place)).count() != 1 {
                return Err(format!("{}: one line has to begin with `{place}`", workspace.package).into());
            }
        }
        let source = Self { text, body: 0, record: 0 };
        source.write(workspace)?;
        Ok(source)
    }

    fn write(&self, workspace: &Workspace) -> Result<(), Failure> {
        let mut text = String::new();
        for line in self.text.lines() {
            text.push_str(line);
            text.push('\n');
            if line.starts_with(Self::FUNCTION) {
                text.push_str(&format!("    std::hint::black_box({}_u32);\n", self.body));
            }
            if line.starts_with(Self::RECORD) {
                text.push_str(&format!("    #[allow(dead_code)]\n    field_{}: u32,\n", self.record));
            }
        }
        Ok(fs::write(workspace.main(), text)?)
    }
}
