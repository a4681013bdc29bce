/** The life of an interaction over a store in memory: the answer to each event, and the commit. */
import { describe, expect, test } from 'vitest';
import type { InteractionEvent, InteractionState } from '../../../machines/interaction/facts.ts';
import type { Effect } from '../../../machines/unions.ts';
import { InvariantViolation, StoreUnavailable } from '../../../src/engine/errors.ts';
import { run } from '../../../src/engine/run.ts';
import {
  begunInteraction,
  type InteractionCommit,
  type InteractionPorts,
  type InteractionReference,
  interactFrom,
  interactionLifecycle,
  interactionRequest,
  type LoadedInteraction,
  type StoredInteraction,
} from '../../../src/lifecycles/interaction/lifecycle.ts';
import type { Interaction } from '../../../src/model/interaction.ts';
import type { Session } from '../../../src/model/session.ts';
import { CHALLENGE, CLIENT, LIFETIMES, machineAnswering, NOW, REDIRECT_URI, seconds } from './given.ts';

const WAITS: Interaction = {
  id: '22222222-2222-4222-8222-222222222222',
  state: 'awaitingSignIn',
  browserHash: new Uint8Array(32),
  clientId: CLIENT.clientId,
  clientEpoch: CLIENT.epoch,
  redirectUri: REDIRECT_URI,
  dpopJkt: null,
  codeChallenge: CHALLENGE,
  scope: ['read', 'write'],
  resources: ['https://api.example'],
  requestState: null,
  nonce: 'once',
  prompt: [],
  maxAgeSeconds: null,
  requiredClass: null,
  hintedUserId: null,
  loginHint: null,
  uiLocales: [],
  responseMode: 'query',
  userId: null,
  createdAt: NOW,
  endsAt: seconds(600),
};
const ASKED: Interaction = { ...WAITS, state: 'awaitingConsent', userId: 'mira' };

const MIRA: Session = {
  idHash: new Uint8Array(32),
  sid: 'public-name',
  userId: 'mira',
  username: 'mira',
  userEpoch: 1n,
  serverEpoch: 1n,
  signedInAt: new Date(NOW.getTime() + 999),
  lastUsedAt: NOW,
  endsAt: seconds(1000),
  state: 'active',
  endedReason: null,
  amr: ['pwd'],
  userAgent: null,
  liveUserEpoch: 1n,
  liveServerEpoch: 1n,
};
const NOAH: Session = { ...MIRA, userId: 'noah' };

const CODE = `code of ${WAITS.id}`;
const CODE_HASH = new Uint8Array(32).fill(7);
const OF_THIS_GRANT = {
  id: WAITS.id,
  userId: 'mira',
  codeHash: CODE_HASH,
  codeIsUnused: true,
  codeEndsAt: seconds(60),
};

type Given = {
  readonly loaded?: Partial<StoredInteraction>;
  readonly policy?: Partial<InteractionPorts>;
  /** Of the commits, in order; the last repeats. */
  readonly fates?: readonly (boolean | 'lost')[];
  /** The results of the loads after the first, in order; the last repeats. */
  readonly reloads?: readonly (Partial<StoredInteraction> | null)[];
};

function bench(interaction: Interaction, { loaded = {}, policy = {}, fates = [true], reloads = [{}] }: Given = {}) {
  const first: StoredInteraction = {
    now: NOW,
    interaction,
    isStored: interaction.state !== 'awaitingSignIn',
    client: CLIENT,
    remembered: null,
    grant: null,
    ...loaded,
  };
  const commits: InteractionCommit[] = [];
  const loads: [InteractionReference, string | null][] = [];
  const ports: InteractionPorts = {
    store: {
      load: async (reference, userId) => {
        const change = reloads[Math.min(loads.length, reloads.length - 1)];
        loads.push([reference, userId]);
        return change ? { ...first, ...change } : null;
      },
      commit: async (commit) => {
        const fate = fates[Math.min(commits.length, fates.length - 1)];
        commits.push(commit);
        if (fate === 'lost') throw new StoreUnavailable(true);
        return fate ?? true;
      },
    },
    sessionNow: async (session) => session,
    sleep: async () => {},
    makeCode: (grantId) => ({ code: `code of ${grantId}`, secretHash: CODE_HASH }),
    remakeCode: (grantId, hash) => (hash === CODE_HASH ? `code of ${grantId}` : null),
    lifetimesOf: () => LIFETIMES,
    sessionEndsAt: () => seconds(1000).getTime(),
    isStillRegistered: () => true,
    grantableBy: (_, { scope }) => scope,
    levelOf: () => 0,
    requiredLevelOf: () => 0,
    ...policy,
  };
  const ask = (type: InteractionEvent['type'], session: Session | null = MIRA) =>
    interactFrom(ports, first, type, session);
  return { first, ports, commits, loads, ask };
}

