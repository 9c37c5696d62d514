//! All servers together.

use crate::balancer::Balancer;
use crate::host::variables;
use crate::servers::{self, Directory, Instance, Postgres, Redis};
use axum_auth_module::BoxError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;

/// Any free port.
const FREE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// The options of a cluster.
#[derive(Default)]
pub struct Settings {
    /// With the configuration of the soak test.
    pub soak: bool,
    /// With a store for each instance, which is wrong.
    pub separate_stores: bool,
}

/// A PostgreSQL, a Redis, two instances of the host, and the balancer before them. All of them end when it is dropped.
pub struct Cluster {
    /// The address that clients use.
    pub balancer: Balancer,
    /// The instances of the host.
    pub instances: [Instance; 2],
    /// The store of both instances.
    pub redis: Redis,
    /// The database of both instances.
    pub postgres: Postgres,
    /// Last, because what is above writes into it.
    directory: Directory,
}

impl Cluster {
    /// Starts everything, and waits until it is ready.
    ///
    /// # Errors
    /// If a program is missing, or something does not start.
    pub async fn start(settings: &Settings) -> Result<Self, BoxError> {
        let programs = servers::Programs::find()?;
        let directory = Directory::create()?;
        let outbox = directory.create_private("outbox")?;
        let postgres = Postgres::start(&programs, &directory).await?;
        let redis = Redis::start(&programs, &directory).await?;

        // Both instances have the same secrets. They are made for this cluster, and end with it.
        let mut shared = vec![
            ("AUTH_JWT_SECRET", secret()?),
            ("AUTH_REFRESH_SECRET", secret()?),
            ("AUTH_ENCRYPTION_KEY", secret()?),
            ("AUTH_TRUSTED_PROXIES", Ipv4Addr::LOCALHOST.to_string()),
            (variables::DATABASE_URL, postgres.url()),
            (variables::REDIS_URL, redis.url()),
            (variables::OUTBOX, outbox.display().to_string()),
        ];
        if settings.soak {
            shared.push((variables::SOAK, "1".to_owned()));
        }
        let instance = |number: u8| {
            let prefix =
                if settings.separate_stores { format!("instance-{number}:") } else { "cluster:".to_owned() };
            let own = [(variables::REDIS_PREFIX, prefix)];
            Instance::start(number, &directory, shared.iter().cloned().chain(own).collect())
        };
        let mut instances = [instance(1)?, instance(2)?];
        for instance in &mut instances {
            instance.ready().await?;
        }
        let addresses = instances.each_ref().map(Instance::address);
        // The usual port of the examples, if it is free. The soak test leaves it to others.
        let usual = if settings.soak { FREE } else { SocketAddr::from((Ipv4Addr::LOCALHOST, 3000)) };
        let balancer = match Balancer::start(usual, &addresses).await {
            Ok(balancer) => balancer,
            Err(_) => Balancer::start(FREE, &addresses).await?,
        };
        Ok(Self { balancer, instances, redis, postgres, directory })
    }

    /// Where the instances listen.
    pub fn addresses(&self) -> [SocketAddr; 2] {
        self.instances.each_ref().map(Instance::address)
    }

    /// Where the logs and the reset tokens are.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Ends the instances, and then their servers.
    pub async fn stop(&mut self) {
        for instance in &mut self.instances {
            instance.end().await;
        }
        self.redis.end().await;
        self.postgres.end().await;
    }
}

/// 32 random bytes in base64.
pub(crate) fn secret() -> Result<String, BoxError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(STANDARD.encode(bytes))
}
