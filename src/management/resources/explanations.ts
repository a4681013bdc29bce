/** Explanations of a grant, from a token, a code, or a grant id of a log. */
import { z } from 'zod';
import { explain } from '../../explanation/explain.ts';
import { notFound } from '../problem.ts';
import { found, resource } from '../resource.ts';

export const explanations = resource('/explanations', 'the explanations', {}, (method) => ({
  POST: method({
    summary: 'The life of the grant that a token, a code or a grant id leads to. It is not presented: nothing changes.',
    body: z.strictObject({
      credential: z
        .string()
        .min(1)
        .max(16_384)
        .describe('A token, a code or a grant id. It is stored and logged nowhere.'),
    }),
    answer: z.looseObject({
      grant_id: z.uuid().nullable().describe('Null: it leads to no grant; `presented` says why.'),
      presented: z
        .looseObject({ place: z.string(), says: z.string().describe('The same, as a sentence.') })
        .nullable()
        .describe('Where the credential stands; null: it was a grant id.'),
    }),
    secret: true,
    rejects: ['not_found'],
    run: async ({ db, clock, keys, issuer, configuration }, { body: { credential } }) => {
      const explained = await explain({ db, clock, keys, issuer, configuration: configuration() }, credential);
      return explained.kind === 'explained' ? found(explained.document) : notFound('grant');
    },
  }),
}));
