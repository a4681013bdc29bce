/**
 * Authenticators and pages that lie (WebAuthn Level 3 §7.1, §7.2), at the three places where the server verifies a signature.
 * These are sign-in, second factor and registration. With each lie, everything else is valid.
 */

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { SettingsService } from '@simplewebauthn/server';
import { isoBase64URL, isoCBOR } from '@simplewebauthn/server/helpers';
import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { CHALLENGE_SECONDS } from '../../../src/crypto/passkey-challenge.ts';
import {
  type Forged,
  HAS_CREDENTIAL,
  makePasskey,
  optionsOn,
  USER_PRESENT,
  USER_VERIFIED,
} from '../../../src/review/simulation/devices/passkey.ts';
import { passkeys } from '../../../src/storage/schema.ts';
import { makeUser, PASSWORD, type TestUser } from '../../support/actors.ts';
import { ISSUER } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { testCertificate } from '../../support/client-certificates.ts';
import { anyDatabase } from '../../support/database.ts';
import { registeredPasskey } from '../../support/registered-passkey.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const METHODS = '/account/sign-in-methods';
const { origin, hostname } = new URL(ISSUER);

let scene: Scene;
beforeAll(async () => {
  scene = await openScene(anyDatabase);
});
afterAll(() => scene.close());

const newBrowser = () => new Browser(scene.app);
const withPassword = async (browser: Browser, user: TestUser) =>
  browser.submit(await browser.get('/sign-in'), { username: user.username, password: PASSWORD });
const isSignedIn = async (browser: Browser) => (await browser.get('/account')).url === '/account';

type Asked = {
  readonly browser: Browser;
  /** With a challenge of this place, for this browser. */
  readonly page: Answer;
  /** Another challenge of the same place, for another browser. */
  readonly elsewhere: () => Promise<Answer>;
  /** The message of an authenticator. */
  readonly sign: (page: Answer, forged?: Forged, counter?: number) => string;
  readonly send: (credential: string) => Promise<Answer>;
  /** Whether the signature was accepted. */
  readonly believed: () => Promise<boolean>;
};

const PLACES: Readonly<Record<string, () => Promise<Asked>>> = {
  'a sign-in': async () => {
    const key = await registeredPasskey(scene, await makeUser(scene));
    const browser = newBrowser();
    const page = await browser.get('/sign-in');
    return {
      browser,
      page,
      elsewhere: () => newBrowser().get('/sign-in'),
      sign: (on, forged, counter = 0) => key.sign(on, counter, forged),
      send: (credential) =>
        browser.post('/sign-in/passkey', { csrf: formOf(page.body).fields['csrf'] ?? '', credential }),
      believed: () => isSignedIn(browser),
    };
  },
  'a second factor': async () => {
    const user = await makeUser(scene);
    const key = await registeredPasskey(scene, user);
    const browser = newBrowser();
    const page = await withPassword(browser, user);
    return {
      browser,
      page,
      elsewhere: () => withPassword(newBrowser(), user),
      sign: (on, forged, counter = 0) => key.sign(on, counter, forged),
      send: (credential) => browser.post('/sign-in/factor/passkey', { ...formOf(page.body).fields, credential }),
      believed: () => isSignedIn(browser),
    };
  },
  'a registration': async () => {
    const user = await makeUser(scene);
    const browser = newBrowser();
    await withPassword(browser, user);
    const page = await browser.get(`${METHODS}/passkey`);
    return {
      browser,
      page,
      elsewhere: async () => {
        const other = newBrowser();
        await withPassword(other, user);
        return other.get(`${METHODS}/passkey`);
      },
      sign: (on, forged, counter = 0) => makePasskey(optionsOn(on.body), origin, counter, forged).credential,
      send: (credential) =>
        browser.post(`${METHODS}/passkeys`, { ...formOf(page.body).fields, credential, name: 'a key' }),
      believed: async () => (await scene.database.drizzle.$count(passkeys, eq(passkeys.userId, user.id))) > 0,
    };
  },
};
const places = Object.entries(PLACES);

const strange = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const text = (bytes: Buffer) => bytes.toString('base64url');
const withLastOctet = (challenge: string, change: number) => {
  const bytes = Buffer.from(challenge, 'base64url');
  bytes.writeUInt8((bytes.at(-1) ?? 0) ^ change, bytes.length - 1);
  return text(bytes);
};
const challengeOn = (page: Answer) => (JSON.parse(optionsOn(page.body)) as { readonly challenge: string }).challenge;

