/**
 * Eight processes of the operating system share one credential file with its DPoP key, and rotate through a proxy before two
 * listening nodes. The proxy loses every tenth answer, and sees each of them.
 *
 * `PROVEN_RETRY_ROTATIONS=10000 npx vitest run test/race/proven-retry-processes.test.ts` runs it for longer.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeClient, token } from '../support/actors.ts';
import { ISSUER, shippedConfiguration, withEveryPolicy } from '../support/app.ts';
import { hasEnded, outputOf, startChild } from '../support/child-process.ts';
import { runningClock } from '../support/clock.ts';
import { proofKey, proofOf } from '../support/dpop.ts';
import { freePort } from '../support/listening.ts';
import { openNodes } from '../support/nodes.ts';
import { placeOf, storedGrant } from '../support/stored.ts';
import { until } from '../support/until.ts';
import type { Counts, CredentialFile } from './process-with-a-credential.ts';

const PROCESSES = 8;
const ROTATIONS = Number(process.env['PROVEN_RETRY_ROTATIONS'] ?? 200);
const MILLISECONDS_A_ROTATION = 500;
const LOSES_EVERY = 10;
const STALE = 'A newer token was issued to this client: use that one.';
const URL_IN_PROOFS = `${ISSUER}/oauth/token`;

type Seen = (status: number, body: string, begunAt: bigint) => void;

/** Alternates between the nodes, and loses every tenth answer after the node has sent the whole of it. */
function openLosingProxy(targets: readonly string[], head: () => bigint, seen: Seen): Promise<Server> {
  let requests = 0;
  let answers = 0;
  const server = createServer(async (request, response) => {
    const begunAt = head();
    const target = targets[requests++ % targets.length];
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { dpop, 'content-type': type } = request.headers;
    const answer = await fetch(`${target}${request.url}`, {
      method: 'POST',
      headers: { dpop: String(dpop), 'content-type': String(type) },
      body: Buffer.concat(parts),
    });
    const body = await answer.text();
    seen(answer.status, body, begunAt);
    if (++answers % LOSES_EVERY === 0) return void response.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

it(
  `${PROCESSES} processes on one credential file stay signed in, while every tenth answer is lost`,
  async () => {
    const limits = {
      ...shippedConfiguration.limits,
      tokenRequestsPerSecondByAddress: 1_000_000,
      tokenRequestsPerSecondByClient: 1_000_000,
    };
    const configuration = { ...withEveryPolicy({ provenRetrySeconds: 60 }), limits };
    const scene = await openNodes({ configuration, clock: runningClock() });
    onTestFinished(() => scene.close());
    const ports = [await freePort(), await freePort()];
    for (const [n, node] of scene.nodes.entries()) await node.app.listen({ host: '127.0.0.1', port: ports[n] ?? 0 });

    const client = await makeClient(scene, {
      tokenEndpointAuthMethod: 'none',
      grantTypes: ['authorization_code', 'refresh_token'],
    });
    const key = await proofKey();
    const send = (fields: Readonly<Record<string, string>>) =>
      token(scene, client, fields, { dpop: proofOf(key, { url: URL_IN_PROOFS, now: scene.clock.now() }) });
    const refresh = (refreshToken: string) => send({ grant_type: 'refresh_token', refresh_token: refreshToken });
    const { code, verifier } = await scene.code({ client });
    const { json } = await send({ grant_type: 'authorization_code', code, code_verifier: verifier });
    const first = json.refresh_token ?? '';

    const folder = mkdtempSync(join(tmpdir(), 'statehouse-credential-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'credential.json');
    const credential: CredentialFile = {
      ...{ clientId: client.clientId, refreshToken: first },
      key: key.privateKey.export({ format: 'jwk' }),
    };
    writeFileSync(file, JSON.stringify(credential), { mode: 0o600 });

    /** By generation: one token each. */
    const tokens = new Map<bigint, string>();
    const wrong: string[] = [];
    let head = 0n;
    let answers = 0;
    const seen: Seen = (status, body, begunAt) => {
      answers++;
      const { refresh_token: issued, error_description: description } = JSON.parse(body);
      if (status !== 200) {
        if (description !== STALE) wrong.push(`${status} ${body}`);
        return;
      }
      const { generation } = placeOf(scene.keys, issued);
      if ((tokens.get(generation) ?? issued) !== issued) wrong.push(`two tokens of generation ${generation}`);
      // The answer that made `begunAt` the head used up every token before it.
      if (generation < begunAt) wrong.push(`generation ${generation} was answered after ${begunAt}`);
      tokens.set(generation, issued);
      if (generation > head) head = generation;
    };
    const proxy = await openLosingProxy(
      ports.map((port) => `http://127.0.0.1:${port}`),
      () => head,
      seen,
    );
    onTestFinished(() => void proxy.close());
    const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/oauth/token`;

    const begun = performance.now();
    const script = join(import.meta.dirname, 'process-with-a-credential.ts');
    const children: { readonly child: ChildProcess; readonly output: () => string }[] = Array.from(
      { length: PROCESSES },
      () => {
        const child = startChild(process.execPath, [script, file, endpoint, URL_IN_PROOFS], {
          stdio: ['pipe', 'pipe', 'pipe'],
        });
        return { child, output: outputOf(child) };
      },
    );
    await until(() => {
      for (const { child, output } of children) if (hasEnded(child)) throw new Error(output());
      return wrong.length > 0 || head >= BigInt(ROTATIONS);
    });
    const seconds = (performance.now() - begun) / 1000;
    const ended = children.map(({ child }) => once(child, 'close'));
    for (const { child } of children) child.stdin?.end();
    await Promise.all(ended);

    expect(wrong).toEqual([]);
    const counts = children.map(({ output }) => JSON.parse(output()) as Counts);
    expect(counts.flatMap(({ other }) => other)).toEqual([]);
    const total = (name: 'rotated' | 'stale' | 'lost') => counts.reduce((sum, one) => sum + one[name], 0);
    expect(total('lost')).toBe(Math.floor(answers / LOSES_EVERY));
    // Each process took part, and the file has the newest token that any of them received.
    expect(counts.every(({ rotated }) => rotated > 0)).toBe(true);
    expect(await storedGrant(scene.database.drizzle, placeOf(scene.keys, first).grantId)).toMatchObject({
      ...{ state: 'active', refreshGeneration: head },
    });
    if (ROTATIONS > 200)
      process.stdout.write(
        `${head} rotations, ${answers} answers in ${seconds.toFixed(0)} s: ${total('rotated')} with tokens, ${total('stale')} stale, ${total('lost')} lost\n`,
      );
    // Of all tokens that were issued, one is active: the head. Each older one is stale, and ends nothing.
    const stored = JSON.parse(readFileSync(file, 'utf8')) as CredentialFile;
    const latest = await refresh(stored.refreshToken);
    expect(latest.status).toBe(200);
    expect(await refresh(latest.json.refresh_token ?? '')).toMatchObject({ status: 200 });
    const older = [first, ...[...tokens].filter(([generation]) => generation < head).map(([, issued]) => issued)];
    for (const issued of older.slice(-200)) expect((await refresh(issued)).json.error_description).toBe(STALE);
  },
  60_000 + ROTATIONS * MILLISECONDS_A_ROTATION,
);
