import type { IncomingMessage } from 'node:http';
import {
  type Actor,
  fault,
  isFault,
  isJsonObject,
  type Json,
  type JsonObject,
} from '../../kernel/index.ts';
import type { Host, Lane, Trees } from '../../lanes/index.ts';
import type { Capture, Removal } from '../../probes/index.ts';
import { verifyLimits } from '../limits.ts';
import {
  type LanePoint,
  type LaneProbe,
  type LaneProbeDeps,
  placeLaneProbe,
} from './lane-probe.ts';
import { findLine } from './line-of-version.ts';
import { openSecretServer, type SecretServer, type ServerAnswer } from './secret-server.ts';

export interface CapturesDeps extends LaneProbeDeps {
  readonly host: Pick<Host, 'running'>;
  readonly trees: Pick<Trees, 'read'>;
  readonly config: { readonly services: Readonly<Record<string, unknown>> };
  /** Called with a service of which the lane runs no copy. */
  readonly onMissingCopy?: (service: string) => unknown;
}

export interface CapturesRequest {
  readonly lane: Pick<Lane, 'lane' | 'candidates' | 'commit'>;
  /** The version whose suite is run: the lines that it names are lines of this version. */
  readonly version: string;
  /** Who wrote the suite, or answers for it: the policy decides what they may read. */
  readonly actor: Actor;
  readonly suite: string;
}

/**
 * Where a suite captures values inside the candidates of its lane, and nowhere else. `POST` with a
 * place and expressions begins; `DELETE` of what it answers ends, and answers what was captured.
 */
export async function openCaptures(
  request: CapturesRequest,
  deps: CapturesDeps,
): Promise<SecretServer> {
  const captures = new SuiteCaptures(request, deps);
  const server = await openSecretServer(async ({ method, path, incoming }) => {
    try {
      if (method === 'POST' && path === '') return json(await captures.begin(await read(incoming)));
      if (method === 'DELETE') return json(await captures.end(path.slice(1)));
      return { status: 405, text: '' };
    } catch (error) {
      const { message } = error as Error;
      return {
        ...json({ message: isFault(error) ? `${message} ${error.remedy}` : message }),
        status: 400,
      };
    }
  });
  return {
    address: server.address,
    async close() {
      await server.close();
      await captures.close();
    },
  };
}

class SuiteCaptures {
  readonly #request: CapturesRequest;
  readonly #deps: CapturesDeps;
  readonly #open = new Map<string, LaneProbe>();
  #placing = 0;

  constructor(request: CapturesRequest, deps: CapturesDeps) {
    this.#request = request;
    this.#deps = deps;
  }

