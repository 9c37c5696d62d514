//! Enrolment, the challenge at login, one-time codes and recovery codes.

mod challenge;
mod encryption;
mod enrolment;
mod limits;
mod one_time_codes;
mod recovery_codes;
