/** The mails of the configuration, with made-up data. Needs no database. */
import { Option } from 'commander';
import { type ComposedMail, SAMPLE_KINDS, SAMPLE_LANGUAGES, sampleMail } from '../boot/mail/sample-mails.ts';
import { readEnvironment } from '../config/environment.ts';
import { loadConfiguration } from '../config/load.ts';
import type { Cli } from './cli.ts';

export const KINDS = SAMPLE_KINDS;

export const languageOption = (): Option =>
  new Option('--language <tag>', 'the language of the mail').choices([...SAMPLE_LANGUAGES]).default('en');

/** @throws ConfigurationError, EnvironmentError */
export function samplesOf({ env }: Pick<Cli, 'env'>) {
  const environment = readEnvironment(env);
  const configuration = loadConfiguration(environment.configFolder, environment.issuer);
  return {
    smtp: environment.smtp,
    compose: (kind: string, language: string, to: string): Promise<ComposedMail> =>
      sampleMail(environment.issuer, configuration, { kind, language, to }),
  };
}
