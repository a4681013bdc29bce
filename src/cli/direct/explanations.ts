/** Explanations, from the database itself. */
import type { Runtime } from '../../boot/runtime.ts';
import { explain } from '../../explanation/explain.ts';
import { databaseClock } from '../../system/clock.ts';
import { noSuchGrant } from '../failure.ts';
import type { Explanations } from '../ports.ts';

export const directExplanations = ({ database, keys, environment, configuration }: Runtime): Explanations => ({
  explain: async (text) => {
    const { issuer } = environment;
    const explained = await explain({ db: database.drizzle, clock: databaseClock, keys, issuer, configuration }, text);
    if (explained.kind === 'no_such_grant') throw noSuchGrant(explained.grantId);
    return explained.document;
  },
});
