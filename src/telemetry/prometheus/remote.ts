import { fault, isJsonObject, type Json, type JsonObject } from '../../kernel/index.ts';
import type { RemoteAnswer, RemoteSeries } from '../api-schema.ts';
import { telemetryLimits } from '../limits.ts';
import { callForText, type TextAnswer } from './bounded-text.ts';

/** An existing Prometheus server. */
export interface PrometheusServer {
  readonly url: string;
  /** Sent with every query; they may contain a secret and are never shown. */
  readonly headers: Readonly<Record<string, string>>;
  /** Queries by name, in addition to the built-in ones or in place of them. */
  readonly queries: Readonly<Record<string, string>>;
}

/** The most common queries; surety.yaml can replace each of them. */
export const builtInQueries: Readonly<Record<string, string>> = {
  'error-rate': 'rate(http_requests_total{status=~"5.."}[5m])',
  latency: 'histogram_quantile(0.99, http_request_duration_seconds_bucket)',
  memory: 'container_memory_usage_bytes',
};

export interface RemoteQuestion {
  /** The name of a query, or PromQL. */
  readonly query: string;
  /** Milliseconds since 1970; with `since` it is a range. */
  readonly until: number;
  readonly since?: number;
  /**
   * Keys of the lanes that the caller may see, in addition to series without a lane; undefined:
   * all.
   */
  readonly lanes?: readonly string[];
}

export function namedQueries({ queries }: Pick<PrometheusServer, 'queries'>) {
  return { ...builtInQueries, ...queries };
}

export async function askPrometheus(
  server: PrometheusServer,
  question: RemoteQuestion,
): Promise<RemoteAnswer> {
  const known = namedQueries(server);
  const name = Object.hasOwn(known, question.query) ? question.query : null;
  const whole = name === null ? question.query : (known[name] ?? '');
  const query = question.lanes === undefined ? whole : await narrowed(whole, question.lanes);
  const asked = formOf(query, question);
  const data = await ask(server, asked, query);
  const found = readResult(data.result);
  return {
    query,
    name,
    url: addressOf(server, asked.path).href,
    since: question.since ?? null,
    until: question.until,
    stepMs: asked.stepMs,
    resultType: String(data.resultType),
    series: found.slice(0, telemetryLimits.prometheusSeriesMax),
    seriesFound: found.length,
    warnings: data.warnings,
  };
}

/** The PromQL parser is loaded with the first query of an agent. */
async function narrowed(query: string, lanes: readonly string[]): Promise<string> {
  const { narrowPromql } = await import('./narrow-promql.ts');
  return narrowPromql(query, lanes);
}

interface RemoteRequest {
  readonly path: string;
  readonly form: URLSearchParams;
  readonly stepMs: number | null;
}

const stepMsMin = 1_000;
const pointsWanted = 60;

function formOf(query: string, { since, until }: RemoteQuestion): RemoteRequest {
  if (since === undefined) {
    const form = new URLSearchParams({ query, time: String(until / 1_000) });
    return { path: 'api/v1/query', form, stepMs: null };
  }
  const stepMs = Math.max(stepMsMin, Math.ceil((until - since) / pointsWanted));
  const bounds = { start: String(since / 1_000), end: String(until / 1_000) };
  const form = new URLSearchParams({ query, ...bounds, step: String(stepMs / 1_000) });
  return { path: 'api/v1/query_range', form, stepMs };
}

/** The address may have a path, and a user that must not be shown. */
function addressOf({ url }: PrometheusServer, path: string): URL {
  const address = new URL(path, url.endsWith('/') ? url : `${url}/`);
  address.username = '';
  address.password = '';
  return address;
}

interface Data {
  readonly resultType: Json;
  readonly result: Json;
  readonly warnings: string[];
}

async function ask(
  server: PrometheusServer,
  { path, form }: RemoteRequest,
  query: string,
): Promise<Data> {
  const url = addressOf(server, path);
  const answer = await callForText({
    url,
    method: 'POST',
    body: form.toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headersOf(server) },
    msMax: telemetryLimits.prometheusAnswerMsMax,
    bytesMax: telemetryLimits.prometheusAnswerBytesMax,
  }).catch((error: Error) => {
    throw fault('PROMETHEUS_UNREACHABLE', { url: url.href, query, reason: error.message }, error);
  });
  return readData(answer, url.href, query);
}

/** A user in the address is sent as basic authentication. */
function headersOf({ url, headers }: PrometheusServer): Record<string, string> {
  const { username, password } = new URL(url);
  if (username === '') return { ...headers };
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}`, ...headers };
}

function readData({ status, text }: TextAnswer, url: string, query: string): Data {
  const answer = parse(text);
  const data = answer?.data;
  if (status === 200 && answer?.status === 'success' && isJsonObject(data)) {
    const warnings = [answer.warnings, answer.infos].flatMap((list) =>
      Array.isArray(list) ? list.map(String) : [],
    );
    return { resultType: data.resultType ?? '', result: data.result ?? [], warnings };
  }
  // In full, because the caller can correct the query only with the whole error.
  const answered = answer ? `${answer.errorType}: ${answer.error}` : text.trim();
  const reason = (answered || 'it said nothing').slice(0, reasonCharsMax);
  throw fault('PROMETHEUS_REFUSED', { url, query, status, reason });
}

const reasonCharsMax = 4_000;

function parse(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) && 'status' in value ? value : undefined;
  } catch {
    return undefined;
  }
}

function readResult(result: Json): RemoteSeries[] {
  if (!Array.isArray(result)) return [];
  // A scalar or a text is one point without labels.
  if (typeof result[0] === 'number') return [{ labels: {}, points: [readPoint(result)] }];
  return result.filter(isJsonObject).map((one) => {
    const values = Array.isArray(one.values) ? one.values : [one.value ?? one.histogram ?? null];
    const points = values.slice(-telemetryLimits.prometheusPointsMax).map(readPoint);
    return { labels: (one.metric ?? {}) as Record<string, string>, points };
  });
}

function readPoint(point: Json): { at: number; value: string } {
  const [seconds, value] = Array.isArray(point) ? point : [0, null];
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return { at: Math.round(Number(seconds) * 1_000), value: text };
}
