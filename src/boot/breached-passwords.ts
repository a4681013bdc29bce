/**
 * A list of breached passwords that another server has, asked by k-anonymity: it is sent five characters of a hash, and answers with the
 * rest of each hash that begins so. A list that does not answer as it should lets the password through.
 */
import type { Logger } from 'pino';
import type { SignInPolicy } from '../../policies/schema.ts';
import { sha1Hex } from '../crypto/digest.ts';
import type { IsBreached } from '../people/passwords/rules.ts';
import { deadlines } from '../system/deadlines.ts';
import { passwordChecks } from '../system/observed.ts';
import { fetchBounded, OtherServerAway } from '../system/other-servers.ts';

const SENT_CHARACTERS = 5;
/** The rest of a SHA-1, and how often it was found. */
const LINE = /^([0-9A-F]{35}):(\d+)$/i;

/** Why there is no answer; a word for the log. */
class NoList extends Error {
  readonly code: string;
  constructor(code: string) {
    super('The list of breached passwords did not answer as it should.');
    this.name = 'NoList';
    this.code = code;
  }
}

export function breachedPasswords(policy: () => SignInPolicy, logger: Pick<Logger, 'warn'>): IsBreached {
  return async (password) => {
    const list = policy().breachedPasswords;
    if (list === undefined) return false;
    try {
      const isBreached = await isInList(list.rangeUrl, password);
      passwordChecks.publish(() => ({ check: 'breached', outcome: 'made' }));
      return isBreached;
    } catch (error) {
      if (!(error instanceof OtherServerAway || error instanceof NoList)) throw error;
      passwordChecks.publish(() => ({ check: 'breached', outcome: 'skipped' }));
      // Neither the address that was asked, which ends in a part of the hash, nor anything of the answer.
      logger.warn(
        { code: error.code },
        'A new password was not looked up: the list of breached passwords did not answer.',
      );
      return false;
    }
  };
}

async function isInList(rangeUrl: string, password: string): Promise<boolean> {
  const hash = sha1Hex(password.normalize('NFC'));
  const rest = hash.slice(SENT_CHARACTERS);
  const answer = await fetchBounded(
    `${rangeUrl}${hash.slice(0, SENT_CHARACTERS)}`,
    { headers: { 'add-padding': 'true', accept: 'text/plain', 'user-agent': 'statehouse' } },
    deadlines.breachedPasswordsMilliseconds,
  );
  if (answer.status !== 200) throw new NoList(`STATUS_${answer.status}`);
  const lines = (await answer.text()).split(/\r?\n/).filter((line) => line !== '');
  const found = lines.map((line) => LINE.exec(line));
  if (found.some((match) => match === null)) throw new NoList('NOT_A_LIST');
  // Padding has the count 0.
  return found.some((match) => match?.[1]?.toUpperCase() === rest && Number(match[2]) > 0);
}
