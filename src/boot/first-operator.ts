/**
 * The first operator of a server that has none: the link at the start, and the right of the operator whom it made, until operators.yaml
 * names one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { BOOTSTRAP_VARIABLE, type BootstrapOperator } from '../config/bootstrap-operator.ts';
import { type Configuration, OPERATORS_FILE } from '../config/configuration.ts';
import type { Random } from '../crypto/random.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { rowMacs } from '../crypto/row-mac.ts';
import { endDeclared, type OperatorSetUpPorts } from '../lifecycles/operator-set-up/lifecycle.ts';
import { type Actor, theServer } from '../model/actor.ts';
import { type IssuedLink, issueLink, SET_UP_PATH } from '../people/operator-set-up/issue.ts';
import { withOperatorBySetUp } from '../protocol/administrators.ts';
import type { Drizzle } from '../storage/database.ts';
import { type OperatorBySetUp, openSetUps, operatorSetUpStore } from '../storage/operator-set-ups.ts';
import { type Clock, databaseClock } from '../system/clock.ts';

type Parts = {
  readonly issuer: string;
  readonly db: Drizzle;
  readonly keys: RootKeys;
  readonly random: Random;
  readonly clock?: Clock;
};

const portsOf = ({ db, keys, clock = databaseClock }: Parts): OperatorSetUpPorts => ({
  setUps: operatorSetUpStore(db, clock, rowMacs(keys)),
  sleep: (milliseconds) => sleep(milliseconds),
});

/** @param username whom the link is for; null: its user chooses. @throws Unavailable, StoreUnavailable */
export const newSetUpLink = (
  parts: Parts,
  { operators: { operators } }: Pick<Configuration, 'operators'>,
  username: string | null,
  actor: Actor,
  secret?: string,
): Promise<IssuedLink> => issueLink({ ...portsOf(parts), ...parts, declared: operators }, username, actor, secret);

export type OperatorsBySetUp = {
  /** With the operator whom a set-up made. */
  readonly configuration: () => Configuration;
  /** Reads the operator again, after ending the set-ups that the configuration ends. @throws StoreUnavailable, Unavailable */
  readonly follow: () => Promise<void>;
};

/** @param configuration of the files alone. */
export function operatorsBySetUp(
  parts: Parts,
  configuration: () => Configuration,
  logger: Pick<Logger, 'warn'>,
  changed: () => void = () => {},
): OperatorsBySetUp {
  const macs = rowMacs(parts.keys);
  let operator: OperatorBySetUp | null = null;
  let made: { readonly from: Configuration; readonly by: OperatorBySetUp; readonly with: Configuration } | null = null;
  return {
    configuration: () => {
      const from = configuration();
      if (operator === null) return from;
      if (made?.from !== from || made.by !== operator)
        made = { from, by: operator, with: withOperatorBySetUp(from, operator.username) };
      return made.with;
    },
    follow: async () => {
      const { operators } = configuration().operators;
      const open = await openSetUps(parts.db, macs);
      if (open.areOpen && operators.length > 0) {
        for (const { username, userId } of await endDeclared(portsOf(parts), operators))
          logger.warn(
            { username, userId },
            `a set-up of an operator ended: ${OPERATORS_FILE} names one who may sign in`,
          );
      }
      const { operator: found } = open.areOpen ? await openSetUps(parts.db, macs) : open;
      if (found?.id === operator?.id && found?.username === operator?.username) return;
      operator = found;
      changed();
      if (found)
        logger.warn({ userId: found.id }, `an operator administers by a set-up: name one in ${OPERATORS_FILE}`);
    },
  };
}

type Terminal = {
  /** Where a person reads the lines, and no log keeps them. */
  readonly isTerminal: boolean;
  readonly print: (lines: string) => void;
};

/**
 * At the start of a server that has no operator. A link is a secret, so only a terminal shows it; a log has the way to make one.
 * @throws Unavailable, StoreUnavailable
 */
export async function offerSetUp(
  parts: Parts & { readonly configuration: Configuration; readonly bootstrap: BootstrapOperator | null },
  { isTerminal, print }: Terminal,
  logger: Pick<Logger, 'warn' | 'info'>,
): Promise<void> {
  const { configuration, bootstrap, issuer } = parts;
  const username = bootstrap?.username ?? null;
  if (bootstrap?.secret) {
    const link = await newSetUpLink(parts, configuration, username, theServer, bootstrap.secret);
    if (link.kind === 'issued') {
      logger.info(
        { username, endsAt: link.setUp.endsAt },
        `no operator: open ${issuer}${SET_UP_PATH}?t=SECRET with the secret of ${BOOTSTRAP_VARIABLE}`,
      );
    }
    if (link.kind === 'unchanged' && link.setUp.state !== 'active')
      logger.warn(
        { state: link.setUp.state },
        `no operator, and the secret of ${BOOTSTRAP_VARIABLE} was used: set another`,
      );
    return;
  }
  if (isTerminal) {
    const link = await newSetUpLink(parts, configuration, username, theServer);
    if (link.kind !== 'rejected') print(linkLines(link.url));
    return;
  }
  const { operators } = configuration.operators;
  const { operatorIsDeclared, operatorBySetUp } = await portsOf(parts).setUps.load({
    meant: null,
    declared: operators,
    username: null,
  });
  if (!operatorIsDeclared && operatorBySetUp === null)
    logger.warn('no operator can sign in: make a link for the first with "statehouse operators set-up"');
}

const linkLines = (url: string): string =>
  `  This server has no operator. This link makes the first, once, within a day:\n  ${url}\n\n`;
