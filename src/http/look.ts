/** The look of a page for one user: language, locale and time zone. Chosen once for each page. */
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Configuration } from '../config/configuration.ts';
import { brandSource, type ShownBrand } from './brand.ts';
import type { Frame } from './views/page.ts';
import { chooseLanguage, languageOf } from './words/languages.ts';
import type { Words } from './words/words.ts';

/** The first argument of every view. */
export type Look = Frame & {
  readonly words: Words;
  /** BCP 47, with the requested region: for dates and numbers. */
  readonly locale: string;
  /** A time zone of the IANA database. */
  readonly timeZone: string;
};

export type AskedLook = {
  /** From the authorization request (OpenID Connect Core §3.1.2.1): the best first. */
  readonly uiLocales?: readonly string[] | undefined;
  /** The signed-in user, whose claims `locale` and `zoneinfo` apply. */
  readonly userId?: string | undefined;
};

export type LookOptions = {
  readonly issuer: string;
  readonly configuration: () => Pick<Configuration, 'branding'>;
  /** Null: the end-user was not found. */
  readonly claimsOf: (userId: string) => Promise<Readonly<Record<string, unknown>> | null>;
};

declare module 'fastify' {
  interface FastifyInstance {
    /** The one decorator of the app: error handlers also send pages, and receive only the request and the reply. */
    readonly looks: {
      readonly of: (request: FastifyRequest, asked: AskedLook) => Promise<Look>;
      readonly brand: () => ShownBrand;
    };
  }
}

/** In this order: the client's `ui_locales`, the user's own choice, the browser's preference, English. */
export const looks = fp<LookOptions>(
  async (app, { issuer, configuration, claimsOf }) => {
    const brand = brandSource(configuration, issuer);
    const logged = new Set<string>();
    const wordsOf = async (tag: string) => {
      const { direction, words, problems } = await languageOf(tag);
      if (problems.length > 0 && !logged.has(tag)) {
        logged.add(tag);
        app.log.warn({ language: tag, problems }, 'the pages show some texts of this language in English');
      }
      return { direction, words };
    };
    async function of(request: FastifyRequest, { uiLocales = [], userId }: AskedLook): Promise<Look> {
      const claims = userId === undefined ? null : await claimsOf(userId);
      const languages = [...uiLocales, ...texts(claims?.['locale']), ...(await acceptedBy(request))];
      const chosen = chooseLanguage(languages);
      const { direction, words } = await wordsOf(chosen.tag);
      const timeZone = texts(claims?.['zoneinfo']).find(isTimeZone) ?? 'UTC';
      return { language: chosen.tag, direction, locale: chosen.locale, timeZone, words, brand: brand().brand };
    }
    app.decorate('looks', { of, brand });
  },
  { name: 'looks' },
);

/** @throws StoreUnavailable where `userId` is given. */
export const lookOf = (request: FastifyRequest, asked: AskedLook = {}): Promise<Look> =>
  request.server.looks.of(request, asked);

/** The server looks up each of them. */
const MAX_LANGUAGES = 20;

/** The best first. "*" for a browser without a preference. */
export async function acceptedBy({ raw }: FastifyRequest): Promise<string[]> {
  // A start without a page needs neither this nor the texts.
  const { default: Negotiator } = await import('negotiator');
  return new Negotiator(raw).languages().slice(0, MAX_LANGUAGES);
}

/** An import may have put any value into a claim. */
const texts = (claim: unknown): string[] => (typeof claim === 'string' ? [claim] : []);

function isTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }) !== null;
  } catch {
    return false;
  }
}
