/**
 * What must hold of the machines, said independently of how they say it. The transition table shows every change to a
 * reviewer; a law refuses the dangerous ones by itself. Each law returns where it is broken.
 */
import {
  effects,
  type GrantEventType,
  type RejectReason,
  type RevocationReason,
} from '../../../machines/vocabulary.ts';
import { callWords } from '../../../src/review/machine/calls.ts';
import { statesReachableFrom } from '../../../src/review/machine/reach.ts';
import { type Arm, armsOf, type Machine, readMachine } from '../../../src/review/machine/read.ts';
import { INLINE } from '../../../src/review/machine/words.ts';
import { type Answer, allAnswers, statesOf } from './answers.ts';
import {
  authorizationCode,
  type Config,
  grant,
  interaction,
  refreshToken,
  type Subject,
  signingKey,
  withoutCode,
} from './catalogue.ts';

export type Case = {
  readonly subject: Subject;
  /** Of the subject, or a mutant of it. */
  readonly machine: Machine;
  readonly answers: readonly Answer[];
};
export type Law = {
  readonly name: string;
  /** Null: all machines. */
  readonly of: Subject | null;
  readonly broken: (tested: Case) => readonly string[];
};

/** @param config of the subject's machine, or of a mutant of it. */
export function caseOf(subject: Subject, config: Config): Case {
  const askable = readMachine(withoutCode(config));
  const answers = allAnswers({ machine: askable, events: subject.events }, subject.machine);
  return { subject, machine: readMachine(config), answers };
}

export const lawsOf = (subject: Subject): readonly Law[] => LAWS.filter((law) => law.of === null || law.of === subject);

// Every arm of every machine, with where it stands.
type Place = { readonly at: string; readonly state: string; readonly event: string; readonly arms: readonly Arm[] };

const placesOf = ({ subject, machine }: Case): readonly Place[] =>
  statesOf(machine).flatMap((state) =>
    subject.events.map((event) => ({ at: `${event} in ${state}`, state, event, arms: armsOf(machine, state, event) })),
  );

const eachArm = (tested: Case, isBroken: (arm: Arm, place: Place) => boolean): readonly string[] =>
  placesOf(tested).flatMap((place) =>
    place.arms.flatMap((arm, index) => (isBroken(arm, place) ? [`arm ${index + 1} of ${place.at}`] : [])),
  );

const eachAnswer = (tested: Case, isBroken: (answer: Answer) => boolean): readonly string[] =>
  tested.answers.filter(isBroken).map((one) => `${one.event} in ${one.state}, ${JSON.stringify(one.outcomes)}`);

