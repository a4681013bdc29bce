import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';

const TOLERANCE_SECONDS = 300;

/** Standard Webhooks: one of the signatures is ours, and the request is of now. @param secret whsec_… */
export function isAuthentic(
  headers: IncomingMessage['headers'],
  text: string,
  secret: string,
  now = Date.now(),
): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false;
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const ours = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest();
  return signatures.split(' ').some((signature) => {
    const [version, value = ''] = signature.split(',');
    const theirs = Buffer.from(value, 'base64');
    return version === 'v1' && theirs.length === ours.length && timingSafeEqual(theirs, ours);
  });
}

export type Event = { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };

/** @param take is called once for each event; it may throw, and then the event comes again. */
export function webhookReceiver(secret: string, take: (event: Event, id: string) => Promise<void>) {
  // In production: a table with a unique column, in the same transaction as the work.
  const seen = new Set<string>();
  return createServer(async (request, response) => {
    try {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      // The signature is about these bytes: parse them only afterwards.
      const text = Buffer.concat(parts).toString();
      const isOurs = isAuthentic(request.headers, text, secret);
      const id = String(request.headers['webhook-id']);
      if (isOurs && !seen.has(id)) await take(JSON.parse(text), id);
      if (isOurs) seen.add(id);
      response.writeHead(isOurs ? 204 : 401).end();
    } catch {
      response.writeHead(500).end();
    }
  });
}
