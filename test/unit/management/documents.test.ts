/** Rows as the API shows them, and what it reads back: each member with a value and without one. */
import { describe, expect, it } from 'vitest';
import { API_PATH, addressOf, links } from '../../../src/management/addresses.ts';
import { lifetimesOf } from '../../../src/management/lifetimes.ts';
import { mergePatch } from '../../../src/management/merge-patch.ts';
import { tellOwner } from '../../../src/management/notices.ts';
import { isProblemReason, problemPage } from '../../../src/management/problem-page.ts';
import {
  clientDocument,
  recordIn as clientRecordIn,
  keptProblems,
} from '../../../src/management/resources/client-record.ts';
import { clientSecret, secretDocument } from '../../../src/management/resources/client-secrets.ts';
import { grantDocument, grant as grantResource, grants } from '../../../src/management/resources/grants.ts';
import { invitationDocument } from '../../../src/management/resources/invitations.ts';
import { identityDocument, linkedIdentity } from '../../../src/management/resources/linked-identities.ts';
import { machineDocument } from '../../../src/management/resources/machines.ts';
import { passkeyDocument, passkeyOfUser } from '../../../src/management/resources/passkeys.ts';
import { sessionDocument, session as sessionResource, sessions } from '../../../src/management/resources/sessions.ts';
import { lineDocument, transitions } from '../../../src/management/resources/transitions.ts';
import {
  fieldOf,
  otherSub,
  shownUser,
  userBody,
  userDocument,
  userFacts,
  recordIn as userRecordIn,
  userShape,
} from '../../../src/management/resources/user-record.ts';
import {
  deliveryDocument,
  deliveryShape,
  webhookDeliveries,
} from '../../../src/management/resources/webhook-deliveries.ts';
import { receiverDocument } from '../../../src/management/resources/webhook-receivers.ts';
import { actorOf } from '../../../src/management/who.ts';
import { testKeys } from '../../support/macs.ts';
import { webhooksFile } from '../../support/webhooks.ts';
import { session } from '../protocol/memory.ts';
import { at, client, configuration, grant, POLICY } from '../protocol/ports.ts';

const ISSUER = 'https://as.test/x';
const BASE = `${ISSUER}${API_PATH}`;
const href = (path: string) => ({ href: `${BASE}${path}` });
const iso = (seconds: number) => at(seconds).toISOString();
const ID = '00000000-0000-4000-8000-00000000000a';

it('addresses have each part encoded', () => {
  expect(addressOf(ISSUER, 'clients', 'a/b?c', 'é')).toBe(`${BASE}/clients/a%2Fb%3Fc/%C3%A9`);
  expect(addressOf(ISSUER)).toBe(BASE);
  expect(links({ self: 'x', next: 'y' })).toEqual({ _links: { self: { href: 'x' }, next: { href: 'y' } } });
});

describe('a merge patch (RFC 7396)', () => {
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('of %j with %j is %j', (target, patch, merged) => {
    expect(mergePatch(target, patch)).toEqual(merged);
  });
});

