/** STATEHOUSE_PKCS11_…: all three or none, and no PIN in an error. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readEnvironment } from '../../../src/config/environment.ts';

const module = '/usr/lib/softhsm/libsofthsm2.so';
const ALL = {
  STATEHOUSE_PKCS11_MODULE: module,
  STATEHOUSE_PKCS11_TOKEN: 'statehouse',
  STATEHOUSE_PKCS11_PIN: '31415926',
};

describe('the PKCS#11 device of the environment', () => {
  it('is absent without its variables', () => {
    expect(readEnvironment({}).device).toBeNull();
  });

  it('is read from three variables, the PIN from a file too', () => {
    const device = { module, token: 'statehouse', pin: '31415926' };
    expect(readEnvironment(ALL).device).toEqual(device);
    const folder = mkdtempSync(join(tmpdir(), 'statehouse-pin-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'pin'), '31415926\n');
    const { STATEHOUSE_PKCS11_PIN: _, ...others } = ALL;
    expect(readEnvironment({ ...others, STATEHOUSE_PKCS11_PIN_FILE: join(folder, 'pin') }).device).toEqual(device);
  });

  it.each([
    ['STATEHOUSE_PKCS11_MODULE', 'Set the path of the PKCS#11 library.'],
    ['STATEHOUSE_PKCS11_TOKEN', 'Set the label of the token.'],
    ['STATEHOUSE_PKCS11_PIN', 'Set the PIN of its user, or STATEHOUSE_PKCS11_PIN_FILE.'],
  ] as const)('is rejected without %s', (name, instruction) => {
    const { [name]: _, ...others } = ALL;
    const message = `The environment is refused:\n  ${name} is not set. ${instruction}`;
    expect(() => readEnvironment(others)).toThrow(message);
  });

  it('has one problem with an unreadable file', () => {
    const { STATEHOUSE_PKCS11_PIN: _, ...others } = ALL;
    const read = () => readEnvironment({ ...others, STATEHOUSE_PKCS11_PIN_FILE: '/nowhere/31415926' });
    expect(read).toThrow(/^The environment is refused:\n {2}STATEHOUSE_PKCS11_PIN_FILE: Expected the path of [^\n]*$/);
    expect(read).not.toThrow(/31415926/);
  });
});
