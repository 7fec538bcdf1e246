import type { Hop } from '../../lanes/index.ts';
import type { Config, ServiceConfig, ServiceRoutes } from '../../system/index.ts';
import { routeOf } from '../compare/index.ts';
import type { Credential, IsSafe, Scenario, ScenarioRequest } from '../traffic/index.ts';
import { addressOf, type KnownRequest } from './known-requests.ts';
import { type PathValue, PathValues } from './path-values.ts';

export interface UnaskedInput {
  readonly changed: readonly string[];
  /** Paths that changed files name, with parameters as any framework writes them. */
  readonly paths: readonly string[];
  /** By changed service, what its code and documents say. */
  readonly offered: ReadonlyMap<string, ServiceRoutes>;
  readonly scenarios: readonly Scenario[];
  readonly control: readonly Hop[];
  readonly candidate: readonly Hop[];
  readonly isSafe: IsSafe;
  /** By which clients were let in. */
  readonly credential: Credential | undefined;
}

/**
 * Reads that the code or the OpenAPI documents of changed services offer and nobody asked for,
 * straight at their service. Effects that nobody ever sent are not tried: nothing shows where they
 * would lead.
 */
export function unaskedRequests(
  input: UnaskedInput,
  { services }: Pick<Config, 'services'>,
): KnownRequest[] {
  const values = new PathValues(input);
  return input.changed.flatMap((to) => {
    const service = services[to];
    const isHttp = ['http', 'https', 'h2c'].includes(service?.protocol ?? 'http');
    if (!service || !isHttp) return [];
    const asked = [...input.control, ...input.candidate].filter((hop) => hop.to === to);
    const reads = readsOf(input, to, asked).filter(({ path }) => !isWithheld(path, service));
    const filled = reads.flatMap((read) => unaskedPaths(read, asked, values));
    const paths = [...new Map(filled.map((one) => [one.path, one])).values()];
    return paths.map((one) => requestOf(one, { to, service, credential: input.credential }));
  });
}

interface OfferedRead {
  /** `/orders/{id}`. */
  readonly path: string;
  readonly examples: ReadonlyMap<string, string>;
  readonly query: readonly (readonly [string, string])[];
}

function readsOf(input: UnaskedInput, service: string, asked: readonly Hop[]): OfferedRead[] {
  const { declared = [], described = [] } = input.offered.get(service) ?? {};
  const mounts = declared.flatMap((file) => file.mounts);
  const registered = declared.flatMap(({ routes }) =>
    prefixesOf(routes, mounts, asked).flatMap((prefix) =>
      routes.filter(({ method }) => method === 'GET').map(({ path }) => joined(prefix, path)),
    ),
  );
  const plain = [...input.paths.map(braced), ...registered];
  const documented = described
    .filter(({ method }) => method === 'GET')
    .map(({ path, parameters }) => {
      const given = parameters.flatMap(({ name, in: place, example }) =>
        example === undefined ? [] : [{ name, place, example }],
      );
      const of = (wanted: string): [string, string][] =>
        given.filter(({ place }) => place === wanted).map(({ name, example }) => [name, example]);
      return { path, examples: new Map(of('path')), query: of('query') };
    });
  const code = [...new Set(plain)].map((path) => ({ path, examples: new Map(), query: [] }));
  return [...documented, ...code];
}

type Registered = ServiceRoutes['declared'][number]['routes'];

/** Where the routes of a file are mounted: what requests show, else all that the code names. */
function prefixesOf(
  routes: Registered,
  mounts: readonly string[],
  asked: readonly Hop[],
): readonly string[] {
  const all = ['', ...mounts];
  const proven = all.filter((prefix) =>
    routes.some(({ method, path }) =>
      asked.some((hop) => hop.method === method && isAt(joined(prefix, path), hop.path)),
    ),
  );
  return proven.length > 0 ? proven : all.slice(0, prefixesMax);
}

const prefixesMax = 4;

function joined(prefix: string, path: string): string {
  return `${prefix}${path}`.replaceAll(/\/{2,}/g, '/').replace(/(.)\/$/, '$1');
}

