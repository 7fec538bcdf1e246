import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hop } from '../lanes/index.ts';
import type { Capture } from '../probes/index.ts';
import type { CauseEffect } from './api-schema.ts';
import type { ExaminedSuspect } from './examine.ts';
import { isCode, readsOf } from './hypotheses/line-reads.ts';
import { describeValues } from './judge.ts';
import { type ObserveDeps, observe, type ProbePoint } from './observe.ts';

const effectsMax = 3;

/**
 * What the separating value does in the services that receive it: comparisons there that name it.
 * Their processes are the baseline's, so only hits during calls of the lane count.
 */
export async function findEffects(
  { suspect, confirmed, lanes, sides }: ExaminedSuspect,
  version: string,
  deps: ObserveDeps,
): Promise<CauseEffect[]> {
  const name = confirmed?.separations[0]?.expression.split('.').at(-1);
  if (!name || !/^\w+$/.test(name) || !lanes || !sides) return [];
  const called = sides.control.hops.filter(({ from }) => suspect.services.includes(from ?? ''));
  const services = [...new Set(called.map(({ to }) => to))];
  const points = await comparisonsOf(name, services, version, deps);
  if (points.length === 0) return [];
  const failing = await observe(lanes.control, version, points, deps);
  const healthy = await observe(lanes.healthy, version, points, deps);
  const all = points.flatMap(({ key, service, file, line, text, expressions }) => {
    const own = (captures: readonly Capture[] = [], hops: readonly Hop[]): Capture[] =>
      captures.filter((capture) => isDuring(capture, service, hops));
    return expressions.map((expression) => ({
      ...{ service, file, line, text, expression },
      failing: describeValues(expression, own(failing.captures.get(key), failing.hops)),
      healthy: describeValues(expression, own(healthy.captures.get(key), healthy.hops)),
    }));
  });
  return all.filter((one) => one.failing.captures > 0 && one.healthy.captures > 0);
}

/** Captures are dated when they are reported, shortly after the hit. */
const reportMs = 1_000;

function isDuring({ at }: Capture, service: string, hops: readonly Hop[]): boolean {
  return hops.some(
    ({ to, at: start, durationMs }) =>
      to === service && at >= start && at <= start + durationMs + reportMs,
  );
}

type ComparisonPoint = ProbePoint & { readonly text: string };

async function comparisonsOf(
  name: string,
  services: readonly string[],
  version: string,
  { trees, baseline, config }: ObserveDeps,
): Promise<ComparisonPoint[]> {
  const { root } = await trees.open(version);
  const status = await baseline.status();
  const found = services.flatMap((service) => {
    const pid = status.find((one) => one.service === service)?.pid;
    const paths = config.services[service]?.paths ?? [];
    if (typeof pid !== 'number') return [];
    return paths
      .flatMap((path) => sourcesBelow(root, path))
      .flatMap((file) => linesWith(name, join(root, file)).map((one) => ({ ...one, file })))
      .map(({ file, line, text, expressions }) => ({
        ...{ key: `${file}:${line}`, service, pid, file, line, text, expressions },
      }));
  });
  return found.slice(0, effectsMax);
}

function sourcesBelow(root: string, path: string): string[] {
  const entries = readdirSync(join(root, path), { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && /^(?!.*\.(?:test|spec)\.).*\.[cm]?[jt]s$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

function linesWith(
  name: string,
  file: string,
): { line: number; text: string; expressions: string[] }[] {
  const compared = new RegExp(`\\b${name}\\s*(?:[<>]=?|[!=]==)|(?:[<>]=?|[!=]==)\\s*${name}\\b`);
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((text, index) => {
      if (!compared.test(text) || !isCode(text)) return [];
      const reads = readsOf(text).filter((one) => compared.test(one));
      return [{ line: index + 1, text: text.trim(), expressions: [name, ...reads] }];
    });
}
