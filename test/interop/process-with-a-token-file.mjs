// One of several processes that share a chain. It refreshes as often as said, or dies with the lock.
import { setTimeout as sleep } from 'node:timers/promises';

const { at, file, issuer, clientId, refreshes, diesWithTheLock } = JSON.parse(process.argv[2]);
const { tokenFile } = await import(new URL('token-file.ts', at));
const { tokenKeeper } = await import(new URL('token-keeper.ts', at));
const store = tokenFile(file);

async function refresh(refreshToken) {
  const body = new URLSearchParams({ grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken });
  const response = await fetch(`${issuer}/oauth/token`, { method: 'POST', body });
  const answer = await response.json();
  if (response.status === 400 && answer.error === 'invalid_grant') return null;
  if (response.status !== 200) throw new Error(`${response.status}`);
  // Due already, so that each call refreshes.
  return { accessToken: answer.access_token, refreshToken: answer.refresh_token, expiresAt: 0 };
}

if (diesWithTheLock) {
  await store.alone(async () => {
    process.stdout.write('locked\n');
    await sleep(2 ** 31 - 1);
  });
}
const keeper = tokenKeeper(store, refresh);
for (let time = 0; time < refreshes; time++) process.stdout.write(`${await keeper.accessToken()}\n`);
