/**
 * Writes src/management/scalar, the script of the API reference: Scalar's own, out of its package for Fastify, which is a devDependency. As
 * a dependency it would bring packages that the server does not use. With --check: fails when the package has another one.
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import scalar from '@scalar/fastify-api-reference';
import fastify from 'fastify';

const root = join(import.meta.dirname, '..');
const target = join(root, 'src/management/scalar/standalone.js');

// The package hands its script out as a Fastify plugin alone.
const app = fastify();
await app.register(scalar, { routePrefix: '/', configuration: { url: '/openapi.json' } });
const { statusCode, body } = await app.inject('/js/scalar.js');
await app.close();
if (statusCode !== 200) throw new Error(`The package of the reference page answered ${statusCode}.`);
// Its source map is not served.
const script = body.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');

if (!process.argv.includes('--check')) {
  writeFileSync(target, script);
  copyFileSync(join(root, 'node_modules/@scalar/fastify-api-reference/LICENSE'), join(target, '../LICENSE'));
} else if (readFileSync(target, 'utf8') !== script) {
  process.stderr.write(
    'src/management/scalar: expected the files of the installed package, found others. Run "npm run generate:reference".\n',
  );
  process.exitCode = 1;
}
