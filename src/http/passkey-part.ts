/** The button that asks for a passkey. The first page with a button loads its code. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AskDeps, FactorAsked } from '../people/passkeys/ask.ts';
import type { Look } from './look.ts';
import type { PageParts } from './page-parts.ts';
import type { Markup } from './views/page.ts';

export type PasskeyPartDeps = AskDeps & Pick<PageParts, 'cookies'>;

/** The button of a page, and the hash of its script for the page's policy. */
type PasskeyPart = { readonly markup: Markup; readonly script: string };

type PasskeyPlace = {
  readonly action: string;
  /** The purpose of the page's forms. */
  readonly formPurpose: string;
  readonly csrf: string;
  readonly autofill: boolean;
  /** Asks for the passkeys of this session's account. Absent: for any of this site. */
  readonly secondFactorOf?: FactorAsked;
  /** Of its form. */
  readonly fields?: Markup | undefined;
};

/**
 * @returns null: the browser has no cookie yet to which a challenge could be bound, or this site cannot have passkeys.
 */
export async function passkeyPart(
  deps: PasskeyPartDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  look: Look,
  place: PasskeyPlace,
): Promise<PasskeyPart | null> {
  const browser = deps.cookies.hash(request, 'browser') ?? deps.cookies.justSet(reply, 'browser');
  if (browser === null) return null;
  const [{ factorOptions, signInOptions }, { passkeyButton, PASSKEY_SCRIPT_SOURCE }] = await Promise.all([
    import('../people/passkeys/ask.ts'),
    import('./views/passkey.ts'),
  ]);
  const { secondFactorOf: of } = place;
  const asked = of ? factorOptions(deps, browser, of) : signInOptions(deps, browser, place.formPurpose);
  if (asked === null) return null;
  const { factor } = look.words;
  const { fields } = place;
  const words = { button: factor.withPasskey, failed: factor.refused.passkeyRefused, ...(fields && { fields }) };
  return { markup: passkeyButton(look, { ...place, options: asked }, words), script: PASSKEY_SCRIPT_SOURCE };
}
