/** Reverse proxies as children of a test, each in a folder of its own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasEnded, outputOf, startChild } from './child-process.ts';
import { installedTool } from './installed-tool.ts';
import { accepts } from './listening.ts';
import { until } from './until.ts';

/** Null: not installed. */
export const nginxPath = installedTool('NGINX_PATH', ['/usr/sbin/nginx']);

/**
 * The frame of Debian's nginx.conf. Everything that nginx writes is in the folder.
 * @returns the arguments of nginx
 */
export function writeNginxConf(folder: string, servers: string): string[] {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const file = join(folder, 'nginx.conf');
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${join(folder, 'nginx.pid')}; error_log stderr; ${user}
events {} http { ${temporary.join(' ')}
${servers}
}`,
  );
  return ['-c', file, '-p', folder];
}

/** The child ends with the running test. */
export async function startProxy(
  path: string,
  args: readonly string[],
  { folder, port, env = {} }: { readonly folder: string; readonly port: number; readonly env?: Record<string, string> },
): Promise<void> {
  const proxy = startChild(path, [...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = outputOf(proxy);
  await until(async () => {
    if (hasEnded(proxy)) throw new Error(output());
    return accepts(port);
  });
}
