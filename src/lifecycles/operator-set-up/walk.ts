/** The walk of the first operator: the command line, two browsers with the link, thieves of old links, and operators.yaml. */
import type { Commit } from '../../engine/commit.ts';
import { commandLine } from '../../model/actor.ts';
import { NO_PASSWORD, type RegisteredUser } from '../../model/user.ts';
import { changeOf } from '../../review/proof/carry-out.ts';
import { askingFor, type DefinedInvariant, defineWalk, initialState } from '../../review/proof/define-walk.ts';
import { ALICE, erased, hashOf } from '../../review/proof/end-users.ts';
import { after } from '../../review/proof/instants.ts';
import { everythingIsAnswered, staysEnded } from '../../review/proof/invariants.ts';
import type { Move } from '../../review/proof/moment.ts';
import { storedAfter } from '../../review/proof/moves.ts';
import type { Action } from '../../review/proof/walk.ts';
import type { Passkey } from '../passkey/entity.ts';
import { OPERATOR_SET_UPS, type OperatorSetUp, SET_UP_LINK_SECONDS } from './entity.ts';
import {
  endDeclaredRequest,
  issueSetUpRequest,
  type LoadedOperatorSetUp,
  type OperatorSetUpRejected,
  type SetUpIssued,
  type SetUpUsed,
  useSetUpRequest,
} from './lifecycle.ts';

type Asked =
  | { readonly kind: 'issue' }
  | { readonly kind: 'use'; readonly id: string; readonly username: string; readonly with: 'password' | 'passkey' }
  | { readonly kind: 'declare'; readonly id: string };

type Stored = {
  readonly operatorSetUps: readonly OperatorSetUp[];
  readonly users: readonly RegisteredUser[];
  readonly passkeys: readonly Passkey[];
  readonly serverEpoch: bigint;
  /** The usernames of operators.yaml. */
  readonly declared: readonly string[];
};

type Terms = {
  readonly stored: Stored;
  readonly asked: Asked;
  readonly loaded: LoadedOperatorSetUp & { readonly declared: readonly string[] };
  readonly commit: Commit;
  readonly answer: SetUpIssued | SetUpUsed | OperatorSetUpRejected | OperatorSetUp | null;
  readonly known: object;
};

const bytes = (text: string): Uint8Array => Buffer.from(text);
const setUp = (change: Partial<OperatorSetUp> = {}): OperatorSetUp => {
  const id = change.id ?? 'the link';
  return {
    id,
    state: 'active',
    secretHash: bytes(`hash of ${id}`),
    username: null,
    userId: null,
    serverEpoch: 0n,
    createdAt: after(-60),
    endsAt: after(SET_UP_LINK_SECONDS - 60),
    endedReason: null,
    ...change,
  };
};

const OPERATOR: RegisteredUser = { ...ALICE, id: 'the operator', username: 'operator' };
const USED = setUp({ state: 'used', userId: OPERATOR.id });
/** Each browser brings the same credential: a thief may have it, and an attempt may be repeated. */
const NEW_PASSKEY = {
  name: 'Passkey',
  credentialId: bytes('credential'),
  publicKey: bytes('key'),
  counter: 0,
  backupEligible: false,
  transports: [],
} as const;

const REGISTERED: Passkey = {
  ...NEW_PASSKEY,
  id: 'a passkey',
  userId: 'alice',
  state: 'active',
  createdAt: after(-60),
  lastUsedAt: null,
  removedAt: null,
};
const OTHER: RegisteredUser = { ...OPERATOR, id: 'another end-user' };

const NAMED = ['alice'];

const given = (says: string, stored: Partial<Stored>) =>
  initialState<Terms>(
    says,
    { operatorSetUps: [], users: [ALICE], passkeys: [], serverEpoch: 0n, declared: [], ...stored },
    {},
  );

const maySignIn = ({ disabledAt, deletedAt }: RegisteredUser): boolean => disabledAt === null && deletedAt === null;
const declaredOperator = ({ users, declared }: Stored): RegisteredUser | undefined =>
  users.find((user) => maySignIn(user) && declared.includes(user.username));
const operatorBySetUp = ({ users, operatorSetUps }: Stored): string | null =>
  users.find((user) => maySignIn(user) && operatorSetUps.some((one) => one.state === 'used' && one.userId === user.id))
    ?.id ?? null;
