/** A client as the options of a command describe it. */
import { Option } from 'commander';
import { describeRecordProblem } from '../config/problem.ts';
import { oneOf } from '../config/shown.ts';
import { CLIENT_FIELDS, type ReadClient } from '../registration/client-metadata.ts';
import type { Reading } from '../registration/record-problem.ts';
import { CommandRefused } from './failure.ts';
import { each } from './repeated-option.ts';

export type FieldOptions = { readonly public?: true } & Readonly<Record<string, unknown>>;

/** An option for each field of the schema that can be an argument. A secret cannot. */
export const FIELD_OPTIONS = CLIENT_FIELDS.flatMap(({ name, words, isList, choices }) => {
  if (words.option === undefined) return [];
  const help = [
    words.description,
    ...(choices.length > 0 ? [`Expects ${oneOf(choices)}.`] : []),
    ...(isList ? ['Repeat it for several.'] : []),
  ];
  const option = new Option(words.option, help.join(' '));
  return [{ name, option: isList ? option.argParser(each) : option }];
});

/** @throws CommandRefused */
export function recordOf(options: FieldOptions, env: NodeJS.ProcessEnv): Record<string, unknown> {
  if (options.public && options['authMethod'] !== undefined && options['authMethod'] !== 'none') {
    throw new CommandRefused('--public means --auth-method none; leave out one of them.');
  }
  const given = FIELD_OPTIONS.map(({ name, option }) => [name, options[option.attributeName()]]);
  return {
    ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    ...(options.public && { token_endpoint_auth_method: 'none' }),
    // Byte for byte: spaces may be part of the secret.
    ...(env['STATEHOUSE_CLIENT_SECRET'] && { client_secret: env['STATEHOUSE_CLIENT_SECRET'] }),
  };
}

type Accepted = Extract<Reading<ReadClient>, { readonly ok: true }>;

/** @throws CommandRefused with every problem of the record. */
export function acceptedClient(reading: Reading<ReadClient>): Accepted {
  if (reading.ok) return reading;
  const problems = reading.problems.map((problem) => `  ${describeRecordProblem(problem)}`).join('\n');
  throw new CommandRefused(`The client is refused; nothing was changed.\n${problems}`);
}
