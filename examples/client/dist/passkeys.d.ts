import type { Call } from "./client.js";
import type { Challenged, CredentialsChanged, Passkey, Passkeys as List, SignedIn } from "./routes.js";
/** Whether the browser can use passkeys with this client. */
export declare function passkeysWork(): boolean;
/** What a call that asks the user for a passkey takes: `signal` ends it. */
export interface Asking {
    signal?: AbortSignal | undefined;
}
/**
 * Passkeys. The browser asks the user; if the user does not want to, it throws a `DOMException` with the name `NotAllowedError`.
 */
export declare class Passkeys {
    #private;
    constructor(call: Call);
    /**
     * Signs in. `autofill` waits until the user chooses a passkey in a field whose `autocomplete` has `webauthn`, and `signal` ends the
     * wait. Returns what `login` returns.
     */
    signIn({ autofill, remember, signal }?: Asking & {
        autofill?: boolean;
        remember?: boolean;
    }): Promise<SignedIn | Challenged>;
    /** Makes a passkey and adds it to the account. */
    register({ name, signal }?: Asking & {
        name?: string;
    }): Promise<Passkey>;
    /** The passkeys of the user. The browser hides those that are gone. */
    list(): Promise<List["passkeys"]>;
    /** Gives a passkey another name. */
    rename(id: string, name: string): Promise<Passkey>;
    /** Removes a passkey, and has the browser hide it. */
    remove(id: string): Promise<CredentialsChanged>;
    /** Completes a login that asks for a second factor. With `trustDevice` this browser is asked for none for a time. */
    answerChallenge({ signal, trustDevice }?: Asking & {
        trustDevice?: boolean;
    }): Promise<SignedIn>;
    /** Confirms in the session that it is the user. */
    confirm({ signal }?: Asking): Promise<void>;
}
