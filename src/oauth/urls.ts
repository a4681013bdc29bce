/** Every URL derives from the issuer, which the server uses byte for byte, and never from the Host header. */
export const urlUnder = (issuer: string, path: string): string => `${issuer.replace(/\/$/, '')}${path}`;

/** Path only, for forms and redirects within this server. */
export const pathUnder = (issuer: string, path: string): string =>
  `${new URL(issuer).pathname.replace(/\/$/, '')}${path}`;

/**
 * RFC 9728 §3.1: the well-known part goes between host and path of the resource's identifier.
 *
 * @param resource its path, below the issuer.
 */
export const resourceMetadataPath = (issuer: string, resource: string): string =>
  `/.well-known/oauth-protected-resource${pathUnder(issuer, resource)}`;

/** The metadata URL of the UserInfo Endpoint. */
export const resourceMetadataUrl = (issuer: string): string =>
  `${new URL(issuer).origin}${resourceMetadataPath(issuer, '/oauth/userinfo')}`;
