/** Every predicate of the machines, wrong in each possible way: always, never, or off by one. */
import { authorizationCodeGuards } from '../../../../machines/authorization-code/guards.ts';
import { clientGuards } from '../../../../machines/client/guards.ts';
import { clientDocumentGuards } from '../../../../machines/client-document/guards.ts';
import { clientRegistrationGuards } from '../../../../machines/client-registration/guards.ts';
import { emailChallengeGuards } from '../../../../machines/email-challenge/guards.ts';
import { externalSignInGuards } from '../../../../machines/external-sign-in/guards.ts';
import { interactionGuards } from '../../../../machines/interaction/guards.ts';
import { linkedIdentityGuards } from '../../../../machines/linked-identity/guards.ts';
import { mailGuards } from '../../../../machines/mail/guards.ts';
import { operatorSetUpGuards } from '../../../../machines/operator-set-up/guards.ts';
import { passkeyGuards } from '../../../../machines/passkey/guards.ts';
import { pushedRequestGuards } from '../../../../machines/pushed-request/guards.ts';
import { recoveryCodeGuards } from '../../../../machines/recovery-code/guards.ts';
import { refreshTokenGuards } from '../../../../machines/refresh-token/guards.ts';
import { secondFactorGuards } from '../../../../machines/second-factor/guards.ts';
import { sessionGuards } from '../../../../machines/session/guards.ts';
import { signInCodeGuards } from '../../../../machines/sign-in-code/guards.ts';
import type { SigningKeyContext, SigningKeyEvent } from '../../../../machines/signing-key/facts.ts';
import { signingKeyGuards } from '../../../../machines/signing-key/guards.ts';
import { trustedBrowserGuards } from '../../../../machines/trusted-browser/guards.ts';
import { usedJtiGuards } from '../../../../machines/used-jti/guards.ts';
import { userGuards } from '../../../../machines/user/guards.ts';
import { webhookDeliveryGuards } from '../../../../machines/webhook-delivery/guards.ts';
import type { administration } from '../../../../src/lifecycles/client/walk/walk.ts';
import type { clientDocuments } from '../../../../src/lifecycles/client-document/walk.ts';
import type { clientRegistrations } from '../../../../src/lifecycles/client-registration/walk.ts';
import type { emailChallenges } from '../../../../src/lifecycles/email-challenge/walk/walk.ts';
import type { externalSignIns } from '../../../../src/lifecycles/external-sign-in/walk/walk.ts';
import type { signIns } from '../../../../src/lifecycles/interaction/walk/walk.ts';
import type { mails } from '../../../../src/lifecycles/mail/walk.ts';
import type { operatorSetUps } from '../../../../src/lifecycles/operator-set-up/walk.ts';
import type { pushedRequests } from '../../../../src/lifecycles/pushed-request/walk.ts';
import type { factors } from '../../../../src/lifecycles/second-factor/walk/walk.ts';
import type { signInCodes } from '../../../../src/lifecycles/sign-in-code/walk/walk.ts';
import type { signingKeys } from '../../../../src/lifecycles/signing-key/walk/walk.ts';
import type { trustedBrowsers } from '../../../../src/lifecycles/trusted-browser/walk.ts';
import type { usedJtis } from '../../../../src/lifecycles/used-jti/walk.ts';
import type { webhookDeliveries } from '../../../../src/lifecycles/webhook-delivery/walk.ts';
import type { AnyWalk } from '../../../../src/review/proof/walk.ts';
import { type Mutant, withMachine } from './mutant.ts';

type Asked = { context: { endsAt: number }; event: { now: number } };

const withGuard = <Right extends AnyWalk>(
  right: Right,
  key: string,
  name: string,
  guard: (asked: Asked) => boolean,
): Right => withMachine(right, key, (machine) => machine.provide({ guards: { [name]: guard } } as never));

