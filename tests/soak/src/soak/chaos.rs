//! What is done to the servers while the clients send requests.

use super::account::Session;
use super::client::{Call, Client, Outcome};
use super::history::{Answer, Failure, Probe, SETTLING, Via};
use super::random::Random;
use super::steps::guess;
use axum_auth_module::BoxError;
use cluster::Cluster;
use serde_json::json;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// Kills, freezes and restarts servers, one at a time.
pub(super) struct Chaos {
    client: Client,
    random: Random,
    session: Session,
}

impl Chaos {
    /// Registers an account for the requests that are sent while a server is frozen, after some guesses.
    ///
    /// # Errors
    /// If that is refused.
    pub(super) async fn new(client: Client, random: Random) -> Result<Self, BoxError> {
        let (email, password) = ("probe@example.com", "password of the probe");
        let body = json!({ "name": "Probe", "email": email, "password": password, "passwordConfirmation": password });
        // While all servers run, and enough for both instances: stores that are not shared are found in any case.
        guess(&client, "probe".to_owned(), 14).await;
        match client.send(Call::post("/auth/register", body)).await {
            Outcome::Done(body) => {
                let session = Session::of(&body).ok_or("a registration without tokens")?;
                Ok(Self { client, random, session })
            }
            _ => Err("the first registration was refused".into()),
        }
    }

    /// Goes on until this time. The last thing is a rolling restart.
    ///
    /// # Errors
    /// If a server does not start again.
    pub(super) async fn run(&mut self, cluster: &mut Cluster, until: Instant) -> Result<(), BoxError> {
        let is_short = until.duration_since(Instant::now()) < Duration::from_secs(60);
        let pause = if is_short { 2_300..=3_000 } else { 3_000..=6_000 };
        let mut deck = Vec::new();
        loop {
            sleep(Duration::from_millis(self.random.between(*pause.start(), *pause.end()))).await;
            // A failure and what follows takes less than this.
            if until.duration_since(Instant::now()) < Duration::from_secs(7) {
                return self.cause(cluster, Failure::RollingRestart).await;
            }
            if deck.is_empty() {
                deck = Failure::ALL.to_vec();
                self.random.shuffle(&mut deck);
            }
            if let Some(failure) = deck.pop() {
                self.cause(cluster, failure).await?;
            }
        }
    }

    async fn cause(&mut self, cluster: &mut Cluster, failure: Failure) -> Result<(), BoxError> {
        self.client.history().begin(failure);
        let down = Duration::from_millis(self.random.between(200, 1500));
        match failure {
            Failure::Instance => {
                let [first, second] = &mut cluster.instances;
                let instance = if self.random.one_in(2) { first } else { second };
                instance.kill();
                sleep(down).await;
                instance.run()?;
                instance.ready().await?;
            }
            Failure::KilledPostgres => {
                cluster.postgres.kill();
                sleep(down).await;
                cluster.postgres.run().await?;
            }
            Failure::FrozenPostgres => {
                cluster.postgres.freeze().await?;
                self.probe_access(failure, 503).await;
                cluster.postgres.thaw();
            }
            Failure::KilledRedis => {
                cluster.redis.kill();
                self.probe_without_store(failure).await;
                self.probe_store(failure).await;
                sleep(down).await;
                cluster.redis.run().await?;
            }
            Failure::FrozenRedis => {
                cluster.redis.freeze();
                self.probe_without_store(failure).await;
                self.probe_store(failure).await;
                cluster.redis.thaw();
            }
            Failure::RollingRestart => {
                for instance in &mut cluster.instances {
                    if !instance.end().await {
                        return Err("an instance did not end after SIGTERM".into());
                    }
                    instance.run()?;
                    instance.ready().await?;
                    // The balancer sees it too.
                    sleep(Duration::from_millis(500)).await;
                }
            }
        }
        self.client.history().end();
        Ok(())
    }

    /// Uses an access token on both instances, which needs the database only.
    async fn probe_access(&self, failure: Failure, expected: u16) {
        for via in [Via::Instance(0), Via::Instance(1)] {
            let call =
                Call { endpoint: "probe: GET /me", ..Call::get("/me") }.token(&self.session.access).via(via);
            self.probe(call, failure, "an access token", expected).await;
        }
    }

    /// What needs the database only works without Redis.
    async fn probe_without_store(&mut self, failure: Failure) {
        self.probe_access(failure, 200).await;
        let refresh = Call::post("/auth/refresh", json!({ "refreshToken": self.session.refresh }));
        let call = Call { endpoint: "probe: POST /auth/refresh", ..refresh };
        if let Outcome::Done(body) = self.probe(call, failure, "a refresh", 200).await
            && let Some(session) = Session::of(&body)
        {
            self.session = session;
        }
    }

    /// Requests a reset token on both instances, which is counted in the store first.
    async fn probe_store(&self, failure: Failure) {
        for via in [Via::Instance(0), Via::Instance(1)] {
            let call = Call::post("/auth/forgot-password", json!({ "email": "nobody@example.net" })).via(via);
            let call = Call { endpoint: "probe: POST /auth/forgot-password", ..call };
            self.probe(call, failure, "a request that is counted", 503).await;
        }
    }

    async fn probe(&self, call: Call<'_>, failure: Failure, what: &'static str, expected: u16) -> Outcome {
        let began = Instant::now();
        let outcome = self.client.send(call.clone()).await;
        let took = began.elapsed();
        let mut events = self.client.history().events();
        let sent = events.requests.iter().rev().find(|request| request.endpoint == call.endpoint);
        let answer = sent.map_or(Answer::Cut, |request| request.answer.clone());
        events.probes.push(Probe { failure, what, expected, answer, took });
        outcome
    }
}

/// Waits until the effects of the last failure are over.
pub(super) async fn calm(client: &Client) {
    while !client.history().is_calm() {
        sleep(SETTLING / 10).await;
    }
}
