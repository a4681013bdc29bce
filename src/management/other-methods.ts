/**
 * OPTIONS, and 405 for the methods that an address does not have (RFC 9110 §15.5.6). A hook answers them. Routes for them would be five
 * times as many as the others, and each route takes time and memory at the start.
 */
import type { FastifyInstance } from 'fastify';
import { isSpelledAs } from '../http/exact-path.ts';
import { problem } from './problem.ts';
import { sendRefusal } from './refusal.ts';

/** For the routes of this scope, which are registered after it. */
export function otherMethods(app: FastifyInstance, issuer: string): void {
  const methodsAt = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    methodsAt.set(url, [...(methodsAt.get(url) ?? []), ...[method].flat()]);
  });

  // The body is not read.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    const found = [...methodsAt].find(([url]) => isSpelledAs(request, url));
    if (found === undefined) return;
    const allowed = inOrder(found[1]);
    reply.header('allow', allowed.join(', '));
    if (request.method !== 'OPTIONS') return sendRefusal(request, reply, issuer, METHOD_NOT_ALLOWED);
    if (allowed.includes('PATCH')) reply.header('accept-patch', 'application/merge-patch+json');
    return reply.code(204).header('cache-control', 'no-store').send();
  });
}

const inOrder = (methods: readonly string[]): readonly string[] => [
  ...methods.filter((method) => method !== 'HEAD'),
  ...methods.filter((method) => method === 'HEAD'),
  'OPTIONS',
];

const METHOD_NOT_ALLOWED = problem('method_not_allowed', 'The methods of this resource are in the header "Allow".');
