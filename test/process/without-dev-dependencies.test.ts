/** A start outside production in an installation without devDependencies (`npm ci --omit=dev`): no package for lines that people read. */
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { outputOf, preload, startChild } from '../support/child-process.ts';

const LOGGER = pathToFileURL(new URL('../../src/system/logger.ts', import.meta.url).pathname).href;
const LOG = `import { makeLogger } from '${LOGGER}'; makeLogger({ level: 'info', readable: true }).info('a line');`;

async function logged(code: string): Promise<string> {
  const without = preload(`
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier === 'pino-pretty' && '${code}') throw Object.assign(new Error('no such package'), { code: '${code}' });
        return next(specifier, context);
      },
    });
  `);
  const child = startChild(process.execPath, [...without, '--input-type=module', '--eval', LOG], { env: {} });
  const output = outputOf(child);
  await once(child, 'close');
  return output();
}

it('the server logs human-readable lines with the package', async () => {
  expect(await logged('')).toMatch(/INFO.*a line/);
});

it('the server logs JSON without the package', async () => {
  expect(JSON.parse(await logged('MODULE_NOT_FOUND'))).toMatchObject({ level: 30, msg: 'a line' });
});

it('the server reports any other failure of the package', async () => {
  expect(await logged('ERR_OTHER')).toContain('no such package');
});
