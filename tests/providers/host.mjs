// The quickstart with providers, and who visits it: a program, which keeps tokens, or a browser, which keeps cookies.
import assert from "node:assert/strict";
import { Browser } from "./browser.mjs";
import { Program, freePort } from "./processes.mjs";

// The redirect URI of a program for the provider `name`. Nobody listens there, because the visitor does not follow the redirect.
const app = (name) => `http://127.0.0.1:49152/${name}`;
const SESSION = "__Host-Http-auth";
const STATUS = {
  account_exists: 409,
  identity_taken: 409,
  invalid_flow_token: 422,
  provider_email_unverified: 403,
  provider_refused: 422,
  provider_unavailable: 503,
};
const BEGIN = {
  "sign-in": (name) => `/oauth/${name}/authorize`,
  link: (name) => `/user/identities/${name}/authorize`,
  confirm: (name) => `/user/confirm-provider/${name}/authorize`,
};
const END = {
  "sign-in": (name) => `/oauth/${name}/callback`,
  link: () => "/user/identities",
  confirm: () => "/user/confirm-provider",
};
const DONE = {
  "sign-in": { 200: "signed in", 201: "registered" },
  link: { 200: "linked already", 201: "linked" },
  confirm: { 200: "confirmed" },
};
let visitors = 0;

export class Host {
  // A host with two providers. `changed` changes the id and the secret of its client.
  static async start(title, peers, changed = (client) => client) {
    const host = new Host();
    const port = await freePort();
    host.url = `http://127.0.0.1:${port}`;
    const environment = {
      ADDR: `127.0.0.1:${port}`,
      PUBLIC_URL: host.url,
      // The limits go by the clients' addresses, which the visitors make up. Hashes of the least cost are enough here.
      AUTH_TRUSTED_PROXIES: "127.0.0.1",
      AUTH_BCRYPT_COST: "10",
    };
    for (const [prefix, peer] of [["OIDC", peers[0]], ["OIDC2", peers[1]]]) {
      const { id, secret } = changed(await peer.register([host.callback(peer.name), app(peer.name)]));
      environment[`${prefix}_NAME`] = peer.name;
      environment[`${prefix}_ISSUER`] = peer.issuer;
      environment[`${prefix}_CLIENT_ID`] = id;
      environment[`${prefix}_CLIENT_SECRET`] = secret ?? "";
      environment[`${prefix}_REDIRECT_URI`] = `${host.callback(peer.name)},http://127.0.0.1/${peer.name}`;
    }
    host.program = await Program.start(title, [process.env.QUICKSTART], environment, `${host.url}/healthz`);
    return host;
  }

  log() {
    return this.program.said();
  }

  callback(name) {
    return `${this.url}/web/auth/oauth/${name}/callback`;
  }

  visitor(router) {
    visitors += 1;
    const browser = new Browser(`10.0.${visitors >> 8}.${visitors & 255}`);
    return router === "browser" ? new OnBrowserRouter(this, browser) : new OnBearerRouter(this, browser);
  }
}

// What both kinds of visitors do.
class Visitor {
  constructor(host, browser) {
    Object.assign(this, { host, browser });
  }

  async sent(method, path, body) {
    const headers = { "content-type": "application/json", ...this.credentials() };
    return this.browser.open(this.host.url + path, { method, headers, body: body && JSON.stringify(body) });
  }

  async call(method, path, body) {
    return this.sent(method, this.prefix + path, body);
  }

  // A request that must succeed.
  async done(method, path, body) {
    const response = await this.call(method, path, body);
    assert(response.status < 300, `${method} ${path}: ${response.status} ${response.text}`);
    this.keep(response.json);
    return response.json;
  }

  async me() {
    const response = await this.sent("GET", "/me");
    assert.equal(response.status, 200, response.text);
    return response.json;
  }

  async isConfirmed() {
    return (await this.done("GET", "/user/confirmed-password-status")).confirmed;
  }

  // The authorization request of a flow.
  async begin(purpose, peer) {
    const response = await this.call("POST", BEGIN[purpose](peer.name), this.asks(peer));
    if (response.status !== 200) return { outcome: this.refusal(response) };
    const { authorizationUrl: url, flowToken } = response.json;
    return { purpose, peer, url: new URL(url), flowToken };
  }

  // The provider asks somebody who comes with this request.
  async answer({ peer, url }, who) {
    return peer.answer(this.browser, url, url.searchParams.get("redirect_uri"), who);
  }

  // A whole flow: what comes of it, and which pages of the provider there were.
  async through(purpose, peer, who) {
    const flow = await this.begin(purpose, peer);
    const { pages, returned } = await this.answer(flow, who);
    return { pages, ...(await this.finish(flow, returned)) };
  }

  refusal(response) {
    const { code } = response.json;
    assert.equal(response.status, STATUS[code], response.text);
    assert.equal(response.headers.get("retry-after"), code === "provider_unavailable" ? "5" : null);
    return code;
  }
}

class OnBearerRouter extends Visitor {
  prefix = "/auth";

  credentials() {
    return this.tokens ? { authorization: `Bearer ${this.tokens.accessToken}` } : {};
  }

  keep(body) {
    if (body?.accessToken) this.tokens = body;
  }

  asks(peer) {
    return { redirectUri: app(peer.name) };
  }

  async finish({ purpose, peer, flowToken }, { code, state, iss }) {
    const response = await this.call("POST", END[purpose](peer.name), { flowToken, code, state, iss });
    const { registrationToken, linkToken } = response.json;
    if (response.status >= 400) return { outcome: this.refusal(response), linkToken };
    if (registrationToken) return { outcome: "registration", registrationToken };
    this.keep(response.json);
    return { outcome: DONE[purpose][response.status] };
  }
}

class OnBrowserRouter extends Visitor {
  prefix = "/web/auth";

  credentials() {
    return { origin: this.host.url, "sec-fetch-site": "same-origin" };
  }

  keep() {}

  asks() {
    return { next: "/next" };
  }

  cookies() {
    return this.browser.cookies(this.host.url);
  }

  async finish({ purpose, peer, url }, returned) {
    const callback = new URL(this.host.callback(peer.name));
    callback.search = new URLSearchParams(returned);
    const page = await this.browser.open(callback, { headers: { "sec-fetch-site": "cross-site" } });
    assert.equal(page.status, 303, page.text);
    assert.equal(page.headers.get("referrer-policy"), "no-referrer");
    const isThere = this.cookies().includes(`${SESSION}-flow-${url.searchParams.get("state").slice(0, 8)}`);
    const { origin, pathname, searchParams, hash } = page.location;
    assert.equal(origin, this.host.url);
    const outcome = this.#outcome(purpose, pathname + hash, searchParams.get("error"));
    return { outcome, isSpent: !isThere };
  }

  #outcome(purpose, place, error) {
    if (error !== null) {
      assert.equal(place, purpose === "sign-in" || error === "invalid_flow_token" ? "/" : "/next");
      assert(error in STATUS, error);
      assert.equal(this.cookies().includes(`${SESSION}-link`), error === "account_exists");
      return error;
    }
    if (place === "/#/register-by-provider") {
      assert(this.cookies().includes(`${SESSION}-registration`));
      return "registration";
    }
    assert.equal(place, "/next");
    assert(this.cookies().includes(SESSION));
    return { "sign-in": "signed in", link: "linked", confirm: "confirmed" }[purpose];
  }
}
