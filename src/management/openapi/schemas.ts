/** The zod schemas of the resources as JSON Schema (draft 2020-12), as they travel: a default is not required, a codec is its text. */
import { z } from 'zod';

export type JsonSchema = { readonly [key: string]: unknown };
type Properties = Readonly<Record<string, JsonSchema>>;
type Written = Record<string, unknown>;

/** Schemas with an `id` in their metadata are written once, under `components`, and referred to. */
export type Schemas = {
  readonly of: (schema: z.ZodType) => JsonSchema;
  readonly components: () => Readonly<Record<string, JsonSchema>>;
};

export function collectSchemas(): Schemas {
  const named = new Map<string, JsonSchema>();
  return {
    of: (schema) => {
      // A schema refers to what is inside it alone, so it is put inside one.
      const { properties, $defs = {} } = z.toJSONSchema(z.object({ it: schema }), {
        target: 'draft-2020-12',
        io: 'input',
        override: ({ jsonSchema }) => simplify(jsonSchema),
      }) as unknown as { properties: { it: JsonSchema }; $defs?: Properties };
      for (const [name, definition] of Object.entries($defs)) named.set(name, inComponents(definition));
      return inComponents(properties.it);
    },
    components: () => Object.fromEntries([...named].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Removes patterns and bounds that only repeat the format or the type. */
function simplify(schema: Written): void {
  if (schema['format'] === 'uuid' || schema['format'] === 'date-time') delete schema['pattern'];
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  delete schema['id'];
}

const inComponents = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/')) as JsonSchema;

/** Of a body that replaces or creates: null counts as left out. */
export function nullsAllowed(schema: JsonSchema): JsonSchema {
  const { properties = {}, required = [] } = schema as { properties?: Properties; required?: readonly string[] };
  const members = Object.entries(properties).map(([name, member]) => [
    name,
    required.includes(name) ? member : orNull(member),
  ]);
  return { ...schema, properties: Object.fromEntries(members) };
}

/** Of a JSON Merge Patch (RFC 7396) of what has this schema. */
export function mergePatchOf(schema: JsonSchema): JsonSchema {
  const { required: _, ...rest } = schema;
  const { properties = {}, ...patch } = nullsAllowed(rest);
  // An omitted member stays unchanged, so members have no defaults.
  const members = Object.entries(properties as Properties).map(([name, { default: __, ...member }]) => [name, member]);
  return { ...patch, properties: Object.fromEntries(members) };
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, description, default: ifLeftOut, ...rest } = schema;
  if (type === undefined) return schema;
  const words = {
    ...(description !== undefined && { description }),
    ...(ifLeftOut !== undefined && { default: ifLeftOut }),
  };
  return rest['enum'] === undefined
    ? { type: [type, 'null'].flat(), ...words, ...rest }
    : { ...words, anyOf: [{ type, ...rest }, { type: 'null' }] };
}