const line = (event: string, from: InteractionState, to: InteractionState, reason: string | null = null) => ({
  machine: 'interaction',
  event,
  from,
  to,
  reason,
  generation: null,
});

describe('an authorization request', () => {
  const { state: _, userId: __, createdAt: ___, endsAt: ____, ...requested } = WAITS;
  const asked = { ...requested, resources: ['https://a.example', 'https://b.example'], lifetimeSeconds: 90 };
  const of = (...resources: string[]) => ({ scope: resources, resources, grantedAt: NOW });

  test('begins now, and lasts as long as the policy says', () => {
    expect(begunInteraction(asked, { now: NOW, client: CLIENT, remembered: [] }, null)).toEqual({
      now: NOW,
      interaction: { ...requested, ...asked, ...{ lifetimeSeconds: undefined }, ...WAITING, endsAt: seconds(90) },
      isStored: false,
      client: CLIENT,
      remembered: null,
      grant: null,
    });
  });
  const WAITING = { state: 'awaitingSignIn', userId: null, createdAt: NOW };

  test('remembers the consent for the same resources, and only for a signed-in end-user', () => {
    const same = of('https://a.example', 'https://b.example');
    const others = [
      of('https://a.example'),
      of('https://a.example', 'https://c.example'),
      of(...same.resources, 'more'),
    ];
    const rememberedOf = (remembered: ReturnType<typeof of>[], session: Session | null = MIRA) =>
      begunInteraction(asked, { now: NOW, client: CLIENT, remembered }, session).remembered;
    expect(rememberedOf([...others, same])).toBe(same);
    expect(rememberedOf(others)).toBeNull();
    expect(rememberedOf([same], null)).toBeNull();
  });
});

