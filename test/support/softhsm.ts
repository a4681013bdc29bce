/** Tokens of SoftHSM, a PKCS#11 device in software, each in a temporary folder. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const PLACES = [
  process.env['SOFTHSM_MODULE'],
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so',
];
const SOFTHSM_MODULE = PLACES.find((path) => path && existsSync(path)) ?? null;

function hasPackage(): boolean {
  try {
    createRequire(import.meta.url)('pkcs11js');
    return true;
  } catch {
    return false;
  }
}

/** Why tests with a device are skipped; null: they run. */
export const withoutSoftHsm: string | null =
  SOFTHSM_MODULE === null
    ? 'libsofthsm2.so is not here: apt-get install softhsm2, or set SOFTHSM_MODULE'
    : hasPackage()
      ? null
      : 'pkcs11js is not installed, or was not built: npm install --no-save --omit=dev pkcs11js@2.1.7';

export const PIN = '3141-user-pin';

export type SoftHsm = {
  readonly module: string;
  readonly token: string;
  readonly pin: string;
  /** The folder with all that the device stores. */
  readonly tokens: string;
  readonly remove: () => void;
};

/** An initialized token. The library of this process finds it from now on, since it reads SOFTHSM2_CONF whenever it is initialized. */
export function makeSoftHsm(token = 'statehouse'): SoftHsm {
  const module = SOFTHSM_MODULE ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-softhsm-'));
  const tokens = join(folder, 'tokens');
  mkdirSync(tokens);
  const configuration = join(folder, 'softhsm2.conf');
  writeFileSync(configuration, `directories.tokendir = ${tokens}\nobjectstore.backend = file\nlog.level = ERROR\n`);
  process.env['SOFTHSM2_CONF'] = configuration;
  const beside = join(dirname(module), '../../bin/softhsm2-util');
  const command = existsSync(beside) ? beside : 'softhsm2-util';
  const words = ['--init-token', '--free', '--label', token, '--so-pin', '2718-so-pin', '--pin', PIN];
  execFileSync(command, ['--module', module, ...words], { env: { ...process.env, SOFTHSM2_CONF: configuration } });
  return { module, token, pin: PIN, tokens, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
