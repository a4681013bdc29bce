/** Security Event Tokens, as an endpoint that implements the standards reads them. */
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECURITY_EVENTS, webhooksSchema } from '../../../policies/webhooks-schema.ts';
import { Unavailable } from '../../../src/engine/errors.ts';
import { bodyOf } from '../../../src/webhooks/body.ts';
import { securityEventOf } from '../../../src/webhooks/security-event.ts';
import { makeClient, makeUser } from '../../support/actors.ts';
import { disableUser } from '../../support/administration.ts';
import { anyDatabase } from '../../support/database.ts';
import { openReceiver, type Receiver, WEBHOOK_SECRET } from '../../support/receiver.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { deliveryWorkerOf, webhooksFile } from '../../support/webhooks.ts';

const EVENT = {
  eventId: '0f9d',
  eventType: 'session.ended',
  data: { sub: 'alice', sid: 'session', reason: 'signed_out', initiated_by: 'user' },
  occurredAt: new Date(1_900_000_000_500),
  createdAt: new Date(1_900_000_002_000),
};
const OURS = { issuer: 'https://as.test', audience: 'https://crm.test' };
const CAEP = 'https://schemas.openid.net/secevent/caep/event-type/';
const RISC = 'https://schemas.openid.net/secevent/risc/event-type/';

