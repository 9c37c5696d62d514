//! Sends requests over many connections from one thread and measures how long their responses take.

use crate::wire::{self, BaseUrl, Response};
use rustix::event::epoll;
use rustix::fd::OwnedFd;
use rustix::time::Timespec;
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A response that takes longer is an error.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a connection sends. It lives longer than the connection: a refresh token, for example, is used in the next run.
pub(crate) trait Client {
    /// Writes the next request to the empty `out`.
    ///
    /// # Errors
    /// A sentence that says why there is none.
    fn request(&mut self, out: &mut Vec<u8>) -> Result<(), String>;

    /// Takes the response.
    ///
    /// # Errors
    /// A sentence about a response that must not be.
    fn response(&mut self, response: &Response<'_>) -> Result<Progress, String>;
}

/// Whether an operation, which is what is counted and timed, needs another request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Done,
    Continues,
}

/// When operations begin.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pace {
    /// Each client begins the next one when it has the response to its last.
    Closed,
    /// So many each second, whatever the server does. An operation for which no connection is free waits, and its time
    /// counts from when it should have begun.
    PerSecond(f64),
}

/// When a run ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Until {
    /// What happens during `warm_up` is not counted.
    Time { warm_up: Duration, measured: Duration },
    /// As soon as so many operations have begun in the first group.
    Operations(u64),
}

/// Clients with one pace, each of which has a connection.
pub(crate) struct Group<'a> {
    pub(crate) url: &'a BaseUrl,
    pub(crate) clients: &'a mut [Box<dyn Client>],
    pub(crate) pace: Pace,
}

/// What was measured in a group.
#[derive(Default)]
pub(crate) struct Measured {
    /// Microseconds of all operations that began in the measured time, sorted.
    pub(crate) latencies: Vec<u64>,
    /// Operations that ended in the measured time, for each of its seconds.
    pub(crate) per_second: f64,
    /// All operations that ended well, also before and after the measured time.
    pub(crate) operations: u64,
    /// The same for each second of the whole run, with the time until the last response arrived. This is the rate of operations
    /// that take so long that many of them begin or end outside of the measured time.
    pub(crate) overall_per_second: f64,
    /// What went wrong, and how often.
    pub(crate) errors: BTreeMap<String, u64>,
}

impl Measured {
    /// The exact percentile, in microseconds: the smallest latency that so much of them does not exceed.
    pub(crate) fn percentile(&self, percent: f64) -> Option<u64> {
        let rank = (percent / 100.0 * self.latencies.len() as f64).ceil() as usize;
        self.latencies.get(rank.saturating_sub(1)).copied()
    }
}

struct Connection {
    stream: TcpStream,
    /// What has been received of the next response.
    received: Vec<u8>,
    /// When the operation that is under way should have begun, and when its last request was sent.
    under_way: Option<(Instant, Instant)>,
}

/// The moments of a run.
#[derive(Clone, Copy)]
struct Schedule {
    begin: Instant,
    measured_from: Instant,
    end: Instant,
}

struct Running<'a, 'b> {
    group: &'b mut Group<'a>,
    connections: Vec<Connection>,
    idle: Vec<usize>,
    /// When operations should have begun that have not.
    due: VecDeque<Instant>,
    /// How many operations have been due.
    planned: u64,
    measured: Measured,
    ended: u64,
}

