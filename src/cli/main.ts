/** The `statehouse` command: runs it, and ends the process even where something was left open. */
import { systemCli } from './cli.ts';
import { endQuietlyWhenNobodyReads } from './output.ts';
import { runCommand } from './program.ts';

endQuietlyWhenNobodyReads();
const status = await runCommand(process.argv.slice(2), systemCli);
// `start` returns while the server runs. After a failure, what is still open (connections, timers) must not hold the process.
if (status !== 0) process.stderr.write('', () => process.exit(status));
