// What a request can require beside the login: that the password was confirmed recently, or more. `client.test.mjs` runs these
// tests.

import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import {
  QUARTER_OF_AN_HOUR, advance, enableTwoFactor, forBoth, hooks, host, isError, me, notes, oneTimeCode, post, registered,
  requestsSince,
} from "./browser.mjs";
import { json } from "../../client/dist/index.js";

/** Longer ago than what an export requires may be. */
const FIVE_MINUTES = 301;

/** `Promise.withResolvers`, which Node 20 does not have. */
function withResolvers() {
  const all = {};
  all.promise = new Promise((resolve) => { all.resolve = resolve; });
  return all;
}

const exported = async (tab) => json(await tab.fetch(`${host}/api/notes/export`));

// The password.

forBoth("a request that needs the password asks for it, again if it is wrong, and is repeated", async (browser) => {
  const errors = [];
  let account = null;
  const confirmPassword = (error) => {
    errors.push(error?.code ?? null);
    return errors.length === 1 ? "not the password" : account.password;
  };
  const tab = browser.tab({ confirmPassword });
  account = await registered(tab);
  await notes(tab, post("one"));
  assert.equal((await notes(tab)).length, 1);
  assert.equal(await notes(tab, { method: "DELETE" }), null);
  assert.deepEqual(await notes(tab), []);
  assert.deepEqual(errors, [null, "incorrect_password"]);
});

forBoth("30 requests that need the password ask for it once", async (browser) => {
  let asked = 0, account = null;
  const confirmPassword = async () => { asked += 1; return account.password; };
  const tab = browser.tab({ confirmPassword });
  account = await registered(tab);
  const all = Array.from({ length: 30 }, () => notes(tab, { method: "DELETE" }));
  assert.deepEqual(await Promise.all(all), Array(30).fill(null));
  assert.equal(asked, 1);
});

forBoth("a refusal that arrives when the answer was given asks for no second one", async (browser) => {
  for (const answer of ["password", "nothing"]) {
    let asked = 0, account = null;
    const tab = browser.tab({ confirmPassword: () => { asked += 1; return answer === "password" ? account.password : null; } });
    account = await registered(tab);
    const response = withResolvers(), released = withResolvers();
    hooks.push(async (request, send) => {
      hooks.length = 0;
      const refusal = await send(request);
      response.resolve();
      await released.promise;
      return refusal;
    });
    const late = notes(tab, { method: "DELETE" }).catch((error) => error.code);
    await response.promise;
    const outcome = await notes(tab, { method: "DELETE" }).catch((error) => error.code);
    released.resolve();
    assert.equal(outcome, answer === "password" ? null : "password_confirmation_required");
    assert.equal(await late, outcome);
    assert.equal(asked, 1);
  }
});

forBoth("a user who gives up gets the error, and the password is asked for again next time", async (browser) => {
  let asked = 0;
  const tab = browser.tab({ confirmPassword: async () => { asked += 1; return null; } });
  await registered(tab);
  for (const times of [1, 2]) {
    await assert.rejects(notes(tab, { method: "DELETE" }), isError("password_confirmation_required"));
    assert.equal(asked, times);
  }
});

// More than the login.

/** A user with a second factor, whose proofs are too old for an export. `secretKey` is that of the app. */
async function withSecondFactor(tab) {
  const account = await registered(tab);
  await tab.call("POST", "/user/confirm-password", { password: account.password });
  const secretKey = await enableTwoFactor(tab);
  const recoveryCodes = await tab.call("GET", "/user/two-factor-recovery-codes");
  await advance(FIVE_MINUTES);
  await requestsSince();
  return { ...account, secretKey, recoveryCodes };
}

/** How often these paths of the module were requested since the last call of `requestsSince`. */
async function requestsOf({ mode }, ...paths) {
  const requests = await requestsSince(), base = mode === "tokens" ? "/bearer" : "/auth";
  return paths.map((path) => requests[base + path] ?? 0);
}

