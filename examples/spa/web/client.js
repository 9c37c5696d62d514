// client.js: requests from a browser to an application with axum-auth-module. Copy this file; it needs no other.
//
//     import { AuthClient, json } from "./client.js";
//
//     const auth = new AuthClient({
//       base: "/auth",
//       confirmPassword: (error) => askForThePassword(error),
//       proveMore: ({ methods }, error) => askForAllOf(methods, error),
//     });
//     const { twoFactor } = await auth.login({ email, password, remember: true });
//     if (twoFactor) await auth.call("POST", "/two-factor-challenge", { code });
//     await auth.passkeys.signIn();                                              // `passkeysWork()` says if it can
//     await auth.passkeys.register({ name: "My telephone" });
//     await auth.call("PUT", "/user/profile-information", { name, email });     // a route of the module
//     await auth.providers.signIn("google", `${location.origin}/callback`);      // leaves the page
//     const { registration } = await auth.providers.finish(location.search);     // at /callback
//     const notes = await json(await auth.fetch("/api/notes"));                 // a route of your own
//
// The options:
//
//   base             where the module's router is nested.
//   tokens           false (default): `base` is `browser_router()`, and the browser keeps the session in a cookie that no
//                    script can read. true: `base` is `router()`, and this client keeps tokens in `localStorage`.
//   confirmPassword  is called if a request requires that the user was confirmed recently. It returns the password, or
//                    `{ passkey: true }`, after which the browser asks for a passkey; or null to give up. Its first
//                    parameter is null at first, then the error of the previous try. The second one is the refusal, whose
//                    `confirmWith` has what the user can prove: of `password`, `passkey` and `email`.
//   proveMore        is called if a request requires more than was proven in the session, or more recently (401
//                    `insufficient_user_authentication`). It returns what the user has typed: `{ password }`, `{ code }`
//                    or `{ recoveryCode }`, or the password together with one of the codes; `{ passkey: true }`; or null to
//                    give up. Its first parameter is the refusal. The `methods` of the refusal are what the user can prove,
//                    of `password`, `passkey`, `email` and `two_factor`. A passkey alone is enough. If there are none,
//                    `proveMore` is not called, and the request fails. The second parameter is the error of the previous
//                    try.
//   longestWait      in seconds, default 10. A request that is refused with 429 is repeated after the time in
//                    `Retry-After`, at most twice, unless that time is longer than this.
//   leave            opens the page of a provider, by default in place of this one.
//   origins          to which origins `fetch` may send the credential, besides the page's own and that of `base`.
//
// `auth.onchange` is called when the user has logged in or out, in this tab or in another one.
//
// Which router? Use cookies wherever the page and the module belong to one site. Every script that runs in the page, such
// as a compromised dependency, can read `localStorage`. It can send the tokens elsewhere, and somebody else can then use
// the session for days. A script cannot read the cookie: it can only send requests while the page is open. Tokens are for
// a page that is not of the module's site, because there browsers do not send the cookie.
//
// Several tabs have one session. A refresh token works once, so a tab that uses a token that another tab has used before
// ends the session. Therefore a request that changes the session, such as a refresh, runs alone over all tabs (Web Locks
// API), and reads the tokens inside the lock. Browsers have this API with HTTPS and on localhost. Without it, such requests
// run one at a time within each tab only.

