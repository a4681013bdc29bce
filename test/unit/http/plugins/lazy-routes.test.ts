/** The handlers of lazy routes are loaded at the first request: once, and again after a failure. */
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Handlers, lazyRoutes } from '../../../../src/http/lazy-routes.ts';

const ROUTES = ['GET /page', 'POST /page', 'GET /nothing'] as const;
type Loaded = Partial<Handlers<(typeof ROUTES)[number]>>;

const HANDLERS: Loaded = {
  'GET /page': async () => 'page',
  'POST /page': async function () {
    return `form of ${this.prefix}`;
  },
};

describe('lazy routes', () => {
  let app: FastifyInstance;
  let loads: number;
  let load: () => Promise<Loaded>;

  beforeEach(async () => {
    loads = 0;
    load = async () => HANDLERS;
    app = Fastify({ return503OnClosing: false, exposeHeadRoutes: false });
    await app.register(
      async (scope) =>
        lazyRoutes(scope, ROUTES, () => {
          loads++;
          return load();
        }),
      { prefix: '/here' },
    );
    await app.ready();
  });
  afterEach(() => app.close());

  const ask = () => app.inject('/here/page');

  it('are listed before any handler is loaded', () => {
    expect(app.printRoutes({ commonPrefix: false })).toContain('/here/page (GET, POST)');
    expect(loads).toBe(0);
  });

  it('load once for concurrent requests', async () => {
    const answers = await Promise.all([ask(), ask(), app.inject({ method: 'POST', url: '/here/page' })]);
    expect(answers.map(({ body }) => body)).toEqual(['page', 'page', 'form of /here']);
    expect(loads).toBe(1);
  });

  it('answer 500 when that fails, and load again for the next', async () => {
    load = async () => {
      throw new Error('broken');
    };
    expect((await Promise.all([ask(), ask()])).map(({ statusCode }) => statusCode)).toEqual([500, 500]);
    expect(loads).toBe(1);
    load = async () => HANDLERS;
    expect((await ask()).body).toBe('page');
  });

  it('answer 500 without a handler', async () => {
    expect((await app.inject('/here/nothing')).statusCode).toBe(500);
  });

  it('that fail to load during the shutdown do not block the shutdown', async () => {
    const gate = Promise.withResolvers<Loaded>();
    const isAsked = Promise.withResolvers<void>();
    load = () => {
      isAsked.resolve();
      return gate.promise;
    };
    const asked = ask();
    await isAsked.promise;
    const closing = app.close();
    gate.reject(new Error('broken'));
    expect((await asked).statusCode).toBe(500);
    await expect(closing).resolves.toBeUndefined();
  });
});
