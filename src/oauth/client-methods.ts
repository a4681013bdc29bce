/** How a client authenticates: the values of `token_endpoint_auth_method` (OpenID Connect Core §9, RFC 8705 §2). */
export const SECRET_METHODS = ['client_secret_basic', 'client_secret_post'] as const;

export const TLS_METHODS = ['tls_client_auth', 'self_signed_tls_client_auth'] as const;

/** By which a client proves a key of its own, which the server cannot use. */
export const KEY_METHODS = ['private_key_jwt', ...TLS_METHODS] as const;

/**
 * By the token that a platform gives to the workload of the client. A thief of the token is the client until it expires, so it
 * is no proof of a key. Metadata does not list the name, which no registry has (docs/decisions/0115).
 */
export const WORKLOAD_METHOD = 'workload_jwt';

export const CLIENT_METHODS = [...SECRET_METHODS, ...KEY_METHODS, WORKLOAD_METHOD, 'none'] as const;

/** Clients without a secret that the server could know. */
export const WITHOUT_SECRET: readonly string[] = ['none', WORKLOAD_METHOD, ...KEY_METHODS];

export const isOneOf = (methods: readonly string[], method: string): boolean => methods.includes(method);
