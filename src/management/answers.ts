/** Answers of the operations: every convention is here once. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { z } from 'zod';
import { setLogLine } from '../http/request-log.ts';
import { isUnavailable } from '../http/unavailable.ts';
import { NIL_UUID } from '../oauth/sub.ts';
import { urlUnder } from '../oauth/urls.ts';
import { idOfSub } from '../storage/users.ts';
import { API_PATH } from './addresses.ts';
import { conditionNeeded } from './administration.ts';
import type { ManagementDeps } from './deps.ts';
import { FIELDS_TYPE, hasFields } from './fields.ts';
import { type Makes, makesFor } from './idempotency.ts';
import type { Address, Method } from './operations.ts';
import { entityTag, isKnown, preconditionOf, tagOf } from './precondition.ts';
import { notFound, PROBLEM_TYPE, type Problem, problem } from './problem.ts';
import { sendRefusal, whoIn } from './refusal.ts';
import type { Answer, ManagementResource, Operation } from './resource.ts';
import { RESOURCES } from './resources/all.ts';
import { sendAs } from './send.ts';
import { checked, parsedJson, type QueryValues, queryValues } from './sent.ts';

const JSON_TYPE = 'application/json';

const RESOURCE_AT: ReadonlyMap<Address, ManagementResource> = new Map(
  RESOURCES.map((resource) => [resource.path, resource]),
);

export async function answerOperation(
  deps: ManagementDeps,
  { address, method }: { readonly address: Address; readonly method: Method },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const resource = RESOURCE_AT.get(address);
  const operation = resource?.methods[method];
  if (!resource || !operation) throw new Error(`Nothing answers ${method} ${address}.`);
  const asked = askedOf(operation, request);
  const now = deps.sendsMail() ? deps : { ...deps, links: null, mails: null };
  const work = (within: ManagementDeps) => answerTo(within, resource, operation, { request, asked });
  if (asked.query.kind === 'good' && hasFields(operation.query) && 'fields' in asked.query.value) {
    reply.type(FIELDS_TYPE);
  }
  if (!asked.isDry) return send(request, reply, deps.issuer, operation, await work(now));
  const { dryRun } = await import('./dry-run.ts');
  const answer = await dryRun(now, work);
  return send(request, reply.header('dry-run', 'true'), deps.issuer, operation, answer);
}

type Asked = { readonly isDry: boolean; readonly query: QueryValues };

/** Every operation that changes something has the parameter `dry_run`. */
function askedOf({ query: own }: Operation, { method, url }: FastifyRequest): Asked {
  const query = queryValues(new URLSearchParams(url.split('?').slice(1).join('?')));
  // A batch has a parameter of its own.
  const isOwn = own !== undefined && 'dry_run' in own.shape;
  if (isReading(method) || isOwn || query.kind === 'problem') return { isDry: false, query };
  const { dry_run: dry, ...value } = query.value;
  if (dry === undefined) return { isDry: false, query };
  return { isDry: dry === 'true', query: dry === 'true' || dry === 'false' ? { kind: 'good', value } : NEITHER };
}

const NEITHER = problem('invalid_parameter', 'Nothing was changed. See "errors".', [
  { field: 'dry_run', detail: 'Expected true or false.' },
]);

const isReading = (method: string): boolean => method === 'GET' || method === 'HEAD';

async function answerTo(
  deps: ManagementDeps,
  resource: ManagementResource,
  operation: Operation,
  { request, asked }: { readonly request: FastifyRequest; readonly asked: Asked },
): Promise<Answer> {
  const { me, actor } = request;
  if (me === null || actor === null) throw new Error('A guarded route without a caller.');
  const type = operation.answerType ?? JSON_TYPE;
  if (!accepts(request, type)) return notAcceptable(type);
  const params = resource.params.safeParse(request.params);
  if (!params.success) return notFound(resource.name.replace(/^an? |^the /, ''));
  if (asked.query.kind === 'problem') return asked.query;
  const query = checked(operation.query ?? NO_QUERY, asked.query.value, 'invalid_parameter');
  if (query.kind === 'problem') return query;
  const named = await withIds(deps, { params: params.data, query: query.value });
  const body = bodyOf(operation, request);
  if (body.kind === 'problem') return body;
  if (operation.ifMatch === 'required' && request.headers['if-match'] === undefined) return conditionNeeded([]);
  // Only a request that creates a resource stores its key, so an auditor's request stores nothing.
  const key = operation.creates === true ? request.headers['idempotency-key'] : undefined;
  const text = typeof request.body === 'string' ? request.body : '';
  const makes = await makesFor(deps, me, key, [request.method, request.url, text]);
  if ('kind' in makes) return makes;
  const answer = await operation.run(deps, {
    params: named.params,
    query: named.query,
    body: body.value,
    sent: body.sent,
    href: urlUnder(deps.issuer, request.url.slice(request.url.indexOf(API_PATH))),
    actor,
    me,
    precondition: preconditionOf(request),
    makes,
    send: sendAs(request),
  });
  if (asked.isDry) return withoutSecret(operation, answer);
  if (answer.kind === 'created') await remembered(request, makes);
  return answer;
}

