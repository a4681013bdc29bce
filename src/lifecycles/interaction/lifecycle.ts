/**
 * The interaction: from the authorization request to the redirect. It is stored with the first step of an end-user who has signed
 * in; until then it travels with the browser (docs/decisions/0026). An approval inserts the grant in the same statement, and an
 * approval without a page inserts that grant alone (docs/decisions/0077).
 */

import type {
  AuthorizationRefusal,
  InteractionContext,
  InteractionEvent,
  InteractionRejectReason,
} from '../../../machines/interaction/facts.ts';
import { interactionMachine } from '../../../machines/interaction/machine.ts';
import { pushedRequestMachine } from '../../../machines/pushed-request/machine.ts';
import { InvariantViolation } from '../../engine/errors.ts';
import type { Lifecycle } from '../../engine/lifecycle.ts';
import { type Request, run, type Sleeping, stillThere } from '../../engine/run.ts';
import { type Client, documentOriginOf } from '../../model/client.ts';
import type { Bytes, SignInFacts } from '../../model/grant.ts';
import type { Interaction, RequestedInteraction } from '../../model/interaction.ts';
import type { LedgerEntry } from '../../model/ledger.ts';
import { consentEndsAt, type Lifetimes } from '../../model/lifetimes.ts';
import type { Session } from '../../model/session.ts';
import type { PushedRequest } from '../pushed-request/entity.ts';
import { type AnsweringRow, answerIn } from '../pushed-request/lifecycle.ts';

/** The scope that an end-user has approved for a client at a set of resources. */
export type RememberedConsent = {
  readonly scope: readonly string[];
  readonly resources: readonly string[];
  readonly grantedAt: Date;
};

/** As storage loads it. */
export type StoredInteraction = {
  readonly now: Date;
  readonly interaction: Interaction;
  /** False: there is no row, and the interaction is as it was requested. */
  readonly isStored: boolean;
  readonly client: Client;
  /** The request that its client pushed, under the same id. Null or absent: it pushed none. */
  readonly pushed?: PushedRequest | null;
  /** The scope that the user of the load has approved for this client before. */
  readonly remembered: RememberedConsent | null;
  /** The row of that consent, valid or not, which only the store reads: an approval widens it. Null or absent: none. */
  readonly consentRow?: object | null;
  /** The grant that this interaction made; null: none. */
  readonly grant: {
    readonly id: string;
    readonly userId: string;
    readonly codeHash: Bytes;
    readonly codeIsUnused: boolean;
    readonly codeEndsAt: Date;
  } | null;
};

/** With the browser's active session; null: none. Each load reads it again. */
export type LoadedInteraction = StoredInteraction & {
  readonly session: Session | null;
  /** The browser's session awaits a second factor, so that it counts for nothing yet. */
  readonly factorIsAwaited: boolean;
};

/** On what an approval without a consent page relies: it commits only while that stands. Null: the end-user was asked. */
export type ReliedOn = 'consent' | 'registration' | null;

/** The interaction, the rows of an approval, and the pushed request that an answer spends. */
export type InteractionRow = AnsweringRow & {
  readonly interaction: Interaction;
  readonly isStored: boolean;
  /** An approval stores the grant and no interaction. */
  readonly grantAlone: boolean;
  readonly remembers: boolean;
  readonly reliesOn: ReliedOn;
};

export type InteractionFacts = Omit<LoadedInteraction, 'interaction' | 'isStored' | 'pushed'> & {
  /** Milliseconds since 1970: when the session ends unless it is used before; null: there is no session. */
  readonly sessionEndsAt: number | null;
  readonly isStillRegistered: boolean;
  /** How strong the sign-in has to be, as a place in the list of classes. */
  readonly requiredLevel: number;
  /** The part of the requested scope that this end-user may grant; without a session, all of it. */
  readonly grantable: readonly string[];
  readonly lifetimes: Lifetimes;
  /** Of the code that an approval makes. */
  readonly codeHash: Bytes;
};

/**
 * A step that makes no grant. For a stored interaction, it commits only while state and user are as loaded. Another interaction is
 * stored by this step, only before its end and only if no other request has stored it or made its grant since.
 */
export type InteractionMove = {
  readonly loaded: Interaction;
  readonly isStored: boolean;
  readonly now: Date;
  readonly to: Interaction['state'];
  readonly userId: string | null;
  readonly entry: LedgerEntry;
  /** The step answers the client, and spends the request that it pushed. Absent: it does not, or the client pushed none. */
  readonly spends?: SpentRequest;
};

