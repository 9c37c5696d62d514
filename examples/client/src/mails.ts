import type { Call } from "./client.js";
import { AuthError, refused } from "./errors.js";
import type { Challenged, MailStarted, RegistrationStarted, SignedIn, SignedInByAddress } from "./routes.js";
import type { Items } from "./session.js";

/** What the user has of a mail: the code that was typed, or the token of the link. */
export type OfMail = { code: string } | { token: string };

/** What the page says, and for how many seconds the mail is valid. */
export type Sent = Pick<MailStarted, "message" | "expiresIn">;

/**
 * Sign-in by mail, and confirmation by mail. What connects the browser with the mail is in `localStorage`, because the link of a mail opens
 * a new tab. On another device neither the code nor the link signs anybody in.
 */
export class Mails {
  #call: Call;
  #items: Items;
  #key: string;
  #confirmation: string | null = null;

  constructor(call: Call, items: Items, key: string) {
    this.#call = call;
    this.#items = items;
    this.#key = key;
  }

  /**
   * Has a code and a link mailed. Call it again with this address to send the mail again: the code is then the one of the first mail. With
   * cookies, `remember` keeps the session beyond the end of the browser.
   */
  async begin(email: string, { remember = false } = {}): Promise<Sent> {
    const known = this.#read(), flowToken = known?.email === email ? known.flowToken : undefined;
    const { flowToken: begun, ...sent } = await this.#call("POST", "/login/email", { email, remember, flowToken });
    this.#items.setItem(this.#key, JSON.stringify({ email, flowToken: begun }));
    return sent;
  }

  /** The address to which the mail was sent that this browser waits for; null if there is none. */
  pending(): string | null {
    return this.#read()?.email ?? null;
  }

  /**
   * Signs in. Returns what `login` returns, or `{ registration: true, registrationToken, email }` for an address without an account: then
   * call `/register/passwordless`. With `invalid_flow_token` the user begins again, or goes on in the window that has begun.
   */
  async signIn(proof: OfMail): Promise<SignedIn | SignedInByAddress | Challenged | RegistrationStarted> {
    const known = this.#read();
    if (!known) throw refused("invalid_flow_token");
    let isOver = true;
    try {
      return await this.#call("POST", "/login/email/verify", { flowToken: known.flowToken, ...proof });
    } catch (error) {
      isOver = error instanceof AuthError && error.code === "invalid_flow_token";
      throw error;
    } finally {
      if (isOver) this.#items.removeItem(this.#key);
    }
  }

  /** Mails a code with which the user confirms in the session. */
  async askToConfirm(): Promise<Sent> {
    const { flowToken, ...sent } = await this.#call("POST", "/user/confirm-email");
    this.#confirmation = flowToken;
    return sent;
  }

  /** Confirms in the session that it is the user, with the code that `askToConfirm` has mailed. */
  async confirm(code: string): Promise<void> {
    if (!this.#confirmation) throw refused("invalid_flow_token");
    await this.#call("POST", "/user/confirm-email/verify", { flowToken: this.#confirmation, code });
    this.#confirmation = null;
  }

  #read(): { email: string; flowToken: string } | null {
    return JSON.parse(this.#items.getItem(this.#key) ?? "null");
  }
}
