/** zod schemas for the paths and queries of routes: `app.withTypeProvider<ZodTypeProvider>()`. */
import type { FastifySchemaCompiler, FastifyTypeProvider } from 'fastify';
import type { ZodType, z } from 'zod';

export interface ZodTypeProvider extends FastifyTypeProvider {
  readonly validator: this['schema'] extends ZodType ? z.output<this['schema']> : unknown;
  readonly serializer: this['schema'] extends ZodType ? z.output<this['schema']> : unknown;
}

/** Contains no part of the request. */
export class SchemaMismatch extends Error {
  readonly code = 'FST_ERR_VALIDATION';
  readonly statusCode = 400;

  constructor(part: string) {
    super(`The ${part} of the request does not match the schema of the route.`);
    this.name = 'SchemaMismatch';
  }
}

export const validatorCompiler: FastifySchemaCompiler<ZodType> = ({ schema, httpPart }) => {
  const mismatch = () => new SchemaMismatch(httpPart ?? 'data');
  return (data) => {
    const { success, data: value } = schema.safeParse(data);
    return success ? { value } : { error: mismatch() };
  };
};
