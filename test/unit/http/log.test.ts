/** The content of the log: reasons and ids. No secret, token, code, verifier, cookie or password, in any failure. */

import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  PASSWORD,
  REDIRECT_URI,
  refresh,
  token,
} from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { introspect, revoke } from '../../support/sent-token.ts';

describe('the log of a hostile day', () => {
  let scene: Scene;
  /** By its kind, so that a failure need not print it. */
  const secrets = new Map<string, string>();
  const secret = (what: string, value: string | null | undefined): string => {
    if (value) secrets.set(`${what} ${secrets.size}`, value);
    return value ?? '';
  };
  const cookiesOf = (browser: Browser) => {
    for (const [name, value] of browser.cookies) secret(`cookie ${name}`, value);
  };
  beforeAll(async () => {
    scene = await openScene('postgres');
    secret('password', PASSWORD);
    for (const { secret: one } of [scene.client, scene.other]) secret('client secret', one);
  });
  afterAll(() => scene.close());

  /** As it is, percent-encoded, in hexadecimal, in base64, and hashed as the database has it. */
  function spellings(value: string): string[] {
    const bytes = Buffer.from(value);
    return [
      value,
      encodeURIComponent(value),
      bytes.toString('hex'),
      bytes.toString('base64').replace(/=+$/, ''),
      createHash('sha256').update(value).digest('hex'),
    ];
  }

  function expectNoSecretInTheLog() {
    const logs = scene.logs();
    const found = [...secrets]
      .filter(([, value]) => spellings(value).some((one) => logs.includes(one)))
      .map(([what]) => what);
    expect(found).toEqual([]);
    expect(logs).not.toContain('$argon2');
    expect(logs).not.toMatch(
      /sh_(ac|rt)_|Basic |__Host-|eyJ|"(password|client_secret|code_verifier|cookie|params|query)":/,
    );
  }

  async function aDay(day: string): Promise<number[]> {
    const statuses: number[] = [];
    const note = <T extends { readonly status: number }>(answer: T) => {
      statuses.push(answer.status);
      return answer;
    };
    const browser = new Browser(scene.app);
    const pkce = makePkce();
    secret('verifier', pkce.verifier);
    const state = secret('state', `state-of-${day}-that-the-client-checks`);

    // An error page has no form.
    const submit = async (page: Answer, fields: Readonly<Record<string, string>>) =>
      formOf(page.body).action === '' ? page : browser.submit(page, fields);
    const begun = note(await browser.get(authorizeUrl(scene.client, pkce, { state })));
    cookiesOf(browser);
    const guessed = secret('guess', `a guess on ${day}`);
    note(await submit(begun, { username: scene.user.username, password: guessed }));
    note(
      await submit(begun, {
        username: secret('password typed as a name', `hunter2 of ${day}`),
        password: guessed,
      }),
    );
    note(
      await browser.post(formOf(begun.body).action || '/interactions/x/sign-in', {
        csrf: guessed,
        username: 'x',
        password: guessed,
      }),
    );
    secret('form token', formOf(begun.body).fields['csrf']);
    const { url } = note(await goThrough(browser, authorizeUrl(scene.client, pkce, { state }), scene.user));
    cookiesOf(browser);
    const code = secret('code', URL.canParse(url) ? new URL(url).searchParams.get('code') : null) || 'sh_ac_none';

    const wrong = secret('wrong verifier', makePkce().verifier);
    note(await exchange(scene, scene.client, { code, verifier: wrong }));
    note(await exchange(scene, scene.other, { code, verifier: pkce.verifier }));
    note(await exchange(scene, { ...scene.client, secret: guessed }, { code, verifier: pkce.verifier }));
    note(await exchange(scene, scene.client, { code, verifier: pkce.verifier }, { redirect_uri: `${REDIRECT_URI}/` }));
    const first = note(await exchange(scene, scene.client, { code, verifier: pkce.verifier }));
    secret('access token', first.json.access_token);
    const used = secret('refresh token', first.json.refresh_token) || 'sh_rt_none';
    const second = note(await refresh(scene, scene.client, used));
    secret('access token', second.json.access_token);
    secret('refresh token', second.json.refresh_token);
    note(await refresh(scene, scene.client, `${used}x`));
    note(await refresh(scene, scene.other, used));
    note(await refresh(scene, scene.client, used, { scope: guessed }));
    note(await refresh(scene, scene.client, used));
    note(await exchange(scene, scene.client, { code, verifier: pkce.verifier }));
    const service = note(await token(scene, scene.client, { grant_type: 'client_credentials' }));
    secret('access token', service.json.access_token);

    for (const sent of [used, second.json.refresh_token, service.json.access_token, code, guessed]) {
      for (const client of [scene.other, scene.client]) {
        note(await introspect(scene, client, sent ?? ''));
        note(await revoke(scene, client, sent ?? ''));
      }
    }

    // Secrets in unexpected places.
    for (const url of [
      `/oauth/token?client_secret=${guessed}&refresh_token=${used}`,
      `/oauth/authorize?client_id=${scene.client.clientId}&code_verifier=${pkce.verifier}&password=${guessed}`,
      `/oauth/authorize?${new URLSearchParams({ client_id: scene.client.clientId, redirect_uri: REDIRECT_URI, state, response_type: code })}`,
      `/nothing/here/${used}?code=${code}`,
      `/interactions/${code}`,
      `/%ff/${used}`,
    ]) {
      for (const accept of ['text/html', 'application/json']) {
        const reply = await scene.app.inject({
          url: encodeURI(url),
          headers: { accept, cookie: `x=${guessed}`, authorization: `Bearer ${used}`, referer: url },
        });
        statuses.push(reply.statusCode);
      }
    }
    for (const [type, payload] of [
      ['application/json', JSON.stringify({ refresh_token: used, password: guessed })],
      ['application/x-www-form-urlencoded', `refresh_token=${used}&refresh_token=${used}`],
      [
        'application/x-www-form-urlencoded',
        `grant_type=refresh_token&refresh_token=${used}%00&client_secret=${guessed}%ff`,
      ],
      ['application/x-www-form-urlencoded', `grant_type=${guessed}&client_id=${guessed}`],
      ['application/x-www-form-urlencoded', `x=${used}`.padEnd(40_000, 'x')],
    ] as const) {
      const reply = await scene.app.inject({
        method: 'POST',
        url: '/oauth/token',
        headers: { 'content-type': type },
        payload,
      });
      statuses.push(reply.statusCode);
    }
    return statuses;
  }

  it('has reasons and ids in normal operation, and no credential', async () => {
    const statuses = await aDay('monday');
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    expectNoSecretInTheLog();
    const lines = scene
      .logs()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const reasons = new Set(lines.map(({ reason }) => reason));
    for (const reason of [
      'credentials_mismatch',
      'form_refused',
      'code_verifier_mismatch',
      'client_mismatch',
      'client_secret_mismatch',
      'redirect_uri_mismatch',
      'refresh_token_malformed',
      'refresh_token_reused',
      'grant_revoked',
      'repeated_parameter',
      'content_type',
      'body_too_large',
    ]) {
      expect(reasons).toContain(reason);
    }
    const reuse = lines.find(({ reason }) => reason === 'refresh_token_reused');
    expect(reuse).toMatchObject({
      level: 40,
      clientId: scene.client.clientId,
      grantId: expect.any(String),
      revoked: true,
      alarm: true,
    });
  });

  it('has no credential when statements fail in the database, with their parameters in the error', async () => {
    const broken: readonly (readonly [string, string])[] = [
      ['alter table transitions rename to elsewhere', 'alter table elsewhere rename to transitions'],
      ['alter table sessions rename to elsewhere', 'alter table elsewhere rename to sessions'],
      ['alter table sign_in_failures rename to elsewhere', 'alter table elsewhere rename to sign_in_failures'],
      ['alter table denied_access_tokens rename to elsewhere', 'alter table elsewhere rename to denied_access_tokens'],
      [
        'alter table users rename column password_hash to elsewhere',
        'alter table users rename column elsewhere to password_hash',
      ],
      [
        'alter table interactions add constraint refuses_all check (false) not valid',
        'alter table interactions drop constraint refuses_all',
      ],
      [
        'alter table grants add constraint nothing check (refresh_generation is null) not valid',
        'alter table grants drop constraint nothing',
      ],
    ];
    for (const [breaking, mending] of broken) {
      await scene.database.drizzle.execute(sql.raw(breaking));
      // The failures of the day before no longer count.
      scene.clock.advanceSeconds(2 * shippedConfiguration.signIn.failureWindowSeconds);
      const statuses = await aDay(breaking);
      await scene.database.drizzle.execute(sql.raw(mending));
      expect(statuses, breaking).toContain(503);
      expect(statuses, breaking).not.toContain(500);
    }
    expectNoSecretInTheLog();
    expect(scene.logs()).toContain('"code":"42P01"');
    expect(scene.logs()).toContain('"code":"23514"');
  });

  it('has the cause of a failure that no answer reveals', async () => {
    const client = await makeClient(scene);
    await scene.database.drizzle.execute(sql.raw('alter table clients rename to elsewhere'));
    const reply = await scene.app.inject({ url: authorizeUrl(client, makePkce()), headers: { accept: 'text/html' } });
    const json = await token(scene, client, { grant_type: 'client_credentials' });
    await scene.database.drizzle.execute(sql.raw('alter table elsewhere rename to clients'));
    expect(reply.statusCode).toBe(503);
    expect(json).toMatchObject({ status: 503, json: { error: 'temporarily_unavailable' } });
    for (const body of [reply.body, JSON.stringify(json.json)])
      expect(body).not.toMatch(/select|clients|drizzle|postgres|42P01| at /i);
  });

  it('has no credential when the database is gone', async () => {
    const url = authorizeUrl(scene.client, makePkce(), { state: secret('state', 'state-of-the-last-day') });
    await scene.database.close();
    const statuses = [
      (
        await token(scene, scene.client, {
          grant_type: 'refresh_token',
          refresh_token: secret('refresh token', 'sh_rt_of-the-last-day'),
        })
      ).status,
      (
        await token(
          scene,
          { ...scene.client, secret: secret('guess', 'guessed on the last day') },
          { grant_type: 'client_credentials' },
        )
      ).status,
      (await new Browser(scene.app).send('GET', url, null)).status,
    ];
    expect(statuses).toEqual([503, 503, 503]);
    expectNoSecretInTheLog();
  });
});
