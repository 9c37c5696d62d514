import type { ErrorCode } from "./routes.js";
/** The body of a response that is not a success (RFC 9457). */
interface Problem {
    code?: string;
    detail?: string;
    errors?: {
        field: string;
        detail: string;
    }[];
    acrValues?: string[];
    maxAge?: number;
    methods?: string[];
    confirmWith?: string[];
    linkToken?: string;
    deletesAt?: string;
    restoreToken?: string;
}
/** A response that is not a success. Programs use `code`; `detail` is a sentence for people. */
export declare class AuthError extends Error {
    readonly name = "AuthError";
    readonly status: number;
    /** The module's code, one of your own routes, or `http_` with the status if the response has none. */
    readonly code: ErrorCode | (string & {});
    readonly detail: string;
    /** The first error of each field, as in `{ email: "…" }`. Only `validation_failed` has some. */
    readonly fields: Readonly<Record<string, string>>;
    /** Of `insufficient_user_authentication`: the levels that are enough. */
    readonly acrValues: readonly string[];
    /** Of `insufficient_user_authentication`: the seconds within which a level must have been proven; null for any time in the session. */
    readonly maxAge: number | null;
    /** Of `insufficient_user_authentication`: what the user can prove, of `password`, `passkey`, `email` and `two_factor`. */
    readonly methods: readonly string[];
    /** Of `password_confirmation_required`: what the user can confirm with, of `password`, `passkey` and `email`. */
    readonly confirmWith: readonly string[];
    /** Of `account_exists`: with what `providers.linkWith` links the account after a login. Never take it from a URL. */
    readonly linkToken: string | null;
    /** Of `account_pending_deletion`: when the account is deleted. */
    readonly deletesAt: string | null;
    /** Of `account_pending_deletion`, with tokens: with what `restore` keeps the account. */
    readonly restoreToken: string | null;
    /** The seconds in `Retry-After`; `NaN` if there are none. */
    readonly retryAfter: number;
    constructor(response: Response, problem: Problem | null);
}
/** The body of a response, or null if it is empty. Throws an {@link AuthError} if the response is not a success. */
export declare function json<Body = unknown>(response: Response): Promise<Body>;
/** The error of a response, whose body can still be read afterwards. */
export declare function errorOf(response: Response): Promise<AuthError>;
/** An error that no response has said. */
export declare function refused(code: "invalid_flow_token" | "provider_refused" | "provider_unavailable"): AuthError;
export {};