const hasOperator = (stored: Stored): boolean =>
  declaredOperator(stored) !== undefined || operatorBySetUp(stored) !== null;

/** As the statements load them (src/storage/operator-set-ups.ts). */
function load(stored: Stored, asked: Asked, now: Date): Terms['loaded'] {
  const { operatorSetUps, serverEpoch, users, declared } = stored;
  const id = asked.kind === 'issue' ? null : asked.id;
  const username = asked.kind === 'use' ? asked.username : null;
  const known = asked.kind === 'use' && asked.with === 'passkey' ? stored.passkeys[0] : undefined;
  return {
    now,
    serverEpoch,
    declared,
    setUps: operatorSetUps.filter((one) => one.state !== 'ended' || one.id === id),
    operatorIsDeclared: declaredOperator(stored) !== undefined,
    operatorBySetUp: operatorBySetUp(stored),
    usernameOf: users.find((user) => user.username === username)?.id ?? null,
    ...(known !== undefined && { passkeyState: known.state }),
  };
}

const requestsAt = ({ operatorSetUps }: Stored): readonly Asked[] => [
  { kind: 'issue' },
  ...operatorSetUps.flatMap(({ id }): readonly Asked[] => [
    { kind: 'use', id, username: 'operator', with: 'password' },
    { kind: 'use', id, username: 'operator', with: 'passkey' },
    { kind: 'use', id, username: 'alice', with: 'password' },
    { kind: 'declare', id },
  ]),
];

function actionsOf(stored: Stored): readonly Action<Terms>[] {
  const { users, declared, passkeys, serverEpoch } = stored;
  const operator = users.find(({ username }) => username === OPERATOR.username);
  const changed = (change: Partial<RegisteredUser>) => ({
    ...stored,
    users: users.map((user) => (user === operator ? { ...user, ...change } : user)),
  });
  return [
    declared.length === 0
      ? { says: 'operators.yaml names alice.', stored: { ...stored, declared: NAMED } }
      : { says: 'operators.yaml names no operator.', stored: { ...stored, declared: [] } },
    ...(serverEpoch === 0n
      ? [{ says: 'The server recovers from a backup.', stored: { ...stored, serverEpoch: 1n } }]
      : []),
    ...(operator === undefined
      ? [{ says: 'Another end-user takes the username.', stored: { ...stored, users: [...users, OTHER] } }]
      : []),
    ...(passkeys.length === 0
      ? [{ says: 'An end-user registers the passkey.', stored: { ...stored, passkeys: [REGISTERED] } }]
      : []),
    ...(operator && operator.disabledAt === null
      ? [
          { says: 'The operator is disabled.', stored: changed({ disabledAt: after(-1), epoch: operator.epoch + 1n }) },
          { says: 'The operator is deleted.', stored: changed(erased(operator, after(-1))) },
        ]
      : []),
  ];
}

type Use = { readonly link: OperatorSetUp; readonly now: Date };

/** A commit that held, and used a link. */
function heldUse({ commit }: Move<Terms>): Use | null {
  if (!commit?.held || commit.asked.kind !== 'use') return null;
  const change = changeOf(commit.commit, OPERATOR_SET_UPS);
  return change?.after.state === 'used' ? { link: change.after, now: commit.commit.now } : null;
}

