export { AuthClient, type Answer, type Call, type Fields, type Options, type Path, type Wrong } from "./client.js";
export { AuthError, json } from "./errors.js";
export { Mails, type OfMail, type Sent } from "./mails.js";
export { Passkeys, passkeysWork, type Asking } from "./passkeys.js";
export { Providers, type Finished, type Visit } from "./providers.js";
export type { Items, Locks } from "./session.js";
export type * from "./routes.js";