/** `/orders/:id`, `/orders/<id>`, `/orders/*` → `/orders/{id}`. */
function braced(path: string): string {
  return path
    .split('/')
    .map((segment) => {
      const name = /^(?::|[{<*$]+)(\w*)/.exec(segment)?.[1];
      return name === undefined ? segment : `{${name || 'id'}}`;
    })
    .join('/');
}

/** Whether a request is one of this route. */
function isAt(route: string, path: string): boolean {
  const [wanted, given] = [route.split('/'), (path.split('?')[0] ?? '').split('/')];
  return (
    wanted.length === given.length &&
    wanted.every((segment, at) => segment.startsWith('{') || segment === given[at])
  );
}

/** A GET that does more than reading, by its name, and answers that never end. */
const notReading =
  /log-?(?:out|in)|sign-?(?:out|in)|shut-?down|quit|exit|reset|restart|reload|delete|remove|purge|flush|clear|drop|unsubscribe|cancel|confirm|approve|callback|webhook|trigger|run\b|sync\b|event|stream|socket|\bws\b|watch|listen|poll|subscribe|metrics|health|ready|live|debug|pprof/i;

function isWithheld(path: string, { health, metrics }: ServiceConfig): boolean {
  return notReading.test(path) || path === health || path === metrics?.path;
}

/** Of a route that was asked already, only other things that both versions know. */
function unaskedPaths(read: OfferedRead, asked: readonly Hop[], values: PathValues): FilledPath[] {
  const own = asked.filter(({ method, path }) => method === 'GET' && isAt(read.path, path));
  const paths = new Set(own.map(({ path }) => path.split('?')[0]));
  const isNew = ({ path, needs, isGuessed }: FilledPath): boolean =>
    own.length === 0 || (needs.length === 0 && !isGuessed && !paths.has(path.split('?')[0]));
  return filledPaths(read, values).filter(isNew).slice(0, filledMax);
}

interface FilledPath extends Pick<PathValue, 'needs'> {
  readonly path: string;
  readonly what: string;
  /** Nothing is known that could stand there. */
  readonly isGuessed: boolean;
}

const filledMax = 3;

/** With each of the values for the last parameter; parameters before it have their best value. */
function filledPaths({ path, examples, query }: OfferedRead, values: PathValues): FilledPath[] {
  const segments = path.split('/');
  const places = segments.flatMap((segment, at) => (segment.startsWith('{') ? [at] : []));
  const search = query.length > 0 ? `?${new URLSearchParams(Object.fromEntries(query))}` : '';
  const optionsAt = (at: number): PathValue[] => {
    const name = segments[at]?.slice(1, -1) ?? '';
    const example = examples.get(name);
    const given = example === undefined ? [] : [{ value: example, needs: [] }];
    const found = values.valuesFor(name, segments[at - 1] ?? '');
    return [...given, ...found];
  };
  const last = places.at(-1);
  const plain = { path: `${path}${search}`, what: 'asked directly', needs: [], isGuessed: true };
  if (last === undefined) return [plain];
  const before = places.slice(0, -1).map((at) => [at, optionsAt(at)[0] ?? guess] as const);
  const options = optionsAt(last);
  return (options.length > 0 ? options : [guess]).map((option) => {
    const chosen = [...before, [last, option] as const];
    const filled = chosen.reduce(
      (all, [at, { value }]) => all.with(at, encodeURIComponent(value)),
      segments,
    );
    const needs = chosen.map(([, one]) => one.needs).find(({ length }) => length > 0) ?? [];
    const what = formatAsked(option.value, needs);
    return { path: `${filled.join('/')}${search}`, what, needs, isGuessed: option === guess };
  });
}

/** A value that one version made is another on the other version. */
function formatAsked(value: string, needs: PathValue['needs']): string {
  if (needs.length > 0) return 'asked directly for what was just made';
  return /^[\w.:-]+$/.test(value) ? `asked directly for ${value}` : 'asked directly';
}

/** Where nothing is known. */
const guess: PathValue = { value: '1', needs: [] };

interface Addressee {
  readonly to: string;
  readonly service: ServiceConfig;
  readonly credential: Credential | undefined;
}

function requestOf({ path, what, needs }: FilledPath, addressee: Addressee): KnownRequest {
  const { to, service, credential } = addressee;
  const headers = [...addressOf(service), ...(credential ? [credential] : [])];
  const read: ScenarioRequest = {
    method: 'GET',
    path,
    headers,
    body: null,
    status: 200,
    answer: null,
  };
  const name = `outside → ${to} GET ${routeOf(path)}`;
  const requests = [...needs, read];
  return { requests, name, body: null, isInner: needs.length === 0, isUnasked: true, what };
}
