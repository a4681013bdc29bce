/** E-mail addresses as users type them, and the number of mails that strangers may cause. */
import { describe, expect, it } from 'vitest';
import { readAddress } from '../../../src/people/mail/address.ts';
import { allowMail, allowMailToAddress, allowMailToKnownDevice } from '../../../src/people/mail/limits.ts';
import { testKeys } from '../../support/macs.ts';

describe('an e-mail address', () => {
  it.each([
    ['ada@example.com', 'ada@example.com'],
    [' ada@example.com\n', 'ada@example.com'],
    ['ada@localhost', 'ada@localhost'],
    ['ada+tag.x@mail.example-1.com', 'ada+tag.x@mail.example-1.com'],
    ['a\u0308da@bu\u0308cher.example', 'äda@bücher.example'],
    ['ada@x_y.example', 'ada@x_y.example'],
    [`${'x'.repeat(242)}@example.com`, `${'x'.repeat(242)}@example.com`],
    [`${'x'.repeat(243)}@example.com`, null],
    ['', null],
    [null, null],
    ['ada', null],
    ['@example.com', null],
    ['ada@', null],
    ['a@b@example.com', null],
    ['ada@example..com', null],
    ['ada@.example.com', null],
    ['ada@example.com.', null],
    ['ada@-example.com', null],
    ['ada@example-.com', null],
    ['ada@exa mple.com', null],
    ['a da@example.com', null],
    ['"ada"@example.com', null],
    ['ada<x>@example.com', null],
    ['ada(x)@example.com', null],
    ['ada[x]@example.com', null],
    ['ada,x@example.com', null],
    ['ada;x@example.com', null],
    ['ada:x@example.com', null],
    ['ada\\x@example.com', null],
    ['ada\u0000@example.com', null],
    ['ada\u202e@example.com', null],
    ['ada@exam$ple.com', null],
    ['ada\ud800@example.com', null],
  ])('%j is read as %j', (typed, address) => {
    expect(readAddress(typed)).toBe(address);
  });
});

describe('the mails that a stranger may cause', () => {
  const counting = (...counts: readonly number[]) => {
    const asked: { keys: readonly string[]; seconds: number }[] = [];
    const count = async (hashes: readonly Buffer[], seconds: number) => {
      asked.push({ keys: hashes.map((hash) => hash.toString('hex')), seconds });
      return counts;
    };
    return { asked, deps: { keys: testKeys, mailCounts: { count } } };
  };
  const SENDER = { address: 'ada@example.com', network: '192.0.2.1' };

  it.each<[readonly number[], object]>([
    [[5, 20, 50], { kind: 'allowed' }],
    [[6, 20, 50], { kind: 'addressIsFull' }],
    [[5, 21, 50], { kind: 'addressIsFull' }],
    [[5, 20, 51], { kind: 'networkIsFull', retryAfterSeconds: 3600 }],
    [[6, 21, 51], { kind: 'networkIsFull', retryAfterSeconds: 3600 }],
    [[], { kind: 'allowed' }],
  ])('with the counts %j are %j', async (counts, allowance) => {
    expect(await allowMail(counting(...counts).deps, SENDER)).toEqual(allowance);
  });

  it.each([
    [[5], true],
    [[6], false],
    [[], true],
  ])('to one address, with the counts %j, are allowed: %s', async (counts, isAllowed) => {
    expect(await allowMailToAddress(counting(...counts).deps, SENDER.address)).toBe(isAllowed);
    const device = { userId: 'ada', device: 'a device' };
    expect(await allowMailToKnownDevice(counting(...counts).deps, device)).toBe(isAllowed);
  });

  it('are counted for an hour, under keys that differ by address, mailbox, network and device', async () => {
    const { asked, deps } = counting(0, 0, 0);
    await allowMail(deps, SENDER);
    await allowMail(deps, { ...SENDER, address: 'ADA@example.com' });
    await allowMail(deps, { address: 'bob@example.com', network: '198.51.100.1' });
    await allowMailToAddress(deps, SENDER.address);
    await allowMailToKnownDevice(deps, { userId: 'ada', device: 'a device' });
    await allowMailToKnownDevice(deps, { userId: 'bob', device: 'a device' });
    await allowMailToKnownDevice(deps, { userId: 'ada', device: 'another' });
    expect(asked.every(({ seconds }) => seconds === 3600)).toBe(true);
    const [one, capitals, other, alone, ...devices] = asked.map(({ keys }) => keys);
    expect(capitals).toEqual(one);
    expect(alone).toEqual(one?.slice(0, 2));
    const all = [...(one ?? []), ...(other ?? []), ...devices.flat()];
    expect(new Set(all).size).toBe(all.length);
  });
});
