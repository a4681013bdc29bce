/** What a machine names and does not define: an effect, or a predicate. With its parameters, which are data. */
import { INLINE, wordsOf } from './words.ts';

export type Call = { readonly name: string; readonly params: Readonly<Record<string, unknown>> };

/** @param written a name, `{ type, params }`, or a function, which has no name to show. */
export function readCall(written: unknown): Call {
  if (typeof written === 'function') return { name: INLINE, params: {} };
  const { type, params = {} } = (written ?? {}) as { readonly type?: unknown; readonly params?: unknown };
  if (typeof type !== 'string') return { name: wordsOf(written), params: {} };
  return { name: type, params: typeof params === 'object' && params !== null ? { ...params } : { params } };
}

const values = ({ params }: Call): readonly string[] => Object.values(params).map(wordsOf);

/** `name`, or `name(value, value)`. */
export const callWords = (call: Call): string =>
  Object.keys(call.params).length === 0 ? call.name : `${call.name}(${values(call).join(', ')})`;

/** `name value value`, as effects are read aloud. */
export const effectWords = (effect: Call): string => [effect.name, ...values(effect)].join(' ');
