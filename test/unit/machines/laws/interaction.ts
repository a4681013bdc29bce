/**
 * The interaction. Nothing is requested or approved when it has expired, its client has ended, or the client has its answer. "Arrives" means that the end-user is
 * known from now on: by a sufficient session, by choosing the account of that session, or by signing in. The next step is a
 * remembered consent, a consent page, or a rejection where the client allows no page (`prompt=none`), of which
 * nothing is stored.
 *
 * `viewed` and `switchRequested` only choose a page.
 */
import type { AuthorizationRefusal } from '../../../../machines/interaction/facts.ts';
import type { RejectReason } from '../../../../machines/unions.ts';
import type { Answer } from '../answers.ts';
import {
  allFail,
  does,
  everyAnswer,
  exactlyWhen,
  hasAny,
  holds,
  type Law,
  onlyRejects,
  reject,
  rejectsInThisOrder,
} from './law.ts';

const refuse = (error: AuthorizationRefusal): string => `refuseAuthorization(${error})`;
const refuseSilently = (error: AuthorizationRefusal): string => `refuseSilently(${error})`;
const PAGES = ['askSignIn', 'askSignUp', 'askAccount', 'askFactor', 'askConsent', 'showConsent'];
const ANSWERS = ['issueCode', 'refuseAuthorization', 'refuseSilently', 'repeatAnswer'];
const APPROVING = ['issueCode', 'storeGrantAlone', 'rememberConsent', 'relyOnConsent', 'relyOnRegistration'];

// The past steps, in words.

const isAt = ({ state, event }: Answer, at: string, ...events: readonly string[]): boolean =>
  state === at && events.includes(event);
const isInTime = (answer: Answer): boolean => allFail(answer, 'expired', 'clientEnded', 'requestAnswered');
const isWaiting = ({ state }: Answer): boolean => state === 'awaitingSignIn' || state === 'awaitingConsent';

const begins = (answer: Answer): boolean => isAt(answer, 'awaitingSignIn', 'requested') && isInTime(answer);
const signsIn = (answer: Answer): boolean =>
  isWaiting(answer) && answer.event === 'signedIn' && isInTime(answer) && allFail(answer, 'nobodySignedIn');
const choosesAccount = (answer: Answer): boolean => isAt(answer, 'awaitingSignIn', 'accountChosen') && isInTime(answer);

/** With an additional factor, in the page that required it. */
const addsFactor = (answer: Answer): boolean =>
  isAt(answer, 'awaitingSignIn', 'factorAdded') && isInTime(answer) && allFail(answer, 'nobodySignedIn');

/** With the sign-in page, or with a sign-in: not with the sign-up page. */
const beginsWithSignIn = (answer: Answer): boolean =>
  begins(answer) && allFail(answer, 'signInIsNeededButForbidden', 'accountIsToBeCreated');
const findsSignIn = (answer: Answer): boolean => beginsWithSignIn(answer) && allFail(answer, 'signInIsNeeded');
const beginsForOne = (answer: Answer): boolean =>
  findsSignIn(answer) && allFail(answer, 'levelIsMissingButAskingIsForbidden', 'accountIsToBeChosen');
const beginsSignedIn = (answer: Answer): boolean => beginsForOne(answer) && allFail(answer, 'levelIsMissing');
const comesAnyhow = (answer: Answer): boolean =>
  (choosesAccount(answer) && allFail(answer, 'signInIsNeeded')) ||
  (signsIn(answer) && allFail(answer, 'userIsNotHinted')) ||
  (addsFactor(answer) && allFail(answer, 'userIsNotHinted', 'signInIsStillNeeded'));
/** Strongly enough. */
const comesForward = (answer: Answer): boolean => comesAnyhow(answer) && allFail(answer, 'levelIsMissing');

/** With something to grant. */
const arrives = (answer: Answer): boolean =>
  (beginsSignedIn(answer) || comesForward(answer)) && allFail(answer, 'mayGrantNothing');

/** On the consent page, the user that it was made for. */
const isStillThere = (answer: Answer, ...events: readonly string[]): boolean =>
  isAt(answer, 'awaitingConsent', ...events) && isInTime(answer) && allFail(answer, 'userChanged');

/** No page has the id of an interaction that its authorization request approves. */
const alone = (answer: Answer): readonly string[] => (begins(answer) ? ['storeGrantAlone'] : []);

