/** A response that is not a success. Programs use `code`; `detail` is a sentence for people. */
export class AuthError extends Error {
    name = "AuthError";
    status;
    /** The module's code, one of your own routes, or `http_` with the status if the response has none. */
    code;
    detail;
    /** The first error of each field, as in `{ email: "…" }`. Only `validation_failed` has some. */
    fields;
    /** Of `insufficient_user_authentication`: the levels that are enough. */
    acrValues;
    /** Of `insufficient_user_authentication`: the seconds within which a level must have been proven; null for any time in the session. */
    maxAge;
    /** Of `insufficient_user_authentication`: what the user can prove, of `password`, `passkey`, `email` and `two_factor`. */
    methods;
    /** Of `password_confirmation_required`: what the user can confirm with, of `password`, `passkey` and `email`. */
    confirmWith;
    /** Of `account_exists`: with what `providers.linkWith` links the account after a login. Never take it from a URL. */
    linkToken;
    /** Of `account_pending_deletion`: when the account is deleted. */
    deletesAt;
    /** Of `account_pending_deletion`, with tokens: with what `restore` keeps the account. */
    restoreToken;
    /** The seconds in `Retry-After`; `NaN` if there are none. */
    retryAfter;
    constructor(response, problem) {
        const detail = problem?.detail ?? `The server returned ${response.status} ${response.statusText}`.trim();
        super(detail);
        this.status = response.status;
        this.code = problem?.code ?? `http_${response.status}`;
        this.detail = detail;
        const errors = Array.isArray(problem?.errors) ? problem.errors.toReversed() : [];
        this.fields = Object.fromEntries(errors.map(({ field, detail }) => [field, detail]));
        this.acrValues = problem?.acrValues ?? [];
        this.maxAge = problem?.maxAge ?? null;
        this.methods = problem?.methods ?? [];
        this.confirmWith = problem?.confirmWith ?? [];
        this.linkToken = problem?.linkToken ?? null;
        this.deletesAt = problem?.deletesAt ?? null;
        this.restoreToken = problem?.restoreToken ?? null;
        this.retryAfter = secondsToWait(response);
    }
}
/** The body of a response, or null if it is empty. Throws an {@link AuthError} if the response is not a success. */
export async function json(response) {
    if (!response.ok)
        throw await errorOf(response);
    const text = await response.text();
    return (text === "" ? null : JSON.parse(text));
}
/** The error of a response, whose body can still be read afterwards. */
export async function errorOf(response) {
    const problem = await response.clone().json().catch(() => null);
    return new AuthError(response, problem);
}
/** An error that no response has said. */
export function refused(code) {
    const detail = code === "invalid_flow_token"
        ? "This browser has not begun that, or it is over. Begin again." : "The provider has not confirmed who you are.";
    return new AuthError(new Response(null, { status: code === "provider_unavailable" ? 503 : 422 }), { code, detail });
}
/** `Retry-After` in seconds; it may also be a date (RFC 9110 §10.2.3). */
function secondsToWait(response) {
    const value = response.headers.get("retry-after") ?? "";
    return /^\d+$/.test(value) ? Number(value) : Math.max(0, (Date.parse(value) - Date.now()) / 1000);
}
