/** Fetches the document of a client whose `client_id` is a URL (draft-ietf-oauth-client-id-metadata-document §5). */
import type { IncomingHttpHeaders } from 'node:http';
import { fetchAnswer, type PublicFetch, type PublicFetchOptions, WrongAnswer } from './fetch-public.ts';
import { NotPublic } from './public-address.ts';

/** CIMD §5: "The authorization server MUST NOT automatically follow HTTP redirects". CIMD §8.6 forbids private addresses, and CIMD §8.7 recommends the size. */
const DOCUMENT: PublicFetch = {
  what: 'document',
  accept: 'application/json',
  maxBytes: 5 * 1024,
  maxRedirects: 0,
  maxMilliseconds: 5000,
};

/** `problem`: the rule that was broken, in a sentence without anything of what the other server sent. */
export type DocumentAnswer =
  | { readonly kind: 'sent'; readonly text: string; readonly freshSeconds: number }
  | { readonly kind: 'unreachable' | 'malformed'; readonly problem: string };

export async function fetchClientDocument(uri: string, options: PublicFetchOptions = {}): Promise<DocumentAnswer> {
  try {
    const { bytes, headers } = await fetchAnswer(uri, DOCUMENT, options);
    if (!isJson(headers['content-type'] ?? ''))
      return { kind: 'malformed', problem: 'The Content-Type is neither application/json nor application/…+json.' };
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { kind: 'sent', text, freshSeconds: freshSecondsOf(headers) };
  } catch (error) {
    if (error instanceof WrongAnswer || error instanceof NotPublic)
      return { kind: 'malformed', problem: error.message };
    if (error instanceof TypeError && !('cause' in error && error.cause))
      return { kind: 'malformed', problem: 'The document is not encoded in UTF-8.' };
    return { kind: 'unreachable', problem: whyUnreachable(error) };
  }
}

/** CIMD §4. */
const isJson = (type: string): boolean =>
  /^application\/(?:[a-z0-9][a-z0-9!#$&^_.-]*\+)?json$/.test((type.split(';')[0] ?? '').trim().toLowerCase());

/** Messages of the network name addresses. Their codes do not. */
function whyUnreachable(error: unknown): string {
  if (error instanceof DOMException || (error instanceof Error && error.name === 'AbortError'))
    return `The document did not come within ${DOCUMENT.maxMilliseconds / 1000} seconds.`;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (code !== null && /^[A-Z_0-9]{1,60}$/.test(code)) return `The connection failed: ${code}.`;
  return error instanceof Error && /^The server of the document answered with status \d+\.$/.test(error.message)
    ? error.message
    : 'The connection failed.';
}

/** A shorter time would fetch with nearly each request, and a longer one would keep withdrawn redirect URIs. */
const LEAST_FRESH_SECONDS = 300;
const MOST_FRESH_SECONDS = 86_400;
/** Where the answer says nothing. */
const USUAL_FRESH_SECONDS = 3600;

/** `Cache-Control`, within bounds (CIMD §5.2). */
function freshSecondsOf(headers: IncomingHttpHeaders): number {
  const control = (headers['cache-control'] ?? '').toLowerCase();
  if (/(?:^|[,\s])no-(?:store|cache)(?:$|[,\s=])/.test(control)) return LEAST_FRESH_SECONDS;
  const [, most] = /(?:^|[,\s])max-age\s*=\s*"?(\d{1,10})/.exec(control) ?? [];
  if (most === undefined) return USUAL_FRESH_SECONDS;
  const age = /^\d{1,10}$/.test(headers.age ?? '') ? Number(headers.age) : 0;
  return Math.min(MOST_FRESH_SECONDS, Math.max(LEAST_FRESH_SECONDS, Number(most) - age));
}
