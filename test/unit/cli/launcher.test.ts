/** The command as people run it: another process, another folder. */
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockFolder } from '../../../src/storage/folder-lock.ts';

const root = new URL('../../..', import.meta.url).pathname;
const launcher = join(root, 'src/cli/statehouse.js');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'statehouse-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

type Ended = { readonly status: number | null; readonly out: string; readonly err: string };

function run(
  command: string,
  args: readonly string[],
  cwd: string,
  stdin: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const { DATABASE_URL: _, NODE_ENV: __, ...env } = process.env;
  return new Promise((resolve) => {
    const child = execFile(command, args, { cwd, env: { ...env, ...more } }, (_error, out, err) =>
      resolve({ status: child.exitCode, out, err }),
    );
    child.stdin?.end(stdin);
  });
}

const statehouse = (args: readonly string[], stdin = '') => run(process.execPath, [launcher, ...args], folder, stdin);

const OLDER = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"20.19.0"}})';

describe('the launcher', () => {
  it('registers on the embedded database of its folder, and exits', async () => {
    const record = {
      client_id: 'shop',
      client_secret: ` ~!@ #$%^&*()+=:;"'<>?/\\| `,
      redirect_uris: ['https://shop.example/'],
    };
    const first = await statehouse(['clients', 'import', '-', '--json'], JSON.stringify(record));
    // Never created silently: the user may have meant another folder.
    const made = `A new database was made in ${join(realpathSync(folder), '.statehouse')}.\n`;
    expect(first).toMatchObject({ status: 0, err: made });
    expect(JSON.parse(first.out).clients).toEqual([expect.objectContaining({ client_id: 'shop', outcome: 'created' })]);
    // Kept between processes: the root secret too, or the secret would not be recognized.
    const second = await statehouse(['clients', 'import', '-'], JSON.stringify(record));
    expect(second).toMatchObject({ err: '', out: expect.stringMatching(/^unchanged {2}shop\n/) });
    expect(statSync(join(folder, '.statehouse/secret')).mode & 0o777).toBe(0o600);
  });

  it('creates no second database in a folder below', async () => {
    const below = join(folder, 'docs', 'deeper');
    mkdirSync(below, { recursive: true });
    const { status, out, err } = await run(process.execPath, [launcher, 'clients', 'list'], below, '');
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toContain(`run the command in ${realpathSync(folder)}.`);
    expect(existsSync(join(below, '.statehouse'))).toBe(false);
  });

  it('reports that it starts before it loads any module, except where its output is the log', async () => {
    const withoutTheRest = `data:text/javascript,${encodeURIComponent(`
      import { registerHooks } from 'node:module';
      registerHooks({
        resolve(specifier, context, next) {
          if (specifier === './main.ts') process.exit(7);
          return next(specifier, context);
        },
      });
    `)}`;
    const starting = (command: string, nodeEnv: string) =>
      run(process.execPath, ['--import', withoutTheRest, launcher, command], folder, '', { NODE_ENV: nodeEnv });
    expect(await starting('start', '')).toMatchObject({
      status: 7,
      out: expect.stringMatching(/^Statehouse is starting/),
    });
    expect(await starting('start', 'production')).toMatchObject({ status: 7, out: '' });
    expect(await starting('check', '')).toMatchObject({ status: 7, out: '' });
  });

  it('reads a password from a pipe that stays open', async () => {
    const { status } = await new Promise<Pick<Ended, 'status'>>((resolve) => {
      const child = execFile(process.execPath, [launcher, 'users', 'create', 'alice'], { cwd: folder }, () =>
        resolve({ status: child.exitCode }),
      );
      child.stdin?.write('correct horse\n');
    });
    expect(status).toBe(0);
  });

  it('reports which process holds the embedded database, with a remedy', async () => {
    const unlock = lockFolder(join(folder, '.statehouse'));
    try {
      const { status, out, err } = await statehouse(['users', 'list']);
      expect({ status, out }).toEqual({ status: 1, out: '' });
      expect(err).toMatch(`is in use by the running process ${process.pid}`);
      expect(err).toMatch(/another command, or a server that is starting or stopping: run this again in a moment/);
      expect(err).not.toMatch(/^\s+at /m);
    } finally {
      unlock();
    }
  });

  it('explains the remedy to an older Node', async () => {
    const { status, out, err } = await run(process.execPath, ['--import', OLDER, launcher, 'check'], folder, '');
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch('needs Node 24 or newer; this is Node 20.19.0');
    expect(err).toMatch('npm start, or npx statehouse');
  });

  it('does not send an older Node to a Node 24 that was not installed', async () => {
    // As after `npm ci --omit=dev`: the package `node` is a devDependency.
    const installed = join(folder, 'without-dev');
    mkdirSync(join(installed, 'src/cli'), { recursive: true });
    mkdirSync(join(installed, 'node_modules'));
    cpSync(launcher, join(installed, 'src/cli/statehouse.js'));
    writeFileSync(join(installed, 'package.json'), '{"type":"module"}');
    const { status, err } = await run(
      process.execPath,
      ['--import', OLDER, join(installed, 'src/cli/statehouse.js'), 'start'],
      installed,
      '',
    );
    expect(status).toBe(1);
    expect(err).toMatch('this is Node 20.19.0');
    expect(err).toMatch(/Install Node 24 .*npm has no Node 24 here/);
    expect(err).not.toMatch(/npx|npm start/);
  });

  it("prints after an installation by an older Node that npm's warnings are harmless", async () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const [command, file] = scripts.prepare.split(' ');
    expect(command).toBe('node');
    const installedBy = (version: string, script = join(root, file)) =>
      run(process.execPath, [script], root, '', { npm_config_user_agent: `npm/11.19.1 node/v${version} linux x64` });
    expect((await installedBy('20.20.2')).out).toMatch(/EBADENGINE warnings are harmless: .* Node 24 .* not Node 20/);
    expect(await installedBy('24.1.0')).toMatchObject({ status: 0, out: '' });
    const alone = join(folder, 'without-dev/src/cli/after-install.js');
    cpSync(join(root, file), alone);
    expect((await installedBy('20.20.2', alone)).out).toMatch(/npm was run by Node 20: install Node 24/);
  });

  it('is the file that npx runs in the repository', async () => {
    expect(statSync(launcher).mode & 0o111).toBe(0o111);
    const { status, out } = await run('npx', ['--no-install', 'statehouse', '--help'], root, '');
    expect(status).toBe(0);
    expect(out).toMatch(/^Usage: statehouse/);
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(await run(launcher, ['--version'], root, '')).toMatchObject({ status: 0, out: `${version}\n` });
  });
});
