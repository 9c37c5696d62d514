import { AuthError } from "./errors.js";
import type { Call } from "./client.js";
import type { Challenged, CredentialsChanged, Passkey, Passkeys as List, SignedIn } from "./routes.js";

/** Whether the browser can use passkeys with this client. */
export function passkeysWork(): boolean {
  return typeof globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON === "function";
}

/** What a call that asks the user for a passkey takes: `signal` ends it. */
export interface Asking {
  signal?: AbortSignal | undefined;
}

/**
 * Passkeys. The browser asks the user; if the user does not want to, it throws a `DOMException` with the name `NotAllowedError`.
 */
export class Passkeys {
  #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Signs in. `autofill` waits until the user chooses a passkey in a field whose `autocomplete` has `webauthn`, and `signal` ends the
   * wait. Returns what `login` returns.
   */
  async signIn({ autofill = false, remember = false, signal }: Asking & {
    autofill?: boolean;
    remember?: boolean;
  } = {}): Promise<SignedIn | Challenged> {
    const { options, flowToken } = await this.#call("GET", "/passkeys/login/options");
    const credential = await proof(options, { signal, mediation: autofill ? "conditional" : undefined });
    try {
      return await this.#call("POST", "/passkeys/login", { flowToken, credential, remember });
    } catch (error) {
      if (error instanceof AuthError && error.code === "unknown_passkey") {
        tell("signalUnknownCredential", { rpId: (options as { rpId?: string }).rpId, credentialId: credential.id });
      }
      throw error;
    }
  }

  /** Makes a passkey and adds it to the account. */
  async register({ name, signal }: Asking & { name?: string } = {}): Promise<Passkey> {
    const { options, flowToken } = await this.#call("GET", "/user/passkeys/options");
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
    const made = await navigator.credentials.create({ publicKey, ...(signal && { signal }) });
    const credential = (made as PublicKeyCredential).toJSON() as object;
    return this.#call("POST", "/user/passkeys", { flowToken, credential, name });
  }

  /** The passkeys of the user. The browser hides those that are gone. */
  async list(): Promise<List["passkeys"]> {
    const { rpId, userHandle: userId, user, passkeys } = await this.#call("GET", "/user/passkeys");
    if (userId) {
      const allAcceptedCredentialIds = passkeys.map(({ credentialId }) => credentialId);
      tell("signalAllAcceptedCredentials", { rpId, userId, allAcceptedCredentialIds });
      tell("signalCurrentUserDetails", { rpId, userId, ...user });
    }
    return passkeys;
  }

  /** Gives a passkey another name. */
  rename(id: string, name: string): Promise<Passkey> {
    return this.#call("PUT", `/user/passkeys/${encodeURIComponent(id)}`, { name });
  }

  /** Removes a passkey, and has the browser hide it. */
  async remove(id: string): Promise<CredentialsChanged> {
    const removed = await this.#call("DELETE", `/user/passkeys/${encodeURIComponent(id)}`);
    const { rpId, userHandle: userId, credentialIds, ...rest } = removed;
    tell("signalAllAcceptedCredentials", { rpId, userId, allAcceptedCredentialIds: credentialIds });
    return rest;
  }

  /** Completes a login that asks for a second factor. With `trustDevice` this browser is asked for none for a time. */
  async answerChallenge({ signal, trustDevice }: Asking & { trustDevice?: boolean } = {}): Promise<SignedIn> {
    const { options, flowToken } = await this.#call("POST", "/two-factor-challenge/passkey-options", {});
    const credential = await proof(options, { signal });
    return this.#call("POST", "/two-factor-challenge", { flowToken, credential, trustDevice });
  }

  /** Confirms in the session that it is the user. */
  async confirm({ signal }: Asking = {}): Promise<void> {
    const { options, flowToken } = await this.#call("GET", "/user/confirm-passkey/options");
    await this.#call("POST", "/user/confirm-passkey", { flowToken, credential: await proof(options, { signal }) });
  }
}

/** Asks the browser for a passkey. */
async function proof(
  options: object,
  { signal, mediation }: Asking & { mediation?: CredentialMediationRequirement | undefined },
): Promise<object & { id?: string }> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  const found = await navigator.credentials.get({ publicKey, ...(signal && { signal }), ...(mediation && { mediation }) });
  return (found as PublicKeyCredential).toJSON() as object & { id?: string };
}

/** Tells the browser about passkeys, if it wants to know. Nothing depends on it. */
function tell(method: string, about: object): void {
  const browser = globalThis.PublicKeyCredential as unknown as Record<string, (about: object) => Promise<void>> | undefined;
  browser?.[method]?.(about).catch(() => {});
}
