import type { Call } from "./client.js";
import type { Challenged, CredentialsChanged, Identities, Identity, PendingProviderSteps, ProviderRegistrationStarted, Providers as List, SignedIn, SignedInByAddress } from "./routes.js";
import type { Items } from "./session.js";
/** What a visit to a provider finishes with: a sign-in, an identity that was linked, or a confirmation. */
export type Finished = SignedIn | SignedInByAddress | Challenged | ProviderRegistrationStarted | Identity | {
    confirmed: true;
};
/** Of a visit: with cookies the path of the page to which the module leads afterwards. */
export interface Visit {
    next?: string | undefined;
}
/**
 * Providers, such as Google. `signIn`, `link` and `confirm` leave the page for the provider, which sends the user back to `redirectUri`, one
 * that the module's configuration has; without one it is the first that the configuration has.
 *
 * With tokens, the page at `redirectUri` calls `finish`. What connects the two is in `sessionStorage`: only the tab that has left can
 * finish. With cookies, `redirectUri` is the module's own route; it leads to the path `next`, with `?error=CODE` if something has failed.
 */
export declare class Providers {
    #private;
    constructor(call: Call, flows: Items, key: string, leave: (url: string) => void);
    /** What there is: `[{ name, nativeIdToken }]`. */
    list(): Promise<List>;
    signIn(provider: string, redirectUri?: string, { next, remember }?: Visit & {
        remember?: boolean;
    }): Promise<void>;
    /**
     * Does what the page was left for, with the query that the provider has added to `redirectUri`. Take it out of the address bar first.
     * After `signIn` it returns what `login` returns, or `{ registration: true, registrationToken, email, name }`: then call
     * `/register/passwordless`. If an account has the user's address, the `AuthError` with the code `account_exists` has a `linkToken`. With
     * `provider_unavailable` it can be called once more; with every other error the user begins anew.
     */
    finish(query: string | URLSearchParams): Promise<Finished>;
    /**
     * What `signIn` has left, with cookies: `{ registration, link }`, each null if it is not there. A `registration` needs
     * `/register/passwordless`, a `link` a login and then `linkWith()`: the browser has their tokens.
     */
    pending(): Promise<PendingProviderSteps>;
    /** What the user can sign in with: `[{ id, provider, email, createdAt, lastUsedAt }]`. */
    identities(): Promise<Identities>;
    /** Links what the user has at the provider with the account. */
    link(provider: string, redirectUri?: string, { next }?: Visit): Promise<void>;
    /** Links the account with the address of `account_exists`, after its user has logged in. Show with what, and ask before. */
    linkWith(linkToken?: string): Promise<Identity>;
    unlink(id: string): Promise<CredentialsChanged>;
    /** Confirms in the session that it is the user. The request that required it is to be sent again afterwards. */
    confirm(provider: string, redirectUri?: string, { next }?: Visit): Promise<void>;
}
