/** Fetches an image from an address that a registration names. */
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { sha256 } from '../crypto/digest.ts';
import { type Image, type RasterType, rasterTypeOf } from '../model/image.ts';
import { isPublicHost, lookupPublic, NotPublic } from './public-address.ts';

export type FetchedImage = Image & { readonly type: RasterType };

export type FetchImageOptions = {
  /** For tests, which have no public internet. */
  readonly lookup?: LookupFunction;
  readonly isPublicHost?: (hostname: string) => boolean;
  readonly ca?: string;
  /** Comes when the other server has had time enough, for all its answers together. */
  readonly timeIsOver?: () => AbortSignal;
};

const MAX_BYTES = 256 * 1024;
const MAX_REDIRECTS = 3;
const MAX_MILLISECONDS = 10_000;
const REDIRECTS: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);

/** @throws Error: it cannot be shown; the message says why, and nothing of what the other server sent. */
export async function fetchImage(uri: string, options: FetchImageOptions = {}): Promise<FetchedImage> {
  const { timeIsOver = () => AbortSignal.timeout(MAX_MILLISECONDS) } = options;
  const signal = timeIsOver();
  let url = new URL(uri);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer = await get(url, signal, options);
    if (REDIRECTS.has(answer.statusCode)) {
      answer.destroy();
      url = redirectedTo(answer, url);
      continue;
    }
    try {
      return imageFrom(await bodyOf(answer));
    } finally {
      answer.destroy();
    }
  }
  throw new Error(`The URL of the image has more than ${MAX_REDIRECTS} redirects.`);
}

function get(url: URL, signal: AbortSignal, options: FetchImageOptions): Promise<IncomingMessage> {
  const { lookup = lookupPublic, isPublicHost: mayAsk = isPublicHost, ca } = options;
  if (url.protocol !== 'https:') throw new Error('The image is not at an https: URL.');
  if (!mayAsk(url.hostname)) throw new NotPublic();
  return new Promise((resolve, reject) => {
    const headers = { accept: 'image/png, image/jpeg, image/webp, image/gif', 'accept-encoding': 'identity' };
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

async function bodyOf(answer: IncomingMessage): Promise<Buffer> {
  if (answer.statusCode !== 200) throw new Error(`The server of the image answered with status ${answer.statusCode}.`);
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MAX_BYTES) throw new Error(`The image is larger than ${MAX_BYTES / 1024} KiB.`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The type comes from the bytes. The Content-Type of the other server does not count. */
function imageFrom(bytes: Buffer): FetchedImage {
  const type = rasterTypeOf(bytes);
  if (type === null) throw new Error('The bytes are no PNG, JPEG, WebP or GIF image.');
  return { hash: sha256(bytes).toString('base64url'), type, bytes };
}
