import { AuthError, errorOf, json } from "./errors.js";
import { Mails } from "./mails.js";
import { Passkeys } from "./passkeys.js";
import { Providers } from "./providers.js";
import { PUBLIC, WITH_DEVICE, type Routes } from "./routes.js";
import type { Challenged, DeletionScheduled, LoginRequest, Message, NoSession, RegisterRequest, Session, SignedIn } from "./routes.js";
import { SharedSession, begun, locksOfOneTab, type Items, type Kept, type Locks } from "./session.js";

/** The paths of the module's routes with this method. */
export type Path<Method extends keyof Routes> = keyof Routes[Method] & string;

/** What a route takes, and what it returns. */
type RouteOf<Method extends keyof Routes, P extends Path<Method>> = Routes[Method][P];
type FieldsOf<R> = R extends { fields: infer F } ? F : never;
type ResultOf<R> = R extends { result: infer R } ? R : never;

/** The parameter with the fields of a route: none, an optional one, or a required one. */
export type Fields<R> = FieldsOf<R> extends undefined ? [] : Partial<FieldsOf<R>> extends FieldsOf<R> ? [fields?: FieldsOf<R>] : [fields: FieldsOf<R>];

/** {@link AuthClient.call}. */
export type Call = <Method extends keyof Routes, P extends Path<Method>>(
  method: Method,
  path: P,
  ...fields: Fields<RouteOf<Method, P>>
) => Promise<ResultOf<RouteOf<Method, P>>>;

/** What the user has typed or chosen in place of a refused request: a field of each, as far as there is one. */
export interface Answer {
  password?: string;
  code?: string;
  recoveryCode?: string;
  /** Asks the browser for a passkey. */
  passkey?: true;
  /** The code that `mails.askToConfirm` has mailed. */
  mailCode?: string;
}

/** What went wrong at the previous try: the module's error, or that of the browser if no passkey was chosen. */
export type Wrong = AuthError | DOMException | null;

export interface Options {
  /** Where the module's router is nested, as a path of this site or as a URL. */
  base: string;
  /**
   * Without it `base` is `browser_router()`, and the browser keeps the session in a cookie that no script can read. With it `base` is
   * `router()`, and this client keeps tokens in `localStorage`.
   */
  tokens?: boolean;
  /**
   * Is called if a request requires that the user was confirmed recently. It returns the answer, or the password alone, or null to give up.
   * The `confirmWith` of the refusal says what the user can prove.
   */
  confirmPassword?: ((wrong: Wrong, refusal: AuthError) => Asked) | null;
  /**
   * Is called if a request requires more than was proven in the session, or more recently (401 `insufficient_user_authentication`). The
   * `methods` of the refusal say what the user can prove; if there are none, this is not called, and the request fails. It returns `{ code }` or
   * `{ recoveryCode }`, with the `password` if that is to be proven, too; or `{ passkey: true }`, which is enough alone; or null to give up.
   */
  proveMore?: ((refusal: AuthError, wrong: Wrong) => Asked) | null;
  /**
   * In seconds, default 10. A request that is refused with 429 is repeated after the time in `Retry-After`, at most twice, unless that time is
   * longer than this.
   */
  longestWait?: number;
  /** To which origins `fetch` may send the credential, besides the page's own and that of `base`. */
  origins?: string[];
  /** Opens the page of a provider. Default is to open it in place of this one. */
  leave?: (url: string) => void;
  /** Where the session is kept. Default is `localStorage`. */
  storage?: Items;
  /** Where the visit to a provider is kept. Default is `sessionStorage`. */
  flows?: Items;
  /** What tabs agree with that only one of them refreshes. Default is `navigator.locks`. */
  locks?: Locks | undefined;
}

type Asked = Promise<Answer | string | null | undefined> | Answer | string | null | undefined;

/** A question to the user, which several requests can have in common. */
interface Question {
  about: string;
  isAnswered: boolean;
  proof: Promise<boolean>;
}

/** What a question is about: the refusal, and what went wrong at the previous try. */
type Ask = (refusal: AuthError, wrong: Wrong) => Promise<Answer | null>;

