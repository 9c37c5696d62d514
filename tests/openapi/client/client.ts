// A client whose types are made from the quickstart's OpenAPI document. It logs in on both routers. Each `@ts-expect-error`
// says what the types must refuse.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./api.d.ts";

const address = process.env["QUICKSTART"];
assert(address, "QUICKSTART is the address of the quickstart");

type Schemas = components["schemas"];
const ada: Schemas["AuthRegisterRequest"] = {
  name: "Ada",
  email: `ada-${process.pid}-${Date.now()}@example.com`,
  password: "correct horse battery",
  passwordConfirmation: "correct horse battery",
};
const { email, password } = ada;

// A program, which keeps tokens.
{
  const client = createClient<paths>({ baseUrl: address });
  const registered = await client.POST("/auth/register", { body: ada });
  assert.equal(registered.response.status, 201);
  assert(registered.data);
  assert.equal(registered.data.twoFactor satisfies false, false);

  // @ts-expect-error A login without a password.
  const incomplete = await client.POST("/auth/login", { body: { email } });
  assert(incomplete.error);
  // The errors of the fields are there only for the code that has them.
  // @ts-expect-error Other problems have no such member.
  incomplete.error.errors;
  assert(incomplete.error.code === "validation_failed");
  assert.deepEqual(incomplete.error.errors.map(({ field, code }) => `${field}: ${code}`), ["password: required"]);

  const refused = await client.POST("/auth/login", { body: { email, password: "wrong horse battery" } });
  assert(refused.error);
  // @ts-expect-error A login does not have this code.
  assert.notEqual(refused.error.code, "refresh_token_reused" satisfies typeof refused.error.code);
  assert(refused.error.code === "invalid_credentials");
  assert.equal(refused.error.status satisfies 401, 401);

  const login = await client.POST("/auth/login", { body: { email, password } });
  assert(login.data);
  // @ts-expect-error Somebody with a second factor has no tokens yet.
  login.data.accessToken;
  assert(login.data.twoFactor === false);
  const refreshed = await client.POST("/auth/refresh", { body: { refreshToken: login.data.refreshToken } });
  assert(refreshed.data);

  const headers = { authorization: `Bearer ${refreshed.data.accessToken}` };
  const listed = await client.GET("/auth/user/sessions", { headers });
  assert(listed.data);
  assert.deepEqual(listed.data.sessions.map(({ current, kind }) => ({ current, kind })), [
    { current: true, kind: "bearer" },
    { current: false, kind: "bearer" },
  ]);
  const [, other] = listed.data.sessions;
  assert(other);
  const place = { params: { path: { id: other.id } }, headers };
  const unconfirmed = await client.DELETE("/auth/user/sessions/{id}", place);
  assert(unconfirmed.error?.code === "password_confirmation_required");
  await client.POST("/auth/user/confirm-password", { body: { password }, headers });
  assert((await client.DELETE("/auth/user/sessions/{id}", place)).data?.message);
  assert((await client.POST("/auth/logout", { headers })).data);
  assert.equal((await client.GET("/auth/user/sessions", { headers })).error?.code, "unauthenticated");
}

// A browser, which keeps a cookie. Node has no jar, and no page whose origin it would send.
{
  let cookie = "";
  const client = createClient<paths>({ baseUrl: address, headers: { origin: address } });
  client.use({
    onRequest({ request }) {
      if (cookie) request.headers.set("cookie", cookie);
    },
    onResponse({ response }) {
      for (const line of response.headers.getSetCookie()) cookie = line.split(";")[0] ?? "";
    },
  });
  assert.equal((await client.GET("/web/auth/session")).data?.authenticated, false);
  const login = await client.POST("/web/auth/login", { body: { email, password, remember: true } });
  assert(login.data);
  assert.equal(login.data.twoFactor, false);
  // @ts-expect-error A page never gets a token.
  assert.equal(login.data.accessToken, undefined);

  const session = await client.GET("/web/auth/session");
  assert(session.data?.authenticated);
  assert(Date.parse(session.data.expiresAt) > Date.now());
  const foreign = await client.POST("/web/auth/logout", { headers: { origin: "https://evil.example" } });
  assert(foreign.error?.code === "cross_origin_request");
  assert((await client.POST("/web/auth/logout")).data);
  assert.equal((await client.GET("/web/auth/session")).data?.authenticated, false);
}

console.log("the client has logged in on both routers");