describe('an end-user', () => {
  const ada = { id: ID, sub: null, username: 'ada', disabledAt: null, claims: { name: 'Ada' } };
  it('is shown with every link', () => {
    const document = userDocument(ISSUER, ada);
    expect(document).toEqual({
      sub: ID,
      username: 'ada',
      disabled: false,
      disabled_at: null,
      claims: { name: 'Ada' },
      _links: {
        self: href(`/users/${ID}`),
        ...Object.fromEntries(
          [
            'grants',
            'sessions',
            'linked-identities',
            'passkeys',
            'trusted-browsers',
            'second-factor',
            'mailed-links',
            'consequences',
          ].map((name) => [name, href(`/users/${ID}/${name}`)]),
        ),
      },
    });
    const known = { createdAt: at(1), changedAt: at(2), lastSignInAt: at(3), hasPassword: true };
    const shown = shownUser(document, userFacts({ ...known, factors: ['passkey'] }));
    expect(shown).toEqual({
      ...document,
      created_at: iso(1),
      changed_at: iso(2),
      last_sign_in_at: iso(3),
      has_password: true,
      factors: ['passkey'],
    });
    expect(userShape.parse(shown)).toEqual(shown);
    const nothing = userFacts({ ...known, changedAt: null, lastSignInAt: null, factors: [] });
    expect(userShape.parse(shownUser(document, nothing))).toMatchObject({ changed_at: null, last_sign_in_at: null });
    expect(userDocument(ISSUER, { ...ada, sub: 'imported', disabledAt: at(5) })).toMatchObject({
      sub: 'imported',
      disabled: true,
      disabled_at: iso(5),
      _links: { self: href(`/users/${ID}`) },
    });
  });

  it('is read as a record: standard claims beside the others', () => {
    const claims = { name: 'Ada', email: 'ada@example.com', department: 'sales' };
    expect(userRecordIn({ username: 'ada', claims })).toStrictEqual({
      name: 'Ada',
      email: 'ada@example.com',
      username: 'ada',
      claims: { department: 'sales' },
    });
    expect(userRecordIn({ username: 'ada', password: 'p', password_hash: 'h', disabled: true })).toStrictEqual({
      username: 'ada',
      password: 'p',
      password_hash: 'h',
      claims: {},
    });
  });

  it.each([
    [null, null],
    ['username', 'username'],
    ['email', 'claims.email'],
    ['address.country', 'claims.address.country'],
    ['claims.department', 'claims.department'],
    ['emails', 'emails'],
  ])('has a problem with %j at %j', (key, field) => {
    expect(fieldOf(key)).toBe(field);
  });

  it.each<[object, boolean]>([
    [{}, true],
    [{ username: '' }, false],
    [{ username: 'x'.repeat(256) }, true],
    [{ username: 'x'.repeat(257) }, false],
    [{ password: '' }, false],
    [{ password: 'x'.repeat(1024) }, true],
    [{ password: 'x'.repeat(1025) }, false],
    [{ password_hash: '' }, false],
    [{ password_hash: 'x'.repeat(1024) }, true],
    [{ password_hash: 'x'.repeat(1025) }, false],
    [{ claims: [] }, false],
    [{ disabled: 'true' }, false],
    [{ sub: '' }, false],
    [{ sub: 'x' }, true],
    [{ sub: '00000000-0000-0000-0000-000000000000' }, false],
    [{ disabled_at: iso(0), _links: {} }, true],
    [{ more: 1 }, false],
  ])('has the members %j: %j', (change, isGood) => {
    expect(userBody.safeParse({ username: 'ada', ...change }).success).toBe(isGood);
  });

  it('keeps its `sub`', () => {
    expect(otherSub('a"b')).toEqual({
      field: 'sub',
      detail: 'Expected "a\\"b", as in the stored end-user: it never changes.',
    });
  });
});

