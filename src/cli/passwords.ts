/** The password of an end-user, as a command gets it: never as an argument, which other users of the machine can see. */
import type { Random } from '../crypto/random.ts';
import type { Cli } from './cli.ts';
import { CommandRefused } from './failure.ts';

/** @throws CommandRefused */
export async function readPassword({ env, input }: Cli): Promise<string> {
  const given = env['STATEHOUSE_PASSWORD'] || (await input.readSecret('Password: '));
  if (given === '') {
    throw new CommandRefused(
      'No password: set STATEHOUSE_PASSWORD, write it to standard input, or use --generate-password.',
    );
  }
  if (input.interactive && !env['STATEHOUSE_PASSWORD'] && (await input.readSecret('Again: ')) !== given) {
    throw new CommandRefused('The two passwords differ; nothing was changed.');
  }
  return given;
}

/** 128 random bits. */
export const makePassword = (random: Random): string => random.bytes(16).toString('base64url');
