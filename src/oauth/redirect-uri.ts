/**
 * OAuth 2.1 §4.1.1: the server MUST compare redirect URIs as exact strings. RFC 8252 §7.3 makes one exception: a native
 * app on a loopback IP literal over http may use any port, because the operating system chooses it. Everything else
 * must be equal, byte for byte.
 *
 * A native app that introduced itself may use any port of `localhost` too (docs/decisions/0123): no operator can tell its developer to
 * register a literal.
 */
type Registered = {
  readonly redirectUris: readonly string[];
  readonly applicationType: 'web' | 'native';
  readonly registeredBy: 'operator' | 'self';
};

export function isRegisteredRedirectUri(
  { redirectUris, applicationType, registeredBy }: Registered,
  asked: string,
): boolean {
  const loopback = registeredBy === 'self' ? LOOPBACK : LOOPBACK_LITERAL;
  return redirectUris.some(
    (registered) =>
      asked === registered || (applicationType === 'native' && differsInPortOnly(loopback, registered, asked)),
  );
}

/**
 * 1: scheme and literal. 2: port. 3: the rest, byte for byte. `localhost` is not a literal: a name can resolve to
 * another address.
 */
const LOOPBACK_LITERAL = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([0-9]{1,5}))?((?:[/?].*)?)$/s;
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::([0-9]{1,5}))?((?:[/?].*)?)$/s;

function differsInPortOnly(loopback: RegExp, registered: string, asked: string): boolean {
  const [, registeredHost, , registeredRest] = loopback.exec(registered) ?? [];
  const [, askedHost, askedPort, askedRest] = loopback.exec(asked) ?? [];
  if (askedHost === undefined) return false;
  const portIsValid = askedPort === undefined || (Number(askedPort) >= 1 && Number(askedPort) <= 65_535);
  return portIsValid && registeredHost === askedHost && registeredRest === askedRest;
}

/** Whether another app on the device could receive the redirect: by the loopback interface or an app's scheme (RFC 8252 §8.6, §8.4). */
export function leadsToThisDevice(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri);
  if (protocol !== 'https:' && protocol !== 'http:') return true;
  return /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** RFC 3986 §2: unreserved, reserved, and the percent sign. No backslash, which browsers read as a slash. */
const URI_CHARACTERS = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/;

/**
 * No app on the device gets the redirect: the browser runs or reads it, another server gets it in plain text, or a mail or a call takes it.
 * The consent page would name an app for each.
 */
const NO_SCHEMES_OF_APPS =
  /^(javascript|data|vbscript|file|blob|about|filesystem|view-source|feed|ftp|ws|wss|mailto|tel|sms):$/;

/** @returns the reason why a client cannot register the URI, to complete "It …". Null: it can. */
export function whatIsWrongWithRedirectUri(text: string): string | null {
  if (!URI_CHARACTERS.test(text)) return 'has characters that a URI cannot have (RFC 3986 §2)';
  if (!URL.canParse(text)) return 'is not an absolute URI';
  if (text.includes('#')) return 'has a fragment (RFC 6749 §3.1.2 forbids it)';
  const url = new URL(text);
  if (NO_SCHEMES_OF_APPS.test(url.protocol)) return `has the scheme ${url.protocol}`;
  if (url.username || url.password) return 'has a user or a password in it';
  if (`${url.host}${url.pathname}`.includes('*')) return 'has a wildcard; redirect URIs are compared exactly';
  const read = asBrowsersRead(text);
  return read === text ? null : `browsers read as ${JSON.stringify(read)}; write it so`;
}

/**
 * The URL Standard's parser and serializer, which browsers follow. Some URIs change when a browser reads them: the host
 * in upper case, `:443`, `/a/../b`, `%61`. Such a URI may lead to another place than a reviewer reads, and never equals
 * a URI that a client builds with the same parser. One change is harmless: `https://app.example` has an empty path,
 * which browsers read as `/`. Many libraries send their base URL in that form.
 */
function asBrowsersRead(text: string): string {
  const { href } = new URL(text);
  return text.replace(EMPTY_PATH, '$1/') === href ? text : href;
}
/** The part before the path. */
const EMPTY_PATH = /^(https?:\/\/[^/?]+)(?=\?|$)/;

/** Adds parameters to the query of a redirect URI, and leaves the existing ones unchanged (RFC 6749 §4.1.2). */
export function withParameters(redirectUri: string, parameters: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.set(name, value);
  const glue = redirectUri.includes('?') ? (/[?&]$/.test(redirectUri) ? '' : '&') : '?';
  return `${redirectUri}${glue}${query}`;
}
