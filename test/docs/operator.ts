/** An operator who types the blocks of docs/deploying.md into a shell: the common start of every test that follows the page. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { authorizeUrl, goThrough, makePkce, PASSWORD, REDIRECT_URI } from '../support/actors.ts';
import { becomesReady, outputOf, waiting } from '../support/child-process.ts';
import { freePort } from '../support/listening.ts';
import { RemoteBrowser } from '../support/remote-browser.ts';
import type { OwnPostgres } from './own-postgres.ts';
import { type Printed, Shell, shellBlocks } from './shell-blocks.ts';

const ROOT = join(import.meta.dirname, '../..');
export const blocks = shellBlocks(readFileSync(join(ROOT, 'docs/deploying.md'), 'utf8'));

export const DECLARED_SECRET = 'the secret of a declared client, of 32 characters or more';
const OWNER_PASSWORD = 'the-password-of-the-owner';
export const SERVER_PASSWORD = 'the-password-of-the-server';

/** A text in a statement, and its replacement. */
type Substitutions = readonly (readonly [found: string, instead: string])[];

export type Options = {
  /** Of this test alone. */
  readonly folder: string;
  readonly postgres: OwnPostgres;
  /** The headings of the blocks that this test runs. */
  readonly headings: readonly string[];
  readonly substitutions?: Substitutions;
  /** The standard input of statements with this prefix. */
  readonly typed?: readonly (readonly [statement: string, typed: string])[];
  /** Of the nodes alone, in addition to the operator's shell. */
  readonly nodeEnvironment?: string;
};

/** Runs `npx statehouse` without npx, which takes as long as the command. launcher.test.ts has npx itself. @returns a folder for the PATH. */
function shortcutOfNpx(folder: string): string {
  const commands = join(folder, 'commands');
  mkdirSync(commands);
  writeFileSync(join(commands, 'npx'), `#!/bin/sh\nshift\nexec node ${ROOT}/src/cli/statehouse.js "$@"\n`, {
    mode: 0o755,
  });
  return commands;
}

