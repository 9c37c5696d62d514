// Tests of `examples/client` against the host of this example. `cargo test -p spa` starts the host and this file.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import {
  Browser, QUARTER_OF_AN_HOUR, advance, enableTwoFactor, forBoth, hooks, host, isError, me, noLocks, notes, oneTimeCode, post,
  registered, requestsSince,
} from "./browser.mjs";
import "./deletions.mjs";
import "./devices.mjs";
import "./mails.mjs";
import "./passkeys.mjs";
import "./proofs.mjs";
import "./providers.mjs";
import { AuthClient, AuthError, json } from "../../client/dist/index.js";

afterEach(() => hooks.splice(0));

// Several tabs, and the refresh token that works once.

test("30 tabs with one expired access token refresh it once", async () => {
  const browser = new Browser("tokens"), tabs = browser.tabs(30);
  await registered(tabs[0]);
  for (let round = 0; round < 5; round += 1) {
    await advance(QUARTER_OF_AN_HOUR);
    await requestsSince();
    const statuses = await Promise.all(tabs.map(me));
    assert.deepEqual(statuses, Array(30).fill(200));
    const requests = await requestsSince();
    assert.equal(requests["/bearer/refresh"], 1);
    assert.equal(requests["/api/me"], 60, "each request was sent twice, so each token had expired");
  }
});

test("without a lock the same 30 tabs refresh it more often: the test above can fail", async () => {
  const browser = new Browser("tokens"), tabs = browser.tabs(30, { locks: noLocks });
  await registered(tabs[0]);
  await advance(QUARTER_OF_AN_HOUR);
  await requestsSince();
  await Promise.all(tabs.map(me));
  const { "/bearer/refresh": refreshes } = await requestsSince();
  assert.ok(refreshes > 1, `${refreshes} refreshes`);
});

test("30 parallel requests of one tab refresh once, also in a browser without locks", async () => {
  const tab = new Browser("tokens").tab({ locks: undefined });
  await registered(tab);
  await advance(QUARTER_OF_AN_HOUR);
  await requestsSince();
  assert.deepEqual(await Promise.all(Array.from({ length: 30 }, () => me(tab))), Array(30).fill(200));
  assert.equal((await requestsSince())["/bearer/refresh"], 1);
});

test("a tab that was idle while another one refreshed goes on with the tokens of the other", async () => {
  const [first, second] = new Browser("tokens").tabs(2);
  await registered(first);
  for (let hour = 0; hour < 3; hour += 1) {
    await advance(QUARTER_OF_AN_HOUR);
    assert.equal(await me(first), 200);
    await advance(60);
    assert.equal(await me(second), 200);
  }
});

test("if the response of a refresh is lost, the client asks again in time", async () => {
  const tab = new Browser("tokens").tab();
  await registered(tab);
  await advance(QUARTER_OF_AN_HOUR);
  let lost = 0;
  hooks.push(async (request, send) => {
    const response = await send(request);
    if (!request.url.endsWith("/refresh") || lost > 0) return response;
    lost += 1;
    throw new TypeError("the connection was closed");
  });
  assert.equal(await me(tab), 200);
  assert.equal(lost, 1);
  await advance(QUARTER_OF_AN_HOUR);
  assert.equal(await me(tab), 200, "the session goes on");
});

test("if the server cannot refresh, the tokens are kept for later", async () => {
  const tab = new Browser("tokens").tab();
  await registered(tab);
  await advance(QUARTER_OF_AN_HOUR);
  hooks.push((request, send) => (request.url.endsWith("/refresh") ? new Response("", { status: 503 }) : send(request)));
  await assert.rejects(me(tab), isError("http_503"));
  hooks.pop();
  assert.equal(await me(tab), 200);
});