/** A response that is not a success. Programs use `code`; `detail` is a sentence in English. */
export class AuthError extends Error {
  constructor(response, problem) {
    super(problem?.detail ?? `The server returned ${response.status} ${response.statusText}`.trim());
    this.name = "AuthError";
    this.status = response.status;
    this.code = problem?.code ?? `http_${response.status}`;
    this.detail = this.message;
    /** The first error of each field, as in `{ email: "…" }`. Only `validation_failed` has some. */
    const errors = Array.isArray(problem?.errors) ? problem.errors.toReversed() : [];
    this.fields = Object.fromEntries(errors.map(({ field, detail }) => [field, detail]));
    /** Of `insufficient_user_authentication`: the levels that are enough, the seconds within which they must have been
     *  proven (null for any time in the session), and what the user can prove. */
    this.acrValues = problem?.acrValues ?? [];
    this.maxAge = problem?.maxAge ?? null;
    this.methods = problem?.methods ?? [];
    /** Of `password_confirmation_required`: what the user can confirm with. */
    this.confirmWith = problem?.confirmWith ?? [];
    /** Of `account_exists`: with what `providers.linkWith` links the account after a login. Never take it from a URL. */
    this.linkToken = problem?.linkToken ?? null;
    /** Of `account_pending_deletion`: when, and with tokens what `restore` keeps the account with. */
    this.deletesAt = problem?.deletesAt ?? null;
    this.restoreToken = problem?.restoreToken ?? null;
    /** The seconds in `Retry-After`; NaN if there are none. */
    this.retryAfter = retryAfter(response);
  }
}

/** The body of a response, or null if it is empty. Throws an `AuthError` if the response is not a success. */
export async function json(response) {
  if (!response.ok) throw new AuthError(response, await problem(response));
  const text = await response.text();
  return text === "" ? null : JSON.parse(text);
}

/** The module's routes that need no session. They are called without an access token. */
const PUBLIC = [
  "/login", "/register", "/two-factor-challenge", "/two-factor-challenge/passkey-options", "/passkeys/login", "/login/email",
  "/login/email/verify", "/register/passwordless", "/forgot-password", "/reset-password", "/user/restore",
];

/** The routes after which there is no session. */
const ENDING = ["POST /logout", "DELETE /user"];

/** Those of the providers. */
const PROVIDER = /^\/oauth\/[^/]+\/(authorize|callback)$/;

/** Whether the browser can use passkeys with this client. */
export function passkeysWork() {
  return typeof globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON === "function";
}

export class AuthClient {
  onchange = null;
  #base; #tokens; #questions; #longestWait; #origins; #storage; #flows; #leave; #locks; #key;
  #challengeToken; #asked = null;