describe('a Security Event Token', () => {
  let scene: Scene;
  let receiver: Receiver;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
    scene.clock.set(new Date());
    receiver = await openReceiver();
  });
  afterAll(async () => {
    await receiver.close();
    await scene.close();
  });

  it('is signed by a key of the JWKS, with its type, for its audience', async () => {
    const events = ['user.disabled'];
    const worker = deliveryWorkerOf(
      scene,
      webhooksFile([{ url: receiver.url, format: 'set', audience: 'crm', events }]),
    );
    await worker.round();
    const user = await makeUser(scene);
    await disableUser(scene.database.drizzle, user.username);
    await worker.round();
    const [{ headers, text, id } = { headers: {}, text: '', id: '' }] = receiver.received;
    expect(headers['content-type']).toBe('application/secevent+jwt');
    new Webhook(WEBHOOK_SECRET).verify(text, headers as Record<string, string>, { jsonParse: false });
    const jwks = (await scene.app.inject('/.well-known/jwks.json')).json();
    const { payload, protectedHeader } = await jwtVerify(text, createLocalJWKSet(jwks), {
      issuer: scene.issuer,
      audience: 'crm',
      typ: 'secevent+jwt',
    });
    expect(protectedHeader.alg).toBe('RS256');
    expect(payload).toEqual({
      iss: scene.issuer,
      aud: 'crm',
      jti: id,
      iat: Math.floor(scene.clock.now().getTime() / 1000),
      sub_id: { format: 'iss_sub', iss: scene.issuer, sub: user.id },
      events: { [`${RISC}account-disabled`]: {} },
    });
  });

  it('that cannot be signed now uses no attempt of its delivery', async () => {
    const events = ['user.disabled'];
    const file = webhooksFile([{ name: 'other', url: receiver.url, format: 'set', events }], { maxAttempts: 1 });
    const signerOf = () => {
      throw new Unavailable('signing_unavailable');
    };
    const deps = { ...scene.deps, keyRing: { ...scene.deps.keyRing, signerOf } };
    const unable = deliveryWorkerOf({ ...scene, deps }, file);
    await unable.store.keep(['other']);
    await disableUser(scene.database.drizzle, (await makeUser(scene)).username);
    await unable.round();
    await unable.round();
    const ofOther = async () => (await unable.stored()).filter((stored) => stored.receiver === 'other');
    expect(await ofOther()).toMatchObject([{ state: 'pending', attempts: 0 }]);
    expect(unable.logs()).toContain('signing_unavailable');
    await deliveryWorkerOf(scene, file).round();
    expect(await ofOther()).toMatchObject([{ state: 'delivered', attempts: 1 }]);
  });

  it('replaces a pending delivery, where its endpoint has another format now, with the type of the event', async () => {
    const other = await openReceiver();
    const name = 'changed';
    const endpoint = { name, url: other.url, events: ['user', 'client'] };
    let file = webhooksFile([endpoint]);
    // It waits while the secret cannot be read.
    const waiting = deliveryWorkerOf(scene, () => file, { secrets: null });
    await waiting.round();
    const user = await makeUser(scene);
    await disableUser(scene.database.drizzle, user.username);
    const client = await makeClient(scene);
    await waiting.round();
    expect(other.received).toEqual([]);
    file = webhooksFile([{ ...endpoint, format: 'set', events: ['user.disabled'] }]);
    await deliveryWorkerOf(scene, () => file).round();
    const claims = other.received.map(({ text }) => decodeJwt<{ events: object; sub_id: object }>(text));
    const own = `${scene.issuer}/webhooks/event-type/`;
    const [sub, event_timestamp] = [{ format: 'iss_sub', iss: scene.issuer, sub: user.id }, expect.any(Number)];
    expect(Object.fromEntries(claims.map(({ events, sub_id }) => [Object.keys(events)[0], [events, sub_id]]))).toEqual({
      [`${own}user.created`]: [
        { [`${own}user.created`]: { sub: user.id, initiated_by: 'system', event_timestamp } },
        sub,
      ],
      [`${RISC}account-disabled`]: [{ [`${RISC}account-disabled`]: {} }, sub],
      [`${own}client.created`]: [
        { [`${own}client.created`]: expect.objectContaining({ client_id: client.clientId, event_timestamp }) },
        { format: 'opaque', id: client.clientId },
      ],
    });
    await other.close();
  });

  it('does not replace a pending delivery, where its endpoint has format standard now', async () => {
    const other = await openReceiver();
    const endpoint = { name: 'changed-back', url: other.url, events: ['user.disabled'] };
    let file = webhooksFile([{ ...endpoint, format: 'set' }]);
    const waiting = deliveryWorkerOf(scene, () => file, { secrets: null });
    await waiting.round();
    const user = await makeUser(scene);
    await disableUser(scene.database.drizzle, user.username);
    await waiting.round();
    file = webhooksFile([endpoint]);
    await deliveryWorkerOf(scene, () => file).round();
    expect(other.verified()).toMatchObject([{ type: 'user.disabled', data: { sub: user.id } }]);
    await other.close();
  });

  it.each([
    ['https://crm.test/hooks?token=hidden', 'https://crm.test/hooks'],
    ['https://crm.test', 'https://crm.test'],
  ])('of the endpoint %s is for %s, unless the file names another audience', async (url, aud) => {
    const deps = { issuer: scene.issuer, sign: (claims: object) => JSON.stringify(claims) };
    const { text } = await bodyOf({ format: 'set', audience: undefined, url }, EVENT, deps);
    expect(JSON.parse(text)).toMatchObject({ aud });
    expect(text).not.toContain('hidden');
    const other = await bodyOf({ format: 'set', audience: 'crm', url }, EVENT, deps);
    expect(JSON.parse(other.text)).toMatchObject({ aud: 'crm' });
  });

  it('of a test event is a verification', () => {
    expect(securityEventOf({ ...EVENT, eventType: 'webhook.test', data: {} }, OURS)).toStrictEqual({
      iss: OURS.issuer,
      aud: OURS.audience,
      jti: 'evt_0f9d',
      iat: 1_900_000_002,
      sub_id: { format: 'opaque', id: OURS.audience },
      events: { 'https://schemas.openid.net/secevent/ssf/event-type/verification': {} },
    });
  });

  const user = { format: 'iss_sub', iss: OURS.issuer, sub: 'alice' };
  const opaque = (id: string) => ({ format: 'opaque', id });
  it.each([
    [{ sub: 'alice' }, user],
    [{ client_id: 'shop' }, opaque('shop')],
    [{ kid: 'key' }, opaque('key')],
    [{ client_id: 'shop', kid: 'key' }, opaque('shop')],
    [{ sub: 'alice', client_id: 'shop' }, user],
    [{}, opaque('unknown')],
    [{ sid: 'session' }, { format: 'complex', session: opaque('session') }],
    [{ grant_id: 'chain' }, { format: 'complex', session: opaque('chain') }],
    [
      { sid: 'session', grant_id: 'chain' },
      { format: 'complex', session: opaque('session') },
    ],
    [
      { sub: 'alice', sid: 'session' },
      { format: 'complex', user, session: opaque('session') },
    ],
    [
      { sub: 'alice', client_id: 'shop', grant_id: 'chain' },
      { format: 'complex', user, session: opaque('chain'), application: opaque('shop') },
    ],
  ])('about %j has the subject %j', (data, subject) => {
    for (const eventType of ['session.ended', 'user.disabled', 'client.created'])
      expect(securityEventOf({ ...EVENT, eventType, data }, OURS).sub_id).toStrictEqual(subject);
  });

  it.each([
    [{}, {}],
    [{ initiated_by: 'admin' }, { initiating_entity: 'admin' }],
    [{ reason: 'signed_out' }, { reason_admin: { en: 'signed_out' } }],
    [{ reason: null }, {}],
  ])('with the data %j has the circumstances %j', (data, circumstances) => {
    expect(securityEventOf({ ...EVENT, data }, OURS).events).toStrictEqual({
      [`${CAEP}session-revoked`]: { event_timestamp: 1_900_000_000, ...circumstances },
    });
  });

  it('of an event without a URI of a standard has one of this server, and the data of the event', () => {
    const data = { client_id: 'shop', fields: ['scope'] };
    expect(securityEventOf({ ...EVENT, eventType: 'client.changed/ä', data }, OURS).events).toStrictEqual({
      'https://as.test/webhooks/event-type/client.changed%2F%C3%A4': { ...data, event_timestamp: 1_900_000_000 },
    });
  });

  it('describes a terminated session with CAEP', () => {
    expect(securityEventOf(EVENT, OURS)).toEqual({
      iss: OURS.issuer,
      aud: OURS.audience,
      jti: 'evt_0f9d',
      iat: 1_900_000_002,
      sub_id: {
        format: 'complex',
        user: { format: 'iss_sub', iss: OURS.issuer, sub: 'alice' },
        session: { format: 'opaque', id: 'session' },
      },
      events: {
        [`${CAEP}session-revoked`]: {
          event_timestamp: 1_900_000_000,
          initiating_entity: 'user',
          reason_admin: { en: 'signed_out' },
        },
      },
    });
  });

  it.each([
    ['user.credential_changed', 'password', { credential_type: 'password', change_type: 'update' }],
    ['factor.added', 'authenticator_app', { credential_type: 'app', change_type: 'create' }],
    ['factor.removed', 'passkey', { credential_type: 'passkey', change_type: 'revoke' }],
    ['factor.recovery_code_used', 'recovery_code', { credential_type: 'recovery-code', change_type: 'revoke' }],
  ])('%s is a credential-change', (eventType, kind, members) => {
    const { events } = securityEventOf({ ...EVENT, eventType, data: { sub: 'alice', kind } }, OURS);
    expect(events).toEqual({ [`${CAEP}credential-change`]: { ...members, event_timestamp: 1_900_000_000 } });
  });

  it('names the client and the chain of a reuse', () => {
    const data = { sub: 'alice', client_id: 'shop', grant_id: 'chain', reason: 'refresh_token_reused' };
    expect(securityEventOf({ ...EVENT, eventType: 'grant.reuse_detected', data }, OURS)).toMatchObject({
      sub_id: {
        format: 'complex',
        user: { sub: 'alice' },
        application: { format: 'opaque', id: 'shop' },
        session: { format: 'opaque', id: 'chain' },
      },
      events: { [`${CAEP}session-revoked`]: { reason_admin: { en: 'refresh_token_reused' } } },
    });
  });

  it.each(SECURITY_EVENTS)('%s has one event type of CAEP or RISC', (eventType) => {
    const uris = Object.keys(securityEventOf({ ...EVENT, eventType }, OURS).events);
    expect(uris).toHaveLength(1);
    expect(uris[0]).toMatch(/^https:\/\/schemas\.openid\.net\/secevent\/(caep|risc)\/event-type\/[a-z-]+$/);
  });

  it('has no type for other events, and the schema says so', () => {
    const receiver = { name: 'crm', url: 'https://crm.test', secretEnvironment: 'S', format: 'set' };
    const read = (events: string[]) => webhooksSchema.safeParse({ receivers: [{ ...receiver, events }] });
    expect(read(['session', 'factor', 'grant', 'user.disabled']).success).toBe(true);
    expect(read(['user']).error?.issues[0]?.path).toEqual(['receivers', 0, 'events']);
    expect(read(['client.created']).success).toBe(false);
  });
});
