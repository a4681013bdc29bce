/** Where everything is, and who asks. */
import { z } from 'zod';
import { addressOf, links } from '../addresses.ts';
import { ADDRESSES } from '../operations.ts';
import { link } from '../page.ts';
import { found, resource } from '../resource.ts';

/** The addresses with one part, such as /clients. */
const COLLECTIONS = ADDRESSES.flatMap((address) => /^\/([\w-]+)$/.exec(address)?.[1] ?? []);

export const root = resource('/', 'the API', {}, (method) => ({
  GET: method({
    summary: 'The addresses of the API, and the caller.',
    answer: z.object({
      me: z.object({
        kind: z.enum(['operator', 'client']),
        sub: z.string().optional(),
        user_id: z.uuid().optional().describe('The end-user in the addresses of the API.'),
        client_id: z.string().optional(),
        username: z.string().nullable(),
        scopes: z.array(z.string()).describe('The scopes of the access token that the current role has too.'),
      }),
      _links: z.record(z.string(), link),
    }),
    run: async ({ issuer }, { me: { kind, id, sub = id, username, scopes } }) =>
      found({
        me: { kind, ...(kind === 'operator' ? { sub, user_id: id } : { client_id: id }), username, scopes },
        ...links({
          self: addressOf(issuer),
          ...Object.fromEntries(COLLECTIONS.map((name) => [name, addressOf(issuer, name)])),
          // RFC 8631 §4.
          'service-desc': addressOf(issuer, 'openapi.json'),
          'service-doc': addressOf(issuer, 'reference'),
        }),
      }),
  }),
}));
