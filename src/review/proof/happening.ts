/** What can happen, as a reviewer reads it in a trace. */
import type { Credential, Token } from './world.ts';

/** A step of a presentation. `told`: it ended there, and this is what the presenter was told, by the reason in the log. */
export type Going = { readonly credential: Credential; readonly told?: string } & (
  | { readonly kind: 'presented'; readonly again: boolean }
  | { readonly kind: 'committed'; readonly what: 'tokens' | 'revocation'; readonly held: boolean }
  | { readonly kind: 'loadedAgain' }
  | { readonly kind: 'commitAnswerLost'; readonly carriedOut: 'yes' | 'notYet' | 'never' }
);

export type Happening =
  | Going
  | { readonly kind: 'answered'; readonly credential: Credential; readonly token: Token }
  | { readonly kind: 'revocationRequested' | 'revocationLoadedAgain' }
  | { readonly kind: 'revocationCommitted'; readonly held: boolean }
  | { readonly kind: 'timePassed'; readonly to: number }
  | { readonly kind: 'crashed'; readonly credential: Credential | null }
  | { readonly kind: 'strayCommitted'; readonly held: boolean }
  | {
      readonly kind: 'userDisabled' | 'userEnabled' | 'clientDeleted' | 'clientRegisteredAgain' | 'serverEpochRaised';
    }
  | { readonly kind: 'backupRestored'; readonly recovered: boolean };

/** What the presenter is told: tokens, an OAuth error with the reason that the log gets, or a 503. */
export type Answer =
  | { readonly kind: 'tokens'; readonly token: Token }
  | { readonly kind: 'refused' | 'unavailable'; readonly reason: string };
