import { type Environment, isLoopback } from '../config/environment.ts';
import { homeFolder } from '../system/home-folder.ts';
import type { Demo } from './demo-data.ts';

/** The issuer, the place of the data, the URL to open, and the demo credentials. */
export function banner({ issuer, databaseUrl, host }: Environment, demo: Demo | null): string {
  const base = issuer.replace(/\/$/, '');
  const lines = [
    '',
    `  Statehouse is running: ${issuer}`,
    databaseUrl === null
      ? `  Data: the embedded database in ${homeFolder()} (for a real Postgres, set DATABASE_URL)`
      : '  Data: the Postgres of DATABASE_URL',
  ];
  if (demo) {
    lines.push(
      '',
      `  An end-user signs in: open ${base}/playground`,
      `                       username ${demo.username}, password ${demo.password}`,
      `  An operator looks:   open ${base}/console, as the same user`,
      '  A service gets in:   ' +
        `curl -u ${demo.service.clientId}:${demo.service.clientSecret} -d grant_type=client_credentials ${base}/oauth/token`,
      '',
      '  These are demo users and clients; they exist only on the embedded database of this machine.',
    );
  }
  if (databaseUrl === null && !isLoopback(host)) {
    lines.push(
      '',
      `  No demo: with HOST=${host} other machines can reach this server, so demo user, demo clients and playground are not there.`,
      '  Leave HOST unset to have them, or add an end-user: npx statehouse users create NAME',
    );
  }
  return `${lines.join('\n')}\n\n`;
}
