//! Which connections there are, and what is certain if there is none.

use super::*;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

#[tokio::test]
async fn this_machine_is_reached_only_as_a_host_of_the_configuration() {
    let server = Local::responding(EMPTY).await;
    let hosts = [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "0x7f000001",
        "017700000001",
        "127.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
    ];
    for host in hosts {
        for scheme in ["http", "https"] {
            let uri = format!("{scheme}://{host}:{}/", server.port);
            let result = OutboundClient::new().send(post(&uri)).await;
            assert!(
                texts(result.as_ref().unwrap_err()).contains("no address that the request may reach"),
                "{uri}"
            );
            assert!(is_certain(result), "{uri}");
        }
    }
    assert_eq!(server.accepted(), 0);
    let reached = ["127.0.0.1", "localhost", "2130706433"];
    for host in reached {
        let uri = format!("http://{host}:{}/", server.port);
        assert!(OutboundClient::new().send(configured(&uri)).await.is_ok(), "{uri}");
    }
    assert_eq!(server.accepted(), reached.len());
}

#[tokio::test]
async fn without_tls_no_other_machine_is_reached() {
    for uri in [
        "http://192.0.2.1/",
        "http://10.0.0.1/",
        "http://0.0.0.0/",
        "http://1.1.1.1/",
        "http://[2606:4700::1111]/",
    ] {
        for request in [post(uri), configured(uri)] {
            let result = OutboundClient::new().send(request).await;
            assert!(
                texts(result.as_ref().unwrap_err()).contains("no address that the request may reach"),
                "{uri}"
            );
            assert!(is_certain(result), "{uri}");
        }
    }
}

#[tokio::test]
async fn what_cannot_be_sent_is_not_sent() {
    let server = Local::responding(EMPTY).await;
    let mut tunnel = configured(&server.uri());
    *tunnel.method_mut() = Method::CONNECT;
    let result = OutboundClient::new().send(tunnel).await;
    assert!(texts(result.as_ref().unwrap_err()).contains("a request for a tunnel cannot be sent"));
    assert!(is_certain(result));
    let port = server.port;
    for uri in [
        "/relative".to_owned(),
        format!("127.0.0.1:{port}"),
        format!("ftp://127.0.0.1:{port}/"),
        format!("http://user:canary@127.0.0.1:{port}/"),
        format!("http://canary@127.0.0.1:{port}/"),
        "http://127.0.0.1:99999/".to_owned(),
        "http://127.0.0.1:/".to_owned(),
    ] {
        let result = OutboundClient::new().send(configured(&uri)).await;
        assert!(texts(result.as_ref().unwrap_err()).contains("expected a URI"), "{uri}");
        assert!(is_certain(result), "{uri}");
    }
    assert_eq!(server.accepted(), 0);
}

#[tokio::test]
async fn a_closed_port_is_certain_and_a_closed_connection_is_not() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}/?code={SECRET}", listener.local_addr().unwrap());
    drop(listener);
    assert!(is_certain(OutboundClient::new().send(configured(&uri)).await));
    let reads = Local::serving(|mut stream| async move {
        read_request(&mut stream).await;
    });
    assert!(!is_certain(of(&reads.await).await));
    let closes = Local::serving(|stream| async { drop(stream) });
    assert!(!is_certain(of(&closes.await).await));
    let babbles = Local::responding("canary\r\n\r\n");
    assert!(!is_certain(of(&babbles.await).await));
}

#[tokio::test]
async fn a_server_that_never_finishes_the_handshake_gets_half_of_the_limit() {
    let server = Local::serving(|stream| async move {
        std::future::pending::<()>().await;
        drop(stream);
    })
    .await;
    let client = OutboundClient::new().timeout(Duration::from_millis(400));
    let uri = format!("https://localhost:{}/", server.port);
    let began = Instant::now();
    assert!(is_certain(client.send(configured(&uri)).await));
    assert_eq!(server.accepted(), 1);
    let took = began.elapsed();
    assert!(took >= Duration::from_millis(200) && took < Duration::from_secs(4), "{took:?}");
}

/// A server with a certificate for these names, and the certificate.
async fn with_tls(names: &[&str]) -> (Local, CertificateDer<'static>) {
    let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let server = Local::serving(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(mut stream) = acceptor.accept(stream).await else { return };
            read_request(&mut stream).await;
            let _closed_early = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsafe").await;
            let _closed_early = stream.shutdown().await;
        }
    });
    (server.await, cert.der().clone())
}

#[tokio::test]
async fn the_certificate_has_the_name_and_comes_from_an_authority() {
    let (server, certificate) = with_tls(&["localhost"]).await;
    let mut roots = RootCertStore::empty();
    roots.add(certificate).unwrap();
    let trusting = OutboundClient::trusting(roots);
    let uri = |host: &str| format!("https://{host}:{}/?code={SECRET}", server.port);
    let response = trusting.send(configured(&uri("localhost"))).await.unwrap();
    assert_eq!(response.body(), "safe");
    // Another name, and an authority that is not known.
    assert!(is_certain(trusting.send(configured(&uri("127.0.0.1"))).await));
    assert!(is_certain(OutboundClient::new().send(configured(&uri("localhost"))).await));
    // A server without TLS.
    let plain = Local::responding(EMPTY).await;
    let uri = format!("https://localhost:{}/", plain.port);
    assert!(is_certain(trusting.send(configured(&uri)).await));
}
