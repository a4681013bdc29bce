/**
 * The `request_uri` of a pushed request (RFC 9126 §2.2), and the seal on its parameters.
 *
 * urn:ietf:params:oauth:request_uri: base64url( random 32 )
 *
 * The id of the request follows from the random part, so that the row is found by its key. The server stores a hash of that part alone.
 */
import { sameSecretBytes, sha256 } from './digest.ts';
import { type Random, uuidOf } from './random.ts';
import type { RootKeys } from './root-secret.ts';
import { IV_BYTES, openText, sealText } from './sealed-text.ts';

declare module './root-secret.ts' {
  interface Purposes {
    'pushed-request': true;
  }
}

const PREFIX = 'urn:ietf:params:oauth:request_uri:';
/** 256 bits. */
const HANDLE_BYTES = 32;
const HANDLE = /^[A-Za-z0-9_-]{43}$/;

export type RequestUri = {
  readonly id: string;
  readonly handleHash: Uint8Array;
};

/** Of the form that this server makes: another `request_uri` names a document on another server. */
export const isPushedUri = (uri: string): boolean => uri.startsWith(PREFIX);

export function newRequestUri(random: Random): RequestUri & { readonly uri: string } {
  const handle = random.bytes(HANDLE_BYTES).toString('base64url');
  return { uri: `${PREFIX}${handle}`, ...namedBy(handle) };
}

/** @returns null for any text that `newRequestUri` cannot make. */
export function readRequestUri(uri: string): RequestUri | null {
  const handle = uri.slice(PREFIX.length);
  return isPushedUri(uri) && HANDLE.test(handle) ? namedBy(handle) : null;
}

const namedBy = (handle: string): RequestUri => ({
  id: uuidOf(sha256(`the pushed request ${handle}`).subarray(0, 16)),
  handleHash: sha256(handle),
});

export const isNamedBy = (
  { handleHash }: Pick<RequestUri, 'handleHash'>,
  named: Pick<RequestUri, 'handleHash'>,
): boolean => sameSecretBytes(handleHash, named.handleHash);

type Sealing = { readonly keys: RootKeys; readonly random: Random };

/** @param encoded the parameters, as a form. */
export const sealParameters = ({ keys, random }: Sealing, id: string, encoded: string): string =>
  sealText(keys, 'pushed-request', id, encoded, random.bytes(IV_BYTES));

/** @returns null: the root secret that sealed them is no longer listed. */
export const openParameters = (keys: RootKeys, id: string, sealed: string): string | null =>
  openText(keys, 'pushed-request', id, sealed);
