/** docs/authorization-matrix.md names every address that the server has, and none that it has not. */
import diagnostics from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApiDocument } from '../../../src/management/openapi/document.ts';
import { ISSUER } from '../../support/app.ts';
import { withPeople } from '../../support/console.ts';
import { anyDatabase } from '../../support/database.ts';
import { keptMails } from '../../support/mails.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { upstreamOf } from '../../support/upstream.ts';
import { addressesOfPage } from './matrix.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

let scene: Scene;
let has: readonly string[];
beforeAll(async () => {
  const routes: RouteOptions[] = [];
  const follow = (message: unknown) => {
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', (route) => void routes.push(route));
  };
  diagnostics.subscribe('fastify.initialization', follow);
  const upstream = upstreamOf({ issuer: 'https://login.example', client_id: 'here' });
  scene = await openScene(anyDatabase, {
    configuration: { ...withPeople(), upstreams: [upstream] },
    mail: keptMails(),
  });
  diagnostics.unsubscribe('fastify.initialization', follow);
  const known = routes
    .flatMap(({ method, url }) => [method].flat().map((one) => [one, url.replace(/:(\w+)/g, '{$1}')] as const))
    .filter(([method]) => METHODS.includes(method as (typeof METHODS)[number]));
  const answered: string[] = [];
  for (const [method, url] of known) {
    const asked = { method: method as 'GET', url: url.replaceAll(/[{}]/g, '') };
    const isRefused = url.startsWith('/oauth/') || url.startsWith('/management/');
    if (!isRefused || (await scene.app.inject(asked)).statusCode !== 405) answered.push(`${method} ${url}`);
  }
  has = answered;
});
afterAll(() => scene.close());

it('the matrix lists every address of the server', () => {
  expect(has.length).toBeGreaterThan(150);
  expect(has.filter((address) => !addressesOfPage().includes(address))).toEqual([]);
});

it('the server has every address of the matrix', () => {
  expect(addressesOfPage().filter((address) => !has.includes(address))).toEqual([]);
});

it('the matrix lists every operation of the OpenAPI document', () => {
  const { paths } = JSON.parse(JSON.stringify(openApiDocument(ISSUER))) as { paths: Record<string, object> };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((key) => METHODS.includes(key.toUpperCase() as (typeof METHODS)[number]))
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(operations.length).toBeGreaterThan(50);
  expect(operations.filter((operation) => !addressesOfPage().includes(operation))).toEqual([]);
});
