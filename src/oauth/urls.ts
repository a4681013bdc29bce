/** Every URL derives from the issuer, used byte for byte; never from the Host header. */
export const urlUnder = (issuer: string, path: string): string => `${issuer.replace(/\/$/, '')}${path}`;

/** Path only, for forms and redirects within this server. */
export const pathUnder = (issuer: string, path: string): string =>
  `${new URL(issuer).pathname.replace(/\/$/, '')}${path}`;