/** Commits only while the request is still pushed: of two answers, one is committed. */
export type SpentRequest = { readonly now: Date; readonly loaded: PushedRequest; readonly entry: LedgerEntry };

/**
 * The interaction moves and its grant, which has the same id, is inserted in one statement. Commits only while the epochs of client, user and server are
 * still as loaded, and while the session is active.
 */
export type Approval = InteractionMove & {
  /** The grant is inserted, and the interaction is not: no page has its id. */
  readonly grantAlone: boolean;
  readonly session: Session;
  /** When the interaction or the session ends, whichever is first: it has to be committed in time, not only decided in time. */
  readonly endsAt: Date;
  /** The granted scope, which is remembered too: the part of the requested scope that this end-user may grant. */
  readonly scope: readonly string[];
  readonly codeHash: Bytes;
  readonly codeEndsAt: Date;
  readonly policy: string;
  readonly reliesOn: ReliedOn;
  readonly remembers: boolean;
  /** A consent that was given then, or earlier, has ended: the new one replaces it, and adds nothing to it. Null: none has. */
  readonly consentsEndedUpTo: Date | null;
  /** As it was loaded: a consent that changed since is not widened. */
  readonly consentRow: object | null;
  readonly identity: SignInFacts;
};

export type InteractionCommit =
  | { readonly kind: 'move'; readonly move: InteractionMove }
  | { readonly kind: 'approve'; readonly approval: Approval }
  /** A silent refusal of a pushed request: only that is written. */
  | { readonly kind: 'spend'; readonly spent: SpentRequest };

/** Its times are those of the database. */
export type NewInteraction = Omit<RequestedInteraction, 'createdAt' | 'endsAt'> & { readonly lifetimeSeconds: number };

/** `requested`: where no row is found, the interaction is as it was requested. Null: it was stored. */
export type InteractionReference = { readonly id: string; readonly requested: RequestedInteraction | null };

/** The facts of an authorization request: one load, before any check of the request. */
export type LoadedRequest = {
  readonly now: Date;
  /** Null: there is none, not even a deleted one. */
  readonly client: Client | null;
  /** Of the browser's cookie; it may have ended. */
  readonly session: Session | null;
  /** The scopes that the session's user has approved for this client before, for each set of resources. */
  readonly remembered: readonly RememberedConsent[];
};

/**
 * The interaction of an authorization request begins now. Stores nothing.
 * @param session null: the browser has no active one. @param pushed absent: the browser brought the request.
 */
export function begunInteraction(
  { lifetimeSeconds, ...requested }: NewInteraction,
  { now, client, remembered }: Omit<LoadedRequest, 'session'> & { readonly client: Client },
  session: Session | null,
  pushed: PushedRequest | null = null,
): StoredInteraction {
  const endsAt = new Date(now.getTime() + lifetimeSeconds * 1000);
  const isSame = ({ resources }: RememberedConsent) =>
    resources.length === requested.resources.length && resources.every((one, at) => one === requested.resources[at]);
  return {
    now,
    interaction: { ...requested, state: 'awaitingSignIn', userId: null, createdAt: now, endsAt },
    isStored: false,
    client,
    ...(pushed && { pushed }),
    remembered: (session && remembered.find(isSame)) ?? null,
    grant: null,
  };
}

export type InteractionStore = {
  /** @param key.sessionIdHash null: the browser sent no cookie. */
  readonly loadRequest: (key: { clientId: string; sessionIdHash: Bytes | null }) => Promise<LoadedRequest>;
  /** Null: not found. */
  readonly load: (reference: InteractionReference, userId: string | null) => Promise<StoredInteraction | null>;
  /** False: a fact that the commit depends on no longer held, and nothing changed. */
  readonly commit: (commit: InteractionCommit) => Promise<boolean>;
};

const moved = (row: InteractionRow, state: Interaction['state'], { session }: InteractionFacts): InteractionRow => ({
  ...row,
  isStored: !row.grantAlone,
  interaction: { ...row.interaction, state, userId: session?.userId ?? row.interaction.userId },
});

const answerPushed = answerIn<InteractionRow>();

