/** An effect or a predicate as a machine names it, with its parameters. */
import { INLINE, wordsOf } from './words.ts';

export type Call = { readonly name: string; readonly params: Readonly<Record<string, unknown>> };

/** @param written a name, `{ type, params }`, or a function, which has no name. */
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

/** `name value value`, for effects. */
export const effectWords = (effect: Call): string => [effect.name, ...values(effect)].join(' ');