  /** Null: the lane has no copy of the service, so that there is nothing to look into. */
  async begin(body: JsonObject): Promise<{ capture: string | null }> {
    const { lane, actor, suite } = this.#request;
    const wanted = readPoint(body);
    const pids = await this.#find(wanted.service);
    if (pids === null) return { capture: null };
    const max = verifyLimits.suiteCapturesMax;
    if (this.#open.size + this.#placing >= max)
      throw invalid('capture', `${max} are open`, 'fewer');
    this.#placing++;
    try {
      const point = { ...(await this.#locate(wanted)), pids };
      const by = { actor, reason: `suite ${suite}` };
      const placed = await placeLaneProbe(by, point, lane, this.#deps);
      this.#open.set(placed.probe.id, placed);
      return { capture: placed.probe.id };
    } finally {
      this.#placing--;
    }
  }

  async end(capture: string): Promise<JsonObject> {
    const placed = this.#open.get(capture);
    if (!placed) throw fault('NOT_FOUND', { what: `capture ${capture}` });
    this.#open.delete(capture);
    const removal = await placed.end();
    const captures = placed.probe.captures.kept.map(shown);
    return { captures, missed: reasonMissed(removal) };
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#open.values()].map((placed) => placed.end()));
  }

  async #find(service: string): Promise<readonly number[] | null> {
    const { host, config, onMissingCopy } = this.#deps;
    if (!Object.hasOwn(config.services, service))
      throw fault('NOT_FOUND', { what: `service ${service}` });
    const own = this.#request.lane.candidates.filter((one) => one.service === service);
    if (own.length === 0) {
      onMissingCopy?.(service);
      return null;
    }
    const running = await host.running();
    const pids = own.flatMap(({ name }) => running.get(name)?.pid ?? []);
    if (pids.length > 0) return pids;
    throw fault('NOT_FOUND', { what: `running candidate ${service}` });
  }

  async #locate({ line, ...point }: WantedPoint): Promise<WantedPoint> {
    if (line === undefined) return point;
    const { lane, version } = this.#request;
    const { trees } = this.#deps;
    const { file } = point;
    return {
      ...point,
      line: await findLine({ file, line, from: version, to: lane.commit }, trees),
    };
  }
}

type WantedPoint = Omit<LanePoint, 'pids'>;

const hitsDefault = 100;

/** What else can be wrong with it, placing a probe says. */
function readPoint(body: JsonObject): WantedPoint {
  const { service, file, line, function: name, expressions = [], condition, hitsMax } = body;
  const isText = (value: Json | undefined): value is string => typeof value === 'string';
  if (!isText(service)) throw invalid('service', 'it is no text', 'a service of the system');
  if (!isText(file)) throw invalid('file', 'it is no text', 'a path in the repository');
  if (line !== undefined && !isWhole(line)) throw invalid('line', 'it is no line', 'from 1');
  if (name !== undefined && !isText(name)) throw invalid('function', 'it is no text', 'a name');
  if (!Array.isArray(expressions) || !expressions.every(isText)) {
    throw invalid('expressions', 'it is no list of texts', 'a list of expressions');
  }
  if (condition !== undefined && !isText(condition)) {
    throw invalid('condition', 'it is no text', 'an expression');
  }
  return {
    service,
    file,
    ...(line === undefined ? {} : { line }),
    ...(name === undefined ? {} : { function: name }),
    expressions,
    ...(condition === undefined ? {} : { condition }),
    hitsMax: hitsMax === undefined ? hitsDefault : Number(hitsMax),
    ttlMs: verifyLimits.suiteMsMax,
  };
}

function isWhole(value: Json): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

function invalid(field: string, reason: string, allowed: string): Error {
  return fault('PROBE_REQUEST_INVALID', { field, reason, allowed });
}

/** Without the process and the time, which differ between two versions that do the same. */
function shown({ values, stack }: Capture): JsonObject {
  const all = Object.entries(values);
  const readable = (one: (typeof all)[number][1]): Json => ('value' in one ? one.value : null);
  const errors = all.flatMap(([name, one]) => ('error' in one ? [[name, one.error]] : []));
  return {
    values: Object.fromEntries(all.map(([name, one]) => [name, readable(one)])),
    types: Object.fromEntries(
      all.map(([name, one]) => [name, 'type' in one ? one.type : 'unreadable']),
    ),
    errors: Object.fromEntries(errors),
    stack: stack.map((frame) => frame.function),
  };
}

/** A value that was not looked at proves nothing: the suite is broken, and nobody fails. */
function reasonMissed({ reason, error }: Removal): string | null {
  if (error !== undefined) return error;
  return reason === 'removed' || reason === 'hits' ? null : `the probe ended: ${reason}`;
}

async function read(incoming: IncomingMessage): Promise<JsonObject> {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) {
    text += chunk;
    if (text.length > bodyCharsMax) throw invalid('capture', 'it is too long', `${bodyCharsMax}`);
  }
  const body = parse(text);
  if (isJsonObject(body)) return body;
  throw invalid('capture', 'it is no JSON object', 'a JSON object');
}

const bodyCharsMax = 16 * 1024;

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

function json(value: object): ServerAnswer {
  return { status: 200, text: JSON.stringify(value) };
}
