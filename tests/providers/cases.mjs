// What is tried with a provider, `peer`, on a router. `other` is the other provider of the host.
import assert from "node:assert/strict";

const PASSWORD = "correct horse battery";
let people = 0;

// Somebody whom these providers know.
export async function person(peers, claims = {}) {
  const sub = `person-${(people += 1)}`;
  const of = { email: `${sub}@example.com`, email_verified: true, name: "Ada", ...claims };
  for (const peer of peers) await peer.know(sub, of);
  return { sub, ...of };
}

// What has become of a flow, and whether the browser has no cookie of it any more.
export function ended({ outcome, isSpent }, expected, spent) {
  assert.equal(outcome, expected);
  if (isSpent !== undefined) assert.equal(isSpent, spent);
}

// The outcome for somebody without an account. A browser is not told.
export const newcomer = (router) => (router === "browser" ? "signed in" : "registered");

// Somebody with an account, who has signed in with a provider.
async function user({ router, visitor }, peer, who) {
  const one = visitor();
  const { pages, ...result } = await one.through("sign-in", peer, who);
  ended(result, newcomer(router), true);
  assert.deepEqual(pages, peer.pages);
  return one;
}

// The account in which a sign-in with this provider ends.
async function account({ visitor }, peer, who) {
  const one = visitor();
  ended(await one.through("sign-in", peer, who), "signed in", true);
  return one.me();
}

const identities = async (one) => (await one.done("GET", "/user/identities")).map(({ provider }) => provider);

export async function newcomers(scene) {
  const { peer } = scene;
  const ada = await person([peer]);
  const me = await (await user(scene, peer, ada)).me();
  assert.deepEqual([me.name, me.email, me.emailVerified], ["Ada", ada.email, true]);
  assert.deepEqual(await account(scene, peer, ada), me);
}

