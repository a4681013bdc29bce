/**
 * The API without a network, for commands where no server runs. Its caller has the database and the root secrets, which allow more than
 * any access token: so the API asks for none, and names the caller.
 */
import Fastify, { type FastifyError } from 'fastify';
import type { Actor } from '../model/actor.ts';
import { API_PATH } from './addresses.ts';
import { prepareApi, sendFailure } from './api.ts';
import type { Transport } from './client/transport.ts';
import type { ManagementDeps } from './deps.ts';
import { operationRoutes } from './routes.ts';
import { receivedFrom } from './send.ts';
import type { Me } from './who.ts';

/** Ids and names in addresses, as long as the schemas of the resources let them be. */
const MAX_PARAM_CHARACTERS = 1024;

/**
 * @returns the transport of src/management/client. It throws what the server would only write to its log: that the database is away, and
 *   faults.
 */
export async function openInProcess(deps: ManagementDeps, me: Me, actor: Actor): Promise<Transport> {
  const app = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: MAX_PARAM_CHARACTERS },
    schemaController: { compilersFactory: { buildValidator: () => noCompiler, buildSerializer: () => noCompiler } },
  });
  const failures = new WeakMap<object, unknown>();
  await app.register(
    async (api) => {
      prepareApi(api, deps.issuer);
      api.addHook('onRequest', async (request) => {
        request.me = me;
        request.actor = actor;
      });
      api.setErrorHandler((error: FastifyError, request, reply) => {
        if (!isOfTheRequest(error)) failures.set(request.raw, error);
        return sendFailure(error, request, reply, deps.issuer);
      });
      operationRoutes(api, deps);
    },
    { prefix: API_PATH },
  );
  return async ({ method, path, headers, body }) => {
    const reply = await app.inject({
      method,
      url: `${API_PATH}${path}`,
      headers,
      ...(body !== undefined && { payload: body }),
    });
    const { req } = reply.raw;
    if (failures.has(req)) throw failures.get(req);
    return receivedFrom(reply);
  };
}

const isOfTheRequest = ({ statusCode = 500 }: FastifyError): boolean => statusCode < 500;

function noCompiler(): never {
  throw new Error('Resources check what comes with zod, and declare no JSON Schemas.');
}
