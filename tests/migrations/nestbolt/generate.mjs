// Makes `database.sql` and `people.json` with the services of nestbolt. The README of the folder above says how to run it.

import { randomBytes, randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [nestbolt, out] = process.argv.slice(2);
const require = createRequire(join(resolve(nestbolt), "package.json"));
require("reflect-metadata");
const bcrypt = require("bcrypt");
const { authenticator } = require("otplib");
const service = (name) => require(join(resolve(nestbolt), "dist/services", name));
const { EncryptionService } = service("encryption.service.js");
const { TwoFactorProviderService } = service("two-factor-provider.service.js");
const { RecoveryCodeService } = service("recovery-code.service.js");
const { TwoFactorService } = service("two-factor.service.js");

/** The time of the one-time codes in `people.json`, in Unix seconds. */
const CODES_AT = 1_800_000_000;
const options = { encryptionKey: randomBytes(32).toString("base64"), appName: "Example", twoFactorOptions: { confirm: true } };

// nestbolt has no table: a host brings this repository, and the table with the names of the fields.
const users = new Map();
const repository = {
  save: async (patch) => Object.assign(users.get(patch.id), patch),
};
const provider = new TwoFactorProviderService(options);
const twoFactor = new TwoFactorService(repository, options, provider, new EncryptionService(options), new RecoveryCodeService());

const people = [];
async function person(name, email, { verified = true, enables = false, confirms = false } = {}) {
  const password = randomBytes(9).toString("base64url");
  const user = {
    id: randomUUID(),
    name,
    email,
    password: await bcrypt.hash(password, 10),
    emailVerifiedAt: verified ? new Date() : null,
    twoFactorSecret: null,
    twoFactorRecoveryCodes: null,
    twoFactorConfirmedAt: null,
    passwordConfirmedAt: null,
  };
  users.set(user.id, user);
  const known = { email, password };
  if (enables) {
    await twoFactor.enable(user);
    const { secretKey } = await twoFactor.getSecretKey(user);
    if (confirms) await twoFactor.confirmSetup(user, authenticator.generate(secretKey));
    const code = authenticator.clone({ epoch: CODES_AT * 1000 }).generate(secretKey);
    Object.assign(known, { code, recovery_codes: await twoFactor.getRecoveryCodes(user), is_confirmed: confirms });
  }
  people.push(known);
}

await person("Ada", "ada@example.com");
await person("Grace", "Grace@Example.com", { enables: true, confirms: true });
await person("Linus", "linus@example.com", { verified: false, enables: true, confirms: true });
await person("Pending", "pending@example.com", { enables: true });

const literal = (value) => (value === null ? "NULL" : `'${value instanceof Date ? value.toISOString() : value}'`);
let sql = `-- Written by generate.mjs.
CREATE TABLE users (id varchar(36) PRIMARY KEY NOT NULL, name varchar(255) NOT NULL, email varchar(255) NOT NULL UNIQUE, password varchar(255) NOT NULL, "emailVerifiedAt" datetime, "twoFactorSecret" text, "twoFactorRecoveryCodes" text, "twoFactorConfirmedAt" datetime, "passwordConfirmedAt" datetime);
`;
for (const user of users.values()) {
  const columns = Object.keys(user).map((name) => `"${name}"`);
  sql += `INSERT INTO users (${columns.join(", ")}) VALUES (${Object.values(user).map(literal).join(", ")});\n`;
}
writeFileSync(join(out, "database.sql"), sql);
writeFileSync(join(out, "people.json"), JSON.stringify({ keys: options, codes_at: CODES_AT, people }, null, 2) + "\n");
