/** The parameters that a client pushed, as the authorization endpoint opens them (RFC 9126 §4). */
import { demandsOf } from '../../policies/profiles.ts';
import type { Configuration } from '../config/configuration.ts';
import { isOwnClient, profileOf } from '../config/own-clients.ts';
import { isNamedBy, isPushedUri, openParameters, readRequestUri } from '../crypto/pushed-request.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import type { PushedRequest } from '../lifecycles/pushed-request/entity.ts';
import {
  openPushedRequest,
  type PushedRequestPorts,
  type UselessReason,
} from '../lifecycles/pushed-request/lifecycle.ts';
import type { Client } from '../model/client.ts';
import type { AuthorizationReading, UnverifiedRequest } from './authorization-request.ts';

/** For a page: the client receives no answer. */
export type PushedRefused = {
  readonly kind: 'pushedRefused';
  /** `pushed_request_required`: the request is none that the client pushed, and the client has to push. */
  readonly reason: UselessReason | 'pushed_request_required';
  /** As the browser brought it. */
  readonly clientId: string;
};

export type OpenedPushed = {
  readonly kind: 'pushed';
  readonly request: PushedRequest;
  /** Its parameters, as a form. */
  readonly encoded: string;
  /** The query that opens it again. */
  readonly link: string;
};

/**
 * RFC 9101 §6.3: only the pushed parameters count, so those beside `request_uri` and `client_id` are not read.
 * @returns null: the request names no pushed one. @throws StoreUnavailable, Unavailable
 */
export async function openPushed(
  deps: PushedRequestPorts & { readonly keys: RootKeys },
  { parameters }: AuthorizationReading,
): Promise<OpenedPushed | PushedRefused | UnverifiedRequest | null> {
  const uri = parameters.get('request_uri');
  if (uri === null || !isPushedUri(uri)) return null;
  const clientId = parameters.get('client_id');
  if (clientId === null) return { kind: 'unverified', reason: 'client_id_missing', clientId };
  const refused = (reason: UselessReason): PushedRefused => ({ kind: 'pushedRefused', reason, clientId });
  const named = readRequestUri(uri);
  if (named === null) return refused('pushed_request_unknown');
  const opened = await openPushedRequest(deps, named.id, clientId, (request) => isNamedBy(request, named));
  if (opened.kind === 'rejected') return refused(opened.reason);
  const { request } = opened;
  const encoded = openParameters(deps.keys, request.id, request.sealed);
  if (encoded === null) return refused('pushed_request_unknown');
  const link = new URLSearchParams({ client_id: clientId, request_uri: uri }).toString();
  return { kind: 'pushed', request, encoded, link };
}

/**
 * RFC 9126 §5, §6: every client has to push, or this one, by itself or by its profile. The server makes the requests of its own
 * clients, and seals their state. A push for each visitor of the console would let strangers use up its pushes.
 */
export const mustPush = (configuration: Configuration, client: Client): boolean =>
  client.requirePushedAuthorizationRequests ||
  demandsOf(profileOf(configuration, client)).pushed ||
  (configuration.signIn.requirePushedAuthorizationRequests && !isOwnClient(client.clientId));
