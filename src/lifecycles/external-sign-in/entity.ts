/** A browser that was redirected to sign in at another server, and the outcome. */

import type { ExternalSignInPurpose, ExternalSignInState } from '../../../machines/external-sign-in/facts.ts';
import type { Prompt } from '../../../machines/interaction/facts.ts';
import { tableOf } from '../../engine/commit.ts';
import type { Bytes } from '../../model/grant.ts';

/** `upstream`: another OpenID Provider. `delegated`: an application of the team. */
export type ExternalSignInKind = 'upstream' | 'delegated';

/** The requested parameters of the sign-in, which the identity provider receives. */
export type RequestedParameters = {
  readonly clientId: string | null;
  readonly scope: readonly string[];
  /** Never stored: null in each row. */
  readonly loginHint: string | null;
  readonly prompt: readonly Prompt[];
  readonly maxAgeSeconds: number | null;
  readonly acrValues: readonly string[];
  /** Of this server's own classes, the least that the client takes; null: any. */
  readonly requiredClass: string | null;
  readonly uiLocales: readonly string[];
  /** Where the sign-in leads without a client, by the names of `/sign-in?then=`; null: to the overview. */
  readonly destination: string | null;
};

/** One row of `external_sign_ins`. */
export type ExternalSignIn = {
  readonly id: string;
  /** SHA-256 of its name in URLs: the `state` of an authorization request, or the reference of a delegated sign-in. */
  readonly referenceHash: Bytes;
  readonly kind: ExternalSignInKind;
  readonly purpose: ExternalSignInPurpose;
  /** The name of the upstream; `delegated` for the team's application. */
  readonly provider: string;
  /** SHA-256 of the cookie of the browser that began it. */
  readonly browserHash: Bytes;
  /** Null: no client asked for the sign-in. */
  readonly interactionId: string | null;
  /** The sealed form of the interaction while it is not stored; null: it is stored, or there is none. */
  readonly sealedInteraction: string | null;
  readonly requested: RequestedParameters;
  /** Sealed: the `nonce` and the `code_verifier` of the authorization request; null: there is none. */
  readonly sealedSecrets: string | null;
  readonly state: ExternalSignInState;
  /** Of a link from the beginning; else as the answer says. */
  readonly userId: string | null;
  /** How the end-user signed in there (RFC 8176); null: no answer yet. */
  readonly amr: readonly string[] | null;
  readonly authenticatedAt: Date | null;
  /** As the identity provider named it; null: it has not refused. */
  readonly refusal: string | null;
  readonly beganAt: Date;
  readonly endsAt: Date;
};

export const EXTERNAL_SIGN_INS = tableOf<ExternalSignIn>('externalSignIns');
