/**
 * `ui_locales` (OpenID Connect Core §3.1.2.1, RP-Initiated Logout 1.0 §2): the languages that the end-user prefers, the
 * best first. It is a preference, and no request fails because of it.
 */
import { parseParameters } from './parameters.ts';

const NAME = 'ui_locales';
/** The length that RFC 5646 §4.4.1 requires a receiver to accept for a tag. */
const MAX_TAG_CHARACTERS = 35;
const MAX_TAGS = 8;
const TAG = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/;

/** @param encoded a query or a form body. @returns the valid tags. Empty where the parameter is repeated. */
export const uiLocalesIn = (encoded: string): readonly string[] =>
  (parseParameters(encoded, [NAME]).parameters.get(NAME) ?? '')
    .split(' ')
    .filter((tag) => tag.length <= MAX_TAG_CHARACTERS && TAG.test(tag))
    .slice(0, MAX_TAGS);

/** As a parameter of a form or a query. Empty without languages. */
export const uiLocalesParameter = (uiLocales: readonly string[]): Readonly<Record<string, string>> =>
  uiLocales.length === 0 ? {} : { [NAME]: uiLocales.join(' ') };