const ANSWERS = [
  'reject',
  'askSignIn',
  'askSignUp',
  'askAccount',
  'askFactor',
  'askConsent',
  'showConsent',
  'issueCode',
  'refuseAuthorization',
  'refuseSilently',
  'repeatAnswer',
] as const;

/**
 * RFC 8252 §8.6: any app on a device could pose as a public client there, so its consent is not remembered. A client that no operator vetted
 * changes its redirect URIs by itself. Its consent is remembered for a client with a key alone, and for answers to the origin of its
 * document, which the end-user saw.
 */
export const identityIsAssured = (
  client: Pick<Client, 'clientId' | 'tokenEndpointAuthMethod' | 'registeredBy'>,
  { redirectUri }: Pick<Interaction, 'redirectUri'>,
): boolean => {
  const hasKey = client.tokenEndpointAuthMethod !== 'none';
  if (client.registeredBy === 'operator') return hasKey || redirectUri.startsWith('https:');
  return hasKey && new URL(redirectUri).origin === documentOriginOf(client);
};

export const interactionLifecycle: Lifecycle<InteractionRow, InteractionFacts, InteractionCommit> = {
  machine: interactionMachine,
  stateOf: ({ interaction }) => interaction.state,
  contextOf: (
    { interaction, pushed },
    { client, grant, isStillRegistered, grantable, requiredLevel },
  ): InteractionContext => ({
    endsAt: interaction.endsAt.getTime(),
    scope: grantable,
    resources: interaction.resources,
    userId: interaction.userId,
    client: {
      isDeleted: client.deletedAt !== null,
      epoch: client.epoch,
      epochAtRequest: interaction.clientEpoch,
      isStillRegistered,
      skipsConsent: client.consent === 'skip',
    },
    requestIsAnswered: pushed?.state === 'used',
    consentMayBeRemembered: identityIsAssured(client, interaction),
    code: grant && { isUnused: grant.codeIsUnused, endsAt: grant.codeEndsAt.getTime() },
    prompt: interaction.prompt,
    maxAgeSeconds: interaction.maxAgeSeconds,
    hintedUserId: interaction.hintedUserId,
    requestedAt: interaction.createdAt.getTime(),
    requiredLevel,
  }),
  answers: Object.fromEntries(
    (
      [
        'requested',
        'viewed',
        'switchRequested',
        'signedIn',
        'accountChosen',
        'factorAdded',
        'factorDeclined',
        'consented',
        'refused',
      ] as const
    ).map((event) => [event, ANSWERS]),
  ),
  changes: {
    askConsent: (row, facts) => moved(row, 'awaitingConsent', facts),
    issueCode: (row, facts) => moved(row, 'approved', facts),
    refuseAuthorization: (row, facts) => moved(row, 'denied', facts),
    storeGrantAlone: (row) => ({ ...row, grantAlone: !row.isStored }),
    rememberConsent: (row) => ({ ...row, remembers: true }),
    relyOnConsent: (row) => ({ ...row, reliesOn: 'consent' }),
    relyOnRegistration: (row) => ({ ...row, reliesOn: 'registration' }),
  },
  // Each answer to the client.
  sends: { issueCode: answerPushed, refuseAuthorization: answerPushed, refuseSilently: answerPushed },
  violation: ({ before, after }, { session }) =>
    before.interaction.state !== 'approved' && after.interaction.state === 'approved' && session === null
      ? 'an approval without an end-user'
      : null,
  commitOf: ({ before, after }, facts, entries) => {
    const spends = spentIn(before, after, facts, entries);
    const entry = entries.find(({ machine }) => machine === interactionMachine.id);
    if (spends && !entry) return { kind: 'spend', spent: spends };
    if (!entry) throw new InvariantViolation('interaction: a change without a line in the ledger');
    const { state: to, userId } = after.interaction;
    const { isStored } = before;
    const move = { loaded: before.interaction, isStored, now: facts.now, to, userId, entry, ...(spends && { spends }) };
    const { session } = facts;
    if (to !== 'approved' || !session) return { kind: 'move', move };
    const { reliesOn, remembers, grantAlone } = after;
    const approval = { ...move, ...approvalOf(move, session, facts, reliesOn), reliesOn, remembers, grantAlone };
    return { kind: 'approve', approval };
  },
};

