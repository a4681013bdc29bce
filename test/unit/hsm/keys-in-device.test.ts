/** Signing keys in SoftHSM, through the whole app. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { keyDeps } from '../../../src/boot/key-ring.ts';
import { signJwt } from '../../../src/crypto/jws.ts';
import { keysInDatabase } from '../../../src/crypto/key-source.ts';
import { keysInDevice } from '../../../src/hsm/keys-in-device.ts';
import { requestRevocation, requestRotation } from '../../../src/lifecycles/signing-key/lifecycle.ts';
import { commandLine } from '../../../src/model/actor.ts';
import { SIGNING_ALGORITHMS } from '../../../src/oauth/signing-algorithms.ts';
import { signingKeys, transitions } from '../../../src/storage/schema.ts';
import { makeClient, makeUser, obtainTokens, refresh, type TestClient, token } from '../../support/actors.ts';
import { openTestApp, shippedConfiguration, type TestApp, testKeys } from '../../support/app.ts';
import { outputOf, START, startChild, waiting } from '../../support/child-process.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { freePort } from '../../support/listening.ts';
import { makeSoftHsm, PIN, type SoftHsm, withoutSoftHsm } from '../../support/softhsm.ts';

const inDatabase = keysInDatabase(testKeys);
const configuration = {
  ...shippedConfiguration,
  signingKeys: { ...shippedConfiguration.signingKeys, algorithms: [...SIGNING_ALGORITHMS] },
};

/** The requests of an attacker in the process to the device, in a session of the same user. */
function stolenFrom({ module, token: label, pin }: SoftHsm): { labels: string[]; values: string[] } {
  const pkcs11js = createRequire(import.meta.url)('pkcs11js');
  const { CKA_VALUE, CKA_LABEL, CKA_CLASS, CKO_PRIVATE_KEY, CKU_USER } = pkcs11js;
  const device = new pkcs11js.PKCS11();
  device.load(module);
  try {
    device.C_Initialize();
  } catch {
    // The thread of the source has done so.
  }
  const slot = device.C_GetSlotList(true).find((one: Buffer) => device.C_GetTokenInfo(one).label.trim() === label);
  const session = device.C_OpenSession(slot, 4);
  try {
    device.C_Login(session, CKU_USER, pin);
  } catch {
    // So is every other user of this process.
  }
  device.C_FindObjectsInit(session, [{ type: CKA_CLASS, value: CKO_PRIVATE_KEY }]);
  const objects = device.C_FindObjects(session, 100);
  device.C_FindObjectsFinal(session);
  const values: string[] = [];
  const labels = objects.map((object: Buffer) => {
    for (const type of [CKA_VALUE, pkcs11js.CKA_PRIVATE_EXPONENT, pkcs11js.CKA_PRIME_1]) {
      try {
        const [{ value }] = device.C_GetAttributeValue(session, object, [{ type }]);
        values.push(value.toString('hex'));
      } catch {
        // Sensitive, or not of this kind of key.
      }
    }
    return device.C_GetAttributeValue(session, object, [{ type: CKA_LABEL }])[0].value.toString();
  });
  device.C_CloseSession(session);
  return { labels: labels.sort(), values };
}

