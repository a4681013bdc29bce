/** The walk of clients that register themselves: registrations, sign-ins, changes and deletions at several nodes, with the right token and another. */
import type { AuthenticationStrength } from '../../../machines/client-registration/facts.ts';
import { BOUNDS } from '../../../machines/client-registration/guards.ts';
import type { Commit } from '../../engine/commit.ts';
import { hasSecret, provesKey, type RegisteredClient } from '../../model/client.ts';
import { askingFor, type DefinedInvariant, defineWalk, initialState } from '../../review/proof/define-walk.ts';
import { after } from '../../review/proof/instants.ts';
import { everythingIsAnswered } from '../../review/proof/invariants.ts';
import { runAlone, storedAfter } from '../../review/proof/moves.ts';
import type { SentRegistration } from '../client/lifecycle.ts';
import {
  changedVetted,
  clientIn,
  commitWithClients,
  registeredAs,
  type StoredClients,
  storedOnce,
  WEB,
} from '../client/walk/stored-clients.ts';
import type { StoredRegistration } from './entity.ts';
import {
  authorizeRegistered,
  changeRegistration,
  deleteRegistration,
  type LoadedClientRegistration,
  type RegistrationAnswer,
  readRegistration,
  registerItself,
  type SelfRegistrationRules,
} from './lifecycle.ts';

type Stored = StoredClients & {
  readonly clientRegistrations: readonly StoredRegistration[];
  /** Whether clients may register themselves now. */
  readonly isOn: boolean;
};

type Asked =
  | { readonly kind: 'register' | 'authorize'; readonly clientId: string }
  | { readonly kind: 'read' | 'delete'; readonly clientId: string; readonly token: Token }
  | { readonly kind: 'change'; readonly clientId: string; readonly token: Token; readonly to: keyof typeof METHODS };

type Terms = {
  readonly stored: Stored;
  readonly asked: Asked;
  readonly loaded: LoadedClientRegistration & { readonly isOn: boolean };
  readonly commit: Commit;
  readonly answer: RegistrationAnswer;
  readonly known: { readonly nothing: null };
};

const [OWN, ANOTHER] = ['a client', 'another client'] as const;
const CLIENTS = [OWN, ANOTHER];
const MOST_STORED = 1;
const day = BOUNDS.extendedEveryMilliseconds;
const UNUSED_SECONDS = (2 * day) / 1000;

/** Of each client, another. */
type Token = 'own' | 'of another client';
const tokenHashOf = (clientId: string): Uint8Array => new TextEncoder().encode(`token of ${clientId}`);
const presents =
  (clientId: string, token: Token) =>
  (hash: Uint8Array): boolean => {
    const presented = token === 'own' ? clientId : CLIENTS.find((one) => one !== clientId);
    return Buffer.from(hash).equals(Buffer.from(tokenHashOf(presented ?? '')));
  };

const METHODS = { nothing: 'none', 'a secret': 'client_secret_basic', 'a key': 'private_key_jwt' } as const;
const SECRET = { keyId: 'k', mac: '00' };

const sentBy = (clientId: string, method: keyof typeof METHODS): SentRegistration => ({
  ...WEB,
  clientId,
  tokenEndpointAuthMethod: METHODS[method],
  secretMacs: method === 'a secret' ? [SECRET] : [],
  jwksUri: method === 'a key' ? 'https://client.example/jwks' : null,
  declared: false,
  registeredBy: 'self',
});
const registered = (method: keyof typeof METHODS, change: Partial<RegisteredClient> = {}): RegisteredClient =>
  registeredAs(sentBy(OWN, method), change);

const rulesWhile = (isOn: boolean): SelfRegistrationRules =>
  isOn ? { mostStored: MOST_STORED, unusedSeconds: UNUSED_SECONDS } : null;

const registration = (change: Partial<StoredRegistration> = {}): StoredRegistration => ({
  clientId: OWN,
  state: 'unused',
  tokenHash: tokenHashOf(change.clientId ?? OWN),
  createdAt: after(-10),
  unusedUntil: after(UNUSED_SECONDS - 10),
  ...change,
});

