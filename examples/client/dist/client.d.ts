import { AuthError } from "./errors.js";
import { Mails } from "./mails.js";
import { Passkeys } from "./passkeys.js";
import { Providers } from "./providers.js";
import { type Routes } from "./routes.js";
import type { Challenged, DeletionScheduled, LoginRequest, Message, NoSession, RegisterRequest, Session, SignedIn } from "./routes.js";
import { type Items, type Locks } from "./session.js";
/** The paths of the module's routes with this method. */
export type Path<Method extends keyof Routes> = keyof Routes[Method] & string;
/** What a route takes, and what it returns. */
type RouteOf<Method extends keyof Routes, P extends Path<Method>> = Routes[Method][P];
type FieldsOf<R> = R extends {
    fields: infer F;
} ? F : never;
type ResultOf<R> = R extends {
    result: infer R;
} ? R : never;
/** The parameter with the fields of a route: none, an optional one, or a required one. */
export type Fields<R> = FieldsOf<R> extends undefined ? [] : Partial<FieldsOf<R>> extends FieldsOf<R> ? [fields?: FieldsOf<R>] : [fields: FieldsOf<R>];
/** {@link AuthClient.call}. */
export type Call = <Method extends keyof Routes, P extends Path<Method>>(method: Method, path: P, ...fields: Fields<RouteOf<Method, P>>) => Promise<ResultOf<RouteOf<Method, P>>>;
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
/** Requests to an application with axum-auth-module. */
export declare class AuthClient {
    #private;
    /** Is called when the user has logged in or out, in this tab or in another one. */
    onchange: (() => void) | null;
    readonly passkeys: Passkeys;
    readonly providers: Providers;
    readonly mails: Mails;
    constructor({ base, tokens, confirmPassword, proveMore, longestWait, origins, storage, flows, leave, locks, }: Options);
    login(fields: LoginRequest): Promise<SignedIn | Challenged>;
    register(fields: RegisterRequest): Promise<SignedIn>;
    /** Whether somebody is logged in. With cookies also `confirmed`, `expiresAt` and `authenticatedBy`. */
    session(): Promise<Session | NoSession | {
        authenticated: boolean;
    }>;
    /** Ends the session. If the server cannot be reached, this throws, but the tokens are deleted anyway. */
    logout(): Promise<void>;
    /** Has the account deleted. Every session ends. Returns `{ message, deletesAt }`. */
    deleteAccount(): Promise<DeletionScheduled>;
    /**
     * Keeps an account that is going to be deleted. The token is in the link of a mail, or in the `AuthError` with the code
     * `account_pending_deletion`; with cookies it is left out after that error. Returns what `login` returns, or after a link `{ message }`: a
     * mail logs nobody in.
     */
    restore(restoreToken?: string | null): Promise<SignedIn | Message>;
    /** Calls a route of the module and returns the body of the response, without its tokens. Throws an {@link AuthError}. */
    call<Method extends keyof Routes, P extends Path<Method>>(method: Method, path: P, ...[fields]: Fields<RouteOf<Method, P>>): Promise<ResultOf<RouteOf<Method, P>>>;
    /** Like the browser's `fetch`, with the credential: for routes of your own. */
    fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>;
}
export {};