describe('a step that makes no grant', () => {
  test.each([
    ['requested', WAITS, MIRA, 'consent', 'awaitingConsent', 'mira'],
    ['signedIn', WAITS, MIRA, 'consent', 'awaitingConsent', 'mira'],
    ['signedIn', ASKED, NOAH, 'consent', 'awaitingConsent', 'noah'],
    ['accountChosen', WAITS, MIRA, 'consent', 'awaitingConsent', 'mira'],
    ['refused', ASKED, MIRA, 'denied', 'denied', 'mira'],
  ] as const)(
    '%s: is committed with its entry and its end-user',
    async (event, interaction, session, kind, to, userId) => {
      const { ask, commits } = bench(interaction);
      const isStored = interaction === ASKED;
      expect(await ask(event, session)).toMatchObject({ kind, interaction, isStored: true, client: CLIENT });
      const entry = line(event, interaction.state, to);
      const move = { loaded: interaction, isStored, now: NOW, to, userId, entry };
      expect(commits).toEqual([{ kind: 'move', move }]);
    },
  );

  test.each([
    ['requested', WAITS, null, 'signIn', { account: null }],
    ['requested', { ...WAITS, prompt: ['select_account'] }, MIRA, 'signIn', { account: MIRA }],
    ['requested', { ...WAITS, prompt: ['none'] }, null, 'denied', { error: 'login_required' }],
    ['requested', { ...WAITS, prompt: ['none'] }, MIRA, 'denied', { error: 'consent_required' }],
    ['requested', { ...WAITS, maxAgeSeconds: 1 }, { ...MIRA, signedInAt: seconds(-1) }, 'signIn', {}],
    ['requested', { ...WAITS, hintedUserId: 'noah' }, MIRA, 'signIn', {}],
    ['viewed', WAITS, null, 'signIn', { account: null }],
    ['viewed', { ...WAITS, prompt: ['select_account'] }, MIRA, 'signIn', { account: MIRA }],
    ['viewed', ASKED, MIRA, 'consent', {}],
    ['switchRequested', ASKED, MIRA, 'signIn', { account: null }],
    ['signedIn', WAITS, null, 'rejected', { reason: 'sign_in_required' }],
    ['consented', WAITS, MIRA, 'rejected', { reason: 'sign_in_required' }],
    ['consented', ASKED, NOAH, 'rejected', { reason: 'user_changed' }],
    ['requested', { ...WAITS, maxAgeSeconds: 1, prompt: ['select_account'] }, MIRA, 'signIn', { account: MIRA }],
    ['consented', { ...ASKED, state: 'approved' }, null, 'rejected', { reason: 'user_changed' }],
    ['consented', ASKED, null, 'rejected', { reason: 'user_changed' }],
    ['consented', { ...ASKED, endsAt: NOW }, MIRA, 'rejected', { reason: 'interaction_expired' }],
    ['consented', { ...ASKED, state: 'denied' }, MIRA, 'rejected', { reason: 'interaction_completed' }],
    ['refused', { ...ASKED, state: 'denied' }, MIRA, 'denied', { error: 'access_denied' }],
  ] as const)('%s of %o by %o gets %s %o, and commits nothing', async (event, interaction, session, kind, more) => {
    const { ask, commits, first } = bench(interaction);
    const { isStored } = first;
    expect(await ask(event, session)).toEqual({
      ...{ interaction, isStored, client: CLIENT, kind },
      ...more,
      ...(kind === 'signIn' && !('account' in more) && { account: null }),
    });
    expect(commits).toEqual([]);
  });

  test('another end-user than the client named is rejected, by redirect to the client', async () => {
    const { ask, commits } = bench({ ...WAITS, hintedUserId: 'noah' });
    expect(await ask('signedIn')).toMatchObject({ kind: 'denied', error: 'login_required' });
    expect(commits).toMatchObject([{ kind: 'move', move: { to: 'denied', userId: 'mira' } }]);
  });

  test.each([
    ['was deleted', { loaded: { client: { ...CLIENT, deletedAt: NOW } } }],
    ['was deleted and registered again', { loaded: { client: { ...CLIENT, epoch: 1n } } }],
    ['lost the redirect URI', { policy: { isStillRegistered: () => false } }],
  ])('a client that %s gets no code', async (_, given) => {
    const { ask, commits } = bench(ASKED, given);
    expect(await ask('consented')).toMatchObject({ kind: 'rejected', reason: 'client_ended' });
    expect(commits).toEqual([]);
  });
});

