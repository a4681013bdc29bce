/**
 * Reads the document of a client as a registration (draft-ietf-oauth-client-id-metadata-document §4). No sentence about a document has
 * anything of its content.
 */
import type { MetadataDocuments } from '../../policies/registration-schema.ts';
import type { Configuration } from '../config/configuration.ts';
import type { SentRegistration } from '../lifecycles/client/lifecycle.ts';
import { jsonIn } from '../oauth/sent-text.ts';
import { readIntroducedClient } from './introduced-client.ts';
import { isJsonObject, withoutNulls } from './record-problem.ts';

export type DocumentReading =
  | { readonly ok: true; readonly registration: SentRegistration }
  | { readonly ok: false; readonly problem: string };

const METHODS: readonly unknown[] = ['none', 'private_key_jwt'];

const broken = (problem: string): DocumentReading => ({ ok: false, problem });

export function readClientDocument(
  url: string,
  text: string,
  rules: MetadataDocuments,
  configuration: Configuration,
): DocumentReading {
  const parsed = jsonIn(text);
  if (!isJsonObject(parsed)) return broken('The document is not a JSON object.');
  const document = withoutNulls(parsed);
  // CIMD §4: compared as strings, without normalization.
  if (document['client_id'] !== url) return broken('The client_id in the document is not the URL of the document.');
  // CIMD §4.1.
  if ('client_secret' in parsed || 'client_secret_expires_at' in parsed)
    return broken('The document has a client_secret or client_secret_expires_at.');
  const { token_endpoint_auth_method: method = 'none' } = document;
  if (!METHODS.includes(method)) return broken('token_endpoint_auth_method is neither none nor private_key_jwt.');
  const { host } = new URL(url);
  const introduced = { clientId: url, method: method as string, access: rules, hosts: () => [host], otherwise: host };
  return readIntroducedClient(document, introduced, configuration);
}