describe('a client', () => {
  const shop = client({ clientId: 'a/b', secretMacs: [{ id: 'x' }, {}] as never });
  it('is shown with what the server keeps beside its record', () => {
    expect(clientDocument(ISSUER, { ...shop, declared: true, registeredBy: 'self' } as never)).toMatchObject({
      client_id: 'a/b',
      declared: true,
      registered_by: 'self',
      stored_secrets: 2,
      _links: {
        self: href('/clients/a%2Fb'),
        secrets: href('/clients/a%2Fb/secrets'),
        consequences: href('/clients/a%2Fb/consequences'),
        grants: href('/grants?client_id=a%2Fb'),
      },
    });
  });

  it('is read without what is only shown', () => {
    const shown = { declared: 1, registered_by: 2, stored_secrets: 3, _links: 4 };
    expect(clientRecordIn({ ...shown, client_id: 'a', more: 5 })).toEqual({ client_id: 'a', more: 5 });
  });

  const stored = { declared: false, registeredBy: 'operator' } as const;
  it.each<[object, readonly object[]]>([
    [{}, []],
    [{ declared: false, registered_by: 'operator', stored_secrets: 9 }, []],
    [{ declared: true }, [{ field: 'declared', detail: 'Expected false: this field is read-only.' }]],
    [
      { declared: null, registered_by: 'self' },
      [
        { field: 'declared', detail: 'Expected false: this field is read-only.' },
        { field: 'registered_by', detail: 'Expected "operator": this field is read-only.' },
      ],
    ],
  ])('sent back as %j has the problems %j', (sent, problems) => {
    expect(keptProblems(sent as Record<string, unknown>, stored)).toEqual(problems);
  });

  it('has secrets, by their names alone', () => {
    const mac = { keyId: 'k', mac: 'm', id: 'a-name', createdAt: iso(0) } as never;
    const document = secretDocument(ISSUER, { clientId: 'shop' }, mac);
    expect(document).toEqual({
      secret_id: 'a-name',
      created_at: iso(0),
      _links: { self: href('/clients/shop/secrets/a-name') },
    });
    expect(clientSecret.methods.GET.answer?.parse(document)).toEqual(document);
    const first = { keyId: 'k', mac: 'm', id: 'a-name' } as never;
    expect(secretDocument(ISSUER, { clientId: 'shop' }, first)).toMatchObject({ created_at: null });
  });
});

describe('a session', () => {
  it('is shown without its cookie', () => {
    const own = session({ sid: ID, lastUsedAt: at(5), endsAt: at(9), userAgent: 'Firefox', sub: 'imported' });
    const document = sessionDocument(ISSUER, { session: own, state: 'active' });
    expect(document).toEqual({
      ...{ sid: ID, state: 'active', reason: null, sub: 'imported', username: 'alice', user_agent: 'Firefox' },
      ...{ amr: ['pwd'], signed_in_at: iso(0), last_used_at: iso(5), ends_at: iso(9) },
      _links: { self: href(`/sessions/${ID}`), user: href(`/users/${own.userId}`) },
    });
    expect(sessionResource.methods.GET.answer?.parse(document)).toEqual(document);
    const ended = session({ state: 'ended', endedReason: 'signed_out' });
    expect(sessionDocument(ISSUER, { session: ended, state: 'ended' })).toMatchObject({ reason: 'signed_out' });
  });
});

describe('a grant', () => {
  const deps = { issuer: ISSUER, configuration };
  const listed = {
    ...{
      clientName: 'Shop',
      policyToday: 'default',
      username: 'alice',
      state: 'active' as const,
      endsAt: at(60),
      now: at(10),
    },
  } as const;
  const stored = (change: object = {}) => ({ ...grant(), policy: 'default', revokedAt: null, ...change });

  it('is shown with the code that waits', () => {
    const { id, userId } = grant();
    const document = grantDocument(deps, { ...listed, grant: stored({ scope: ['read', 'write'] }) });
    expect(document).toMatchObject({
      ...{ grant_id: id, state: 'active', reason: null, client_id: 'shop', client_name: 'Shop', username: 'alice' },
      ...{ scope: 'read write', created_at: iso(0), last_used_at: null, ends_at: iso(60), rotations: null },
      sub: userId,
      life: { active_until: iso(60), would_end_by: 'authorization_code_expired' },
      _links: {
        self: href(`/grants/${id}`),
        transitions: href(`/grants/${id}/transitions`),
        client: href('/clients/shop'),
        user: href(`/users/${userId}`),
      },
    });
    expect(grantResource.methods.GET.answer?.parse(document)).toEqual(document);
  });

  it.each<[object, object]>([
    [
      { refreshGeneration: 3n, refreshNonce: new Uint8Array(16), lastUsedAt: at(5), chainEndsAt: at(3605) },
      { rotations: 3, last_used_at: iso(5), life: { active_until: iso(3605), would_end_by: 'idle_end' } },
    ],
    [
      { state: 'revoked', revokedReason: 'refresh_token_reused', revokedAt: at(7) },
      { reason: 'refresh_token_reused', life: { reason: 'refresh_token_reused', ended_at: iso(7) } },
    ],
    [{ identity: null }, { sid: null }],
    [{ identity: { sid: 'its session' } }, { sid: 'its session' }],
    [{ liveUserEpoch: 2n }, { life: { ended_at: null } }],
    [{ codeEndsAt: at(9) }, { life: { reason: 'authorization_code_expired', ended_at: iso(9) } }],
  ])('is shown with each value: %#', (change, expected) => {
    expect(grantDocument(deps, { ...listed, grant: stored(change) })).toMatchObject(expected);
  });

  it('has the lifetimes of its current policy', () => {
    const lifetimes = lifetimesOf(configuration());
    expect(lifetimes({ clientId: 'shop', policy: 'default' })).toEqual({ name: 'default', ...POLICY });
    expect(lifetimes({ clientId: 'shop', policy: 'none' })).toBeNull();
  });
});

