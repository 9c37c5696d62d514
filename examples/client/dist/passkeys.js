import { AuthError } from "./errors.js";
/** Whether the browser can use passkeys with this client. */
export function passkeysWork() {
    return typeof globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON === "function";
}
/**
 * Passkeys. The browser asks the user; if the user does not want to, it throws a `DOMException` with the name `NotAllowedError`.
 */
export class Passkeys {
    #call;
    constructor(call) {
        this.#call = call;
    }
    /**
     * Signs in. `autofill` waits until the user chooses a passkey in a field whose `autocomplete` has `webauthn`, and `signal` ends the
     * wait. Returns what `login` returns.
     */
    async signIn({ autofill = false, remember = false, signal } = {}) {
        const { options, flowToken } = await this.#call("GET", "/passkeys/login/options");
        const credential = await proof(options, { signal, mediation: autofill ? "conditional" : undefined });
        try {
            return await this.#call("POST", "/passkeys/login", { flowToken, credential, remember });
        }
        catch (error) {
            if (error instanceof AuthError && error.code === "unknown_passkey") {
                tell("signalUnknownCredential", { rpId: options.rpId, credentialId: credential.id });
            }
            throw error;
        }
    }
    /** Makes a passkey and adds it to the account. */
    async register({ name, signal } = {}) {
        const { options, flowToken } = await this.#call("GET", "/user/passkeys/options");
        const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
        const made = await navigator.credentials.create({ publicKey, ...(signal && { signal }) });
        const credential = made.toJSON();
        return this.#call("POST", "/user/passkeys", { flowToken, credential, name });
    }
    /** The passkeys of the user. The browser hides those that are gone. */
    async list() {
        const { rpId, userHandle: userId, user, passkeys } = await this.#call("GET", "/user/passkeys");
        if (userId) {
            const allAcceptedCredentialIds = passkeys.map(({ credentialId }) => credentialId);
            tell("signalAllAcceptedCredentials", { rpId, userId, allAcceptedCredentialIds });
            tell("signalCurrentUserDetails", { rpId, userId, ...user });
        }
        return passkeys;
    }
    /** Gives a passkey another name. */
    rename(id, name) {
        return this.#call("PUT", `/user/passkeys/${encodeURIComponent(id)}`, { name });
    }
    /** Removes a passkey, and has the browser hide it. */
    async remove(id) {
        const removed = await this.#call("DELETE", `/user/passkeys/${encodeURIComponent(id)}`);
        const { rpId, userHandle: userId, credentialIds, ...rest } = removed;
        tell("signalAllAcceptedCredentials", { rpId, userId, allAcceptedCredentialIds: credentialIds });
        return rest;
    }
    /** Completes a login that asks for a second factor. With `trustDevice` this browser is asked for none for a time. */
    async answerChallenge({ signal, trustDevice } = {}) {
        const { options, flowToken } = await this.#call("POST", "/two-factor-challenge/passkey-options", {});
        const credential = await proof(options, { signal });
        return this.#call("POST", "/two-factor-challenge", { flowToken, credential, trustDevice });
    }
    /** Confirms in the session that it is the user. */
    async confirm({ signal } = {}) {
        const { options, flowToken } = await this.#call("GET", "/user/confirm-passkey/options");
        await this.#call("POST", "/user/confirm-passkey", { flowToken, credential: await proof(options, { signal }) });
    }
}
/** Asks the browser for a passkey. */
async function proof(options, { signal, mediation }) {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    const found = await navigator.credentials.get({ publicKey, ...(signal && { signal }), ...(mediation && { mediation }) });
    return found.toJSON();
}
/** Tells the browser about passkeys, if it wants to know. Nothing depends on it. */
function tell(method, about) {
    const browser = globalThis.PublicKeyCredential;
    browser?.[method]?.(about).catch(() => { });
}
