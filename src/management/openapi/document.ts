/** The OpenAPI 3.1 document of the API, made from its resources. */
import { managementResource } from '../../config/management-resource.ts';
import { urlUnder } from '../../oauth/urls.ts';
import { API_PATH } from '../addresses.ts';
import { type Method, scopesOf } from '../operations.ts';
import type { ManagementResource, Operation } from '../resource.ts';
import { RESOURCES } from '../resources/all.ts';
import { answersOf, HEADER_COMPONENTS, PROBLEM_SCHEMA, problemComponents } from './answers.ts';
import { isList, operationId } from './names.ts';
import { parametersOf } from './parameters.ts';
import { collectSchemas, mergePatchOf, nullsAllowed, type Schemas } from './schemas.ts';
import { TAGS, tagOf } from './tags.ts';

/** @param issuer its URLs are in the document. */
export function openApiDocument(issuer: string): object {
  const schemas = collectSchemas();
  const paths = Object.fromEntries(
    RESOURCES.map((resource) => [
      `${API_PATH}${resource.path.replace(/^\/$/, '')}`,
      Object.fromEntries(
        methodsOf(resource).map(([method, operation]) => [
          method.toLowerCase(),
          operationObject(schemas, method, operation, resource),
        ]),
      ),
    ]),
  );
  return {
    openapi: '3.1.1',
    info: { title: 'Statehouse: administration', version: '1', description: CONVENTIONS },
    servers: [{ url: urlUnder(issuer, '') }],
    tags: TAGS,
    paths,
    components: {
      schemas: { ...schemas.components(), Problem: PROBLEM_SCHEMA },
      headers: HEADER_COMPONENTS,
      responses: problemComponents(issuer, OPERATIONS),
      securitySchemes: { oauth2: securityScheme(issuer) },
    },
  };
}

const methodsOf = ({ methods }: ManagementResource) => Object.entries(methods) as [Method, Operation][];

const OPERATIONS = RESOURCES.flatMap((resource) =>
  methodsOf(resource).map(([method, operation]) => [method, operation, resource] as const),
);

function operationObject(schemas: Schemas, method: Method, operation: Operation, resource: ManagementResource): object {
  const parameters = parametersOf(schemas, method, operation, resource);
  return {
    operationId: operationId(method, resource.path, isList(operation)),
    ...headingOf(operation),
    tags: [tagOf(resource.path)],
    security: [{ oauth2: scopesOf(resource.path, method) }],
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && { requestBody: requestBody(schemas, method, operation) }),
    responses: answersOf(schemas, method, operation, resource),
  };
}

function headingOf({ summary }: Operation): object {
  const [heading = summary] = summary.replace(/\.$/, '').split(/[.:;] /);
  return { summary: heading, ...(`${heading}.` !== summary && { description: summary }) };
}

function requestBody(
  schemas: Schemas,
  method: Method,
  { body, patches, bodyIsOptional, example }: Operation,
): object | undefined {
  const shape = patches ?? body;
  if (!shape) return undefined;
  const isPatch = method === 'PATCH';
  const schema = schemas.of(shape);
  const shown = example && { example };
  return {
    ...(!bodyIsOptional && { required: true }),
    content: isPatch
      ? { 'application/merge-patch+json': { schema: mergePatchOf(schema), ...shown } }
      : { 'application/json': { schema: nullsAllowed(schema), ...shown } },
  };
}

function securityScheme(issuer: string): object {
  const { identifier, scopes } = managementResource(issuer);
  const tokenUrl = urlUnder(issuer, '/oauth/token');
  const described = Object.fromEntries(scopes.map(({ name, description }) => [name, description]));
  return {
    type: 'oauth2',
    description: `Access tokens of this server, asked for with \`resource=${identifier}\` and the scopes by name. operators.yaml says who may have them.`,
    flows: {
      clientCredentials: { tokenUrl, scopes: described },
      authorizationCode: {
        authorizationUrl: urlUnder(issuer, '/oauth/authorize'),
        tokenUrl,
        refreshUrl: tokenUrl,
        scopes: described,
      },
    },
  };
}

const CONVENTIONS = `The administration of the server, as resources.

- **Tokens.** Each request needs an access token for this API. A scope counts if both the token and the current role have it.
- **Lists** have pages: \`limit\` sets their size, and \`_links.next\` leads to the next page. A cursor stays valid when items are added.
- **Changes.** PUT replaces a resource, PATCH is a JSON Merge Patch (RFC 7396). Both need \`If-Match\` with the \`ETag\` of the version
  that you read, so that no concurrent change is lost. In other requests, a null member counts as omitted.
- **Creating.** With an \`Idempotency-Key\`, a repeated POST creates nothing twice.
- **Secrets** appear once, in the response to their creation.
- **Problems** are \`application/problem+json\` (RFC 9457). Each \`type\` is the address of a page about it.
- **Every resource** answers HEAD and OPTIONS, and other methods with 405 and \`Allow\`. Unknown members and parameters are
  rejected with the nearest known name.
- **The ledger** names the actor of each change.
`;
