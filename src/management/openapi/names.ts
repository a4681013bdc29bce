/** The names of operations, from method and path: `listUserGrants`, `replaceClient`. */
import type { Method } from '../operations.ts';
import type { Operation } from '../resource.ts';

const VERBS: Readonly<Record<Method, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'replace',
  PATCH: 'change',
  DELETE: 'delete',
};

const capital = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/(?<!s|u)s$/, '');
const isParameter = (part: string | undefined): boolean => part?.startsWith('{') ?? false;

/** @param isList the answer has items. */
export function operationId(method: Method, path: string, isList: boolean): string {
  const parts = path.split('/').filter((part) => part !== '');
  const nouns = parts.flatMap((part, index) => {
    if (isParameter(part)) return [];
    const isOne = isParameter(parts[index + 1]) || (method === 'POST' && index === parts.length - 1);
    const words = part.split('-');
    return words.map((word, at) => capital(isOne && at === words.length - 1 ? singular(word) : word));
  });
  return `${isList ? 'list' : VERBS[method]}${nouns.join('') || 'Api'}`;
}

export const isList = ({ answer }: Operation): boolean => 'items' in ((answer as { shape?: object })?.shape ?? {});
