//! The command `axum-auth-module`; see `axum_auth_module::command`.

fn main() -> std::process::ExitCode {
    axum_auth_module::command::run()
}
