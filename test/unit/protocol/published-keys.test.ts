import { describe, expect, it } from 'vitest';
import type { PublicJwk } from '../../../src/crypto/client-keys.ts';
import { publishedKeys } from '../../../src/protocol/published-keys.ts';
import { testKey } from '../../support/client-keys.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const URI = 'https://client.test/keys';
const [first, second] = ['first', 'second'].map((kid) => testKey('ES256', kid).jwk as unknown as PublicJwk);

function origin() {
  let now = 0;
  const asked: string[] = [];
  const failures: unknown[] = [];
  let answer: () => Promise<readonly PublicJwk[]> = async () => [first as PublicJwk];
  const keys = publishedKeys({
    fetchKeys: (uri) => {
      asked.push(uri);
      return answer();
    },
    onFailure: (_, error) => void failures.push(error),
    now: () => now,
  });
  return {
    asked,
    failures,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    publish: (...published: readonly (PublicJwk | undefined)[]) => {
      answer = async () => published.flatMap((one) => one ?? []);
    },
    goAway: () => {
      answer = () => Promise.reject(new Error('away'));
    },
    answerWith: (next: typeof answer) => {
      answer = next;
    },
    named: (kid: string, uri = URI, registeredBy: 'operator' | 'self' = 'operator') =>
      keys.at(uri, { registeredBy }, (known) => known.some((one) => one.kid === kid)),
  };
}

describe('the keys that a client publishes', () => {
  it('are fetched when they are needed, and kept', async () => {
    const client = origin();
    expect(client.asked).toEqual([]);
    for (let times = 0; times < 3; times++) expect(await client.named('first')).toEqual([first]);
    expect(client.asked).toEqual([URI]);
  });

  it('are fetched once for requests that come together', async () => {
    const client = origin();
    expect(await Promise.all([client.named('first'), client.named('first')])).toEqual([[first], [first]]);
    expect(client.asked).toHaveLength(1);
  });

  it('are fetched again for an unknown kid, at most every 30 seconds', async () => {
    const client = origin();
    await client.named('first');
    client.publish(first, second);
    expect(await client.named('second')).toEqual([first]);
    client.pass(30 * SECOND);
    expect(await client.named('second')).toEqual([first, second]);
    for (let times = 0; times < 100; times++) await client.named(`unknown ${times}`);
    expect(client.asked).toHaveLength(2);
  });

  it('are renewed after ten minutes, and no request waits for that', async () => {
    const client = origin();
    await client.named('first');
    client.answerWith(() => new Promise(() => {}));
    client.pass(600 * SECOND - 1);
    await client.named('first');
    expect(client.asked).toHaveLength(1);
    client.pass(1);
    expect(await client.named('first')).toEqual([first]);
    expect(await client.named('first')).toEqual([first]);
    expect(client.asked).toHaveLength(2);
  });

  it('count for a day while the origin is away, and not longer', async () => {
    const client = origin();
    await client.named('first');
    client.goAway();
    client.pass(24 * HOUR - 1);
    expect(await client.named('first')).toEqual([first]);
    await expect.poll(() => client.failures).toHaveLength(1);
    client.pass(1);
    expect(await client.named('first')).toBe(null);
    client.publish(second);
    client.pass(30 * SECOND);
    expect(await client.named('first')).toEqual([second]);
  });

  it('are null where they could not be fetched, and the next attempt waits 30 seconds', async () => {
    const client = origin();
    client.goAway();
    expect(await client.named('first')).toBe(null);
    client.publish(first);
    expect(await client.named('first')).toBe(null);
    client.pass(30 * SECOND);
    expect(await client.named('first')).toEqual([first]);
  });

  it('are fetched from at most 16 origins together', async () => {
    const client = origin();
    client.answerWith(() => new Promise(() => {}));
    for (let at = 0; at < 40; at++) void client.named('first', `https://client.test/${at}`);
    expect(client.asked).toHaveLength(16);
  });

  it('are kept for the 1000 clients that were last seen', async () => {
    const client = origin();
    for (let at = 0; at <= 1000; at++) await client.named('first', `https://client.test/${at}`);
    expect(client.asked).toHaveLength(1001);
    await client.named('first', 'https://client.test/1000');
    expect(client.asked).toHaveLength(1001);
    await client.named('first', 'https://client.test/0');
    expect(client.asked).toHaveLength(1002);
  });

  it('of a client that an operator registered are fetched beside any number of slow ones of strangers', async () => {
    const client = origin();
    client.answerWith(() => new Promise(() => {}));
    for (let at = 0; at < 40; at++) void client.named('first', `https://stranger.test/${at}`, 'self');
    client.publish(first);
    expect(await client.named('first')).toEqual([first]);
  });

  it('of a client that an operator registered stay, whichever keys strangers publish', async () => {
    const client = origin();
    await client.named('first');
    for (let at = 0; at <= 1000; at++) await client.named('first', `https://stranger.test/${at}`, 'self');
    client.goAway();
    expect(await client.named('first')).toEqual([first]);
  });
});
