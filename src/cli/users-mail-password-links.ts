import { InvalidArgumentError } from 'commander';
import { type Cli, withRuntime } from './cli.ts';
import type { Command } from './command.ts';
import { type MailOptions, mailLinks } from './password-links.ts';

const PER_MINUTE = 120;
const MAX_PER_MINUTE = 60_000;

export function usersMailPasswordLinksCommand(parent: Command, cli: Cli): void {
  parent
    .command('mail-password-links')
    .description('mail a link to a first password to every user who has no way to sign in')
    .option('--dry-run', 'print the numbers; mail nothing')
    .option('--unverified', 'also mail addresses that are not verified: a link that verifies them')
    .option('--per-minute <number>', `the most mails in a minute, up to ${MAX_PER_MINUTE}`, perMinuteFrom, PER_MINUTE)
    .jsonOption()
    .helpAfter(`
For users without a password, a linked identity and a passkey, such as imported ones. The link can be used for 24 hours. The servers send
the mails, so a server has to run within the hour. Run the command again after an interruption, or on another day. It leaves out users who
have a password by then, and users whose link can still be used.
With --unverified the first mail verifies the address. The command mails the link to a password when it is run again, or the user asks
for one ("Forgot password?").

Examples:
  statehouse users mail-password-links --dry-run
  statehouse users mail-password-links --per-minute 300`)
    .action(async (options: MailOptions) => {
      await withRuntime(cli, async (runtime) => {
        const { directPasswordLinks } = await import('./direct/password-links.ts');
        await mailLinks(cli, await directPasswordLinks(runtime), options);
      });
    });
}

function perMinuteFrom(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > MAX_PER_MINUTE)
    throw new InvalidArgumentError(`Expected a number from 1 to ${MAX_PER_MINUTE}.`);
  return number;
}
