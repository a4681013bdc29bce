/** Every URL derives from the issuer, used byte for byte; never from the Host header. */
export const urlUnder = (issuer: string, path: string): string => `${issuer.replace(/\/$/, '')}${path}`;

/** Path only, for forms and redirects within this server. */
export const pathUnder = (issuer: string, path: string): string =>
  `${new URL(issuer).pathname.replace(/\/$/, '')}${path}`;

/** RFC 9728 §3.1: the well-known part goes between host and path of the resource's identifier. */
export function resourceMetadataUrl(issuer: string): string {
  const { origin, pathname } = new URL(urlUnder(issuer, '/oauth/userinfo'));
  return `${origin}/.well-known/oauth-protected-resource${pathname}`;
}
