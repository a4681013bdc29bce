/**
 * The response to the client through the browser (RFC 6749 §4.1.2): a code or an error, the client's `state`, and the
 * issuer. Where the client asks for it, a JWT has all of them (JARM).
 */
import type { Configuration } from '../config/configuration.ts';
import { signAuthorizationResponse } from '../crypto/authorization-response.ts';
import type { KeyRing } from '../crypto/signing-keys.ts';
import { instrument } from '../engine/observe.ts';
import type { Client } from '../model/client.ts';
import type { ResponseMode, Transport } from '../model/interaction.ts';
import type { AuthorizationErrorCode } from '../oauth/errors.ts';
import { responseAlgorithmOf } from './profile.ts';

export type AuthorizationResponse = {
  readonly redirectUri: string;
  readonly transport: Transport;
  readonly parameters: Readonly<Record<string, string>>;
};

export type ResponseDeps = {
  readonly issuer: string;
  readonly keyRing: KeyRing;
  readonly configuration: () => Configuration;
};

type Content =
  | { readonly code: string }
  | { readonly error: AuthorizationErrorCode; readonly error_description: string };

type To = {
  readonly client: Client;
  readonly redirectUri: string;
  readonly responseMode: ResponseMode;
  readonly state: string | null;
  readonly now: Date;
};

/**
 * RFC 9207 §2: the response MUST name its issuer, errors included. `state` returns to the client unchanged.
 * @throws Unavailable when a device holds the key, and does not answer.
 */
export async function authorizationResponse(
  deps: ResponseDeps,
  { client, redirectUri, responseMode, state, now }: To,
  content: Content,
): Promise<AuthorizationResponse> {
  const parameters = { ...content, ...(state !== null && { state }), iss: deps.issuer };
  switch (responseMode) {
    case 'query':
    case 'form_post':
      return { redirectUri, transport: responseMode, parameters };
    case 'query.jwt':
    case 'form_post.jwt': {
      const transport = responseMode === 'query.jwt' ? 'query' : 'form_post';
      const signer = deps.keyRing.signerOf(responseAlgorithmOf(deps.configuration(), client));
      const told = { ...parameters, aud: client.clientId, exp: Math.floor(now.getTime() / 1000) + LIFETIME_SECONDS };
      const response = await instrument('sign', 'authorizationResponse', async () =>
        signAuthorizationResponse(signer, told),
      );
      return { redirectUri, transport, parameters: { response } };
    }
  }
}

/** JARM §2.1: "A maximum JWT lifetime of 10 minutes is RECOMMENDED." */
const LIFETIME_SECONDS = 600;
