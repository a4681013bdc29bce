/** One attempt: a POST that is bounded in time and size. The server keeps only the status of the response. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { isPublicHost, lookupPublic, NotPublic } from '../images/public-address.ts';
import type { AttemptOutcome } from '../lifecycles/webhook-delivery/attempt.ts';
import type { WebhookBody } from './body.ts';

export type Attempt = {
  readonly url: string;
  /** `webhook-id`. */
  readonly id: string;
  readonly body: WebhookBody;
  /** The newest first. Each makes a signature. */
  readonly secrets: readonly string[];
  readonly allowPrivateNetwork: boolean;
  readonly at: Date;
  /** Aborts the attempt. */
  readonly signal: AbortSignal;
};

/** For tests, which have no public internet and no publicly trusted certificate. */
export type AttemptOptions = {
  readonly lookup?: LookupFunction;
  readonly lookupPublic?: LookupFunction;
  readonly ca?: string;
};

/** The limit of a response body, which the server does not use. It disconnects an endpoint that sends more. */
const MAX_BYTES_READ = 65_536;

/** Standard Webhooks: during the replacement of a secret, the header has the signatures of both. */
export function headersOf({ id, body, secrets, at }: Pick<Attempt, 'id' | 'body' | 'secrets' | 'at'>) {
  return {
    'content-type': body.contentType,
    'content-length': String(Buffer.byteLength(body.text)),
    'user-agent': 'statehouse-webhooks',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body.text)).join(' '),
  };
}

/** `status`: of HTTP. Null: there was no answer. */
export type Attempted = { readonly outcome: AttemptOutcome; readonly status: number | null };

/** Never throws for a failure of the endpoint or the network. */
export async function attempt(asked: Attempt, options: AttemptOptions = {}): Promise<Attempted> {
  const { hostname } = new URL(asked.url);
  if (!asked.allowPrivateNetwork && !isPublicHost(hostname)) return { outcome: 'address_not_public', status: null };
  try {
    const answer = await post(asked, options);
    await drained(answer);
    const status = answer.statusCode ?? 0;
    return { outcome: outcomeOf(status), status };
  } catch (error) {
    return { outcome: failureOf(error), status: null };
  }
}

function post(asked: Attempt, options: AttemptOptions): Promise<IncomingMessage> {
  const { url, body, signal, allowPrivateNetwork } = asked;
  // The check runs when the connection is made: a name cannot lead to another address after the check.
  const lookup = allowPrivateNetwork ? options.lookup : (options.lookupPublic ?? lookupPublic);
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        headers: headersOf(asked),
        signal,
        // A new connection: none that was made without the check.
        agent: false,
        lookup,
        ca: options.ca,
      },
      resolve,
    );
    sent.on('error', reject);
    // 101 without a request for it: without this, the request would neither end nor fail.
    sent.on('upgrade', (answer, socket) => {
      socket.destroy();
      resolve(answer);
    });
    sent.end(body.text);
  });
}

/** The status decides, regardless of the rest of the response. */
async function drained(answer: IncomingMessage): Promise<void> {
  let bytes = 0;
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > MAX_BYTES_READ) break;
    }
  } catch {
    // The endpoint closed the connection, or its time ended.
  } finally {
    answer.destroy();
  }
}

function outcomeOf(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 410) return 'gone';
  if (status >= 300 && status < 400) return 'redirected';
  return status >= 400 && status < 500 ? 'refused' : 'failed';
}

const NOT_TRUSTED =
  /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

function failureOf(error: unknown): AttemptOutcome {
  if (error instanceof NotPublic) return 'address_not_public';
  const { name, code } = error as { readonly name?: string; readonly code?: unknown };
  // For any reason of the signal, such as its timeout.
  if (name === 'AbortError') return 'timed_out';
  return NOT_TRUSTED.test(String(code)) ? 'certificate_not_trusted' : 'unreachable';
}