/// Runs all groups at once.
///
/// # Errors
/// If a server cannot be reached. Everything else that goes wrong is in the results.
pub(crate) fn run(groups: &mut [Group<'_>], until: Until) -> io::Result<Vec<Measured>> {
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    let mut running = Vec::new();
    for (number, group) in groups.iter_mut().enumerate() {
        let mut connections = Vec::new();
        for index in 0..group.clients.len() {
            connections.push(connect(group.url, &epoll, number, index)?);
        }
        let idle = (0..connections.len()).rev().collect();
        let measured = Measured::default();
        let due = VecDeque::new();
        running.push(Running { group, connections, idle, due, planned: 0, measured, ended: 0 });
    }
    let begin = Instant::now();
    let mut schedule = match until {
        Until::Time { warm_up, measured } => {
            Schedule { begin, measured_from: begin + warm_up, end: begin + warm_up + measured }
        }
        Until::Operations(_) => {
            Schedule { begin, measured_from: begin, end: begin + Duration::from_secs(86_400) }
        }
    };
    let (mut events, mut request) = (Vec::with_capacity(256), Vec::new());
    let mut looked_for_late = begin;
    loop {
        let now = Instant::now();
        if let (Until::Operations(most), Some(first)) = (until, running.first())
            && first.planned >= most
        {
            schedule.end = schedule.end.min(now);
        }
        for group in &mut running {
            group.plan(now, schedule);
            group.begin_due(&mut request);
        }
        let under_way = running.iter().any(|group| group.idle.len() < group.connections.len());
        if now >= schedule.end && !under_way {
            break;
        }
        let next = running.iter().filter_map(|group| group.next_due(schedule)).min();
        let wake_up = next.unwrap_or(schedule.end).max(now).min(now + Duration::from_secs(1));
        // After the end only responses are waited for.
        let timeout = if now < schedule.end { wake_up - now } else { Duration::from_secs(1) };
        let timeout = Timespec { tv_sec: timeout.as_secs() as i64, tv_nsec: timeout.subsec_nanos().into() };
        events.clear();
        match epoll::wait(&epoll, rustix::buffer::spare_capacity(&mut events), Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let arrived = Instant::now();
        for event in &events {
            let (number, index) = unpack(event.data.u64());
            if let Some(group) = running.get_mut(number) {
                group.readable(index, arrived, schedule, &mut request, &epoll, number)?;
            }
        }
        if arrived - looked_for_late > Duration::from_secs(1) {
            looked_for_late = arrived;
            for (number, group) in running.iter_mut().enumerate() {
                group.give_up(arrived, &epoll, number)?;
            }
        }
    }
    let finished = Instant::now();
    let measured = match until {
        Until::Time { measured, .. } => measured,
        Until::Operations(_) => finished - begin,
    };
    Ok(running.into_iter().map(|group| group.finish(finished, schedule, measured)).collect())
}

impl Running<'_, '_> {
    /// Notes what is due by now.
    fn plan(&mut self, now: Instant, schedule: Schedule) {
        match self.group.pace {
            Pace::Closed if now < schedule.end => {
                for _ in 0..self.idle.len().saturating_sub(self.due.len()) {
                    self.due.push_back(now);
                    self.planned += 1;
                }
            }
            Pace::Closed => {}
            Pace::PerSecond(rate) => {
                while let Some(next) = self.next_due(schedule).filter(|next| *next <= now && rate > 0.0) {
                    self.due.push_back(next);
                    self.planned += 1;
                }
            }
        }
    }

    /// When the next operation of a fixed rate is due.
    fn next_due(&self, schedule: Schedule) -> Option<Instant> {
        let Pace::PerSecond(rate) = self.group.pace else { return None };
        let next = schedule.begin + Duration::from_secs_f64(self.planned as f64 / rate);
        (next < schedule.end).then_some(next)
    }

    fn begin_due(&mut self, request: &mut Vec<u8>) {
        while let (Some(index), Some(due)) = (self.idle.last().copied(), self.due.front().copied()) {
            self.due.pop_front();
            if self.send(index, due, request) {
                self.idle.pop();
            } else if matches!(self.group.pace, Pace::Closed) {
                // The error would be the same at once.
                break;
            }
        }
    }

    /// Sends the next request of an operation. Returns whether it was sent.
    fn send(&mut self, index: usize, due: Instant, request: &mut Vec<u8>) -> bool {
        request.clear();
        let Some(client) = self.group.clients.get_mut(index) else { return false };
        let Some(connection) = self.connections.get_mut(index) else { return false };
        if let Err(error) = client.request(request) {
            self.error(error);
            return false;
        }
        // The socket's buffer is empty and larger than any request.
        match connection.stream.write_all(request) {
            Ok(()) => {
                connection.under_way = Some((due, Instant::now()));
                true
            }
            Err(error) => {
                self.error(format!("cannot send a request: {error}"));
                false
            }
        }
    }

    fn readable(
        &mut self,
        index: usize,
        arrived: Instant,
        schedule: Schedule,
        request: &mut Vec<u8>,
        epoll: &OwnedFd,
        number: usize,
    ) -> io::Result<()> {
        let Some(connection) = self.connections.get_mut(index) else { return Ok(()) };
        let mut buffer = [0; 16 * 1024];
        let read = match connection.stream.read(&mut buffer) {
            Ok(length) => length,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                return Ok(());
            }
            Err(_) => 0,
        };
        if read == 0 {
            return self.lost(index, "the server closed the connection", epoll, number);
        }
        connection.received.extend_from_slice(buffer.get(..read).unwrap_or_default());
        let Some((due, _)) = connection.under_way else {
            return self.lost(index, "a response that nobody asked for", epoll, number);
        };
        let (progress, length, closes) = match wire::parse(&connection.received) {
            Ok(None) => return Ok(()),
            Err(error) => return self.lost(index, &error, epoll, number),
            Ok(Some(response)) => {
                let Some(client) = self.group.clients.get_mut(index) else { return Ok(()) };
                (client.response(&response), response.length, response.closes)
            }
        };
        connection.received.drain(..length);
        connection.under_way = None;
        if closes {
            *connection = connect(self.group.url, epoll, number, index)?;
        }
        match progress {
            Ok(Progress::Continues) => {
                if self.send(index, due, request) {
                    return Ok(());
                }
            }
            Ok(Progress::Done) => {
                self.measured.operations += 1;
                if (schedule.measured_from..schedule.end).contains(&due) {
                    self.measured.latencies.push(micros(arrived - due));
                }
                if (schedule.measured_from..=schedule.end).contains(&arrived) {
                    self.ended += 1;
                }
            }
            Err(error) => self.error(error),
        }
        self.idle.push(index);
        Ok(())
    }

    /// A new connection in place of one that cannot be used. An operation that was under way is an error.
    fn lost(&mut self, index: usize, reason: &str, epoll: &OwnedFd, number: usize) -> io::Result<()> {
        let Some(connection) = self.connections.get_mut(index) else { return Ok(()) };
        let was_under_way = connection.under_way.is_some();
        *connection = connect(self.group.url, epoll, number, index)?;
        if was_under_way {
            self.error(reason.to_owned());
            self.idle.push(index);
        }
        Ok(())
    }

    /// Ends operations that have had no response for too long.
    fn give_up(&mut self, now: Instant, epoll: &OwnedFd, number: usize) -> io::Result<()> {
        let late =
            |connection: &Connection| connection.under_way.is_some_and(|(_, sent)| now - sent > PATIENCE);
        let late: Vec<_> = (0..self.connections.len())
            .filter(|index| self.connections.get(*index).is_some_and(late))
            .collect();
        for index in late {
            self.lost(index, &format!("no response for {} s", PATIENCE.as_secs()), epoll, number)?;
        }
        Ok(())
    }

    fn error(&mut self, message: String) {
        *self.measured.errors.entry(message).or_default() += 1;
    }

    fn finish(mut self, finished: Instant, schedule: Schedule, measured: Duration) -> Measured {
        // What has not begun by now would have taken longer than this.
        for due in self.due {
            if due >= schedule.measured_from && matches!(self.group.pace, Pace::PerSecond(_)) {
                self.measured.latencies.push(micros(finished.saturating_duration_since(due)));
            }
        }
        self.measured.latencies.sort_unstable();
        self.measured.per_second = self.ended as f64 / measured.as_secs_f64();
        let all = finished - schedule.begin;
        self.measured.overall_per_second = self.measured.operations as f64 / all.as_secs_f64();
        self.measured
    }
}

fn connect(url: &BaseUrl, epoll: &OwnedFd, group: usize, index: usize) -> io::Result<Connection> {
    let stream = TcpStream::connect(&url.authority)?;
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    epoll::add(epoll, &stream, epoll::EventData::new_u64(pack(group, index)), epoll::EventFlags::IN)?;
    Ok(Connection { stream, received: Vec::new(), under_way: None })
}

fn pack(group: usize, index: usize) -> u64 {
    (group as u64) << 32 | index as u64
}

fn unpack(data: u64) -> (usize, usize) {
    ((data >> 32) as usize, (data & u64::from(u32::MAX)) as usize)
}

fn micros(duration: Duration) -> u64 {
    duration.as_micros().try_into().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
