/** Explanations, through the management API. */
import { grantIdIn } from '../../explanation/grant-id.ts';
import { noSuchGrant } from '../failure.ts';
import type { Explanations } from '../ports.ts';
import type { ManagementApi } from './api.ts';
import { orNull } from './refusals.ts';

export const remoteExplanations = (api: ManagementApi): Explanations => ({
  explain: async (text) => {
    const answered = await orNull(api.send('POST', ['explanations'], { body: { credential: text } }));
    // A token that leads to a grant is good for nothing in a message.
    if (answered === null) throw noSuchGrant(grantIdIn(text) ?? 'that of the credential');
    return answered.document;
  },
});
