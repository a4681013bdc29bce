/** `diagram`: its output, its files, and its errors. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MACHINES } from '../../../src/catalogue/running.ts';
import { kebab } from '../../../src/review/drawing/names.ts';
import { runOffline } from '../../support/offline-command.ts';
import { readXml } from '../review/drawing/xml.ts';

const run = (...args: string[]) => runOffline(['diagram', ...args]);

describe('diagram', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-diagram-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(['refreshToken', 'refresh-token', 'REFRESH_TOKEN'])('draws the machine with the name %s', async (name) => {
    const { status, out, err } = await run(name);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(readXml(out).name).toBe('svg');
    expect(out).toContain('Refresh token');
    expect(out).toContain('after 30 days idle, 180 days at most');
  });

  it('draws all machines, in one document of each format', async () => {
    expect((await run()).out.match(/class="paper"/g)).toHaveLength(MACHINES.size);
    expect((await run('--format', 'mermaid')).out.match(/```mermaid\nstateDiagram-v2\n/g)).toHaveLength(MACHINES.size);
    expect(Object.keys(JSON.parse((await run('--format', 'json')).out))).toEqual([...MACHINES.keys()]);
  });

  it('uses the numbers of a policy, by name or by file', async () => {
    const file = join(folder, 'short.policy.yaml');
    const shipped = readFileSync(new URL('../../../policies/default.policy.yaml', import.meta.url), 'utf8');
    writeFileSync(file, shipped.replace(/refreshIdleLifetimeSeconds: .*/, 'refreshIdleLifetimeSeconds: 1000'));
    expect((await run('refresh-token', '--policy', 'browser-app')).out).toContain('after 8 h idle, 1 day at most');
    const { out } = await run('refresh-token', '--policy', file);
    expect(out).toContain('after 16 min 40 s idle, 180 days at most');
    expect(out).toContain('a number of the policy short');
  });

  it('writes one file, or one per machine into a folder', async () => {
    const file = join(folder, 'one.svg');
    expect((await run('grant', '--output', file)).out).toBe(`wrote ${file}\n`);
    expect(readFileSync(file, 'utf8')).toBe((await run('grant')).out);
    const many = join(folder, 'new', 'pictures/');
    expect((await run('--format', 'json', '--output', many)).status).toBe(0);
    expect(readdirSync(many).sort()).toEqual([...MACHINES.keys()].map((name) => `${kebab(name)}.json`).sort());
    expect((await run('grant', '--format', 'mermaid', '--output', many)).out).toBe(
      `wrote ${join(many, 'grant.mmd')}\n`,
    );
  });

  it.each([
    [['refreshTokn'], /No such machine\. Expected one of .*grant.*Did you mean "refresh-token"\?/],
    [['zzzzzzzzzzzzzzzzzzz'], /No such machine\. Expected one of [^"]*$/m],
    [['grant', '--format', 'sgv'], /No such format\. Expected one of svg, mermaid, json\. Did you mean "svg"\?/],
    [['grant', '--policy', 'defualt'], /No such policy\. Expected one of .*Did you mean "default"\?/],
    [['grant', '--policy', 'nowhere/x.policy.yaml'], /x\.policy\.yaml: Expected .*, found no such file/],
    [['grant', '--output', '/nowhere/at/all.svg'], /cannot be written \(ENOENT\)/],
    [['grant', 'interaction'], /too many arguments/],
  ])('explains the error in %j', async (args, words) => {
    const { status, out, err } = await run(...args);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(words);
    expect(err).not.toMatch(/^\s+at /m);
  });

  it.each([
    ['accessTokenLifetimeSecond: 900\n', /broken\.policy\.yaml:1: .*Did you mean "accessTokenLifetimeSeconds"\?/],
    ['a: [\n', /broken\.policy\.yaml:\d+: Expected/],
    ['- 1\n', /broken\.policy\.yaml/],
    ['', /broken\.policy\.yaml/],
  ])('gives the position of the error in a policy file: %j', async (text, words) => {
    const file = join(folder, 'broken.policy.yaml');
    writeFileSync(file, text);
    const { status, out, err } = await run('refresh-token', '--policy', file);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(words);
    expect(err).not.toMatch(/^\s+at /m);
  });
});
