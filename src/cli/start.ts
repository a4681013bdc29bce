import type { Cli } from './cli.ts';
import type { Command } from './command.ts';

export function startCommand(parent: Command, cli: Cli): void {
  parent
    .command('start')
    .description('run the server')
    .helpAfter(`
Applies the migrations first. SIGTERM and SIGINT finish the requests in flight, then end the server.
Exit status 78 when a device for signing keys refuses its PIN or cannot be used as configured: do not start it again before that is changed.

Examples:
  statehouse start
  PORT=4000 statehouse start`)
    .action(async () => {
      // Loaded here, so that other commands do not load the server.
      const { start } = await import('../boot/main.ts');
      await start(cli.env);
    });
}