forBoth("a request that needs more than was proven asks for it, again if it is wrong, and is repeated", async (browser) => {
  const errors = [];
  let account = null, refused = null;
  const proveMore = async (refusal, error) => {
    refused = refusal;
    errors.push(error?.code ?? null);
    return { password: account.password, code: errors.length === 1 ? "000000" : await oneTimeCode(account.secretKey) };
  };
  const tab = browser.tab({ proveMore });
  account = await withSecondFactor(tab);
  assert.deepEqual(await exported(tab), []);
  assert.deepEqual(errors, [null, "invalid_two_factor_code"]);
  assert.ok(isError("insufficient_user_authentication")(refused));
  assert.deepEqual([refused.acrValues, refused.maxAge, refused.methods], [["aal2", "phr"], 300, ["password", "two_factor"]]);
  assert.deepEqual(await requestsOf(browser, "/user/confirm-password", "/refresh", "/session"), [2, 0, 0]);
});

forBoth("a code alone proves the second factor, also a recovery code", async (browser) => {
  let account = null;
  const answers = [
    async () => ({ code: await oneTimeCode(account.secretKey) }),
    () => ({ recoveryCode: account.recoveryCodes[0] }),
  ];
  const tab = browser.tab({ proveMore: () => answers.shift()() });
  account = await withSecondFactor(tab);
  for (const left of [1, 0]) {
    await tab.call("POST", "/user/confirm-password", { password: account.password });
    assert.deepEqual(await exported(tab), []);
    assert.equal(answers.length, left);
    assert.deepEqual(await requestsOf(browser, "/user/confirm-password", "/user/confirm-two-factor"), [1, 1]);
    await advance(FIVE_MINUTES);
  }
});

forBoth("30 requests that need more than was proven ask for it once", async (browser) => {
  let asked = 0, account = null;
  const proveMore = async (_refusal, error) => {
    asked += 1;
    // A code works once, so a second answer would be wrong again and again.
    return error ? null : { password: account.password, code: await oneTimeCode(account.secretKey) };
  };
  const tab = browser.tab({ proveMore });
  account = await withSecondFactor(tab);
  assert.deepEqual(await Promise.all(Array.from({ length: 30 }, () => exported(tab))), Array(30).fill([]));
  assert.equal(asked, 1);
});

forBoth("a proof that is not enough is asked for once", async (browser) => {
  let asked = 0, account = null;
  const proveMore = () => {
    asked += 1;
    return asked === 1 ? { password: account.password } : assert.fail("asked again");
  };
  const tab = browser.tab({ proveMore });
  account = await withSecondFactor(tab);
  await assert.rejects(exported(tab), isError("insufficient_user_authentication"));
  assert.equal(asked, 1);
});

forBoth("a user who gives up, and a page that cannot ask, get the refusal", async (browser) => {
  let asked = 0;
  const tab = browser.tab({ proveMore: async () => { asked += 1; return null; } });
  await withSecondFactor(tab);
  for (const times of [1, 2]) {
    await assert.rejects(exported(tab), isError("insufficient_user_authentication"));
    assert.equal(asked, times);
    assert.equal((await requestsSince())["/api/notes/export"], 1);
  }
  await assert.rejects(exported(browser.tab()), isError("insufficient_user_authentication"));
  assert.equal(await me(tab), 200, "the session goes on");
});

forBoth("a user who can prove nothing that is enough is not asked", async (browser) => {
  const tab = browser.tab({ proveMore: () => assert.fail("asked") });
  await registered(tab);
  const refused = await exported(tab).catch((error) => error);
  assert.ok(isError("insufficient_user_authentication")(refused));
  assert.deepEqual(refused.methods, []);
});

forBoth("one question is asked at a time, and its answer can be enough for other requests", async (browser) => {
  const asked = [];
  let account = null, isAsked = false, onasked = null;
  const ask = async (what, fields) => {
    assert.ok(!isAsked, "two questions at once");
    isAsked = true;
    asked.push(what);
    onasked();
    await setTimeout(100);
    isAsked = false;
    return fields();
  };
  const tab = browser.tab({
    confirmPassword: () => ask("password", () => account.password),
    proveMore: () => ask("more", async () => ({ password: account.password, code: await oneTimeCode(account.secretKey) })),
  });
  account = await withSecondFactor(tab);
  const send = { password: () => notes(tab, { method: "DELETE" }), more: () => exported(tab) };
  // The password with a code is enough for both, the password alone is not.
  for (const [first, second, expected] of [["more", "password", ["more"]], ["password", "more", ["password", "more"]]]) {
    await advance(QUARTER_OF_AN_HOUR);
    const question = new Promise((resolve) => { onasked = resolve; });
    const one = send[first]();
    await Promise.race([one, question]);
    await Promise.all([one, send[second]()]);
    assert.deepEqual(asked.splice(0), expected);
  }
});
