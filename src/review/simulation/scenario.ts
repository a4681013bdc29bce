/** A scenario, read and checked: the actions in their order, and the expected answers. */
import type { SignInPolicy } from '../../../policies/schema.ts';
import type { UnavailableReason } from '../../engine/errors.ts';
import type { Lifetimes } from '../../model/lifetimes.ts';
import type { REFUSED, SIGN_IN_KEYS } from './scenario-file.ts';
import type {
  ActorName,
  BrowserAction,
  EndName,
  Fate,
  GivenKind,
  LEVELS,
  OperatorAction,
  PersonalKind,
  RESOURCES,
  SCOPES,
} from './vocabulary.ts';

export type RefusedReason = (typeof REFUSED)[number];
export type Scope = (typeof SCOPES)[number];
export type Resource = (typeof RESOURCES)[number];

export type Actor = {
  readonly name: ActorName;
  /** Which tab, process or device; null: there is one. */
  readonly place: string | null;
};

export type Presenting = {
  readonly kind: 'present';
  /** `code`, or a name that tokens were given. */
  readonly credential: string;
  readonly verifier: 'right' | 'wrong';
  readonly redirectUri: 'right' | 'wrong' | 'none';
  /** The key that signs the proof; null: the own one of the client, and none of a thief. */
  readonly key: 'right' | 'wrong' | null;
  readonly scope: readonly Scope[] | null;
  readonly resources: readonly Resource[] | null;
};
/** `credential` null: the resource owner ends all that the client may do. */
export type GivingBack = { readonly kind: 'revoke'; readonly credential: string | null };
export type Approving = {
  readonly kind: 'approve';
  readonly scope: readonly Scope[];
  readonly resources: readonly Resource[];
  /** How strong a sign-in the client asks for; null: any. */
  readonly level: (typeof LEVELS)[number] | null;
};
export type Operating = { readonly kind: 'operate'; readonly does: OperatorAction };

/** The password that is typed. */
export type Typed = 'right' | 'wrong' | 'old';
/** In a browser. `credential`: presented, read or removed, by its name; null: the action is about none. */
export type Acting = {
  readonly kind: 'act';
  readonly act: 'shows' | 'reads' | 'removes' | BrowserAction;
  readonly credential: { readonly kind: PersonalKind; readonly name: string } | null;
  readonly password: Typed;
};
export type Action = Presenting | GivingBack | Approving | Operating | Acting;

/** Milliseconds. */
export type Wait =
  | { readonly kind: 'for'; readonly milliseconds: number }
  | { readonly kind: 'until'; readonly end: EndName; readonly offset: -1 | 0 | 1 };

export type Expected = {
  readonly answer:
    | { readonly kind: 'gives'; readonly what: GivenKind; readonly name: string }
    | { readonly kind: 'refused'; readonly reason: RefusedReason }
    | { readonly kind: 'unavailable'; readonly reason: UnavailableReason }
    | null;
  readonly chain: 'alive' | 'dead' | null;
  readonly session: 'active' | 'awaitingSecondFactor' | 'ended' | null;
};

/** A single step. */
export type Beat = {
  /** "3", or "3.1" for the first of several concurrent steps. */
  readonly number: string;
  readonly line: number | null;
  readonly wait: Wait | null;
  readonly act: { readonly actor: Actor; readonly action: Action } | null;
  readonly fate: Fate | null;
  readonly expected: Expected;
};

export type Turn = { readonly beat: number; readonly does: 'loads' | 'commits' | 'happens' };

/** Concurrent beats (usually one), and the order of their halves. */
export type Round = { readonly beats: readonly Beat[]; readonly order: readonly Turn[] };

/** The policy of sign-ins, as far as a scenario depends on it. */
export type SignInTerms = Pick<SignInPolicy, (typeof SIGN_IN_KEYS)[number]>;

export type Scenario = {
  readonly file: string;
  readonly title: string;
  readonly says: string;
  readonly lifetimes: Lifetimes;
  readonly signIn: SignInTerms;
  readonly rounds: readonly Round[];
};

/** A request has two halves, with room for other beats between them; every other action is one beat. */
export const isRequest = ({ act }: Beat): boolean =>
  act !== null && (act.action.kind === 'present' || act.action.kind === 'revoke');
