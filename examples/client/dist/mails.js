import { AuthError, refused } from "./errors.js";
/**
 * Sign-in by mail, and confirmation by mail. What connects the browser with the mail is in `localStorage`, because the link of a mail opens
 * a new tab. On another device neither the code nor the link signs anybody in.
 */
export class Mails {
    #call;
    #items;
    #key;
    #confirmation = null;
    constructor(call, items, key) {
        this.#call = call;
        this.#items = items;
        this.#key = key;
    }
    /**
     * Has a code and a link mailed. Call it again with this address to send the mail again: the code is then the one of the first mail. With
     * cookies, `remember` keeps the session beyond the end of the browser.
     */
    async begin(email, { remember = false } = {}) {
        const known = this.#read(), flowToken = known?.email === email ? known.flowToken : undefined;
        const { flowToken: begun, ...sent } = await this.#call("POST", "/login/email", { email, remember, flowToken });
        this.#items.setItem(this.#key, JSON.stringify({ email, flowToken: begun }));
        return sent;
    }
    /** The address to which the mail was sent that this browser waits for; null if there is none. */
    pending() {
        return this.#read()?.email ?? null;
    }
    /**
     * Signs in. Returns what `login` returns, or `{ registration: true, registrationToken, email }` for an address without an account: then
     * call `/register/passwordless`. With `invalid_flow_token` the user begins again, or goes on in the window that has begun.
     */
    async signIn(proof) {
        const known = this.#read();
        if (!known)
            throw refused("invalid_flow_token");
        let isOver = true;
        try {
            return await this.#call("POST", "/login/email/verify", { flowToken: known.flowToken, ...proof });
        }
        catch (error) {
            isOver = error instanceof AuthError && error.code === "invalid_flow_token";
            throw error;
        }
        finally {
            if (isOver)
                this.#items.removeItem(this.#key);
        }
    }
    /** Mails a code with which the user confirms in the session. */
    async askToConfirm() {
        const { flowToken, ...sent } = await this.#call("POST", "/user/confirm-email");
        this.#confirmation = flowToken;
        return sent;
    }
    /** Confirms in the session that it is the user, with the code that `askToConfirm` has mailed. */
    async confirm(code) {
        if (!this.#confirmation)
            throw refused("invalid_flow_token");
        await this.#call("POST", "/user/confirm-email/verify", { flowToken: this.#confirmation, code });
        this.#confirmation = null;
    }
    #read() {
        return JSON.parse(this.#items.getItem(this.#key) ?? "null");
    }
}
