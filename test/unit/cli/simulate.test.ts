import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, openCommandLine } from './command-line.ts';

const SHIPPED = new URL('../../../docs/scenarios', import.meta.url).pathname;
const SHORT_POLICY = new URL('../../../policies/browser-app.policy.yaml', import.meta.url).pathname;
const GOOD = `title: A refresh after nine hours
says: Under the default policy it is in time.
steps:
  - { who: resource owner, does: approve }
  - { who: client, presents: code, gets: A }
  - { wait: 9h, who: client, presents: A, gets: B }
`;

describe('simulate', () => {
  let line: CommandLine;
  let folder: string;
  beforeAll(async () => {
    line = await openCommandLine();
    folder = mkdtempSync(join(tmpdir(), 'statehouse-simulate-'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await line.close();
  });
  const file = (name: string, text: string | Uint8Array) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  it('prints steps, verdicts, picture', async () => {
    const { status, out, err } = await line.run(['simulate', join(SHIPPED, '02-thief-first.yaml')]);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(/^The thief uses the token first\n/);
    expect(out).toContain('Policy default: code 1 minute, chain 30 days idle, 180 days in any case.\n');
    expect(out).toContain(
      '4. 10 minutes later: client presents refresh token A\n     ok      refused: refresh_token_reused\n     ok      chain dead (refresh_token_reused)\n',
    );
    expect(out).toContain('    sequenceDiagram\n');
    expect(out).toMatch(/As expected: 5 of 5 expectations hold\.\n$/);
  });

  it('prints machine-readable results of several files', async () => {
    const files = ['01-happy-rotation.yaml', '05-two-tabs.yaml'].map((name) => join(SHIPPED, name));
    const { status, out } = await line.run(['simulate', ...files, '--json']);
    expect(status).toBe(0);
    const document = JSON.parse(out);
    expect(document).toMatchObject({ ok: true, scenarios: [{ ok: true }, { ok: true, file: files[1] }] });
    expect(document.scenarios[1].steps.at(-1)).toEqual({
      step: '5',
      line: 15,
      says: 'client (tab 1) presents refresh token B',
      seconds_after_approval: 900,
      session: null,
      answer: { kind: 'refused', reason: 'grant_revoked' },
      chain: { alive: false, reason: 'refresh_token_reused' },
      expectations: [{ expected: 'refused: grant_revoked', found: 'refused: grant_revoked', holds: true }],
    });
    expect(document.scenarios[1].mermaid).toMatch(/^sequenceDiagram\n/);
  });

  it('exits 1 when an expectation fails, and names the step', async () => {
    const path = file('good.yaml', GOOD);
    expect((await line.run(['simulate', path])).status).toBe(0);
    const { status, out, err } = await line.run(['simulate', path, '--policy', SHORT_POLICY]);
    expect({ status, err }).toEqual({
      status: 1,
      err: `${path}:6: step 3: expected tokens B; found refused: refresh_token_expired\n`,
    });
    expect(out).toContain('Policy browser-app: code 30 seconds, chain 8 hours idle, 1 day in any case.');
    expect(out).toContain('     FAILED  expected tokens B; found refused: refresh_token_expired\n');
    expect(out).toContain('NOT as expected: 1 of 2 expectations hold.');
    const json = await line.run(['simulate', path, '--policy', SHORT_POLICY, '--json']);
    expect({ status: json.status, ok: JSON.parse(json.out).ok }).toEqual({ status: 1, ok: false });
  });

  it('runs under the policies that the server would use', async () => {
    const env = { STATEHOUSE_CONFIG: join(folder, 'nowhere') };
    const { status, out, err } = await line.run(['simulate', file('good.yaml', GOOD)], { env });
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(/nowhere is refused:\n.*default\.policy\.yaml: Expected .*, found no such file/);
  });

  it('rejects unreadable input with a message', async () => {
    const refused = async (path: string) => {
      const { status, out, err } = await line.run(['simulate', path]);
      expect({ status, out }).toEqual({ status: 1, out: '' });
      expect(err).not.toMatch(/ {4}at |Unexpected/);
      // The content of a file cannot control the terminal.
      expect(err).not.toMatch(/[^\P{C}\n]/u);
      return err;
    };
    expect(await refused(join(folder, 'nowhere.yaml'))).toMatch(/nowhere\.yaml: Expected .*, found no such file/);
    expect(await refused(folder)).toMatch(/, found a path that is no file/);
    expect(await refused(file('binary.yaml', Uint8Array.of(0xff, 0xfe, 0)))).toMatch(
      /, found bytes that are not UTF-8 text/,
    );
    expect(await refused(file('huge.yaml', `#${' '.repeat(70_000)}`))).toMatch(
      /Expected at most 65536.*, found 70001 bytes/,
    );
    expect(await refused(file('hostile.yaml', `${GOOD}"\\u001b[2J": 1\n`))).toMatch(
      /hostile\.yaml:7: .*Expected .*, found an unknown key/,
    );
    expect(await refused(file('\u001b[31m.yaml', 'title: [a'))).toMatch(/\\u\{1b\}\[31m\.yaml/);
    expect(await refused(file('typo.yaml', GOOD.replace('gets: B', 'get: B')))).toMatch(
      /typo\.yaml:6: steps\.2\.get: Expected .*, found an unknown key\. Did you mean "gets"\?/,
    );
  });

  it('prints its usage when no file is named', async () => {
    const { status, err } = await line.run(['simulate']);
    expect(status).toBe(1);
    expect(err).toContain("missing required argument 'file'");
  });
});
