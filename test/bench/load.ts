/** The client side: keep-alive connections, a fixed number of requests in flight. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { CLIENT_ID, CLIENT_SECRET } from './setting.ts';

export type TokenAnswer = {
  readonly status: number;
  readonly cacheControl: string | undefined;
  readonly text: string;
  readonly milliseconds: number;
};

export type Load = { readonly answers: readonly TokenAnswer[]; readonly seconds: number };

/** Sends every body once, and returns the answers in the same order. */
export async function load(tokenUrl: string, bodies: readonly string[], concurrency: number): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const answers: TokenAnswer[] = new Array(bodies.length);
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < bodies.length; at = next++) answers[at] = await post(agent, tokenUrl, bodies[at] ?? '');
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: concurrency }, worker));
  const seconds = (performance.now() - began) / 1000;
  agent.destroy();
  return { answers, seconds };
}

/** One request on a connection of its own. */
export async function ask(
  tokenUrl: string,
  fields: Readonly<Record<string, string>>,
  secret = CLIENT_SECRET,
): Promise<TokenAnswer> {
  const agent = new Agent();
  return post(agent, tokenUrl, new URLSearchParams(fields).toString(), secret).finally(() => agent.destroy());
}

function post(agent: Agent, url: string, body: string, secret = CLIENT_SECRET): Promise<TokenAnswer> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent,
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(body),
        authorization: `Basic ${Buffer.from(`${CLIENT_ID}:${secret}`).toString('base64')}`,
      },
    });
    sent.once('error', reject);
    sent.once('response', (reply: IncomingMessage) => {
      let text = '';
      reply.setEncoding('utf8');
      reply.on('data', (chunk: string) => {
        text += chunk;
      });
      reply.once('error', reject);
      reply.once('end', () => {
        const { statusCode: status = 0, headers } = reply;
        resolve({ status, cacheControl: headers['cache-control'], text, milliseconds: performance.now() - began });
      });
    });
    sent.end(body);
  });
}
