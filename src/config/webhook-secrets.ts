/** The secrets of webhooks.yaml, which are in the environment or in files. No value is ever printed. */
import type { WebhookReceiver } from '../../policies/webhooks-schema.ts';
import { type Configuration, WEBHOOKS_FILE } from './configuration.ts';
import { ConfigurationError, type Problem, problemOf } from './problem.ts';
import { readSecretVariable, secretExpected, secretVariable, type Variables } from './secret-variable.ts';
import { readText } from './text-file.ts';

const PREFIX = 'whsec_';
/** Standard Webhooks: the secret has between 24 and 64 bytes. */
const [MIN_BYTES, MAX_BYTES] = [24, 64];
/** While a secret is changed, the old and the new one are right. */
const MAX_LIVE_SECRETS = 2;
/** The format, in words. */
export const WEBHOOK_SECRET = `${PREFIX} and the base64 of ${MIN_BYTES} to ${MAX_BYTES} random bytes, or two of them separated by a space`;

/** @returns the secrets, the newest first, each with its prefix; null: they are none. */
export function readWebhookSecrets(text: string): readonly string[] | null {
  const secrets = text.trim().split(/[\s,]+/);
  return secrets.length <= MAX_LIVE_SECRETS && secrets.every(isSecret) ? secrets : null;
}

function isSecret(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  const base64 = text.slice(PREFIX.length);
  const bytes = Buffer.from(base64, 'base64');
  const isBase64 = bytes.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
  return isBase64 && bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES;
}

/** Read at each call, so that a rotation of a file is found. @returns null: they are not set, cannot be read, or are none. */
export const webhookSecretsOf = (named: NamedSecret, environment: Variables): readonly string[] | null => {
  const text = secretText(named, environment);
  return text === null ? null : readWebhookSecrets(text);
};

type NamedSecret = Pick<WebhookReceiver, 'secretEnvironment' | 'secretFile'>;

function secretText({ secretEnvironment: name, secretFile }: NamedSecret, environment: Variables): string | null {
  if (secretFile !== undefined) {
    const file = readText(secretFile);
    return file.ok && file.text.trim() !== '' ? file.text : null;
  }
  const read = readSecretVariable(environment, name ?? '');
  return 'problem' in read ? null : read.value;
}

/** Its path is not shown: a secret may stand in the wrong place. */
function ofFile({ secretFile = '' }: WebhookReceiver, at: number): Problem[] {
  const file = readText(secretFile);
  if (file.ok && readWebhookSecrets(file.text) !== null) return [];
  const found = file.ok ? 'a file that holds something else' : `a path that leads to ${file.found}`;
  const allowed = `the path of a file with the secret: ${WEBHOOK_SECRET}`;
  return [problemOf(WEBHOOKS_FILE, `receivers.${at}.secretFile`, found, allowed)];
}

/** @throws EnvironmentError for a file that cannot be read. @throws ConfigurationError naming every variable without a secret. */
export function requireWebhookSecrets(
  { webhooks }: Pick<Configuration, 'webhooks'>,
  environment: Variables,
  folder: string,
): void {
  const problems = webhooks.receivers.flatMap((receiver, at): Problem[] => {
    const { secretEnvironment: name, secretFile } = receiver;
    if (secretFile !== undefined) return ofFile(receiver, at);
    if (name === undefined) return [];
    const isSet = secretVariable(environment, name) !== null;
    if (isSet && webhookSecretsOf(receiver, environment) !== null) return [];
    const found = isSet ? `${name}, which holds something else` : `${name}, which is not set`;
    const allowed = isSet ? WEBHOOK_SECRET : `${secretExpected(name)}, with ${WEBHOOK_SECRET}`;
    return [problemOf(WEBHOOKS_FILE, `receivers.${at}.secretEnvironment`, found, allowed)];
  });
  if (problems.length > 0) throw new ConfigurationError(folder, problems);
}
