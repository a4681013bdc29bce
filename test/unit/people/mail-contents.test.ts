/** The content of a mail in the queue, and the notices: sealed for one row, for a while, and for the verified address alone. */
import { describe, expect, it } from 'vitest';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import type { RegisteredUser } from '../../../src/model/user.ts';
import { actingIn } from '../../../src/people/mail/acting-browser.ts';
import { type Contents, openContents, queuedMail } from '../../../src/people/mail/contents.ts';
import { type Mail, type MailContent, purposeOf } from '../../../src/people/mail/mail.ts';
import { type Happened, type NotifyDeps, notify } from '../../../src/people/mail/notify.ts';
import { testKeys } from '../../support/macs.ts';

const NOW = new Date('2030-01-01T00:00:00Z');
const seconds = (count: number) => new Date(NOW.getTime() + count * 1000);
const random = { uuid: () => 'a row', bytes: (size: number) => Buffer.alloc(size, 7) };
const deps = { keys: testKeys, random };
const [HOUR, DAY] = [3600, 86_400];

const mail = (content: object, to = 'ada@example.com'): Mail => ({
  to,
  userId: 'ada',
  languages: ['de'],
  timeZone: 'Europe/Berlin',
  content: content as MailContent,
});
const LINK = mail({ kind: 'sign_up', link: 'https://as.test/x', lifetimeSeconds: DAY });
const NOTICE = mail({ kind: 'password_changed', username: 'ada', at: NOW, forgot: 'https://as.test/y' });
const WANTED: Contents = {
  kind: 'sign_up_wanted',
  to: 'ada@example.com',
  languages: [],
  resumption: { path: '/x', browserHash: Buffer.from([0, 255, 128]) },
};

describe('a mail in the queue', () => {
  it.each<[string, Contents, string, string | null, number]>([
    ['a link', LINK, 'link', 'ada', HOUR],
    ['a link of half an hour', mail({ ...LINK.content, lifetimeSeconds: 1800 }), 'link', 'ada', 1800],
    ['a link of an hour', mail({ ...LINK.content, lifetimeSeconds: HOUR }), 'link', 'ada', HOUR],
    ['a notice', NOTICE, 'notice', 'ada', DAY],
    ['a notice with a link', mail({ ...LINK.content, kind: 'address_changed' }), 'notice', 'ada', DAY],
    ['a request of a stranger', WANTED, 'link', null, HOUR],
  ])('waits as long as %s does', (_, contents, purpose, userId, waits) => {
    const { givesUpAt, ...row } = queuedMail(deps, contents, NOW);
    expect(row).toMatchObject({ id: 'a row', purpose, userId });
    expect(givesUpAt).toEqual(seconds(waits));
  });

  it.each<[string, Contents]>([
    ['a link', LINK],
    ['a notice with its instant', NOTICE],
    ['a request with octets', WANTED],
    ['a device', mail({ kind: 'new_device', username: 'ada', at: NOW, userAgent: null, devices: 'x' })],
    ['a list', mail({ kind: 'has_account', usernames: ['Buffer', 'at'], signIn: 'x', forgot: 'y' })],
  ])('opens as it was: %s', (_, contents) => {
    expect(openContents(testKeys, queuedMail(deps, contents, NOW), NOW)).toEqual(contents);
  });

  it('opens until it is given up, for its own row, under a listed root secret', () => {
    const row = queuedMail(deps, LINK, NOW);
    expect(openContents(testKeys, row, seconds(HOUR))).toEqual(LINK);
    expect(openContents(testKeys, row, seconds(HOUR + 0.001))).toBeNull();
    expect(openContents(testKeys, { ...row, id: 'another row' }, NOW)).toBeNull();
    expect(openContents(testKeys, { ...row, sealedContents: null }, NOW)).toBeNull();
    expect(openContents(testKeys, { ...row, sealedContents: 'x' }, NOW)).toBeNull();
    expect(openContents(rootKeys(['another root secret for tests, of 32 bytes']), row, NOW)).toBeNull();
    expect(row.sealedContents).not.toContain('ada');
  });

  it('has the domain of its address, in any case of letters', () => {
    const domain = (to: string) =>
      Buffer.from(queuedMail(deps, mail(LINK.content, to), NOW).domainHash).toString('hex');
    const own = domain('ada@example.com');
    expect([domain('eve@EXAMPLE.com'), domain('ada@evil.test@example.com')]).toEqual([own, own]);
    const others = ['ada@example.co', 'ada@sub.example.com', 'ada@example.com.evil.test', 'ada@xample.com'].map(domain);
    expect(new Set([own, ...others]).size).toBe(5);
  });

  it.each<[MailContent['kind'], string]>([
    ['address_changed', 'notice'],
    ['new_device', 'notice'],
    ['password_changed', 'notice'],
    ['passkey_added', 'notice'],
    ['passkey_removed', 'notice'],
    ['second_factor_added', 'notice'],
    ['second_factor_removed', 'notice'],
    ['factors_removed', 'notice'],
    ['browser_trusted', 'notice'],
    ['identity_linked', 'notice'],
    ['identity_removed', 'notice'],
    ['address_restored', 'notice'],
    ['reset_password', 'link'],
    ['lost_factors', 'link'],
    ['verify_address', 'link'],
    ['change_address', 'link'],
    ['sign_up', 'link'],
    ['invitation', 'link'],
    ['has_account', 'link'],
  ])('%s is a %s', (kind, purpose) => {
    expect(purposeOf(mail({ kind }))).toBe(purpose);
  });
});

