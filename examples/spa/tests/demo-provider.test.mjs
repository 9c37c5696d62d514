// Signing in with a provider, from the button to the session: against the host of this example and the demonstration provider of the
// quickstart. `cargo test -p spa` starts both and this file. `providers.mjs` has what a provider does not do on demand.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Browser, host, isError, me, registered } from "./browser.mjs";

const redirect = `${process.env.PUBLIC_HOST}/callback/demo`;

/** What a person does on the page of the provider. Returns the query with which the browser comes back. */
async function consented(browser, typed) {
  const { searchParams } = new URL(browser.left.at(-1));
  const answer = await fetch(browser.left.at(-1).split("?")[0], {
    method: "POST", redirect: "manual", credentials: "omit",
    body: new URLSearchParams([...searchParams, ...Object.entries({ decision: "allow", name: "Ada", ...typed })]),
  });
  assert.equal(answer.status, 303);
  return new URL(answer.headers.get("location")).search;
}

const ada = { subject: "ada-7", email: "ada@example.com", email_verified: "true" };

/** A new tab that has come back from the provider. */
async function signedIn(typed) {
  const browser = new Browser("tokens"), tab = browser.tab();
  await tab.providers.signIn("demo", redirect);
  return { tab, result: await tab.providers.finish(await consented(browser, typed)) };
}

test("the host has the provider", async () => {
  const providers = await new Browser("tokens").tab().providers.list();
  assert.deepEqual(providers, [{ name: "demo", nativeIdToken: false }]);
});

test("whoever is new gets an account, and signs in to it the next time", async () => {
  const first = await signedIn(ada);
  assert.equal(await me(first.tab), 200);
  const again = await signedIn({ ...ada, email: "another@example.com" });
  const [identity] = await again.tab.providers.identities();
  assert.deepEqual([identity.provider, identity.email], ["demo", "another@example.com"]);
  const account = await (await again.tab.fetch(`${host}/api/me`)).json();
  assert.equal(account.email, "ada@example.com", "the account's address does not follow");
});

test("an address that is not proven opens nothing", async () => {
  const { email_verified: _, ...unproven } = ada;
  await assert.rejects(signedIn({ ...unproven, subject: "somebody" }), isError("provider_email_unverified"));
});

test("an account that has the address is linked after a login, and unlinked", async () => {
  const account = await registered(new Browser("tokens").tab());
  const browser = new Browser("tokens"), tab = browser.tab({ confirmPassword: () => account.password });
  await tab.providers.signIn("demo", redirect);
  const back = await consented(browser, { subject: "owner", email: account.email, email_verified: "true" });
  const refusal = await tab.providers.finish(back).catch((error) => error);
  assert.equal(refusal.code, "account_exists");
  await tab.login(account);
  await verifiedAs(account.email);
  const { id } = await tab.providers.linkWith(refusal.linkToken);
  await tab.providers.unlink(id);
  assert.deepEqual(await tab.providers.identities(), []);
});

test("a user who cancels is told so", async () => {
  await assert.rejects(signedIn({ ...ada, decision: "deny" }), isError("provider_refused"));
});

/** Marks the address as verified: only then can something be linked. */
async function verifiedAs(email) {
  await fetch(`${host}/test/verify/${email}`, { method: "POST", credentials: "omit" });
}
