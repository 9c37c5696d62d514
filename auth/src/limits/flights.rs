//! Attempts that are under way in this process: their slots are taken, and may yet be given back.
//!
//! A counter that is full says nothing about the next attempt while some of its slots are in the air. Without this,
//! of twenty valid logins at once the sixth would be refused for failures that never happened.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// The attempts under way, by key. A key is forgotten with its last attempt.
#[derive(Default)]
pub(super) struct Flights(Mutex<HashMap<String, Arc<watch::Sender<Board>>>>);

/// What is going on under one key.
#[derive(Clone, Copy, Default)]
struct Board {
    /// Attempts that are being counted right now.
    checking_in: usize,
    /// Attempts that hold a slot.
    flying: usize,
    /// How many have ended so far, one way or the other.
    landed: u64,
}

/// An attempt that wants a slot.
pub(super) struct Boarding {
    flights: Arc<Flights>,
    key: String,
    board: Arc<watch::Sender<Board>>,
}

/// An attempt while its counter is being asked.
pub(super) struct CheckIn<'a> {
    boarding: &'a Boarding,
    landed_before: Landings,
}

/// How many attempts had ended at some moment.
#[derive(Clone, Copy)]
pub(super) struct Landings(u64);

/// An attempt that holds a slot. It lands when it is dropped.
pub(super) struct Flight(Boarding);

impl Boarding {
    pub(super) fn at(flights: &Arc<Flights>, key: String) -> Self {
        let mut boards = flights.0.lock().unwrap_or_else(PoisonError::into_inner);
        let board = Arc::clone(boards.entry(key.clone()).or_default());
        Self { flights: Arc::clone(flights), key, board }
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// To be called before the counter is asked.
    pub(super) fn check_in(&self) -> CheckIn<'_> {
        let mut landed = 0;
        self.board.send_modify(|board| {
            board.checking_in += 1;
            landed = board.landed;
        });
        CheckIn { boarding: self, landed_before: Landings(landed) }
    }

    /// Waits until an attempt ends that had not before: then asking the counter again may help. `false` when there is
    /// none to wait for.
    pub(super) async fn wait_for_a_landing(&self, Landings(before): Landings) -> bool {
        let mut board = self.board.subscribe();
        let settled = |board: &Board| board.landed != before || (board.flying == 0 && board.checking_in == 0);
        let settled = board.wait_for(settled).await.map(|board| *board);
        settled.is_ok_and(|board| board.landed != before)
    }
}

impl CheckIn<'_> {
    /// The counter has given a slot.
    pub(super) fn take_off(self) -> Flight {
        let Boarding { flights, key, board } = self.boarding;
        board.send_modify(|board| board.flying += 1);
        Flight(Boarding { flights: Arc::clone(flights), key: key.clone(), board: Arc::clone(board) })
    }

    /// The counter is full.
    pub(super) fn turn_back(self) -> Landings {
        self.landed_before
    }
}

impl Flight {
    pub(super) fn key(&self) -> &str {
        &self.0.key
    }
}

impl Drop for CheckIn<'_> {
    fn drop(&mut self) {
        self.boarding.board.send_modify(|board| board.checking_in -= 1);
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.0.board.send_modify(|board| {
            board.flying -= 1;
            board.landed += 1;
        });
    }
}

impl Drop for Boarding {
    fn drop(&mut self) {
        let mut boards = self.flights.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Ours and the map's: under the lock nobody else can get hold of it.
        if Arc::strong_count(&self.board) == 2 {
            boards.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn flight(flights: &Arc<Flights>) -> Flight {
        Boarding::at(flights, "k".to_owned()).check_in().take_off()
    }

    #[tokio::test]
    async fn who_finds_nobody_under_way_waits_for_nobody() {
        let flights = Arc::default();
        let boarding = Boarding::at(&flights, "k".to_owned());
        let before = boarding.check_in().turn_back();
        assert!(!boarding.wait_for_a_landing(before).await);
    }

    #[tokio::test]
    async fn a_landing_is_waited_for_and_not_missed() {
        let flights = Arc::default();
        let first = flight(&flights);
        let boarding = Boarding::at(&flights, "k".to_owned());
        let before = boarding.check_in().turn_back();
        let waiting = tokio::time::timeout(Duration::from_millis(5), boarding.wait_for_a_landing(before));
        assert!(waiting.await.is_err());
        drop(first);
        assert!(boarding.wait_for_a_landing(before).await);
        let before = boarding.check_in().turn_back();
        assert!(!boarding.wait_for_a_landing(before).await, "a landing counts once");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn fifty_that_are_refused_at_once_do_not_wait_for_each_other() {
        let flights: Arc<Flights> = Arc::default();
        let boardings = (0..50).map(|_| {
            let flights = Arc::clone(&flights);
            tokio::spawn(async move {
                let boarding = Boarding::at(&flights, "k".to_owned());
                let check_in = boarding.check_in();
                tokio::task::yield_now().await;
                let before = check_in.turn_back();
                boarding.wait_for_a_landing(before).await
            })
        });
        for boarding in boardings.collect::<Vec<_>>() {
            let waited = tokio::time::timeout(Duration::from_secs(10), boarding).await;
            assert!(!waited.expect("an end").unwrap());
        }
        assert!(flights.0.lock().unwrap().is_empty(), "keys are forgotten");
    }
}
