import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { badCase } from './bad-case.ts';
import { rankLimits } from './limits.ts';
import { readLogTable } from './log-table.ts';
import { readMetricTable } from './metric-table.ts';
import { type RankInput, type Series, type ServiceCall, toSeconds } from './series.ts';
import { readTraceTable } from './trace-table.ts';

/** One incident on disk, with the service that caused it, if somebody said so. */
export interface RankCase {
  readonly directory: string;
  readonly cause: string | null;
  readonly input: RankInput;
}

const metricFiles = ['data.csv', 'simple_metrics.csv', 'metrics.csv'];

/** The directories at or below `top` that contain a case, in the order of their names. */
export function findCases(top: string): string[] {
  if (isCase(top)) return [top];
  const found = readdirSync(top, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(isCase);
  if (found.length === 0) {
    throw badCase(top, `there is no ${metricFiles.join(', ')} or normal.csv with anomalous.csv`);
  }
  if (found.length > rankLimits.rankCasesMax) {
    throw badCase(top, `it has ${found.length} cases; ${rankLimits.rankCasesMax} are allowed`);
  }
  return found.toSorted();
}

function isCase(directory: string): boolean {
  const has = (name: string): boolean => existsSync(join(directory, name));
  return metricFiles.some(has) || (has('normal.csv') && has('anomalous.csv'));
}

export async function readCase(directory: string): Promise<RankCase> {
  const path = (name: string): string => join(directory, name);
  const has = (name: string): boolean => existsSync(path(name));
  const { series, onset } = await readMetrics(directory);
  const logs = has('logs.csv') ? await readLogTable(path('logs.csv')) : [];
  const traces = has('traces.csv') ? await readTraceTable(path('traces.csv')) : undefined;
  const drawn = has('graph.json') ? readGraph(path('graph.json')) : [];
  const input = {
    series: [...series, ...logs, ...(traces?.series ?? [])],
    calls: [...drawn, ...(traces?.calls ?? [])],
    ...(onset === undefined ? {} : { onset }),
  };
  return { directory, cause: causeOf(directory), input };
}

async function readMetrics(directory: string): Promise<{ series: Series[]; onset?: number }> {
  const file = metricFiles.find((name) => existsSync(join(directory, name)));
  if (!file) return readTwoTables(directory);
  const series = await readMetricTable(join(directory, file));
  const injected = join(directory, 'inject_time.txt');
  if (!existsSync(injected)) return { series };
  const onset = toSeconds(Number(readFileSync(injected, 'utf8').trim() || Number.NaN));
  if (!Number.isFinite(onset)) throw badCase(injected, 'it is no time in seconds');
  return { series, onset };
}

/** Two recordings, whatever the time between them: the second follows the first. */
async function readTwoTables(directory: string): Promise<{ series: Series[]; onset: number }> {
  const normal = await readMetricTable(join(directory, 'normal.csv'));
  const anomalous = await readMetricTable(join(directory, 'anomalous.csv'));
  const onset = Math.max(...normal.map(({ times }) => times.at(-1) ?? 0)) + 1;
  const first = Math.min(...anomalous.map(({ times }) => times[0] ?? 0));
  const series = normal.map((before) => {
    const same = ({ service, metric }: Series): boolean =>
      service === before.service && metric === before.metric;
    const after = anomalous.find(same);
    const later = after?.times.map((time) => time - first + onset) ?? [];
    const values = [...before.values, ...(after?.values ?? [])];
    return { ...before, times: [...before.times, ...later], values };
  });
  return { series, onset };
}

function readGraph(file: string): ServiceCall[] {
  const calls = readJson(file);
  const isCall = (call: unknown): call is ServiceCall =>
    Array.isArray(call) && call.length === 2 && call.every((name) => typeof name === 'string');
  if (!Array.isArray(calls) || !calls.every(isCall)) {
    throw badCase(file, 'it is no list of [caller, callee]');
  }
  return calls;
}

/** The label, or the name of the folder: `<service>_<fault>` or `<service>-<fault>`. */
function causeOf(directory: string): string | null {
  const label = join(directory, 'label.json');
  if (existsSync(label)) {
    const { service } = readJson(label) as { service?: unknown };
    if (typeof service !== 'string') throw badCase(label, 'it has no text `service`');
    return service;
  }
  const named = /^\d+$/.test(basename(directory)) ? dirname(directory) : directory;
  return /^(.+)[_-][a-z0-9]+$/.exec(basename(named))?.[1] ?? null;
}

function readJson(file: string): object {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) ?? {};
  } catch (error) {
    throw badCase(file, String(error));
  }
}