function spentIn(
  { pushed }: InteractionRow,
  after: InteractionRow,
  { now }: InteractionFacts,
  entries: readonly LedgerEntry[],
): SpentRequest | null {
  const entry = entries.find(({ machine }) => machine === pushedRequestMachine.id);
  return pushed !== null && after.pushed !== pushed && entry ? { now, loaded: pushed, entry } : null;
}

function approvalOf(
  { loaded }: InteractionMove,
  session: Session,
  { now, lifetimes, codeHash, sessionEndsAt, grantable, remembered, consentRow = null }: InteractionFacts,
  reliesOn: ReliedOn,
) {
  const { consentLifetimeSeconds } = lifetimes;
  const consentEnds = reliesOn === 'consent' && remembered ? consentEndsAt(remembered, lifetimes) : null;
  const ends = [
    loaded.endsAt.getTime(),
    sessionEndsAt ?? Number.NEGATIVE_INFINITY,
    consentEnds?.getTime() ?? Number.POSITIVE_INFINITY,
  ];
  return {
    session,
    endsAt: new Date(Math.min(...ends)),
    consentsEndedUpTo:
      consentLifetimeSeconds === undefined ? null : new Date(now.getTime() - consentLifetimeSeconds * 1000),
    consentRow,
    scope: grantable,
    codeHash,
    codeEndsAt: new Date(now.getTime() + lifetimes.authorizationCodeLifetimeSeconds * 1000),
    policy: lifetimes.name,
    identity: identityOf(loaded, session),
  };
}

/** OpenID Connect Core §2: `auth_time` is when the end-user last authenticated; the `nonce` comes back unmodified. */
const identityOf = ({ nonce }: Interaction, { signedInAt, sid, amr }: Session): SignInFacts => ({
  nonce,
  authTime: Math.floor(signedInAt.getTime() / 1000),
  sid,
  amr,
});

/** The next page of the browser. */
export type InteractionOutcome = {
  readonly interaction: Interaction;
  /** Whether there is a row now. */
  readonly isStored: boolean;
  readonly client: Client;
} /** `account`: the session that the end-user may continue with; null: only the form. */ & (
  | { readonly kind: 'signIn'; readonly account: Session | null }
  /** The sign-up page, and from there the sign-in page. */
  | { readonly kind: 'signUp' }
  /** The page asks for an additional factor: of the session, or of the session that awaits it. */
  | { readonly kind: 'factor' }
  | { readonly kind: 'consent' }
  | { readonly kind: 'approved'; readonly code: string }
  | { readonly kind: 'denied'; readonly error: AuthorizationRefusal }
  | { readonly kind: 'rejected'; readonly reason: InteractionRejectReason }
);

export type InteractionPolicy = {
  /** The code of a grant is a function of its id and the root secret, so that a repeated answer is the same answer. */
  readonly makeCode: (grantId: string) => { readonly code: string; readonly secretHash: Bytes };
  /** Null: the root secret that made the code is no longer listed. */
  readonly remakeCode: (grantId: string, storedHash: Bytes) => string | null;
  readonly lifetimesOf: (client: Client) => Lifetimes;
  /** Milliseconds since 1970: when this session ends unless it is used before. */
  readonly sessionEndsAt: (session: Session) => number;
  /** How strong a sign-in is, and how strong it has to be: places in the list of classes. */
  readonly levelOf: (session: Session) => number;
  readonly requiredLevelOf: (interaction: Interaction, session: Session | null) => number;
  /** Whether the client is registered today for this redirect URI and grant type. */
  readonly isStillRegistered: (client: Client, interaction: Interaction) => boolean;
  /** The part of the requested scope that this end-user may grant, by the current role. */
  readonly grantableBy: (session: Session, interaction: Interaction) => readonly string[];
};

