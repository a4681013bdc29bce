/** A page uses the language of the user, and shows instants in their time zone. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizeUrl, makePkce, makeUser, PASSWORD } from '../../support/actors.ts';
import { Browser } from '../../support/browser.ts';
import { testClock } from '../../support/clock.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const IN_GERMAN = { 'accept-language': 'de' };

describe('languages', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { clock: testClock() });
  });
  afterAll(() => scene.close());

  it.each([
    [undefined, 'en', 'Sign in'],
    ['', 'en', 'Sign in'],
    ['de-AT,de;q=0.9,en;q=0.1', 'de', 'Anmelden'],
    ['tlh, de;q=0.5', 'de', 'Anmelden'],
    ['de;q=0, en', 'en', 'Sign in'],
    ['nl', 'en', 'Sign in'],
    ['fr-CA', 'fr', 'Connexion'],
    ['es-419, en;q=0.8', 'es', 'Iniciar sesión'],
    ['ar-EG', 'ar', 'تسجيل الدخول'],
    ['*', 'en', 'Sign in'],
    [';;;=,,', 'en', 'Sign in'],
  ])('Accept-Language: %s', async (accepted, language, title) => {
    const headers = accepted === undefined ? {} : { 'accept-language': accepted };
    const { body } = await scene.app.inject({ url: '/sign-in', headers });
    expect(body).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`);
    expect(body).toContain(`<h1>${title}</h1>`);
  });

  it('ui_locales has precedence, on every page of the interaction, stored or not', async () => {
    const user = await makeUser(scene, undefined, { locale: 'en' });
    const browser = new Browser(scene.app, undefined, { 'accept-language': 'en' });
    const url = authorizeUrl(scene.client, makePkce(), { ui_locales: 'tlh de-CH en', response_mode: 'form_post' });
    const signIn = await browser.get(url);
    expect(signIn.body).toContain('<h1>Anmelden</h1>');
    expect(signIn.url).not.toContain('de-CH');
    const again = await browser.submit(signIn, { username: user.username, password: 'wrong' });
    expect(again.body).toContain('Die E-Mail-Adresse, der Benutzername oder das Passwort ist falsch');
    const consent = await browser.submit(again, { username: user.username, password: PASSWORD });
    expect(consent.body).toContain('Zugriff erlauben?');
    // As it comes from the row.
    expect((await browser.get(consent.url)).body).toContain('<html lang="de" dir="ltr">');
    const refused = await browser.submit(consent, { decision: 'perhaps' });
    expect(refused.body).toContain('Dieses Formular kann nicht angenommen werden');
    const back = await browser.submit(consent, { decision: 'approve' });
    expect(back.body).toContain('<h1>Zurück zur App</h1>');
  });

  it('an invalid list of languages is no error', async () => {
    const browser = new Browser(scene.app, undefined, IN_GERMAN);
    const url = authorizeUrl(scene.client, makePkce(), { ui_locales: `../en ${'x'.repeat(900)} \u0001 <b>` });
    expect((await browser.get(url)).body).toContain('<h1>Anmelden</h1>');
  });

  it('an error uses the language of the request too', async () => {
    const { body } = await scene.app.inject('/oauth/authorize?client_id=unknown&ui_locales=de');
    expect(body).toContain('Diese App kann hier nicht verwendet werden');
    const missing = await scene.app.inject({ url: '/nowhere', headers: { accept: 'text/html', ...IN_GERMAN } });
    expect(missing.body).toContain('Seite nicht gefunden');
    const garbled = await scene.app.inject({ url: '/%', headers: { accept: 'text/html', ...IN_GERMAN } });
    expect(garbled.statusCode).toBe(400);
    expect(garbled.body).toContain('Ungültige Anfrage');
  });

  it('a request by POST keeps its languages, and so does a sign-out', async () => {
    const { headers } = await scene.app.inject({
      method: 'POST',
      url: '/oauth/authorize',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `${authorizeUrl(scene.client, makePkce(), { ui_locales: 'de' }).split('?')[1]}`,
    });
    expect(headers['location']).toContain('ui_locales=de');
    await scene.code();
    const ask = await scene.browser.get('/oauth/logout?ui_locales=de');
    expect(ask.body).toContain('<h1>Abmelden?</h1>');
    const stays = await scene.browser.submit(ask, { decision: 'deny' });
    expect(stays.body).toContain('Sie sind weiterhin angemeldet');
  });

  it('the claims locale and zoneinfo of the signed-in user count, where they are readable', async () => {
    const permissionsOf = async (claims: Readonly<Record<string, unknown>>) => {
      const user = await makeUser(scene, undefined, claims);
      const browser = new Browser(scene.app);
      const signIn = await browser.get('/sign-in?then=devices');
      const { body } = await browser.submit(signIn, { username: user.username, password: PASSWORD });
      return { language: /<html lang="(\w+)"/.exec(body)?.[1], time: /<time[^>]*>([^<]*)</.exec(body)?.[1] ?? '' };
    };
    const utc = await permissionsOf({});
    expect(utc.language).toBe('en');
    expect(utc.time).toMatch(/^\d{1,2} \p{L}+ \d{4} at \d\d:\d\d UTC$/u);
    const german = await permissionsOf({ locale: 'de-DE', zoneinfo: 'Asia/Kolkata' });
    expect(german.language).toBe('de');
    expect(german.time).toMatch(/^\d{1,2}\. \p{L}+ \d{4} um \d\d:\d\d GMT\+5:30$/u);
    const american = await permissionsOf({ locale: 'en-US', zoneinfo: 'America/New_York' });
    expect(american.time).toMatch(/^\p{L}+ \d{1,2}, \d{4} at \d{1,2}:\d\d\s[AP]M E[SD]T$/u);
    expect(await permissionsOf({ locale: 7, zoneinfo: 'Mars/Olympus' })).toMatchObject({
      language: 'en',
      time: utc.time,
    });
  });
});
