/** Pages need the plugin of cookies: registered before it, they end the start of the server and not a request. */
import cookie from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import { describe, expect, it } from 'vitest';
import { authorizeRoutes } from '../../../../src/http/authorize-routes.ts';
import { interactionRoutes } from '../../../../src/http/interaction-routes.ts';
import { logoutRoutes } from '../../../../src/http/logout-routes.ts';
import { permissionRoutes } from '../../../../src/http/permission-routes.ts';
import { bareApp } from '../../../support/bare-app.ts';

const options = { issuer: 'https://as.test' } as never;
const ROUTES: Readonly<Record<string, (app: FastifyInstance) => PromiseLike<unknown>>> = {
  authorize: (app) => app.register(authorizeRoutes, options),
  interaction: (app) => app.register(interactionRoutes, options),
  logout: (app) => app.register(logoutRoutes, options),
  permission: (app) => app.register(permissionRoutes, options),
};

describe.each(Object.keys(ROUTES))('%s-routes', (name) => {
  /** @returns the error of the start; null: none. */
  async function start(withCookies: boolean): Promise<string | null> {
    const { app } = await bareApp();
    try {
      if (withCookies) await app.register(cookie);
      await ROUTES[name]?.(app);
      return null;
    } catch (error) {
      return String(error);
    } finally {
      await app.close();
    }
  }
  it('need cookies', async () => {
    expect(await start(false)).toContain("'@fastify/cookie'");
  });
  it('need nothing else that is registered', async () => {
    expect(await start(true)).toBeNull();
  });
});
