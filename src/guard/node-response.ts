/** Responses of Node's HTTP server, on which Express and the handlers of MCP build. */
import { headersFor } from './headers.ts';
import { METADATA_HEADERS, type ResourceMetadata } from './metadata.ts';
import type { Granted, Outcome, Refused, Unavailable } from './outcome.ts';

/** The part of `http.ServerResponse` that the guard uses. */
export type NodeResponse = {
  statusCode: number;
  /** Absent: the response has not been sent. */
  readonly headersSent?: boolean;
  readonly getHeader: (name: string) => number | string | string[] | undefined;
  readonly setHeader: (name: string, value: string) => unknown;
  readonly end: (body: string) => unknown;
};

/** The part of a request that decides whether it asks for the metadata. */
export type NodeRequest = { readonly method?: string | undefined; readonly url?: string | undefined };

export function refuse(response: NodeResponse, outcome: Refused | Unavailable): void {
  sendJson(response, outcome.status, headersOf(outcome, response), outcome.body);
}

export function admit(response: NodeResponse, outcome: Granted): void {
  setAll(response, headersOf(outcome, response));
}

/** Serves the metadata of the API at their path, and leaves every other request to the next handler. */
export const serveMetadata =
  ({ path, document }: ResourceMetadata) =>
  ({ method, url = '' }: NodeRequest, response: NodeResponse, next: () => void): void => {
    const isAsked = (method === 'GET' || method === 'HEAD') && url.replace(/\?.*/s, '') === path;
    if (isAsked) sendJson(response, 200, METADATA_HEADERS, document);
    else next();
  };

/** @param response of Node, Express or Fastify. */
export const headersOf = (outcome: Outcome, response: Pick<NodeResponse, 'getHeader'>) =>
  headersFor(outcome, { cacheControl: response.getHeader('cache-control'), vary: response.getHeader('vary') });

function sendJson(response: NodeResponse, status: number, headers: Readonly<Record<string, string>>, body: object) {
  response.statusCode = status;
  setAll(response, { ...headers, 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}

function setAll(response: NodeResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
