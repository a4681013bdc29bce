/** The load and the judge together, on a token endpoint of a few lines that is honest, or lies. */
import { Agent, createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { TestClient } from '../support/actors.ts';
import type { StoredChain } from './history.ts';
import { judge } from './judge.ts';
import { startLoad } from './load.ts';
import type { Node } from './node.ts';

/** GRANT-GENERATION-NONCE. */
const read = (token: string) => {
  const [grant = '', generation = '', nonce = ''] = token.split('-');
  return { grant, generation: Number(generation), nonce };
};
type Grant = { generation: number; nonce: string; ended: boolean; ledger: number[] };
type Reply = readonly [status: number, body: object];
type Rotate = (grant: Grant, token: string, next: () => string) => Promise<Reply>;

const ENDED: Reply = [400, { error: 'invalid_grant' }];

/** As the machines have it. */
const honest: Rotate = async (grant, token, next) => {
  const { generation, nonce } = read(token);
  if (grant.ended || generation !== grant.generation || nonce !== grant.nonce) {
    grant.ended = true;
    return ENDED;
  }
  return [200, { refresh_token: next() }];
};

const LIES: Readonly<Record<string, readonly [rule: string, Rotate]>> = {
  'looks, and commits later without a second look': [
    'one token is issued upon once',
    async (grant, token, next) => {
      const { generation } = read(token);
      const isGood = !grant.ended && generation === grant.generation;
      // Another request comes in between.
      for (let turn = 0; turn < 20; turn++) await immediate();
      if (isGood) return [200, { refresh_token: next() }];
      grant.ended = true;
      return ENDED;
    },
  ],
  'lets a used token rotate again': [
    'one token is issued upon once',
    async (_grant, _token, next) => [200, { refresh_token: next() }],
  ],
  'forgets every fifth rotation': [
    'what was acknowledged is stored',
    async (grant, token, next) => {
      const reply = await honest(grant, token, next);
      if (reply[0] === 200 && grant.generation === 5) Object.assign(grant, { generation: 4, nonce: 'forgotten' });
      return reply;
    },
  ],
  'says 500': [
    'every failure is one of those that are promised',
    async (grant, token, next) => {
      const reply = await honest(grant, token, next);
      return reply[0] === 200 && grant.generation === 3 ? [500, { error: 'server_error' }] : reply;
    },
  ],
  'says "nothing was changed" after a commit': [
    'a refusal has a cause',
    async (grant, token, next) => {
      const reply = await honest(grant, token, next);
      return reply[0] === 200 && grant.generation === 4 ? [503, { error: 'temporarily_unavailable' }] : reply;
    },
  ],
};

async function rulesBroken(rotate: Rotate): Promise<Set<string>> {
  const grants = new Map<string, Grant>();
  let serial = 0;
  const server = createServer(async (request, response) => {
    const token = new URLSearchParams(await textOf(request)).get('refresh_token') ?? '';
    const grant = grants.get(read(token).grant);
    if (grant === undefined) return void response.writeHead(500).end();
    const next = () => {
      grant.generation++;
      grant.nonce = `n${++serial}`;
      grant.ledger.push(grant.generation);
      return `${read(token).grant}-${grant.generation}-${grant.nonce}`;
    };
    const [status, body] = await rotate(grant, token, next);
    response.writeHead(status, { 'content-type': 'application/json', ...(status === 503 && { 'retry-after': '1' }) });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => {
    agent.destroy();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const node = { name: 'fake', url, agent, inTraffic: true, waiting: 0 } as unknown as Node;
  const tokens = Array.from({ length: 16 }, (_, grant) => `${grant}-0-first`);
  for (const token of tokens) {
    grants.set(read(token).grant, { generation: 0, nonce: 'first', ended: false, ledger: [0] });
  }
  const load = startLoad([node, node], { clientId: 'c', secret: 's' } as TestClient, tokens);
  await load.rotates(16 * 15).catch(() => {});
  const history = await load.finish().finally(load.abandon);
  const stored = new Map(
    [...history.first].map(([chain, token]): [number, StoredChain] => {
      const { generation, nonce, ended, ledger } = grants.get(read(token).grant) as Grant;
      return [
        chain,
        {
          generation,
          nonce,
          ledger,
          state: ended ? 'revoked' : 'active',
          reason: ended ? 'refresh_token_reused' : null,
        },
      ];
    }),
  );
  const { problems } = judge(history, stored, read, { failures: ['try-again'], forgets: false });
  return new Set(problems.map(({ rule }) => rule));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

test('the judge finds no problem of an honest server, though its clients repeat tokens', async () => {
  expect(await rulesBroken(honest)).toEqual(new Set());
});

test.each(Object.entries(LIES))('the judge detects a server that %s', async (_, [rule, rotate]) => {
  expect([...(await rulesBroken(rotate))]).toContain(rule);
});