const INVARIANTS: readonly DefinedInvariant<Terms>[] = [
  {
    name: 'an-operator-has-an-account',
    says: 'The right of a set-up belongs to an account that the same statement made, with a username of its own.',
    violation: (_, { stored }, move) => {
      const use = heldUse(move);
      if (!use) return null;
      if (stored.users.some(({ id }) => id === use.link.userId)) return 'the account existed before';
      const made = move.after.stored.users.find(({ id }) => id === use.link.userId);
      if (stored.users.some(({ username }) => username === made?.username)) return 'another end-user has its username';
      return made === undefined ? 'it has no account' : null;
    },
  },
  {
    name: 'an-operator-can-sign-in',
    says: 'The account of an operator has a password or a passkey, and no passkey is that of two accounts.',
    violationAt: (_, { stored: { users, passkeys } }) => {
      if (new Set(passkeys.map(({ credentialId }) => String(credentialId))).size < passkeys.length)
        return 'a passkey is that of two accounts';
      const cannot = users.find(
        (user) =>
          maySignIn(user) && user.passwordHash === NO_PASSWORD && !passkeys.some(({ userId }) => userId === user.id),
      );
      return cannot ? `${cannot.id} cannot sign in` : null;
    },
  },
  {
    name: 'one-link-at-a-time',
    says: 'One link can be used at a time, and one operator has the right of a link: a newer link ends the older.',
    violationAt: (_, { stored: { operatorSetUps } }) =>
      (['active', 'used'] as const).some((state) => operatorSetUps.filter((one) => one.state === state).length > 1)
        ? 'two have not ended'
        : null,
  },
  {
    name: 'no-old-link-makes-an-operator',
    says: 'A link makes an operator at most once, and none at its end or later, whatever browsers open it together.',
    violation: (_, { stored }, move) => {
      const use = heldUse(move);
      const link = use && stored.operatorSetUps.find(({ id }) => id === use.link.id);
      if (!use || !link) return null;
      if (link.state !== 'active') return `a link that was ${link.state} made an operator`;
      if (use.now >= link.endsAt) return 'it had ended';
      return null;
    },
  },
  {
    name: 'nothing-leaves-an-end',
    says: 'A set-up that ended stays as it was, and gives no right again.',
    ...staysEnded<Terms, OperatorSetUp>({
      rows: ({ operatorSetUps }) => operatorSetUps,
      nameOf: ({ id }) => id,
      hasEnded: ({ state }) => state === 'ended',
      fact: ({ state, endedReason, userId }) => `${state} ${endedReason} ${userId}`,
    }),
  },
  {
    name: 'every-set-up-is-answered',
    says: 'Every event of a set-up is answered, in every state that can be reached.',
    ...everythingIsAnswered<Terms>(({ stored }) => requestsAt(stored)),
  },
  {
    name: 'no-second-way-beside-an-operator',
    says: 'While an operator may sign in, no link is issued and none makes another.',
    violationAt: (walk, modelState) => {
      const { stored } = modelState;
      if (!hasOperator(stored)) return null;
      const makes = requestsAt(stored).filter(({ kind }) => kind !== 'declare');
      const before = stored.operatorSetUps.map(({ id, state }) => `${id} ${state}`).join();
      const changes = makes.some((asked) => {
        const next = storedAfter(walk, modelState, asked);
        return next !== null && next.operatorSetUps.map(({ id, state }) => `${id} ${state}`).join() !== before;
      });
      return changes ? 'a link was issued or used' : null;
    },
  },
  {
    name: 'expected-usernames-alone',
    says: 'Where operators.yaml names usernames, a link makes an operator with one of them alone, and no link takes over an account.',
    violationAt: (walk, modelState) => {
      const { stored, now } = modelState;
      for (const { id, state, endsAt, serverEpoch } of stored.operatorSetUps) {
        const after = (username: string) =>
          storedAfter(walk, modelState, { kind: 'use', id, username, with: 'password' })?.operatorSetUps.find(
            (one) => one.id === id,
          )?.state;
        const isTaken = stored.users.some(({ username }) => username === 'operator');
        const isValid =
          state === 'active' &&
          now < endsAt.getTime() &&
          serverEpoch === stored.serverEpoch &&
          stored.declared.length === 0 &&
          !hasOperator(stored) &&
          !isTaken;
        if (state === 'active' && after('alice') === 'used') return 'it took over an account';
        if (state === 'active' && (after('operator') === 'used') !== isValid)
          return isValid ? `${id} makes no operator` : `${id} made one that is not expected`;
      }
      return null;
    },
  },
  {
    name: 'the-file-ends-the-right',
    says: 'Once operators.yaml names an operator who may sign in, each set-up ends, and not before.',
    violationAt: (walk, modelState) => {
      const { stored } = modelState;
      const isDeclared = declaredOperator(stored) !== undefined;
      const wrong = stored.operatorSetUps
        .filter(({ state }) => state !== 'ended')
        .find(({ id }) => {
          const next = storedAfter(walk, modelState, { kind: 'declare', id }) ?? stored;
          return (next.operatorSetUps.find((one) => one.id === id)?.state === 'ended') !== isDeclared;
        });
      return wrong ? `${wrong.id} ${isDeclared ? 'keeps its right' : 'ended'}` : null;
    },
  },
  {
    name: 'a-new-passkey-is-enough',
    says: 'Where a password would make the operator, a passkey that the server does not know makes the operator too.',
    violationAt: (walk, modelState) => {
      const { stored } = modelState;
      const makes = (id: string, by: 'password' | 'passkey') =>
        storedAfter(walk, modelState, { kind: 'use', id, username: 'operator', with: by })?.operatorSetUps.some(
          (one) => one.id === id && one.state === 'used',
        ) === true;
      const isNew = stored.passkeys.length === 0;
      const wrong = stored.operatorSetUps
        .filter(({ state }) => state === 'active')
        .find(({ id }) => makes(id, 'passkey') !== (makes(id, 'password') && isNew));
      return wrong ? `${wrong.id} ${isNew ? 'refuses a new passkey' : 'takes a registered one'}` : null;
    },
  },
  {
    name: 'links-are-issued',
    says: 'A server without an operator issues a link. Nothing above holds because nothing works.',
    violationAt: (walk, modelState) => {
      const { stored } = modelState;
      if (hasOperator(stored)) return null;
      const next = storedAfter(walk, modelState, { kind: 'issue' });
      const isIssued = next?.operatorSetUps.some(
        ({ id, state }) => state === 'active' && !stored.operatorSetUps.some((one) => one.id === id),
      );
      return isIssued ? null : 'no link is issued';
    },
  },
];