describe('an entry of the ledger', () => {
  const ACTOR = '1c5f7c53-6d22-4a26-9a3b-0f4f5a3d2b10';
  const line = {
    ...{ at: at(1), machine: 'grant', event: 'e', fromState: 'f', toState: 't', reason: null, generation: null },
    ...{ grantId: null, interactionId: null, sessionId: null, signingKeyId: null, clientId: null, userId: null },
    ...{ policy: null, scopeWithheld: null, actor: null, addressHash: null, fields: null, address: null },
    ...{ accountHash: null, begunSessionId: null, userAgent: null },
  };
  const known = {
    places: new Map([['192.0.2.1', { city: null, country: 'Austria' }]]),
    users: new Map([
      ['u', { sub: 'imported', username: 'ursula' }],
      [ACTOR, { sub: ACTOR, username: 'olga' }],
    ]),
    clients: new Map([['shop', 'The shop']]),
  };
  const shown = (change: object = {}) => lineDocument({ ...line, ...change } as never, known);
  it('is shown with null for each member without a value', () => {
    const { at: instant, machine, event, from, to, ...others } = shown();
    expect([instant, machine, event, from, to]).toEqual([iso(1), 'grant', 'e', 'f', 't']);
    expect(Object.values(others)).toEqual(Array(22).fill(null));
  });
  it.each([
    [{ generation: 0n }, { generation: 0 }],
    [{ address: '192.0.2.1' }, { address: '192.0.2.1', place: { city: null, country: 'Austria' } }],
    [{ address: '192.0.2.2' }, { address: '192.0.2.2', place: null }],
    [{ generation: 7n }, { generation: 7 }],
    [{ userId: 'u' }, { sub: 'imported', username: 'ursula' }],
    [{ userId: 'v' }, { sub: 'v', username: null }],
    [{ actor: `operator ${ACTOR}` }, { actor: `operator ${ACTOR}`, actor_sub: ACTOR, actor_username: 'olga' }],
    [{ actor: 'operator u' }, { actor_sub: 'imported', actor_username: 'ursula' }],
    [{ actor: `end_user ${ACTOR}` }, { actor_username: 'olga' }],
    [{ actor: `client ${ACTOR}` }, { actor_sub: null, actor_username: null }],
    [{ actor: 'operator gone' }, { actor_sub: 'gone', actor_username: null }],
    [{ actor: 'command_line' }, { actor_sub: null, actor_username: null }],
    [{ clientId: 'shop' }, { client_id: 'shop', client_name: 'The shop' }],
    [{ clientId: 'other' }, { client_id: 'other', client_name: null }],
    [
      { reason: 'r', grantId: 'g', sessionId: 's' },
      { reason: 'r', grant_id: 'g', session_id: 's' },
    ],
    [
      { fields: ['a'], accountHash: 'h', begunSessionId: 'b' },
      { fields: ['a'], account_hash: 'h', begun_session_id: 'b' },
    ],
    [
      { interactionId: 'i', signingKeyId: 'k' },
      { interaction_id: 'i', signing_key_id: 'k' },
    ],
    [
      { scopeWithheld: 's', addressHash: 'x', userAgent: 'y' },
      { scope_withheld: 's', address_hash: 'x', user_agent: 'y' },
    ],
  ])('is shown with each value: %#', (change, expected) => {
    expect(shown(change)).toMatchObject(expected);
  });
});

