/** SHA-crypt (`$5$`, `$6$`) and phpass: many rounds of a digest, on a thread of their own. */
import { Worker } from 'node:worker_threads';
import { garbled, HASH_LIMITS, outside, type ReadHash, sameBytes } from './reading.ts';
import type { Rounds } from './rounds.ts';

/** Without "rounds=", as glibc has it. */
const DEFAULT_ROUNDS = 5000;
const SHA_CRYPT_SHAPE = '$6$SALT$HASH or $6$rounds=5000$SALT$HASH';

/** `$5$` is SHA-256, `$6$` is SHA-512. */
export function readShaCrypt(hash: string): ReadHash {
  const parts = /^\$([56])\$(?:rounds=(\d{1,9})\$)?([./A-Za-z0-9]{1,16})\$([./A-Za-z0-9]{43}|[./A-Za-z0-9]{86})$/.exec(
    hash,
  );
  const [, number, given, salt = '', checksum = ''] = parts ?? [];
  if (parts === null || checksum.length !== (number === '5' ? 43 : 86)) return garbled('SHA-crypt', SHA_CRYPT_SHAPE);
  const rounds = given === undefined ? DEFAULT_ROUNDS : Number(given);
  const algorithm = number === '5' ? 'sha256' : 'sha512';
  const name = `SHA-crypt (${algorithm})`;
  return {
    kind: 'known',
    format: name,
    tooCheapOrDear: outside(name, [['rounds:', rounds, HASH_LIMITS.shaCrypt.rounds]]),
    verify: (password) => isResult(checksum, { kind: 'sha-crypt', algorithm, rounds, salt, password }),
  };
}

/** The alphabet of crypt, in its order. */
const DIGITS = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `$P$`: WordPress before 6.8 and others. `$H$`: phpBB. */
export function readPhpass(hash: string): ReadHash {
  const name = 'phpass (WordPress before 6.8, phpBB)';
  const parts = /^\$[PH]\$([./A-Za-z0-9])([./A-Za-z0-9]{8})([./A-Za-z0-9]{22})$/.exec(hash);
  if (parts === null) return garbled(name, '$P$B and 30 characters');
  const [, digit = '', salt = '', checksum = ''] = parts;
  const log2 = DIGITS.indexOf(digit);
  return {
    kind: 'known',
    format: name,
    tooCheapOrDear: outside(name, [['the logarithm of its rounds:', log2, HASH_LIMITS.phpass.log2]]),
    verify: (password) => isResult(checksum, { kind: 'phpass', rounds: 2 ** log2, salt, password }),
  };
}

/**
 * Every round reads the whole password. A million rounds of 256 bytes take a second. More would hold up the other sign-ins of the node, so
 * such a password is wrong. With the rounds that WordPress and glibc choose, no typed password has more.
 */
const MAX_BYTES_OF_ROUNDS = 2 ** 28;

/** A thread for one hash: it is needed once for each imported end-user. */
async function isResult(checksum: string, rounds: Rounds): Promise<boolean> {
  if (rounds.rounds * Buffer.byteLength(rounds.password) > MAX_BYTES_OF_ROUNDS) return false;
  const worker = new Worker(new URL('./rounds-worker.ts', import.meta.url), { workerData: rounds });
  try {
    const result = await new Promise<string>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    return sameBytes(Buffer.from(result), Buffer.from(checksum));
  } finally {
    void worker.terminate();
  }
}
