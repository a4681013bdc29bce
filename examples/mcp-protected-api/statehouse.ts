/**
 * Statehouse as this example needs it: with the policies beside this file, in a temporary folder of its own, which is removed at the
 * end. So it starts whatever an earlier start has left in `.statehouse`. ISSUER: its own URL; API: where the API is.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { ISSUER = 'http://localhost:3000', API = 'http://localhost:4000/mcp' } = process.env;

const folder = mkdtempSync(join(tmpdir(), 'statehouse-mcp-'));
const policies = join(folder, 'policies');
cpSync(join(import.meta.dirname, 'policies'), policies, { recursive: true });
for (const name of ['resources.yaml', 'registration.yaml']) {
  const file = join(policies, name);
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('http://localhost:4000/mcp', API));
}

const server = spawn(process.execPath, [join(import.meta.dirname, '../../src/cli/statehouse.js'), 'start'], {
  cwd: folder,
  stdio: 'inherit',
  env: {
    ...process.env,
    STATEHOUSE_CONFIG: policies,
    STATEHOUSE_ISSUER: ISSUER,
    PORT: new URL(ISSUER).port || '80',
    HOST: 'localhost',
    // Empty is unset: the embedded database in this folder, with a demo end-user.
    NODE_ENV: '',
    DATABASE_URL: '',
    STATEHOUSE_SECRET: '',
    STATEHOUSE_TRUSTED_PROXIES: '',
  },
});
server.on('exit', (status) => {
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = status ?? 1;
});
// A terminal sends Ctrl-C to both processes: this one waits for the server.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => server.kill('SIGTERM'));
