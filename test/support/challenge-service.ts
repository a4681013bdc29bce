/** A challenge service on the loopback interface, which verifies as Turnstile and hCaptcha do: each answer once. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BotCheckPolicy } from '../../policies/bot-check-schema.ts';

export const SITE_SECRET = 'the-secret-key-of-the-site';

export type TestChallengeService = {
  readonly policy: BotCheckPolicy;
  /** @returns an answer as the widget would put it into the form. */
  readonly solve: () => string;
  /** The bodies of the verifications. */
  readonly asked: readonly URLSearchParams[];
  /** The status of its answers, instead of a verification. Null: it verifies. */
  readonly break: (status: number | null) => void;
  readonly close: () => Promise<void>;
};

export async function challengeService(policy: Partial<BotCheckPolicy> = {}): Promise<TestChallengeService> {
  const solved = new Set<string>();
  const asked: URLSearchParams[] = [];
  let broken: number | null = null;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const sent = new URLSearchParams(body);
    asked.push(sent);
    if (broken !== null) return void response.writeHead(broken).end('no JSON');
    const isOurs = sent.get('secret') === SITE_SECRET;
    const success = isOurs && solved.delete(sent.get('response') ?? '');
    const codes = isOurs ? ['timeout-or-duplicate'] : ['invalid-input-secret'];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(success ? { success } : { success, 'error-codes': codes }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    policy: {
      service: 'turnstile',
      siteKey: '1x00000000000000000000AA',
      secretEnvironment: 'BOT_CHECK_SECRET',
      forms: ['signIn', 'signUp', 'passwordReset'],
      whenUnavailable: 'refuse',
      endpoint: `http://127.0.0.1:${port}/siteverify`,
      ...policy,
    },
    solve: () => {
      const answer = `solved-${solved.size}-${asked.length}`;
      solved.add(answer);
      return answer;
    },
    asked,
    break: (status) => {
      broken = status;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
