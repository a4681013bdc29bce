/** An authenticator app (RFC 6238): it is given a secret by a page, and shows another code each 30 seconds. */
import { Secret, TOTP } from 'otpauth';

export type App = { readonly codeAt: (now: Date) => string };

/** @param secret in Base32, in groups or not. */
export const appWith = (secret: string): App => {
  const totp = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) });
  return { codeAt: (now) => totp.generate({ timestamp: now.getTime() }) };
};

type Page = { readonly body: string };

/** The secret that the page of the set-up shows. */
export const secretOn = ({ body }: Page): string => /<code id="secret">([^<]*)</.exec(body)?.[1] ?? '';

/** The codes that the page lists. */
export const codesOn = ({ body }: Page): string[] =>
  [...body.matchAll(/<li><code>([^<]*)<\/code>/g)].map(([, code]) => code ?? '');