/** The routes after which there is no session. */
const ENDING = ["POST /logout", "DELETE /user"];

/** What responses and this client keep, and what callers do not see. */
const TOKENS = ["accessToken", "refreshToken", "challengeToken", "deviceToken"] as const;
type Body = { twoFactor?: boolean } & Partial<Record<(typeof TOKENS)[number], string>>;

/** Requests to an application with axum-auth-module. */
export class AuthClient {
  /** Is called when the user has logged in or out, in this tab or in another one. */
  onchange: (() => void) | null = null;
  readonly passkeys: Passkeys;
  readonly providers: Providers;
  readonly mails: Mails;

  #base: string;
  #tokens: boolean;
  #longestWait: number;
  #origins: (string | undefined)[];
  #items: Items;
  #session: SharedSession;
  #questions: ReadonlyMap<string, Ask>;
  #challengeToken: string | undefined;
  #asked: Question | null = null;

  constructor({
    base, tokens = false, confirmPassword = null, proveMore = null, longestWait = 10, origins = [],
    storage = globalThis.localStorage, flows = globalThis.sessionStorage, leave = (url) => globalThis.location.assign(url),
    locks = globalThis.navigator?.locks ?? locksOfOneTab(),
  }: Options) {
    const page = globalThis.location, url = new URL(base, page?.href);
    this.#base = url.href.replace(/\/$/, "");
    this.#origins = [page?.origin, url.origin, ...origins];
    this.#tokens = tokens;
    this.#longestWait = longestWait;
    this.#items = storage;
    this.#session = new SharedSession(`axum-auth-module ${this.#base}`, storage, locks, () => this.onchange?.());
    const call: Call = (method, path, ...fields) => this.call(method, path, ...fields);
    const { key } = this.#session;
    this.passkeys = new Passkeys(call);
    this.providers = new Providers(call, flows, key, leave);
    this.mails = new Mails(call, storage, `${key} mail`);
    this.#questions = new Map<string, Ask>([
      ["password_confirmation_required", async (refusal, wrong) => answerOf(await confirmPassword?.(wrong, refusal))],
      ["insufficient_user_authentication", async (refusal, wrong) => (
        refusal.methods.length > 0 ? answerOf(await proveMore?.(refusal, wrong)) : null
      )],
    ]);
  }

  login(fields: LoginRequest): Promise<SignedIn | Challenged> {
    return this.call("POST", "/login", fields);
  }

  register(fields: RegisterRequest): Promise<SignedIn> {
    return this.call("POST", "/register", fields);
  }

  /** Whether somebody is logged in. With cookies also `confirmed`, `expiresAt` and `authenticatedBy`. */
  async session(): Promise<Session | NoSession | { authenticated: boolean }> {
    if (this.#tokens) return { authenticated: this.#session.read() !== null };
    const session = await this.call("GET", "/session");
    // No call has started it: the browser came back from a provider.
    if (session.authenticated && !this.#session.read()) this.#items.setItem(this.#session.key, JSON.stringify(begun()));
    return session;
  }

  /** Ends the session. If the server cannot be reached, this throws, but the tokens are deleted anyway. */
  async logout(): Promise<void> {
    const before = this.#session.read()?.session;
    try {
      await this.call("POST", "/logout");
    } catch (error) {
      // With 401 the session has ended already.
      if (!(error instanceof AuthError && error.status === 401)) throw error;
    } finally {
      await this.#session.alone(() => {
        if (this.#session.read()?.session === before) this.#session.write(null);
      });
    }
  }

  /** Has the account deleted. Every session ends. Returns `{ message, deletesAt }`. */
  deleteAccount(): Promise<DeletionScheduled> {
    return this.call("DELETE", "/user");
  }

  /**
   * Keeps an account that is going to be deleted. The token is in the link of a mail, or in the `AuthError` with the code
   * `account_pending_deletion`; with cookies it is left out after that error. Returns what `login` returns, or after a link `{ message }`: a
   * mail logs nobody in.
   */
  restore(restoreToken?: string | null): Promise<SignedIn | Message> {
    return this.call("POST", "/user/restore", { restoreToken });
  }

  /** Calls a route of the module and returns the body of the response, without its tokens. Throws an {@link AuthError}. */
  async call<Method extends keyof Routes, P extends Path<Method>>(
    method: Method,
    path: P,
    ...[fields]: Fields<RouteOf<Method, P>>
  ): Promise<ResultOf<RouteOf<Method, P>>> {
    const route = `${method} ${path}`;
    const kept = this.#kept(route);
    const request = this.#request(method, path, fields || kept ? { ...kept, ...fields as object | undefined } : undefined);
    const changeSession = async () => {
      const response = await this.#send(request, { isPublic: PUBLIC.test(route), isAlone: true });
      if (response.ok) this.#keep(route, await response.clone().json() as Body);
      return response;
    };
    const attempt = method === "GET" ? () => this.#send(request) : () => this.#session.alone(changeSession);
    const body = await json<Body>(await this.#repeat(request, attempt));
    for (const token of TOKENS) delete body[token];
    return body as ResultOf<RouteOf<Method, P>>;
  }

  /** Like the browser's `fetch`, with the credential: for routes of your own. */
  async fetch(input: Request | URL | string, init?: RequestInit): Promise<Response> {
    const url = input instanceof Request ? input : new URL(input, globalThis.location?.href ?? this.#base);
    const request = new Request(url, { credentials: this.#credentials(), ...init });
    const { origin } = new URL(request.url);
    if (!this.#origins.includes(origin)) throw new TypeError(`The credential is not for ${origin}; see "origins".`);
    return this.#repeat(request, () => this.#send(request));
  }

  /** What this client has kept for a route: with tokens those of a login that goes on, and of a trusted device. */
  #kept(route: string): { challengeToken: string | undefined } | { deviceToken: string } | null {
    if (!this.#tokens) return null;
    if (route.startsWith("POST /two-factor-challenge")) return { challengeToken: this.#challengeToken };
    const deviceToken = WITH_DEVICE.test(route) ? this.#items.getItem(this.#device) : null;
    return deviceToken === null ? null : { deviceToken };
  }

  /** Repeats a request that was refused with 429, and once if the user has then proven what the request requires. */
  async #repeat(request: Request, attempt: () => Promise<Response>): Promise<Response> {
    for (let waits = 0, isProven = false; ;) {
      const answered = this.#asked?.isAnswered ? this.#asked : null, response = await attempt();
      if (response.ok) return response;
      const refusal = await errorOf(response), ask = this.#questions.get(refusal.code);
      if (refusal.status === 429 && refusal.retryAfter <= this.#longestWait && waits < 2) {
        await pause(refusal.retryAfter, request.signal);
        waits += 1;
      } else if (ask && !isProven) {
        // Requests that require one proof at once ask once: a refusal may arrive when another request has had the answer.
        // A request that requires another proof waits for the answer and is then sent again, because the answer may be
        // enough for it.
        const about = JSON.stringify([refusal.code, refusal.acrValues, refusal.maxAge]);
        if (!this.#asked || this.#asked === answered) this.#asked = this.#question(about, refusal, ask);
        if (this.#asked.about !== about) await this.#asked.proof.catch(() => {});
        else if (!(isProven = await this.#asked.proof)) return response;
      } else return response;
    }
  }

  /** A question to the user, which `#prove` asks. */
  #question(about: string, refusal: AuthError, ask: Ask): Question {
    const proof = this.#prove(refusal, ask).finally(() => { question.isAnswered = true; });
    const question: Question = { about, isAnswered: false, proof };
    return question;
  }

  /** Asks until the answer is right. Returns whether it is: false if the user gives up. */
  async #prove(refusal: AuthError, ask: Ask): Promise<boolean> {
    for (let wrong: Wrong = null; ;) {
      const answer = await ask(refusal, wrong);
      if (!answer) return false;
      try {
        await this.#confirm(answer);
        return true;
      } catch (failed) {
        // The user has not chosen a passkey: the question is asked again.
        const isAnswer = failed instanceof AuthError ? [422, 429].includes(failed.status) : isNotChosen(failed);
        if (!isAnswer) throw failed;
        wrong = failed as Wrong;
      }
    }
  }

  async #confirm({ passkey, mailCode, password, ...codes }: Answer): Promise<void> {
    if (passkey) await this.passkeys.confirm();
    else if (mailCode !== undefined) await this.mails.confirm(mailCode);
    else if (password !== undefined) await this.call("POST", "/user/confirm-password", { password, ...codes });
    else await this.call("POST", "/user/confirm-two-factor", codes);
  }

  /** Sends a request, and once more with a new credential if the first was not valid any more. */
  async #send(request: Request, { isPublic = false, isAlone = false } = {}): Promise<Response> {
    const send = (kept: Partial<Kept> | null) => {
      const copy = request.clone();
      if (this.#tokens && kept) copy.headers.set("authorization", `Bearer ${kept.accessToken}`);
      // The other tabs wait for a request that runs alone.
      return isAlone ? fetch(copy, { signal: AbortSignal.timeout(30_000) }) : fetch(copy);
    };
    if (isPublic) return send(null);
    const before = this.#session.read(), response = await send(before);
    if (response.status !== 401 || (await errorOf(response)).code !== "unauthenticated") return response;
    const now = await (isAlone ? this.#renew(before) : this.#session.alone(() => this.#renew(before)));
    return now ? send(now) : response;
  }

  /** What is kept with a valid credential, or null if the session has ended. Runs alone. */
  async #renew(before: Kept | null): Promise<Partial<Kept> | null> {
    const now = this.#session.read();
    // Another tab has logged out, or another user has logged in there: this request must not be sent as that user.
    if (now?.session !== before?.session) return null;
    if (!this.#tokens) {
      // A cookie that was replaced while this request was under way is refused. The browser has the new one by now.
      const { authenticated } = await json<NoSession | Session>(await fetch(this.#request("GET", "/session")));
      return authenticated ? now ?? {} : this.#session.write(null);
    }
    // If the token is another one, another tab has refreshed while this one waited.
    if (!now || now.accessToken !== before?.accessToken) return now;
    const request = this.#request("POST", "/refresh", { refreshToken: now.refreshToken });
    const refresh = () => fetch(request.clone(), { signal: AbortSignal.timeout(8_000) });
    // If the response is lost, the same token still works for 10 seconds after its first use.
    const response = await refresh().catch(refresh);
    if (response.status === 401) return this.#session.write(null);
    const { accessToken, refreshToken } = await json<Required<Pick<Kept, "accessToken" | "refreshToken">>>(response);
    return this.#session.write({ ...now, accessToken, refreshToken });
  }

  #request(method: string, path: string, fields?: object): Request {
    const content = fields && { body: JSON.stringify(fields), headers: { "content-type": "application/json" } };
    return new Request(this.#base + path, { method, credentials: this.#credentials(), ...content });
  }

  #credentials(): RequestCredentials {
    return this.#tokens ? "omit" : "include";
  }

  /** Under which name the token of this device is kept, which outlives the session. */
  get #device(): string {
    return `${this.#session.key} device`;
  }

  /** Keeps what the response of a route means for the session. Runs alone. */
  #keep(route: string, { twoFactor, challengeToken, accessToken, refreshToken, deviceToken }: Body): void {
    const tokens = accessToken && refreshToken ? { accessToken, refreshToken } : undefined;
    if (deviceToken) this.#items.setItem(this.#device, deviceToken);
    if (twoFactor) this.#challengeToken = challengeToken;
    else if (twoFactor === false) this.#session.write({ ...begun(), ...tokens });
    else if (ENDING.includes(route)) this.#session.write(null);
    else if (tokens) this.#session.write({ ...(this.#session.read() ?? begun()), ...tokens });
  }
}

/** A password alone is an answer, too. */
function answerOf(answer: Answer | string | null | undefined): Answer | null {
  return typeof answer === "string" ? { password: answer } : answer ?? null;
}

/** Whether the user has not chosen a passkey. */
const isNotChosen = (error: unknown) => error instanceof DOMException && error.name === "NotAllowedError";

const pause = (seconds: number, signal: AbortSignal) => new Promise<void>((resolve, reject) => {
  const timer = setTimeout(resolve, seconds * 1000);
  signal.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
});
