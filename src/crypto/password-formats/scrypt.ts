/** scrypt: as a PHC string, and as Kratos, Django, werkzeug, Spring Security, better-auth and Firebase write it. */
import { createCipheriv, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import {
  BASE64,
  bytesOf,
  garbled,
  HASH_LIMITS,
  lengths,
  outside,
  type ReadHash,
  refused,
  sameBytes,
} from './reading.ts';

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

type Scrypt = {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Buffer | null;
  readonly key: Buffer | null;
  /** The text that is hashed. Absent: the password unchanged. */
  readonly input?: (password: string) => string;
};

const SHAPE = '$scrypt$ln=16,r=8,p=1$SALT$HASH';

/** Kratos writes the cost itself after "ln=", and padding. */
export function readScrypt(hash: string): ReadHash {
  const parts =
    /^\$scrypt\$ln=(\d{1,9}),r=(\d{1,9}),p=(\d{1,9})\$([A-Za-z0-9+/.]+={0,2})\$([A-Za-z0-9+/.]+={0,2})$/.exec(hash);
  if (parts === null) return garbled('scrypt', SHAPE);
  const [given = 0, r = 0, p = 0] = parts.slice(1, 4).map(Number);
  const ln = given >= 1024 ? Math.log2(given) : given;
  return scryptHash('scrypt', { ln, r, p, salt: bytesOf(parts[4] ?? ''), key: bytesOf(parts[5] ?? '') });
}

/** ScryptPasswordHasher: the characters of the salt unchanged. */
export function readDjangoScrypt(hash: string): ReadHash {
  const name = "Django's scrypt";
  const parts = /^scrypt\$(\d{1,9})\$([\x21-\x23\x25-\x7e]+)\$(\d{1,9})\$(\d{1,9})\$([A-Za-z0-9+/]+={0,2})$/.exec(hash);
  if (parts === null) return garbled(name, 'scrypt$16384$SALT$8$5$HASH');
  const [, cost, salt = '', r, p, key = ''] = parts;
  return scryptHash(name, {
    ln: Math.log2(Number(cost)),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt),
    key: bytesOf(key),
  });
}

/** Of Flask applications. */
export function readWerkzeugScrypt(hash: string): ReadHash {
  const name = "werkzeug's scrypt";
  const parts = /^scrypt:(\d{1,9}):(\d{1,9}):(\d{1,9})\$([\x21-\x23\x25-\x7e]+)\$([0-9a-f]+)$/.exec(hash);
  if (parts === null) return garbled(name, 'scrypt:32768:8:1$SALT$HASH');
  const [, cost, r, p, salt = '', key = ''] = parts;
  return scryptHash(name, {
    ln: Math.log2(Number(cost)),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt),
    key: Buffer.from(key, 'hex'),
  });
}

/** SCryptPasswordEncoder: one hexadecimal number has ln, r and p. */
export function readSpringScrypt(hash: string): ReadHash {
  const name = "Spring Security's scrypt";
  const parts = /^\$([0-9a-f]{5,7})\$([A-Za-z0-9+/]+={0,2})\$([A-Za-z0-9+/]+={0,2})$/.exec(hash);
  if (parts === null) return garbled(name, '{scrypt}$100801$SALT$HASH');
  const [, settings = '', salt = '', key = ''] = parts;
  const number = Number.parseInt(settings, 16);
  const [ln, r, p] = [Math.floor(number / 65_536), Math.floor(number / 256) % 256, number % 256];
  return scryptHash(name, { ln, r, p, salt: bytesOf(salt), key: bytesOf(key) });
}

/** better-auth: fixed costs, the hexadecimal characters of the salt unchanged, and the password in NFKC. */
export function readBetterAuth(hash: string): ReadHash {
  const [salt = '', key = ''] = hash.split(':');
  return scryptHash("better-auth's scrypt", {
    ln: 14,
    r: 16,
    p: 1,
    salt: Buffer.from(salt),
    key: Buffer.from(key, 'hex'),
    input: (password) => password.normalize('NFKC'),
  });
}

const FIREBASE = "Firebase's scrypt";
/** The block of AES, and its key. */
const [BLOCK_BYTES, AES_KEY_BYTES] = [16, 32];
const SIGNER_KEY_BYTES = 64;

/** `$firescrypt$ln=,r=,p=$SALT$HASH$SEPARATOR$SIGNERKEY`: scrypt gives the key with which the signer key is encrypted. */
export function readFirebase(hash: string): ReadHash {
  const parts =
    /^\$firescrypt\$ln=(\d{1,9}),r=(\d{1,9}),p=(\d{1,9})\$([A-Za-z0-9+/]+={0,2})\$([A-Za-z0-9+/]+={0,2})\$([A-Za-z0-9+/]*={0,2})\$([A-Za-z0-9+/]+={0,2})$/.exec(
      hash,
    );
  if (parts === null) return garbled(FIREBASE, '$firescrypt$ln=14,r=8,p=1$SALT$HASH$SEPARATOR$SIGNERKEY');
  const [ln = 0, r = 0, p = 0] = parts.slice(1, 4).map(Number);
  const [salt, key, separator, signerKey] = parts.slice(4).map(bytesOf);
  if (!salt || !key || !separator || !signerKey) return garbled(FIREBASE, BASE64);
  if (signerKey.length !== SIGNER_KEY_BYTES || key.length !== SIGNER_KEY_BYTES)
    return refused(
      `${FIREBASE} with a signer key and a hash of ${signerKey.length} and ${key.length} bytes`,
      `${SIGNER_KEY_BYTES} bytes each: the parameters of the project stand in the Firebase console`,
    );
  const known = scryptHash(FIREBASE, { ln, r, p, salt: Buffer.concat([salt, separator]), key });
  if (known.kind === 'unknown') return known;
  const settings = settingsOf({ ln, r, p });
  return {
    ...known,
    verify: async (password) => {
      const derived = await derive(password, Buffer.concat([salt, separator]), AES_KEY_BYTES, settings);
      const cipher = createCipheriv('aes-256-ctr', derived, Buffer.alloc(BLOCK_BYTES));
      return sameBytes(Buffer.concat([cipher.update(signerKey), cipher.final()]), key);
    },
  };
}

// Node asks for a little more than the table of scrypt itself.
const settingsOf = ({ ln, r, p }: Pick<Scrypt, 'ln' | 'r' | 'p'>) => {
  const cost = 2 ** ln;
  return { N: cost, r, p, maxmem: 128 * r * (cost + p) + 65_536 };
};

function scryptHash(name: string, { ln, r, p, salt, key, input = (password) => password }: Scrypt): ReadHash {
  if (salt === null || key === null) return garbled(name, BASE64);
  if (!Number.isInteger(ln)) return refused(`${name} with a cost that is no power of two`, SHAPE);
  const { scrypt: limits } = HASH_LIMITS;
  const settings = settingsOf({ ln, r, p });
  return {
    kind: 'known',
    format: name,
    tooCheapOrDear:
      outside(name, [
        ['ln', ln, limits.ln],
        ['r', r, limits.r],
        ['p', p, limits.p],
        ['2^ln times r times p', settings.N * r * p, limits.work],
      ]) ?? lengths(name, salt, key),
    verify: async (password) => sameBytes(await derive(input(password), salt, key.length, settings), key),
  };
}
