// Passkeys: what the client does between the options of a route and the request with the credential. `client.test.mjs` runs these
// tests. The browser and its authenticator are in this file.

import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { QUARTER_OF_AN_HOUR, advance, forBoth, host, isError, me, notes, registered, verified } from "./browser.mjs";
import { json, passkeysWork } from "../../client/dist/index.js";

const ORIGIN = "http://localhost:3000";
const base64url = (bytes) => Buffer.from(bytes).toString("base64url");

/** What the browser was told about passkeys: the method, and its value. */
const told = [];

/** An authenticator with at most one passkey, which verifies its user. The user may not want to. */
const authenticator = { passkey: null, refuses: 0 };

const credentials = {
  async create({ publicKey }) {
    const { publicKey: key, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { x, y } = key.export({ format: "jwk" }), id = randomBytes(32);
    authenticator.passkey = { id, privateKey, userHandle: publicKey.user.id };
    const bytes = (coordinate) => [0x58, 32, ...Buffer.from(coordinate, "base64url")];
    const cose = [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, ...bytes(x), 0x22, ...bytes(y)];
    const data = [...head(publicKey.rp.id, 0x5d), ...Buffer.alloc(16), 0, id.length, ...id, ...cose];
    const text = (value) => [0x60 + value.length, ...Buffer.from(value)];
    const object = [
      0xa3, ...text("fmt"), ...text("none"), ...text("attStmt"), 0xa0, ...text("authData"), 0x58, data.length, ...data,
    ];
    return credential(id, {
      clientDataJSON: clientData("webauthn.create", publicKey), attestationObject: base64url(object), transports: ["internal"],
    });
  },

  async get({ publicKey, mediation }) {
    if (authenticator.refuses > 0) {
      authenticator.refuses -= 1;
      throw new DOMException("The user does not want to.", "NotAllowedError");
    }
    authenticator.mediation = mediation;
    const { id, privateKey, userHandle } = authenticator.passkey;
    const data = Buffer.from(head(publicKey.rpId, 0x1d)), client = clientData("webauthn.get", publicKey);
    const hash = createHash("sha256").update(Buffer.from(client, "base64url")).digest();
    const signature = base64url(sign("sha256", Buffer.concat([data, hash]), privateKey));
    return credential(id, { clientDataJSON: client, authenticatorData: base64url(data), signature, userHandle });
  },
};

// Node has no navigator in version 20, and one of its own later.
Object.defineProperty(globalThis, "navigator", { value: { credentials }, configurable: true });

globalThis.PublicKeyCredential = {
  parseCreationOptionsFromJSON: (options) => options,
  parseRequestOptionsFromJSON: (options) => options,
  signalUnknownCredential: async (about) => { told.push(["unknown", about]); },
  signalAllAcceptedCredentials: async (about) => { told.push(["accepted", about]); },
  signalCurrentUserDetails: async (about) => { told.push(["user", about]); },
};

/** The hash of the relying party's id, the flags and the counter. */
const head = (rpId, flags) => [...createHash("sha256").update(rpId).digest(), flags, 0, 0, 0, 0];

const clientData = (type, { challenge }) => base64url(JSON.stringify({ type, challenge, origin: ORIGIN, crossOrigin: false }));

const credential = (id, response) => ({
  id: base64url(id),
  toJSON: () => ({
    id: base64url(id), rawId: base64url(id), type: "public-key", clientExtensionResults: {}, response,
  }),
});

/** A tab whose user types the right password. */
async function verifiedTab(browser) {
  const user = {}, tab = browser.tab({ confirmPassword: () => user.account.password });
  user.account = await verified(tab);
  return { tab, account: user.account };
}

forBoth("a passkey is added, listed and removed, and the browser is told", async (browser) => {
  assert.ok(passkeysWork());
  const { tab, account } = await verifiedTab(browser);
  const { id } = await tab.passkeys.register({ name: "Desk" });
  const [listed] = await tab.passkeys.list();
  assert.deepEqual([listed.id, listed.name], [id, "Desk"]);
  assert.deepEqual(told.map(([about]) => about), ["accepted", "user"]);
  const [[, accepted], [, user]] = told.splice(0);
  assert.deepEqual(accepted.allAcceptedCredentialIds, [base64url(authenticator.passkey.id)]);
  assert.deepEqual([accepted.rpId, user.name], ["localhost", account.email]);
  assert.equal(user.userId, authenticator.passkey.userHandle);
  const removed = await tab.passkeys.remove(id);
  assert.deepEqual(Object.keys(removed), ["message"], "without tokens");
  assert.deepEqual(told.splice(0).map(([, { allAcceptedCredentialIds }]) => allAcceptedCredentialIds), [[]]);
  assert.equal(await me(tab), 200, "this session goes on");
});

forBoth("a passkey signs in, and the other tabs learn it", async (browser) => {
  const { tab, account } = await verifiedTab(browser);
  await tab.passkeys.register();
  await tab.logout();
  let changes = 0;
  tab.onchange = () => { changes += 1; };
  assert.deepEqual(await tab.passkeys.signIn({ autofill: true }), { twoFactor: false });
  assert.equal(authenticator.mediation, "conditional");
  assert.deepEqual([changes, await me(tab)], [1, 200]);
  await tab.logout();
  await tab.passkeys.signIn();
  assert.equal(authenticator.mediation, undefined);
});

forBoth("a passkey that the server does not know is hidden, and one that the user does not want is an exception", async (browser) => {
  const { tab, account } = await verifiedTab(browser);
  const { id } = await tab.passkeys.register();
  await tab.passkeys.remove(id);
  await tab.logout();
  told.splice(0);
  await assert.rejects(tab.passkeys.signIn(), isError("unknown_passkey"));
  const credentialId = base64url(authenticator.passkey.id);
  assert.deepEqual(told.splice(0), [["unknown", { rpId: "localhost", credentialId }]]);
  authenticator.refuses = 1;
  await assert.rejects(tab.passkeys.signIn(), { name: "NotAllowedError" });
  assert.deepEqual(told, []);
});

forBoth("a passkey confirms in place of the password, also after the user has first refused", async (browser) => {
  const { tab: first, account } = await verifiedTab(browser);
  await first.passkeys.register();
  await first.logout();
  const asked = [];
  const tab = browser.tab({
    confirmPassword: (error, { confirmWith }) => { asked.push([error?.name, confirmWith]); return { passkey: true }; },
  });
  await tab.login(account);
  authenticator.refuses = 1;
  assert.equal(await notes(tab, { method: "DELETE" }), null);
  const confirmWith = ["password", "passkey", "email"];
  assert.deepEqual(asked, [[undefined, confirmWith], ["NotAllowedError", confirmWith]]);
});

forBoth("a passkey is enough where more than a password is required", async (browser) => {
  const { tab: first, account } = await verifiedTab(browser);
  await first.passkeys.register();
  await first.logout();
  const tab = browser.tab({
    proveMore: ({ methods }) => { assert.ok(methods.includes("passkey")); return { passkey: true }; },
  });
  await tab.login(account);
  assert.deepEqual(await json(await tab.fetch(`${host}/api/notes/export`)), []);
  await advance(QUARTER_OF_AN_HOUR);
  assert.deepEqual(await json(await tab.fetch(`${host}/api/notes/export`)), []);
});
