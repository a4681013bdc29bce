/** A guard as text, and the predicates that it uses. XState's `and`, `or` and `not` are functions with guards as properties. */
import { and, not, or } from 'xstate';
import { type Call, callWords, readCall } from './calls.ts';

export type Guard = {
  readonly words: string;
  /** In order. */
  readonly asks: readonly Call[];
};

type Composed = { readonly check?: unknown; readonly guards?: unknown };
type Composition = 'and' | 'or' | 'not';

/** Each kind has its own `check` function in XState; the name of the outer function could change in a bundle. */
const COMPOSITIONS: ReadonlyMap<unknown, Composition> = new Map<unknown, Composition>([
  [(and([]) as Composed).check, 'and'],
  [(or([]) as Composed).check, 'or'],
  [(not('') as Composed).check, 'not'],
]);

export const isComposed = (written: unknown): boolean =>
  typeof written === 'function' && COMPOSITIONS.has((written as Composed).check);

/** The composed parts and the kind of composition. Null: it is the name of one predicate. */
export function compositionOf(
  written: unknown,
): { readonly kind: Composition; readonly guards: readonly unknown[] } | null {
  if (!isComposed(written)) return null;
  const { check, guards } = written as Composed;
  return { kind: COMPOSITIONS.get(check) ?? 'and', guards: [guards ?? []].flat() };
}

export function readGuard(written: unknown): Guard {
  const composed = compositionOf(written);
  if (composed === null) return readPredicate(written);
  const { kind: composition } = composed;
  const parts = composed.guards.map((part) => ({ ...readGuard(part), isJoined: isJoined(part) }));
  const asks = parts.flatMap((part) => part.asks);
  const inside = parts.map(({ words, isJoined }) => (isJoined ? `(${words})` : words));
  if (composition === 'not') return { words: `not ${inside.join(', ')}`, asks };
  const [only] = parts;
  if (parts.length === 1 && only) return { words: only.words, asks };
  return { words: inside.join(` ${composition} `) || `${composition}()`, asks };
}

function readPredicate(written: unknown): Guard {
  const call = readCall(written);
  return { words: callWords(call), asks: [call] };
}

/** Several guards joined by `and` or `or`, which need parentheses inside another guard. */
function isJoined(written: unknown): boolean {
  const composed = compositionOf(written);
  if (composed === null) return false;
  const { kind, guards: parts } = composed;
  return kind !== 'not' && (parts.length > 1 || (parts.length === 1 && isJoined(parts[0])));
}
