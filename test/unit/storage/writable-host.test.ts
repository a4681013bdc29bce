import { describe, expect, test, vi } from 'vitest';
import { codeOf } from '../../../src/storage/failures.ts';
import { writableHost } from '../../../src/storage/writable-host.ts';
import type { DatabaseHost } from '../../../src/system/database-url.ts';

const [a, b] = [
  { host: 'a', port: 1 },
  { host: 'b', port: 2 },
] as const;
const failing = (code: string) => Promise.reject(Object.assign(new Error('no'), { code }));
type Answers = Readonly<Record<string, () => Promise<boolean>>>;
const among = (answers: Answers) => {
  const ask = vi.fn(async ({ host }: DatabaseHost) => (await answers[host]?.()) ?? false);
  return { ask, hosts: writableHost([a, b], ask) };
};
const yes = async () => true;
const no = async () => false;
const never = () => new Promise<boolean>(() => {});

describe('the writable host', () => {
  test.each<[string, Answers]>([
    ['the other one says no', { a: no, b: yes }],
    ['the other one says nothing', { a: never, b: yes }],
    ['the other one is away', { a: () => failing('ECONNREFUSED'), b: yes }],
  ])('is found, though %s', async (_, answers) => {
    expect(await among(answers).hosts.find()).toEqual(b);
  });

  test('is looked up once for concurrent requests, until the result is dropped', async () => {
    const { ask, hosts } = among({ a: no, b: yes });
    const asked = [hosts.find(), hosts.find()];
    // Connections that end meanwhile cause no second lookup.
    hosts.forget();
    expect(await Promise.all([...asked, hosts.find()])).toEqual([b, b, b]);
    expect(ask).toHaveBeenCalledTimes(2);
    hosts.forget();
    await hosts.find();
    expect(ask).toHaveBeenCalledTimes(4);
  });

  test('is looked up again after a failure', async () => {
    let answers: Answers = { a: no, b: no };
    const { hosts } = among({ a: () => answers['a']?.() ?? no(), b: () => answers['b']?.() ?? no() });
    await expect(hosts.find()).rejects.toThrow('a:1 is read-only; b:2 is read-only');
    answers = { a: yes, b: no };
    expect(await hosts.find()).toEqual(a);
  });

  test.each<[string, Answers, string]>([
    ['one only reads', { a: () => failing('ECONNREFUSED'), b: no }, 'NO_WRITABLE_HOST'],
    [
      'a certificate is not trusted',
      { a: () => failing('SELF_SIGNED_CERT_IN_CHAIN'), b: () => failing('ECONNREFUSED') },
      'SELF_SIGNED_CERT_IN_CHAIN',
    ],
    ['the password is wrong', { a: () => failing('28P01'), b: () => failing('ECONNREFUSED') }, '28P01'],
    // The commit of an unsent statement is not unknown.
    ['they hang up', { a: () => failing('ECONNRESET'), b: () => failing('CONNECTION_CLOSED') }, 'NO_WRITABLE_HOST'],
    ['their answer is an unknown error', { a: () => failing('ESTRANGE'), b: () => failing('') }, 'NO_WRITABLE_HOST'],
  ])('is missing, when %s: %s reports it', async (_, answers, code) => {
    expect(
      codeOf(
        await among(answers)
          .hosts.find()
          .catch((error: unknown) => error),
      ),
    ).toBe(code);
  });

  test("is missing: each host has its own reason, without the driver's message about a statement", async () => {
    const answers = {
      a: () =>
        Promise.reject(Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })),
      b: () => Promise.reject(Object.assign(new Error('invalid: s3cret'), { code: '22P02' })),
    };
    await expect(among(answers).hosts.find()).rejects.toMatchObject({
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      message:
        'a:1 cannot be trusted: its certificate is signed by itself (DEPTH_ZERO_SELF_SIGNED_CERT: self-signed certificate); ' +
        'b:2 refused a statement for a reason that this server does not expect (22P02)',
    });
  });
});