export function interactionRequest(
  policy: InteractionPolicy,
  type: InteractionEvent['type'],
): Request<LoadedInteraction, InteractionRow, InteractionFacts, InteractionCommit, InteractionOutcome> {
  return {
    lifecycle: interactionLifecycle,
    read: ({ interaction: found, isStored, pushed = null, ...loaded }) => {
      const interaction = isStored ? found : standsFor(loaded.grant, found);
      const { client, now, remembered, session } = loaded;
      const lifetimes = policy.lifetimesOf(client);
      const event: InteractionEvent = {
        type,
        now: now.getTime(),
        userId: session?.userId ?? null,
        signedInAt: session === null || session.signInTimeIsKnown === false ? null : session.signedInAt.getTime(),
        level: session ? policy.levelOf(session) : 0,
        factorIsAwaited: loaded.factorIsAwaited,
        remembered: remembered && {
          ...remembered,
          endsAt: consentEndsAt(remembered, lifetimes)?.getTime() ?? null,
        },
      };
      const facts: InteractionFacts = {
        ...loaded,
        sessionEndsAt: session && policy.sessionEndsAt(session),
        isStillRegistered: policy.isStillRegistered(client, interaction),
        requiredLevel: policy.requiredLevelOf(interaction, session),
        grantable: session ? policy.grantableBy(session, interaction) : interaction.scope,
        lifetimes,
        codeHash: policy.makeCode(interaction.id).secretHash,
      };
      const row = { interaction, isStored, pushed, grantAlone: false, remembers: false, reliesOn: null };
      return { row, facts, event };
    },
    answer: ({ before: { interaction }, after: { isStored }, decisions: [decision] }, loaded) => {
      const { client, session } = loaded;
      const about = { interaction, isStored, client };
      for (const effect of decision?.effects ?? []) {
        switch (effect.type) {
          case 'reject':
            return { ...about, kind: 'rejected', reason: effect.params.reason as InteractionRejectReason };
          case 'askSignIn':
            return { ...about, kind: 'signIn', account: null };
          case 'askSignUp':
            return { ...about, kind: 'signUp' };
          case 'askAccount':
            return { ...about, kind: 'signIn', account: session };
          case 'askFactor':
            return { ...about, kind: 'factor' };
          case 'askConsent':
          case 'showConsent':
            return { ...about, kind: 'consent' };
          case 'issueCode':
            return { ...about, kind: 'approved', code: policy.makeCode(interaction.id).code };
          case 'refuseAuthorization':
          case 'refuseSilently':
            return { ...about, kind: 'denied', error: effect.params.error };
          case 'repeatAnswer':
            return { ...about, ...repeated(policy, loaded) };
        }
      }
      throw new InvariantViolation('interaction: a decision without an answer');
    },
    // No `isIn`: another tab may have made the same grant. The machine repeats the answer while the code waits.
  };
}

/** An approval without a page leaves the grant alone: where it exists, the interaction is approved. */
const standsFor = (grant: StoredInteraction['grant'], interaction: Interaction): Interaction =>
  grant === null ? interaction : { ...interaction, state: 'approved', userId: grant.userId };

type Repeated =
  | { readonly kind: 'approved'; readonly code: string }
  | { readonly kind: 'denied'; readonly error: AuthorizationRefusal }
  | { readonly kind: 'rejected'; readonly reason: InteractionRejectReason };

function repeated({ remakeCode }: InteractionPolicy, { interaction, grant }: LoadedInteraction): Repeated {
  // The row does not keep the error. The end-user refuses now, so access_denied is true, also where the first answer was another.
  if (interaction.state === 'denied') return { kind: 'denied', error: 'access_denied' };
  if (!grant) throw new InvariantViolation('an approved interaction without its grant');
  const code = remakeCode(grant.id, grant.codeHash);
  return code === null ? { kind: 'rejected', reason: 'interaction_completed' } : { kind: 'approved', code };
}

export type InteractionPorts = InteractionPolicy &
  Sleeping & {
    readonly store: Pick<InteractionStore, 'load' | 'commit'>;
    /** The session as it is now; null: it has ended. */
    readonly sessionNow: (session: Session) => Promise<Session | null>;
  };

/**
 * @param first as it was loaded for the user of the session.
 * @param factorIsAwaited the browser's session awaits a second factor, and `session` is null.
 * @throws Unavailable, StoreUnavailable
 */
export function interactFrom(
  { store, sessionNow, sleep, ...policy }: InteractionPorts,
  first: StoredInteraction,
  type: InteractionEvent['type'],
  session: Session | null,
  factorIsAwaited = false,
): Promise<InteractionOutcome> {
  const { isStored, interaction } = first;
  const reference = { id: interaction.id, requested: isStored ? null : interaction };
  const stored = stillThere(() => store.load(reference, session?.userId ?? null), interactionMachine.id);
  const load = async () => {
    const loaded = await stored();
    return { ...loaded, session: session && (await sessionNow(session)), factorIsAwaited };
  };
  const request = interactionRequest(policy, type);
  return run({ load, commit: store.commit, sleep }, request, { ...first, session, factorIsAwaited });
}
