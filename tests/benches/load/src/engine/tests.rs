//! A server in this process that stalls, splits and breaks its responses.

use super::{Client, Group, Measured, Pace, Progress, Until, run};
use crate::wire::{BaseUrl, Response};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// Asks for `/` and must get 200.
struct Asks;

impl Client for Asks {
    fn request(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        out.extend_from_slice(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n");
        Ok(())
    }

    fn response(&mut self, response: &Response<'_>) -> Result<Progress, String> {
        if response.status == 200 { Ok(Progress::Done) } else { Err(format!("status {}", response.status)) }
    }
}

/// A server that answers each request of a connection with `answer`, which gets its number.
fn server(answer: impl Fn(&mut TcpStream, u32) + Send + Clone + 'static) -> BaseUrl {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let authority = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, answer) = (stream.unwrap(), answer.clone());
            thread::spawn(move || {
                let mut buffer = [0; 1000];
                let mut number = 0;
                while stream.read(&mut buffer).is_ok_and(|read| read > 0) {
                    answer(&mut stream, number);
                    number += 1;
                }
            });
        }
    });
    BaseUrl { authority, prefix: String::new() }
}

fn measure(url: &BaseUrl, connections: usize, pace: Pace, until: Until) -> Measured {
    let mut clients: Vec<Box<dyn Client>> = Vec::new();
    clients.resize_with(connections, || Box::new(Asks));
    run(&mut [Group { url, clients: &mut clients, pace }], until).unwrap().remove(0)
}

fn for_milliseconds(milliseconds: u64) -> Until {
    Until::Time { warm_up: Duration::ZERO, measured: Duration::from_millis(milliseconds) }
}

const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

#[test]
fn a_stall_counts_for_all_that_should_have_been_sent_meanwhile() {
    let url = server(|stream, number| {
        if number == 20 {
            thread::sleep(Duration::from_millis(400));
        }
        stream.write_all(OK).unwrap();
    });
    // One connection: a generator that waits for the response would see one slow request of 200.
    let measured = measure(&url, 1, Pace::PerSecond(200.0), for_milliseconds(1000));
    assert!(measured.errors.is_empty(), "{:?}", measured.errors);
    assert_eq!(measured.latencies.len(), 200);
    let slow = measured.latencies.iter().filter(|micros| **micros > 200_000).count();
    assert!(slow >= 30, "{slow} of 200 waited longer than half of the stall");
    assert!(measured.percentile(100.0).unwrap() >= 390_000);
}

#[test]
fn a_fixed_rate_is_kept_and_a_closed_loop_waits_for_its_responses() {
    let url = server(|stream, _| {
        thread::sleep(Duration::from_millis(20));
        stream.write_all(OK).unwrap();
    });
    let fixed = measure(&url, 8, Pace::PerSecond(100.0), for_milliseconds(500));
    assert_eq!(fixed.latencies.len(), 50);
    let closed = measure(&url, 2, Pace::Closed, for_milliseconds(500));
    assert!((10..=50).contains(&closed.latencies.len()), "{}", closed.latencies.len());
    assert!(closed.latencies.first().is_some_and(|micros| *micros >= 20_000));
}

#[test]
fn as_many_operations_as_wanted_are_made() {
    let url = server(|stream, _| stream.write_all(OK).unwrap());
    let measured = measure(&url, 3, Pace::Closed, Until::Operations(100));
    assert!((100..103).contains(&measured.operations), "{}", measured.operations);
}

#[test]
fn responses_in_parts_are_put_together() {
    let url = server(|stream, _| {
        for part in OK.chunks(7) {
            stream.write_all(part).unwrap();
            thread::sleep(Duration::from_millis(1));
        }
    });
    let measured = measure(&url, 2, Pace::Closed, Until::Operations(10));
    assert!(measured.errors.is_empty() && measured.operations >= 10, "{:?}", measured.errors);
}

#[test]
fn what_is_not_expected_is_counted() {
    let url = server(|stream, number| match number {
        0 => stream.write_all(b"HTTP/1.1 500 Oh\r\ncontent-length: 0\r\n\r\n").unwrap(),
        1 => stream.write_all(OK).unwrap(),
        2 => stream.write_all(b"no HTTP\r\n\r\n").unwrap(),
        _ => {}
    });
    // The third response ends the connection, and the next one begins again.
    let measured = measure(&url, 1, Pace::Closed, Until::Operations(6));
    assert_eq!(measured.operations, 2);
    let errors: Vec<_> = measured.errors.iter().map(|(error, count)| (error.as_str(), *count)).collect();
    assert_eq!(errors, [("`no HTTP` is not a status line", 2), ("status 500", 2)]);
    let closed = server(|stream, _| stream.shutdown(std::net::Shutdown::Both).unwrap());
    let measured = measure(&closed, 1, Pace::Closed, Until::Operations(2));
    assert_eq!(measured.errors.get("the server closed the connection"), Some(&2));
}

#[test]
fn percentiles_are_exact() {
    let measured = Measured { latencies: (1..=200).collect(), ..Measured::default() };
    let at = [0.0, 50.0, 99.0, 99.9, 100.0].map(|percent| measured.percentile(percent));
    assert_eq!(at, [Some(1), Some(100), Some(198), Some(200), Some(200)]);
    assert_eq!(Measured::default().percentile(50.0), None);
}
