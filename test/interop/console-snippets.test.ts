/** The code that the console shows for a client, as it stands there: Node alone loads it, and it meets the server on its port. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ClientKind } from '../../src/console/client-kinds.ts';
import { type SnippetValues, snippetsFor } from '../../src/console/snippets.ts';
import { REDIRECT_URI, type TestClient } from '../support/actors.ts';
import { runningClock } from '../support/clock.ts';
import { judged } from '../support/interop.ts';

/** Where Node finds the packages, and where Vitest transforms no file. */
const CACHE = join(import.meta.dirname, '../../node_modules/.cache');

type Tokens = { readonly scope?: string; readonly id_token?: string };
type SignsIn = {
  readonly begin: () => Promise<{ readonly url: URL; readonly checks?: object }>;
  readonly finish: (callback: URL, checks: object) => Promise<Tokens>;
};

describe('the code that the console shows', () => {
  const judging = judged({ clock: runningClock() });

  function codeOf(kind: ClientKind, library: string, { clientId, secret }: TestClient, scope: string): string {
    const { issuer } = judging.current.test;
    const values: SnippetValues = {
      issuer,
      clientId,
      redirectUri: REDIRECT_URI,
      scope,
      isConfidential: secret !== null,
    };
    vi.stubEnv('CLIENT_SECRET', secret ?? '');
    onTestFinished(() => void vi.unstubAllEnvs());
    return snippetsFor(kind, values).find((one) => one.library === library)?.code ?? '';
  }

  async function loaded<Module>(code: string): Promise<Module> {
    mkdirSync(CACHE, { recursive: true });
    const folder = mkdtempSync(join(CACHE, 'snippet-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'snippet.mjs'), code);
    return (await import(pathToFileURL(join(folder, 'snippet.mjs')).href)) as Module;
  }

  async function signedIn(code: string): Promise<Tokens> {
    const { begin, finish } = await loaded<SignsIn>(code);
    const { url, checks, ...rest } = await begin();
    return finish(await judging.current.approve(url), checks ?? rest);
  }

  it('signs an end-user in with openid-client, with a secret and without one', async () => {
    const { confidential, publicClient } = judging.current;
    for (const client of [confidential, publicClient]) {
      const tokens = await signedIn(codeOf('web', 'openid-client', client, 'openid email'));
      expect(tokens).toMatchObject({ scope: 'openid email', id_token: expect.any(String) });
    }
  });

  it.each(['spa', 'native', 'mcp'] as const)(
    'gets tokens for an API with oauth4webapi, as a client of kind %s',
    async (kind) => {
      const tokens = await signedIn(codeOf(kind, 'oauth4webapi', judging.current.publicClient, 'read'));
      expect(tokens).toMatchObject({ scope: 'read' });
    },
  );

  it('gets a token of a service with openid-client', async () => {
    const code = codeOf('service', 'openid-client', judging.current.confidential, 'read');
    const { token } = await loaded<{ token: () => Promise<Tokens> }>(code);
    expect(await token()).toMatchObject({ scope: 'read' });
  });

  it('gets a token of a service with curl', async () => {
    const code = codeOf('service', 'curl', judging.current.confidential, 'read');
    const { stdout } = await promisify(execFile)('sh', ['-c', code]);
    expect(JSON.parse(stdout)).toMatchObject({ scope: 'read', token_type: 'Bearer' });
  });
});
