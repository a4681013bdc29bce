/** What administrators use is loaded when somebody asks for it: once, and again after a failure. */
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { administration } from '../../../src/http/administration.ts';

describe('the app of administrators', () => {
  let app: FastifyInstance;
  let inners: FastifyInstance[];
  let closed: number;
  let build: () => Promise<FastifyInstance>;

  const inner = async () => {
    const made = Fastify();
    made.get('/console', async () => 'pages');
    made.addHook('onClose', async () => {
      closed++;
    });
    await made.ready();
    inners.push(made);
    return made;
  };

  beforeEach(async () => {
    inners = [];
    closed = 0;
    build = inner;
    app = Fastify({ return503OnClosing: false });
    await app.register(administration, { administration: () => build() });
    await app.ready();
  });
  afterEach(() => app.close());

  const ask = () => app.inject('/console');

  it('is built once for all who ask at once, and closed with the other', async () => {
    const answers = await Promise.all([ask(), ask(), ask()]);
    expect(answers.map(({ body }) => body)).toEqual(['pages', 'pages', 'pages']);
    expect(inners).toHaveLength(1);
    await app.close();
    expect(closed).toBe(1);
  });

  it('that cannot be built answers 500, and is built for the next', async () => {
    build = async () => {
      throw new Error('broken');
    };
    expect((await Promise.all([ask(), ask()])).map(({ statusCode }) => statusCode)).toEqual([500, 500]);
    build = inner;
    expect((await ask()).body).toBe('pages');
  });

  it('that cannot be built while the server closes keeps nothing from closing', async () => {
    const gate = Promise.withResolvers<FastifyInstance>();
    const isAsked = Promise.withResolvers<void>();
    build = () => {
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
