import { expect, it } from 'vitest';
import { type ConsoleOptions, consolePages } from '../../../src/console/handlers.ts';
import { CONSOLE_ROUTES } from '../../../src/console/route-names.ts';

it('every route of the console has a screen, an action or a handler of its own, and no other has', () => {
  const { handlers } = consolePages({ issuer: 'https://as.test' } as ConsoleOptions, { warn: () => {} } as never);
  expect(Object.keys(handlers).toSorted()).toEqual([...CONSOLE_ROUTES].toSorted());
});
