/** The words of scenario files, each with its facts: actions, credentials, faults and moments. Reading, playing and drawing share them. */

export const ACTORS = ['client', 'thief', 'another client', 'resource owner', 'operator'] as const;
export type ActorName = (typeof ACTORS)[number];

type KindFacts = {
  /** Before the name of a credential. */
  readonly noun: string;
  /** Given to its presenter; null: nothing. Absent: it is not presented. */
  readonly gives?: string | null;
  readonly isRemovable?: true;
};

/** The kinds of credentials. */
const KINDS = {
  code: { noun: 'code', gives: 'tokens' },
  tokens: { noun: 'tokens', gives: 'tokens' },
  password: { noun: 'password', gives: 'cookie' },
  cookie: { noun: 'cookie', gives: null },
  app: { noun: 'app', isRemovable: true },
  appCode: { noun: 'code', gives: 'cookie' },
  passkey: { noun: 'passkey', gives: 'cookie', isRemovable: true },
  recoveryCode: { noun: 'recovery code', gives: 'cookie' },
  answer: { noun: 'answer', gives: 'cookie' },
  link: { noun: 'link', gives: null, isRemovable: true },
  // Typed in the page of the browser that asked.
  mailedCode: { noun: 'code', gives: 'cookie' },
  resetMail: { noun: 'mail', gives: null },
  // The previous address can undo the change.
  changeMail: { noun: 'mail', gives: 'undoMail' },
  undoMail: { noun: 'mail', gives: null },
  lostMail: { noun: 'mail', gives: null },
  // Opened in a browser, by its link.
  request: { noun: 'request', gives: null },
} as const satisfies Readonly<Record<string, KindFacts>>;

export type Kind = keyof typeof KINDS;
export const nounOf = (kind: Kind): string => KINDS[kind].noun;
/** Presented, read or removed in a browser. */
export type PersonalKind = Exclude<Kind, 'code' | 'tokens'>;
/** Given by a step. */
export type GivenKind = Exclude<Kind, 'code' | 'password'>;

/** The codes that an end-user types. */
export type CodeKind = 'appCode' | 'recoveryCode';

export const factsOf = (kind: Kind): KindFacts & { readonly gives?: GivenKind | null } => KINDS[kind];
export const isPersonal = (kind: Kind): kind is PersonalKind => kind !== 'code' && kind !== 'tokens';

type BrowserActionFacts = { readonly says: string; readonly gives: GivenKind | null };

/** In a browser, besides presenting, reading and removing; and by the client itself. */
export const BROWSER_ACTIONS = {
  'open the consent page': { says: 'is asked for consent, and waits', gives: null },
  'set up an authenticator app': { says: 'sets up an authenticator app', gives: 'app' },
  'add a passkey': { says: 'adds a passkey', gives: 'passkey' },
  'make recovery codes': { says: 'asks for new recovery codes', gives: 'recoveryCode' },
  'go elsewhere to sign in': { says: 'goes to the identity provider to sign in', gives: 'answer' },
  'go elsewhere to link': { says: 'goes to the identity provider to link an account', gives: 'link' },
  'ask for a code by mail': { says: 'asks for a code by mail', gives: 'mailedCode' },
  'ask for a new password': { says: 'asks for a new password by mail', gives: 'resetMail' },
  'ask to change the address': { says: 'asks to change the e-mail address', gives: 'changeMail' },
  'say that every factor was lost': { says: 'says that every factor was lost', gives: 'lostMail' },
  'set a new password': { says: 'sets a new password', gives: 'cookie' },
  'trust the browser': { says: 'checks the box that trusts the browser', gives: null },
  'trust no browser': { says: 'ends the trust of every browser', gives: null },
  'sign out': { says: 'signs out', gives: null },
  'sign out elsewhere': { says: 'signs out everywhere else', gives: null },
  'delete the account': { says: 'deletes the account', gives: null },
  'push a request': { says: 'pushes a request', gives: 'request' },
} as const satisfies Readonly<Record<string, BrowserActionFacts>>;
export type BrowserAction = keyof typeof BROWSER_ACTIONS;
/** No browser does it. */
export const OF_THE_CLIENT = 'push a request' satisfies BrowserAction;
export const isBrowserAction = (word: string): word is BrowserAction => word in BROWSER_ACTIONS;

export const OPERATOR_ACTIONS = {
  'disable the resource owner': 'disables the resource owner',
  'enable the resource owner': 'enables the resource owner again',
  'delete the client': 'deletes the client',
  'register the client again': 'registers the client again, under the same id',
  recover: 'ends every older grant (statehouse recover)',
} as const;
export type OperatorAction = keyof typeof OPERATOR_ACTIONS;

/** Faults during a request. */
export const FATES = {
  'response lost': 'the response is lost',
  'crash before commit': 'the process dies before the commit',
  'crash after commit': 'the process dies after the commit',
  'commit answer lost': "the database's answer to the commit is lost",
  'commit lost': 'the commit is lost on its way',
  'database away': 'the database is unavailable',
  'commit unknown': 'the database is lost during the commit',
} as const;
export type Fate = keyof typeof FATES;

/** The presenter hears no answer. */
const UNANSWERED: ReadonlySet<Fate> = new Set(['response lost', 'crash before commit', 'crash after commit']);
export const isUnanswered = (fate: Fate | null | undefined): boolean => fate != null && UNANSWERED.has(fate);
export const isCrash = (fate: Fate | null): boolean => fate === 'crash before commit' || fate === 'crash after commit';

export type EndName = 'code' | 'idle' | 'absolute';
type Moment = { readonly end: EndName; readonly offset: -1 | 0 | 1 };

/** "Just" is one millisecond. */
export const MOMENTS = {
  'just before the code ends': { end: 'code', offset: -1 },
  'the code ends': { end: 'code', offset: 0 },
  'just after the code ends': { end: 'code', offset: 1 },
  'just before the idle end': { end: 'idle', offset: -1 },
  'the idle end': { end: 'idle', offset: 0 },
  'just after the idle end': { end: 'idle', offset: 1 },
  'just before the absolute end': { end: 'absolute', offset: -1 },
  'the absolute end': { end: 'absolute', offset: 0 },
  'just after the absolute end': { end: 'absolute', offset: 1 },
} as const satisfies Readonly<Record<string, Moment>>;

export const SCOPES = ['read', 'write'] as const;
export const LEVELS = ['multi-factor', 'phishing-resistant'] as const;
export const RESOURCES = ['api', 'files'] as const;

/** The names of two credentials that no step names. */
export const CODE = 'code';
/** Of the resource owner. */
export const PASSWORD = 'password';

/** The keys of a step that name the action of the actor. */
export const ACTION_KEYS = ['does', 'presents', 'revokes', 'reads', 'removes'] as const;

/** In their order. */
export const wordsIn = <Word extends string>(table: Readonly<Record<Word, unknown>>): [Word, ...Word[]] =>
  Object.keys(table) as [Word, ...Word[]];
