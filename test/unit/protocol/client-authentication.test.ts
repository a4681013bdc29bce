/** The client of a request: the ways to authenticate, the ways to fail, and what counts as a guess. */
import { describe, expect, it } from 'vitest';
import { storedSecretMac } from '../../../src/crypto/client-secret.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { type RawSecret, rawSecret } from '../../../src/crypto/secret-types.ts';
import type { Client } from '../../../src/model/client.ts';
import { parseParameters } from '../../../src/oauth/parameters.ts';
import {
  authenticateClient,
  type ClientCredentials,
  readClientCredentials,
} from '../../../src/protocol/client-authentication.ts';
import { CLIENT_PARAMETERS, type TokenDeps } from '../../../src/protocol/grant-type.ts';
import { client } from './ports.ts';

const OLD = 'the root secret that made everything so far';
const NEW = 'the root secret that makes everything from now';
const SECRET = rawSecret('Zr3-kW9_pQx7LmB2vT8sYc');
const SECOND = rawSecret('a second secret, while they are being rotated');
const address = () => '192.0.2.1';
const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

describe('credentials in a request', () => {
  const read = (query: string, authorization?: string) =>
    readClientCredentials(
      { issuer: 'https://as.test' },
      { authorization, address },
      parseParameters(query, CLIENT_PARAMETERS).parameters,
    );
  const refused = (reason: string, parameter?: string) => ({
    kind: 'refused',
    reason,
    ...(parameter === undefined ? {} : { parameter }),
  });

  it.each<[string, string | undefined, object]>([
    ['client_id=shop', undefined, [{ clientId: 'shop', secret: null, address }]],
    ['client_id=shop&client_secret=x', undefined, [{ clientId: 'shop', secret: 'x', address }]],
    ['', basic('shop', 'x'), [{ clientId: 'shop', secret: 'x', address }]],
    ['client_id=shop', basic('shop', 'x'), [{ clientId: 'shop', secret: 'x', address }]],
    // A header with two possible readings, and a form that selects one.
    [
      '',
      basic('a%2Bb', 'x'),
      [
        { clientId: 'a+b', secret: 'x', address },
        { clientId: 'a%2Bb', secret: 'x', address },
      ],
    ],
    ['client_id=a%252Bb', basic('a%2Bb', 'x'), [{ clientId: 'a%2Bb', secret: 'x', address }]],
    ['', undefined, refused('client_authentication_missing')],
    ['client_secret=x', undefined, refused('missing_parameter', 'client_id')],
    ['client_secret=x', basic('shop', 'x'), refused('two_client_authentications', 'client_secret')],
    ['client_id=other', basic('shop', 'x'), refused('two_client_authentications', 'client_id')],
    ['', 'Basic !', refused('malformed_client_authentication')],
    ['client_id=shop', 'Bearer token', refused('malformed_client_authentication')],
  ])('%j with the header %j', (query, authorization, expected) => {
    expect(read(query, authorization)).toEqual(expected);
  });
});

