/** A client as the options of a command describe it. */

import { Option } from 'commander';
import { secretVariable } from '../config/secret-variable.ts';
import { oneOf } from '../config/shown.ts';
import { CLIENT_FIELDS } from '../registration/client-metadata.ts';
import { CommandRefused } from './failure.ts';
import { each } from './repeated-option.ts';

export type FieldOptions = { readonly public?: true } & Readonly<Record<string, unknown>>;

/** An option for each field of the schema that can be an argument. A secret cannot. */
export const FIELD_OPTIONS = CLIENT_FIELDS.flatMap(({ name, words, isList, isJson, isFlag, choices }) => {
  if (words.option === undefined) return [];
  const help = [
    words.description,
    ...(choices.length > 0 ? [`Expects ${oneOf(choices)}.`] : []),
    ...(isList ? ['Repeat it for several.'] : []),
  ];
  const option = new Option(words.option, help.join(' '));
  if (isJson) return [{ name, option: option.argParser(readJson(words.option)) }];
  if (isFlag) return [{ name, option: option.argParser(readFlag) }];
  return [{ name, option: isList ? option.argParser(each) : option }];
});

/** Other text stays as it is: the schema says what it expects. */
function readFlag(text: string): unknown {
  return text === 'true' || text === 'false' ? text === 'true' : text;
}

function readJson(option: string): (text: string) => unknown {
  return (text) => {
    try {
      return JSON.parse(text);
    } catch {
      throw new CommandRefused(`${option.split(' ')[0]}: expected JSON, as in '{"keys":[…]}'.`);
    }
  };
}

/** @throws CommandRefused, EnvironmentError */
export function recordOf(options: FieldOptions, env: NodeJS.ProcessEnv): Record<string, unknown> {
  const secret = secretVariable(env, 'STATEHOUSE_CLIENT_SECRET');
  if (options.public && options['authMethod'] !== undefined && options['authMethod'] !== 'none') {
    throw new CommandRefused('--public means --auth-method none; leave out one of them.');
  }
  const given = FIELD_OPTIONS.map(({ name, option }) => [name, options[option.attributeName()]]);
  return {
    ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    ...(options.public && { token_endpoint_auth_method: 'none' }),
    // Byte for byte: spaces may be part of the secret.
    ...(secret !== null && { client_secret: secret }),
  };
}
