/** The client side of HTTP: requests on keep-alive connections. No redirect is followed. */
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

export type Sent = {
  readonly url: string;
  /** The header `Cookie`. */
  readonly cookie?: string;
  readonly authorization?: string;
  /** The header `DPoP` (RFC 9449). */
  readonly dpop?: string;
  /** An address of this machine that it is sent from: every 127.0.0.0/8 is one on Linux. */
  readonly from?: string;
  /** With a form it is a POST. */
  readonly form?: Readonly<Record<string, string>>;
};

export type Reply = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string };

export type Send = (sent: Sent) => Promise<Reply>;

export function openConnections(count: number): { readonly send: Send; readonly close: () => void } {
  const agent = new Agent({ keepAlive: true, maxSockets: count });
  return { send: (sent) => sendBy(agent, sent), close: () => agent.destroy() };
}

function sendBy(agent: Agent, { url, cookie, authorization, dpop, from, form }: Sent): Promise<Reply> {
  const body = form && new URLSearchParams(form).toString();
  const headers = {
    ...(cookie !== undefined && { cookie }),
    ...(authorization !== undefined && { authorization }),
    ...(dpop !== undefined && { dpop }),
    ...(body !== undefined && {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': Buffer.byteLength(body),
    }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent,
      method: body === undefined ? 'GET' : 'POST',
      headers,
      ...(from !== undefined && { localAddress: from }),
    });
    sent.once('error', reject);
    sent.once('response', (reply: IncomingMessage) => {
      let text = '';
      reply.setEncoding('utf8');
      reply.on('data', (chunk: string) => {
        text += chunk;
      });
      reply.once('error', reject);
      reply.once('end', () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text }));
    });
    sent.end(body);
  });
}