describe('an approval', () => {
  const approval = {
    loaded: ASKED,
    isStored: true,
    now: NOW,
    to: 'approved',
    userId: 'mira',
    entry: line('consented', 'awaitingConsent', 'approved'),
    session: MIRA,
    endsAt: ASKED.endsAt,
    scope: ASKED.scope,
    codeHash: CODE_HASH,
    codeEndsAt: seconds(LIFETIMES.authorizationCodeLifetimeSeconds),
    policy: LIFETIMES.name,
    reliesOn: null,
    remembers: true,
    consentsEndedUpTo: null,
    consentRow: null,
    grantAlone: false,
    identity: { nonce: 'once', authTime: NOW.getTime() / 1000, sid: 'public-name', amr: ['pwd'] },
  };
  const REMEMBERED = { scope: WAITS.scope, resources: WAITS.resources, grantedAt: seconds(-3600) };

  test('makes the grant with its code, and remembers the consent', async () => {
    const { ask, commits } = bench(ASKED);
    const outcome = { kind: 'approved', code: CODE, interaction: ASKED, isStored: true, client: CLIENT };
    expect(await ask('consented')).toEqual(outcome);
    expect(commits).toEqual([{ kind: 'approve', approval }]);
  });

  test('widens the consent as it was loaded, and no other', async () => {
    const consentRow = { id: 'a consent', macVersion: 3n };
    const { ask, commits } = bench(ASKED, { loaded: { consentRow } });
    await ask('consented');
    expect(commits).toEqual([{ kind: 'approve', approval: { ...approval, consentRow } }]);
  });

  test('ends with its session, if that ends first', async () => {
    const { ask, commits } = bench(ASKED, { policy: { sessionEndsAt: () => seconds(599).getTime() } });
    await ask('consented');
    expect(commits).toMatchObject([{ approval: { endsAt: seconds(599) } }]);
  });

  test.each([
    ['of a public client at a custom scheme', 'none', 'com.example.app:/callback', false],
    ['of a public client at http', 'none', 'http://127.0.0.1/callback', false],
    ['of a confidential client at a custom scheme', 'client_secret_basic', 'com.example.app:/callback', true],
  ] as const)(
    '%s is remembered only where no other app can pose as it',
    async (_, tokenEndpointAuthMethod, redirectUri, remembers) => {
      const client = { ...CLIENT, tokenEndpointAuthMethod };
      const { ask, commits } = bench({ ...ASKED, redirectUri }, { loaded: { client } });
      await ask('consented');
      expect(commits).toMatchObject([{ kind: 'approve', approval: { remembers } }]);
      const again = bench({ ...WAITS, redirectUri }, { loaded: { client, remembered: REMEMBERED } });
      expect(await again.ask('requested')).toMatchObject({ kind: remembers ? 'approved' : 'consent' });
    },
  );

  test.each([
    ['requested', true],
    ['signedIn', false],
    ['accountChosen', false],
  ] as const)(
    'of a remembered consent, %s: relies on that consent, is not remembered again, and stores its grant alone: %s',
    async (event, grantAlone) => {
      const { ask, commits } = bench(WAITS, { loaded: { remembered: REMEMBERED } });
      expect(await ask(event)).toMatchObject({ kind: 'approved', isStored: !grantAlone });
      const entry = line(event, 'awaitingSignIn', 'approved');
      const relied = { ...approval, loaded: WAITS, isStored: false, entry, reliesOn: 'consent', remembers: false };
      expect(commits).toEqual([{ kind: 'approve', approval: { ...relied, grantAlone } }]);
    },
  );

  test('of a client of the team stores its grant alone', async () => {
    const { ask, commits } = bench(WAITS, { loaded: { client: { ...CLIENT, consent: 'skip' } } });
    expect(await ask('requested')).toMatchObject({ kind: 'approved', isStored: false });
    expect(commits).toMatchObject([{ approval: { reliesOn: 'registration', grantAlone: true } }]);
  });

  test('of a remembered consent ends with its lifetime: then the page is shown, and the new consent stands alone', async () => {
    const policy = { lifetimesOf: () => ({ ...LIFETIMES, consentLifetimeSeconds: 3600 }) };
    const inTime = { ...REMEMBERED, grantedAt: new Date(seconds(-3600).getTime() + 1) };
    const relied = bench(WAITS, { policy, loaded: { remembered: inTime } });
    expect(await relied.ask('requested')).toMatchObject({ kind: 'approved' });
    // It has to be committed in time, too.
    expect(relied.commits).toMatchObject([{ approval: { endsAt: new Date(NOW.getTime() + 1) } }]);
    const ended = bench(WAITS, { policy, loaded: { remembered: REMEMBERED } });
    expect(await ended.ask('requested')).toMatchObject({ kind: 'consent' });
    const { ask, commits } = bench(ASKED, { policy, loaded: { remembered: REMEMBERED } });
    await ask('consented');
    expect(commits).toMatchObject([{ approval: { remembers: true, consentsEndedUpTo: seconds(-3600) } }]);
  });

  test('grants, remembers and relies on what the end-user may grant, and not on what requires a role', async () => {
    const asked = ['read', 'administer'];
    const policy = {
      grantableBy: (_: Session, { scope }: Interaction) => scope.filter((name) => name !== 'administer'),
    };
    const { ask, commits } = bench({ ...ASKED, scope: asked }, { policy });
    await ask('consented');
    const loaded = { remembered: { ...REMEMBERED, scope: ['read'] } };
    const again = bench({ ...WAITS, scope: asked }, { policy, loaded });
    await again.ask('requested');
    expect([...commits, ...again.commits]).toMatchObject([
      { approval: { scope: ['read'], remembers: true } },
      { approval: { scope: ['read'], reliesOn: 'consent' } },
    ]);
  });

  test('with only scopes that require a role is rejected, immediately where no row is stored yet', async () => {
    const policy = { grantableBy: () => [] };
    const denied = { kind: 'denied', error: 'access_denied' };
    const first = bench(WAITS, { policy });
    expect(await first.ask('requested')).toMatchObject({ ...denied, isStored: false });
    expect(first.commits).toEqual([]);
    // Without a session no role is looked up.
    expect(await bench(WAITS, { policy }).ask('requested', null)).toMatchObject({ kind: 'signIn' });
    const then = bench(ASKED, { policy });
    expect(await then.ask('consented')).toMatchObject({ ...denied, isStored: true });
    expect(then.commits).toMatchObject([{ kind: 'move', move: { to: 'denied' } }]);
  });

  test('of openid says when the end-user signed in, in whole seconds, and repeats the nonce', async () => {
    const interaction = { ...ASKED, scope: ['openid', 'read'] };
    const { ask, commits } = bench(interaction);
    await ask('consented');
    const identity = { nonce: 'once', authTime: NOW.getTime() / 1000, sid: 'public-name', amr: ['pwd'] };
    expect(commits).toMatchObject([{ approval: { identity } }]);
  });

  test.each<[string, InteractionState, readonly Effect[], Session | null]>([
    ['approves without an end-user', 'approved', [{ type: 'issueCode' }], null],
    ['approves and says otherwise', 'awaitingConsent', [{ type: 'issueCode' }], MIRA],
    ['says approved and makes no code', 'approved', [{ type: 'askConsent' }], MIRA],
    ['answers nothing', 'awaitingConsent', [], MIRA],
    ['answers twice', 'awaitingConsent', [{ type: 'showConsent' }, { type: 'askSignIn' }], MIRA],
  ])('of a wrong machine that %s is not executed', async (_, to, effects, session) => {
    for (const event of [
      'requested',
      'viewed',
      'switchRequested',
      'signedIn',
      'accountChosen',
      'consented',
      'refused',
    ] as const) {
      const machine = machineAnswering(['awaitingConsent', 'approved'], event, to, effects);
      const { ports, first, commits } = bench(ASKED);
      const request = { ...interactionRequest(ports, event), lifecycle: { ...interactionLifecycle, machine } };
      const loaded: LoadedInteraction = { ...first, session, factorIsAwaited: false };
      const { commit } = ports.store;
      const answer = run({ load: async () => loaded, commit, sleep: ports.sleep }, request);
      await expect(answer).rejects.toThrow(InvariantViolation);
      expect(commits).toEqual([]);
    }
  });
});

