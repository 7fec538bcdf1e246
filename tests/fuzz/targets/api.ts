import { openApiDocument } from '../../../src/http/api.ts';
import type { Json, JsonObject } from '../../../src/kernel/index.ts';
import type { FuzzTarget } from '../fuzzing.ts';
import { mutate, pick, type Random } from '../mutate.ts';
import { callers, FuzzedDaemon } from './fuzzed-daemon.ts';
import { KnownValues, schemaValue } from './schema-values.ts';

interface Described {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly {
    name: string;
    in: string;
    required: boolean;
    schema: JsonObject;
  }[];
  readonly body: JsonObject | undefined;
}

/** Requests to the API from its OpenAPI document: caller, operation, and the bytes of a body. */
export async function apiTarget(): Promise<FuzzTarget> {
  const daemon = await FuzzedDaemon.start();
  const described = describedOperations();
  const known = new KnownValues();
  const requestOf = (random: Random): Buffer => {
    const { method, path, parameters, body } = pick(random, described);
    const target = targetOf(path, parameters, random, known);
    const text = body ? JSON.stringify(schemaValue(body, random, known)) : '';
    // The owner may do most, so most inputs get further than the check of roles.
    const as = random() < 0.6 ? 'owner' : pick(random, callers);
    return Buffer.from(`${as} ${method} ${target}\n${text}`);
  };
  const first = (method: string, path: string): Buffer => Buffer.from(`owner ${method} ${path}\n`);
  return {
    seeds: described.map(({ method, path }) => first(method, path)),
    atOnce: 8,
    make: (random, base, others) =>
      random() < 0.8 ? requestOf(random) : mutateBody(random, base, others),
    async execute(input) {
      const end = input.indexOf('\n');
      const [as = '', method = '', ...target] = input.subarray(0, end).toString().split(' ');
      const { status, text } = await daemon.send(as, method, target.join('%20'), {
        body: input.subarray(end + 1),
      });
      known.learn(text);
      const [, code = ''] = /"code":"([A-Z_]+)"/.exec(text) ?? [];
      return `${method} ${target.join(' ').split(/[?/]/).slice(0, 4).join('/')} ${status} ${code}`;
    },
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
}

/** The first line stays as it is: what HTTP itself reads is the part of other targets. */
function mutateBody(random: Random, base: Buffer, others: readonly Buffer[]): Buffer {
  const end = base.indexOf('\n') + 1;
  return Buffer.concat([base.subarray(0, end), mutate(random, base.subarray(end), { others })]);
}

function describedOperations(): Described[] {
  const { paths } = openApiDocument('0') as { paths: Record<string, Record<string, JsonObject>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { parameters, requestBody } = operation as unknown as {
        parameters: Described['parameters'];
        requestBody?: { content: { 'application/json': { schema: JsonObject } } };
      };
      const body = requestBody?.content['application/json'].schema;
      return { method: method.toUpperCase(), path, parameters, body };
    }),
  );
}

function targetOf(
  path: string,
  parameters: Described['parameters'],
  random: Random,
  known: KnownValues,
): string {
  const shown = (schema: JsonObject): string => {
    const value: Json = schemaValue(schema, random, known);
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return encodeURIComponent(text.toWellFormed());
  };
  const inPath = parameters.filter((one) => one.in === 'path');
  const filled = inPath.reduce(
    (text, { name, schema }) => text.replace(`{${name}}`, shown(schema) || 'a'),
    path,
  );
  const query = parameters
    .filter((one) => one.in === 'query' && (one.required || random() < 0.3))
    // A request that asks to wait only takes time.
    .filter(({ name }) => !/wait|follow/i.test(name))
    .map(({ name, schema }) => `${name}=${shown(schema)}`);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}