forBoth("a change of the password in one tab does not disturb the others", async (browser) => {
  const tabs = browser.tabs(30);
  const { password } = await registered(tabs[0]);
  // The response takes its time. Meanwhile the server refuses the previous credential.
  hooks.push(async (request, send) => {
    const response = await send(request);
    if (request.url.endsWith("/user/password")) await setTimeout(200);
    return response;
  });
  const change = { currentPassword: password, password: "battery staple horse", passwordConfirmation: "battery staple horse" };
  const changed = tabs[0].call("PUT", "/user/password", change);
  const statuses = [];
  const use = async (tab) => { for (let time = 0; time < 20; time += 1) statuses.push(await me(tab)); };
  await Promise.all([changed, ...tabs.slice(1).map(use)]);
  assert.deepEqual(new Set(statuses), new Set([200]));
  assert.deepEqual(await changed, { message: (await changed).message }, "without tokens");
});

// The end of a session.

forBoth("a logout ends the session for all tabs", async (browser) => {
  const [first, second] = browser.tabs(2);
  await registered(first);
  assert.equal(await me(second), 200);
  const changes = [];
  first.onchange = () => changes.push("first");
  await first.logout();
  assert.deepEqual(changes, ["first"]);
  assert.equal(await me(second), 401);
  assert.deepEqual(await second.session(), { authenticated: false });
  await second.logout(); // Nothing is left to end.
});

forBoth("after the session has ended on the server, the tab learns it with its next request", async (browser) => {
  const tab = browser.tab();
  const account = await registered(tab);
  const elsewhere = await fetch(`${host}/bearer/login`, {
    method: "POST", credentials: "omit", body: JSON.stringify(account), headers: { "content-type": "application/json" },
  });
  const { accessToken } = await elsewhere.json();
  const other = (method, path, body) => fetch(`${host}/bearer${path}`, {
    method, credentials: "omit", body: body && JSON.stringify(body),
    headers: { authorization: `Bearer ${accessToken}`, ...(body && { "content-type": "application/json" }) },
  });
  await other("POST", "/user/confirm-password", { password: account.password });
  assert.equal((await (await other("DELETE", "/user/sessions")).json()).ended, 1);

  let changes = 0;
  tab.onchange = () => { changes += 1; };
  assert.equal(await me(tab), 401);
  assert.equal(changes, 1);
  assert.deepEqual(await tab.session(), { authenticated: false });
  assert.deepEqual(browser.contents().items, []);
});

forBoth("a request of one user is never repeated as another user", async (browser) => {
  const [first, second] = browser.tabs(2);
  await registered(second);
  const other = { ...(await registered(first)) };
  await first.logout();
  await registered(first);
  // While the request of the first tab is under way, the other tab logs out, and another user logs in.
  hooks.push(async (request, send) => {
    if (!request.url.endsWith("/api/notes")) return send(request);
    hooks.length = 0;
    await second.logout();
    const response = await send(request);
    await second.login(other);
    return response;
  });
  await assert.rejects(notes(first, post("private")), isError("unauthenticated"));
  assert.deepEqual(await notes(second), []);
});

test("a logout that does not reach the server deletes the tokens and fails", async () => {
  const browser = new Browser("tokens"), tab = browser.tab();
  await registered(tab);
  hooks.push(() => { throw new TypeError("offline"); });
  await assert.rejects(tab.logout(), TypeError);
  assert.deepEqual(browser.contents().items, []);
});

// Limits.

forBoth("a refusal with 429 is repeated after the time that the server names", async (browser) => {
  const tab = browser.tab(), forget = () => tab.call("POST", "/forgot-password", { email: "a@example.com" });
  await advance(61);
  for (let call = 0; call < 3; call += 1) await forget();
  await assert.rejects(forget(), (error) => error.code === "too_many_attempts" && error.retryAfter === 60);
  await advance(58);
  const began = Date.now();
  hooks.push(async (request, send) => {
    const response = await send(request);
    if (response.status === 429) await advance(Number(response.headers.get("retry-after")));
    return response;
  });
  await forget();
  assert.ok(Date.now() - began >= 1990, "after two seconds");
});

test("a request is repeated twice at most, and only for a Retry-After that is there", async () => {
  const tab = new Browser("tokens").tab();
  for (const [headers, expected] of [
    [{ "retry-after": "0" }, 3], [{ "retry-after": new Date().toUTCString() }, 3], [{}, 1], [{ "retry-after": "soon" }, 1],
    [{ "retry-after": "11" }, 1],
  ]) {
    let requests = 0;
    hooks.push(() => { requests += 1; return new Response("", { status: 429, headers }); });
    assert.equal(await me(tab), 429);
    assert.equal(requests, expected, JSON.stringify(headers));
    hooks.pop();
  }
});