export const operatorSetUps = defineWalk<Terms>({
  name: 'operator-set-ups',
  of: 'set-ups of the first operator',
  machines: ['operatorSetUp'],
  spec: 'NIST SP 800-63B-4 §4.1.2',
  bounds: [{ requests: 3, inFlight: 2, faults: 1 }],
  initialStates: [
    given('The server has no operator', {}),
    given('A link was issued', { operatorSetUps: [setUp()] }),
    given('A link made an operator', { operatorSetUps: [USED], users: [ALICE, OPERATOR] }),
    given('The passkey of an end-user is there', {
      operatorSetUps: [setUp()],
      passkeys: [REGISTERED],
    }),
    given('operators.yaml names an operator without an account', { operatorSetUps: [setUp()], declared: ['grace'] }),
    given('A link was replaced', { operatorSetUps: [setUp({ state: 'ended', endedReason: 'replaced' })] }),
  ],
  load,
  requests: ({ stored }) => requestsAt(stored),
  asking: askingFor<Terms>({
    issue: {
      name: 'a link',
      from: 'The command line asks for',
      request: (_, draw) => {
        const id = `link ${draw}`;
        return withDeclared((declared) =>
          issueSetUpRequest({ id, secretHash: bytes(`hash of ${id}`), username: null }, declared, commandLine),
        );
      },
    },
    use: {
      name: ({ id, username, with: by }) => `${id} as ${username} with a ${by}`,
      from: 'A browser uses',
      request: ({ id, username, with: by }, draw) => {
        const userId = `account ${draw}`;
        const passkey = by === 'passkey' ? { ...NEW_PASSKEY, id: `passkey ${draw}`, userId } : null;
        const passwordHash = passkey === null ? hashOf('new') : NO_PASSWORD;
        return withDeclared((declared) =>
          useSetUpRequest(id, { id: userId, username, passwordHash, passkey }, declared),
        );
      },
    },
    declare: {
      name: ({ id }) => `operators.yaml beside ${id}`,
      from: 'A node reads',
      request: ({ id }) => withDeclared((declared) => endDeclaredRequest(id, declared)),
    },
  }),
  actions: ({ stored }) => actionsOf(stored),
  instants: ({ stored: { operatorSetUps: all } }) =>
    all.filter(({ state }) => state === 'active').map(({ endsAt }) => endsAt.getTime()),
  invariants: INVARIANTS,
  words: {
    commitNoun: () => 'the set-up',
    sender: 'browsers',
    answer: (answer) => (answer !== null && 'reason' in answer ? answer.reason : null),
  },
});

type AnyRequest = ReturnType<typeof issueSetUpRequest>;

/** The file as the node has read it at the load. */
function withDeclared<
  Asking extends Pick<AnyRequest, 'lifecycle' | 'isIn'> & {
    readonly read: AnyRequest['read'];
    readonly answer: unknown;
  },
>(requestFor: (declared: readonly string[]) => Asking): Asking {
  const request = requestFor([]);
  return { ...request, read: (loaded: Terms['loaded']) => requestFor(loaded.declared).read(loaded) };
}
