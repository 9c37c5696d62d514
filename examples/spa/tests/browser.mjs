// What the tests need of a browser, for Node: the storage, the locks and the cookies that all tabs share.

import { createHmac } from "node:crypto";
import { test } from "node:test";
import { AuthClient, AuthError, json } from "../../client/dist/index.js";

/** The host of `src/tests.rs`, which runs in the same test. */
export const host = process.env.HOST;

/** Functions that see each request before it is sent, and may send it themselves: `(request, send) => response`. */
export const hooks = [];

const send = globalThis.fetch;
let cookies = new Map();

globalThis.fetch = (input, init) => {
  const request = new Request(input, init);
  const next = (index) => async (sent) => (index < hooks.length ? hooks[index](sent, next(index + 1)) : deliver(sent));
  return next(0)(request);
};

async function deliver(request) {
  // A browser sends this header; it decides whether a cookie counts.
  request.headers.set("sec-fetch-site", "same-origin");
  const isSent = request.credentials !== "omit";
  if (isSent && cookies.size > 0) request.headers.set("cookie", [...cookies].map((pair) => pair.join("=")).join("; "));
  const response = await send(request);
  for (const cookie of isSent ? response.headers.getSetCookie() : []) {
    const [, name, value] = cookie.match(/^([^=]+)=([^;]*)/);
    if (/; *Max-Age=0/i.test(cookie)) cookies.delete(name);
    else cookies.set(name, value);
  }
  return response;
}

/** A browser with its tabs. The last one that was made is the one whose cookies are sent. */
export class Browser {
  constructor(mode) {
    this.mode = mode;
    this.locks = new Locks();
    this.items = new Map();
    /** The addresses for which tabs have left their pages. */
    this.left = [];
    cookies = new Map();
  }

  /** A tab, whose page is just a client. */
  tab(options) {
    const { items, locks } = this, tokens = this.mode === "tokens";
    const leave = (url) => { this.left.push(url); };
    return new AuthClient({
      base: `${host}/${tokens ? "bearer" : "auth"}`, tokens, storage: storageOf(items), flows: storageOf(new Map()), leave, locks,
      ...options,
    });
  }

  tabs(count, options) {
    return Array.from({ length: count }, () => this.tab(options));
  }

  /** The cookies and all that scripts can read. */
  contents() {
    return { cookies: [...cookies.keys()], items: [...this.items.values()] };
  }
}

/** `localStorage` or `sessionStorage`. */
export const storageOf = (items) => ({
  getItem: (key) => items.get(key) ?? null,
  setItem: (key, value) => items.set(key, value),
  removeItem: (key) => items.delete(key),
});

/** The exclusive locks of `navigator.locks`: a name has one holder; the others wait in turn. */
class Locks {
  #last = new Map();

  request(name, task) {
    const turn = (this.#last.get(name) ?? Promise.resolve()).then(() => task());
    this.#last.set(name, turn.catch(() => {}));
    return turn;
  }
}

/** In place of locks: nothing. */
export const noLocks = { request: async (_name, task) => task() };

// The routes that only the tests' host has.

const control = async (path) => json(await send(`${host}/test/${path}`, { method: "POST" }));

/** Moves the server's clock. */
export const advance = (seconds) => control(`advance/${seconds}`);

/** How often the server has been asked for each path, since the last call of this function. */
export const requestsSince = () => control("requests");

let accounts = 0;

/** A new account, and the session that its registration starts. */
export async function registered(client) {
  await advance(61); // The limit on registrations begins again.
  accounts += 1;
  const account = { email: `user-${process.pid}-${accounts}@example.com`, password: "correct horse battery" };
  await client.register({ name: "Ada", ...account, passwordConfirmation: account.password });
  return account;
}

/** A new account whose address is verified, and the session that its registration starts. */
export async function verified(client) {
  const account = await registered(client);
  if (await control(`verify/${account.email}`) !== 1) throw new Error("there is no such account");
  return account;
}

/** The code of the next mail to this address, and the token of a link that signs in. */
export async function mailTo(email) {
  const text = await control(`mail/${email}`);
  const [, first, second] = text.match(/^(\d{4}) (\d{4})\r?$/m);
  return { code: first + second, token: text.match(/#\/mail\?token=([\w-]+)/)?.[1] };
}

/** Turns the second factor on, and returns its secret. */
export async function enableTwoFactor(tab) {
  await tab.call("POST", "/user/two-factor-authentication");
  const { secretKey } = await tab.call("GET", "/user/two-factor-secret-key");
  await tab.call("POST", "/user/confirmed-two-factor-authentication", { code: await oneTimeCode(secretKey) });
  return secretKey;
}

/** The code that an authenticator app shows at the server's time (RFC 6238). */
export async function oneTimeCode(secret) {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor((await control("advance/0")) / 30)));
  const mac = createHmac("sha1", key).update(counter).digest();
  const number = mac.readUInt32BE(mac[19] & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

// What the tests themselves have in common.

/** Longer than an access token lives, and than a used refresh token still works. */
export const QUARTER_OF_AN_HOUR = 901;

export const me = async (tab) => (await tab.fetch(`${host}/api/me`)).status;
export const notes = async (tab, init) => json(await tab.fetch(`${host}/api/notes`, init));
export const post = (text) => ({
  method: "POST", body: JSON.stringify({ text }), headers: { "content-type": "application/json" },
});
export const isError = (code) => (error) => error instanceof AuthError && error.code === code;

/** A test for each router. */
export function forBoth(name, body) {
  for (const mode of ["cookies", "tokens"]) test(`${name} (${mode})`, () => body(new Browser(mode)));
}
