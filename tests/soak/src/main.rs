//! A soak test of `examples/cluster`, with servers that are killed and frozen: `tests/soak/run --seed 1 --minutes 10`. The programs of
//! PostgreSQL and Redis must be installed. README.md says what it looks at.

mod arguments;
mod soak;

use arguments::Command;
use std::io::{self, Write};
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    let done = match arguments::read(std::env::args().skip(1)) {
        Ok(Command::Instance) => cluster::host::run().await.map(|()| ExitCode::SUCCESS),
        Ok(Command::Soak(options)) => soak::run(options).await,
        Err(error) => Err(error.into()),
    };
    done.unwrap_or_else(|error| {
        // `eprintln!` would panic if standard error is closed; the exit code is enough then.
        let _ = writeln!(io::stderr(), "{error}");
        ExitCode::FAILURE
    })
}
