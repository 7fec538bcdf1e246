import { posix } from 'node:path';
import type { Config } from '../complete.ts';
import { isWithin, plainPath } from '../ownership.ts';
import { list, Repository, record, text } from './repository.ts';

/** GET requests that the ingress answers, as OpenAPI documents of the repository describe them. */
interface DescribedRequests {
  /** Paths with their parameters filled in. */
  readonly paths: readonly string[];
  /** Routes of which no request can be made, with the reason. */
  readonly unsent: readonly string[];
}

const documentName = /(?:^|\/)(?:openapi|swagger)[\w.-]*\.(?:ya?ml|json)$/i;

/** Only documents of the ingress, or of no service in particular: others answer nobody outside. */
export function describedRequests(root: string, config: Config): DescribedRequests {
  const repository = new Repository(root);
  const owners = Object.entries(config.services).map(
    ([name, { paths, directory }]) => [name, paths.length > 0 ? paths : [directory]] as const,
  );
  const isMeant = (path: string): boolean => {
    const own = owners.filter(([, paths]) =>
      paths.some((one) => plainPath(one) !== '' && isWithin(path, one)),
    );
    return own.length === 0 || own.some(([name]) => name === config.ingress);
  };
  const found = repository
    .files()
    .filter((path) => documentName.test(path) && isMeant(path))
    .flatMap((path) => repository.yaml(path).map(record))
    .flatMap(requestsIn);
  return {
    paths: [...new Set(found.flatMap(({ path }) => path ?? []))],
    unsent: [...new Set(found.flatMap(({ unsent }) => unsent ?? []))],
  };
}

interface DescribedRequest {
  readonly path?: string;
  readonly unsent?: string;
}

function requestsIn(document: Readonly<Record<string, unknown>>): DescribedRequest[] {
  const prefix = prefixOf(document);
  return Object.entries(record(document.paths)).flatMap(([route, item]) => {
    const { get, parameters } = record(item);
    if (get === undefined || !route.startsWith('/')) return [];
    const all = [...list(parameters), ...list(record(get).parameters)].map((one) =>
      resolved(document, record(one)),
    );
    return [filled(posix.join(prefix, route), all)];
  });
}

/** The path below which a server offers its routes. */
function prefixOf({ servers, basePath }: Readonly<Record<string, unknown>>): string {
  const url = text(record(list(servers)[0]).url) ?? text(basePath) ?? '/';
  return URL.parse(url, 'http://ingress')?.pathname ?? '/';
}

function resolved(
  document: Readonly<Record<string, unknown>>,
  parameter: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const steps = /^#\/(.+)$/.exec(text(parameter.$ref) ?? '')?.[1]?.split('/');
  return steps === undefined
    ? parameter
    : steps.reduce((part, step) => record(part[step]), document);
}

/** With the examples of the document; not sent if one is missing that is needed. */
function filled(
  route: string,
  parameters: readonly Readonly<Record<string, unknown>>[],
): DescribedRequest {
  let path = route;
  const query = new URLSearchParams();
  for (const parameter of parameters) {
    const { name, in: place, required } = parameter;
    const value = exampleOf(parameter);
    if (value !== undefined && place === 'path') {
      path = path.replaceAll(`{${name}}`, encodeURIComponent(value));
    } else if (value !== undefined && place === 'query') query.set(String(name), value);
    else if (required === true && place !== 'path') {
      return { unsent: `GET ${route} (it needs ${name}, and OpenAPI gives no example)` };
    }
  }
  const missing = /\{([^}]+)\}/.exec(path)?.[1];
  if (missing !== undefined) {
    return { unsent: `GET ${route} (it needs ${missing}, and OpenAPI gives no example)` };
  }
  return { path: query.size > 0 ? `${path}?${query}` : path };
}

function exampleOf(parameter: Readonly<Record<string, unknown>>): string | undefined {
  const schema = record(parameter.schema);
  const [first] = Object.values(record(parameter.examples));
  const given = [
    parameter.example,
    record(first).value,
    schema.example,
    list(schema.examples)[0],
    schema.default ?? parameter.default,
    list(schema.enum)[0],
  ];
  return given.map(text).find((value) => value !== undefined);
}
