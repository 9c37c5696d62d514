export { AuthClient } from "./client.js";
export { AuthError, json } from "./errors.js";
export { Mails } from "./mails.js";
export { Passkeys, passkeysWork } from "./passkeys.js";
export { Providers } from "./providers.js";
