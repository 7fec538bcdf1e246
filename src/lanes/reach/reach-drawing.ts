import type { Hop } from '../../router/index.ts';
import type { DrawnCall, DrawnPath } from '../api-schema.ts';
import { isStruck } from './injected-faults.ts';
import { isTold } from './key-loss.ts';
import { type CallTree, type RequestPath, requestPaths } from './reach-paths.ts';

/** Requests that went the same way are drawn once. */
export function drawPaths(hops: readonly Hop[]): DrawnPath[] {
  // Nobody saw where that went.
  const seen = hops.filter((hop) => !isTold(hop));
  const ways = Map.groupBy(requestPaths(seen), shapeOf);
  return [...ways.values()].map((same) => {
    const { request, calls } = same[0] as RequestPath;
    return { count: same.length, request, calls: drawCalls(calls, '', 0) };
  });
}

/** Without what differs from request to request: numbers, ids, queries. */
function shapeOf({ calls }: RequestPath): string {
  return JSON.stringify(calls.map(shape));
}

function shape({ hop, calls }: CallTree): unknown {
  const path = hop.path.replace(/\?.*$/, '').replace(/\/[^/]*\d[^/]*/g, '/:id');
  const { to, instance, method, status, escaped, injected } = hop;
  const key = [isDropped(hop), escaped];
  return [to, instance, method, path, status, key, injected, calls.map(shape)];
}

function drawCalls(calls: readonly CallTree[], indent: string, depth: number): DrawnCall[] {
  return calls.flatMap(({ hop, calls: below }, index) => {
    const isLast = index === calls.length - 1;
    const branch = depth === 0 ? '' : `${indent}${isLast ? '└─ ' : '├─ '}`;
    const deeper = depth === 0 ? '' : `${indent}${isLast ? '   ' : '│  '}`;
    return [drawCall(hop, depth, branch), ...drawCalls(below, deeper, depth + 1)];
  });
}

/** Its caller dropped the key, and the trace id or the lane's own instance told the lane. */
function isDropped({ recovered, own }: Hop): boolean {
  return recovered || own === true;
}

function drawCall(hop: Hop, depth: number, branch: string): DrawnCall {
  const { to, from, instance, served, method, path, status, protocol, escaped } = hop;
  const key = escaped ? 'escaped' : isDropped(hop) ? 'recovered' : 'kept';
  const words = [`${branch}${to}`, `${method} ${path}`, `${status || 'no answer'}`, placeOf(hop)];
  if (protocol !== 'http1') words.push(protocol);
  if (hop.injected !== undefined) words.push(`! injected: ${hop.injected}`);
  if (key === 'recovered') words.push(`! ${from ?? 'its caller'} dropped the key`);
  const line = words.join('  ');
  const call = { service: to, from, instance, served, method, path, status, protocol };
  return { depth, ...call, key, line };
}

function placeOf(hop: Hop): string {
  const { instance, served, escaped } = hop;
  if (isStruck(hop)) return '✗ never arrived';
  if (escaped) return '✗ served by the baseline: the key was lost';
  if (instance === 'baseline' || instance === 'external') return instance;
  if (served === instance) return '● candidate';
  return served === null ? '○ candidate, which did not say so' : `✗ answered by ${served}`;
}