const given = (
  says: string,
  registrations: readonly StoredRegistration[],
  clients: readonly RegisteredClient[],
  isOn = true,
) => initialState<Terms>(says, { clientRegistrations: registrations, ...storedOnce(clients), isOn }, { nothing: null });

const registrationIn = ({ clientRegistrations }: Stored, clientId: string): StoredRegistration | null =>
  clientRegistrations.find((one) => one.clientId === clientId) ?? null;

/** As the statements load them (src/storage/client-registrations.ts). */
const load = (stored: Stored, { clientId }: Asked, now: Date): Terms['loaded'] => ({
  now,
  clientId,
  registration: registrationIn(stored, clientId),
  ...clientIn(stored, clientId),
  othersStored: stored.clientRegistrations.filter((one) => one.clientId !== clientId).length,
  isOn: stored.isOn,
});

const TOKENS: readonly Token[] = ['own', 'of another client'];
const WAYS = Object.keys(METHODS) as (keyof typeof METHODS)[];
const requestsAt = (): readonly Asked[] => [
  ...CLIENTS.flatMap((clientId): readonly Asked[] => [
    { kind: 'register', clientId },
    { kind: 'authorize', clientId },
  ]),
  ...TOKENS.flatMap((token): readonly Asked[] => [
    { kind: 'read', clientId: OWN, token },
    { kind: 'delete', clientId: OWN, token },
    ...WAYS.map((to): Asked => ({ kind: 'change', clientId: OWN, token, to })),
  ]),
];

const strengthOf = (client: RegisteredClient): AuthenticationStrength =>
  provesKey(client) ? 2 : hasSecret(client) ? 1 : 0;

/** The client is stored, administers itself, and has not ended. Derived from the rows, not by the machine under test. */
function isTheirs(stored: Stored, clientId: string): boolean {
  const { client } = clientIn(stored, clientId);
  const found = registrationIn(stored, clientId);
  return found !== null && found.state !== 'ended' && client?.deletedAt === null && client.registeredBy === 'self';
}

