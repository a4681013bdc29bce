/** The keys to which an access token is bound. */
import type { Confirmation } from '../crypto/access-token.ts';
import type { Proof } from '../model/proof.ts';

/** Of the access tokens of a request. Null: it proves nothing, so they are bearer tokens. */
export const confirmationOf = ({ key, certificate }: Proof): Confirmation | null =>
  key === null && certificate === null
    ? null
    : { ...(key !== null && { jkt: key }), ...(certificate !== null && { 'x5t#S256': certificate }) };

/** RFC 9449 §5: the scheme under which a token is presented. RFC 8705 has none of its own. */
export const tokenTypeOf = (confirmation: Confirmation | null | undefined): 'Bearer' | 'DPoP' =>
  confirmation?.jkt === undefined ? 'Bearer' : 'DPoP';