test("the wait ends when the request is aborted", async () => {
  const tab = new Browser("tokens").tab(), abort = new AbortController();
  hooks.push(() => new Response("", { status: 429, headers: { "retry-after": "9" } }));
  const request = tab.fetch(`${host}/api/me`, { signal: abort.signal });
  await Promise.all([assert.rejects(request, { name: "AbortError" }), setTimeout(50).then(() => abort.abort())]);
});

// The rest.

test("a login does not carry the tokens of another session", async () => {
  const tab = new Browser("tokens").tab(), account = await registered(tab);
  const carried = [];
  hooks.push((request, send) => { carried.push(request.headers.has("authorization")); return send(request); });
  await tab.login(account);
  assert.equal(await me(tab), 200);
  assert.deepEqual(carried, [false, true]);
});

forBoth("errors have a code, a sentence, and those of fields", async (browser) => {
  const tab = browser.tab();
  await assert.rejects(tab.login({ email: "nobody@example.com", password: "wrong password" }), isError("invalid_credentials"));
  const failed = await tab.register({ name: "", email: "ada", password: "short", passwordConfirmation: "short" }).catch((error) => error);
  assert.equal(failed.code, "validation_failed");
  assert.deepEqual(Object.keys(failed.fields).sort(), ["email", "name", "password"]);
  assert.match(failed.fields.password, /\w/);
  assert.match(failed.detail, /\w/);
});

forBoth("a login with a second factor", async (browser) => {
  let account = null;
  const tab = browser.tab({ confirmPassword: () => account.password });
  account = await registered(tab);
  const secretKey = await enableTwoFactor(tab);
  assert.equal(await me(tab), 200, "the session goes on after the change");
  const [recoveryCode] = await tab.call("GET", "/user/two-factor-recovery-codes");
  for (const factor of [{ recoveryCode }, null]) {
    await tab.logout();
    assert.deepEqual(await tab.login(account), { twoFactor: true, methods: ["totp", "recovery_code"] });
    assert.equal(await me(tab), 401);
    await advance(30);
    const wrong = factor ? { recoveryCode: "wrong" } : { code: "000000" };
    await assert.rejects(tab.call("POST", "/two-factor-challenge", wrong), AuthError);
    const passed = factor ?? { code: await oneTimeCode(secretKey) };
    assert.deepEqual(await tab.call("POST", "/two-factor-challenge", passed), { twoFactor: false });
    assert.equal(await me(tab), 200);
  }
});

forBoth("the credential goes to the origins of the application only", async (browser) => {
  const tab = browser.tab({ origins: ["https://files.example.com"] });
  await registered(tab);
  hooks.push((request) => Response.json({ token: request.headers.get("authorization") !== null }));
  await assert.rejects(tab.fetch("https://elsewhere.example.com/"), TypeError);
  const sent = await json(await tab.fetch("https://files.example.com/"));
  assert.equal(sent.token, browser.mode === "tokens");
});

test("scripts can read tokens, but no cookie", async () => {
  for (const mode of ["cookies", "tokens"]) {
    const browser = new Browser(mode);
    await registered(browser.tab());
    assert.equal(/[\w-]{20,}\.[\w-]{20,}\.[\w-]{20,}/.test(browser.contents().items.join()), mode === "tokens");
    assert.equal(browser.contents().cookies.length, mode === "cookies" ? 1 : 0);
  }
});

test("a response that is no problem document is an error, too", async () => {
  const tab = new AuthClient({ base: `${host}/bearer`, storage: { getItem: () => null } });
  hooks.push(() => new Response("<h1>Bad gateway</h1>", { status: 502, statusText: "Bad Gateway" }));
  const error = await tab.login({}).catch((failed) => failed);
  assert.deepEqual([error.code, error.status, error.fields], ["http_502", 502, {}]);
});