const INVARIANTS: readonly DefinedInvariant<Terms>[] = [
  {
    name: 'only-the-own-token-manages',
    says: 'The registration access token of the client reads its metadata while the client stands, and no other token does.',
    spec: 'RFC 7592 §2.1',
    violationAt: (walk, modelState) => {
      const wrong = TOKENS.find((token) => {
        const ran = runAlone(walk, modelState, { kind: 'read', clientId: OWN, token });
        const isDone = ran.kind === 'answered' && ran.answer?.kind === 'done';
        return isDone !== (token === 'own' && isTheirs(modelState.stored, OWN));
      });
      return wrong === undefined ? null : `the token ${wrong} gets another answer`;
    },
  },
  {
    name: 'another-token-changes-nothing',
    says: 'A request with the token of another client changes no row.',
    spec: 'RFC 7592 §2.1',
    violationAt: (walk, modelState) => {
      const changing: readonly Asked[] = [
        { kind: 'delete', clientId: OWN, token: 'of another client' },
        { kind: 'change', clientId: OWN, token: 'of another client', to: 'a key' },
      ];
      const wrong = changing.find((asked) => {
        const next = storedAfter(walk, modelState, asked);
        return next !== null && next.writes !== modelState.stored.writes;
      });
      return wrong === undefined ? null : `a ${wrong.kind} with another token wrote rows`;
    },
  },
  {
    name: 'a-deletion-ends-grants-and-nothing-else-does',
    says: 'The epoch of a client rises, and the client is deleted, in the step in which its registration ends, and in no other.',
    spec: 'RFC 7592 §2.3',
    violation: (_, { stored }, { after: now }) => {
      const wrong = stored.clients.find((before) => {
        const { client } = clientIn(now.stored, before.clientId);
        if (client === null) return true;
        const hasEnded =
          registrationIn(stored, before.clientId)?.state !== 'ended' &&
          registrationIn(now.stored, before.clientId)?.state === 'ended';
        return hasEnded
          ? client.epoch !== before.epoch + 1n || client.deletedAt === null
          : client.epoch !== before.epoch || client.deletedAt !== before.deletedAt;
      });
      return wrong ? `${wrong.clientId} lost its grants, or kept them` : null;
    },
  },
  {
    name: 'an-ended-registration-stays-ended',
    says: 'No step brings back a registration that has ended, or its client.',
    spec: 'RFC 7592 §2.3',
    violation: (_, { stored }, { after: now }) => {
      const back = stored.clientRegistrations.find(
        ({ clientId, state }) =>
          state === 'ended' &&
          (registrationIn(now.stored, clientId)?.state !== 'ended' ||
            clientIn(now.stored, clientId).client?.deletedAt === null),
      );
      return back ? `${back.clientId} came back` : null;
    },
  },
  {
    name: 'vetted-clients-stay',
    says: 'No registration changes a client that an operator vouches for, or one that an administrator deleted.',
    spec: 'RFC 7592 §2.2',
    violation: (_, { stored }, { after: now }) => changedVetted(stored, now.stored),
  },
  {
    name: 'authentication-is-not-weakened',
    says: 'A client that has a secret or a key never loses it for a weaker method.',
    spec: 'RFC 7592 §2.2',
    violation: (_, { stored }, { after: now }) => {
      const weaker = stored.clients.find((before) => {
        const { client } = clientIn(now.stored, before.clientId);
        return client?.deletedAt === null && strengthOf(client) < strengthOf(before);
      });
      return weaker ? `${weaker.clientId} is weaker` : null;
    },
  },
  {
    name: 'nothing-registers-while-it-is-off',
    says: 'While the rules let no client register itself, no registration begins, and none changes its client.',
    spec: 'RFC 7591 §3',
    violation: (_, { stored }, { after: now }) => {
      if (stored.isOn) return null;
      if (now.stored.clientRegistrations.length > stored.clientRegistrations.length)
        return 'a client registered itself';
      const changed = now.stored.clients.find(
        (one) =>
          one.deletedAt === null &&
          stored.clients.some(({ clientId, version }) => clientId === one.clientId && version !== one.version),
      );
      return changed ? `${changed.clientId} was changed` : null;
    },
  },
  {
    name: 'a-sign-in-keeps-its-client',
    says: 'After a sign-in, the registration is used, and its end is as late as the rules say, within a day.',
    spec: 'RFC 7591 §3.2.1',
    violationAt: (walk, modelState) => {
      const { stored, now } = modelState;
      if (!stored.isOn || !isTheirs(stored, OWN)) return null;
      const next = storedAfter(walk, modelState, { kind: 'authorize', clientId: OWN }) ?? stored;
      const kept = registrationIn(next, OWN);
      const latest = now + UNUSED_SECONDS * 1000;
      return kept?.state === 'used' && kept.unusedUntil.getTime() > latest - day
        ? null
        : 'a sign-in does not keep the registration';
    },
  },
  {
    name: 'registrations-work',
    says: 'With room, a client registers itself, and its own token changes and deletes it: nothing above holds because nothing works.',
    spec: 'RFC 7591 §3.1, RFC 7592 §2',
    violationAt: (walk, modelState) => {
      const { stored } = modelState;
      const after = (asked: Asked) => storedAfter(walk, modelState, asked);
      if (stored.isOn && stored.clientRegistrations.length < MOST_STORED && clientIn(stored, OWN).client === null) {
        const next = after({ kind: 'register', clientId: OWN });
        if (next === null || !isTheirs(next, OWN)) return 'a client cannot register itself';
      }
      if (!isTheirs(stored, OWN)) return null;
      // Without a difference, nothing is stored.
      const changed = after({ kind: 'change', clientId: OWN, token: 'own', to: 'a key' }) ?? stored;
      if (stored.isOn && clientIn(changed, OWN).client?.tokenEndpointAuthMethod !== 'private_key_jwt')
        return 'a client cannot change itself';
      const ended = after({ kind: 'delete', clientId: OWN, token: 'own' });
      return ended !== null && registrationIn(ended, OWN)?.state === 'ended' ? null : 'a client cannot delete itself';
    },
  },
  {
    name: 'the-table-is-bounded',
    says: 'No more registrations are stored than the rules keep.',
    spec: 'RFC 7591 §5',
    violationAt: (_, { stored }) =>
      stored.clientRegistrations.length <= MOST_STORED
        ? null
        : `${stored.clientRegistrations.length} registrations are stored`,
  },
  {
    name: 'every-event-of-a-registration-is-answered',
    says: 'Every event of a registration is answered, in every state that can be reached.',
    ...everythingIsAnswered<Terms>(requestsAt),
  },
];