export const lawsOfInteraction: readonly Law[] = [
  everyAnswer(
    'a code is issued exactly when the signed-in user consents, relies on a remembered consent, or uses a client of the team',
    (answer) => {
      if (isStillThere(answer, 'consented') && allFail(answer, 'levelIsMissing', 'mayGrantNothing')) {
        const remembers = holds(answer, 'consentMayBeRemembered') ? ['rememberConsent'] : [];
        return does(answer, 'approved', ...remembers, 'issueCode');
      }
      if (arrives(answer) && holds(answer, 'consentIsSkipped')) {
        return does(answer, 'approved', 'relyOnRegistration', ...alone(answer), 'issueCode');
      }
      if (arrives(answer) && holds(answer, 'consentIsRemembered')) {
        return does(answer, 'approved', 'relyOnConsent', ...alone(answer), 'issueCode');
      }
      return !hasAny(answer, APPROVING);
    },
  ),
  everyAnswer(
    'consent is asked for exactly when a user has arrived whose consent is neither remembered nor needless, or sends the request again',
    (answer) => {
      const needsConsent = arrives(answer) && allFail(answer, 'consentIsSkipped', 'consentIsRemembered');
      const asks = needsConsent && !holds(answer, 'askingIsForbidden');
      const asksAgain =
        isStillThere(answer, 'requested', 'accountChosen', 'factorAdded') && allFail(answer, 'levelIsMissing');
      return exactlyWhen(asks || asksAgain, answer, 'awaitingConsent', 'askConsent');
    },
  ),
  everyAnswer(
    'the sign-in form is shown exactly when the request finds no sign-in that will do and may ask, when the page is opened and no other page fits, or to switch the user',
    (answer) => {
      const isOpened = isAt(answer, 'awaitingSignIn', 'viewed') && isInTime(answer);
      const isOpenedByAnother = isAt(answer, 'awaitingConsent', 'viewed') && isInTime(answer);
      const isShown =
        (beginsWithSignIn(answer) && holds(answer, 'signInIsNeeded')) ||
        (isOpened && allFail(answer, 'accountMayBeChosen', 'factorIsNext')) ||
        (isOpenedByAnother && allFail(answer, 'factorIsNext') && holds(answer, 'userChanged')) ||
        (isWaiting(answer) && answer.event === 'switchRequested' && isInTime(answer));
      return exactlyWhen(isShown, answer, answer.state, 'askSignIn');
    },
  ),
  everyAnswer(
    'the sign-up page is shown exactly when the request asks for a new account and may show a page, whether or not a user is signed in',
    (answer) =>
      exactlyWhen(
        begins(answer) && allFail(answer, 'signInIsNeededButForbidden') && holds(answer, 'accountIsToBeCreated'),
        answer,
        'awaitingSignIn',
        'askSignUp',
      ),
  ),
  everyAnswer(
    'the account is asked for exactly when the client wants that and a sign-in will do, at the request and when the page is opened',
    (answer) => {
      const hasSignIn = findsSignIn(answer) && allFail(answer, 'levelIsMissingButAskingIsForbidden');
      const isOpened = isAt(answer, 'awaitingSignIn', 'viewed') && isInTime(answer);
      const asks =
        (hasSignIn && holds(answer, 'accountIsToBeChosen')) || (isOpened && holds(answer, 'accountMayBeChosen'));
      return exactlyWhen(asks, answer, 'awaitingSignIn', 'askAccount');
    },
  ),
  everyAnswer('the consent page is shown exactly when the user that it was made for opens it', (answer) =>
    exactlyWhen(
      isStillThere(answer, 'viewed') && allFail(answer, 'factorIsNext'),
      answer,
      'awaitingConsent',
      'showConsent',
    ),
  ),
  everyAnswer(
    'to open a page never changes the row and never issues: it has one effect, which shows a page or rejects',
    (answer) => {
      if (!['viewed', 'switchRequested'].includes(answer.event)) return true;
      const showsOnePage =
        answer.effects.length === 1 &&
        hasAny(answer, ['askSignIn', 'askAccount', 'askFactor', 'showConsent', 'reject']);
      return answer.next === answer.state && showsOnePage;
    },
  ),
  everyAnswer('to continue with an account it takes a sufficient sign-in', (answer) => {
    const goesOnInVain = choosesAccount(answer) && holds(answer, 'signInIsNeeded');
    return !goesOnInVain || does(answer, 'awaitingSignIn', reject('sign_in_required'));
  }),
  everyAnswer(
    'a further factor is asked for exactly when the end-user who came is signed in too weakly, or opens the page of the factor',
    (answer) => {
      const isOpened =
        isWaiting(answer) && answer.event === 'viewed' && isInTime(answer) && holds(answer, 'factorIsNext');
      const isWeak =
        beginsForOne(answer) ||
        comesAnyhow(answer) ||
        isStillThere(answer, 'requested', 'accountChosen', 'factorAdded');
      const isShown =
        (isOpened && (answer.state === 'awaitingConsent' || allFail(answer, 'accountMayBeChosen'))) ||
        (isWeak && holds(answer, 'levelIsMissing'));
      return exactlyWhen(isShown, answer, answer.state, 'askFactor');
    },
  ),
  everyAnswer('nothing is approved, and no consent counts, of an end-user who is signed in too weakly', (answer) => {
    if (!holds(answer, 'levelIsMissing')) return true;
    const consents = isStillThere(answer, 'consented');
    return !hasAny(answer, APPROVING) && (!consents || does(answer, answer.state, reject('factor_required')));
  }),
  everyAnswer(
    'unmet_authentication_requirements is said exactly when the end-user does not sign in more strongly',
    (answer) => {
      const declines =
        (isAt(answer, 'awaitingSignIn', 'factorDeclined') && isInTime(answer) && allFail(answer, 'nobodySignedIn')) ||
        isStillThere(answer, 'factorDeclined');
      return exactlyWhen(declines, answer, 'denied', refuse('unmet_authentication_requirements'));
    },
  ),
  everyAnswer('a further factor is no new sign-in where a new one is wanted', (answer) =>
    addsFactor(answer) && allFail(answer, 'userIsNotHinted') && holds(answer, 'signInIsStillNeeded')
      ? does(answer, 'awaitingSignIn', reject('sign_in_required'))
      : true,
  ),
  everyAnswer('no sign-in counts without a user', (answer) => {
    const isEmpty =
      isWaiting(answer) &&
      ['signedIn', 'factorAdded', 'factorDeclined'].includes(answer.event) &&
      holds(answer, 'nobodySignedIn');
    return !isEmpty || !isInTime(answer) || does(answer, answer.state, reject('sign_in_required'));
  }),
  everyAnswer(
    'login_required is said exactly when a sign-in, or a stronger sign-in, is needed that may not be asked for, or another user signed in than was hinted',
    (answer) => {
      const isSilent =
        begins(answer) &&
        (holds(answer, 'signInIsNeededButForbidden') ||
          (findsSignIn(answer) && holds(answer, 'levelIsMissingButAskingIsForbidden')));
      const isAnother = (signsIn(answer) || addsFactor(answer)) && holds(answer, 'userIsNotHinted');
      return (
        exactlyWhen(isSilent, answer, 'awaitingSignIn', refuseSilently('login_required')) &&
        exactlyWhen(isAnother, answer, 'denied', refuse('login_required'))
      );
    },
  ),
  everyAnswer('consent_required is said exactly when consent is needed that may not be asked for', (answer) => {
    const needsConsent =
      begins(answer) && arrives(answer) && allFail(answer, 'consentIsSkipped', 'consentIsRemembered');
    const isSilent = needsConsent && holds(answer, 'askingIsForbidden');
    return exactlyWhen(isSilent, answer, 'awaitingSignIn', refuseSilently('consent_required'));
  }),
  everyAnswer('without an end-user the row never changes', (answer) => {
    const isNoUser = holds(answer, 'nobodySignedIn') || holds(answer, 'signInIsNeeded');
    return !isNoUser || answer.next === answer.state;
  }),
  everyAnswer(
    'access_denied is said exactly when the signed-in user refuses, or may grant nothing of what is asked for; where the request itself finds that user, nothing is stored',
    (answer) => {
      const mayNot = holds(answer, 'mayGrantNothing');
      const isInVain =
        (comesForward(answer) || (isStillThere(answer, 'consented') && allFail(answer, 'levelIsMissing'))) && mayNot;
      return (
        exactlyWhen(isStillThere(answer, 'refused') || isInVain, answer, 'denied', refuse('access_denied')) &&
        exactlyWhen(beginsSignedIn(answer) && mayNot, answer, 'awaitingSignIn', refuseSilently('access_denied'))
      );
    },
  ),
  everyAnswer(
    'an answer is repeated exactly to the same user who sends the same again, a code only while it waits',
    (answer) => {
      const codeAgain =
        isAt(answer, 'approved', 'requested', 'signedIn', 'accountChosen', 'factorAdded', 'consented') &&
        holds(answer, 'codeIsWaiting');
      const refusalAgain = isAt(answer, 'denied', 'refused');
      const repeats = (codeAgain || refusalAgain) && allFail(answer, 'clientEnded', 'userChanged');
      return exactlyWhen(repeats, answer, answer.state, 'repeatAnswer');
    },
  ),
  everyAnswer(
    'every other event changes nothing and gets one rejection (interaction)',
    (answer) => hasAny(answer, [...PAGES, ...ANSWERS]) || onlyRejects(answer),
  ),
  everyAnswer(
    'a rejection says the first of these: the time is over, the client has ended, the client has its answer, the user is another',
    (answer) => {
      const reasons: [string, RejectReason][] = [
        ['expired', 'interaction_expired'],
        ['clientEnded', 'client_ended'],
        ['requestAnswered', 'request_answered'],
      ];
      // Another user of the page gets the sign-in form.
      if (answer.event !== 'viewed') reasons.push(['userChanged', 'user_changed']);
      return rejectsInThisOrder(...reasons)(answer);
    },
  ),
  everyAnswer('a rejection without any of these says that it is too early, or too late', (answer) => {
    const noGuardHolds = Object.values(answer.outcomes).every((outcome) => !outcome);
    const reason = answer.state === 'awaitingSignIn' ? 'sign_in_required' : 'interaction_completed';
    return !onlyRejects(answer) || !noGuardHolds || does(answer, answer.state, reject(reason));
  }),
];
