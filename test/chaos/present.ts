/** One token request over a real connection, and what a client may conclude from its answer. */
import { request } from 'node:http';
import type { TestClient } from '../support/actors.ts';
import type { Answer } from './history.ts';
import type { Address } from './node.ts';

export type Credentials = Pick<TestClient, 'clientId' | 'secret'>;

/** Far beyond every deadline of the server: a longer request hangs. */
const HANGS_MILLISECONDS = 180_000;

type Reply = { readonly status: number; readonly retryAfter: string | undefined; readonly body: string };

export async function present({ url, agent }: Address, client: Credentials, token: string): Promise<Answer> {
  const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token }).toString();
  const reply = await new Promise<Reply | Answer>((resolve) => {
    const asked = request(
      `${url}/oauth/token`,
      {
        method: 'POST',
        agent,
        timeout: HANGS_MILLISECONDS,
        headers: {
          authorization: `Basic ${Buffer.from(`${client.clientId}:${client.secret}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': Buffer.byteLength(body),
        },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        answer.on('error', () => resolve({ kind: 'cut' }));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'], body: text }),
        );
      },
    );
    asked.on('timeout', () => {
      resolve({ kind: 'hung' });
      asked.destroy();
    });
    asked.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ kind: error.code === 'ECONNREFUSED' ? 'not-sent' : 'cut' }),
    );
    asked.end(body);
  });
  return 'kind' in reply ? reply : answerIn(reply);
}

function answerIn({ status, retryAfter, body }: Reply): Answer {
  const unclear: Answer = { kind: 'unclear', says: `${status} ${body.slice(0, 200)}` };
  const said = parsed(body);
  if (said === null) return unclear;
  const { refresh_token: token, error } = said;
  if (status === 200) return typeof token === 'string' ? { kind: 'issued', token } : unclear;
  if (typeof error !== 'string') return unclear;
  if (status === 503) return { kind: retryAfter === undefined ? 'unknown' : 'try-again' };
  return status >= 400 && status < 500 ? { kind: 'refused', status, error } : unclear;
}

function parsed(body: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
