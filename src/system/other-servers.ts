/**
 * Requests to other servers, bounded in time and size. A slow server, or one that never ends its response, delays only
 * the request that needs it. The server follows no redirects.
 */
import { deadlines } from './deadlines.ts';
import { millisecondsLeft } from './request-time.ts';

/** In bytes. Metadata, keys and tokens have a few kilobytes. */
const MAX_BYTES = 262_144;
const NO_BODY = [204, 205, 304];

/** The other server does not answer, does not answer in time, or sends too much. */
export class OtherServerAway extends Error {
  readonly code: string;
  constructor(code: 'NO_TIME_LEFT' | 'NO_ANSWER' | 'TOO_LONG') {
    super('Another server did not answer as it should.');
    this.name = 'OtherServerAway';
    this.code = code;
  }
}

/** @throws OtherServerAway */
export async function fetchBounded(
  url: string,
  init: RequestInit,
  atMostMilliseconds = deadlines.otherServerMilliseconds,
): Promise<Response> {
  const milliseconds = Math.min(atMostMilliseconds, millisecondsLeft() - deadlines.afterOtherServersMilliseconds);
  if (milliseconds <= 0) throw new OtherServerAway('NO_TIME_LEFT');
  // It applies to the body too.
  const timeout = AbortSignal.timeout(Math.ceil(milliseconds));
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal: timeout });
    const body = NO_BODY.includes(response.status) ? null : await bodyOf(response);
    return new Response(body, { status: response.status, headers: response.headers });
  } catch (error) {
    throw error instanceof OtherServerAway ? error : new OtherServerAway('NO_ANSWER');
  }
}

async function bodyOf({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new OtherServerAway('TOO_LONG');
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
