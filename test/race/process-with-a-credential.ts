/**
 * One of several processes that share a credential file, with its DPoP key. It rotates the refresh token until its standard input
 * ends, which it also does when its parent dies. The arguments: the file, the token endpoint, and its URL in proofs.
 */
import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto';
import { openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { proofOf } from '../support/dpop.ts';

export type CredentialFile = {
  readonly clientId: string;
  readonly refreshToken: string;
  /** The private half. */
  readonly key: JsonWebKey;
};

/** By outcome of a request. */
export type Counts = { rotated: number; stale: number; lost: number; other: string[] };

const STALE = 'A newer token was issued to this client: use that one.';

const [, , file = '', endpoint = '', url = ''] = process.argv;
const read = (): CredentialFile => JSON.parse(readFileSync(file, 'utf8'));

let goesOn = true;
process.stdin.once('end', () => {
  goesOn = false;
});
process.stdin.resume();

const privateKey = createPrivateKey({ key: read().key, format: 'jwk' });
const jwk = createPublicKey(privateKey).export({ format: 'jwk' }) as JWK;
const key = { alg: 'ES256', jwk, privateKey, jkt: await calculateJwkThumbprint(jwk) };

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Among all processes. The file that exists is the lock. */
async function locked(work: () => void): Promise<void> {
  for (;;) {
    try {
      openSync(`${file}.lock`, 'wx');
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      await turn();
    }
  }
  try {
    work();
  } finally {
    rmSync(`${file}.lock`);
  }
}

/** Only while the file has the token that this process presented: so it never goes back to an older one. */
const keep = (presented: string, refreshToken: string) =>
  locked(() => {
    const stored = read();
    if (stored.refreshToken !== presented) return;
    writeFileSync(`${file}.new`, JSON.stringify({ ...stored, refreshToken }));
    renameSync(`${file}.new`, file);
  });

const counts: Counts = { rotated: 0, stale: 0, lost: 0, other: [] };
while (goesOn) {
  const { clientId, refreshToken } = read();
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { dpop: proofOf(key, { url, now: new Date() }) },
      body: new URLSearchParams({ client_id: clientId, grant_type: 'refresh_token', refresh_token: refreshToken }),
    });
    const body = (await response.json()) as Readonly<Record<string, string>>;
    if (response.status === 200) {
      counts.rotated++;
      await keep(refreshToken, body['refresh_token'] ?? '');
    } else if (body['error_description'] === STALE) counts.stale++;
    else counts.other.push(`${response.status} ${body['error']} ${body['error_description']}`);
  } catch {
    counts.lost++;
  }
}
process.stdout.write(JSON.stringify(counts));
process.exit(0);