test('the mistake of a wrong machine is named', async () => {
  const machine = machineAnswering(['awaitingConsent', 'approved'], 'consented', 'approved', [{ type: 'issueCode' }]);
  const { ports, first } = bench(ASKED);
  const request = {
    ...interactionRequest(ports, 'consented'),
    lifecycle: { ...interactionLifecycle, machine },
  };
  const load = async (): Promise<LoadedInteraction> => ({ ...first, session: null, factorIsAwaited: false });
  const answer = run({ load, commit: ports.store.commit, sleep: ports.sleep }, request);
  await expect(answer).rejects.toThrow('an approval without an end-user');
});

test('a change without a ledger entry is not committed', async () => {
  const { ports, first } = bench(ASKED);
  const { row, facts } = interactionRequest(ports, 'refused').read({
    ...first,
    session: MIRA,
    factorIsAwaited: false,
  });
  const step = { before: row, after: row, decisions: [], entries: [] };
  const commit = () => interactionLifecycle.commitOf(step, facts, []);
  expect(commit).toThrow(InvariantViolation);
  expect(commit).toThrow('without a line in the ledger');
});

describe('an approved interaction', () => {
  const approved: Interaction = { ...ASKED, state: 'approved' };

  test.each([
    ['while its code can be exchanged, is answered with the same code', {}, { kind: 'approved', code: CODE }],
    [
      'after its code was used, is over',
      { codeIsUnused: false },
      { kind: 'rejected', reason: 'interaction_completed' },
    ],
    ['after its code has ended, is over', { codeEndsAt: NOW }, { kind: 'rejected', reason: 'interaction_completed' }],
    [
      'after the root secret was dropped, is over',
      { codeHash: new Uint8Array(32) },
      { kind: 'rejected', reason: 'interaction_completed' },
    ],
  ])('and is sent again %s', async (_, change, outcome) => {
    const { ask, commits } = bench(approved, { loaded: { grant: { ...OF_THIS_GRANT, ...change } } });
    expect(await ask('consented')).toEqual({ ...outcome, interaction: approved, isStored: true, client: CLIENT });
    expect(commits).toEqual([]);
  });

  test('has a grant: a row without one has expired', async () => {
    const { ask } = bench(approved);
    expect(await ask('consented')).toMatchObject({ kind: 'rejected', reason: 'interaction_completed' });
  });
});

