import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizeUrl, makeClient, makePkce } from '../../support/actors.ts';
import { openTestApp } from '../../support/app.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';

describe('an unregistered redirect URI', () => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase(anyDatabase);
  });
  afterAll(() => opened.close());

  const open = async (production: boolean, received: string) => {
    const test = await openTestApp(opened.database, { production });
    const client = await makeClient(test, { redirectUris: ['https://other.test/', 'https://photos.test/callback'] });
    const reply = await test.app.inject(authorizeUrl(client, makePkce(), { redirect_uri: received }));
    await test.app.close();
    return { status: reply.statusCode, location: reply.headers.location, body: reply.body, logs: test.logs() };
  };

  it.each([
    [
      'https://photos.test/Callback',
      'https://photos.test/<mark>callback</mark>',
      'https://photos.test/<mark>Callback</mark>',
    ],
    [
      'https://photos.test/callback/',
      'https://photos.test/callback<mark>(ends here)</mark>',
      'https://photos.test/callback<mark>/</mark>',
    ],
    [
      'https://photos.test/<b>',
      'https://photos.test/<mark>callback</mark>',
      'https://photos.test/<mark>&#60;b&#62;</mark>',
    ],
  ])('is shown beside the expected one, in development: %s', async (received, expected, got) => {
    const { status, location, body } = await open(false, received);
    expect({ status, location }).toEqual({ status: 400, location: undefined });
    expect(body).toContain(expected);
    expect(body).toContain(got);
  });

  it('is only logged in production, with the expected one', async () => {
    const { body, logs } = await open(true, 'https://photos.test/elsewhere');
    expect(body).not.toContain('photos.test');
    expect(logs).toContain('"registered":["https://other.test/","https://photos.test/callback"]');
    expect(logs).toContain('"received":"https://photos.test/elsewhere"');
  });
});