/** A secret that a dry run makes is valid nowhere. */
function withoutSecret({ makes }: Operation, answer: Answer): Answer {
  if (makes === undefined || !('body' in answer) || !(makes.member in answer.body)) return answer;
  return { ...answer, body: { ...answer.body, [makes.member]: makes.inDryRun } };
}

/** The created resource is in the response, also when the key cannot be stored. */
async function remembered(request: FastifyRequest, makes: Makes): Promise<void> {
  try {
    await makes.carryOut();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    request.log.warn({ err: error }, 'a request with an Idempotency-Key could not be noted as carried out');
  }
}

/** Parameters that are a `sub`. */
const SUBS: readonly string[] = ['sub', 'actor_sub'];

/** An end-user is addressed by the `sub`; the resources know the id. A `sub` that no end-user has is the id of none. */
async function withIds<Params, Query>({ db }: ManagementDeps, { params, query }: { params: Params; query: Query }) {
  const withId = async <Named>(named: Named): Promise<Named> => {
    const ids = Object.entries(named as Readonly<Record<string, unknown>>)
      .filter((entry): entry is [string, string] => SUBS.includes(entry[0]) && typeof entry[1] === 'string')
      .map(async ([name, sub]) => [name, (await idOfSub(db, sub)) ?? NIL_UUID]);
    return { ...named, ...Object.fromEntries(await Promise.all(ids)) };
  };
  return { params: await withId(params), query: await withId(query) };
}
const NO_QUERY = z.strictObject({});

function bodyOf({ body, bodyIsOptional }: Operation, request: FastifyRequest) {
  if (!body) return { kind: 'good', value: undefined, sent: undefined } as const;
  const text = typeof request.body === 'string' ? request.body : '';
  const parsed = text === '' && bodyIsOptional ? ({ kind: 'good', value: {} } as const) : parsedJson(text);
  if (parsed.kind === 'problem') return parsed;
  if (request.method !== 'PATCH') return checked(body, parsed.value, 'invalid_fields');
  // In a merge patch, null means something.
  const isObject = checked(body, parsed.value, 'invalid_fields');
  return isObject.kind === 'problem' ? isObject : { ...isObject, sent: parsed.value };
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  issuer: string,
  operation: Operation,
  answer: Answer,
): FastifyReply {
  switch (answer.kind) {
    case 'problem':
      return sendRefusal(request, reply, issuer, answer);
    case 'done':
      setLogLine(request, changed(request, reply), whoIn(request));
      return reply.code(204).header('cache-control', 'no-store').send();
    case 'created':
      setLogLine(request, changed(request, reply), whoIn(request));
      reply.code(201).header('location', answer.location);
      return sendDocument(request, reply, operation, answer);
    case 'found':
      setLogLine(request, changed(request, reply), whoIn(request));
      return sendDocument(request, reply, operation, answer);
    case 'document':
      setLogLine(request, 'shown', whoIn(request));
      return sendText(request, reply, answer.text, answer.type, entityTag(answer.text));
  }
}

/** The message of the request's line in the log. */
const changed = ({ method }: FastifyRequest, reply: FastifyReply): string =>
  isReading(method) || reply.hasHeader('dry-run') ? 'shown' : 'managed';

function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { secret }: Operation,
  { body, representation = body, facts }: Extract<Answer, { readonly body: object }>,
): FastifyReply {
  if (secret) reply.header('cache-control', 'no-store');
  return sendText(request, reply, JSON.stringify(body), JSON_TYPE, tagOf(representation, facts));
}

/** A private cache may store the response, and revalidates it before each use, so that it never shows an outdated state. */
function sendText(request: FastifyRequest, reply: FastifyReply, text: string, type: string, tag: string): FastifyReply {
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache');
  reply.header('etag', tag);
  const reads = isReading(request.method);
  if (reads && isKnown(request, tag)) return reply.code(304).send();
  const next = reads ? nextIn(text) : null;
  if (next !== null) reply.header('link', `<${next}>; rel="next"`);
  if (!reply.hasHeader('content-type')) reply.type(type);
  // RFC 8259 §11: JSON has no charset, and generated clients compare the whole type. Fastify adds one to a text.
  return reply.send(type === JSON_TYPE ? Buffer.from(text) : text);
}

/** RFC 8288: the link of the body, for programs that read headers alone. */
function nextIn(text: string): string | null {
  if (!text.includes('"next":{"href":')) return null;
  const { _links } = JSON.parse(text) as { _links?: { next?: { href: string } } };
  return _links?.next?.href ?? null;
}

/** A problem may be sent as JSON, too, to callers that know no better. */
function accepts({ headers }: FastifyRequest, type: string): boolean {
  const { accept } = headers;
  if (accept === undefined) return true;
  return new Negotiator({ headers: { accept } }).mediaTypes([type, PROBLEM_TYPE]).includes(type);
}

const notAcceptable = (type: string): Problem => problem('not_acceptable', `This resource has the type ${type}.`);
