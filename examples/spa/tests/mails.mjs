// Sign-ins and confirmations by mail. `client.test.mjs` runs these tests.

import assert from "node:assert/strict";
import { advance, forBoth, isError, mailTo, me, registered } from "./browser.mjs";

let visitors = 0;
const newAddress = () => `visitor-${process.pid}-${visitors += 1}@example.com`;

forBoth("the code of a mail opens an account that there is", async (browser) => {
  const tab = browser.tab(), { email } = await registered(tab);
  await tab.logout();
  const { message, expiresIn, ...rest } = await tab.mails.begin(email);
  assert.ok(message.length > 0 && expiresIn > 0);
  assert.deepEqual(rest, {}, "the flow token stays with the client");
  assert.equal(tab.mails.pending(), email);
  const { code } = await mailTo(email);
  const wrong = code === "00000000" ? "11111111" : "00000000";
  await assert.rejects(tab.mails.signIn({ code: wrong }), isError("invalid_login_code"));
  const { twoFactor } = await tab.mails.signIn({ code });
  assert.equal(twoFactor, false);
  assert.equal(await me(tab), 200);
  assert.equal(tab.mails.pending(), null);
});

forBoth("the link of a mail opens a new account in another tab of the browser", async (browser) => {
  const [first, second] = browser.tabs(2), email = newAddress();
  await advance(61);
  await first.mails.begin(email);
  const { registration, registrationToken, email: proven } = await second.mails.signIn({ token: (await mailTo(email)).token });
  assert.deepEqual([registration, proven], [true, email]);
  await second.call("POST", "/register/passwordless", { registrationToken, name: "Ada" });
  assert.deepEqual([await me(first), await me(second)], [200, 200]);
});

forBoth("a mail that is sent again has the code of the first one", async (browser) => {
  const tab = browser.tab(), email = newAddress();
  await tab.mails.begin(email);
  const first = await mailTo(email);
  await advance(61);
  await tab.mails.begin(email);
  assert.deepEqual(await mailTo(email), first);
  // For another address it is another mail.
  const other = newAddress();
  await tab.mails.begin(other);
  assert.notEqual((await mailTo(other)).code, first.code);
  assert.equal(tab.mails.pending(), other);
});

forBoth("another browser cannot use a mail, and a mail that has expired is begun anew", async (browser) => {
  const tab = browser.tab(), email = newAddress();
  await tab.mails.begin(email);
  const { token } = await mailTo(email);
  const stranger = browser.tab({ storage: { getItem: () => null, setItem() {}, removeItem() {} } });
  await assert.rejects(stranger.mails.signIn({ token }), isError("invalid_flow_token"));
  await advance(601);
  await assert.rejects(tab.mails.signIn({ token }), isError("invalid_flow_token"));
  assert.equal(tab.mails.pending(), null, "the page asks for the address again");
});

forBoth("a code of a mail confirms what needs a confirmation", async (browser) => {
  const seen = [];
  const tab = browser.tab({
    confirmPassword: async (_wrong, { confirmWith }) => {
      seen.push(confirmWith);
      await tab.mails.askToConfirm();
      return { mailCode: (await mailTo(email)).code };
    },
  });
  const email = newAddress();
  await advance(61);
  await tab.mails.begin(email);
  const { registrationToken } = await tab.mails.signIn(await mailTo(email).then(({ code }) => ({ code })));
  await tab.call("POST", "/register/passwordless", { registrationToken, name: "Ada" });
  await advance(3 * 60 * 60);
  await tab.call("PUT", "/user/password", { password: "correct horse battery", passwordConfirmation: "correct horse battery" });
  assert.ok(seen.length === 1 && seen[0].includes("email"), JSON.stringify(seen));
  await assert.rejects(tab.mails.confirm("00000000"), isError("invalid_flow_token"), "a code confirms once");
});
