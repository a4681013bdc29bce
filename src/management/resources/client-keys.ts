/** The public keys of a client, and the last fetch of those that it publishes: by the memory of the node that answers. */
import { z } from 'zod';
import { clientKeySchema } from '../../../policies/client-schema.ts';
import type { Client } from '../../model/client.ts';
import { findClient } from '../../storage/clients.ts';
import type { ManagementDeps } from '../deps.ts';
import { shownInstant } from '../instant.ts';
import { notFound } from '../problem.ts';
import { found, resource } from '../resource.ts';
import { clientId } from './clients.ts';

const { kty, kid, crv, alg } = clientKeySchema.shape;

const shape = z
  .object({
    keys: z.array(z.object({ kty, kid, crv, alg })).describe('The keys that count now, without their values.'),
    fetched_at: shownInstant
      .nullable()
      .describe('The last fetch that brought keys. Null: none on this node, or the keys are registered.'),
    tried_at: shownInstant.nullable().describe('The last fetch, whatever its outcome.'),
    problem: z.string().nullable().describe('Why the last fetch brought no keys. Null: it brought some.'),
  })
  .meta({ id: 'ClientKeys' });

export const clientKeys = resource(
  '/clients/{client_id}/keys',
  'the public keys of a client',
  { client_id: clientId },
  (method) => ({
    GET: method({
      summary: 'The public keys of a client, and when this node last fetched them from its `jwks_uri`.',
      answer: shape,
      run: async (deps, { params: { client_id } }) => {
        const client = await findClient(deps.db, deps.macs, client_id);
        return client ? found(keysOf(deps, client)) : notFound('client');
      },
    }),
  }),
);

function keysOf({ standingOfKeys, clock }: ManagementDeps, { jwks, jwksUri, registeredBy }: Client) {
  const standing = jwksUri === null ? null : standingOfKeys(jwksUri, { registeredBy });
  const now = (clock.fixedNow() ?? new Date()).getTime();
  const at = (millisecondsAgo: number | null | undefined) =>
    typeof millisecondsAgo === 'number' ? new Date(now - millisecondsAgo).toISOString() : null;
  return {
    keys: (standing?.keys ?? jwks?.keys ?? []).map((key) => ({
      kty: key.kty,
      kid: key.kid,
      crv: key.crv,
      alg: key.alg,
    })),
    fetched_at: at(standing?.fetchedMillisecondsAgo),
    tried_at: at(standing?.triedMillisecondsAgo),
    problem: standing?.problem ?? null,
  };
}