const SEEN_ELSEWHERE = 'the transition table and the tests of the answers see it';
/** Which end something came to is said in the log only; what has ended refuses all of them. */
const REASON_ONLY = `says only why; ${SEEN_ELSEWHERE}`;
/** The page looks different, and changes nothing. */
const PAGE_ONLY = `says only which page is shown; ${SEEN_ELSEWHERE}`;
/** Signing in is one step of the end-user in this walk. */
const BEFORE_THE_WALK = `is asked at the sign-in, for which the walk asks the right machine; ${SEEN_ELSEWHERE}`;
/** Each credential of the walk is bound to a key, so `keyDiffers` rejects what these predicates reject. */
const REJECTED_ANYWAY = `says only why, for a credential that is bound to a key; ${SEEN_ELSEWHERE}`;
/** No client of the walk is registered for tokens that are bound to a certificate. */
const NO_CERTIFICATE = `is asked of clients with certificates alone; ${SEEN_ELSEWHERE}`;
const WITH_A_BOUND_CREDENTIAL = {
  'proofInvalid: false': REJECTED_ANYWAY,
  'proofMissing: false': REJECTED_ANYWAY,
  'certificateMissing: false': NO_CERTIFICATE,
};
/** The policy of the walk has no retry. */
const WITHOUT_RETRY = 'is asked under a policy with a retry alone; the walk of proven retries sees it';
const RETRY_GUARDS = {
  'retryIsOff: true': WITHOUT_RETRY,
  'holderUnproven: false': WITHOUT_RETRY,
  'holderUnproven: true': WITHOUT_RETRY,
  'notThePredecessor: false': WITHOUT_RETRY,
  'notThePredecessor: true': WITHOUT_RETRY,
  'retriedTooLate: false': WITHOUT_RETRY,
  'retriedTooLate: true': WITHOUT_RETRY,
};
const REASONS = [
  'endedByClient',
  'endedByUser',
  'endedByServer',
  'signedOut',
  'endedFromList',
  'endedByAdministrator',
  'replaced',
  'idledOut',
  'endedWithoutFactor',
];

const mutantsOf = <Right extends AnyWalk>(
  key: string,
  guards: object,
  survivals: Readonly<Record<string, string>> = {},
): Mutant<Right>[] =>
  Object.keys(guards).flatMap((name) =>
    [false, true].map((value): Mutant<Right> => {
      const what = `${key}: ${name} is ${value ? 'always' : 'never'} true`;
      const survives = REASONS.includes(name) ? REASON_ONLY : survivals[`${name}: ${value}`];
      return {
        what,
        part: 'predicate',
        walkOf: (right) => withGuard(right, key, name, () => value),
        ...(survives !== undefined && { survives }),
      };
    }),
  );

const lateBy = <Right extends AnyWalk>(key: string): Mutant<Right> => ({
  what: `${key}: expired begins a millisecond late`,
  part: 'predicate',
  walkOf: (right) => withGuard(right, key, 'expired', ({ context, event }) => event.now > context.endsAt),
});

export const predicateMutants: readonly Mutant[] = [
  ...mutantsOf<Parameters<Mutant['walkOf']>[0]>('authorizationCode', authorizationCodeGuards, WITH_A_BOUND_CREDENTIAL),
  lateBy('authorizationCode'),
  ...mutantsOf<Parameters<Mutant['walkOf']>[0]>('refreshToken', refreshTokenGuards, {
    ...WITH_A_BOUND_CREDENTIAL,
    ...RETRY_GUARDS,
  }),
  lateBy('refreshToken'),
];

const { holderUnproven, notThePredecessor, retriedTooLate, retryIsOff } = refreshTokenGuards;
export const retryPredicateMutants: readonly Mutant[] = [
  ...mutantsOf<Parameters<Mutant['walkOf']>[0]>(
    'refreshToken',
    { holderUnproven, notThePredecessor, retriedTooLate, retryIsOff },
    { 'retryIsOff: false': 'the policy of this walk has a retry; the walk of authorizations sees it' },
  ),
  {
    what: 'refreshToken: retriedTooLate begins a millisecond late',
    part: 'predicate',
    walkOf: (right) =>
      withMachine(right, 'refreshToken', (machine) =>
        machine.provide({
          guards: {
            retriedTooLate: ({ context, event }: { context: { retryEndsAt: number }; event: { now: number } }) =>
              event.now > context.retryEndsAt,
          },
        } as never),
      ),
  },
];

export const signInPredicateMutants: readonly Mutant<typeof signIns>[] = [
  ...mutantsOf<typeof signIns>('interaction', interactionGuards, {
    'factorIsNext: true': PAGE_ONLY,
    'accountMayBeChosen: false': PAGE_ONLY,
    'codeIsWaiting: true': 'repeats a code that is of no use any more: it is refused where it is presented',
  }),
  ...mutantsOf<typeof signIns>('session', sessionGuards, {
    'factorIsMissing: true': BEFORE_THE_WALK,
    'factorIsMissing: false': BEFORE_THE_WALK,
    'factorIsGone: false': 'the factor stands in this walk; the walk of factors sees it',
  }),
];

