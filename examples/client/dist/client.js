import { AuthError, errorOf, json } from "./errors.js";
import { Mails } from "./mails.js";
import { Passkeys } from "./passkeys.js";
import { Providers } from "./providers.js";
import { PUBLIC, WITH_DEVICE } from "./routes.js";
import { SharedSession, begun, locksOfOneTab } from "./session.js";
/** The routes after which there is no session. */
const ENDING = ["POST /logout", "DELETE /user"];
/** What responses and this client keep, and what callers do not see. */
const TOKENS = ["accessToken", "refreshToken", "challengeToken", "deviceToken"];
/** Requests to an application with axum-auth-module. */
export class AuthClient {
    /** Is called when the user has logged in or out, in this tab or in another one. */
    onchange = null;
    passkeys;
    providers;
    mails;
    #base;
    #tokens;
    #longestWait;
    #origins;
    #items;
    #session;
    #questions;
    #challengeToken;
    #asked = null;
    constructor({ base, tokens = false, confirmPassword = null, proveMore = null, longestWait = 10, origins = [], storage = globalThis.localStorage, flows = globalThis.sessionStorage, leave = (url) => globalThis.location.assign(url), locks = globalThis.navigator?.locks ?? locksOfOneTab(), }) {
        const page = globalThis.location, url = new URL(base, page?.href);
        this.#base = url.href.replace(/\/$/, "");
        this.#origins = [page?.origin, url.origin, ...origins];
        this.#tokens = tokens;
        this.#longestWait = longestWait;
        this.#items = storage;
        this.#session = new SharedSession(`axum-auth-module ${this.#base}`, storage, locks, () => this.onchange?.());
        const call = (method, path, ...fields) => this.call(method, path, ...fields);
        const { key } = this.#session;
        this.passkeys = new Passkeys(call);
        this.providers = new Providers(call, flows, key, leave);
        this.mails = new Mails(call, storage, `${key} mail`);
        this.#questions = new Map([
            ["password_confirmation_required", async (refusal, wrong) => answerOf(await confirmPassword?.(wrong, refusal))],
            ["insufficient_user_authentication", async (refusal, wrong) => (refusal.methods.length > 0 ? answerOf(await proveMore?.(refusal, wrong)) : null)],
        ]);
    }
    login(fields) {
        return this.call("POST", "/login", fields);
    }
    register(fields) {
        return this.call("POST", "/register", fields);
    }
    /** Whether somebody is logged in. With cookies also `confirmed`, `expiresAt` and `authenticatedBy`. */
    async session() {
        if (this.#tokens)
            return { authenticated: this.#session.read() !== null };
        const session = await this.call("GET", "/session");
        // No call has started it: the browser came back from a provider.
        if (session.authenticated && !this.#session.read())
            this.#items.setItem(this.#session.key, JSON.stringify(begun()));
        return session;
    }
    /** Ends the session. If the server cannot be reached, this throws, but the tokens are deleted anyway. */
    async logout() {
        const before = this.#session.read()?.session;
        try {
            await this.call("POST", "/logout");
        }
        catch (error) {
            // With 401 the session has ended already.
            if (!(error instanceof AuthError && error.status === 401))
                throw error;
        }
        finally {
            await this.#session.alone(() => {
                if (this.#session.read()?.session === before)
                    this.#session.write(null);
            });
        }
    }
    /** Has the account deleted. Every session ends. Returns `{ message, deletesAt }`. */
    deleteAccount() {
        return this.call("DELETE", "/user");
    }
    /**
     * Keeps an account that is going to be deleted. The token is in the link of a mail, or in the `AuthError` with the code
     * `account_pending_deletion`; with cookies it is left out after that error. Returns what `login` returns, or after a link `{ message }`: a
     * mail logs nobody in.
     */
    restore(restoreToken) {
        return this.call("POST", "/user/restore", { restoreToken });
    }
    /** Calls a route of the module and returns the body of the response, without its tokens. Throws an {@link AuthError}. */
    async call(method, path, ...[fields]) {
        const route = `${method} ${path}`;
        const kept = this.#kept(route);
        const request = this.#request(method, path, fields || kept ? { ...kept, ...fields } : undefined);
        const changeSession = async () => {
            const response = await this.#send(request, { isPublic: PUBLIC.test(route), isAlone: true });
            if (response.ok)
                this.#keep(route, await response.clone().json());
            return response;
        };
        const attempt = method === "GET" ? () => this.#send(request) : () => this.#session.alone(changeSession);
        const body = await json(await this.#repeat(request, attempt));
        for (const token of TOKENS)
            delete body[token];
        return body;
    }
    /** Like the browser's `fetch`, with the credential: for routes of your own. */
    async fetch(input, init) {
        const url = input instanceof Request ? input : new URL(input, globalThis.location?.href ?? this.#base);
        const request = new Request(url, { credentials: this.#credentials(), ...init });
        const { origin } = new URL(request.url);
        if (!this.#origins.includes(origin))
            throw new TypeError(`The credential is not for ${origin}; see "origins".`);
        return this.#repeat(request, () => this.#send(request));
    }
    /** What this client has kept for a route: with tokens those of a login that goes on, and of a trusted device. */
    #kept(route) {
        if (!this.#tokens)
            return null;
        if (route.startsWith("POST /two-factor-challenge"))
            return { challengeToken: this.#challengeToken };
        const deviceToken = WITH_DEVICE.test(route) ? this.#items.getItem(this.#device) : null;
        return deviceToken === null ? null : { deviceToken };
    }
    /** Repeats a request that was refused with 429, and once if the user has then proven what the request requires. */
    async #repeat(request, attempt) {
        for (let waits = 0, isProven = false;;) {
            const answered = this.#asked?.isAnswered ? this.#asked : null, response = await attempt();
            if (response.ok)
                return response;
            const refusal = await errorOf(response), ask = this.#questions.get(refusal.code);
            if (refusal.status === 429 && refusal.retryAfter <= this.#longestWait && waits < 2) {
                await pause(refusal.retryAfter, request.signal);
                waits += 1;
            }
            else if (ask && !isProven) {
                // Requests that require one proof at once ask once: a refusal may arrive when another request has had the answer.
                // A request that requires another proof waits for the answer and is then sent again, because the answer may be
                // enough for it.
                const about = JSON.stringify([refusal.code, refusal.acrValues, refusal.maxAge]);
                if (!this.#asked || this.#asked === answered)
                    this.#asked = this.#question(about, refusal, ask);
                if (this.#asked.about !== about)
                    await this.#asked.proof.catch(() => { });
                else if (!(isProven = await this.#asked.proof))
                    return response;
            }
            else
                return response;
        }
    }
    /** A question to the user, which `#prove` asks. */
    #question(about, refusal, ask) {
        const proof = this.#prove(refusal, ask).finally(() => { question.isAnswered = true; });
        const question = { about, isAnswered: false, proof };
        return question;
    }
    /** Asks until the answer is right. Returns whether it is: false if the user gives up. */
    async #prove(refusal, ask) {
        for (let wrong = null;;) {
            const answer = await ask(refusal, wrong);
            if (!answer)
                return false;
            try {
                await this.#confirm(answer);
                return true;
            }
            catch (failed) {
                // The user has not chosen a passkey: the question is asked again.
                const isAnswer = failed instanceof AuthError ? [422, 429].includes(failed.status) : isNotChosen(failed);
                if (!isAnswer)
                    throw failed;
                wrong = failed;
            }
        }
    }
    async #confirm({ passkey, mailCode, password, ...codes }) {
        if (passkey)
            await this.passkeys.confirm();
        else if (mailCode !== undefined)
            await this.mails.confirm(mailCode);
        else if (password !== undefined)
            await this.call("POST", "/user/confirm-password", { password, ...codes });
        else
            await this.call("POST", "/user/confirm-two-factor", codes);
    }
    /** Sends a request, and once more with a new credential if the first was not valid any more. */
    async #send(request, { isPublic = false, isAlone = false } = {}) {
        const send = (kept) => {
            const copy = request.clone();
            if (this.#tokens && kept)
                copy.headers.set("authorization", `Bearer ${kept.accessToken}`);
            // The other tabs wait for a request that runs alone.
            return isAlone ? fetch(copy, { signal: AbortSignal.timeout(30_000) }) : fetch(copy);
        };
        if (isPublic)
            return send(null);
        const before = this.#session.read(), response = await send(before);
        if (response.status !== 401 || (await errorOf(response)).code !== "unauthenticated")
            return response;
        const now = await (isAlone ? this.#renew(before) : this.#session.alone(() => this.#renew(before)));
        return now ? send(now) : response;
    }
    /** What is kept with a valid credential, or null if the session has ended. Runs alone. */
    async #renew(before) {
        const now = this.#session.read();
        // Another tab has logged out, or another user has logged in there: this request must not be sent as that user.
        if (now?.session !== before?.session)
            return null;
        if (!this.#tokens) {
            // A cookie that was replaced while this request was under way is refused. The browser has the new one by now.
            const { authenticated } = await json(await fetch(this.#request("GET", "/session")));
            return authenticated ? now ?? {} : this.#session.write(null);
        }
        // If the token is another one, another tab has refreshed while this one waited.
        if (!now || now.accessToken !== before?.accessToken)
            return now;
        const request = this.#request("POST", "/refresh", { refreshToken: now.refreshToken });
        const refresh = () => fetch(request.clone(), { signal: AbortSignal.timeout(8_000) });
        // If the response is lost, the same token still works for 10 seconds after its first use.
        const response = await refresh().catch(refresh);
        if (response.status === 401)
            return this.#session.write(null);
        const { accessToken, refreshToken } = await json(response);
        return this.#session.write({ ...now, accessToken, refreshToken });
    }
    #request(method, path, fields) {
        const content = fields && { body: JSON.stringify(fields), headers: { "content-type": "application/json" } };
        return new Request(this.#base + path, { method, credentials: this.#credentials(), ...content });
    }
    #credentials() {
        return this.#tokens ? "omit" : "include";
    }
    /** Under which name the token of this device is kept, which outlives the session. */
    get #device() {
        return `${this.#session.key} device`;
    }
    /** Keeps what the response of a route means for the session. Runs alone. */
    #keep(route, { twoFactor, challengeToken, accessToken, refreshToken, deviceToken }) {
        const tokens = accessToken && refreshToken ? { accessToken, refreshToken } : undefined;
        if (deviceToken)
            this.#items.setItem(this.#device, deviceToken);
        if (twoFactor)
            this.#challengeToken = challengeToken;
        else if (twoFactor === false)
            this.#session.write({ ...begun(), ...tokens });
        else if (ENDING.includes(route))
            this.#session.write(null);
        else if (tokens)
            this.#session.write({ ...(this.#session.read() ?? begun()), ...tokens });
    }
}
/** A password alone is an answer, too. */
function answerOf(answer) {
    return typeof answer === "string" ? { password: answer } : answer ?? null;
}
/** Whether the user has not chosen a passkey. */
const isNotChosen = (error) => error instanceof DOMException && error.name === "NotAllowedError";
const pause = (seconds, signal) => new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
});
