/**
 * The guard for AWS Lambda behind API Gateway: a wrapper of a handler, and a Lambda authorizer. Events have version 1.0
 * (REST APIs) or 2.0 (HTTP APIs). It uses nothing of Node.
 */
import { demandNeeds, type Guard } from './guard.ts';
import { cachingOf } from './headers.ts';
import { METADATA_HEADERS } from './metadata.ts';
import type { Needs } from './needs.ts';
import type { Access } from './outcome.ts';
import type { GuardedRequest } from './request.ts';

type Values<Value> = Readonly<Record<string, Value | undefined>> | null | undefined;

/** The fields of both versions that the guard reads. */
export type ApiGatewayEvent = {
  readonly headers?: Values<string>;
  readonly multiValueHeaders?: Values<readonly string[]>;
  readonly path?: string | undefined;
  readonly rawPath?: string | undefined;
  readonly rawQueryString?: string | undefined;
  readonly queryStringParameters?: Values<string>;
  readonly httpMethod?: string | undefined;
  readonly requestContext?: object | undefined;
};

export type AuthorizerEvent = ApiGatewayEvent & {
  readonly version?: string | undefined;
  readonly methodArn?: string | undefined;
  readonly routeArn?: string | undefined;
  /** The value of the header, where the authorizer has the type TOKEN. */
  readonly authorizationToken?: string | undefined;
};

export type LambdaResult = { statusCode: number; headers?: Record<string, boolean | number | string>; body?: string };

export function lambdaGuard<Claims>(guard: Guard<Claims>) {
  return {
    /** The guarded handler. The context of Lambda follows the caller. @throws TypeError when the needs are invalid. */
    requires<Event extends ApiGatewayEvent, Rest extends readonly unknown[], Result extends LambdaResult>(
      needs: Needs,
      handler: (event: Event, access: Access<Claims>, ...rest: Rest) => Promise<Result>,
    ) {
      demandNeeds(guard, needs);
      return async (event: Event, ...rest: Rest): Promise<Result | LambdaResult> => {
        const outcome = await guard.check(requestOf(event), needs);
        if (outcome.kind !== 'granted') return json(outcome.status, outcome.headers, outcome.body);
        const result = await handler(event, outcome.access, ...rest);
        return { ...result, headers: uncached(result.headers ?? {}) };
      };
    },
    /**
     * A Lambda authorizer, with IAM policies for version 1.0 and simple responses for 2.0. API Gateway writes the
     * response to a refused request, without a challenge. The integration gets the caller as strings.
     */
    authorizer(needs: Needs) {
      demandNeeds(guard, needs);
      return async (event: AuthorizerEvent) => {
        const { authorizationToken: authorization } = event;
        const request = authorization === undefined ? requestOf(event) : { headers: { authorization } };
        const outcome = await guard.check(request, needs);
        if (outcome.kind === 'unavailable') throw new Error('The API cannot check access tokens at the moment.');
        // API Gateway answers 401 to this message alone.
        if (outcome.kind === 'refused' && outcome.error !== 'insufficient_scope') throw new Error('Unauthorized');
        const access = outcome.kind === 'granted' ? outcome.access : null;
        return event.version === '2.0' ? simple(access) : policy(access, event.methodArn ?? event.routeArn ?? '');
      };
    },
    /** The metadata of the API (RFC 9728), for requests for `guard.metadata.path`. */
    metadata: async (): Promise<LambdaResult> => json(200, METADATA_HEADERS, guard.metadata.document),
  };
}

function requestOf(event: ApiGatewayEvent): GuardedRequest {
  const { rawQueryString, queryStringParameters, httpMethod } = event;
  const { http, path } = (event.requestContext ?? {}) as { http?: { method?: string }; path?: string };
  const query =
    rawQueryString ??
    Object.keys(queryStringParameters ?? {})
      .map(encodeURIComponent)
      .join('&');
  return {
    // Version 1.0 has the last of several values in `headers`, and all of them here.
    headers: event.multiValueHeaders ?? event.headers ?? {},
    // Of the paths in version 1.0, only that of the context has the stage, as the client requests it.
    url: `${event.rawPath ?? path ?? event.path ?? '/'}?${query}`,
    method: http?.method ?? httpMethod,
  };
}

const json = (statusCode: number, headers: Readonly<Record<string, string>>, body: object): LambdaResult => ({
  statusCode,
  headers: { ...headers, 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Names of headers have any case in a result. */
function uncached(headers: NonNullable<LambdaResult['headers']>): NonNullable<LambdaResult['headers']> {
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const { 'cache-control': cacheControl, vary } = lower;
  return { ...lower, ...cachingOf({ cacheControl, vary: vary === undefined ? null : String(vary) }) };
}

const contextOf = (access: Access | null): Record<string, string> =>
  access === null ? {} : { subject: access.subject, clientId: access.clientId, scopes: access.scopes.join(' ') };

const simple = (access: Access | null) => ({ isAuthorized: access !== null, context: contextOf(access) });

const policy = (access: Access | null, arn: string) => ({
  principalId: access?.subject ?? 'nobody',
  policyDocument: {
    Version: '2012-10-17',
    Statement: [{ Action: 'execute-api:Invoke', Effect: access === null ? 'Deny' : 'Allow', Resource: arn }],
  },
  context: contextOf(access),
});
