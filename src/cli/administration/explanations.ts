/** Explanations, through the management API. */
import type { ExplainedGrant, ExplainedWithoutGrant } from '../../explanation/explain.ts';
import { grantIdIn } from '../../explanation/grant-id.ts';
import { noSuchGrant } from '../failure.ts';
import type { ManagementApi } from './api.ts';
import { orNull } from './refusals.ts';

export const explanationsAt = (api: ManagementApi) => ({
  /** @param text a token, a code or a grant id. @throws CommandRefused for a grant that is not there. */
  explain: async (text: string) => {
    const answered = await orNull(api.send('POST', '/explanations', { body: { credential: text } }));
    // A message names the grant, never the token.
    if (answered === null) throw noSuchGrant(grantIdIn(text) ?? 'that of the credential');
    // The schema of the resource names the members that every explanation has.
    return answered.value as unknown as ExplainedGrant | ExplainedWithoutGrant;
  },
});
