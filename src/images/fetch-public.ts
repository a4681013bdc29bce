/** The only requests of the server to an address that a registration names, with their limits. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isPublicHost, NotPublic, resolvingPublic } from './public-address.ts';

export type PublicFetchOptions = {
  /** For tests, which have no public internet. */
  readonly lookup?: LookupFunction;
  readonly isPublicHost?: (hostname: string) => boolean;
  readonly ca?: string;
  /** Comes when the other server has had time enough, for all its answers together. */
  readonly timeIsOver?: () => AbortSignal;
};

export type PublicFetch = {
  /** "image", for the messages of errors. */
  readonly what: string;
  readonly accept: string;
  readonly maxBytes: number;
  readonly maxRedirects: number;
  readonly maxMilliseconds: number;
};

const REDIRECTS: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);

/** The other server answered, and not as it has to. Another fetch would bring the same. */
export class WrongAnswer extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WrongAnswer';
  }
}

export type PublicAnswer = { readonly bytes: Buffer; readonly headers: IncomingHttpHeaders };

/** @throws Error: the message says why, and nothing of what the other server sent. */
export const fetchPublic = async (uri: string, fetch: PublicFetch, options?: PublicFetchOptions): Promise<Buffer> =>
  (await fetchAnswer(uri, fetch, options)).bytes;

/** @throws Error as `fetchPublic` does. */
export async function fetchAnswer(
  uri: string,
  fetch: PublicFetch,
  options: PublicFetchOptions = {},
): Promise<PublicAnswer> {
  const { what, maxRedirects, maxMilliseconds } = fetch;
  const { timeIsOver = () => AbortSignal.timeout(maxMilliseconds) } = options;
  const signal = timeIsOver();
  let url = new URL(uri);
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const answer = await get(url, signal, fetch, options);
    if (REDIRECTS.has(answer.statusCode)) {
      answer.destroy();
      url = redirectedTo(answer, url);
      continue;
    }
    try {
      return { bytes: await bodyOf(answer, fetch), headers: answer.headers };
    } finally {
      answer.destroy();
    }
  }
  throw new WrongAnswer(`The URL of the ${what} has more than ${maxRedirects} redirects.`);
}

function get(
  url: URL,
  signal: AbortSignal,
  { what, accept }: PublicFetch,
  options: PublicFetchOptions,
): Promise<IncomingMessage> {
  const { lookup = resolvingPublic(), isPublicHost: mayAsk = isPublicHost, ca } = options;
  if (url.protocol !== 'https:') throw new Error(`The ${what} is not at an https: URL.`);
  if (!mayAsk(url.hostname)) throw new NotPublic();
  return new Promise((resolve, reject) => {
    const headers = { accept, 'accept-encoding': 'identity' };
    // A connection of its own: no cookie, no credentials, and none that was made without the check.
    const asked = request(url, { headers, lookup, signal, agent: false, ...(ca !== undefined && { ca }) }, resolve);
    asked.on('error', reject);
    asked.end();
  });
}

function redirectedTo({ headers: { location } }: IncomingMessage, from: URL): URL {
  if (location === undefined || !URL.canParse(location, from.href))
    throw new Error('A redirect has no valid Location.');
  return new URL(location, from.href);
}

async function bodyOf(answer: IncomingMessage, { what, maxBytes }: PublicFetch): Promise<Buffer> {
  const { statusCode = 0 } = answer;
  if (statusCode !== 200) {
    const message = `The server of the ${what} answered with status ${statusCode}.`;
    throw statusCode >= 500 || statusCode === 429 ? new Error(message) : new WrongAnswer(message);
  }
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > maxBytes) throw new WrongAnswer(`The ${what} is larger than ${maxBytes / 1024} KiB.`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