describe('the filters of lists', () => {
  const hash = `01234567.${'x'.repeat(22)}`;
  it.each<
    [string, { readonly query?: { safeParse: (query: object) => { success: boolean } } | undefined }, object, boolean]
  >([
    ['transitions', transitions.methods.GET, {}, true],
    ['transitions', transitions.methods.GET, { machine: 'x'.repeat(64) }, true],
    ['transitions', transitions.methods.GET, { machine: 'x'.repeat(65) }, false],
    ['transitions', transitions.methods.GET, { machine: '' }, false],
    ['transitions', transitions.methods.GET, { event: 'a-b' }, false],
    ['transitions', transitions.methods.GET, { event: 'aB_' }, true],
    ['transitions', transitions.methods.GET, { reason: 'a b' }, false],
    ['transitions', transitions.methods.GET, { order: 'asc' }, true],
    ['transitions', transitions.methods.GET, { order: 'desc' }, true],
    ['transitions', transitions.methods.GET, { order: 'up' }, false],
    ['transitions', transitions.methods.GET, { account_hash: hash }, true],
    ['transitions', transitions.methods.GET, { account_hash: hash.slice(1) }, false],
    ['transitions', transitions.methods.GET, { account_hash: `${hash}x` }, false],
    ['transitions', transitions.methods.GET, { account_hash: `x${hash}` }, false],
    ['transitions', transitions.methods.GET, { account_hash: hash.replace('.', 'x') }, false],
    ['transitions', transitions.methods.GET, { address: 'x'.repeat(64) }, true],
    ['transitions', transitions.methods.GET, { address: 'x'.repeat(65) }, false],
    ['transitions', transitions.methods.GET, { address: 'a\0' }, false],
    ['transitions', transitions.methods.GET, { grant_id: 'x' }, false],
    ['transitions', transitions.methods.GET, { other: 'x' }, false],
    ['grants', grants.methods.GET, { state: 'active' }, true],
    ['grants', grants.methods.GET, { state: 'ended' }, true],
    ['grants', grants.methods.GET, { state: 'revoked' }, false],
    ['grants', grants.methods.GET, { from: iso(0), to: iso(1) }, true],
    ['grants', grants.methods.GET, { from: 'today' }, false],
    ['grants', grants.methods.GET, { client_id: 'é' }, false],
    ['sessions', sessions.methods.GET, { state: 'active', sub: 'x' }, true],
    ['sessions', sessions.methods.GET, { state: 'ended' }, true],
    ['sessions', sessions.methods.GET, { state: 'awaiting' }, false],
    ['sessions', sessions.methods.GET, { sub: 'a b' }, false],
    ['deliveries', webhookDeliveries.methods.GET, { state: 'pending' }, true],
    ['deliveries', webhookDeliveries.methods.GET, { state: 'delivered' }, true],
    ['deliveries', webhookDeliveries.methods.GET, { state: 'abandoned' }, true],
    ['deliveries', webhookDeliveries.methods.GET, { state: 'sent' }, false],
    ['deliveries', webhookDeliveries.methods.GET, { receiver: 'x'.repeat(40) }, true],
    ['deliveries', webhookDeliveries.methods.GET, { receiver: 'x'.repeat(41) }, false],
    ['deliveries', webhookDeliveries.methods.GET, { receiver: '' }, false],
    ['deliveries', webhookDeliveries.methods.GET, { receiver: '\ud800' }, false],
  ])('of %s', (_, { query }, given, isGood) => {
    expect(query?.safeParse(given).success, JSON.stringify(given)).toBe(isGood);
  });
});

