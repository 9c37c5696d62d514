// The providers. Each has an issuer, registers the clients of hosts, knows people, and asks them on its own pages.
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { Program, freePort } from "./processes.mjs";

// oidc-provider says what a provider in production must have.
console.info = console.warn = () => {};

const { OIDC_PROVIDER, OIDC_PROVIDER_MOCK } = process.env;
const { default: Provider } = await import(createRequire(`${OIDC_PROVIDER}/`).resolve("oidc-provider"));
const KEYS = { RS256: ["rsa", { modulusLength: 2048 }], ES256: ["ec", { namedCurve: "P-256" }], EdDSA: ["ed25519"] };

// Submits the forms of a provider until it leads back to the client. Returns which pages there were, and what the client gets.
async function asked(browser, url, redirect, submitted) {
  const pages = [];
  let page = await browser.visit(url, redirect);
  while (page.status === 200) {
    const { name, url, fields } = submitted(page);
    pages.push(name);
    page = await browser.visit(url, redirect, fields);
  }
  assert(page.location, `${page.url}: ${page.status} ${page.text}`);
  return { pages, returned: Object.fromEntries(page.location.searchParams) };
}

// oidc-provider, in this process.
export class OidcProvider {
  name = "oidc-provider";
  // What it asks somebody who comes for the first time.
  pages = ["login", "consent"];
  remembers = true;
  hasStateInErrors = true;
  sendsIssuer = true;
  #people = new Map();

  // With `addressInIdToken`, UserInfo is not needed.
  static async start({ algorithm, auth, addressInIdToken = false }) {
    const port = await freePort();
    const peer = Object.assign(new OidcProvider(), { algorithm, auth, addressInIdToken, port });
    peer.issuer = `http://127.0.0.1:${port}`;
    return peer;
  }

  // Registers the client of a host. The provider is there from now on.
  async register(redirects) {
    const isPublic = this.auth === "none";
    const secret = isPublic ? undefined : "a secret: 100% +/&= of the client";
    this.client = {
      client_id: "the client/1",
      client_secret: secret,
      redirect_uris: redirects,
      application_type: isPublic ? "native" : "web",
      token_endpoint_auth_method: this.auth,
      id_token_signed_response_alg: this.algorithm,
    };
    await this.resumeWithOtherKeys();
    return { id: this.client.client_id, secret };
  }

  async resumeWithOtherKeys() {
    const { privateKey } = generateKeyPairSync(...KEYS[this.algorithm]);
    this.jwks = { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig" }] };
    await this.resume();
  }

  async resume() {
    const provider = new Provider(this.issuer, {
      clients: [this.client],
      clientAuthMethods: [this.auth],
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
      conformIdTokenClaims: !this.addressInIdToken,
      cookies: { keys: ["the key of the cookies"] },
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...this.#people.get(sub), sub }) }),
      jwks: this.jwks,
      pkce: { required: () => true },
    });
    this.server = createServer(provider.callback()).listen(this.port, "127.0.0.1");
    await once(this.server, "listening");
    this.server.unref();
  }

  async stop() {
    this.server.ref().close();
    this.server.closeAllConnections();
    await once(this.server, "close");
  }

  async know(sub, claims) {
    this.#people.set(sub, claims);
  }

  // What somebody does who comes with this authorization request.
  async answer(browser, url, redirect, { sub, refuses }) {
    return asked(browser, url, redirect, (page) => {
      const { url, fields } = page.form();
      if (fields.prompt === "login") return { name: "login", url, fields: { ...fields, login: sub, password: "x" } };
      return refuses ? { name: "cancel", url: page.link("Cancel") } : { name: "consent", url, fields };
    });
  }
}

// oidc-provider-mock, a program.
export class OidcProviderMock {
  name = "oidc-provider-mock";
  pages = ["consent"];
  remembers = false;
  hasStateInErrors = false;
  sendsIssuer = false;
  // Its ID tokens have every claim of a person, whatever the claim means.
  copiesClaims = true;
  #people = new Map();

  static async start() {
    const peer = new OidcProviderMock();
    peer.port = await freePort();
    peer.issuer = `http://127.0.0.1:${peer.port}`;
    await peer.resume();
    return peer;
  }

  // It has forgotten codes and clients. A client that it does not know may do everything.
  async resume() {
    const command = [OIDC_PROVIDER_MOCK, "--port", this.port];
    this.program = await Program.start(`${this.name}-${this.port}`, command, {}, `${this.issuer}/jwks`);
    for (const [sub, claims] of this.#people) await this.know(sub, claims);
  }

  async resumeWithOtherKeys() {
    await this.resume();
  }

  async stop() {
    await this.program.stop();
  }

  async register(redirects) {
    const response = await this.#sent("POST", "/oauth2/clients", { redirect_uris: redirects });
    const { client_id: id, client_secret: secret } = await response.json();
    return { id, secret };
  }

  async know(sub, claims) {
    this.#people.set(sub, claims);
    await this.#sent("PUT", `/users/${sub}`, claims);
  }

  async #sent(method, path, body) {
    const headers = { "content-type": "application/json" };
    const response = await fetch(this.issuer + path, { method, headers, body: JSON.stringify(body) });
    assert(response.ok, `${path}: ${response.status}`);
    return response;
  }

  async answer(browser, url, redirect, { sub, refuses }) {
    return asked(browser, url, redirect, (page) => {
      const { url } = page.form();
      return refuses ? { name: "cancel", url, fields: { action: "deny" } } : { name: "consent", url, fields: { sub } };
    });
  }
}
