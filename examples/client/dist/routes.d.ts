/** What a route takes and returns. */
export interface Route<Fields, Result> {
    fields: Fields;
    result: Result;
}
/** The `code` of an error of the module. */
export type ErrorCode = "account_exists" | "account_pending_deletion" | "cross_origin_request" | "email_not_verified" | "email_taken" | "expired_mail_token" | "expired_reset_token" | "expired_verification_link" | "identity_taken" | "incorrect_password" | "internal_error" | "invalid_challenge_token" | "invalid_credentials" | "invalid_flow_token" | "invalid_login_code" | "invalid_mail_token" | "invalid_passkey" | "invalid_recovery_code" | "invalid_refresh_token" | "invalid_reset_token" | "invalid_two_factor_code" | "invalid_verification_link" | "last_sign_in_method" | "limit_reached" | "malformed_request" | "not_allowed" | "not_found" | "not_while_impersonating" | "overloaded" | "passkey_taken" | "password_confirmation_required" | "payload_too_large" | "provider_email_unverified" | "provider_refused" | "provider_unavailable" | "refresh_token_reused" | "registration_closed" | "second_factor_unavailable" | "too_many_attempts" | "two_factor_not_enabled" | "unauthenticated" | "unavailable" | "unknown_passkey" | "unsupported_media_type" | "username_taken" | "validation_failed" | "verification_link_not_yours";
export interface AcceptInvitationRequest {
    /** At most 72 bytes in UTF-8, without NUL. */
    password: string;
    /** At most 72 bytes in UTF-8, without NUL. */
    passwordConfirmation: string;
    token: string;
}
export interface AddPasskeyRequest {
    /** As WebAuthn Level 3 defines it. */
    credential: object;
    flowToken: string;
    name?: string | null | undefined;
}
export interface ApiTokenCreated {
    createdAt: string;
    expiresAt: string;
    id: string;
    lastFour: string;
    lastUsedAt: string | null;
    name: string;
    scopes: string[];
    token: string;
}
/** an array with an object for each API token */
export type ApiTokens = ({
    createdAt: string;
    expiresAt: string;
    id: string;
    lastFour: string;
    lastUsedAt: string | null;
    name: string;
    scopes: string[];
})[];
export interface AuthorizeConfirmationRequest {
    redirectUri?: string | null | undefined;
    next?: string | null | undefined;
}
export interface AuthorizeIdentityRequest {
    redirectUri?: string | null | undefined;
    next?: string | null | undefined;
}
export interface AuthorizeWithProviderRequest {
    redirectUri?: string | null | undefined;
    next?: string | null | undefined;
    remember?: boolean | null | undefined;
}
export interface Challenged {
    methods: ("totp" | "recovery_code" | "passkey")[];
    twoFactor: true;
}
export interface ConfirmEmailChangeRequest {
    token: string;
}
export interface ConfirmPasswordRequest {
    /** The six digits that the authenticator app shows. */
    code?: string | null | undefined;
    password: string;
    recoveryCode?: string | null | undefined;
}
export interface ConfirmTwoFactorAuthenticationRequest {
    /** The six digits that the authenticator app shows. */
    code: string;
}
export interface ConfirmWithEmailRequest {
    code: string;
    flowToken: string;
}
export interface ConfirmWithPasskeyRequest {
    /** As WebAuthn Level 3 defines it. */
    credential: object;
    flowToken: string;
}
export interface ConfirmWithProviderRequest {
    code: string;
    flowToken: string;
    iss?: string | null | undefined;
    state: string;
}
export interface ConfirmationStatus {
    confirmed: boolean;
    methods: ("password" | "passkey" | "email" | "provider" | "two_factor")[];
}
export interface Confirmed {
    confirmed: true;
}
export interface CreateApiTokenRequest {
    expiresIn?: number | null | undefined;
    name: string;
    scopes: string[];
}
export interface CreateServiceTokenRequest {
    audience: string;
}
export interface CredentialsChanged {
    message: string;
}
export interface DeletionScheduled {
    deletesAt: string;
    message: string;
}
export interface EnableTwoFactorAuthenticationRequest {
    force?: boolean | null | undefined;
}
export interface ForgotPasswordRequest {
    email: string;
}
/** an array with an object for each identity */
export type Identities = ({
    createdAt: string;
    email: string | null;
    id: string;
    lastUsedAt: string | null;
    provider: string;
})[];
export interface Identity {
    createdAt: string;
    email: string | null;
    id: string;
    lastUsedAt: string | null;
    provider: string;
}
export interface LinkIdentityRequest {
    code?: string | null | undefined;
    flowToken?: string | null | undefined;
    iss?: string | null | undefined;
    linkToken?: string | null | undefined;
    state?: string | null | undefined;
}
export interface LoginRequest {
    email?: string | null | undefined;
    password: string;
    username?: string | null | undefined;
    remember?: boolean | null | undefined;
}
export interface LoginWithEmailRequest {
    code?: string | null | undefined;
    flowToken: string;
    token?: string | null | undefined;
}
export interface LoginWithIdTokenRequest {
    flowToken: string;
    idToken: string;
    /** It must not be blank or have control characters or invisible ones. */
    name?: string | null | undefined;
    remember?: boolean | null | undefined;
}
export interface LoginWithPasskeyRequest {
    /** As WebAuthn Level 3 defines it. */
    credential: object;
    flowToken: string;
    remember?: boolean | null | undefined;
}
export interface LoginWithProviderRequest {
    code: string;
    flowToken: string;
    iss?: string | null | undefined;
    state: string;
}
export interface MailStarted {
    expiresIn: number;
    flowToken: string;
    message: string;
}
export interface Message {
    message: string;
}
/** an array of the 8 new codes */
export type NewRecoveryCodes = string[];
export interface NoSession {
    authenticated: false;
}
export interface Passkey {
    aaguid: string | null;
    backedUp: boolean;
    backupEligible: boolean;
    createdAt: string;
    credentialId: string;
    id: string;
    lastUsedAt: string | null;
    name: string;
    transports: string[];
    usable: boolean;
}
export interface PasskeyChallengeOptionsRequest {
}
export interface PasskeyOptions {
    expiresIn: number;
    flowToken: string;
    /** As WebAuthn Level 3 defines it. */
    options: object;
}
export interface PasskeyRemoved {
    credentialIds: string[];
    message: string;
    rpId: string;
    userHandle: string;
}
export interface Passkeys {
    passkeys: ({
        aaguid: string | null;
        backedUp: boolean;
        backupEligible: boolean;
        createdAt: string;
        credentialId: string;
        id: string;
        lastUsedAt: string | null;
        name: string;
        transports: string[];
        usable: boolean;
    })[];
    rpId: string;
    user: {
        displayName: string;
        name: string;
    };
    userHandle: string | null;
}
export interface PendingChallenge {
    methods: ("totp" | "recovery_code" | "passkey")[];
    next: string | null;
}
export interface PendingEmailChange {
    pending: {
        email: string;
        expiresAt: string;
    } | null;
}
export interface PendingProviderSteps {
    link: {
        email: string;
        provider: string;
    } | null;
    registration: {
        asksFor: string[];
        email: string;
        /** It must not be blank or have control characters or invisible ones. */
        name: string | null;
        provider: string;
    } | null;
}
export interface ProveTwoFactorRequest {
    /** The six digits that the authenticator app shows. */
    code?: string | null | undefined;
    recoveryCode?: string | null | undefined;
}
export interface ProviderNonce {
    expiresIn: number;
    flowToken: string;
    nonce: string;
}
export interface ProviderRegistrationStarted {
    email: string;
    expiresIn: number;
    /** It must not be blank or have control characters or invisible ones. */
    name: string | null;
    registration: true;
    registrationToken?: string;
}
export interface ProviderVisit {
    authorizationUrl: string;
    expiresIn?: number;
    flowToken?: string;
}
/** an array with an object for each provider */
export type Providers = {
    name: string;
    nativeIdToken: boolean;
}[];
export interface QrCode {
    svg: string;
    url: string;
}
/** an array of the 8 codes; `[]` while two-factor authentication is off */
export type RecoveryCodes = string[];
/** The application can have further fields. */
export interface RegisterPasswordlessRequest {
    /** It must not be blank or have control characters or invisible ones. */
    name?: string | null | undefined;
    registrationToken?: string | null | undefined;
    /** Capital letters become small ones. */
    username?: string | null | undefined;
    [further: string]: unknown;
}
/** The application can have further fields. */
export interface RegisterRequest {
    email: string;
    /** It must not be blank or have control characters or invisible ones. */
    name: string;
    /** At most 72 bytes in UTF-8, without NUL. */
    password: string;
    /** At most 72 bytes in UTF-8, without NUL. */
    passwordConfirmation: string;
    /** Capital letters become small ones. */
    username?: string | null | undefined;
    remember?: boolean | null | undefined;
    [further: string]: unknown;
}
export interface RegistrationStarted {
    email: string;
    expiresIn: number;
    /** It must not be blank or have control characters or invisible ones. */
    name: string | null;
    registration: true;
    registrationToken: string;
}
export interface RenamePasskeyRequest {
    name: string;
}
export interface RequestEmailChangeRequest {
    email: string;
}
export interface RequestLoginCodeRequest {
    email: string;
    flowToken?: string | null | undefined;
    remember?: boolean | null | undefined;
}
export interface ResetPasswordRequest {
    email: string;
    /** At most 72 bytes in UTF-8, without NUL. */
    password: string;
    /** At most 72 bytes in UTF-8, without NUL. */
    passwordConfirmation: string;
    token: string;
}
export interface RestoreAccountRequest {
    restoreToken?: string | null | undefined;
}
export interface RevertEmailChangeRequest {
    token: string;
}
export interface SecretKey {
    secretKey: string;
}
export interface SecureAccountRequest {
    token: string;
}
export interface ServiceToken {
    expiresAt: string;
    token: string;
}
export interface Session {
    actor: {
        sub: string;
    } | null;
    authenticated: true;
    authenticatedBy: string[];
    confirmed: boolean;
    expiresAt: string;
}
export interface Sessions {
    sessions: ({
        actor: {
            sub: string;
        } | null;
        authenticatedBy: string[];
        client: string | null;
        createdAt: string;
        current: boolean;
        expiresAt: string;
        id: string;
        kind: "bearer" | "browser";
        lastUsedAt: string;
        remembered: boolean;
        userAgent: string | null;
    })[];
}
export interface SessionsEnded {
    ended: number;
    message: string;
}
export interface SignInMethods {
    confirmWith: ("password" | "passkey" | "email" | "provider" | "two_factor")[];
    email: boolean;
    identities: ({
        email: string | null;
        id: string;
        provider: string;
    })[];
    passkeys: number;
    password: boolean;
    twoFactor: {
        enabled: boolean;
        methods: ("totp" | "recovery_code" | "passkey")[];
    };
}
export interface SignedIn {
    twoFactor: false;
}
export interface SignedInByAddress {
    passwordRemoved?: true;
    twoFactor: false;
}
export interface SignedInOnTrustedDevice {
    twoFactor: false;
}
export interface TrustedDevices {
    devices: ({
        client: string | null;
        createdAt: string;
        current: boolean;
        expiresAt: string;
        id: string;
        lastUsedAt: string;
        userAgent: string | null;
    })[];
}
export interface TrustedDevicesForgotten {
    ended: number;
    message: string;
}
export interface TwoFactorChallengeRequest {
    /** The six digits that the authenticator app shows. */
    code?: string | null | undefined;
    /** As WebAuthn Level 3 defines it. */
    credential?: object | null | undefined;
    flowToken?: string | null | undefined;
    recoveryCode?: string | null | undefined;
    trustDevice?: boolean | null | undefined;
}
export interface UpdatePasswordRequest {
    currentPassword?: string | null | undefined;
    /** At most 72 bytes in UTF-8, without NUL. */
    password: string;
    /** At most 72 bytes in UTF-8, without NUL. */
    passwordConfirmation: string;
}
/** The application can have further fields. */
export interface UpdateProfileInformationRequest {
    email: string;
    /** It must not be blank or have control characters or invisible ones. */
    name: string;
    /** Capital letters become small ones. */
    username?: string | null | undefined;
    [further: string]: unknown;
}
/** The routes, by method and path. */
export interface Routes {
    GET: {
        /** Verifies the address with the parts of a link; succeeds again when it is verified already. */
        [path: `/email/verify/${string}/${string}`]: Route<undefined, Message>;
        /** Returns the registration and the link that the browser has begun with a provider. */
        "/oauth/pending": Route<undefined, PendingProviderSteps>;
        /** Returns the providers with which users can sign in. */
        "/oauth/providers": Route<undefined, Providers>;
        /** Returns what a page needs to ask for a passkey. It names no account, and is stored nowhere. */
        "/passkeys/login/options": Route<undefined, PasskeyOptions>;
        /** Says whether the browser has a session. */
        "/session": Route<undefined, NoSession | Session>;
        /** Returns with what the challenge of the browser can be completed, and where the browser goes afterwards. */
        "/two-factor-challenge": Route<undefined, PendingChallenge>;
        /** Returns the user's API tokens that have not expired, the oldest first. */
        "/user/api-tokens": Route<undefined, ApiTokens>;
        /** Returns what a page needs to confirm with one of the user's passkeys. */
        "/user/confirm-passkey/options": Route<undefined, PasskeyOptions>;
        /** Returns whether the password was confirmed recently, and what the user can prove; `?seconds=n` shortens the window. */
        "/user/confirmed-password-status": Route<undefined, ConfirmationStatus>;
        [path: `/user/confirmed-password-status?${string}`]: Route<undefined, ConfirmationStatus>;
        /** The address that the user has asked for and not confirmed yet. */
        "/user/email-change": Route<undefined, PendingEmailChange>;
        /** Returns the user's identities at providers, the oldest first. */
        "/user/identities": Route<undefined, Identities>;
        /** Returns the user's passkeys, the oldest first, with what the signal methods of browsers take. */
        "/user/passkeys": Route<undefined, Passkeys>;
        /** Returns what a page needs to make a passkey. */
        "/user/passkeys/options": Route<undefined, PasskeyOptions>;
        /** Returns the user's sessions, the current one first. */
        "/user/sessions": Route<undefined, Sessions>;
        /** Returns with what the user can sign in, and what the user can prove in this session. */
        "/user/sign-in-methods": Route<undefined, SignInMethods>;
        /** Returns the user's trusted devices, that of the session first. */
        "/user/trusted-devices": Route<undefined, TrustedDevices>;
        /** Returns the secret as a QR code and as an `otpauth` URL. */
        "/user/two-factor-qr-code": Route<undefined, QrCode>;
        /** Returns the recovery codes. */
        "/user/two-factor-recovery-codes": Route<undefined, RecoveryCodes>;
        /** Returns the secret in base32, for users who cannot scan the QR code. */
        "/user/two-factor-secret-key": Route<undefined, SecretKey>;
    };
    POST: {
        /** Locks the account down of which a notice has told its owner, with the token of the notice. */
        "/account/secure": Route<SecureAccountRequest, Message>;
        /** Gives an account its previous address back, with the token that was mailed there, and locks the account down. */
        "/email/revert": Route<RevertEmailChangeRequest, Message>;
        /** Sends a verification link to the user's address, unless the address is verified. */
        "/email/verification-notification": Route<undefined, Message>;
        /** Sends a reset token to an address; the response is the same for every address. */
        "/forgot-password": Route<ForgotPasswordRequest, Message>;
        /** Sets the first password of an invited user with the token of the invitation. */
        "/invitation/accept": Route<AcceptInvitationRequest, Message>;
        /** Starts a session for an e-mail address or a user name, and the password of its account. */
        "/login": Route<LoginRequest, SignedIn | Challenged>;
        /** Mails a code and a link to sign in or to register. The response is alike for every address. */
        "/login/email": Route<RequestLoginCodeRequest, MailStarted>;
        /** Starts a session, or a registration, for somebody who has asked for a mail and has the code or the link in it. */
        "/login/email/verify": Route<LoginWithEmailRequest, SignedInByAddress | Challenged | RegistrationStarted | SignedIn>;
        /** Ends the session: its tokens are 401 from then on. */
        "/logout": Route<undefined, Message>;
        /** Begins a sign-in with a provider. The page or the app then opens `authorizationUrl`. Nothing is stored. */
        [path: `/oauth/${string}/authorize`]: Route<AuthorizeWithProviderRequest, ProviderVisit>;
        /** Starts a session, or a registration, for somebody who has come back from a provider. */
        [path: `/oauth/${string}/callback`]: Route<LoginWithProviderRequest, SignedInByAddress | Challenged | ProviderRegistrationStarted | SignedIn>;
        /** Starts a session, or a registration, for somebody who has an ID token of a provider. */
        [path: `/oauth/${string}/id-token`]: Route<LoginWithIdTokenRequest, SignedInByAddress | Challenged | ProviderRegistrationStarted | SignedIn>;
        /** Returns what an app or a page needs to get an ID token of a provider. Nothing is stored. */
        [path: `/oauth/${string}/nonce`]: Route<undefined, ProviderNonce>;
        /** Starts a session for a user who has a passkey, or a challenge if the passkey has not verified its user. */
        "/passkeys/login": Route<LoginWithPasskeyRequest, SignedIn | Challenged>;
        /** Creates an account and starts a session. */
        "/register": Route<RegisterRequest, SignedIn>;
        /** Creates an account without a password for a proven address, and starts a session. */
        "/register/passwordless": Route<RegisterPasswordlessRequest, SignedIn>;
        /** Sets a new password with a reset token and ends every session of the user. */
        "/reset-password": Route<ResetPasswordRequest, Message>;
        /** Returns a short-lived token for another service of the host, which verifies it with the published keys. */
        "/service-token": Route<CreateServiceTokenRequest, ServiceToken>;
        /** Completes a login with a one-time code, a recovery code or a passkey, and starts a session. */
        "/two-factor-challenge": Route<TwoFactorChallengeRequest, SignedIn | SignedInOnTrustedDevice>;
        /** Returns what a page needs to complete a challenge with one of the user's passkeys. */
        "/two-factor-challenge/passkey-options": Route<PasskeyChallengeOptionsRequest, PasskeyOptions>;
        /** Creates an API token and returns its text, which is shown nowhere else. */
        "/user/api-tokens": Route<CreateApiTokenRequest, ApiTokenCreated>;
        /** Mails a code to the user's address, to confirm in this session. */
        "/user/confirm-email": Route<undefined, MailStarted>;
        /** Confirms in this session with the code of a mail. */
        "/user/confirm-email/verify": Route<ConfirmWithEmailRequest, Confirmed>;
        /** Confirms in this session with one of the user's passkeys. */
        "/user/confirm-passkey": Route<ConfirmWithPasskeyRequest, Confirmed>;
        /** Confirms the password in this session, and the second factor if a code is sent. */
        "/user/confirm-password": Route<ConfirmPasswordRequest, Confirmed>;
        /** Confirms in this session with the identity with which the user has come back from a provider. */
        "/user/confirm-provider": Route<ConfirmWithProviderRequest, Confirmed>;
        /** Begins a visit to a provider that asks the user again. */
        [path: `/user/confirm-provider/${string}/authorize`]: Route<AuthorizeConfirmationRequest, ProviderVisit>;
        /** Proves the second factor in this session; the password stays as confirmed as it is. */
        "/user/confirm-two-factor": Route<ProveTwoFactorRequest, Confirmed>;
        /** Confirms the pending secret with a one-time code and ends the user's other sessions. */
        "/user/confirmed-two-factor-authentication": Route<ConfirmTwoFactorAuthenticationRequest, CredentialsChanged>;
        /** Mails a link to a new address, with which the user confirms it. The response is alike for every address. */
        "/user/email-change": Route<RequestEmailChangeRequest, Message>;
        /** Changes the address to the one to which the token was mailed, and ends the user's other sessions. */
        "/user/email-change/confirm": Route<ConfirmEmailChangeRequest, CredentialsChanged>;
        /** Links the identity with which the user has come back from a provider, or that of a link token. */
        "/user/identities": Route<LinkIdentityRequest, Identity>;
        /** Begins a visit to a provider that links an identity to the user. */
        [path: `/user/identities/${string}/authorize`]: Route<AuthorizeIdentityRequest, ProviderVisit>;
        /** Adds a passkey that the browser has made. */
        "/user/passkeys": Route<AddPasskeyRequest, Passkey>;
        /** Cancels the deletion of an account, with the token of a sign-in, which starts the session, or with that of a mail. */
        "/user/restore": Route<RestoreAccountRequest, SignedIn | Message>;
        /** Creates a secret, which is pending until it is confirmed. */
        "/user/two-factor-authentication": Route<EnableTwoFactorAuthenticationRequest, Message>;
        /** Replaces all recovery codes. */
        "/user/two-factor-recovery-codes": Route<undefined, NewRecoveryCodes>;
    };
    PUT: {
        /** Gives a passkey of the user another name. */
        [path: `/user/passkeys/${string}`]: Route<RenamePasskeyRequest, Passkey>;
        /** Changes the password, or sets the first one, and ends the user's other sessions. */
        "/user/password": Route<UpdatePasswordRequest, CredentialsChanged>;
        /** Changes name, e-mail address and user name; a changed address is unverified. */
        "/user/profile-information": Route<UpdateProfileInformationRequest, Message>;
    };
    DELETE: {
        /** Schedules the deletion of the user's account, and ends every session. */
        "/user": Route<undefined, DeletionScheduled>;
        /** Revokes an API token of the user, which ends at once. */
        [path: `/user/api-tokens/${string}`]: Route<undefined, Message>;
        /** Cancels the pending change of the address. */
        "/user/email-change": Route<undefined, Message>;
        /** Unlinks an identity of the user and ends the user's other sessions. */
        [path: `/user/identities/${string}`]: Route<undefined, CredentialsChanged>;
        /** Removes a passkey of the user and ends the user's other sessions. */
        [path: `/user/passkeys/${string}`]: Route<undefined, PasskeyRemoved>;
        /** Removes the password of a user who has another way to sign in, and ends the user's other sessions. */
        "/user/password": Route<undefined, CredentialsChanged>;
        /** Ends all of the user's sessions but the current one. */
        "/user/sessions": Route<undefined, SessionsEnded>;
        /** Ends one of the user's sessions; for the current one it is a logout. */
        [path: `/user/sessions/${string}`]: Route<undefined, Message>;
        /** Ends the trust in all of the user's devices; the sessions there go on. */
        "/user/trusted-devices": Route<undefined, TrustedDevicesForgotten>;
        /** Ends the trust in one of the user's devices; the sessions there go on. */
        [path: `/user/trusted-devices/${string}`]: Route<undefined, Message>;
        /** Disables two-factor authentication and ends the user's other sessions. */
        "/user/two-factor-authentication": Route<undefined, CredentialsChanged>;
    };
}
/** The routes that need no session. */
export declare const PUBLIC: RegExp;
/** Those that take a trusted device in place of a second factor. */
export declare const WITH_DEVICE: RegExp;