  constructor({ base, tokens = false, confirmPassword = null, proveMore = null, longestWait = 10, origins = [],
    storage = globalThis.localStorage, flows = globalThis.sessionStorage, leave = (url) => globalThis.location.assign(url),
    locks = globalThis.navigator?.locks ?? locksOfOneTab() }) {
    const page = globalThis.location, url = new URL(base, page?.href);
    this.#base = url.href.replace(/\/$/, "");
    this.#origins = [page?.origin, url.origin, ...origins];
    [this.#tokens, this.#longestWait] = [tokens, longestWait];
    // What the user is asked after a refusal with this code. The answer has the fields of a confirmation.
    this.#questions = new Map([
      ["password_confirmation_required", async (refusal, error) => {
        const answer = await confirmPassword?.(error, refusal);
        return typeof answer === "string" ? { password: answer } : answer ?? null;
      }],
      ["insufficient_user_authentication", async (refusal, error) => (
        refusal.methods.length > 0 ? proveMore?.(refusal, error) : null
      )],
    ]);
    [this.#storage, this.#locks, this.#key] = [storage, locks, `axum-auth-module ${this.#base}`];
    [this.#flows, this.#leave] = [flows, leave];
    globalThis.addEventListener?.("storage", ({ key, oldValue, newValue }) => {
      const session = (record) => JSON.parse(record)?.session;
      if (key === null || (key === this.#key && session(oldValue) !== session(newValue))) this.onchange?.();
    });
  }

  login(fields) { return this.call("POST", "/login", fields); }

  register(fields) { return this.call("POST", "/register", fields); }

  /** Whether somebody is logged in. With cookies also `confirmed`, `expiresAt` and `authenticatedBy`. */
  async session() {
    if (this.#tokens) return { authenticated: this.#read() !== null };
    const session = await this.call("GET", "/session");
    // No call has started it: the browser came back from a provider.
    if (session.authenticated && !this.#read()) this.#storage.setItem(this.#key, JSON.stringify(begun()));
    return session;
  }

  /** Ends the session. If the server cannot be reached, this throws, but the tokens are deleted anyway. */
  async logout() {
    const before = this.#read()?.session;
    try {
      await this.call("POST", "/logout");
    } catch (error) {
      if (error.status !== 401) throw error; // With 401 the session has ended already.
    } finally {
      await this.#alone(() => { if (this.#read()?.session === before) this.#write(null); });
    }
  }

  /** Has the account deleted. Every session ends. Returns `{ message, deletesAt }`. */
  deleteAccount() { return this.call("DELETE", "/user"); }

  /**
   * Keeps an account that is going to be deleted. The token is in the link of a mail, or in the `AuthError` with the code
   * `account_pending_deletion`; with cookies it is left out after that error. Returns what `login` returns, or after a link
   * `{ message }`: a mail logs nobody in.
   */
  restore(restoreToken) { return this.call("POST", "/user/restore", { restoreToken }); }

  /**
   * Passkeys. The browser asks the user; if the user does not want to, it throws a `DOMException` with the name
   * `NotAllowedError`.
   */
  passkeys = {
    /**
     * Signs in. `autofill` waits until the user chooses a passkey in a field whose `autocomplete` has `webauthn`, and
     * `signal` ends the wait. Returns what `login` returns.
     */
    signIn: async ({ autofill = false, remember = false, signal } = {}) => {
      const { options, flowToken } = await this.call("GET", "/passkeys/login/options");
      const credential = await proof(options, { signal, ...(autofill && { mediation: "conditional" }) });
      try {
        return await this.call("POST", "/passkeys/login", { flowToken, credential, remember });
      } catch (error) {
        if (error.code === "unknown_passkey") {
          tell("signalUnknownCredential", { rpId: options.rpId, credentialId: credential.id });
        }
        throw error;
      }
    },

    /** Makes a passkey and adds it to the account. Returns the passkey. */
    register: async ({ name, signal } = {}) => {
      const { options, flowToken } = await this.call("GET", "/user/passkeys/options");
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
      const credential = (await navigator.credentials.create({ publicKey, signal })).toJSON();
      return this.call("POST", "/user/passkeys", { flowToken, credential, name });
    },

    /** The passkeys of the user. The browser hides those that are gone. */
    list: async () => {
      const { rpId, userHandle: userId, user, passkeys } = await this.call("GET", "/user/passkeys");
      const allAcceptedCredentialIds = passkeys.map(({ credentialId }) => credentialId);
      if (userId) tell("signalAllAcceptedCredentials", { rpId, userId, allAcceptedCredentialIds });
      if (userId) tell("signalCurrentUserDetails", { rpId, userId, ...user });
      return passkeys;
    },

    /** Removes a passkey, and has the browser hide it. */
    remove: async (id) => {
      const { rpId, userHandle: userId, credentialIds, ...rest } = await this.call("DELETE", `/user/passkeys/${id}`);
      tell("signalAllAcceptedCredentials", { rpId, userId, allAcceptedCredentialIds: credentialIds });
      return rest;
    },

    /** Completes a login that asks for a second factor. */
    answerChallenge: async ({ signal } = {}) => {
      const { options, flowToken } = await this.call("POST", "/two-factor-challenge/passkey-options", {});
      return this.call("POST", "/two-factor-challenge", { flowToken, credential: await proof(options, { signal }) });
    },

    /** Confirms in the session that it is the user. */
    confirm: async ({ signal } = {}) => {
      const { options, flowToken } = await this.call("GET", "/user/confirm-passkey/options");
      return this.call("POST", "/user/confirm-passkey", { flowToken, credential: await proof(options, { signal }) });
    },
  };

  /**
   * Providers, such as Google. `signIn`, `link` and `confirm` leave the page for the provider, which sends the user back to
   * `redirectUri`, one that the module's configuration has.
   *
   * With tokens, the page at `redirectUri` calls `finish`. What connects the two is in `sessionStorage`: only the tab that has
   * left can finish. With cookies, `redirectUri` is the module's own route; it leads to the path `next`, with `?error=CODE` if
   * something has failed.
   */
  providers = {
    /** What there is: `[{ name, nativeIdToken }]`. */
    list: () => this.call("GET", "/oauth/providers"),

    signIn: (provider, redirectUri, { next, remember = false } = {}) => (
      this.#begin(`/oauth/${provider}/authorize`, { redirectUri, next, remember }, `/oauth/${provider}/callback`)
    ),

    /**
     * Does what the page was left for, with the query that the provider has added to `redirectUri`. Take it out of the address
     * bar first. After `signIn` it returns what `login` returns, or `{ registration: true, registrationToken, email, name }`:
     * then call `/register/passwordless`. If an account has the user's address, the `AuthError` with the code `account_exists`
     * has a `linkToken`. With `provider_unavailable` it can be called once more; with every other error the user begins anew.
     */
    finish: async (query) => {
      const { path, flowToken, state: expected } = JSON.parse(this.#flows.getItem(this.#key)) ?? {};
      const [code, state, iss, error] = ["code", "state", "iss", "error"].map((name) => new URLSearchParams(query).get(name));
      // A link that somebody else has made ends nothing that this tab has begun.
      if (!flowToken || state !== expected) throw refused("invalid_flow_token");
      let isOver = true;
      try {
        if (error) throw refused(/^(temporarily_unavailable|server_error)$/.test(error) ? "provider_unavailable" : "provider_refused");
        return await this.call("POST", path, { flowToken, code, state, iss: iss ?? undefined });
      } catch (failed) {
        isOver = error !== null || failed.status !== 503;
        throw failed;
      } finally {
        if (isOver) this.#flows.removeItem(this.#key);
      }
    },

    /**
     * What `signIn` has left, with cookies: `{ registration, link }`, each null if it is not there. A `registration` needs
     * `/register/passwordless`, a `link` a login and then `linkWith()`: the browser has their tokens.
     */
    pending: () => this.call("GET", "/oauth/pending"),

    /** What the user can sign in with: `[{ id, provider, email, createdAt, lastUsedAt }]`. */
    identities: () => this.call("GET", "/user/identities"),

    /** Links what the user has at the provider with the account. */
    link: (provider, redirectUri, { next } = {}) => (
      this.#begin(`/user/identities/${provider}/authorize`, { redirectUri, next }, "/user/identities")
    ),

    /** Links the account with the address of `account_exists`, after its user has logged in. Show with what, and ask before. */
    linkWith: (linkToken) => this.call("POST", "/user/identities", { linkToken }),

    unlink: (id) => this.call("DELETE", `/user/identities/${id}`),

    /** Confirms in the session that it is the user. The request that required it is to be sent again afterwards. */
    confirm: (provider, redirectUri, { next } = {}) => (
      this.#begin(`/user/confirm-provider/${provider}/authorize`, { redirectUri, next }, "/user/confirm-provider")
    ),
  };

  /** Leaves the page for a provider. `path` is the route that finishes. */
  async #begin(authorize, fields, path) {
    const { authorizationUrl, flowToken } = await this.call("POST", authorize, fields);
    const state = new URL(authorizationUrl).searchParams.get("state");
    if (flowToken) this.#flows.setItem(this.#key, JSON.stringify({ path, flowToken, state }));
    this.#leave(authorizationUrl);
  }

  /** Calls a route of the module and returns the body of the response, without its tokens. Throws an `AuthError`. */
  async call(method, path, fields) {
    if (this.#tokens && path.startsWith("/two-factor-challenge")) {
      fields = { challengeToken: this.#challengeToken, ...fields };
    }
    const request = this.#request(method, path, fields);
    const changeSession = async () => {
      const response = await this.#send(request, { isPublic: PUBLIC.includes(path) || PROVIDER.test(path), isAlone: true });
      if (response.ok) this.#keep(`${method} ${path}`, await response.clone().json());
      return response;
    };
    const attempt = method === "GET" ? () => this.#send(request) : () => this.#alone(changeSession);
    const body = await json(await this.#repeat(request, attempt));
    for (const token of ["accessToken", "refreshToken", "challengeToken"]) delete body[token];
    return body;
  }

  /** Like the browser's `fetch`, with the credential: for routes of your own. */
  async fetch(input, init) {
    const url = input instanceof Request ? input : new URL(input, globalThis.location?.href ?? this.#base);
    const request = new Request(url, { credentials: this.#credentials(), ...init });
    const { origin } = new URL(request.url);
    if (!this.#origins.includes(origin)) throw new TypeError(`The credential is not for ${origin}; see "origins".`);
    return this.#repeat(request, () => this.#send(request));
  }

  /** Repeats a request that was refused with 429, and once if the user has then proven what the request requires. */
  async #repeat(request, attempt) {
    for (let waits = 0, isProven = false; ;) {
      const answered = this.#asked?.isAnswered ? this.#asked : null, response = await attempt();
      if (response.ok) return response;
      const refusal = new AuthError(response, await problem(response));
      if (refusal.status === 429 && refusal.retryAfter <= this.#longestWait && waits < 2) {
        await pause(refusal.retryAfter, request.signal);
        waits += 1;
      } else if (this.#questions.has(refusal.code) && !isProven) {
        // Requests that require one proof at once ask once: a refusal may arrive when another request has had the answer.
        // A request that requires another proof waits for the answer and is then sent again, because the answer may be
        // enough for it.
        const about = JSON.stringify([refusal.code, refusal.acrValues, refusal.maxAge]);
        if (this.#asked === answered) this.#asked = this.#ask(about, refusal);
        if (this.#asked.about !== about) await this.#asked.proof.catch(() => {});
        else if (!(isProven = await this.#asked.proof)) return response;
      } else return response;
    }
  }

  /** A question to the user, which `#prove` asks. */
  #ask(about, refusal) {
    const question = { about, isAnswered: false };
    question.proof = this.#prove(refusal).finally(() => { question.isAnswered = true; });
    return question;
  }

  /** Asks until the answer is right. Returns whether it is: false if the user gives up. */
  async #prove(refusal) {
    for (let error = null; ;) {
      const fields = await this.#questions.get(refusal.code)(refusal, error);
      if (!fields) return false;
      try {
        if (fields.passkey) await this.passkeys.confirm();
        else await this.call("POST", "password" in fields ? "/user/confirm-password" : "/user/confirm-two-factor", fields);
        return true;
      } catch (failed) {
        // The user has not chosen a passkey: the question is asked again.
        if (![422, 429].includes(failed.status) && failed.name !== "NotAllowedError") throw failed;
        error = failed;
      }
    }
  }

  /** Sends a request, and once more with a new credential if the first was not valid any more. */
  async #send(request, { isPublic = false, isAlone = false } = {}) {
    const send = (record) => {
      const copy = request.clone();
      if (this.#tokens && record) copy.headers.set("authorization", `Bearer ${record.accessToken}`);
      // The other tabs wait for a request that runs alone.
      return isAlone ? fetch(copy, { signal: AbortSignal.timeout(30_000) }) : fetch(copy);
    };
    if (isPublic) return send(null);
    const before = this.#read(), response = await send(before);
    if (response.status !== 401 || (await problem(response))?.code !== "unauthenticated") return response;
    const now = await (isAlone ? this.#renew(before) : this.#alone(() => this.#renew(before)));
    return now ? send(now) : response;
  }

  /** The record with a valid credential, or null if the session has ended. Runs alone. */
  async #renew(before) {
    const now = this.#read();
    // Another tab has logged out, or another user has logged in there: this request must not be sent as that user.
    if (now?.session !== before?.session) return null;
    if (!this.#tokens) {
      // A cookie that was replaced while this request was under way is refused. The browser has the new one by now.
      const { authenticated } = await json(await fetch(this.#request("GET", "/session")));
      return authenticated ? now ?? {} : this.#write(null);
    }
    // If the token is another one, another tab has refreshed while this one waited.
    if (!now || now.accessToken !== before.accessToken) return now;
    const request = this.#request("POST", "/refresh", { refreshToken: now.refreshToken });
    const refresh = () => fetch(request.clone(), { signal: AbortSignal.timeout(8_000) });
    // If the response is lost, the same token still works for 10 seconds after its first use.
    const response = await refresh().catch(refresh);
    if (response.status === 401) return this.#write(null);
    const { accessToken, refreshToken } = await json(response);
    return this.#write({ ...now, accessToken, refreshToken });
  }

  #request(method, path, fields) {
    const content = fields && { body: JSON.stringify(fields), headers: { "content-type": "application/json" } };
    return new Request(this.#base + path, { method, credentials: this.#credentials(), ...content });
  }

  #credentials() { return this.#tokens ? "omit" : "include"; }

  #alone(task) { return this.#locks.request(this.#key, task); }

  /** Stores what the response of a route means for the session. Runs alone. */
  #keep(route, { twoFactor, challengeToken, accessToken, refreshToken }) {
    const tokens = accessToken && { accessToken, refreshToken };
    if (twoFactor) this.#challengeToken = challengeToken;
    else if (twoFactor === false) this.#write({ ...begun(), ...tokens });
    else if (ENDING.includes(route)) this.#write(null);
    else if (tokens) this.#write({ ...this.#read(), ...tokens });
  }

  // The record is `{ session, accessToken, refreshToken }`, with cookies `{ session }`. `session` only tells one session of
  // this browser from the next.
  #read() { return JSON.parse(this.#storage.getItem(this.#key)); }

  #write(record) {
    const isOther = this.#read()?.session !== record?.session;
    if (record) this.#storage.setItem(this.#key, JSON.stringify(record));
    else this.#storage.removeItem(this.#key);
    if (isOther) queueMicrotask(() => this.onchange?.());
    return record;
  }
}

/** What the client stores about a session that begins. */
function begun() { return { session: `${Date.now()} ${Math.random()}` }; }

/** An error that no response has said. */
function refused(code) {
  const detail = code === "invalid_flow_token"
    ? "This tab has not begun that, or it is over. Begin again." : "The provider has not confirmed who you are.";
  return new AuthError(new Response(null, { status: code === "provider_unavailable" ? 503 : 422 }), { code, detail });
}

/** Asks the browser for a passkey. */
async function proof(options, more) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return (await navigator.credentials.get({ publicKey, ...more })).toJSON();
}

/** Tells the browser about passkeys, if it wants to know. Nothing depends on it. */
function tell(method, about) {
  globalThis.PublicKeyCredential?.[method]?.(about).catch(() => {});
}

/** The problem document of a response (RFC 9457); null if it has none. */
const problem = (response) => response.clone().json().catch(() => null);

/** `Retry-After` in seconds; it may also be a date (RFC 9110 §10.2.3). */
function retryAfter(response) {
  const value = response.headers.get("retry-after") ?? "";
  return /^\d+$/.test(value) ? Number(value) : Math.max(0, (Date.parse(value) - Date.now()) / 1000);
}

const pause = (seconds, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, seconds * 1000);
  signal.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
});

/** In place of `navigator.locks`: runs tasks one at a time in this tab. */
function locksOfOneTab() {
  let last = Promise.resolve();
  return { request: (_name, task) => (last = last.then(() => task(), () => task())) };
}
