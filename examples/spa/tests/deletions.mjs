// Accounts that are deleted, and kept after all. `client.test.mjs` runs these tests.

import assert from "node:assert/strict";
import { enableTwoFactor, forBoth, isError, me, notes, post, registered } from "./browser.mjs";

/** Deletes the account of the tab. */
async function deleted(tab) {
  const { deletesAt, ...rest } = await tab.deleteAccount();
  assert.deepEqual(Object.keys(rest), ["message"]);
  assert.ok(Date.parse(deletesAt) > Date.now());
}

/** A tab with a new account, and what confirms its password. */
async function confirming(browser) {
  let account = null;
  const tab = browser.tab({ confirmPassword: () => account.password });
  account = await registered(tab);
  return { tab, account };
}

forBoth("an account that is deleted has no session, and a login leads to what keeps it", async (browser) => {
  const { tab, account } = await confirming(browser);
  let changes = 0;
  tab.onchange = () => { changes += 1; };
  await notes(tab, post("one"));
  await deleted(tab);
  assert.equal((await tab.session()).authenticated, false);
  assert.equal(await me(tab), 401);
  const refusal = await tab.login(account).catch((error) => error);
  assert.ok(isError("account_pending_deletion")(refusal));
  assert.ok(Date.parse(refusal.deletesAt) > Date.now());
  assert.equal(refusal.restoreToken === null, browser.mode === "cookies", "a script cannot read the token of a browser");
  assert.equal((await tab.session()).authenticated, false);
  assert.deepEqual(await tab.restore(refusal.restoreToken ?? undefined), { twoFactor: false });
  assert.equal(await me(tab), 200);
  assert.equal((await notes(tab)).length, 1);
  await Promise.resolve();
  assert.equal(changes, 2, "logged out and in");
});

forBoth("what keeps the account comes after the second factor", async (browser) => {
  const { tab, account } = await confirming(browser);
  await enableTwoFactor(tab);
  const codes = await tab.call("GET", "/user/two-factor-recovery-codes");
  await deleted(tab);
  assert.equal((await tab.login(account)).twoFactor, true);
  const refusal = await tab.call("POST", "/two-factor-challenge", { recoveryCode: codes[0] }).catch((error) => error);
  assert.ok(isError("account_pending_deletion")(refusal));
  await tab.restore(refusal.restoreToken ?? undefined);
  assert.equal(await me(tab), 200);
});

forBoth("a token that nobody has issued keeps nothing and leaves the session alone", async (browser) => {
  const tab = browser.tab();
  await registered(tab);
  await assert.rejects(tab.restore("ml1.nothing"), isError("invalid_mail_token"));
  assert.equal(await me(tab), 200);
});
