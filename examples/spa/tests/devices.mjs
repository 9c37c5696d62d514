// Trusted devices. `client.test.mjs` runs these tests.

import assert from "node:assert/strict";
import { advance, enableTwoFactor, forBoth, me, oneTimeCode, registered } from "./browser.mjs";

/** A tab whose account has a second factor, and which is logged out. */
async function loggedOut(browser) {
  let account = null;
  const tab = browser.tab({ confirmPassword: () => account.password });
  account = await registered(tab);
  const secret = await enableTwoFactor(tab);
  await tab.logout();
  await advance(61);
  return { tab, account, secret };
}

forBoth("a device that is trusted is asked for no second factor, also after a logout", async (browser) => {
  const { tab, account, secret } = await loggedOut(browser);
  assert.equal((await tab.login(account)).twoFactor, true);
  const code = await oneTimeCode(secret);
  assert.deepEqual(await tab.call("POST", "/two-factor-challenge", { code, trustDevice: true }), { twoFactor: false });
  const { devices: [device] } = await tab.call("GET", "/user/trusted-devices");
  assert.equal(device.current, true);
  await tab.logout();
  assert.equal((await browser.tab().login(account)).twoFactor, false);
  assert.equal(await me(tab), 200);

  await tab.call("DELETE", `/user/trusted-devices/${device.id}`);
  await tab.logout();
  assert.equal((await tab.login(account)).twoFactor, true);
});

forBoth("without the wish no device is trusted", async (browser) => {
  const { tab, account, secret } = await loggedOut(browser);
  await tab.login(account);
  await tab.call("POST", "/two-factor-challenge", { code: await oneTimeCode(secret) });
  await tab.logout();
  assert.equal((await tab.login(account)).twoFactor, true);
});
