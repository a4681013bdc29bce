/** `STATEHOUSE_BOOTSTRAP_OPERATOR`: for whom the first start makes a set-up link. A secret may be in it, so no value is shown. */
import { isSetUpSecret } from '../oauth/set-up-secret.ts';

export const BOOTSTRAP_VARIABLE = 'STATEHOUSE_BOOTSTRAP_OPERATOR';

export type BootstrapOperator = {
  readonly username: string;
  /** Of the link, for a server without a terminal; null: the server draws it. */
  readonly secret: string | null;
};

/** @param text null: not set. */
export function readBootstrapOperator(text: string | null): BootstrapOperator | { readonly problem: string } | null {
  if (text === null) return null;
  const [username = '', secret = null, ...more] = text.split(':').map((part) => part.trim());
  if (username === '' || username.length > 256 || more.length > 0)
    return { problem: `${BOOTSTRAP_VARIABLE}: Expected a username without ":", or username:secret.` };
  if (secret !== null && !isSetUpSecret(secret)) {
    return {
      problem: `${BOOTSTRAP_VARIABLE}: Expected a secret of 43 to 256 letters, digits, "-" and "_" after the ":". Make one with: openssl rand -hex 32`,
    };
  }
  return { username, secret };
}
