/** Fetches the key set that a client publishes (`jwks_uri`). RFC 7517 §5 says its form, which the caller reads. */
import { fetchPublic, type PublicFetch, type PublicFetchOptions } from './fetch-public.ts';

/** No redirect: the registration names the address, and another one would not be vetted. */
const KEY_SET: PublicFetch = {
  what: 'key set',
  accept: 'application/jwk-set+json, application/json',
  maxBytes: 64 * 1024,
  maxRedirects: 0,
  maxMilliseconds: 5000,
};

/** @throws Error: the message says why, and nothing of what the other server sent. */
export const fetchKeySet = async (uri: string, options: PublicFetchOptions = {}): Promise<string> =>
  (await fetchPublic(uri, KEY_SET, options)).toString('utf8');