describe.skipIf(withoutSoftHsm !== null)('signing keys in a PKCS#11 device', () => {
  let device: SoftHsm;
  let source: ReturnType<typeof keysInDevice>;
  let opened: TestDatabase;
  let test: TestApp;
  let client: TestClient;

  beforeAll(async () => {
    if (withoutSoftHsm !== null) throw new Error(withoutSoftHsm);
    device = makeSoftHsm();
    source = keysInDevice(device, inDatabase);
    opened = await openTestDatabase(anyDatabase);
    test = await openTestApp(opened.database, { configuration, ownSigningKeys: true, keySource: source });
    client = await makeClient(test);
  });
  afterAll(async () => {
    await test?.app.close();
    await opened?.close();
    await source?.close();
    device?.remove();
  });

  const stored = () => opened.database.drizzle.select().from(signingKeys).orderBy(signingKeys.kid);
  const published = async () => {
    const answer = await test.app.inject('/.well-known/jwks.json');
    return createLocalJWKSet(answer.json() as JSONWebKeySet);
  };
  const credentials = () => token(test, client, { grant_type: 'client_credentials' });

  it('sign with each algorithm what jose verifies from the JWKS', async () => {
    for (const alg of configuration.signingKeys.algorithms) {
      const signer = test.deps.keyRing.signerOf(alg);
      const jwt = await signJwt(signer, 'JWT', { iss: test.issuer });
      expect((await jwtVerify(jwt, await published())).protectedHeader).toEqual({ alg, kid: signer.kid, typ: 'JWT' });
    }
  });

  it('are in no row, and cannot be exported from the device', async () => {
    const rows = await stored();
    expect(rows.map(({ privateJwe }) => privateJwe)).toEqual(['pkcs11', 'pkcs11', 'pkcs11']);
    expect(stolenFrom(device)).toEqual({ labels: rows.map(({ kid }) => kid).sort(), values: [] });
  });

  it('sign access tokens and ID Tokens of a chain, before its commit', async () => {
    const tokens = await obtainTokens(test, client, await makeUser(test), { scope: 'openid read' });
    const { status, json } = await refresh(test, client, tokens.refreshToken);
    expect(status).toBe(200);
    for (const jwt of [tokens.accessToken, json.access_token, json.id_token]) {
      await jwtVerify(jwt ?? '', await published(), { issuer: test.issuer });
    }
  });

  it('are destroyed in the device when the machine erases them', async () => {
    const signer = test.deps.keyRing.signerOf('ES256').kid;
    const policy = () => configuration.signingKeys;
    const ports = keyDeps({ db: opened.database.drizzle, keys: testKeys, source, clock: test.clock, policy });
    await requestRotation(ports, 'ES256', true, commandLine);
    await test.deps.keepKeys();
    const next = test.deps.keyRing.signerOf('ES256').kid;
    expect(next).not.toBe(signer);
    expect(stolenFrom(device).labels).not.toContain(signer);
    expect(stolenFrom(device).labels).toContain(next);
    await requestRevocation(ports, next, commandLine);
    await test.deps.keepKeys();
    expect(stolenFrom(device).labels).not.toContain(next);
    expect((await credentials()).status).toBe(200);
  });

  it('lead to 503 without a commit while the device is unreachable, and recover', async () => {
    const tokens = await obtainTokens(test, client, await makeUser(test));
    const before = (await opened.database.drizzle.select().from(transitions)).length;
    renameSync(device.tokens, `${device.tokens}-away`);
    const refused = [await credentials(), await refresh(test, client, tokens.refreshToken)];
    const ready = await test.app.inject('/health/ready');
    renameSync(`${device.tokens}-away`, device.tokens);
    for (const { status, headers, json } of refused) {
      expect(status).toBe(503);
      expect(headers['retry-after']).toBe('1');
      expect(json.error).toBe('temporarily_unavailable');
    }
    expect({ status: ready.statusCode, body: ready.json() }).toEqual({
      status: 503,
      body: { status: 'not ready', reason: 'signing keys' },
    });
    expect(await opened.database.drizzle.select().from(transitions)).toHaveLength(before);
    expect((await refresh(test, client, tokens.refreshToken)).status).toBe(200);
    expect((await test.app.inject('/health/ready')).statusCode).toBe(200);
    expect(test.logs()).toContain('signing_unavailable');
    expect(test.logs()).toContain('The PKCS#11 device cannot be used: ');
    expect(test.logs()).not.toContain(PIN);
  });

  it('sign until the end of their time when they are in the database already', async () => {
    const other = await openTestDatabase(anyDatabase);
    onTestFinished(other.close);
    const first = await openTestApp(other.database, { ownSigningKeys: true });
    const { kid } = first.deps.keyRing.signerOf('ES256');
    await first.app.close();
    const second = await openTestApp(other.database, { ownSigningKeys: true, keySource: source });
    onTestFinished(() => second.app.close());
    expect(second.deps.keyRing.signerOf('ES256').kid).toBe(kid);
    expect((await other.database.drizzle.select().from(signingKeys).where(eq(signingKeys.kid, kid)))[0]).toMatchObject({
      state: 'signing',
      privateJwe: expect.stringContaining('.'),
    });
  });

  it('are rejected by a node without the device, with a message', async () => {
    await expect(openTestApp(opened.database, { configuration, ownSigningKeys: true })).rejects.toThrow(
      'is in a PKCS#11 device. Set STATEHOUSE_PKCS11_MODULE',
    );
  });

  it.each([
    ['a wrong PIN', { pin: '0000-wrong' }, 'of the token "statehouse" the PIN is wrong (CKR_PIN_INCORRECT)'],
    ['no such token', { token: 'unknown' }, 'no token with the label "unknown"'],
    ['no such library', { module: '/nowhere/pkcs11.so' }, 'the library /nowhere/pkcs11.so of STATEHOUSE_PKCS11_MODULE'],
  ])('report the error: %s', async (_, wrong, words) => {
    // A process of its own: all threads of a process share one login.
    const code = `
      import { keysInDevice } from './src/hsm/keys-in-device.ts';
      const source = keysInDevice(${JSON.stringify({ ...device, ...wrong })}, {});
      for (let n = 0; n < 20; n++) await source.check().catch((error) => { if (n > 18) console.log(error.message); });`;
    const said = execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' });
    expect(said).toContain(`The PKCS#11 device cannot be used: ${words}`);
    for (const pin of [PIN, '0000-wrong']) expect(said).not.toContain(pin);
    // After twenty requests, the PIN was tried once, and is not locked.
    await source.check();
  });

  it('end a start with a status of their own, when the PIN is wrong', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'statehouse-refused-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const server = startChild(process.execPath, [...waiting(), ...START], {
      cwd: folder,
      env: {
        SOFTHSM2_CONF: process.env['SOFTHSM2_CONF'],
        NODE_PATH: process.env['NODE_PATH'],
        PORT: String(await freePort()),
        STATEHOUSE_PKCS11_MODULE: device.module,
        STATEHOUSE_PKCS11_TOKEN: device.token,
        STATEHOUSE_PKCS11_PIN: '0000-wrong',
      },
    });
    const said = outputOf(server);
    const [status] = await once(server, 'close');
    expect({ status, said: said() }).toEqual({ status: 78, said: expect.stringContaining('CKR_PIN_INCORRECT') });
    expect(said()).not.toContain('0000-wrong');
  });
});
