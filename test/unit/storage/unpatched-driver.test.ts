import { expect, test, vi } from 'vitest';
import { DriverNotPatched } from '../../../src/storage/patched-driver.ts';
import { openPostgres } from '../../../src/storage/postgres.ts';

vi.mock('../../../src/storage/patched-driver.ts', async (original) => {
  const real = await original<typeof import('../../../src/storage/patched-driver.ts')>();
  return {
    ...real,
    requirePatchedDriver: () => {
      throw new real.DriverNotPatched();
    },
  };
});

test('no database is opened with a driver that is not patched', () => {
  expect(() => openPostgres('postgres://nobody@127.0.0.1:1/none')).toThrow(DriverNotPatched);
});

test('what is to be done about it is said under a name of its own', () => {
  expect(new DriverNotPatched()).toMatchObject({
    name: 'DriverNotPatched',
    message: expect.stringMatching(
      /^The Postgres driver is not patched: .*npm run postinstall.*repeat this command\.$/,
    ),
  });
});
