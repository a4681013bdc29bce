/** An invitation, on the database itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Runtime } from '../../boot/runtime.ts';
import { rowMacs } from '../../crypto/row-mac.ts';
import { commandLine } from '../../model/actor.ts';
import { invite, offered } from '../../people/sign-up/sign-up.ts';
import { emailChallengeStore } from '../../storage/email-challenges.ts';
import { databaseClock } from '../../system/clock.ts';
import { CommandRefused } from '../failure.ts';
import type { Users } from '../ports.ts';

export const directInvite =
  ({ environment, database, keys, random, configuration }: Runtime): Users['invite'] =>
  async (email, mail) => {
    if (mail !== null)
      throw new CommandRefused(
        'Mails are sent by a server that runs: start it, or leave out --mail. Nothing was changed.',
      );
    if (environment.smtp === null && environment.databaseUrl !== null)
      throw new CommandRefused('Set STATEHOUSE_SMTP_URL: the pages of invitations need mails. Nothing was changed.');
    const deps = {
      issuer: environment.issuer,
      random,
      sleep: (milliseconds: number) => sleep(milliseconds),
      challenges: emailChallengeStore(database.drizzle, databaseClock, rowMacs(keys)),
      isOffered: offered(() => configuration.signIn),
    };
    const outcome = await invite(deps, null, { email, language: null }, commandLine);
    if (outcome.kind === 'addressRefused')
      throw new CommandRefused('Expected an e-mail address such as ada@example.com. Nothing was changed.');
    if (outcome.kind === 'signUpIsOff')
      throw new CommandRefused('Set signUp in policies/sign-in.yaml to "invitation" or "open". Nothing was changed.');
    const { challenge, url } = outcome;
    return { id: challenge.id, email: challenge.address, endsAt: challenge.endsAt, link: url };
  };