type Lie = (asked: Asked) => Promise<Forged> | Forged;
const credentialFlag = (page: Answer) => (optionsOn(page.body).includes('"rp":') ? HAS_CREDENTIAL : 0);
const LIES: Readonly<Record<string, Lie>> = {
  'no user was verified': ({ page }) => ({ flags: USER_PRESENT | credentialFlag(page) }),
  'no user was present': ({ page }) => ({ flags: USER_VERIFIED | credentialFlag(page) }),
  'another origin': () => ({ origin: 'https://evil.example' }),
  'an origin that begins alike': () => ({ origin: `${origin}.evil.example` }),
  'an origin that ends alike': () => ({ origin: origin.replace('://', '://evil') }),
  'a subdomain': () => ({ origin: origin.replace('://', '://login.') }),
  'the origin with another scheme': () => ({ origin: origin.replace('https:', 'http:') }),
  'the origin with a port': () => ({ origin: `${origin}:8443` }),
  'the origin with a path': () => ({ origin: `${origin}/` }),
  'a frame of another site': () => ({ clientData: { crossOrigin: true } }),
  'a frame of a site that is named': () => ({ clientData: { crossOrigin: true, topOrigin: 'https://evil.example' } }),
  'another relying party': () => ({ rpId: 'evil.example' }),
  'the domain above': () => ({ rpId: hostname.split('.').slice(1).join('.') }),
  'the name in capitals': () => ({ rpId: hostname.toUpperCase() }),
  'the other ceremony': ({ page }) => ({ type: credentialFlag(page) === 0 ? 'webauthn.create' : 'webauthn.get' }),
  'the challenge of another browser': async ({ elsewhere }) => ({ challenge: challengeOn(await elsewhere()) }),
  'a challenge of its own': () => ({ challenge: text(randomBytes(56)) }),
  'no challenge': () => ({ challenge: '' }),
  'the challenge with another last bit': ({ page }) => ({ challenge: withLastOctet(challengeOn(page), 1) }),
  'the challenge with an octet more': ({ page }) => ({ challenge: `${challengeOn(page)}AA` }),
};
/** Only of signatures: a registration brings its own key. */
const LIES_OF_SIGNATURES: Readonly<Record<string, Lie>> = {
  'another key': () => ({ signedWith: strange }),
  'the passkey of another user': async () => ({
    id: (await registeredPasskey(scene, await makeUser(scene))).passkey.id,
  }),
  'a passkey that is not registered': () => ({ id: text(randomBytes(16)) }),
  'another user': async () => ({ userHandle: text(Buffer.from((await makeUser(scene)).id)) }),
};

describe.each(places)('at %s', (place, ask) => {
  it('accepts an honest authenticator', async () => {
    const asked = await ask();
    await asked.send(asked.sign(asked.page));
    expect(await asked.believed()).toBe(true);
  });

  const lies = { ...LIES, ...(place === 'a registration' ? {} : LIES_OF_SIGNATURES) };
  it.each(Object.entries(lies))('rejects a signature of an authenticator for: %s', async (_, lie) => {
    const asked = await ask();
    const refused = await asked.send(asked.sign(asked.page, await lie(asked)));
    expect(refused.status).toBeLessThan(500);
    expect(await asked.believed()).toBe(false);
  });

  it('rejects the challenge of another place', async () => {
    const others = places.filter(([name]) => name !== place);
    for (const [, other] of others) {
      const asked = await ask();
      await asked.send(asked.sign(asked.page, { challenge: challengeOn((await other()).page) }));
      expect(await asked.believed()).toBe(false);
    }
  });

  it('rejects a challenge that has just expired', async () => {
    const asked = await ask();
    const credential = asked.sign(asked.page);
    scene.clock.advanceSeconds(CHALLENGE_SECONDS + 1);
    await asked.send(credential);
    expect(await asked.believed()).toBe(false);
  });
});

describe.each(places.filter(([name]) => name !== 'a registration'))('the signature counter at %s', (_, ask) => {
  it.each([
    ['falls back', 6, false],
    ['stands still', 7, false],
    ['is dropped', 0, false],
    ['rises by one', 8, true],
  ])('%s: %i after 7', async (_what, counter, believed) => {
    const asked = await ask();
    await scene.database.drizzle
      .update(passkeys)
      .set({ counter: 7 })
      .where(sql`${passkeys.credentialId} = ${Buffer.from(JSON.parse(asked.sign(asked.page)).id, 'base64url')}`);
    await asked.send(asked.sign(asked.page, {}, counter));
    expect(await asked.believed()).toBe(believed);
  });
});

it('the server rejects a second use of a challenge, also by another passkey of the same user', async () => {
  const user = await makeUser(scene);
  const [one, other] = [await registeredPasskey(scene, user), await registeredPasskey(scene, user)];
  const browser = newBrowser();
  const page = await browser.get('/sign-in');
  const { csrf = '' } = formOf(page.body).fields;
  await browser.post('/sign-in/passkey', { csrf, credential: one.sign(page) });
  expect(await isSignedIn(browser)).toBe(true);
  const sessions = browser.cookies.get('__Host-statehouse-session');
  for (const key of [one, other]) {
    await browser.post('/sign-in/passkey', { csrf, credential: key.sign(page) });
    expect(browser.cookies.get('__Host-statehouse-session')).toBe(sessions);
  }
});