describe('a client', () => {
  const keys = rootKeys([NEW, OLD]);
  const confidential = (...secrets: RawSecret[]) =>
    client({
      tokenEndpointAuthMethod: 'client_secret_basic',
      secretMacs: secrets.map((secret) => storedSecretMac(keys, secret)),
    });

  /** @param waits the answers of the throttle, in order. */
  async function authenticate(
    stored: Client | null,
    secrets: readonly (RawSecret | null)[],
    waits: readonly (number | null)[] = [],
  ) {
    const asked: string[] = [];
    const left = [...waits];
    const readings: ClientCredentials[] = secrets.map((secret) => ({ clientId: 'shop', secret, address }));
    const renewed: unknown[] = [];
    const deps: Pick<TokenDeps, 'keys' | 'clientThrottle' | 'renewSecretMac'> = {
      keys,
      clientThrottle: {
        waitSeconds: () => {
          asked.push('wait?');
          return left.shift() ?? null;
        },
        count: (guesser, wrong) => void asked.push(`count ${guesser.clientId} ${wrong}`),
      },
      renewSecretMac: async (of, macs) => void renewed.push(of.clientId, macs),
    };
    const answer = await authenticateClient(deps as TokenDeps, readings, async (clientId) => {
      asked.push(`load ${clientId}`);
      return { client: stored, more: 'facts' };
    });
    return { answer, asked, renewed };
  }
  const reasonOf = async (...given: Parameters<typeof authenticate>) => {
    const { answer } = await authenticate(...given);
    return 'kind' in answer ? answer.reason : 'authenticated';
  };

  it('authenticates with any of its secrets, and is returned with the loaded data', async () => {
    const stored = confidential(SECRET, SECOND);
    for (const secret of [SECRET, SECOND]) {
      const { answer, asked, renewed } = await authenticate(stored, [secret]);
      expect(answer).toEqual({ client: stored, more: 'facts' });
      expect(asked).toEqual(['wait?', 'load shop', 'wait?']);
      expect(renewed).toEqual([]);
    }
  });

  it.each<[string, Client | null, RawSecret | null, string]>([
    ['an unknown client', null, SECRET, 'client_unknown'],
    ['an unknown client without a secret', null, null, 'client_unknown'],
    ['the secret that stands for no client', null, rawSecret('no client'), 'client_unknown'],
    ['a deleted client', { ...confidential(SECRET), deletedAt: new Date() }, SECRET, 'client_unknown'],
    ['a public client with a secret', client(), SECRET, 'client_has_no_secret'],
    ['a confidential client without one', confidential(SECRET), null, 'client_authentication_missing'],
    ['a wrong secret', confidential(SECRET), SECOND, 'client_secret_mismatch'],
    ['a client whose secrets are gone', confidential(), SECRET, 'client_secret_mismatch'],
    ['a public client', client(), null, 'authenticated'],
  ])('%s', async (_, stored, secret, reason) => {
    expect(await reasonOf(stored, [secret])).toBe(reason);
  });

  it('that is stored is named in the refusal for the log', async () => {
    const named = async (...given: Parameters<typeof authenticate>) => (await authenticate(...given)).answer;
    const of = (reason: string) => ({ kind: 'refused', reason, claimedClientId: client().clientId });
    expect(await named(confidential(SECRET), [SECOND])).toEqual(of('client_secret_mismatch'));
    expect(await named(confidential(SECRET), [null])).toEqual(of('client_authentication_missing'));
    expect(await named({ ...confidential(SECRET), deletedAt: new Date() }, [SECRET])).toEqual(of('client_unknown'));
    expect(await named(null, [SECRET])).toEqual({ kind: 'refused', reason: 'client_unknown' });
  });

  it('gets each wrong secret counted, also for an unknown id, and no other error', async () => {
    const counts = async (...given: Parameters<typeof authenticate>) =>
      (await authenticate(...given)).asked.filter((word) => word.startsWith('count'));
    expect(await counts(confidential(SECRET), [SECOND])).toEqual([`count shop ${SECOND}`]);
    expect(await counts(null, [SECOND])).toEqual([`count shop ${SECOND}`]);
    expect(await counts(confidential(SECRET), [null])).toEqual([]);
    expect(await counts(confidential(SECRET), [SECRET])).toEqual([]);
  });

  it('is tried with the next reading of its header, and rejected with the reason of the last', async () => {
    const stored = confidential(SECRET);
    expect(await reasonOf(stored, [SECOND, SECRET])).toBe('authenticated');
    expect(await reasonOf(stored, [SECOND, SECOND])).toBe('client_secret_mismatch');
    expect(await reasonOf(stored, [])).toBe('client_unknown');
  });

  it('waits before any load, and for guesses that were loaded together', async () => {
    const throttled = { kind: 'refused', reason: 'client_throttled', retryAfterSeconds: 7 };
    const before = await authenticate(confidential(SECRET), [SECRET], [7]);
    expect(before.answer).toEqual(throttled);
    expect(before.asked).toEqual(['wait?']);
    const meanwhile = await authenticate(confidential(SECRET), [SECRET], [null, 7]);
    expect(meanwhile.answer).toEqual(throttled);
    expect(meanwhile.asked).toEqual(['wait?', 'load shop', 'wait?']);
  });

  it('that is public never waits', async () => {
    const { answer, asked } = await authenticate(client(), [null], [7, 7]);
    expect(answer).toMatchObject({ client: { clientId: 'shop' } });
    expect(asked).toEqual(['load shop']);
  });

  it('has its secret stored again under the current root secret, beside its other secrets', async () => {
    const ofOld = storedSecretMac(rootKeys([OLD]), SECRET);
    const other = storedSecretMac(rootKeys([OLD]), SECOND);
    const stored = { ...confidential(), secretMacs: [other, ofOld] };
    const { answer, renewed } = await authenticate(stored, [SECRET]);
    expect(answer).toMatchObject({ more: 'facts' });
    expect(renewed).toEqual(['shop', [other, storedSecretMac(keys, SECRET)]]);
    expect((await authenticate(stored, [rawSecret('wrong')])).renewed).toEqual([]);
  });
});
