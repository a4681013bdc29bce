/** The caching headers of a response that depends on a token, beside those that the API sets itself. */
import { type Outcome, UNCACHED } from './outcome.ts';

/** The present values of both headers, in any form of a framework. */
export type PresentHeaders = {
  readonly cacheControl: unknown;
  readonly vary: number | string | readonly string[] | null | undefined;
};

/** @returns the headers to set: the API's own Cache-Control stays, and the guard extends its Vary. */
export const cachingOf = ({ cacheControl, vary }: PresentHeaders) => ({
  vary: varying(vary),
  ...((cacheControl ?? null) === null && { 'cache-control': UNCACHED['cache-control'] }),
});

/** @returns the headers to set before the handler runs, for any outcome. */
export const headersFor = ({ kind, headers }: Outcome, present: PresentHeaders): Readonly<Record<string, string>> => ({
  ...(kind !== 'granted' && headers),
  ...cachingOf(present),
});

function varying(given: PresentHeaders['vary']): string {
  const names = [given ?? []].flat().flatMap((one) => String(one).split(/ *, */));
  const isNamed = names.some((name) => name === '*' || name.toLowerCase() === 'authorization');
  return [...names, ...(isNamed ? [] : [UNCACHED.vary])].join(', ');
}
