import type { ErrorCode } from "./routes.js";

/** The body of a response that is not a success (RFC 9457). */
interface Problem {
  code?: string;
  detail?: string;
  errors?: { field: string; detail: string }[];
  acrValues?: string[];
  maxAge?: number;
  methods?: string[];
  confirmWith?: string[];
  linkToken?: string;
  deletesAt?: string;
  restoreToken?: string;
}

/** A response that is not a success. Programs use `code`; `detail` is a sentence for people. */
export class AuthError extends Error {
  override readonly name = "AuthError";
  readonly status: number;
  /** The module's code, one of your own routes, or `http_` with the status if the response has none. */
  readonly code: ErrorCode | (string & {});
  readonly detail: string;
  /** The first error of each field, as in `{ email: "…" }`. Only `validation_failed` has some. */
  readonly fields: Readonly<Record<string, string>>;
  /** Of `insufficient_user_authentication`: the levels that are enough. */
  readonly acrValues: readonly string[];
  /** Of `insufficient_user_authentication`: the seconds within which a level must have been proven; null for any time in the session. */
  readonly maxAge: number | null;
  /** Of `insufficient_user_authentication`: what the user can prove, of `password`, `passkey`, `email` and `two_factor`. */
  readonly methods: readonly string[];
  /** Of `password_confirmation_required`: what the user can confirm with, of `password`, `passkey` and `email`. */
  readonly confirmWith: readonly string[];
  /** Of `account_exists`: with what `providers.linkWith` links the account after a login. Never take it from a URL. */
  readonly linkToken: string | null;
  /** Of `account_pending_deletion`: when the account is deleted. */
  readonly deletesAt: string | null;
  /** Of `account_pending_deletion`, with tokens: with what `restore` keeps the account. */
  readonly restoreToken: string | null;
  /** The seconds in `Retry-After`; `NaN` if there are none. */
  readonly retryAfter: number;

  constructor(response: Response, problem: Problem | null) {
    const detail = problem?.detail ?? `The server returned ${response.status} ${response.statusText}`.trim();
    super(detail);
    this.status = response.status;
    this.code = problem?.code ?? `http_${response.status}`;
    this.detail = detail;
    const errors = Array.isArray(problem?.errors) ? problem.errors.toReversed() : [];
    this.fields = Object.fromEntries(errors.map(({ field, detail }) => [field, detail]));
    this.acrValues = problem?.acrValues ?? [];
    this.maxAge = problem?.maxAge ?? null;
    this.methods = problem?.methods ?? [];
    this.confirmWith = problem?.confirmWith ?? [];
    this.linkToken = problem?.linkToken ?? null;
    this.deletesAt = problem?.deletesAt ?? null;
    this.restoreToken = problem?.restoreToken ?? null;
    this.retryAfter = secondsToWait(response);
  }
}

/** The body of a response, or null if it is empty. Throws an {@link AuthError} if the response is not a success. */
export async function json<Body = unknown>(response: Response): Promise<Body> {
  if (!response.ok) throw await errorOf(response);
  const text = await response.text();
  return (text === "" ? null : JSON.parse(text)) as Body;
}

/** The error of a response, whose body can still be read afterwards. */
export async function errorOf(response: Response): Promise<AuthError> {
  const problem = await response.clone().json().catch(() => null) as Problem | null;
  return new AuthError(response, problem);
}

/** An error that no response has said. */
export function refused(code: "invalid_flow_token" | "provider_refused" | "provider_unavailable"): AuthError {
  const detail = code === "invalid_flow_token"
    ? "This browser has not begun that, or it is over. Begin again." : "The provider has not confirmed who you are.";
  return new AuthError(new Response(null, { status: code === "provider_unavailable" ? 503 : 422 }), { code, detail });
}

/** `Retry-After` in seconds; it may also be a date (RFC 9110 §10.2.3). */
function secondsToWait(response: Response): number {
  const value = response.headers.get("retry-after") ?? "";
  return /^\d+$/.test(value) ? Number(value) : Math.max(0, (Date.parse(value) - Date.now()) / 1000);
}
