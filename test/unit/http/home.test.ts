/** The address that the terminal prints, opened in a browser. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestAppOptions } from '../../support/app.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';

const demo = {
  username: 'demo',
  password: 'the-password-of-the-demo',
  app: { clientId: 'demo-app', redirectUri: 'http://localhost:3000/playground/callback' },
};

describe('GET /', () => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase(anyDatabase);
  });
  afterAll(() => opened.close());

  async function home(options: TestAppOptions, url = '/', host = 'localhost:3000') {
    const { app } = await openTestApp(opened.database, options);
    const answer = await app.inject({ url, headers: { host, accept: 'text/html' } });
    await app.close();
    return {
      status: answer.statusCode,
      type: answer.headers['content-type'],
      body: answer.body.replace(/<style>.*<\/style>/s, ''),
    };
  }
  const withDemo: TestAppOptions = {
    issuer: 'http://localhost:3000',
    production: false,
    change: (deps) => ({ ...deps, demo }),
  };

  it('describes the server and its links: the playground with its password, the account, the guides', async () => {
    const { status, type, body } = await home(withDemo);
    expect({ status, type }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
    expect(body).toContain('authorization server <strong>http://localhost:3000</strong>');
    for (const href of ['/playground', '/account', '/.well-known/openid-configuration'])
      expect(body).toContain(`href="${href}"`);
    expect(body).toContain('<code>demo</code> with the password <code>the-password-of-the-demo</code>');
    expect(body).toContain('docs/connecting-a-client.md');
  });

  it('hides the password from requests under another host name', async () => {
    const { status, body } = await home(withDemo, '/', 'rebound.example:3000');
    expect(status).toBe(200);
    expect(body).not.toMatch(/password|playground/);
    expect(body).toContain('href="/account"');
  });

  it('has guides and no demo without demo data, as with Postgres', async () => {
    const { body } = await home({ issuer: 'http://localhost:3000', production: false });
    expect(body).not.toMatch(/password|playground/);
    expect(body).toContain('docs/connecting-a-client.md');
  });

  it('is plain in production', async () => {
    const { status, body } = await home({ issuer: 'https://as.test' }, '/', 'as.test');
    expect(status).toBe(200);
    expect(body).toContain('authorization server <strong>https://as.test</strong>');
    expect(body).toContain('href="/account"');
    expect(body).toContain('href="/.well-known/openid-configuration"');
    expect(body).not.toMatch(/password|playground|docs\//);
  });

  it('is under the path of the issuer', async () => {
    const issuer = 'https://as.test/login';
    const { status, body } = await home({ issuer }, '/login');
    expect(status).toBe(200);
    expect(body).toContain('href="/login/account"');
    expect((await home({ issuer })).status).toBe(404);
  });
});
