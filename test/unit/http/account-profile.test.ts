/** /account/profile: the end-user edits the claims that claims.yaml names, and no others. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ClaimsPolicy } from '../../../policies/claims-schema.ts';
import { rowMacs } from '../../../src/crypto/row-mac.ts';
import type { Session } from '../../../src/model/session.ts';
import { editProfile, viewProfile } from '../../../src/people/account/profile.ts';
import { transitions, users } from '../../../src/storage/schema.ts';
import { userStore } from '../../../src/storage/user-store.ts';
import { exchange, makeUser, obtainCode, PASSWORD, type TestUser } from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const CUSTOM = ['note-1', 'note-2', 'note-3'];
const claims: ClaimsPolicy = {
  scopes: [{ name: 'profile', claims: [{ name: 'name', in: ['id_token'] }] }],
  editableByUser: [
    ...['name', 'nickname', 'picture', 'website', 'birthdate', 'zoneinfo', 'locale', 'phone_number'].map((name) => ({
      name,
    })),
    { name: 'department', label: 'Department', choices: ['Sales', 'Engineering'] },
    ...CUSTOM.map((name) => ({ name, label: `The ${name}` })),
  ],
};

const BEFORE = {
  name: 'Ada',
  email: 'ada@example.com',
  email_verified: false,
  groups: ['staff'],
  phone_number: '+43 1 234567',
  phone_number_verified: true,
  updated_at: 1,
};

describe('the profile', () => {
  let scene: Scene;
  let editable: ClaimsPolicy = claims;
  let user: TestUser;
  let browser: Browser;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { reloaded: () => ({ claims: editable }) });
  });
  afterAll(() => scene.close());
  beforeEach(async () => {
    editable = claims;
    await begin(BEFORE);
  });

  async function begin(stored: Readonly<Record<string, unknown>>): Promise<Answer> {
    user = await makeUser(scene, undefined, stored);
    browser = new Browser(scene.app);
    const question = await browser.get('/account/profile');
    return browser.submit(question, { username: user.username, password: PASSWORD });
  }
  const rowOf = async () => {
    const [row] = await scene.database.drizzle.select().from(users).where(eq(users.id, user.id));
    return row;
  };
  const claimsOfUser = async () => (await rowOf())?.claims;
  const entries = () => scene.database.drizzle.select().from(transitions).where(eq(transitions.userId, user.id));
  const edit = async (typed: Readonly<Record<string, string>>) =>
    browser.submit(await browser.get('/account/profile'), named(typed));
  const named = (typed: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(typed).map(([name, value]) => [`claim.${name}`, value]));
  const problemBeside = ({ body }: Answer, name: string) =>
    new RegExp(`<p class="problem" id="claim.${name}-problem">([^<]*)</p>`).exec(body)?.[1];

  it('saves what the end-user types, and keeps every other claim', async () => {
    const saved = await edit({ name: ' Ada Lovelace ', nickname: 'Ada', department: 'Engineering' });
    expect(saved).toMatchObject({ status: 200, url: '/account/profile?saved' });
    expect(saved.body).toContain('role="status"');
    expect(saved.body).toContain('value="Ada Lovelace"');
    expect(await claimsOfUser()).toEqual({
      ...BEFORE,
      name: 'Ada Lovelace',
      nickname: 'Ada',
      department: 'Engineering',
      updated_at: Math.floor(scene.clock.now().getTime() / 1000),
    });
  });

  it('removes a claim whose field is empty, and keeps one whose field the form lacks', async () => {
    const { fields } = formOf((await browser.get('/account/profile')).body);
    const { csrf = '', version = '' } = fields;
    await browser.post('/account/profile', { csrf, version, 'claim.nickname': 'Ada' });
    expect(await claimsOfUser()).toMatchObject({ name: 'Ada', nickname: 'Ada' });
    await edit({ name: '' });
    expect(await claimsOfUser()).not.toHaveProperty('name');
    expect(await claimsOfUser()).toMatchObject({ nickname: 'Ada', email: 'ada@example.com' });
  });

  it('shows apps the new name, in UserInfo and in ID Tokens', async () => {
    await edit({ name: 'Augusta Ada King' });
    const scope = 'openid profile';
    const { json } = await exchange(scene, scene.client, await obtainCode(scene, scene.client, user, { scope }));
    const answer = await scene.app.inject({
      url: '/oauth/userinfo',
      headers: { authorization: `Bearer ${json.access_token}` },
    });
    expect(answer.json()).toMatchObject({ sub: user.id, name: 'Augusta Ada King' });
    const [, payload = ''] = String(json.id_token).split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({ name: 'Augusta Ada King' });
  });

  it('ends no session and no chain', async () => {
    const before = await rowOf();
    await edit({ name: 'Augusta' });
    expect(await rowOf()).toMatchObject({ epoch: before?.epoch, passwordHash: before?.passwordHash });
    expect((await browser.get('/account')).url).toBe('/account');
  });

  it('needs no recent sign-in', async () => {
    scene.clock.advanceSeconds(3000);
    expect(await edit({ name: 'Later' })).toMatchObject({ url: '/account/profile?saved' });
  });

  it('writes one ledger entry that names the end-user and the claims, and no value', async () => {
    const before = (await entries()).length;
    await edit({ name: 'A name to look for', nickname: 'Ada' });
    const [entry, ...more] = (await entries()).slice(before);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      machine: 'user',
      event: 'registrationRequested',
      actor: `end_user ${user.id}`,
    });
    const text = JSON.stringify(entry, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    expect(text).toContain('claims');
    expect(text).not.toContain('look for');
    expect(scene.logs()).not.toContain('look for');
  });

  it('writes no entry when nothing differs', async () => {
    const before = (await entries()).length;
    expect(await edit({})).toMatchObject({ url: '/account/profile?saved' });
    expect(await entries()).toHaveLength(before);
    expect(await claimsOfUser()).toEqual(BEFORE);
  });

  it('a new phone number is not verified', async () => {
    await edit({ phone_number: '+43 1 765432' });
    expect(await claimsOfUser()).toMatchObject({ phone_number: '+43 1 765432' });
    expect(await claimsOfUser()).not.toHaveProperty('phone_number_verified');
  });

  const LONG = 'a'.repeat(201);
  it.each<[name: string, says: string, value: string]>([
    ['name', 'at most 200 characters', '<script>alert(1)</script>'],
    ['name', 'at most 200 characters', LONG],
    ['name', 'at most 200 characters', 'a'.repeat(2000)],
    ['name', 'without invisible characters', 'Ada\u202eevil'],
    ['name', 'on one line', 'Ada\nKing'],
    ['name', 'on one line', 'Ada\0King'],
    ['picture', 'begins with https://', 'javascript:alert(1)'],
    ['picture', 'begins with https://', 'http://example.com/me.png'],
    ['picture', 'begins with https://', 'https://user:secret@example.com/me.png'],
    ['picture', 'begins with https://', 'https://example.com/" onerror="alert(1)'],
    ['picture', 'begins with https://', 'data:image/png;base64,AAAA'],
    ['picture', 'at most 1,000 characters', `https://example.com/${'a'.repeat(990)}`],
    ['website', 'begins with https:// or http://', 'example.com'],
    ['birthdate', 'a date that exists', '1990-02-30'],
    ['zoneinfo', 'not a time zone', 'Europe/Nowhere'],
    ['locale', 'not the tag of a language', 'not a language'],
    ['phone_number', 'a phone number', 'call me'],
    ['department', 'one of the values in the list', 'Board'],
  ])('refuses a wrong %s beside its field (%s), and changes nothing', async (name, says, value) => {
    const before = (await entries()).length;
    const refused = await edit({ nickname: 'Not saved', [name]: value });
    expect(refused).toMatchObject({ status: 400, url: '/account/profile' });
    expect(problemBeside(refused, name)?.replaceAll('&#62;', '>')).toContain(says);
    expect(refused.body).toContain('role="alert"');
    expect(refused.body).toMatch(new RegExp(`id="claim.${name}"[^>]*aria-invalid="true"`));
    expect(refused.body).toContain('value="Not saved"');
    expect(refused.body).not.toContain('<script>');
    expect(await claimsOfUser()).toEqual(BEFORE);
    expect(await entries()).toHaveLength(before);
  });

  it.each<[name: string, value: string]>([
    ['picture', 'https://example.com/me.png?size=2#x'],
    ['website', 'http://ada.example.com/'],
    ['birthdate', '0000-12-10'],
    ['zoneinfo', 'Europe/Vienna'],
    ['locale', 'de-AT'],
    ['phone_number', '+1 (604) 555-1234'],
    ['name', 'Владимир 山田 O’Neill-Müller'],
    ['name', LONG.slice(1)],
  ])('accepts %s %s', async (name, value) => {
    expect(await edit({ [name]: value })).toMatchObject({ url: '/account/profile?saved' });
    expect(await claimsOfUser()).toMatchObject({ [name]: value });
  });

  it.each(['email', 'email_verified', 'groups', 'sub', 'given_name', '__proto__'])(
    'refuses a form with the claim %s, which the end-user may not edit, and changes nothing',
    async (name) => {
      const refused = await edit({ nickname: 'Not saved', [name]: 'x' });
      expect(refused.status).toBe(400);
      expect(refused.body).toContain('a field that you cannot change here');
      expect(await claimsOfUser()).toEqual(BEFORE);
    },
  );

  it('refuses a repeated field, a field without the prefix, and a form without a token', async () => {
    const { fields } = formOf((await browser.get('/account/profile')).body);
    const sent = new URLSearchParams(fields).toString();
    const post = (body: string) => browser.send('POST', '/account/profile', body);
    expect((await post(`${sent}&claim.name=Eve&claim.name=Ada`)).status).toBe(400);
    expect((await post(`${sent}&name=Eve`)).status).toBe(400);
    expect((await post(`${sent}&claims[name]=Eve`)).status).toBe(400);
    expect((await post(`${sent.replace(/csrf=[^&]*/, 'csrf=x')}&claim.name=Eve`)).status).toBe(403);
    expect((await post(`${sent}&${'a=1&'.repeat(100)}`)).status).toBe(403);
    expect(await claimsOfUser()).toEqual(BEFORE);
  });

  it('overwrites no change that came after the page, shows it, and lets the end-user decide again', async () => {
    const page = await browser.get('/account/profile');
    await scene.database.drizzle
      .update(users)
      .set({ claims: { ...BEFORE, name: 'Ada, as an administrator writes it' } })
      .where(eq(users.id, user.id));
    const refused = await browser.submit(page, named({ name: 'Ada, as she types it' }));
    expect(refused.status).toBe(409);
    expect(refused.body).toContain('has changed since you opened this page');
    expect(refused.body).toContain('value="Ada, as an administrator writes it"');
    expect(await claimsOfUser()).toMatchObject({ name: 'Ada, as an administrator writes it' });
    expect(await browser.submit(refused, named({ name: 'Ada, as she types it' }))).toMatchObject({ status: 200 });
    expect(await claimsOfUser()).toMatchObject({ name: 'Ada, as she types it' });
  });

  it('a claim that another system decides may change beside the page', async () => {
    const page = await browser.get('/account/profile');
    const groups = ['staff', 'board'];
    await scene.database.drizzle
      .update(users)
      .set({ claims: { ...BEFORE, groups } })
      .where(eq(users.id, user.id));
    expect(await browser.submit(page, named({ name: 'Augusta' }))).toMatchObject({ url: '/account/profile?saved' });
    expect(await claimsOfUser()).toMatchObject({ groups, name: 'Augusta' });
  });

  it('leaves out a value that no field can hold, and keeps a stored choice that the list lacks', async () => {
    const page = await begin({ name: 'n'.repeat(500), 'note-1': ['a', 'b'], department: 'Archive' });
    expect(page.body).not.toContain('id="claim.name"');
    expect(page.body).not.toContain('id="claim.note-1"');
    expect(page.body).toContain('<option value="Archive" selected>');
    await edit({ nickname: 'Ada' });
    expect(await claimsOfUser()).toEqual({
      name: 'n'.repeat(500),
      'note-1': ['a', 'b'],
      department: 'Archive',
      nickname: 'Ada',
    });
  });

  it('refuses more custom claims than a record may have', async () => {
    const full = Object.fromEntries(Array.from({ length: 49 }, (_, at) => [`other-${at}`, 1]));
    await begin(full);
    const refused = await edit({ 'note-1': 'a', 'note-2': 'b' });
    expect(refused.status).toBe(400);
    expect(problemBeside(refused, 'note-1')).toContain('at most 200');
    expect(await edit({ 'note-1': 'a' })).toMatchObject({ status: 200 });
    expect(await claimsOfUser()).toEqual({ ...full, 'note-1': 'a' });
  });

  it('does not exist where the end-user may edit nothing', async () => {
    editable = { scopes: [] };
    expect((await browser.get('/account/profile')).status).toBe(404);
    expect((await browser.get('/account')).body).not.toContain('/account/profile');
    expect((await browser.post('/account/profile', {})).status).toBe(404);
  });

  it('a claim that the team no longer lists is refused', async () => {
    const page = await browser.get('/account/profile');
    editable = { scopes: [], editableByUser: [{ name: 'nickname' }] };
    expect((await browser.submit(page, named({ nickname: 'Ada', name: 'Eve' }))).status).toBe(400);
    expect((await browser.submit(page, named({ nickname: 'Ada' }))).status).toBe(409);
    expect(await claimsOfUser()).toEqual(BEFORE);
  });

  it('an end-user who was disabled since changes nothing', async () => {
    const page = await browser.get('/account/profile');
    await scene.database.drizzle
      .update(users)
      .set({ disabledAt: scene.clock.now(), epoch: 1n })
      .where(eq(users.id, user.id));
    expect((await browser.submit(page, named({ name: 'Eve' }))).url).toContain('/sign-in');
    expect(await claimsOfUser()).toEqual(BEFORE);
  });
});

describe('a profile that changes between the load and the commit', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, {});
  });
  afterAll(() => scene.close());

  /** @param other happens after the first load. @param epoch of the session. */
  async function editBeside(other: Partial<typeof users.$inferInsert>, epoch = 0n) {
    const { id } = await makeUser(scene, undefined, BEFORE);
    const change = () => scene.database.drizzle.update(users).set(other).where(eq(users.id, id));
    const real = userStore(scene.database.drizzle, scene.clock, rowMacs(scene.keys));
    let loads = 0;
    const load: typeof real.load = async (...asked) => {
      loads += 1;
      if (loads === 2) await change();
      return real.load(...asked);
    };
    const deps = {
      users: { ...real, load },
      configuration: () => ({ claims }),
      acceptable: () => import('../../../src/registration/acceptable.ts'),
      sleep: () => Promise.resolve(),
    };
    const session = { userId: id, userEpoch: epoch } as Session;
    const version = (await viewProfile({ ...deps, users: real }, { ...session, userEpoch: 0n }))?.version ?? null;
    const form = { version, typed: new Map([['name', 'Eve']]), malformed: null };
    const outcome = await editProfile(deps, { session, now: scene.clock.now() }, form);
    const [row] = await scene.database.drizzle.select().from(users).where(eq(users.id, id));
    return { outcome, stored: row?.claims };
  }

  it.each([['name'], ['groups']])('loses nothing: the claim %s', async (name) => {
    const after = { ...BEFORE, [name]: ['by an administrator'] };
    expect(await editBeside({ claims: after })).toEqual({
      outcome: { kind: 'refused', reason: 'changed_meanwhile', misfits: [] },
      stored: after,
    });
  });
  it('changes nothing once the session has ended', async () => {
    expect(await editBeside({ epoch: 1n })).toEqual({ outcome: { kind: 'signInRequired' }, stored: BEFORE });
    expect(await editBeside({}, 1n)).toEqual({ outcome: { kind: 'signInRequired' }, stored: BEFORE });
  });
});

it('the shipped policy lets end-users edit their names and their picture', () => {
  expect(shippedConfiguration.claims.editableByUser?.map(({ name }) => name)).toEqual([
    'name',
    'given_name',
    'family_name',
    'nickname',
    'picture',
  ]);
});
