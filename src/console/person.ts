/** Users know usernames, and the API needs a `sub`. */
import type { Answer, Page, Problem } from './management-api.ts';
import type { Fields, Viewer } from './shown.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** As the server makes ids, in either case. */
export const isId = (text: string): boolean => UUID.test(text);

export const PERSON_LABEL = 'End-user (username or sub)';

type Found = { readonly kind: 'found'; readonly sub: string } | { readonly kind: 'problem'; readonly problem: Problem };

/** @returns an empty `sub` where the query names no user. The case of a username does not matter. */
export const personIn = (viewer: Viewer, query: Fields): Promise<Found> => personNamed(viewer, query.get('sub').trim());

/** @param typed the username or the `sub`. */
export async function personNamed(viewer: Viewer, typed: string): Promise<Found> {
  if (typed === '' || isId(typed)) return { kind: 'found', sub: typed.toLowerCase() };
  const answer: Answer<Page<{ readonly sub: string }>> = await viewer.api.list('/users', { username: typed });
  if (!answer.ok) return { kind: 'problem', problem: answer.problem };
  const [person] = answer.value.items;
  return person ? { kind: 'found', sub: person.sub } : { kind: 'problem', problem: NOBODY };
}

const NOBODY: Problem = {
  status: 404,
  reason: 'not_found',
  title: 'Username not found',
  detail: 'No user has this username. The field on top finds users by a part of it.',
  errors: [],
  missingScope: null,
};