describe('a notice', () => {
  const ada = (change: Partial<RegisteredUser> = {}) =>
    ({
      id: 'ada',
      username: 'ada',
      deletedAt: null,
      claims: { email: 'ada@example.com', email_verified: true, locale: 'de', zoneinfo: 'Europe/Berlin' },
      ...change,
    }) as unknown as RegisteredUser;
  const notified = async (user: RegisteredUser | null, happened: Happened, languages?: readonly string[]) => {
    const sent: Mail[] = [];
    const asked: string[] = [];
    const notifyDeps = {
      issuer: 'https://as.test',
      accounts: { find: async (id: string) => asked.push(id) > 0 && user },
      outbox: { later: (work: () => Promise<unknown>) => work(), send: async (one: Mail) => sent.push(one) > 0 },
    } as unknown as NotifyDeps;
    await notify(notifyDeps, 'ada', happened, languages);
    expect(asked).toEqual(['ada']);
    return sent;
  };
  const CHANGED: Happened = { kind: 'password_changed', at: NOW };

  it('goes to the verified address, with the way to a new password', async () => {
    expect(await notified(ada(), CHANGED, ['fr'])).toEqual([
      {
        to: 'ada@example.com',
        userId: 'ada',
        languages: ['de', 'fr'],
        timeZone: 'Europe/Berlin',
        content: { kind: 'password_changed', at: NOW, username: 'ada', forgot: 'https://as.test/forgot-password' },
      },
    ]);
  });

  it('about a new device leads to the list of devices', async () => {
    const [sent] = await notified(ada(), { kind: 'new_device', at: NOW, userAgent: 'Firefox' });
    expect(sent?.content).toEqual({
      ...{ kind: 'new_device', at: NOW, userAgent: 'Firefox', username: 'ada' },
      devices: 'https://as.test/account/devices',
    });
  });

  it.each([
    ['no account', null],
    ['a deleted one', ada({ deletedAt: NOW })],
    ['no address', ada({ claims: {} })],
    ['an address that is not verified', ada({ claims: { email: 'ada@example.com' } })],
    ['an address that is nearly verified', ada({ claims: { email: 'ada@example.com', email_verified: 'true' } })],
  ])('goes to no address for %s', async (_, user) => {
    expect(await notified(user, CHANGED)).toEqual([]);
  });

  it('has the languages of the acting browser where none are given', async () => {
    const languagesIn = (given?: readonly string[]) =>
      new Promise<readonly string[] | undefined>((resolve, reject) => {
        const browser = { languages: async () => ['it'], deviceCookie: null, address: 'x' };
        actingIn(browser, () => {
          notified(ada({ claims: { email: 'a@b', email_verified: true } }), CHANGED, given)
            .then(([sent]) => resolve(sent?.languages))
            .catch(reject);
        });
      });
    expect(await languagesIn()).toEqual(['it']);
    expect(await languagesIn(['fr'])).toEqual(['fr']);
    expect(await languagesIn([])).toEqual([]);
    expect((await notified(ada({ claims: { email: 'a@b', email_verified: true } }), CHANGED))[0]?.languages).toEqual(
      [],
    );
  });

  it('is not sent by a server without mails', async () => {
    await expect(notify(null, 'ada', CHANGED)).resolves.toBeUndefined();
  });
});