/** The node of a request has the rules that it had when it began. */
const withRules = (
  make: (rules: SelfRegistrationRules) => ReturnType<typeof readRegistration>,
): ReturnType<typeof readRegistration> => {
  const first = make(null);
  const of = (loaded: LoadedClientRegistration) => make(rulesWhile((loaded as Terms['loaded']).isOn));
  return { ...first, read: (loaded) => of(loaded).read(loaded), answer: (...all) => of(all[1]).answer(...all) };
};

export const clientRegistrations = defineWalk<Terms>({
  name: 'client-registrations',
  of: 'clients that register themselves',
  machines: ['clientRegistration', 'client'],
  spec: 'RFC 7591 §3, RFC 7592 §2',
  bounds: [
    { requests: 2, inFlight: 2, faults: 0 },
    { requests: 1, inFlight: 1, faults: 1 },
  ],
  initialStates: [
    given('No client registered itself', [], []),
    given('No client may register itself', [], [], false),
    given('A client registered itself', [registration()], [registered('nothing')]),
    given('A client with a secret registered itself', [registration()], [registered('a secret')]),
    given('A client with a key is used', [registration({ state: 'used' })], [registered('a key')]),
    given(
      'A client is used since long ago',
      [registration({ state: 'used', unusedUntil: after(-1) })],
      [registered('nothing')],
    ),
    given(
      'A client is there, and none may register',
      [registration({ state: 'used' })],
      [registered('a secret')],
      false,
    ),
    given(
      'A client deleted itself',
      [registration({ state: 'ended', unusedUntil: after(-1) })],
      [registered('nothing', { epoch: 1n, deletedAt: after(-1) })],
    ),
    given('An operator adopted the client', [registration()], [registered('nothing', { registeredBy: 'operator' })]),
    given(
      'An administrator deleted the client',
      [registration({ state: 'used' })],
      [registered('nothing', { epoch: 1n, deletedAt: after(-1) })],
    ),
  ],
  load,
  commit: (stored, change, _, leftOut) => commitWithClients(stored, change, leftOut),
  requests: requestsAt,
  asking: askingFor<Terms>({
    register: {
      name: ({ clientId }) => clientId,
      from: 'A registration comes from',
      request: ({ clientId }) =>
        withRules((rules) => registerItself(rules, sentBy(clientId, 'nothing'), tokenHashOf(clientId))),
    },
    authorize: {
      name: ({ clientId }) => clientId,
      from: 'An end-user signs in to',
      request: () => withRules(authorizeRegistered),
    },
    read: {
      name: ({ clientId, token }) => `${clientId}, token: ${token}`,
      from: 'A read comes for',
      request: ({ clientId, token }) => readRegistration(presents(clientId, token)),
    },
    change: {
      name: ({ clientId, token, to }) => `${clientId} to ${to}, token: ${token}`,
      from: 'A change comes for',
      request: ({ clientId, token, to }) =>
        withRules((rules) => changeRegistration(rules, presents(clientId, token), () => sentBy(clientId, to))),
    },
    delete: {
      name: ({ clientId, token }) => `${clientId}, token: ${token}`,
      from: 'A deletion comes for',
      request: ({ clientId, token }) => deleteRegistration(presents(clientId, token)),
    },
  }),
  instants: ({ stored }) =>
    stored.clientRegistrations.flatMap(({ unusedUntil }) => [
      unusedUntil.getTime(),
      unusedUntil.getTime() - UNUSED_SECONDS * 1000 + day,
    ]),
  invariants: INVARIANTS,
  words: {
    commit: ({ writes }) => writes.map(({ table }) => `${table} change`).join(', '),
    commitNoun: () => 'the registration',
    sender: 'nodes',
  },
});