export const CASES = {
  "a newcomer gets an account, and signs in to it later": newcomers,

  async "a browser that the provider remembers is not asked again"(scene) {
    const { peer } = scene;
    const ada = await person([peer]);
    const one = await user(scene, peer, ada);
    const { pages, ...result } = await one.through("sign-in", peer, ada);
    ended(result, "signed in", true);
    assert.deepEqual(pages, peer.remembers ? [] : peer.pages);
  },

  async "a newcomer without a name is asked for one"(scene) {
    const { peer, router } = scene;
    const ada = await person([peer], { name: undefined });
    const one = scene.visitor();
    const { registrationToken, ...result } = await one.through("sign-in", peer, ada);
    ended(result, "registration", true);
    if (router === "browser") {
      const { registration } = await one.done("GET", "/oauth/pending");
      assert.deepEqual([registration.provider, registration.email, registration.name], [peer.name, ada.email, null]);
    }
    await one.done("POST", "/register/passwordless", { registrationToken, name: "Grace" });
    const me = await one.me();
    assert.deepEqual([me.name, me.email], ["Grace", ada.email]);
    assert.deepEqual(await account(scene, peer, ada), me);
  },

  async "an address that the provider has not verified makes no account"(scene) {
    const { peer } = scene;
    const ada = await person([peer]);
    for (const email_verified of [false, undefined, "true", 1]) {
      await peer.know(ada.sub, { ...ada, email_verified });
      ended(await scene.visitor().through("sign-in", peer, ada), "provider_email_unverified", true);
    }
    await peer.know(ada.sub, ada);
    await user(scene, peer, ada);
  },

  async "the owner of the address links the identity with the link token"(scene) {
    const { peer, other, router } = scene;
    const ada = await person([peer, other]);
    const owner = await user(scene, other, ada);
    const { linkToken, ...result } = await owner.through("sign-in", peer, ada);
    ended(result, "account_exists", true);
    if (router === "browser") {
      const { link } = await owner.done("GET", "/oauth/pending");
      assert.deepEqual(link, { provider: peer.name, email: ada.email });
    }
    const linked = await owner.done("POST", "/user/identities", { linkToken });
    assert.deepEqual([linked.provider, linked.email], [peer.name, ada.email]);
    assert.deepEqual(await account(scene, peer, ada), await owner.me());
  },

  async "an identity is linked in a session, signs in, and is unlinked"(scene) {
    const { peer, other, router } = scene;
    const ada = await person([peer, other]);
    const owner = await user(scene, other, ada);
    ended(await owner.through("link", peer, ada), "linked", true);
    ended(await owner.through("link", peer, ada), router === "browser" ? "linked" : "linked already", true);
    assert.deepEqual(await identities(owner), [other.name, peer.name]);
    assert.deepEqual(await account(scene, peer, ada), await owner.me());

    const [, { id }] = await owner.done("GET", "/user/identities");
    await owner.done("DELETE", `/user/identities/${id}`);
    assert.deepEqual(await identities(owner), [other.name]);
    ended(await scene.visitor().through("sign-in", peer, ada), "account_exists", true);
  },

  async "an identity of somebody else is not linked"(scene) {
    const { peer, other } = scene;
    const [ada, bob] = [await person([peer]), await person([other])];
    await user(scene, peer, ada);
    const one = await user(scene, other, bob);
    ended(await one.through("link", peer, ada), "identity_taken", true);
    assert.deepEqual(await identities(one), [other.name]);
  },

  async "a user confirms with the provider, which asks again"(scene) {
    const { peer } = scene;
    const [ada, bob] = [await person([peer]), await person([peer])];
    const one = await user(scene, peer, ada);
    await one.done("PUT", "/user/password", { password: PASSWORD, passwordConfirmation: PASSWORD });
    await one.done("POST", "/login", { email: ada.email, password: PASSWORD });

    ended(await one.through("confirm", peer, bob), "provider_refused", true);
    if (peer.copiesClaims) {
      await peer.know(ada.sub, { ...ada, auth_time: Math.floor(Date.now() / 1000) - 3600 });
      ended(await one.through("confirm", peer, ada), "provider_refused", true);
      await peer.know(ada.sub, ada);
    }
    assert.equal(await one.isConfirmed(), false);

    const flow = await one.begin("confirm", peer);
    assert.deepEqual([flow.url.searchParams.get("prompt"), flow.url.searchParams.get("max_age")], ["login", "0"]);
    const { pages, returned } = await one.answer(flow, ada);
    assert.equal(pages[0], peer.pages[0]);
    ended(await one.finish(flow, returned), "confirmed", true);
    assert.equal(await one.isConfirmed(), true);
  },

  async "nobody who refuses at the provider is signed in, and nothing is linked"(scene) {
    const { peer, other, router } = scene;
    const ada = { ...(await person([peer])), refuses: true };
    const owner = await user(scene, other, await person([other]));
    for (const [purpose, one] of [["sign-in", scene.visitor()], ["link", owner]]) {
      const flow = await one.begin(purpose, peer);
      const { pages, returned } = await one.answer(flow, ada);
      assert.equal(pages.at(-1), "cancel");
      const state = peer.hasStateInErrors ? flow.url.searchParams.get("state") : undefined;
      assert.deepEqual([returned.error, returned.state, returned.code], ["access_denied", state, undefined]);
      // A program reads the error itself. Without `state` nobody can tell which flow it is.
      if (router === "browser" && state) ended(await one.finish(flow, returned), "provider_refused", true);
      if (router === "browser" && !state) ended(await one.finish(flow, returned), "invalid_flow_token", false);
    }
    assert.deepEqual(await identities(owner), [other.name]);
  },

  async "iss of the response must be the issuer, and a flow is used once"({ peer, router, visitor }) {
    const one = visitor();
    const flow = await one.begin("sign-in", peer);
    const { returned } = await one.answer(flow, await person([peer]));
    assert.equal(returned.iss, peer.sendsIssuer ? peer.issuer : undefined);
    const { iss, ...rest } = returned;
    const wrong = [{ ...rest, iss: `${peer.issuer}/` }, { ...rest, iss: "https://attacker.example" }];
    if (peer.sendsIssuer) wrong.push(rest);
    for (const changed of wrong) ended(await one.finish(flow, changed), "provider_refused", false);
    ended(await one.finish(flow, returned), newcomer(router), true);
    ended(await one.finish(flow, returned), "invalid_flow_token", true);
  },

  async "a code of another flow is refused, also one that was used"({ peer, visitor }) {
    const ada = await person([peer]);
    const [one, attacker] = [visitor(), visitor()];
    for (const isUsed of [false, true]) {
      const theirs = await attacker.begin("sign-in", peer);
      const { returned } = await attacker.answer(theirs, ada);
      if (isUsed) await attacker.finish(theirs, returned);
      const flow = await one.begin("sign-in", peer);
      // A provider without PKCE redeems the code, and the nonce of its ID token is wrong.
      const state = flow.url.searchParams.get("state");
      ended(await one.finish(flow, { ...returned, state }), "provider_refused", true);
    }
  },
};

// What a provider with PKCE does.
export const PKCE = {
  async "the provider requires a challenge, and compares the verifier with it"({ peer, visitor }) {
    const [one, ada] = [visitor(), await person([peer])];
    const flow = await one.begin("sign-in", peer);
    const url = new URL(flow.url);
    url.searchParams.delete("code_challenge");
    const refused = await one.answer({ ...flow, url }, ada);
    assert.deepEqual([refused.pages, refused.returned.error], [[], "invalid_request"]);
    url.searchParams.set("code_challenge", "a".repeat(43));
    const { returned } = await one.answer({ ...flow, url }, ada);
    ended(await one.finish(flow, returned), "provider_refused", true);
  },
};
