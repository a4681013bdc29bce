import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { recordOf } from '../../../src/cli/client-options.ts';
import { readPassword } from '../../../src/cli/passwords.ts';
import { withoutTls } from '../../../src/config/configuration-warnings.ts';
import { readEnvironment } from '../../../src/config/environment.ts';
import { requireNamedSecrets } from '../../../src/config/named-secrets.ts';
import { secretVariable } from '../../../src/config/secret-variable.ts';
import { DEFAULT_METADATA } from '../../../src/registration/client-metadata.ts';

const folder = mkdtempSync(join(tmpdir(), 'statehouse-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
function fileWith(content: string | Buffer): string {
  const path = join(folder, `file-${++files}`);
  writeFileSync(path, content);
  return path;
}
const PRODUCTION = {
  NODE_ENV: 'production',
  STATEHOUSE_ISSUER: 'https://login.example.com',
  STATEHOUSE_SECRET: 'a-root-secret-of-more-than-32-bytes',
  DATABASE_URL: 'postgres://statehouse@db.internal/statehouse',
};
const refusalOf = (variables: Readonly<Record<string, string>>): string => {
  try {
    readEnvironment({ ...PRODUCTION, ...variables });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a secret from a file', () => {
  it('is the value of the variable, without the line break at its end', () => {
    const secret = 'a-root-secret-in-a-file-of-more-than-32-bytes';
    for (const end of ['', '\n', '\r\n']) {
      const variables = { ...PRODUCTION, STATEHOUSE_SECRET: '', STATEHOUSE_SECRET_FILE: fileWith(`${secret}${end}`) };
      expect(readEnvironment(variables).secrets).toEqual([secret]);
    }
    // Other blanks may belong to it.
    expect(secretVariable({ NAME_FILE: fileWith(' with blanks \n') }, 'NAME')).toBe(' with blanks ');
  });

  it('works for the database, for clients, for identity providers and for passwords alike', async () => {
    const url = 'postgres://statehouse:secret@db.internal/statehouse';
    const { DATABASE_URL: _, ...rest } = PRODUCTION;
    expect(readEnvironment({ ...rest, DATABASE_URL_FILE: fileWith(`${url}\n`) }).databaseUrl).toBe(url);
    const upstreams = [{ ...DEFAULT_METADATA, client_secret_environment: 'THEIRS' }] as never;
    requireNamedSecrets({ upstreams, botCheck: null }, { THEIRS_FILE: fileWith('theirs') }, folder);
    expect(() => requireNamedSecrets({ upstreams, botCheck: null }, {}, folder)).toThrow('THEIRS, which is not set');
    const env = {
      STATEHOUSE_CLIENT_SECRET_FILE: fileWith('of-a-client\n'),
      STATEHOUSE_PASSWORD_FILE: fileWith('of-ada\n'),
    };
    expect(recordOf({}, env)).toEqual({ client_secret: 'of-a-client' });
    expect(await readPassword({ env, input: { interactive: true } } as never)).toBe('of-ada');
  });

  it('is read again after a rotation replaced it', () => {
    const path = fileWith('first');
    expect(secretVariable({ NAME_FILE: path }, 'NAME')).toBe('first');
    writeFileSync(path, 'second');
    expect(secretVariable({ NAME_FILE: path }, 'NAME')).toBe('second');
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'beside the variable',
      { STATEHOUSE_SECRET_FILE: fileWith('x') },
      'STATEHOUSE_SECRET and STATEHOUSE_SECRET_FILE are both set',
    ],
    [
      'that is not there',
      { STATEHOUSE_SECRET: '', STATEHOUSE_SECRET_FILE: join(folder, 'none') },
      'STATEHOUSE_SECRET_FILE: Expected the path of a file of this name, found no such file',
    ],
    [
      'that is a folder',
      { DATABASE_URL: '', DATABASE_URL_FILE: folder },
      'DATABASE_URL_FILE: Expected the path of a file that this process may read, found a folder',
    ],
    [
      'with the way of mails, that is a folder',
      { STATEHOUSE_SMTP_URL_FILE: folder, STATEHOUSE_MAIL_FROM: 'no-reply@example.com' },
      'STATEHOUSE_SMTP_URL_FILE: Expected the path of a file that this process may read, found a folder',
    ],
    [
      'that is empty',
      { STATEHOUSE_SECRET: '', STATEHOUSE_SECRET_FILE: fileWith('\n') },
      'STATEHOUSE_SECRET_FILE: Expected a file with the secret, found an empty file',
    ],
    [
      'that is no text',
      { STATEHOUSE_SECRET: '', STATEHOUSE_SECRET_FILE: fileWith(Buffer.from([0xc3, 0x28])) },
      'STATEHOUSE_SECRET_FILE: Expected the path of',
    ],
  ])('%s is rejected, once, and by the name of the variable alone', (_, variables, words) => {
    const refusal = refusalOf(variables);
    expect(refusal).toContain(words);
    expect(refusal.split('\n')).toHaveLength(2);
    expect(refusal).not.toContain(folder);
  });

  it('in the variable for its path is not printed', () => {
    const refusal = refusalOf({ STATEHOUSE_SECRET: '', STATEHOUSE_SECRET_FILE: PRODUCTION.STATEHOUSE_SECRET });
    expect(refusal).toContain('STATEHOUSE_SECRET_FILE');
    expect(refusal).not.toContain(PRODUCTION.STATEHOUSE_SECRET);
  });
});

describe('Postgres without TLS', () => {
  it.each([
    ['postgres://db.internal/statehouse', 1],
    ['postgres://db.internal/statehouse?sslmode=disable', 1],
    ['postgres://db.internal/statehouse?sslmode=prefer', 1],
    ['postgres://db.internal/statehouse?sslmode=require', 0],
    ['postgres://db.internal/statehouse?sslmode=verify-full', 0],
    ['postgres://db.internal/statehouse?sslrootcert=system', 0],
    ['postgres://127.0.0.1/statehouse', 0],
    ['postgres://[::1]:5432/statehouse', 0],
    ['postgres:///statehouse?host=/run/postgresql', 0],
    ['postgres://127.0.0.1:5432,[::1]:5433/statehouse', 0],
    ['postgres://127.0.0.1:5432,db.internal:5432/statehouse?target_session_attrs=read-write', 1],
    ['postgres://a.internal:5432,b.internal:5432/statehouse?sslmode=verify-full', 0],
  ])('as %s leads to %i warnings, without its password', (text, count) => {
    const url = text.replace('://', '://statehouse:hidden@');
    const warnings = withoutTls({ databaseUrl: URL.canParse(url) ? url : text });
    expect(warnings).toHaveLength(count);
    expect(warnings.join()).not.toContain('hidden');
  });
});
