import { type FieldType, type Json, type Shape, shapeOf } from '../kernel/index.ts';
import type { Hop } from '../lanes/index.ts';
import { hopName } from './differences/hop-name.ts';

/** What changed between two versions in what one service says to another. */
export type WireDifference = {
  /** `pricing → validation POST /validations`. */
  readonly hop: string;
  readonly part: 'request' | 'response';
  readonly field: string;
  readonly before: string;
  readonly after: string;
  /** A value of either side, to see what is meant. */
  readonly sampleBefore: Json;
  readonly sampleAfter: Json;
};

/**
 * Compares the types of every field on every hop. A new field is no difference: receivers ignore
 * what they don't know. A field that is gone, or of another type, is what breaks them silently.
 */
export function compareWire(control: readonly Hop[], candidate: readonly Hop[]): WireDifference[] {
  const before = Map.groupBy(control, hopName);
  const after = Map.groupBy(candidate, hopName);
  const differences: WireDifference[] = [];
  for (const [hop, controlHops] of before) {
    const candidateHops = after.get(hop);
    if (!candidateHops) continue;
    for (const part of ['request', 'response'] as const) {
      const sides = [bodies(controlHops, part), bodies(candidateHops, part)] as const;
      for (const change of compareShapes(...sides)) differences.push({ hop, part, ...change });
    }
  }
  return differences;
}

type FieldChange = Omit<WireDifference, 'hop' | 'part'>;

function compareShapes(control: readonly Json[], candidate: readonly Json[]): FieldChange[] {
  if (control.length === 0 || candidate.length === 0) return [];
  const before = shapeOf(control);
  const after = shapeOf(candidate);
  return [...before.keys()].flatMap((field) => {
    const [was, is] = [namesOf(before, field), namesOf(after, field)];
    // Below a field that is itself of another type everything differs; once is enough.
    if (was === is || parentDiffers(before, after, field)) return [];
    const samples = { sampleBefore: sample(control, field), sampleAfter: sample(candidate, field) };
    return [{ field: field || '(the body)', before: was, after: is, ...samples }];
  });
}

function namesOf(shape: Shape, field: string): string {
  const types: ReadonlySet<FieldType> = shape.get(field) ?? new Set();
  return [...types].sort().join(' or ') || 'absent';
}

function parentDiffers(before: Shape, after: Shape, field: string): boolean {
  const parent = field.endsWith('[]') ? field.slice(0, -2) : field.replace(/\.?[^.]*$/, '');
  return field !== '' && namesOf(before, parent) !== namesOf(after, parent);
}

function bodies(hops: readonly Hop[], part: 'request' | 'response'): Json[] {
  const all = hops.map((hop) => (part === 'request' ? hop.requestBody : hop.responseBody));
  return all.filter((body) => body !== null);
}

/** The first value at a place; walking into lists by their first item. */
function sample(values: readonly Json[], field: string): Json {
  for (const value of values) {
    const found = valueAt(value, field);
    if (found !== undefined) return found;
  }
  return null;
}

function valueAt(value: Json, field: string): Json | undefined {
  if (field === '') return value;
  let at: Json | undefined = value;
  for (const step of field.replaceAll('[]', '.0').split('.')) {
    at = (at as Record<string, Json> | null | undefined)?.[step];
  }
  return at;
}