// Words about answers.
const ISSUING = ['issueTokens', 'beginChain', 'rotate', 'issueCode'];
const nameOf = (effect: string): string => effect.replace(/\(.*/, '');
const issues = (effects: readonly string[]): boolean => effects.some((effect) => ISSUING.includes(nameOf(effect)));
const isOneRejection = ({ effects }: Answer): boolean => effects.length === 1 && nameOf(effects[0] ?? '') === 'reject';
const changesNothing = (answer: Answer): boolean => answer.next === answer.state && isOneRejection(answer);
const has = (answer: Answer, effect: string): boolean => answer.effects.includes(effect);
const does = (answer: Answer, next: string, ...effects: readonly string[]): boolean =>
  answer.next === next && answer.effects.join() === effects.join();
const none = ({ outcomes }: Answer, ...guards: readonly string[]): boolean =>
  guards.every((guard) => outcomes[guard] === false);
/** The answer is exactly this when the condition holds, and has nothing of it when it does not. */
const exactly = (answer: Answer, effect: string, condition: boolean, next: string, ...effects: string[]): boolean =>
  condition ? does(answer, next, ...effects) : !has(answer, effect);
const reject = (reason: RejectReason): string => `reject(${reason})`;
const revokeGrant = (event: GrantEventType): string => `revokeGrant(${event})`;

const REASON_OF: Record<GrantEventType, RevocationReason> = {
  authorizationCodeReused: 'authorization_code_reused',
  refreshTokenReused: 'refresh_token_reused',
  chainFellBehind: 'chain_behind_token',
  revocationRequested: 'revocation_requested',
};

/** What an answer to somebody who has not proven this must be, whatever else is true and in every state. */
const toldTheSame = (tested: Case, ...orderedReasons: readonly (readonly [guard: string, reason: RejectReason])[]) =>
  eachAnswer(tested, (answer) => {
    const first = orderedReasons.find(([guard]) => answer.outcomes[guard] === true);
    return first !== undefined && !does(answer, answer.state, reject(first[1]));
  });

const ENDED = [
  ['endedByClient', 'client_ended'],
  ['endedByUser', 'user_ended'],
  ['endedByServer', 'server_epoch_raised'],
] as const;

const reachableFrom = (machine: Machine, begin: readonly string[]): ReadonlySet<string> =>
  new Set(begin.flatMap((state) => [...statesReachableFrom(machine, state)]));

const LAWS: readonly Law[] = [
  {
    name: 'nothing is final, waits, runs or happens by itself',
    of: null,
    broken: (tested) => [
      ...[tested.machine, ...tested.machine.states].flatMap(({ name, also }) => (also === '' ? [] : [name])),
      ...eachArm(tested, ({ also }) => also !== ''),
    ],
  },
  {
    name: 'every state has an arm for every event of the vocabulary, and for no other',
    of: null,
    broken: (tested) => [
      ...placesOf(tested).flatMap(({ at, arms }) => (arms.length === 0 ? [at] : [])),
      ...tested.machine.states.flatMap(({ arms }) =>
        arms.flatMap(({ event }) => (tested.subject.events.includes(event) ? [] : [event])),
      ),
    ],
  },
  {
    name: 'the last arm, and only the last, is unguarded; no guard is asked twice',
    of: null,
    broken: (tested) =>
      placesOf(tested).flatMap(({ at, arms }) => {
        const guards = arms.map((arm) => arm.guard);
        const lastIsOpen = guards.indexOf(null) === guards.length - 1;
        return lastIsOpen && new Set(guards).size === guards.length ? [] : [at];
      }),
  },
  {
    name: 'nothing is answered with silence',
    of: null,
    broken: (tested) => eachAnswer(tested, (answer) => answer.arm === null),
  },
  {
    name: 'every state and every arm has a description and a reference',
    of: null,
    broken: (tested) => [
      ...tested.machine.states.flatMap(({ name, description, spec }) => (description && spec ? [] : [name])),
      ...eachArm(tested, ({ description, spec }) => !description || !spec),
    ],
  },
  {
    name: 'guards and actions are names, their parameters data, and the names exist',
    of: null,
    broken: (tested) => [
      ...eachArm(tested, ({ asks }) => asks.some(({ name }) => !Object.hasOwn(tested.subject.guards, name))),
      ...eachArm(tested, (arm) => arm.effects.some(({ name }) => !Object.hasOwn(effects, name))),
      ...eachArm(tested, (arm) => [...arm.asks, ...arm.effects].some((call) => callWords(call).includes(INLINE))),
    ],
  },
  {
    name: 'every state can be reached, and every target exists',
    of: null,
    broken: ({ machine }) => {
      const reached = reachableFrom(machine, [machine.initial]);
      const states = statesOf(machine);
      const [unknown, unreached] = [
        [...reached].filter((state) => !states.includes(state)),
        states.filter((state) => !reached.has(state)),
      ];
      return [...unknown, ...unreached];
    },
  },
  {
    name: 'every guard that guards.ts offers is asked',
    of: null,
    broken: (tested) => {
      const asked = new Set(
        placesOf(tested).flatMap(({ arms }) => arms.flatMap(({ asks }) => asks.map(({ name }) => name))),
      );
      return Object.keys(tested.subject.guards).filter((guard) => !asked.has(guard));
    },
  },
  {
    name: 'expired is asked, and rejects, before anything that issues',
    of: null,
    broken: (tested) =>
      placesOf(tested).flatMap(({ at, arms, state }) => {
        const issuing = arms.findIndex((arm) => issues(arm.effects.map(({ name }) => name)));
        if (issuing === -1) return [];
        const expired = arms.findIndex((arm) => arm.guard === 'expired');
        const arm = arms[expired];
        const rejects = arm?.effects.every(({ name }) => name === 'reject') && arm.to === state;
        return rejects && expired < issuing ? [] : [at];
      }),
  },
  {
    name: 'no path leads from used, revoked, retiring or retired to an effect that issues or signs',
    of: null,
    broken: (tested) => {
      const states = statesOf(tested.machine);
      const ended = ['used', 'revoked', 'retiring', 'retired'].filter((state) => states.includes(state));
      const after = reachableFrom(tested.machine, ended);
      const forbidden = (effect: string) => issues([effect]) || effect === 'beginSigning';
      return eachArm(tested, (arm, { state }) => after.has(state) && arm.effects.some(({ name }) => forbidden(name)));
    },
  },
  {
    name: 'revoked, retired, approved and denied are never left',
    of: null,
    broken: (tested) =>
      eachArm(
        tested,
        (arm, { state }) => ['revoked', 'retired', 'approved', 'denied'].includes(state) && arm.to !== state,
      ),
  },

  // The authorization code.
  {
    name: 'a code is exchanged exactly when it is active, its presenter right, the time not over, the resource granted',
    of: authorizationCode,
    broken: (tested) =>
      eachAnswer(tested, (answer) => {
        const guards = ['byAnotherClient', 'redirectUriDiffers', 'verifierDiffers', 'expired', 'resourceExceedsGrant'];
        const right = answer.state === 'active' && none(answer, ...guards);
        return right !== issues(answer.effects) || (right && !does(answer, 'used', 'beginChain', 'issueTokens'));
      }),
  },
  {
    name: 'a used code revokes its grant exactly when its presenter is right, expired or not',
    of: authorizationCode,
    broken: (tested) =>
      eachAnswer(tested, (answer) => {
        const reused =
          answer.state === 'used' && none(answer, 'byAnotherClient', 'redirectUriDiffers', 'verifierDiffers');
        const [effect, answered] = [revokeGrant('authorizationCodeReused'), reject('authorization_code_reused')];
        return !exactly(answer, effect, reused, 'revoked', effect, answered);
      }),
  },
  {
    name: 'whatever else is presented changes nothing and gets one rejection (code)',
    of: authorizationCode,
    broken: (tested) =>
      eachAnswer(tested, (answer) => !changesNothing(answer) && !has(answer, 'issueTokens') && !revokes(answer)),
  },
  {
    name: 'who has not proven to be its client with its verifier is told the same in every state',
    of: authorizationCode,
    broken: (tested) =>
      toldTheSame(
        tested,
        ['byAnotherClient', 'client_mismatch'],
        ['redirectUriDiffers', 'redirect_uri_mismatch'],
        ['verifierDiffers', 'code_verifier_mismatch'],
        ['expired', 'authorization_code_expired'],
        ['resourceExceedsGrant', 'resource_exceeds_grant'],
        ...ENDED,
      ),
  },
  {
    name: 'a revoked code that no epoch ended says that its grant was revoked',
    of: authorizationCode,
    broken: (tested) => revokedSaysSo(tested, 'byAnotherClient', 'redirectUriDiffers', 'verifierDiffers'),
  },

  // The refresh token.
  {
    name: 'a refresh token rotates exactly when it is active, its client presents it in time and asks for no more',
    of: refreshToken,
    broken: (tested) =>
      eachAnswer(tested, (answer) => {
        const guards = ['byAnotherClient', 'expired', 'scopeExceedsGrant', 'resourceExceedsGrant'];
        const right = answer.state === 'active' && none(answer, ...guards);
        return right !== issues(answer.effects) || (right && !does(answer, 'used', 'rotate', 'issueTokens'));
      }),
  },
  {
    name: 'a used refresh token revokes its chain exactly when its client presents it, expired or not',
    of: refreshToken,
    broken: (tested) =>
      eachAnswer(tested, (answer) => {
        const reused = answer.state === 'used' && none(answer, 'byAnotherClient');
        const ahead = answer.outcomes['aheadOfItsChain'] === true;
        const event = ahead ? 'chainFellBehind' : 'refreshTokenReused';
        const reason = ahead ? 'chain_behind_token' : 'refresh_token_reused';
        return reused !== revokes(answer) || (reused && !does(answer, 'revoked', revokeGrant(event), reject(reason)));
      }),
  },
  {
    name: 'whatever else is presented changes nothing and gets one rejection (refresh token)',
    of: refreshToken,
    broken: (tested) =>
      eachAnswer(tested, (answer) => !changesNothing(answer) && !has(answer, 'issueTokens') && !revokes(answer)),
  },
  {
    name: 'another client is told the same in every state; its own client is told why',
    of: refreshToken,
    broken: (tested) =>
      toldTheSame(
        tested,
        ['byAnotherClient', 'client_mismatch'],
        ['expired', 'refresh_token_expired'],
        ['scopeExceedsGrant', 'scope_exceeds_grant'],
        ['resourceExceedsGrant', 'resource_exceeds_grant'],
        ...ENDED,
      ),
  },
  {
    name: 'a revoked refresh token that no epoch ended says that its grant was revoked',
    of: refreshToken,
    broken: (tested) => revokedSaysSo(tested, 'byAnotherClient'),
  },

  // The grant.
  {
    name: 'every event ends an active grant, with the reason of that event',
    of: grant,
    broken: (tested) =>
      eachAnswer(
        tested,
        (answer) =>
          answer.state === 'active' &&
          !does(answer, 'revoked', `writeRevoked(${REASON_OF[answer.event as GrantEventType]})`),
      ),
  },
  {
    name: 'nothing is written to a revoked grant: the first reason stays',
    of: grant,
    broken: (tested) => eachAnswer(tested, (answer) => answer.state === 'revoked' && !does(answer, 'revoked')),
  },

  // The interaction.
  {
    name: 'a code is issued exactly when the signed-in person consents, or has consented before',
    of: interaction,
    broken: (tested) =>
      eachAnswer(tested, (answer) => {
        const approves = inTime(answer) && (consents(answer) || skipsConsent(answer));
        const remembers = consents(answer) && answer.outcomes['consentMayBeRemembered'] === true;
        const effects = remembers ? ['rememberConsent', 'issueCode'] : ['issueCode'];
        if (!approves) return has(answer, 'issueCode') || has(answer, 'rememberConsent');
        return !does(answer, 'approved', ...effects);
      }),
  },
  {
    name: 'a person is asked to consent exactly when they are signed in and have not consented before',
    of: interaction,
    broken: (tested) =>
      eachAnswer(tested, (answer) => {
        const asks =
          inTime(answer) &&
          (asksAgain(answer) || (needsConsent(answer) && answer.outcomes['askingIsForbidden'] !== true));
        return !exactly(answer, 'askConsent', asks, 'awaitingConsent', 'askConsent');
      }),
  },
  {
    name: 'a person is asked to sign in exactly when the request finds no sign-in that will do, and may ask',
    of: interaction,
    broken: (tested) =>
      eachAnswer(tested, (answer) => {
        const mayAsk = begins(answer) && none(answer, 'signInIsNeededButForbidden');
        const asks = mayAsk && answer.outcomes['signInIsNeeded'] === true;
        return !exactly(answer, 'askSignIn', asks, 'awaitingSignIn', 'askSignIn');
      }),
  },
  {
    name: 'a person is asked which account exactly when the client wants that, and someone is signed in',
    of: interaction,
    broken: (tested) =>
      eachAnswer(tested, (answer) => {
        const signedIn = begins(answer) && none(answer, 'signInIsNeededButForbidden', 'signInIsNeeded');
        const asks = signedIn && answer.outcomes['accountIsToBeChosen'] === true;
        return !exactly(answer, 'askAccount', asks, 'awaitingSignIn', 'askAccount');
      }),
  },
  {
    name: 'to go on with an account it takes a sign-in that will do',
    of: interaction,
    broken: (tested) =>
      eachAnswer(tested, (answer) => {
        const goesOn = answer.state === 'awaitingSignIn' && answer.event === 'accountChosen' && inTime(answer);
        const inVain = goesOn && answer.outcomes['signInIsNeeded'] === true;
        return inVain && !does(answer, 'awaitingSignIn', reject('sign_in_required'));
      }),
  },
  {
    name: 'login_required is said exactly when nobody may be asked to sign in, or another person did than was hinted',
    of: interaction,
    broken: (tested) =>
      eachAnswer(tested, (answer) => {
        const silent = begins(answer) && answer.outcomes['signInIsNeededButForbidden'] === true;
        const another = signsIn(answer) && answer.outcomes['signedInAsAnotherThanHinted'] === true;
        const effect = 'refuseAuthorization(login_required)';
        const says = silent || (inTime(answer) && another && none(answer, 'nobodySignedIn'));
        return !exactly(answer, effect, says, 'denied', effect);
      }),
  },
  {
    name: 'consent_required is said exactly when consent is needed and nobody may be asked',
    of: interaction,
    broken: (tested) =>
      eachAnswer(tested, (answer) => {
        const effect = 'refuseAuthorization(consent_required)';
        const says = begins(answer) && needsConsent(answer) && answer.outcomes['askingIsForbidden'] === true;
        return !exactly(answer, effect, says, 'denied', effect);
      }),
  },
  {
    name: 'an authorization is denied exactly when the signed-in person refuses',
    of: interaction,
    broken: (tested) =>
      eachAnswer(tested, (answer) => {
        const refuses = answer.state === 'awaitingConsent' && answer.event === 'refused';
        const denies = refuses && inTime(answer) && none(answer, 'signedInAsAnother');
        const effect = 'refuseAuthorization(access_denied)';
        return !exactly(answer, effect, denies, 'denied', effect);
      }),
  },
  {
    name: 'an answer is repeated exactly to the same person who asks the same, a code only while it waits',
    of: interaction,
    broken: (tested) =>
      eachAnswer(tested, (answer) => {
        const again = answer.state === 'approved' && answer.event !== 'refused';
        const codeAgain = again && answer.outcomes['codeIsWaiting'] === true;
        const noAgain = answer.state === 'denied' && answer.event === 'refused';
        const repeats = (codeAgain || noAgain) && none(answer, 'clientEnded', 'signedInAsAnother');
        return !exactly(answer, 'repeatAnswer', repeats, answer.state, 'repeatAnswer');
      }),
  },
  {
    name: 'every other event changes nothing and gets one rejection (interaction)',
    of: interaction,
    broken: (tested) => {
      const answers = ['askSignIn', 'askAccount', 'askConsent', 'issueCode', 'refuseAuthorization', 'repeatAnswer'];
      const answered = ({ effects }: Answer) => effects.some((effect) => answers.includes(nameOf(effect)));
      return eachAnswer(tested, (answer) => !answered(answer) && !changesNothing(answer));
    },
  },
  {
    name: 'an interaction that turns something down says why',
    of: interaction,
    broken: (tested) => [
      ...toldTheSame(
        tested,
        ['expired', 'interaction_expired'],
        ['clientEnded', 'client_ended'],
        ['signedInAsAnother', 'user_changed'],
      ),
      ...eachAnswer(
        tested,
        (answer) =>
          changesNothing(answer) && noGuardSays(answer) && !does(answer, answer.state, reject(reasonOf(answer))),
      ),
    ],
  },

  // The signing key.
  {
    name: 'a key begins to sign exactly when it waits and the signer stopped, or none signs',
    of: signingKey,
    broken: (tested) =>
      eachAnswer(tested, (answer) => {
        const unsigned = answer.event === 'timePassed' && says(answer, 'noOtherSigns');
        const begins = answer.state === 'published' && (unsigned || answer.event === 'signerStopped');
        return !exactly(answer, 'beginSigning', begins, 'signing', 'beginSigning');
      }),
  },
  {
    name: 'a signer stops exactly when its time is over and somebody or nobody is to follow, or a rotation need not wait',
    of: signingKey,
    broken: (tested) =>
      eachAnswer(tested, (answer) => {
        const stopped = answer.next === 'retiring' && answer.effects[0] === 'stopSigning';
        return stops(answer) ? !stopped : has(answer, 'stopSigning');
      }),
  },
  {
    name: 'what ends a signer starts its successor, made where none waits; only an unwanted algorithm ends with its last key',
    of: signingKey,
    broken: (tested) =>
      eachAnswer(tested, (answer) => {
        if (!stops(answer) && !(answer.state === 'signing' && isRevoked(answer))) return has(answer, 'startSuccessor');
        const [, ...then] = answer.effects;
        return then.join() !== follows(answer).join();
      }),
  },
  {
    name: 'a signer that goes on publishes a successor in time or when asked, never two, and nothing else',
    of: signingKey,
    broken: (tested) =>
      eachAnswer(tested, (answer) => {
        const goesOn = answer.state === 'signing' && !stops(answer) && !isRevoked(answer);
        return goesOn && !does(answer, 'signing', ...prepares(answer));
      }),
  },
  {
    name: 'a key is revoked exactly when somebody asks and it has not retired, and then it retires at once',
    of: signingKey,
    broken: (tested) =>
      eachAnswer(tested, (answer) => {
        const effect = 'retire(revocation_requested)';
        if (!isRevoked(answer)) return has(answer, effect);
        const alone = answer.state === 'signing' || answer.effects.length === 1;
        return answer.next !== 'retired' || answer.effects[0] !== effect || !alone;
      }),
  },
  {
    name: 'a key retires by itself exactly when it is retiring and its last token has expired',
    of: signingKey,
    broken: (tested) =>
      eachAnswer(tested, (answer) => {
        const over =
          answer.state === 'retiring' && answer.event === 'timePassed' && says(answer, 'lastTokenHasExpired');
        return !exactly(answer, 'retire(tokens_expired)', over, 'retired', 'retire(tokens_expired)');
      }),
  },
  {
    name: 'whatever else happens to a key changes nothing',
    of: signingKey,
    broken: (tested) =>
      eachAnswer(tested, (answer) => {
        const acts = ['beginSigning', 'stopSigning', 'retire', 'publishSuccessor', 'hastenHandover'];
        return !answer.effects.some((effect) => acts.includes(nameOf(effect))) && !does(answer, answer.state);
      }),
  },
];

const noGuardSays = ({ outcomes }: Answer): boolean => Object.values(outcomes).every((outcome) => !outcome);

/** Of what is turned down whatever the guards say. */
function reasonOf({ state }: Answer): RejectReason {
  return state === 'awaitingSignIn' ? 'sign_in_required' : 'interaction_completed';
}

function revokes({ effects }: Answer): boolean {
  return effects.some((effect) => nameOf(effect) === 'revokeGrant');
}

function revokedSaysSo(tested: Case, ...proofs: readonly string[]): readonly string[] {
  const guards = [...proofs, ...ENDED.map(([guard]) => guard)];
  return eachAnswer(
    tested,
    (answer) =>
      answer.state === 'revoked' && none(answer, ...guards) && !does(answer, 'revoked', reject('grant_revoked')),
  );
}

function inTime(answer: Answer): boolean {
  return none(answer, 'expired', 'clientEnded');
}

function consents(answer: Answer): boolean {
  return answer.state === 'awaitingConsent' && answer.event === 'consented' && none(answer, 'signedInAsAnother');
}

/** The request's first answer was lost: the same person gets the same page. */
function asksAgain(answer: Answer): boolean {
  const again = ['requested', 'accountChosen'].includes(answer.event);
  return answer.state === 'awaitingConsent' && again && none(answer, 'signedInAsAnother');
}

function begins(answer: Answer): boolean {
  return answer.state === 'awaitingSignIn' && answer.event === 'requested' && inTime(answer);
}

function signsIn({ state, event }: Answer): boolean {
  return ['awaitingSignIn', 'awaitingConsent'].includes(state) && event === 'signedIn';
}

/** By a live session at the request, by choosing it, or by signing in. */
function arrivesSignedIn(answer: Answer): boolean {
  if (begins(answer)) {
    return none(answer, 'signInIsNeededButForbidden', 'signInIsNeeded', 'accountIsToBeChosen');
  }
  if (signsIn(answer)) return none(answer, 'nobodySignedIn', 'signedInAsAnotherThanHinted');
  return answer.state === 'awaitingSignIn' && answer.event === 'accountChosen' && none(answer, 'signInIsNeeded');
}

function needsConsent(answer: Answer): boolean {
  return arrivesSignedIn(answer) && none(answer, 'consentIsRemembered');
}

function skipsConsent(answer: Answer): boolean {
  return arrivesSignedIn(answer) && answer.outcomes['consentIsRemembered'] === true;
}

function says({ outcomes }: Answer, guard: string): boolean {
  return outcomes[guard] === true;
}

function stops(answer: Answer): boolean {
  if (answer.state !== 'signing') return false;
  if (answer.event === 'timePassed') return says(answer, 'handoverIsDue') || says(answer, 'endsWithoutSuccessor');
  return answer.event === 'rotationRequested' && (says(answer, 'successorMaySign') || says(answer, 'rotationIsAtOnce'));
}

function isRevoked({ state, event }: Answer): boolean {
  return event === 'revocationRequested' && state !== 'retired';
}

/** What must come of a signer's end, in the same decision. */
function follows(answer: Answer): readonly string[] {
  if (answer.event === 'timePassed') return says(answer, 'handoverIsDue') ? ['startSuccessor'] : [];
  const waits = answer.event === 'revocationRequested' ? 'successorIsPublished' : 'successorMaySign';
  return says(answer, waits) ? ['startSuccessor'] : ['publishSuccessor', 'startSuccessor'];
}

/** What a signer that goes on does for its successor. */
function prepares(answer: Answer): readonly string[] {
  if (answer.event === 'timePassed') return says(answer, 'successorIsNeeded') ? ['publishSuccessor'] : [];
  if (answer.event !== 'rotationRequested' || says(answer, 'handoverIsComing')) return [];
  return says(answer, 'successorIsPublished') ? ['hastenHandover'] : ['publishSuccessor', 'hastenHandover'];
}
