/**
 * The formats of password hashes that Statehouse verifies, and those that it refuses: recognize → check → verify. Its
 * own format is one of them. Verification runs on other threads, never on the thread that answers requests.
 */
import { readArgon2 } from './password-formats/argon2.ts';
import {
  readBcrypt,
  readDevise,
  readDjangoBcrypt,
  readDjangoBcryptSha256,
  readPasslibBcryptSha256,
  readWordPress,
} from './password-formats/bcrypt.ts';
import { readPhpass, readShaCrypt } from './password-formats/in-rounds.ts';
import {
  readAspNet,
  readAspNet2,
  readDjangoPbkdf2,
  readPbkdf2,
  readWerkzeugPbkdf2,
} from './password-formats/pbkdf2.ts';
import { readPrefixed } from './password-formats/prefixed.ts';
import {
  type HashReader,
  type HashRefusal,
  MAX_HASH_CHARACTERS,
  type ReadHash,
  refused,
} from './password-formats/reading.ts';
import { readKratosSha } from './password-formats/salted-digests.ts';
import {
  readBetterAuth,
  readDjangoScrypt,
  readFirebase,
  readScrypt,
  readWerkzeugScrypt,
} from './password-formats/scrypt.ts';

type Format = { readonly begins: RegExp; readonly read: HashReader };

/** For errors; docs/importing-people.md has the table. */
export const ACCEPTED_FORMATS =
  'argon2id or argon2i (PHC), bcrypt, scrypt or PBKDF2 (PHC, passlib), also as most systems write them (docs/importing-people.md)';

const refuses = (name: string, begins: RegExp, expected = ACCEPTED_FORMATS): Format => ({
  begins,
  read: () => refused(name, expected),
});

const FAST = (name: string) => `${name}, which is made to be fast, so that a leaked list of it is a list of passwords`;

/** The formats behind {CRYPT} in a directory; others have them without it. In this order: the first prefix that matches. */
const CRYPT: readonly Format[] = [
  { begins: /^\$argon2id?\$/, read: readArgon2 },
  { begins: /^\$2[aby]\$/, read: readBcrypt },
  { begins: /^\$[56]\$/, read: readShaCrypt },
  refuses('bcrypt $2x$ or $2$, which old faults have made ambiguous', /^\$2x?\$/, 'bcrypt as $2a$, $2b$ or $2y$'),
  refuses(FAST('MD5-crypt'), /^\$(1|apr1|md5-crypt)\$/),
  refuses('yescrypt', /^\$y\$/),
  refuses('scrypt as crypt writes it ($7$)', /^\$7\$/, 'scrypt as a PHC string, $scrypt$ln=16,r=8,p=1$SALT$HASH'),
];

const readCrypt: HashReader = (hash) =>
  formatOf(hash, CRYPT)?.read(hash) ?? refused('a crypt of an unknown kind, perhaps DES', ACCEPTED_FORMATS);

const FORMATS: readonly Format[] = [
  ...CRYPT,
  { begins: /^\$scrypt\$/, read: readScrypt },
  { begins: /^\$pbkdf2(-sha(1|256|512))?\$/, read: readPbkdf2 },
  { begins: /^\$bcrypt-sha256\$/, read: readPasslibBcryptSha256 },
  { begins: /^\$firescrypt\$/, read: readFirebase },
  { begins: /^\$wp\$/, read: readWordPress },
  { begins: /^\$[PH]\$/, read: readPhpass },
  { begins: /^\$sha(1|256|512)\$/, read: readKratosSha },
  { begins: /^pbkdf2_sha256\$/, read: readDjangoPbkdf2("Django's PBKDF2", 'sha256') },
  { begins: /^pbkdf2_sha1\$/, read: readDjangoPbkdf2("Django's PBKDF2 with SHA-1", 'sha1') },
  { begins: /^argon2\$/, read: (hash) => readArgon2(hash.slice('argon2'.length)) },
  { begins: /^bcrypt\$/, read: readDjangoBcrypt },
  { begins: /^bcrypt_sha256\$/, read: readDjangoBcryptSha256 },
  { begins: /^scrypt\$/, read: readDjangoScrypt },
  { begins: /^scrypt:/, read: readWerkzeugScrypt },
  { begins: /^pbkdf2:/, read: readWerkzeugPbkdf2 },
  { begins: /^\{devise\}/, read: readDevise },
  { begins: /^\{/, read: readPrefixed(readCrypt, ACCEPTED_FORMATS) },
  { begins: /^[0-9a-f]{32}:[0-9a-f]{128}$/, read: readBetterAuth },
  { begins: /^A[A-P][A-Za-z0-9+/]{64}==$/, read: readAspNet2 },
  { begins: /^AQAAAA[A-Za-z0-9+/]{40,}={0,2}$/, read: readAspNet },
  refuses('argon2d, whose time depends on the password', /^\$argon2d\$/, 'argon2id or argon2i'),
  refuses("Django's mark for a user without a usable password", /^!/, 'no password_hash for this user'),
  refuses(FAST('a salted digest of werkzeug'), /^sha(256|512)\$[^$]*\$[0-9a-f]+$/i),
  refuses(FAST('a salted MD5 or SHA-1 of Django'), /^(md5|sha1|unsalted_md5|unsalted_sha1)\$/),
  refuses('a Drupal 7 hash', /^\$S\$/),
  refuses(FAST('a digest of Kratos ($md5$, $hmac-…$)'), /^\$(md5|hmac-[a-z0-9]+)\$/),
  refuses(
    FAST('a bare digest in hexadecimal'),
    /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/i,
  ),
  refuses('a hash of an unknown kind: it begins with "$", as hashes do', /^\$[^$]*\$.*\$/s),
];

const formatOf = (hash: string, formats: readonly Format[]) => formats.find(({ begins }) => begins.test(hash));

/** The hashes that an import takes over besides the slow ones. */
export type AcceptedHashes = {
  /** One salted digest: verified once, and replaced. */
  readonly fast: boolean;
  /** The server has a pepper. */
  readonly peppered: boolean;
};
const SLOW_ALONE: AcceptedHashes = { fast: false, peppered: false };

/** Whether an import accepts the hash. @returns null: it does. */
export function hashRefusal(hash: string, accepted: AcceptedHashes = SLOW_ALONE): HashRefusal | null {
  const read = readHash(hash);
  if (read.kind === 'unknown') return { found: read.found, expected: read.expected };
  if (read.isFast && !accepted.fast) return { found: FAST(read.format), expected: FAST_EXPECTED };
  if (read.needsPepper && !accepted.peppered) return { found: `${read.format} without its pepper`, expected: PEPPER };
  return read.tooCheapOrDear;
}

const FAST_EXPECTED = `${ACCEPTED_FORMATS}. With importFastHashes in sign-in.yaml it is verified once, and replaced`;
const PEPPER = 'a server with the pepper of the application in STATEHOUSE_PASSWORD_PEPPER';

/** Parses the hash, and verifies no password. */
export function readHash(hash: string): ReadHash {
  if (hash.length > MAX_HASH_CHARACTERS)
    return refused(`${hash.length} characters`, `at most ${MAX_HASH_CHARACTERS} characters`);
  return (
    formatOf(hash, FORMATS)?.read(hash) ??
    refused('a text in none of the known formats, perhaps a plain password', ACCEPTED_FORMATS)
  );
}
