/** The output of `npm start` while it prepares, and the page at the printed address. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { banner } from '../../src/boot/banner.ts';
import { readEnvironment } from '../../src/config/environment.ts';
import { becomesReady, hasEnded, outputOf, START, startChild, waiting } from '../support/child-process.ts';
import { freePort } from '../support/listening.ts';
import { until } from '../support/until.ts';

it('npm start names each step before it begins, then the address to open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-output-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort();
  const env = { PATH: process.env['PATH'], PORT: String(port), LOG_LEVEL: 'error' };
  const server = startChild(process.execPath, [...waiting(), ...START], { cwd: folder, env });
  const output = outputOf(server);
  await becomesReady(server, `http://localhost:${port}`, output);
  await until(() => output().includes('These are demo users') || hasEnded(server));
  const steps = [
    /^Statehouse is starting/,
    /^ {2}opening the embedded database in \//,
    /^ {2}bringing its tables up to date$/,
    /^ {2}opening the signing keys$/,
    /^ {2}preparing the demo$/,
    /^ {2}Statehouse is running: http:/,
  ];
  const lines = output().split('\n');
  const places = steps.map((step) => lines.findIndex((line) => step.test(line)));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));

  const [, url = '', password = ''] = /running: (\S+)[\s\S]* password (\S+)/.exec(output()) ?? [];
  const page = await fetch(url);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain(`<code>${password}</code>`);
});

it('npm start runs from a folder with non-ASCII letters in its name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-named-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const installed = join(folder, '100% für uns');
  symlinkSync(join(import.meta.dirname, '../..'), installed);
  const cwd = join(folder, 'data');
  mkdirSync(cwd);
  // Node would look at the real name of a link.
  const command = ['--preserve-symlinks', '--preserve-symlinks-main', join(installed, 'src/cli/statehouse.js')];
  const output = (name: string) =>
    execFileSync(process.execPath, [...command, name], { cwd, env: { PATH: process.env['PATH'] }, encoding: 'utf8' });
  expect(output('migrate')).toContain('Up to date');
  expect(output('check')).toContain('policy default');
});

it('npm start explains why there is no demo on an address that other machines can reach', () => {
  const output = (host: string) => banner(readEnvironment({ HOST: host }), null);
  expect(output('0.0.0.0')).toMatch(/No demo: with HOST=0\.0\.0\.0 other machines can reach this server/);
  expect(output('localhost')).not.toContain('No demo');
});
