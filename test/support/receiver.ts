/** A receiver of webhooks: a real server, over TLS or on a loopback port, that verifies what it gets as the guide shows. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts';

export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
export const OTHER_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

export type ReceivedEvent = {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown>;
};
export type Received = {
  readonly id: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
};

export type Receiver = {
  readonly url: string;
  readonly received: readonly Received[];
  /** @throws WebhookVerificationError */
  readonly verified: (secret?: string) => readonly ReceivedEvent[];
  readonly close: () => Promise<void>;
};

/** @param answer absent: 204. */
export type Answering = (response: ServerResponse, request: Received) => void;
const thanks: Answering = (response) => void response.writeHead(204).end();

export async function openReceiver(answer: Answering = thanks, { tls = false } = {}): Promise<Receiver> {
  const received: Received[] = [];
  const listener: RequestListener = async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const got = {
      id: String(request.headers['webhook-id']),
      headers: request.headers,
      text: Buffer.concat(parts).toString(),
    };
    received.push(got);
    answer(response, got);
  };
  const server = tls
    ? createSecureServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, listener)
    : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: tls ? `https://logos.test:${port}/hooks` : `http://127.0.0.1:${port}/hooks`,
    received,
    verified: (secret = WEBHOOK_SECRET) =>
      received.map(
        ({ text, headers }) => new Webhook(secret).verify(text, headers as Record<string, string>) as ReceivedEvent,
      ),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Every name leads to this machine. */
export const lookupHere: LookupFunction = (_, { all }, callback) =>
  all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4);
