/** One moment of the world that is explored: what is stored, what is in flight, which credentials left the server. Plain data. */
import type { Present, Step, StepAnswer } from '../../engine/present.ts';
import type { RevokingStep } from '../../engine/revoke.ts';
import type { Authorization } from './memory-store.ts';

/** The code, or one of the refresh tokens that left, by its place in `World.tokens`. */
export type Credential = 'code' | number;

/** A refresh token as it was made; in flight until its answer left the server. */
export type Token = {
  readonly generation: bigint;
  /** Which draw it was; its 16 bytes are made from it. */
  readonly nonce: number;
  /** Milliseconds since 1970. */
  readonly mintedAt: number;
};

/** A presentation, from its load to its answer. */
export type Presentation = {
  readonly kind: 'presentation';
  readonly nonce: number;
  readonly credential: Credential;
  readonly first: Present;
  /** What the world has answered so far: with `first` and the nonce they say everything about what comes next. */
  readonly answers: readonly StepAnswer[];
  readonly next: Step | Answered;
};

/** Decided and committed, but the answer has not left. */
export type Answered = { readonly kind: 'issued'; readonly token: Token };

/** The client, the resource owner or an operator asks the grant to end. */
export type Revoking = {
  readonly kind: 'revoking';
  readonly first: Present;
  readonly answers: readonly (boolean | Present)[];
  readonly next: RevokingStep;
};

export type Flight = Presentation | Revoking;

/** A version that was stored once: what a backup may hold. */
export type Version = {
  readonly stored: Authorization;
  readonly spent: readonly Credential[];
  readonly ended: boolean;
};

export type World = {
  /** Milliseconds since 1970, the database's clock. */
  readonly now: number;
  readonly stored: Authorization;
  readonly flights: readonly Flight[];
  /** Tokens that left the server: the client has them, and a thief may. */
  readonly tokens: readonly Token[];
  /** Credentials whose one use has been committed. */
  readonly spent: readonly Credential[];
  /** A second use has been answered, or a revocation committed: nothing may be issued any more. */
  readonly ended: boolean;
  /** Statements whose connection was lost on the way: each may still be carried out, once, at any time. */
  readonly straying: readonly Step[];
  readonly versions: readonly Version[];
  /** How many nonces were drawn. */
  readonly draws: number;
  readonly left: { readonly presentations: number; readonly disturbances: number };
};

/** Values are never changed, so what was said of one once stays true. */
function remembered<T extends object>(say: (value: T) => string): (value: T) => string {
  const known = new WeakMap<T, string>();
  return (value) => {
    const before = known.get(value);
    if (before !== undefined) return before;
    const said = short(say(value));
    known.set(value, said);
    return said;
  };
}

/** A number for a text: keys are compared a million times. */
const shorts = new Map<string, string>();
function short(text: string): string {
  const known = shorts.get(text) ?? shorts.size.toString(36);
  shorts.set(text, known);
  return known;
}

const keyOfStored = remembered(({ grant, client, user, serverEpoch }: Authorization) =>
  [
    grant.state === 'revoked' ? grant.revokedReason : '',
    grant.refreshGeneration,
    grant.refreshNonce?.[0],
    grant.lastUsedAt?.getTime(),
    grant.chainEndsAt?.getTime(),
    grant.scope.length,
    grant.resources.length,
    `${client.epoch}${client.isDeleted ? '!' : ''}`,
    `${user.epoch}${user.isDisabled ? '!' : ''}`,
    serverEpoch,
  ].join(),
);

const keyOfLoaded = remembered(({ now, grant }: Present) =>
  [
    now.getTime(),
    grant.state,
    grant.refreshGeneration,
    grant.refreshNonce?.[0],
    grant.lastUsedAt?.getTime(),
    grant.chainEndsAt?.getTime(),
    grant.liveClientEpoch,
    grant.liveUserEpoch,
    grant.liveServerEpoch,
  ].join(),
);

const keyOfStep = remembered((step: Step | Answered | RevokingStep): string => {
  switch (step.kind) {
    case 'commit': {
      if (step.commit.kind === 'revoke') return `r${step.commit.revocation.reason}`;
      const { loaded, nonce, now, endsAt, chainEndsAt } = step.commit.move;
      const instants = [now, endsAt, chainEndsAt].map((one) => one.getTime());
      return `m${loaded.refreshGeneration}.${loaded.refreshNonce?.[0]}.${nonce[0]}.${instants}`;
    }
    case 'load':
      return `l${'afterLostCommit' in step && step.afterLostCommit ? '?' : ''}`;
    case 'issued':
      return `i${keyOfToken(step.token)}`;
    case 'revoke':
      return `v${step.revocation.reason}`;
  }
});

const keyOfAnswer = (answer: StepAnswer | boolean | Present): string => {
  if (typeof answer === 'boolean') return String(answer);
  if (!('kind' in answer)) return keyOfLoaded(answer);
  switch (answer.kind) {
    case 'committed':
      return String(answer.committed);
    case 'loaded':
      return keyOfLoaded(answer.loaded);
    case 'unavailable':
      return answer.error.maybeCommitted ? '?' : '-';
  }
};

/** Says everything about what the engine does next. */
export const keyOfGoing = ({ credential, nonce, first, answers }: Omit<Presentation, 'next' | 'kind'>): string =>
  `p${credential}.${nonce}/${keyOfLoaded(first)}/${answers.map(keyOfAnswer).join('/')}`;

const keyOfFlight = remembered((flight: Flight) =>
  flight.kind === 'presentation'
    ? `${keyOfGoing(flight)}/${keyOfStep(flight.next)}`
    : `v/${keyOfLoaded(flight.first)}/${flight.answers.map(keyOfAnswer).join('/')}/${keyOfStep(flight.next)}`,
);

const keyOfToken = ({ generation, nonce, mintedAt }: Token) => `${generation}.${nonce}.${mintedAt}`;
const keyOfTokens = remembered((tokens: readonly Token[]) => tokens.map(keyOfToken).join(';'));
const keyOfVersion = remembered(
  ({ stored, spent, ended }: Version) => `${keyOfStored(stored)}/${spent.join()}/${ended}`,
);
const keyOfVersions = remembered((versions: readonly Version[]) => versions.map(keyOfVersion).join());

/** Two moments with the same key have the same futures. */
export const keyOfWorld = (world: World): string =>
  [
    world.now,
    keyOfStored(world.stored),
    world.flights.map(keyOfFlight).sort().join(';'),
    keyOfTokens(world.tokens),
    world.spent.join(),
    world.ended ? 1 : 0,
    world.straying.map(keyOfStep).sort().join(';'),
    keyOfVersions(world.versions),
    world.left.presentations,
    world.left.disturbances,
  ].join('|');

/** All that the invariants about a moment depend on. */
export const keyOfMoment = ({ now, stored, tokens, spent, ended }: World): string =>
  [now, keyOfStored(stored), keyOfTokens(tokens), spent.join(), ended ? 1 : 0].join('|');
