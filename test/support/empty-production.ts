/** A production server on an empty database, behind a real port, and the link that makes its first operator. */
import { NOBODY_ADMINISTERS } from '../../policies/operators-schema.ts';
import { registerConsole } from '../../src/boot/console.ts';
import { newSetUpLink, operatorsBySetUp } from '../../src/boot/first-operator.ts';
import type { Configuration } from '../../src/config/configuration.ts';
import { managementResource } from '../../src/config/management-resource.ts';
import { systemRandom } from '../../src/crypto/random.ts';
import { commandLine } from '../../src/model/actor.ts';
import { shippedConfiguration, type TestApp, type TestAppOptions, testKeys } from './app.ts';
import { type TestClock, testClock } from './clock.ts';
import { openTestDatabase } from './database.ts';
import { freePort, openTestAppAt } from './listening.ts';

export type EmptyProduction = {
  readonly test: TestApp;
  readonly clock: TestClock;
  readonly link: string;
  readonly close: () => Promise<void>;
};

/** As src/boot/main.ts joins the parts. */
export async function openEmptyProduction(
  change: Partial<Configuration> = {},
  options: Pick<TestAppOptions, 'mail'> = {},
): Promise<EmptyProduction> {
  const opened = await openTestDatabase('postgres');
  const clock = testClock();
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const parts = { issuer, db: opened.database.drizzle, keys: testKeys, random: systemRandom, clock };
  const files: Configuration = {
    ...shippedConfiguration,
    production: true,
    management: managementResource(issuer),
    operators: NOBODY_ADMINISTERS,
    ...change,
  };
  const operators = operatorsBySetUp(parts, () => files, { warn: () => {} } as never);
  const test = await openTestAppAt(port, opened.database, {
    ...options,
    clock,
    configuration: files,
    reloaded: () => {
      const { operators: all, operatorBySetUp } = operators.configuration();
      return { operators: all, ...(operatorBySetUp !== undefined && { operatorBySetUp }) };
    },
    declaredOperators: () => [],
    operatorMade: async () => {
      await operators.follow();
      await registerConsole({ ...parts, configuration: operators.configuration() });
    },
  });
  const issued = await newSetUpLink(parts, files, null, commandLine);
  if (issued.kind === 'rejected') throw new Error(issued.reason);
  const close = async () => {
    await test.app.close();
    await opened.close();
  };
  return { test, clock, link: issued.url, close };
}
