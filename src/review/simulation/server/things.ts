/** What a step of a person gives, and later steps present. */
import type { App } from '../devices/authenticator-app.ts';
import type { SoftwarePasskey } from '../devices/passkey.ts';
import type { ActorName } from '../scenario.ts';

export type PersonalThing =
  | { readonly kind: 'cookie'; readonly value: string }
  | { readonly kind: 'app'; readonly id: string; readonly app: App }
  | { readonly kind: 'appCode'; readonly code: string }
  | {
      readonly kind: 'passkey';
      readonly passkey: SoftwarePasskey;
      readonly id: string;
      /** The signature counter of each who has a copy. */
      readonly copies: Map<ActorName, number>;
    }
  | { readonly kind: 'recoveryCode'; readonly code: string }
  /** Path and query to which the browser comes back. */
  | { readonly kind: 'answer' | 'link'; readonly callback: string }
  /** The path of the link. */
  | { readonly kind: 'resetMail' | 'changeMail' | 'undoMail' | 'lostMail'; readonly link: string };

export type Thing<Kind extends PersonalThing['kind']> = Extract<PersonalThing, { readonly kind: Kind }>;