export async function anOperator({ folder, postgres, headings, nodeEnvironment = '', ...more }: Options) {
  const policies = join(folder, 'policies');
  cpSync(join(ROOT, 'policies'), policies, { recursive: true });
  writeFileSync(
    join(policies, 'clients.yaml'),
    'clients: [{client_id: declared, grant_types: [client_credentials], client_secret_environment: [ITS_SECRET]}]',
  );
  const ports = [await freePort(), await freePort()] as const;
  const urls = ports.map((port) => `http://localhost:${port}`) as [string, string];
  const [first, second] = urls;

  const SUBSTITUTIONS: Substitutions = [
    // The packages of npm ci --omit=dev are a part of the installed ones; .ci/image runs it.
    ['npm ci --omit=dev', ':'],
    ['https://login.example.com', first],
    ['db.internal:5432', `localhost:${postgres.port}`],
    ['statehouse_server:PASSWORD', `statehouse_server:${SERVER_PASSWORD}`],
    ['statehouse_owner:PASSWORD', `statehouse_owner:${OWNER_PASSWORD}`],
    ['ledger-keys', join(folder, 'ledger-keys')],
    ['PORT=3001', `PORT=${ports[1]}`],
    ...(more.substitutions ?? []),
  ];
  const TYPED: readonly (readonly [statement: string, typed: string])[] = [
    ['createuser --pwprompt statehouse_owner', `${OWNER_PASSWORD}\n${OWNER_PASSWORD}\n`],
    ['createuser --pwprompt statehouse_server', `${SERVER_PASSWORD}\n${SERVER_PASSWORD}\n`],
    ['npx statehouse users create', `${PASSWORD}\n`],
    ...(more.typed ?? []),
  ];
  const own = new Shell(folder, ROOT, {
    PATH: `${shortcutOfNpx(folder)}:${dirname(process.execPath)}:${process.env['PATH']}`,
    HOME: folder,
    // As on a machine of the database's administrator.
    PGHOST: '127.0.0.1',
    PGPORT: postgres.port,
    PGUSER: 'postgres',
    // As the guide says for a private authority.
    NODE_EXTRA_CA_CERTS: postgres.authority,
    PGSSLROOTCERT: postgres.authority,
    STATEHOUSE_CONFIG: policies,
    ITS_SECRET: DECLARED_SECRET,
    PORT: String(ports[0]),
    NODE_OPTIONS: waiting().join(' '),
  });

  const adapted = (statement: string, more: Readonly<Record<string, string>> = {}) =>
    [...SUBSTITUTIONS, ...Object.entries(more)].reduce(
      (text, [found, instead]) => text.replaceAll(found, instead),
      statement,
    );
  const type = (statement: string, shell: Shell = own): Promise<Printed> => {
    const [, typed = ''] = TYPED.find(([begins]) => statement.startsWith(begins)) ?? [];
    return shell.run(statement, typed);
  };
  const succeeds = async (statement: string, shell: Shell = own): Promise<string> => {
    const { status, printed } = await type(statement, shell);
    expect(status, `${statement}\n${printed}`).toBe(0);
    return printed;
  };

  const left = blocks.filter(({ under }) => headings.includes(under));
  /** The next block under this heading that is not run yet. */
  const next = (under: string, containing: string): readonly string[] => {
    const [block] = left.splice(
      left.findIndex((block) => block.under === under),
      1,
    );
    expect(block?.under, under).toBe(under);
    expect(block?.statements.join('\n')).toContain(containing);
    return block?.statements ?? [];
  };

  const nodes: ChildProcess[] = [];
  const outputs: (() => string)[] = [];
  const startCommands: string[] = [];
  const startNode = async (place: number) => {
    const child = own.start(`${nodeEnvironment} ${startCommands[place]}`);
    const output = outputOf(child);
    outputs.push(output);
    await becomesReady(child, urls[place] ?? '', output);
    nodes.push(child);
  };
  const startNodes = async () => {
    for (const place of startCommands.keys()) await startNode(place);
  };
  const stopNode = async (node: ChildProcess) => {
    const ended = once(node, 'exit');
    node.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
  };
  const stopNodes = async () => {
    for (const node of nodes.splice(0)) await stopNode(node);
  };
  /** One after the other, so that old and new environment run side by side. */
  const restartNodes = async (between: () => Promise<void> = async () => {}) => {
    for (const place of startCommands.keys()) {
      const [node] = nodes.splice(0, 1);
      if (node) await stopNode(node);
      await startNode(place);
      if (place === 0) await between();
    }
  };
  /** A command that starts a node is kept for `startNodes`. */
  const run = async (
    statements: readonly string[],
    { shell = own, more = {} }: { readonly shell?: Shell; readonly more?: Readonly<Record<string, string>> } = {},
  ) => {
    for (const statement of statements.map((statement) => adapted(statement, more))) {
      if (/^(PORT=\d+ )?node src\/cli\/statehouse\.js start$/.test(statement)) startCommands.push(statement);
      else await succeeds(statement, shell);
    }
  };

  /** From an empty machine to two nodes that serve. */
  const beginsAsPrinted = async () => {
    await run(next('First start', 'createuser'));
    await run(next('First start', 'npx statehouse migrate --grant-to'));
    await run(next('Several nodes', 'start'));
    await run(next('TLS and proxies', 'STATEHOUSE_TRUSTED_PROXIES'));
    expect(startCommands).toHaveLength(2);
    await startNodes();
  };

  const secrets = new Map([['declared', DECLARED_SECRET]]);
  const keepSecret = (id: string, printed: string) => secrets.set(id, /client_secret +(\S+)/.exec(printed)?.[1] ?? '');
  const makeClient = async (id: string) => {
    const options = `--redirect-uri ${REDIRECT_URI} --grant-type authorization_code --grant-type refresh_token --grant-type client_credentials`;
    keepSecret(id, await succeeds(`npx statehouse clients create --id ${id} ${options}`));
  };
  const token = async (node: string, id: string, fields: Readonly<Record<string, string>>) => {
    const response = await fetch(`${node}/oauth/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${id}:${encodeURIComponent(secrets.get(id) ?? '')}`).toString('base64')}`,
      },
      body: new URLSearchParams(fields),
    });
    return (await response.json()) as { access_token?: string; refresh_token?: string; error?: string };
  };
  const serves = async (node: string, id: string) =>
    expect(await token(node, id, { grant_type: 'client_credentials' }), id).toHaveProperty('access_token');
  /** At one node; the exchange is at the other. @returns the first refresh token. */
  const signIn = async (browser = new RemoteBrowser(first)): Promise<string> => {
    const { verifier, challenge } = makePkce();
    const url = authorizeUrl({ clientId: 'shop', redirectUris: [REDIRECT_URI] }, { verifier, challenge });
    const { url: back } = await goThrough(browser, url, { id: '', username: 'ada' });
    const code = new URL(back).searchParams.get('code') ?? '';
    const exchange = { grant_type: 'authorization_code', redirect_uri: REDIRECT_URI, code, code_verifier: verifier };
    const { refresh_token: held = '' } = await token(second, 'shop', exchange);
    expect(held).not.toBe('');
    return held;
  };
  const refresh = (node: string, held: string) =>
    token(node, 'shop', { grant_type: 'refresh_token', refresh_token: held });
  const refreshed = async (node: string, held: string): Promise<string> => {
    const answer = await refresh(node, held);
    expect(answer).toHaveProperty('refresh_token');
    return answer.refresh_token ?? '';
  };
  const refused = async (node: string, held: string) => expect((await refresh(node, held)).error).toBe('invalid_grant');

  return {
    first,
    second,
    adapted,
    type,
    succeeds,
    run,
    next,
    left: () => left.map(({ statements }) => statements),
    beginsAsPrinted,
    startNodes,
    stopNodes,
    restartNodes,
    areReady: async () => {
      for (const [place, node] of nodes.entries()) await becomesReady(node, urls[place] ?? '');
    },
    /** The output of all nodes, including their earlier runs. */
    logs: () => outputs.map((output) => output()).join(''),
    secretOf: (id: string) => secrets.get(id) ?? '',
    keepSecret,
    makeClient,
    serves,
    signIn,
    refreshed,
    refused,
  };
}