describe('a commit whose answer was lost', () => {
  const found = { interaction: { ...ASKED, state: 'approved' } as const, isStored: true };

  test('is in the row when its grant is there: the same code', async () => {
    const { ask, commits } = bench(ASKED, { fates: ['lost'], reloads: [{ ...found, grant: OF_THIS_GRANT }] });
    expect(await ask('consented')).toMatchObject({ kind: 'approved', code: CODE });
    expect(commits).toHaveLength(1);
  });

  test('has ended when its code was used since, by the answer to another tab: no code is issued twice', async () => {
    const grant = { ...OF_THIS_GRANT, codeIsUnused: false };
    const { ask, commits } = bench(ASKED, { fates: ['lost'], reloads: [{ ...found, grant }] });
    expect(await ask('consented')).toMatchObject({ kind: 'rejected', reason: 'interaction_completed' });
    expect(commits).toHaveLength(1);
  });

  test('has ended when another end-user approved in another tab', async () => {
    const interaction = { ...found.interaction, userId: 'noah' };
    const { ask } = bench(ASKED, { fates: ['lost'], reloads: [{ ...found, interaction, grant: OF_THIS_GRANT }] });
    expect(await ask('consented')).toMatchObject({ kind: 'rejected', reason: 'user_changed' });
  });

  describe('of an approval without a page', () => {
    const loaded = { remembered: { scope: WAITS.scope, resources: WAITS.resources, grantedAt: seconds(-3600) } };
    const again = (grant: StoredInteraction['grant'], session = MIRA) =>
      bench(WAITS, { loaded, fates: ['lost'], reloads: [{ remembered: null, grant }] }).ask('requested', session);

    test('is in the grant, which stands for the interaction: the same code', async () => {
      expect(await again(OF_THIS_GRANT)).toMatchObject({ kind: 'approved', code: CODE, isStored: false });
    });

    test('has ended when its code was used since', async () => {
      const used = { ...OF_THIS_GRANT, codeIsUnused: false };
      expect(await again(used)).toMatchObject({ kind: 'rejected', reason: 'interaction_completed' });
    });

    test('is not for another end-user', async () => {
      expect(await again({ ...OF_THIS_GRANT, userId: 'noah' })).toMatchObject({ reason: 'user_changed' });
    });
  });

  test('is repeated when no grant is there', async () => {
    const { ask, commits } = bench(ASKED, { fates: ['lost', true] });
    expect(await ask('consented')).toMatchObject({ kind: 'approved', code: CODE });
    expect(commits).toHaveLength(2);
  });
});

describe('a commit that lost a race is decided again', () => {
  test.each([
    ['what the browser brought', WAITS, WAITS],
    ['nothing but the row', ASKED, null],
  ])('about %s', async (_, interaction, requested) => {
    const { ask, loads } = bench(interaction, { fates: [false, true] });
    await ask('signedIn');
    expect(loads).toEqual([[{ id: interaction.id, requested }, 'mira']]);
  });

  test('with the session as it is then', async () => {
    const { ask, commits } = bench(ASKED, { fates: [false, true], policy: { sessionNow: async () => null } });
    expect(await ask('consented')).toMatchObject({ kind: 'rejected', reason: 'user_changed' });
    expect(commits).toHaveLength(1);
  });

  test('and a missing row is a defect', async () => {
    const { ask } = bench(ASKED, { fates: [false], reloads: [null] });
    const answer = ask('consented');
    await expect(answer).rejects.toThrow(InvariantViolation);
    await expect(answer).rejects.toThrow('vanished');
  });
});