describe('a delivery', () => {
  const delivery = {
    ...{ id: ID, receiver: 'crm', eventId: 'e', eventType: 'session.ended', userId: null, data: { a: 'b' } },
    ...{ occurredAt: at(0), state: 'pending' as const, attempts: 2, nextAttemptAt: at(3), givesUpAt: at(4) },
    ...{ createdAt: at(1), endedAt: null, abandonedReason: null, lastOutcome: null },
  } as const;
  it('is shown with its next attempt', () => {
    const document = deliveryDocument(ISSUER, delivery);
    expect(document).toEqual({
      ...{ delivery_id: ID, receiver: 'crm', event_id: 'evt_e', event_type: 'session.ended', occurred_at: iso(0) },
      ...{ data: { a: 'b' }, state: 'pending', reason: null, attempts: 2, last_outcome: null },
      ...{ next_attempt_at: iso(3), gives_up_at: iso(4), created_at: iso(1), ended_at: null },
      _links: {
        self: href(`/webhook-deliveries/${ID}`),
        repetitions: href(`/webhook-deliveries/${ID}/repetitions`),
        attempts: href(`/webhook-deliveries/${ID}/attempts`),
      },
    });
    expect(deliveryShape.parse(document)).toEqual(document);
    const ended = { ...delivery, nextAttemptAt: null, endedAt: at(9) };
    expect(deliveryDocument(ISSUER, ended)).toMatchObject({ next_attempt_at: null, ended_at: iso(9) });
  });

  it('goes to a receiver, whose address is shown without its query', () => {
    const [crm] = webhooksFile([{ name: 'crm', url: 'https://crm.example.com/hooks?key=secret' }]).receivers;
    if (!crm) throw new Error('no receiver');
    const document = (oldestAt: Date | null) =>
      receiverDocument(ISSUER, crm, { backlog: { pending: 3, oldestAt }, abandoned: 2, pausedAt: oldestAt });
    expect(document(at(5))).toMatchObject({
      ...{ name: 'crm', url: 'https://crm.example.com/hooks', pending: 3, oldest_pending_at: iso(5) },
      ...{ abandoned: 2, paused_at: iso(5) },
      events: crm.events,
      _links: {
        self: href('/webhook-receivers/crm'),
        deliveries: href('/webhook-deliveries?receiver=crm'),
        tests: href('/webhook-receivers/crm/tests'),
        pause: href('/webhook-receivers/crm/pause'),
        redeliveries: href('/webhook-receivers/crm/redeliveries'),
      },
    });
    expect(document(null)).toMatchObject({ oldest_pending_at: null, paused_at: null });
  });
});

describe('the factors and links of an end-user', () => {
  it('are shown without what proves them', () => {
    const passkey = {
      ...{
        id: ID,
        userId: 'u',
        state: 'active' as const,
        name: 'a phone',
        credentialId: Buffer.from('c'),
        publicKey: null,
      },
      ...{ counter: 0, backupEligible: true, transports: [], createdAt: at(1), lastUsedAt: null, removedAt: null },
    } as const;
    const shown = passkeyDocument(ISSUER, passkey);
    expect(shown).toEqual({
      ...{ id: ID, name: 'a phone', synced: true, second_factor_only: false, added_at: iso(1), last_used_at: null },
      _links: { self: href(`/users/u/passkeys/${ID}`), user: href('/users/u') },
    });
    expect(passkeyOfUser.methods.GET.answer?.parse(shown)).toEqual(shown);
    expect(passkeyDocument(ISSUER, { ...passkey, lastUsedAt: at(2) })).toMatchObject({ last_used_at: iso(2) });
  });

  it('have the name of the provider', () => {
    const identity = {
      ...{ id: ID, userId: 'u', issuer: 'https://login.example', subject: 's', provider: 'company' },
      ...{ linkedAt: at(1), state: 'active' as const, removedAt: null, removedReason: null },
    } as const;
    const shown = identityDocument(ISSUER, identity);
    expect(shown).toEqual({
      ...{ id: ID, provider: 'company', issuer: 'https://login.example', subject: 's', linked_at: iso(1) },
      _links: { self: href(`/users/u/linked-identities/${ID}`), user: href('/users/u') },
    });
    expect(linkedIdentity.methods.GET.answer?.parse(shown)).toEqual(shown);
  });

  it('begin with an invitation', () => {
    const invitation = { id: ID, address: 'a@b', createdAt: at(1), endsAt: at(2), sentBy: 'operator u' };
    expect(invitationDocument(ISSUER, invitation)).toEqual({
      ...{ invitation_id: ID, email: 'a@b', invited_by: 'operator u', created_at: iso(1), ends_at: iso(2) },
      _links: { self: href(`/invitations/${ID}`) },
    });
  });
});

