// Providers: what the client does between leaving the page and coming back. `client.test.mjs` runs these tests. The module's routes
// for providers are played in this file, so that each of their responses can be had.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Browser, hooks, isError, me, registered } from "./browser.mjs";

const REDIRECT = "http://localhost:3000/callback";
const STATE = "a-state-of-the-provider";
const BACK = `?code=a-code&state=${STATE}&iss=https%3A%2F%2Fid.example`;
const respond = (status, body, headers) => Response.json(body, { status, headers });
const problem = (status, code, more) => respond(status, { code, detail: code, ...more }, { "retry-after": "0" });

/**
 * Plays the routes with these paths, each with its responses in turn; the last one stays. Returns the requests: the method and
 * the path, the body, and the credential.
 */
function played(routes) {
  const requests = [];
  hooks.push(async (request, send) => {
    const path = new URL(request.url).pathname.replace(/^\/(bearer|auth)/, "");
    const responses = routes[`${request.method} ${path}`];
    if (!responses) return send(request);
    const text = await request.clone().text(), credential = request.headers.get("authorization");
    requests.push({ route: `${request.method} ${path}`, body: text && JSON.parse(text), credential });
    return (responses.length > 1 ? responses.shift() : responses[0]).clone();
  });
  return requests;
}

const authorized = () => respond(200, {
  authorizationUrl: `https://id.example/authorize?client_id=x&state=${STATE}`, flowToken: "fl1.flow", expiresIn: 600,
});

/** A tab that has left for the provider, and the route that finishes, with these responses. */
async function left(finishing, ...responses) {
  const browser = new Browser("tokens"), tab = browser.tab();
  const requests = played({ "POST /oauth/acme/authorize": [authorized()], [finishing]: responses });
  await tab.providers.signIn("acme", REDIRECT);
  return { browser, tab, requests };
}

const CALLBACK = "POST /oauth/acme/callback";

test("a sign-in leaves the page and is finished by the tab that has left", async () => {
  const other = new Browser("tokens");
  const account = other.tab();
  await registered(account);
  const { session: _, ...tokens } = JSON.parse(other.contents().items[0]);
  const { browser, tab, requests } = await left(CALLBACK, respond(200, { ...tokens, twoFactor: false }));
  assert.deepEqual(browser.left, [`https://id.example/authorize?client_id=x&state=${STATE}`]);
  assert.deepEqual(browser.contents().items, [], "other tabs cannot read the flow");
  await assert.rejects(browser.tab().providers.finish(BACK), isError("invalid_flow_token"));
  let changes = 0;
  tab.onchange = () => { changes += 1; };
  assert.deepEqual(await tab.providers.finish(BACK), { twoFactor: false }, "the tokens are not for the page");
  assert.deepEqual(requests, [
    { route: "POST /oauth/acme/authorize", body: { redirectUri: REDIRECT, remember: false }, credential: null },
    {
      route: CALLBACK, credential: null,
      body: { flowToken: "fl1.flow", code: "a-code", state: STATE, iss: "https://id.example" },
    },
  ]);
  assert.equal(await me(tab), 200);
  assert.equal(changes, 1);
  await assert.rejects(tab.providers.finish(BACK), isError("invalid_flow_token"), "it is over");
});

test("a link that somebody else has made ends nothing", async () => {
  const { tab, requests } = await left(CALLBACK, respond(200, { registration: true, registrationToken: "fl1.r" }));
  for (const forged of ["?code=theirs&state=theirs", "?error=access_denied", "?error=access_denied&state=x", ""]) {
    await assert.rejects(tab.providers.finish(forged), isError("invalid_flow_token"));
  }
  assert.equal(requests.length, 1);
  assert.deepEqual(await tab.providers.finish(BACK), { registration: true, registrationToken: "fl1.r" });
  assert.equal((await tab.session()).authenticated, false, "there is no session yet");
});

test("a user who cancels at the provider begins anew", async () => {
  for (const [error, code] of [["access_denied", "provider_refused"], ["server_error", "provider_unavailable"]]) {
    const { tab, requests } = await left(CALLBACK, respond(500, {}));
    await assert.rejects(tab.providers.finish(`?error=${error}&state=${STATE}`), isError(code));
    assert.equal(requests.length, 1, "the server is not asked");
    await assert.rejects(tab.providers.finish(BACK), isError("invalid_flow_token"));
    hooks.splice(0);
  }
});

test("while the provider cannot be reached, the same return can be used again", async () => {
  const second = respond(200, { twoFactor: true, challengeToken: "ch" });
  const { tab } = await left(CALLBACK, problem(503, "provider_unavailable"), second);
  await assert.rejects(tab.providers.finish(BACK), isError("provider_unavailable"));
  assert.deepEqual(await tab.providers.finish(BACK), { twoFactor: true });
});

test("an account with the address is linked after its user has logged in", async () => {
  const identity = { id: "1", provider: "acme", email: "ada@example.com" };
  const { tab, requests } = await left(CALLBACK, problem(409, "account_exists", { linkToken: "fl1.link", expiresIn: 600 }));
  const refusal = await tab.providers.finish(BACK).catch((error) => error);
  assert.deepEqual([refusal.code, refusal.linkToken], ["account_exists", "fl1.link"]);
  await registered(tab);
  requests.push(...played({ "POST /user/identities": [respond(201, identity)] }));
  assert.deepEqual(await tab.providers.linkWith(refusal.linkToken), identity);
});

test("a signed-in user links, confirms and unlinks with the session's credential", async () => {
  const browser = new Browser("tokens"), tab = browser.tab();
  await registered(tab);
  const requests = played({
    "POST /user/identities/acme/authorize": [authorized()],
    "POST /user/identities": [respond(201, { id: "1" })],
    "POST /user/confirm-provider/acme/authorize": [authorized()],
    "POST /user/confirm-provider": [respond(200, { confirmed: true })],
    "GET /user/identities": [respond(200, [{ id: "1" }])],
    "DELETE /user/identities/1": [respond(200, { message: "Gone.", accessToken: "other", refreshToken: "other" })],
  });
  await tab.providers.link("acme", REDIRECT);
  assert.deepEqual(await tab.providers.finish(BACK), { id: "1" });
  await tab.providers.confirm("acme", REDIRECT);
  assert.deepEqual(await tab.providers.finish(BACK), { confirmed: true });
  assert.deepEqual(await tab.providers.identities(), [{ id: "1" }]);
  assert.deepEqual(await tab.providers.unlink("1"), { message: "Gone." });
  assert.ok(requests.every(({ credential }) => credential?.startsWith("Bearer ")), JSON.stringify(requests));
  assert.equal(JSON.parse(browser.contents().items[0]).accessToken, "other", "the other sessions have ended");
});

test("with cookies the module's own route finishes, and leads to the page", async () => {
  const browser = new Browser("cookies"), tab = browser.tab();
  const authorizationUrl = `https://id.example/authorize?state=${STATE}`;
  const requests = played({ "POST /oauth/acme/authorize": [respond(200, { authorizationUrl })] });
  await tab.providers.signIn("acme", undefined, { next: "/#/notes", remember: true });
  assert.deepEqual(requests[0].body, { next: "/#/notes", remember: true });
  assert.deepEqual(browser.left, [authorizationUrl]);
});
