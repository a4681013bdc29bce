/** A name that leads to several addresses: the connection goes only where every one of them is public. */
import type { LookupAddress } from 'node:dns';
import { beforeEach, expect, it, vi } from 'vitest';
import { lookupPublic, NotPublic } from '../../../src/images/public-address.ts';

let answer: readonly LookupAddress[];
vi.mock('node:dns', () => ({
  lookup: (_name: string, _options: object, callback: (error: null, found: readonly LookupAddress[]) => void) =>
    callback(null, answer),
}));

const v4 = (address: string): LookupAddress => ({ address, family: 4 });
const v6 = (address: string): LookupAddress => ({ address, family: 6 });
const PUBLIC = [v4('93.184.216.34'), v6('2606:2800:220:1::1')];
const PRIVATE = [
  v4('10.0.0.1'),
  v4('127.0.0.1'),
  v4('169.254.169.254'),
  v6('::1'),
  v6('fd00::1'),
  v6('::ffff:10.0.0.1'),
];

type Found = { readonly error: unknown; readonly address: unknown; readonly family: unknown };
const found = (options: object): Promise<Found> =>
  new Promise((resolve) =>
    lookupPublic('images.example', options, (error, address, family) => resolve({ error, address, family })),
  );

const mixed = PUBLIC.flatMap((one) =>
  PRIVATE.flatMap((other) => [
    [one, other],
    [other, one],
    [one, one, other],
  ]),
);
beforeEach(() => {
  answer = [];
});

it.each([{}, { all: true }])(
  'the lookup rejects a name with one internal address at any position of the answer: %j',
  async (options) => {
    for (answer of mixed) expect((await found(options)).error, JSON.stringify(answer)).toBeInstanceOf(NotPublic);
  },
);

it.each([{}, { all: true }])('the lookup rejects a name without an address: %j', async (options) => {
  expect((await found(options)).error).toBeInstanceOf(NotPublic);
});

it('the lookup returns the checked addresses, and no other', async () => {
  answer = PUBLIC;
  expect(await found({ all: true })).toEqual({ error: null, address: PUBLIC, family: undefined });
  expect(await found({})).toEqual({ error: null, address: PUBLIC[0]?.address, family: 4 });
});
