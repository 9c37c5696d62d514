//! The queue of passwords that wait to be hashed. It is fair: the clients take turns, and none can fill the queue.

use super::job::Job;
use std::collections::VecDeque;

/// What waits, in the order of its arrival for each client.
pub(super) struct Queue<T> {
    /// The clients that wait. The first one is next.
    clients: VecDeque<(String, VecDeque<Entry<T>>)>,
    capacity: usize,
    len: usize,
    /// The work of all entries, in rounds of bcrypt.
    rounds: u64,
    last: Ticket,
}

struct Entry<T> {
    ticket: Ticket,
    job: Job,
    owner: T,
}

/// Identifies an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Ticket(u64);

/// The queue or the client's part of it is full.
#[derive(Debug)]
pub(super) struct Full;

impl<T> Queue<T> {
    /// A queue with this number of places, at least one.
    pub(super) fn new(capacity: usize) -> Self {
        Self { clients: VecDeque::new(), capacity: capacity.max(1), len: 0, rounds: 0, last: Ticket(0) }
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// The work of all entries, in rounds of bcrypt.
    pub(super) const fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Adds an entry of a client.
    ///
    /// # Errors
    /// If the queue is full, or a quarter of it with entries of this client. A client has at least one place.
    pub(super) fn push(&mut self, client: &str, job: Job, owner: T) -> Result<Ticket, Full> {
        if self.len >= self.capacity {
            return Err(Full);
        }
        let share = (self.capacity / 4).max(1);
        let ticket = Ticket(self.last.0 + 1);
        let rounds = job.rounds();
        let entry = Entry { ticket, job, owner };
        match self.clients.iter_mut().find(|(waiting, _)| waiting == client) {
            Some((_, entries)) if entries.len() >= share => return Err(Full),
            Some((_, entries)) => entries.push_back(entry),
            None => self.clients.push_back((client.to_owned(), VecDeque::from([entry]))),
        }
        self.len += 1;
        self.rounds += rounds;
        self.last = ticket;
        Ok(ticket)
    }

    /// Whether the job that [`pop`](Self::pop) takes runs alone.
    pub(super) fn next_is_alone(&self) -> bool {
        let next = self.clients.front().and_then(|(_, entries)| entries.front());
        next.is_some_and(|entry| entry.job.is_alone())
    }

    /// Takes the oldest entry of the next client, which is then the last one.
    pub(super) fn pop(&mut self) -> Option<(Job, T)> {
        let (client, mut entries) = self.clients.pop_front()?;
        let entry = entries.pop_front();
        if !entries.is_empty() {
            self.clients.push_back((client, entries));
        }
        let entry = entry?;
        self.forget(&entry.job);
        Some((entry.job, entry.owner))
    }

    /// Removes an entry, if it still waits.
    pub(super) fn remove(&mut self, client: &str, ticket: Ticket) {
        let Some(at) = self.clients.iter().position(|(waiting, _)| waiting == client) else { return };
        let Some((_, entries)) = self.clients.get_mut(at) else { return };
        let Some(place) = entries.iter().position(|entry| entry.ticket == ticket) else { return };
        let removed = entries.remove(place);
        if entries.is_empty() {
            self.clients.remove(at);
        }
        if let Some(entry) = removed {
            self.forget(&entry.job);
        }
    }

    fn forget(&mut self, job: &Job) {
        self.len -= 1;
        self.rounds -= job.rounds();
    }
}

#[cfg(test)]
mod tests {
    use super::super::bcrypt;
    use super::*;

    fn job() -> Job {
        Job::Lane(bcrypt::Job::new(b"secret", [0; 16], 4))
    }

    fn popped<T>(queue: &mut Queue<T>) -> Vec<T> {
        std::iter::from_fn(|| queue.pop()).map(|(_, owner)| owner).collect()
    }

    #[test]
    fn the_clients_take_turns() {
        let mut queue = Queue::new(100);
        for (client, owner) in [("a", 1), ("a", 2), ("a", 3), ("b", 4), ("b", 5), ("c", 6)] {
            queue.push(client, job(), owner).unwrap();
        }
        assert_eq!((queue.len(), queue.rounds()), (6, 6 * 16));
        assert_eq!(popped(&mut queue), [1, 4, 6, 2, 5, 3]);
        assert_eq!((queue.len(), queue.rounds()), (0, 0));
    }

    #[test]
    fn a_client_has_a_quarter_of_the_places_and_at_least_one() {
        for (capacity, share) in [(1, 1), (3, 1), (8, 2), (64, 16)] {
            let mut queue = Queue::new(capacity);
            let taken = |queue: &mut Queue<()>, client: &str| {
                (0..100).take_while(|_| queue.push(client, job(), ()).is_ok()).count()
            };
            assert_eq!(taken(&mut queue, "a"), share);
            let others: usize = ["b", "c", "d", "e"].map(|client| taken(&mut queue, client)).iter().sum();
            assert_eq!(others + share, capacity.min(5 * share), "of {capacity}");
        }
    }

    #[test]
    fn who_leaves_frees_the_place() {
        let mut queue = Queue::new(8);
        let first = queue.push("a", job(), 1).unwrap();
        queue.push("a", job(), 2).unwrap();
        assert!(queue.push("a", job(), 3).is_err());
        queue.remove("a", first);
        queue.remove("a", first);
        queue.remove("b", first);
        queue.push("a", job(), 4).unwrap();
        assert_eq!((queue.len(), popped(&mut queue)), (2, vec![2, 4]));
        queue.remove("a", first);
    }
}
