// A service that knows the published keys alone verifies the tokens, also while the key changes: jose, and the example `second_service`.
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { Program, freePort } from "../providers/processes.mjs";

const { createRemoteJWKSet, jwtVerify } = await import(
  pathToFileURL(join(process.env.JOSE, "dist/webapi/index.js")).href
);

const directory = mkdtempSync(join(tmpdir(), "services-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));

// The file of a new key, the private one in PKCS#8 and the public one.
function key(name, kind, options) {
  const pair = generateKeyPairSync(kind, options);
  const files = { private: join(directory, `${name}.pem`), public: join(directory, `${name}.public.pem`) };
  writeFileSync(files.private, pair.privateKey.export({ type: "pkcs8", format: "pem" }));
  writeFileSync(files.public, pair.publicKey.export({ type: "spki", format: "pem" }));
  return files;
}

const ed25519 = key("ed25519", "ed25519");
const p256 = key("p256", "ec", { namedCurve: "P-256" });

class Application {
  constructor(port) {
    this.url = `http://localhost:${port}`;
    this.environment = { ADDR: `127.0.0.1:${port}`, PUBLIC_URL: this.url, AUTH_BCRYPT_COST: "10" };
  }

  // Starts it, or starts it again with other keys and the accounts that there were.
  async start(keys) {
    await this.program?.stop();
    const command = [process.env.QUICKSTART];
    this.program = await Program.start("application", command, { ...this.environment, ...keys }, `${this.url}/healthz`);
  }

  async post(path, body, token) {
    const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
    return fetch(this.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  }

  async register() {
    const password = "correct horse battery staple";
    const user = { name: "Ada", email: "ada@example.com", password, passwordConfirmation: password };
    const registered = await this.post("/auth/register", user);
    assert.equal(registered.status, 201);
    this.session = (await registered.json()).accessToken;
    const headers = { authorization: `Bearer ${this.session}` };
    this.user = (await (await fetch(`${this.url}/me`, { headers })).json()).id;
  }

  async serviceToken() {
    const answer = await this.post("/auth/service-token", { audience: "billing" }, this.session);
    assert.equal(answer.status, 200);
    return (await answer.json()).token;
  }
}

// What a service does with jose. A new set has read no keys yet; of one that has, `cooldownDuration` lets it read them again at once.
function services(application) {
  const keys = createRemoteJWKSet(new URL(`${application.url}/.well-known/jwks.json`), { cooldownDuration: 0 });
  return async (token, audience = "billing") => {
    const expected = { issuer: application.url, audience, typ: "at+jwt", algorithms: ["EdDSA", "ES256"] };
    return (await jwtVerify(token, keys, expected)).payload;
  };
}

test("services verify the tokens while the key changes", async () => {
  const application = new Application(await freePort());
  await application.start({ SERVICE_KEY_PEM_FILE: ed25519.private });
  await application.register();
  const port = await freePort();
  const service = `http://127.0.0.1:${port}`;
  const settings = { ISSUER: application.url, ADDR: `127.0.0.1:${port}` };
  // A service that begins reads the keys, as one does every five minutes.
  let second;
  const restart = async () => {
    await second?.stop();
    second = await Program.start("second service", [process.env.SECOND_SERVICE], settings, `${service}/healthz`);
  };
  const invoices = async (token) => {
    const answer = await fetch(`${service}/invoices`, { headers: { authorization: `Bearer ${token}` } });
    return answer.ok ? answer.text() : answer.status;
  };

  const verify = services(application);
  const tokens = [];
  const accepted = async (token) => {
    const claims = await verify(token);
    assert.equal(claims.sub, String(application.user));
    assert.deepEqual(claims.amr, ["pwd"]);
    assert.equal(await invoices(token), `The invoices of ${application.user}`);
  };
  const steps = [
    { SERVICE_KEY_PEM_FILE: ed25519.private },
    { SERVICE_KEY_PEM_FILE: ed25519.private, SERVICE_NEXT_KEY_PEM_FILE: p256.public },
    { SERVICE_KEY_PEM_FILE: p256.private, SERVICE_PREVIOUS_KEY_PEM_FILE: ed25519.public },
  ];
  for (const keys of steps) {
    await application.start(keys);
    await restart();
    tokens.push(await application.serviceToken());
    for (const token of tokens) await accepted(token);
  }
  const algorithms = tokens.map((token) => JSON.parse(Buffer.from(token.split(".")[0], "base64url")).alg);
  assert.deepEqual(algorithms, ["EdDSA", "EdDSA", "ES256"]);

  // When the old key is not published any more, a service that begins now refuses what it has signed.
  await application.start({ SERVICE_KEY_PEM_FILE: p256.private });
  await restart();
  const [oldest, newest] = [tokens[0], tokens.at(-1)];
  const afresh = services(application);
  await assert.rejects(afresh(oldest), { code: "ERR_JWKS_NO_MATCHING_KEY" });
  assert.equal(await invoices(oldest), 401);
  await accepted(newest);

  // For another service, in another type, and edited.
  await assert.rejects(verify(newest, "search"), { code: "ERR_JWT_CLAIM_VALIDATION_FAILED" });
  assert.equal(await invoices(application.session), 401);
  assert.equal(await invoices(`${newest.slice(0, -8)}AAAAAAAA`), 401);
  // Without the keys, a service does not know whether a token is valid.
  await application.program.stop();
  await restart();
  assert.equal(await invoices(newest), 503);
  await application.start({ SERVICE_KEY_PEM_FILE: p256.private });
  assert.equal(await invoices(newest), `The invoices of ${application.user}`);

  // The application itself accepts none.
  const me = await fetch(`${application.url}/me`, { headers: { authorization: `Bearer ${newest}` } });
  assert.equal(me.status, 401);
});