export const factorPredicateMutants: readonly Mutant<typeof factors>[] = [
  ...mutantsOf<typeof factors>('secondFactor', secondFactorGuards),
  ...mutantsOf<typeof factors>('recoveryCode', recoveryCodeGuards),
  ...mutantsOf<typeof factors>('passkey', passkeyGuards, {
    'passkeysAreFull: false': `no user in the walk has as many as there may be; ${SEEN_ELSEWHERE}`,
  }),
  ...mutantsOf<typeof factors>('session', { factorIsGone: sessionGuards.factorIsGone }),
];

export const trustPredicateMutants: readonly Mutant<typeof trustedBrowsers>[] = mutantsOf<typeof trustedBrowsers>(
  'trustedBrowser',
  trustedBrowserGuards,
);

export const jtiPredicateMutants: readonly Mutant<typeof usedJtis>[] = mutantsOf<typeof usedJtis>(
  'usedJti',
  usedJtiGuards,
);

export const setUpPredicateMutants: readonly Mutant<typeof operatorSetUps>[] = mutantsOf<typeof operatorSetUps>(
  'operatorSetUp',
  operatorSetUpGuards,
);

export const registrationPredicateMutants: readonly Mutant<typeof clientRegistrations>[] = mutantsOf<
  typeof clientRegistrations
>('clientRegistration', clientRegistrationGuards, {
  'wasJustExtended: false': `the end moves more often, which costs a statement; ${SEEN_ELSEWHERE}`,
});

export const documentPredicateMutants: readonly Mutant<typeof clientDocuments>[] = mutantsOf<typeof clientDocuments>(
  'clientDocument',
  clientDocumentGuards,
);

export const pushedPredicateMutants: readonly Mutant<typeof pushedRequests>[] = mutantsOf<typeof pushedRequests>(
  'pushedRequest',
  pushedRequestGuards,
);

export const codePredicateMutants: readonly Mutant<typeof signInCodes>[] = mutantsOf<typeof signInCodes>(
  'signInCode',
  signInCodeGuards,
  {
    'isNotOffered: false': `the policy of the walk offers codes; ${SEEN_ELSEWHERE}`,
    'addressIsMissing: false': `both end-users of the walk have an address; ${SEEN_ELSEWHERE}`,
    'identifiesAnother: false': `the walk sends no mails; ${SEEN_ELSEWHERE}`,
    'identifiesAnother: true': `the walk sends no mails; ${SEEN_ELSEWHERE}`,
  },
);

export const externalPredicateMutants: readonly Mutant<typeof externalSignIns>[] = [
  ...mutantsOf<typeof externalSignIns>('externalSignIn', externalSignInGuards),
  ...mutantsOf<typeof externalSignIns>('linkedIdentity', linkedIdentityGuards),
];

/** The successor takes over, whether caches hold it or not. */
const impatient: Mutant<typeof signingKeys> = {
  what: 'signingKey: handoverIsDue does not wait for caches',
  part: 'predicate',
  walkOf: (right) =>
    withMachine(right, 'signingKey', (machine) =>
      machine.provide({
        guards: {
          handoverIsDue: ({ context, event }: { context: SigningKeyContext; event: SigningKeyEvent }) =>
            event.now >= context.signsUntil && event.successor !== null,
        },
      } as never),
    ),
};

export const keyPredicateMutants: readonly Mutant<typeof signingKeys>[] = [
  impatient,
  ...mutantsOf<typeof signingKeys>('signingKey', signingKeyGuards, {
    'handoverIsComing: false': 'asks again for what was asked before; the instant of the first asking stays',
  }),
];

export const linkPredicateMutants: readonly Mutant<typeof emailChallenges>[] = [
  lateBy<typeof emailChallenges>('emailChallenge'),
  ...mutantsOf<typeof emailChallenges>('emailChallenge', emailChallengeGuards, {
    'isNotOffered: false': `the walk has one policy, under which everybody may sign up; ${SEEN_ELSEWHERE}`,
    'makesNoAccount: false': `the walk brings a passkey with the links of new accounts alone; ${SEEN_ELSEWHERE}`,
    'passkeyIsNotOffered: false': `the walk has one policy, under which passkeys make accounts; ${SEEN_ELSEWHERE}`,
  }),
];

export const administrationPredicateMutants: readonly Mutant<typeof administration>[] = [
  ...mutantsOf<typeof administration>('client', clientGuards),
  ...mutantsOf<typeof administration>('user', userGuards),
];

export const deliveryPredicateMutants: readonly Mutant<typeof webhookDeliveries>[] = mutantsOf<
  typeof webhookDeliveries
>('webhookDelivery', webhookDeliveryGuards);

export const mailPredicateMutants: readonly Mutant<typeof mails>[] = mutantsOf<typeof mails>('mail', mailGuards);
