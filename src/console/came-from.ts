/** Whether a form was sent from a page of this server: what the browser itself says about it, beside the token of the form. */
/** Every current browser sends `Origin` with a POST. The server rejects a request without both headers. */
export function comesFromThisServer(issuer: string, headers: Readonly<Record<string, unknown>>): boolean {
  const origin = headers['origin'];
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  return origin === undefined ? site === 'same-origin' : origin === new URL(issuer).origin;
}
