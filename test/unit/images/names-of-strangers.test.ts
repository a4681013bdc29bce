/** A name that a stranger chose is looked up without a thread, and within the time of a fetch. */
import { createSocket } from 'node:dgram';
import { lookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fetchPublic } from '../../../src/images/fetch-public.ts';
import { NotPublic, resolvingPublic } from '../../../src/images/public-address.ts';

type Answers = { readonly v4?: readonly string[]; readonly v6?: readonly string[] };
const NO_DATA = Object.assign(new Error('queryA ENODATA'), { code: 'ENODATA', syscall: 'queryA' });
const answered = (addresses: readonly string[] | undefined) =>
  addresses === undefined ? Promise.reject(NO_DATA) : Promise.resolve([...addresses]);

/** Answers all requests for a name with these addresses. Undefined: the name has none of the kind. */
const resolverOf = ({ v4, v6 }: Answers) =>
  ({ resolve4: () => answered(v4), resolve6: () => answered(v6) }) as unknown as Resolver;

const found = (resolver: () => Resolver, all: boolean, name = 'client.example') =>
  new Promise<unknown>((resolve) =>
    resolvingPublic(resolver)(name, { all }, (error, address, family) => resolve(error ?? { address, family })),
  );

describe('the addresses of a name that a stranger chose', () => {
  it.each([
    [{ v4: ['93.184.216.34'], v6: ['2606:2800:220:1::1'] }, ['93.184.216.34', '2606:2800:220:1::1']],
    [{ v4: ['93.184.216.34'] }, ['93.184.216.34']],
    [{ v6: ['2606:2800:220:1::1'] }, ['2606:2800:220:1::1']],
  ])('are those of both kinds: %j', async (answers, addresses) => {
    const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    expect(await found(() => resolverOf(answers), true)).toEqual({ address: all, family: undefined });
    expect(await found(() => resolverOf(answers), false)).toEqual(all[0]);
  });

  it.each([
    { v4: ['127.0.0.1'] },
    { v4: ['93.184.216.34', '10.0.0.1'] },
    { v4: ['93.184.216.34'], v6: ['::1'] },
    { v4: ['169.254.169.254'], v6: ['2606:2800:220:1::1'] },
    { v6: ['::ffff:127.0.0.1'] },
    { v4: [], v6: [] },
  ])('are all public, or none counts: %j', async (answers) => {
    for (const all of [true, false]) expect(await found(() => resolverOf(answers), all)).toBeInstanceOf(NotPublic);
  });

  it.each(['localhost', 'localhost.', 'LOCALHOST', 'client.localhost'])('are not those of %s', async (name) => {
    expect(await found(() => resolverOf({ v4: ['93.184.216.34'] }), true, name)).toBeInstanceOf(NotPublic);
  });

  it('are an error of the DNS where it has none', async () => {
    expect(await found(() => resolverOf({}), true)).toBe(NO_DATA);
  });
});

it('a name server that never answers holds up no other name', async () => {
  const silent = createSocket('udp4');
  onTestFinished(() => void silent.close());
  silent.bind(0, '127.0.0.1');
  await once(silent, 'listening');
  // Patient: only the end of the test ends them.
  const resolvers = Array.from({ length: 50 }, () => new Resolver({ timeout: 3_600_000, tries: 1 }));
  let ended = 0;
  const slow = resolvers.map((resolver) => {
    resolver.setServers([`127.0.0.1:${silent.address().port}`]);
    return found(() => resolver, true).finally(() => ended++);
  });
  await lookup('localhost');
  expect(ended).toBe(0);
  for (const resolver of resolvers) resolver.cancel();
  for (const error of await Promise.all(slow)) expect(error).toMatchObject({ code: 'ECANCELLED' });
});

it('a fetch asks the DNS, and no thread', async () => {
  const fetch = { what: 'image', accept: 'image/png', maxBytes: 1, maxRedirects: 0, maxMilliseconds: 10_000 };
  await expect(fetchPublic('https://unknown.invalid/', fetch)).rejects.toMatchObject({ syscall: 'queryA' });
});
