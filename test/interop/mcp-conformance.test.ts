/**
 * The scenarios for authorization servers of @modelcontextprotocol/conformance, as its command line runs them. In this release they
 * cover the metadata and one authorization code grant. They have no refusal, no refresh, no registration and no client with a secret:
 * mcp-strangers.test.ts and the tests of each endpoint cover those.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeClient } from '../support/actors.ts';
import { hasEnded, outputOf, startChild } from '../support/child-process.ts';
import {
  API,
  acceptingDocuments,
  DOCUMENT_URL,
  documentOf,
  documentServer,
  sent,
} from '../support/client-documents.ts';
import { RULES } from '../support/client-registrations.ts';
import { runningClock } from '../support/clock.ts';
import { judged } from '../support/interop.ts';
import { freePort } from '../support/listening.ts';
import { until } from '../support/until.ts';

const PROGRAM = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js');

type Check = { readonly id: string; readonly status: string; readonly errorMessage?: string };

describe.each(['', '/tenant'])('an issuer with the path "%s"', (path) => {
  const documents = documentServer();
  const { fetchClientDocument } = documents;
  const configuration = acceptingDocuments();
  const registration = { ...configuration.registration, dynamicRegistration: RULES };
  const judging = judged({
    path,
    clock: runningClock(),
    configuration: { ...configuration, registration },
    fetchClientDocument,
  });

  it.each<[string, () => Promise<string>]>([
    [
      'a client that an operator registered',
      async () => {
        const app = { applicationType: 'native', tokenEndpointAuthMethod: 'none' } as const;
        const redirectUris = ['http://127.0.0.1/callback'];
        return (await makeClient(judging.current.test, { ...app, redirectUris })).clientId;
      },
    ],
    [
      'a client that describes itself by a document',
      async () => {
        documents.say(DOCUMENT_URL, sent(documentOf(DOCUMENT_URL, { redirect_uris: ['http://127.0.0.1/callback'] })));
        return DOCUMENT_URL;
      },
    ],
    [
      'a client that registers itself',
      async () => {
        const answer = await fetch(`${judging.current.test.issuer}/oauth/register`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            application_type: 'native',
            redirect_uris: ['http://127.0.0.1/callback'],
            token_endpoint_auth_method: 'none',
          }),
        });
        return ((await answer.json()) as { client_id: string }).client_id;
      },
    ],
  ])('conforms for %s', async (_, registered) => {
    const { test, approve } = judging.current;
    const results = mkdtempSync(join(tmpdir(), 'statehouse-conformance-'));
    onTestFinished(() => rmSync(results, { recursive: true }));
    const options = {
      '--url': test.issuer,
      '--client-id': await registered(),
      '--resource': API,
      '--port': String(await freePort()),
      '--spec-version': '2026-07-28',
      '--output-dir': results,
    };
    const child = startChild(process.execPath, [PROGRAM, 'authorization', ...Object.entries(options).flat()]);
    const output = outputOf(child);
    const link = () => /^(http\S+\/oauth\/authorize\?\S+)$/m.exec(output())?.[1];
    await until(() => link() !== undefined || hasEnded(child));
    await fetch(await approve(new URL(link() ?? '')));
    await until(() => hasEnded(child));
    expect(child.exitCode, output()).toBe(0);
    const checks = readdirSync(results).flatMap((folder): Check[] =>
      JSON.parse(readFileSync(join(results, folder, 'checks.json'), 'utf8')),
    );
    // A scenario that a newer release adds stands here, before it counts.
    expect(
      checks.map(({ id, status, errorMessage = '' }) => `${id}: ${status} ${errorMessage}`.trim()).toSorted(),
    ).toEqual([
      'authorization-code-grant: SUCCESS',
      'authorization-server-metadata-cimd: SUCCESS',
      'authorization-server-metadata: SUCCESS',
    ]);
  });
});
