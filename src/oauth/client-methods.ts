/** How a client authenticates: the values of `token_endpoint_auth_method` (OpenID Connect Core §9, RFC 8705 §2). */
export const SECRET_METHODS = ['client_secret_basic', 'client_secret_post'] as const;

export const TLS_METHODS = ['tls_client_auth', 'self_signed_tls_client_auth'] as const;

/** By which a client proves a key of its own, which the server cannot use. */
export const KEY_METHODS = ['private_key_jwt', ...TLS_METHODS] as const;

export const CLIENT_METHODS = [...SECRET_METHODS, ...KEY_METHODS, 'none'] as const;

export const isOneOf = (methods: readonly string[], method: string): boolean => methods.includes(method);
