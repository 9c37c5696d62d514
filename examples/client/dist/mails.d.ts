import type { Call } from "./client.js";
import type { Challenged, MailStarted, RegistrationStarted, SignedIn, SignedInByAddress } from "./routes.js";
import type { Items } from "./session.js";
/** What the user has of a mail: the code that was typed, or the token of the link. */
export type OfMail = {
    code: string;
} | {
    token: string;
};
/** What the page says, and for how many seconds the mail is valid. */
export type Sent = Pick<MailStarted, "message" | "expiresIn">;
/**
 * Sign-in by mail, and confirmation by mail. What connects the browser with the mail is in `localStorage`, because the link of a mail opens
 * a new tab. On another device neither the code nor the link signs anybody in.
 */
export declare class Mails {
    #private;
    constructor(call: Call, items: Items, key: string);
    /**
     * Has a code and a link mailed. Call it again with this address to send the mail again: the code is then the one of the first mail. With
     * cookies, `remember` keeps the session beyond the end of the browser.
     */
    begin(email: string, { remember }?: {
        remember?: boolean | undefined;
    }): Promise<Sent>;
    /** The address to which the mail was sent that this browser waits for; null if there is none. */
    pending(): string | null;
    /**
     * Signs in. Returns what `login` returns, or `{ registration: true, registrationToken, email }` for an address without an account: then
     * call `/register/passwordless`. With `invalid_flow_token` the user begins again, or goes on in the window that has begun.
     */
    signIn(proof: OfMail): Promise<SignedIn | SignedInByAddress | Challenged | RegistrationStarted>;
    /** Mails a code with which the user confirms in the session. */
    askToConfirm(): Promise<Sent>;
    /** Confirms in the session that it is the user, with the code that `askToConfirm` has mailed. */
    confirm(code: string): Promise<void>;
}
