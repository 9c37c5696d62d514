import type { Call } from "./client.js";
import { AuthError, refused } from "./errors.js";
import type {
  Challenged, CredentialsChanged, Identities, Identity, PendingProviderSteps, ProviderRegistrationStarted, Providers as List, SignedIn,
  SignedInByAddress,
} from "./routes.js";
import type { Items } from "./session.js";

/** What a visit to a provider finishes with: a sign-in, an identity that was linked, or a confirmation. */
export type Finished =
  | SignedIn | SignedInByAddress | Challenged | ProviderRegistrationStarted | Identity | { confirmed: true };

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
export class Providers {
  #call: Call;
  #flows: Items;
  #key: string;
  #leave: (url: string) => void;

  constructor(call: Call, flows: Items, key: string, leave: (url: string) => void) {
    this.#call = call;
    this.#flows = flows;
    this.#key = key;
    this.#leave = leave;
  }

  /** What there is: `[{ name, nativeIdToken }]`. */
  list(): Promise<List> {
    return this.#call("GET", "/oauth/providers");
  }

  signIn(provider: string, redirectUri?: string, { next, remember = false }: Visit & { remember?: boolean } = {}): Promise<void> {
    const begin = () => this.#call("POST", `/oauth/${provider}/authorize`, { redirectUri, next, remember });
    return this.#begin(begin, `/oauth/${provider}/callback`);
  }

  /**
   * Does what the page was left for, with the query that the provider has added to `redirectUri`. Take it out of the address bar first.
   * After `signIn` it returns what `login` returns, or `{ registration: true, registrationToken, email, name }`: then call
   * `/register/passwordless`. If an account has the user's address, the `AuthError` with the code `account_exists` has a `linkToken`. With
   * `provider_unavailable` it can be called once more; with every other error the user begins anew.
   */
  async finish(query: string | URLSearchParams): Promise<Finished> {
    const stored = this.#flows.getItem(this.#key);
    const { path, flowToken, state: expected } = (stored ? JSON.parse(stored) : {}) as Partial<Left>;
    const parameters = new URLSearchParams(query), error = parameters.get("error");
    // A link that somebody else has made ends nothing that this tab has begun.
    if (!path || !flowToken || parameters.get("state") !== expected) throw refused("invalid_flow_token");
    let isOver = true;
    try {
      if (error) throw refused(/^(temporarily_unavailable|server_error)$/.test(error) ? "provider_unavailable" : "provider_refused");
      const [code, state] = [parameters.get("code") ?? "", expected ?? ""], iss = parameters.get("iss") ?? undefined;
      return await this.#call("POST", path, { flowToken, code, state, iss });
    } catch (failed) {
      isOver = error !== null || !(failed instanceof AuthError && failed.status === 503);
      throw failed;
    } finally {
      if (isOver) this.#flows.removeItem(this.#key);
    }
  }

  /**
   * What `signIn` has left, with cookies: `{ registration, link }`, each null if it is not there. A `registration` needs
   * `/register/passwordless`, a `link` a login and then `linkWith()`: the browser has their tokens.
   */
  pending(): Promise<PendingProviderSteps> {
    return this.#call("GET", "/oauth/pending");
  }

  /** What the user can sign in with: `[{ id, provider, email, createdAt, lastUsedAt }]`. */
  identities(): Promise<Identities> {
    return this.#call("GET", "/user/identities");
  }

  /** Links what the user has at the provider with the account. */
  link(provider: string, redirectUri?: string, { next }: Visit = {}): Promise<void> {
    const begin = () => this.#call("POST", `/user/identities/${provider}/authorize`, { redirectUri, next });
    return this.#begin(begin, "/user/identities");
  }

  /** Links the account with the address of `account_exists`, after its user has logged in. Show with what, and ask before. */
  linkWith(linkToken?: string): Promise<Identity> {
    return this.#call("POST", "/user/identities", { linkToken });
  }

  unlink(id: string): Promise<CredentialsChanged> {
    return this.#call("DELETE", `/user/identities/${encodeURIComponent(id)}`);
  }

  /** Confirms in the session that it is the user. The request that required it is to be sent again afterwards. */
  confirm(provider: string, redirectUri?: string, { next }: Visit = {}): Promise<void> {
    const begin = () => this.#call("POST", `/user/confirm-provider/${provider}/authorize`, { redirectUri, next });
    return this.#begin(begin, "/user/confirm-provider");
  }

  /** Leaves the page for a provider. `path` is the route that finishes. */
  async #begin(visit: () => Promise<{ authorizationUrl: string; flowToken?: string }>, path: Left["path"]): Promise<void> {
    const { authorizationUrl, flowToken } = await visit();
    const state = new URL(authorizationUrl).searchParams.get("state");
    if (flowToken) this.#flows.setItem(this.#key, JSON.stringify({ path, flowToken, state }));
    this.#leave(authorizationUrl);
  }
}

/** What connects a page with the visit for which it was left. */
interface Left {
  path: `/oauth/${string}/callback` | "/user/identities" | "/user/confirm-provider";
  flowToken: string;
  state: string | null;
}
