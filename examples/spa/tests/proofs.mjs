// What a request requires beside the login: that the password was confirmed recently. `client.test.mjs` runs these tests.

import assert from "node:assert/strict";
import { forBoth, isError, notes, post, registered } from "./browser.mjs";

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

forBoth("a user who gives up gets the error, and the password is asked for again next time", async (browser) => {
  let asked = 0;
  const tab = browser.tab({ confirmPassword: async () => { asked += 1; return null; } });
  await registered(tab);
  for (const times of [1, 2]) {
    await assert.rejects(notes(tab, { method: "DELETE" }), isError("password_confirmation_required"));
    assert.equal(asked, times);
  }
});
