/** Runs the `statehouse` command, and ends the process even when something was left open. */
import { systemCli } from './cli.ts';
import { endQuietlyOnClosedPipe } from './output.ts';
import { runCommand } from './program.ts';

endQuietlyOnClosedPipe();
const status = await runCommand(process.argv.slice(2), systemCli);
// `start` returns while the server runs. After a failure, open connections and timers must not keep the process alive.
if (status !== 0) process.stderr.write('', () => process.exit(status));
