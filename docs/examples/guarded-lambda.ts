import { createGuard } from 'statehouse/guard';
import { type ApiGatewayEvent, lambdaGuard } from 'statehouse/guard/lambda';

/** Call it once, outside the handlers: one guard for all events of a process, because the guard keeps the keys. */
export function photosLambda(issuer: string, resource: string) {
  const guard = createGuard({ issuer, resource, scopes: ['read', 'write'], name: 'Photos' });
  const { requires, authorizer, metadata } = lambdaGuard(guard);
  return {
    /** The handler of GET /photos. */
    list: requires({ scopes: ['read'] }, async (_event: ApiGatewayEvent, { subject }) => ({
      statusCode: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ subject, photos: [] }),
    })),
    /** The handler of GET /.well-known/oauth-protected-resource. */
    metadata,
    /** The handler of a Lambda authorizer. */
    authorizer: authorizer({ scopes: ['read'] }),
  };
}
