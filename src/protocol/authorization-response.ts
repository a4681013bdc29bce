/**
 * The response to the client through the browser (RFC 6749 §4.1.2): a code or an error, the client's `state`, and the
 * issuer.
 */
import type { ResponseMode } from '../model/interaction.ts';
import type { AuthorizationErrorCode } from '../oauth/errors.ts';

export type AuthorizationResponse = {
  readonly redirectUri: string;
  readonly responseMode: ResponseMode;
  readonly parameters: Readonly<Record<string, string>>;
};

type Content =
  | { readonly code: string }
  | { readonly error: AuthorizationErrorCode; readonly error_description: string };

/** RFC 9207 §2: the response MUST name its issuer, errors included. `state` returns to the client unchanged. */
export const authorizationResponse = (
  issuer: string,
  to: { readonly redirectUri: string; readonly responseMode: ResponseMode; readonly state: string | null },
  content: Content,
): AuthorizationResponse => ({
  redirectUri: to.redirectUri,
  responseMode: to.responseMode,
  parameters: { ...content, ...(to.state !== null && { state: to.state }), iss: issuer },
});
