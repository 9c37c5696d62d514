// What compiles and what does not. Nothing here is run.
import { AuthClient, AuthError, json, type ErrorCode, type Sessions } from "../dist/index.js";

const auth = new AuthClient({
  base: "/auth",
  confirmPassword: (error, { confirmWith }) => (error === null && confirmWith.includes("passkey") ? { passkey: true } : "password"),
  proveMore: async ({ methods }) => (methods.includes("two_factor") ? { code: "123456" } : null),
});

export async function routes(id: string): Promise<void> {
  const { twoFactor } = await auth.login({ email: "ada@example.com", password: "secret" });
  twoFactor satisfies boolean;
  await auth.call("POST", "/logout");
  await auth.call("POST", "/two-factor-challenge", { recoveryCode: "abc", trustDevice: true });
  const { sessions }: Sessions = await auth.call("GET", "/user/sessions");
  sessions[0]?.current satisfies boolean | undefined;
  const { message } = await auth.call("DELETE", `/user/sessions/${id}`);
  message satisfies string;
  const { token } = await auth.call("POST", "/user/api-tokens", { name: "Backup", scopes: ["notes:read"] });
  token satisfies string;
  await auth.call("GET", `/email/verify/${id}/hash?signature=a&expires=1`);
  await auth.call("GET", "/user/confirmed-password-status?seconds=60");
  // A host can have fields of its own.
  await auth.register({ name: "Ada", email: "ada@example.com", password: "secret", passwordConfirmation: "secret", plan: "free" });
}

export async function mistakes(id: string): Promise<void> {
  // @ts-expect-error There is no such route.
  await auth.call("POST", "/log-in", {});
  // @ts-expect-error The route has another method.
  await auth.call("GET", "/login");
  // @ts-expect-error A field is missing.
  await auth.call("POST", "/user/confirm-password", {});
  // @ts-expect-error A field is missing, because all are.
  await auth.call("PUT", "/user/password");
  // @ts-expect-error There is no such field.
  await auth.call("POST", "/forgot-password", { email: "ada@example.com", name: "Ada" });
  // @ts-expect-error The route takes no fields.
  await auth.call("DELETE", `/user/sessions/${id}`, {});
  // @ts-expect-error Callers never see tokens.
  (await auth.login({ password: "secret" })).accessToken;
}

export async function errors(): Promise<ErrorCode | null> {
  try {
    (await json<{ text: string }[]>(await auth.fetch("/api/notes"))).map(({ text }) => text.trim());
    return null;
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    error.fields["email"] satisfies string | undefined;
    error.retryAfter satisfies number;
    // The codes of the module are suggested, and those of the host are texts.
    if (error.code === "too_many_attempts" || error.code === "note_too_long") return "too_many_attempts";
    throw error;
  }
}
