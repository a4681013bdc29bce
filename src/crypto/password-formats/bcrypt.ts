/** bcrypt, and the formats that hash a digest of the password with it, since bcrypt reads only 72 bytes. */
import { createHash, createHmac } from 'node:crypto';
import { garbled, HASH_LIMITS, type KnownHash, outside, type ReadHash } from './reading.ts';

const BYTES_READ = 72;
const SHAPE = '$2b$12$ and 53 characters';

export function readBcrypt(hash: string): ReadHash {
  return bcryptOf('bcrypt', hash, (password) => password) ?? garbled('bcrypt', SHAPE);
}

/** Devise hashes the password followed by the pepper of the application. */
export function readDevise(hash: string): ReadHash {
  const read = bcryptOf("Devise's bcrypt", hash.slice('{devise}'.length), (password, pepper) => password + pepper);
  return read === null ? garbled("Devise's bcrypt", `{devise}${SHAPE}`) : { ...read, needsPepper: true };
}

/** BCryptPasswordHasher. */
export function readDjangoBcrypt(hash: string): ReadHash {
  const name = "Django's bcrypt";
  return bcryptOf(name, hash.slice('bcrypt$'.length), (password) => password) ?? garbled(name, `bcrypt$${SHAPE}`);
}

/** BCryptSHA256PasswordHasher. */
export function readDjangoBcryptSha256(hash: string): ReadHash {
  const name = "Django's bcrypt of a SHA-256";
  const read = bcryptOf(name, hash.slice('bcrypt_sha256$'.length), (password) => sha256(password).toString('hex'));
  return read === null ? garbled(name, `bcrypt_sha256$${SHAPE}`) : whole(read);
}

/** Version 2 keys the digest with the salt; version 1 does not. */
export function readPasslibBcryptSha256(hash: string): ReadHash {
  const name = "passlib's bcrypt of a SHA-256";
  const parts =
    /^\$bcrypt-sha256\$(?:(v=2),t=(2[aby]),r=(\d{1,2})|(2[aby]),(\d{1,2}))\$([./A-Za-z0-9]{22})\$([./A-Za-z0-9]{31})$/.exec(
      hash,
    );
  if (parts === null) return garbled(name, '$bcrypt-sha256$v=2,t=2b,r=12$SALT$HASH');
  const [, isKeyed, type = parts[4], rounds = parts[5] ?? '', , , salt = '', checksum = ''] = parts;
  const digest = (password: string) =>
    isKeyed ? createHmac('sha256', salt).update(password).digest('base64') : sha256(password).toString('base64');
  const read = bcryptOf(name, `$${type}$${rounds.padStart(2, '0')}$${salt}${checksum}`, digest);
  return read === null ? garbled(name, SHAPE) : whole(read);
}

/** WordPress trims the password before it hashes it, as PHP's trim does. */
export function readWordPress(hash: string): ReadHash {
  const name = 'a WordPress 6.8 hash';
  const digest = (password: string) =>
    createHmac('sha384', 'wp-sha384')
      .update(password.replace(/^[ \t\n\r\0\v]+|[ \t\n\r\0\v]+$/g, ''))
      .digest('base64');
  const read = bcryptOf(name, hash.slice('$wp'.length), digest);
  return read === null ? garbled(name, `$wp${SHAPE}`) : whole(read);
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

const whole = ({ bytesRead: _, ...read }: KnownHash): KnownHash => read;

/** @param input the text that bcrypt hashes. Null: the text is not bcrypt. */
function bcryptOf(format: string, hash: string, input: (password: string, pepper: string) => string): KnownHash | null {
  const [, cost] = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash) ?? [];
  if (cost === undefined) return null;
  return {
    kind: 'known',
    format,
    tooCheapOrDear: outside(format, [['cost', Number(cost), HASH_LIMITS.bcrypt.cost]]),
    bytesRead: BYTES_READ,
    verify: async (password, pepper) => (await import('@node-rs/bcrypt')).verify(input(password, pepper ?? ''), hash),
  };
}
