import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { type CallTree, requestPaths } from '../../lanes/index.ts';
import type { Dispute } from '../api-schema.ts';
import { markDisputed } from '../judge/finding-id.ts';
import { findCallChanges } from './calls.ts';
import { contractSteps } from './contract.ts';
import type { ComparisonStep, Difference } from './difference.ts';
import { differenceClasses } from './difference-class.ts';
import { findNewErrors } from './errors.ts';
import { hopName, isUnderFault } from './hop-name.ts';
import type { VersionRecordings } from './recording.ts';
import { findSecurityChanges } from './security.ts';
import { findStatusChanges } from './status.ts';
import { findWriteChanges } from './writes.ts';

/** Recordings to compare, the changed services, and the disputes in force. */
interface Comparison {
  readonly recordings: VersionRecordings;
  readonly changed: readonly string[];
  readonly disputes: readonly Dispute[];
}

/** Pure: everything that a candidate does differently, the most causal first. */
export function findDifferences(
  recordings: VersionRecordings,
  changed: readonly string[],
): Difference[] {
  const found = comparisonSteps(recordings).flatMap((compare) => compare());
  return orderByCause(found, recordings, changed);
}

/** The same, one step at a time, so that the daemon answers other requests in between. */
export async function findDifferencesInSteps({
  recordings,
  changed,
  disputes,
}: Comparison): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const compare of comparisonSteps(recordings)) {
    // Before the step, not after it: the caller has already worked for a while.
    await yieldToOthers();
    found.push(...compare());
  }
  return orderByCause(markDisputed(found, disputes), recordings, changed);
}

function comparisonSteps(recordings: VersionRecordings): ComparisonStep[] {
  return [
    () => findSecurityChanges(recordings),
    ...contractSteps(recordings),
    () => findCallChanges(recordings),
    () => findWriteChanges(recordings),
    () => findNewErrors(recordings),
    () => findStatusChanges(recordings),
  ];
}

/**
 * The most causal first: failures before notices, plain requests before those with injected faults,
 * changed services before others, the deepest call before those above it, which only pass it on. A
 * request that is no longer refused comes before the calls that are then made for it.
 */
function orderByCause(
  differences: readonly Difference[],
  { baseline, control, candidate }: VersionRecordings,
  changed: readonly string[],
): Difference[] {
  const hops = [baseline, control, candidate].flatMap((recording) => recording.hops);
  const depths = depthsOf(requestPaths(hops).flatMap(({ calls }) => calls));
  const depthOf = ({ hop, service }: Difference): number => depths.get(hop ?? service) ?? 0;
  const admitting = differences.filter(isLostRefusal);
  /** The least deep hop at which its service no longer refuses, if it explains the difference. */
  const admittedAt = (one: Difference): number | undefined => {
    const own = admitting.filter(({ service }) => service === one.service).map(depthOf);
    return own.length > 0 && followsAdmission(one) ? Math.min(...own) : undefined;
  };
  const rank = (one: Difference): number[] => {
    const { severity, service, hop, class: kind, confidence } = one;
    return [
      severity === 'fail' ? 0 : 1,
      // What plain requests show is easier to understand and to reproduce.
      isUnderFault(hop) ? 1 : 0,
      changed.includes(service) ? 0 : 1,
      -Math.min(depthOf(one), admittedAt(one) ?? Number.POSITIVE_INFINITY),
      admittedAt(one) === undefined ? 0 : 1,
      differenceClasses.indexOf(kind),
      -confidence,
    ];
  };
  return differences.toSorted((one, other) => compare(rank(one), rank(other)));
}

function isLostRefusal({ what, severity, hop }: Difference): boolean {
  return what === 'refusal-lost' && severity === 'fail' && !isUnderFault(hop);
}

/** What is accepted leads to further calls, and is answered with values that only it brings. */
function followsAdmission({ class: kind, what }: Difference): boolean {
  return (kind === 'calls' && what !== 'call-missing') || what === 'values-changed';
}

/** By hop name, its distance from outside; by service, the distance of its farthest hop. */
function depthsOf(roots: readonly CallTree[]): Map<string, number> {
  const depths = new Map<string, number>();
  const walk = ({ hop, calls }: CallTree, depth: number): void => {
    for (const name of [hopName(hop), hop.to]) {
      depths.set(name, Math.max(depths.get(name) ?? 0, depth));
    }
    for (const call of calls) walk(call, depth + 1);
  };
  for (const root of roots) walk(root, 1);
  return depths;
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [index, value] of one.entries()) {
    const difference = value - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