it('a machine has the rows of each state, and its own arms', () => {
  const arm = (machine: string) => ({ machine, event: 'e', from: 'f', to: 't', reason: 'r', times: 3 });
  const states = [{ machine: 'grant', states: { active: 5 }, exact: false }];
  const document = machineDocument(ISSUER, 'grant', { states, arms: [arm('grant'), arm('session')] });
  expect(document).toMatchObject({
    name: 'grant',
    exact: false,
    arms: [{ event: 'e', from: 'f', to: 't', reason: 'r', last_5_minutes: 3 }],
    _links: { self: href('/machines/grant'), picture: href('/machines/grant/picture') },
  });
  expect(document.states).toContainEqual({ name: 'active', rows: 5 });
  expect(document.states.filter(({ rows }) => rows !== 0)).toHaveLength(1);
  expect(machineDocument(ISSUER, 'session', { states, arms: [] })).toMatchObject({ exact: true, arms: [] });
  expect(machineDocument(ISSUER, 'none', { states, arms: [] })).toMatchObject({ states: [] });
});

describe('the actor', () => {
  const deps = { keys: testKeys, commandLineClient: 'the commands' };
  const who = (kind: 'client' | 'operator', id: string, address = '192.0.2.1') =>
    actorOf(deps, { kind, id, username: null, scopes: [] }, address);
  it.each([
    ['client', 'bot', { kind: 'client', id: 'bot' }],
    ['operator', 'olga', { kind: 'operator', id: 'olga' }],
    ['client', 'the commands', { kind: 'command_line' }],
    ['operator', 'the commands', { kind: 'operator', id: 'the commands' }],
  ] as const)('%s %s is %j', (kind, id, expected) => {
    expect(who(kind, id)).toMatchObject(expected);
  });

  it('has a keyed hash of the address, and not the address', () => {
    const hash = who('client', 'bot').addressHash;
    expect(hash).toMatch(/^[\w-]{22}$/);
    expect(who('client', 'other').addressHash).toBe(hash);
    expect(who('client', 'bot', '192.0.2.2').addressHash).not.toBe(hash);
  });
});

it('an owner gets a notice at the time of the clock', async () => {
  const sent: unknown[] = [];
  const user = { id: 'u', username: 'ada', deletedAt: null, claims: { email: 'a@b', email_verified: true } };
  const mails = {
    issuer: ISSUER,
    accounts: { find: async () => user },
    outbox: { later: (work: () => Promise<unknown>) => work(), send: async (mail: unknown) => sent.push(mail) > 0 },
  } as never;
  await tellOwner({ mails, clock: { fixedNow: () => at(5) } as never }, 'u', 'passkey_removed');
  expect(sent).toMatchObject([{ to: 'a@b', languages: [], content: { kind: 'passkey_removed', at: at(5) } }]);
  await tellOwner({ mails: null, clock: { fixedNow: () => null } as never }, 'u', 'passkey_removed');
  expect(sent).toHaveLength(1);
});

it('a page about a problem names it, and no other text is a problem', () => {
  const { text, type, contentSecurityPolicy } = problemPage('not_found', `${BASE}/reference`);
  expect(type).toBe('text/html; charset=utf-8');
  for (const part of ['<h1>Not found</h1>', 'Status 404, <code>not_found</code>', `href="${BASE}/reference"`])
    expect(text.replaceAll('&#61;', '=')).toContain(part);
  expect(contentSecurityPolicy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; /);
  expect(['not_found', 'toString', 'Not_found', ''].map(isProblemReason)).toEqual([true, false, false, false]);
});
