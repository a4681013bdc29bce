/** The password of an end-user, as a command gets it: never as an argument, which other users of the machine can see. */
import { secretVariable } from '../config/secret-variable.ts';
import type { Random } from '../crypto/random.ts';
import type { Cli } from './cli.ts';
import { CommandRefused } from './failure.ts';

/** @throws CommandRefused, EnvironmentError */
export async function readPassword({ env, input }: Cli): Promise<string> {
  const fromEnvironment = secretVariable(env, 'STATEHOUSE_PASSWORD');
  const given = fromEnvironment ?? (await input.readSecret('Password: '));
  if (given === '') {
    throw new CommandRefused(
      'No password: set STATEHOUSE_PASSWORD, write it to standard input, or use --generate-password.',
    );
  }
  if (input.interactive && fromEnvironment === null && (await input.readSecret('Again: ')) !== given) {
    throw new CommandRefused('The two passwords differ; nothing was changed.');
  }
  return given;
}

/** 128 random bits. */
export const makePassword = (random: Random): string => random.bytes(16).toString('base64url');
