// Which hosts there are, and what is tried at each.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CASES, PKCE, ended, newcomer, newcomers, person } from "./cases.mjs";
import { Host } from "./host.mjs";
import { OidcProvider, OidcProviderMock } from "./peers.mjs";

const ROUTERS = ["bearer", "browser"];
const BASIC = { algorithm: "RS256", auth: "client_secret_basic" };
const POST = { algorithm: "ES256", auth: "client_secret_post", addressInIdToken: true };
const PUBLIC = { algorithm: "EdDSA", auth: "none" };

// A host with both providers.
async function site(title, options, changed) {
  const peers = [await OidcProvider.start(options), await OidcProviderMock.start()];
  return { title, peers, host: await Host.start(title, peers, changed) };
}

function tried({ title, peers, host }, peer, cases) {
  const other = peers.find((each) => each !== peer);
  for (const [name, run] of Object.entries(cases)) {
    for (const router of ROUTERS) {
      const scene = { peer, other, router, visitor: () => host.visitor(router) };
      test(`${title}, ${peer.name}, ${router}: ${name}`, () => run(scene));
    }
  }
}

const [basic, post, none, wrong, outage] = await Promise.all([
  site("client_secret_basic", BASIC),
  site("client_secret_post", POST),
  site("a public client", PUBLIC),
  site("a wrong secret", BASIC, ({ id, secret }) => ({ id, secret: `${secret}!` })),
  site("an outage", BASIC),
]);
for (const peer of basic.peers) tried(basic, peer, CASES);
tried(basic, basic.peers[0], PKCE);
// oidc-provider-mock has one algorithm, and says nothing about how clients authenticate.
for (const at of [post, none]) tried(at, at.peers[0], { "a newcomer gets an account, and signs in to it later": newcomers });

for (const peer of wrong.peers) {
  test(`${wrong.title}, ${peer.name}: nobody signs in, and the log has the reason`, async () => {
    for (const router of ROUTERS) {
      const ada = await person([peer]);
      ended(await wrong.host.visitor(router).through("sign-in", peer, ada), "provider_refused", true);
    }
    assert.match(wrong.host.log(), new RegExp(` ERROR .*a provider refuses the client: .*provider=${peer.name}$`, "m"));
  });
}

for (const peer of outage.peers) {
  test(`${outage.title}, ${peer.name}: the flow continues when the provider is back`, async () => {
    await peer.stop();
    for (const router of ROUTERS) {
      ended(await outage.host.visitor(router).begin("sign-in", peer), "provider_unavailable");
    }
    await peer.resume();
    const begun = [];
    for (const router of ROUTERS) {
      const [one, ada] = [outage.host.visitor(router), await person([peer])];
      const flow = await one.begin("sign-in", peer);
      begun.push({ router, one, ada, flow, ...(await one.answer(flow, ada)) });
    }
    await peer.stop();
    for (const { one, flow, returned } of begun) {
      ended(await one.finish(flow, returned), "provider_unavailable", false);
    }
    await peer.resume();
    // oidc-provider-mock has forgotten the codes.
    for (const { router, one, ada, flow } of begun) {
      const { returned } = await one.answer(flow, ada);
      ended(await one.finish(flow, returned), newcomer(router), true);
    }
  });

  test(`${outage.title}, ${peer.name}: the provider comes back with other keys`, async () => {
    await peer.stop();
    await peer.resumeWithOtherKeys();
    for (const router of ROUTERS) {
      const ada = await person([peer]);
      ended(await outage.host.visitor(router).through("sign-in", peer, ada), newcomer(router), true);
    }
  });
}
