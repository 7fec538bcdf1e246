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
  const routes = describedRoutes(new Repository(root), config, config.ingress);
  const found = routes.filter(({ method }) => method === 'GET').map(filled);
  return {
    paths: [...new Set(found.flatMap(({ path }) => path ?? []))],
    unsent: [...new Set(found.flatMap(({ unsent }) => unsent ?? []))],
  };
}

/** A route of an OpenAPI document. */
export interface DescribedRoute {
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  readonly parameters: readonly DescribedParameter[];
}

interface DescribedParameter {
  readonly name: string;
  readonly in: string;
  readonly isRequired: boolean;
  /** Undefined if the document gives none. */
  readonly example: string | undefined;
}

/** Of the documents of a service; those of no service in particular describe the ingress. */
export function describedRoutes(
  repository: Repository,
  { services, ingress }: Pick<Config, 'services' | 'ingress'>,
  service: string | undefined,
): DescribedRoute[] {
  const isMeant = (path: string): boolean => {
    const own = Object.keys(services).filter((name) => ownsFile(services[name], path));
    return own.length === 0 ? service === ingress : own.includes(service ?? '');
  };
  return repository
    .files()
    .filter((path) => documentName.test(path) && isMeant(path))
    .flatMap((path) => repository.yaml(path).map(record))
    .flatMap(routesIn);
}

/** Whether a file is in the folders of a service; a service without any folder owns none. */
export function ownsFile(
  service: Pick<Config['services'][string], 'paths' | 'directory'> | undefined,
  path: string,
): boolean {
  const { paths = [], directory = '' } = service ?? {};
  const folders = paths.length > 0 ? paths : [directory];
  return folders.some((one) => plainPath(one) !== '' && isWithin(path, one));
}

interface DescribedRequest {
  readonly path?: string;
  readonly unsent?: string;
}

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete'];

function routesIn(document: Readonly<Record<string, unknown>>): DescribedRoute[] {
  const prefix = prefixOf(document);
  return Object.entries(record(document.paths)).flatMap(([route, item]) => {
    const path = record(item);
    if (!route.startsWith('/')) return [];
    return methods
      .filter((method) => path[method] !== undefined)
      .map((method) => ({
        method: method.toUpperCase(),
        path: posix.join(prefix, route),
        parameters: [...list(path.parameters), ...list(record(path[method]).parameters)].map(
          (one) => parameterOf(resolved(document, record(one))),
        ),
      }));
  });
}

function parameterOf(parameter: Readonly<Record<string, unknown>>): DescribedParameter {
  return {
    name: String(parameter.name),
    in: String(parameter.in),
    isRequired: parameter.required === true,
    example: exampleOf(parameter),
  };
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
function filled({ path: route, parameters }: DescribedRoute): DescribedRequest {
  let path = route;
  const query = new URLSearchParams();
  for (const { name, in: place, isRequired, example } of parameters) {
    if (example !== undefined && place === 'path') {
      path = path.replaceAll(`{${name}}`, encodeURIComponent(example));
    } else if (example !== undefined && place === 'query') query.set(name, example);
    else if (isRequired && place !== 'path') {
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
