/** The view of the server while a scenario is played on it (server/). */
import type { App } from './devices/authenticator-app.ts';
import type { SoftwarePasskey } from './devices/passkey.ts';
import type { ActorName, CodeKind, GivenKind } from './vocabulary.ts';

/** Given by a step in a browser, and presented by later ones. */
export type PersonalCredential =
  | { readonly kind: 'cookie'; readonly value: string }
  | { readonly kind: 'app'; readonly id: string; readonly app: App }
  | { readonly kind: CodeKind; readonly code: string }
  | {
      readonly kind: 'passkey';
      readonly passkey: SoftwarePasskey;
      readonly id: string;
      /** The signature counter of each actor who has a copy. */
      readonly copies: Map<ActorName, number>;
    }
  /** Path and query to which the browser comes back. */
  | { readonly kind: 'answer' | 'link'; readonly callback: string }
  /** `page`: the path of the page to type it in. */
  | { readonly kind: 'mailedCode'; readonly digits: string; readonly page: string }
  /** The link with its `request_uri`. */
  | { readonly kind: 'request'; readonly link: string }
  /** The path of the link. */
  | { readonly kind: 'resetMail' | 'changeMail' | 'undoMail' | 'lostMail'; readonly link: string };

export type CredentialOf<Kind extends PersonalCredential['kind']> = Extract<
  PersonalCredential,
  { readonly kind: Kind }
>;

/** A code or a token of a client; or a credential of an end-user. */
export type Credential = string | PersonalCredential;

/** The outcome of a request, or of an action in a browser. */
export type Answer =
  | { readonly kind: 'gives'; readonly what: GivenKind; readonly credential: Credential }
  | { readonly kind: 'refused' | 'unavailable'; readonly reason: string }
  /** Done. Of a request to revoke: it is 200, also where no token was active (RFC 7009 §2.2). */
  | { readonly kind: 'done' };

/** A statement that was sent to the database, for the diagram. */
export type Statement =
  | { readonly kind: 'load'; readonly again: boolean }
  | {
      readonly kind: 'commit';
      readonly what: 'tokens' | 'revocation';
      /** `held`: executed and acknowledged. */
      readonly came: 'held' | 'guardLost' | 'answerLost' | 'lost' | 'notSent';
    };

/** A request in flight, up to the load of its row. */
export type UnderWay = {
  readonly statements: readonly Statement[];
  /** Runs the request to its end. */
  readonly finish: () => Promise<{ readonly statements: readonly Statement[]; readonly answer: Answer }>;
};

/** `reason`: why it is dead. */
export type Chain = { readonly alive: boolean; readonly reason: string | null };

/** Of the cookie that a browser has. `reason`: why it has ended. */
export type SessionSeen = {
  readonly state: 'active' | 'awaitingSecondFactor' | 'ended' | 'unknown';
  readonly reason: string | null;
};
