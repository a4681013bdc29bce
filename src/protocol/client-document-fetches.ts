/** The fetches of documents of clients at this node: few together, each URL once, and pauses for an origin that does not answer. */
import type { MetadataDocuments } from '../../policies/registration-schema.ts';
import type { Fetched, RememberedFailure } from '../lifecycles/client-document/lifecycle.ts';
import { originOf } from '../oauth/client-id-url.ts';
import { keepNewest } from './newest-entries.ts';

export type ClientDocumentFetches = {
  /** Requests that name the same URL meanwhile get the same answer. */
  readonly fetch: (url: string, rules: MetadataDocuments) => Promise<Fetched>;
  /** The last fetch, if it failed. @param now of the database. */
  readonly failureOf: (url: string, now: Date) => RememberedFailure | null;
};

export type ClientDocumentFetchesDeps = {
  readonly fetchDocument: (url: string, rules: MetadataDocuments) => Promise<Fetched>;
  readonly onFailure: (url: string, problem: string) => void;
  /** Milliseconds, by any monotonic clock. */
  readonly now: () => number;
};

const MAX_TOGETHER = 16;
const MAX_TOGETHER_OF_ORIGIN = 2;
const MAX_REMEMBERED = 1000;
/** An origin that did not answer so often gets a pause, which doubles with each further failure. */
const FAILURES_BEFORE_PAUSE = 3;
const FIRST_PAUSE_MILLISECONDS = 10_000;
const LONGEST_PAUSE_MILLISECONDS = 300_000;

type Origin = { together: number; failures: number; pausedUntil: number };
type Failure = { readonly at: number; readonly problem: string };

const unreachable = (problem: string): Fetched => ({ kind: 'unreachable', problem });

export function clientDocumentFetches({
  fetchDocument,
  onFailure,
  now,
}: ClientDocumentFetchesDeps): ClientDocumentFetches {
  const running = new Map<string, Promise<Fetched>>();
  /** The least recently failed first. */
  const failures = new Map<string, Failure>();
  const origins = new Map<string, Origin>();

  function originFor(url: string): Origin {
    const name = originOf(url);
    const one = origins.get(name) ?? { together: 0, failures: 0, pausedUntil: Number.NEGATIVE_INFINITY };
    origins.delete(name);
    origins.set(name, one);
    keepNewest(origins, MAX_REMEMBERED);
    return one;
  }

  function remember(url: string, problem: string): void {
    failures.delete(url);
    failures.set(url, { at: now(), problem });
    keepNewest(failures, MAX_REMEMBERED);
  }

  function settled(url: string, origin: Origin, fetched: Fetched): Fetched {
    origin.failures = fetched.kind === 'unreachable' ? origin.failures + 1 : 0;
    const beyond = origin.failures - FAILURES_BEFORE_PAUSE;
    if (beyond >= 0)
      origin.pausedUntil = now() + Math.min(LONGEST_PAUSE_MILLISECONDS, FIRST_PAUSE_MILLISECONDS * 2 ** beyond);
    if (fetched.kind === 'described') failures.delete(url);
    else {
      remember(url, fetched.problem);
      onFailure(url, fetched.problem);
    }
    return fetched;
  }

  return {
    failureOf: (url, at) => {
      const failure = failures.get(url);
      return failure === undefined
        ? null
        : { at: new Date(at.getTime() - (now() - failure.at)), problem: failure.problem };
    },
    fetch: async (url, rules) => {
      const same = running.get(url);
      if (same !== undefined) return same;
      const origin = originFor(url);
      if (now() < origin.pausedUntil)
        return unreachable('Its origin did not answer several fetches, and gets a pause.');
      if (running.size >= MAX_TOGETHER || origin.together >= MAX_TOGETHER_OF_ORIGIN)
        return unreachable('The server fetches as many documents as it may. The next request tries again.');
      origin.together++;
      const fetching = fetchDocument(url, rules)
        .catch((): Fetched => unreachable('The fetch failed.'))
        .then((fetched) => settled(url, origin, fetched))
        .finally(() => {
          origin.together--;
          running.delete(url);
        });
      running.set(url, fetching);
      return fetching;
    },
  };
}