it('the server rejects a passkey whose id is registered for another user already', async () => {
  const owner = await registeredPasskey(scene, await makeUser(scene));
  const asked = await PLACES['a registration']?.();
  if (!asked) throw new Error('The place was not found.');
  await asked.send(asked.sign(asked.page, { id: owner.passkey.id }));
  expect(await asked.believed()).toBe(false);
});

describe('a registration', () => {
  afterEach(() => vi.unstubAllGlobals());

  const askedHere = async (): Promise<Asked> => {
    const asked = await PLACES['a registration']?.();
    if (!asked) throw new Error('The place was not found.');
    return asked;
  };
  type Sent = { response: { attestationObject: string; transports: unknown } };
  const changed = (credential: string, change: (sent: Sent) => void): string => {
    const sent: Sent = JSON.parse(credential);
    change(sent);
    return JSON.stringify(sent);
  };

  it('fetches nothing that the certificates of an attestation name', async () => {
    const root = await testCertificate({ isAuthority: true });
    // Of no authority: the library asks for none.
    const own = await testCertificate({ by: root, subject: [{ CN: ['own'] }] });
    const lists = new x509.CRLDistributionPointsExtension(['http://169.254.169.254/latest/meta-data/']);
    const leaf = await testCertificate({ by: own, subject: [{ CN: ['leaf'] }], extensions: [lists] });
    const roots = SettingsService.getRootCertificates({ identifier: 'apple' });
    const fetched = vi.fn(() => Promise.reject(new Error('away')));
    vi.stubGlobal('fetch', fetched);
    SettingsService.setRootCertificates({ identifier: 'apple', certificates: [root.pem] });
    try {
      const asked = await askedHere();
      const credential = changed(asked.sign(asked.page), ({ response }) => {
        const object = isoCBOR.decodeFirst<Map<string, unknown>>(isoBase64URL.toBuffer(response.attestationObject));
        const statement = new Map([['x5c', [leaf, own].map(({ der }) => new Uint8Array(der))]]);
        const attested = new Map(object).set('fmt', 'apple').set('attStmt', statement);
        response.attestationObject = isoBase64URL.fromBuffer(isoCBOR.encode(attested as never));
      });
      await asked.send(credential);
      expect(fetched).not.toHaveBeenCalled();
      expect(await asked.believed()).toBe(true);
    } finally {
      SettingsService.setRootCertificates({ identifier: 'apple', certificates: roots });
    }
  });

  it.each([
    ['an RSA key of 2048 bits', 256, 3, true],
    ['an RSA key of more than 4096 bits', 513, 3, false],
    ['an RSA key with an exponent of more than 32 bits', 384, 5, false],
  ])('of %s, with octets for modulus and exponent: %i, %i: %s', async (_, modulus, exponent, isAccepted) => {
    const asked = await askedHere();
    const odd = (length: number) => new Uint8Array(length).fill(0xff);
    const key = new Map<number, number | Uint8Array>([
      ...([
        [1, 3],
        [3, -257],
      ] as const),
      ...([
        [-1, odd(modulus)],
        [-2, odd(exponent)],
      ] as const),
    ]);
    const credential = changed(asked.sign(asked.page), ({ response }) => {
      const object = isoCBOR.decodeFirst<Map<string, unknown>>(isoBase64URL.toBuffer(response.attestationObject));
      // WebAuthn §6.5.1: the key follows the data, and an id of 16 octets.
      const before = (object.get('authData') as Uint8Array).subarray(0, 37 + 18 + 16);
      const data = new Uint8Array(Buffer.concat([before, isoCBOR.encode(key as never)]));
      response.attestationObject = isoBase64URL.fromBuffer(
        isoCBOR.encode(new Map(object).set('authData', data) as never),
      );
    });
    expect((await asked.send(credential)).status).toBe(isAccepted ? 200 : 400);
    expect(await asked.believed()).toBe(isAccepted);
  });

  it.each([[['\0']], [{}], ['usb'], [5], [[['a'], [null]]], [null]])('keeps no transports such as %j', async (sent) => {
    const asked = await askedHere();
    const credential = changed(asked.sign(asked.page), ({ response }) => {
      response.transports = sent;
    });
    expect((await asked.send(credential)).status).toBe(200);
    const id = Buffer.from(JSON.parse(credential).id, 'base64url');
    const [row] = await scene.database.drizzle.select().from(passkeys).where(eq(passkeys.credentialId, id));
    expect(row?.transports).toEqual([]);
  });
});
