import type { Json } from '../../kernel/index.ts';
import type { Entry, Rows } from '../../ledger/index.ts';
import { driftParameters } from '../parameters.ts';
import { totalOf } from '../statistics/divergence.ts';
import {
  type BehaviourPastRow,
  type DimensionName,
  dimensionNames,
  newBehaviour,
  newPast,
  type ProfileRow,
  profileKey,
} from './behaviour-row.ts';
import { acceptRecent, learnRecent } from './dimension.ts';
import { assessDrift } from './level.ts';
import type { Behaviour } from './state.ts';

/** A person looked at it: recent behaviour is the reference from now on. Totals stay. */
export function acceptBehaviour(state: Behaviour): void {
  const { now, past } = state;
  const dimensions = eachDimension((name) => {
    return acceptRecent(past.dimensions[name], now.open[name]);
  });
  const { usual } = newPast();
  state.past = { ...past, dimensions, usual, comparedWith: '' };
  const { open, scalars, marks, calls } = newBehaviour();
  Object.assign(now, { open, scalars, marks, calls });
}

/**
 * The agent runs as another version, on another framework or model. What it does from now on is
 * compared with what the same profile did before, or else with its predecessor. Nobody checks what
 * an agent declares: a new name continues what was observed so far, and no name ends a level.
 */
export function changeProfile(state: Behaviour, entry: Entry, agent: string, rows: Rows): void {
  const { now, past } = state;
  const { profile, hash, replaces, declared = {} } = entry.body;
  if (profile === past.profile) return;
  const isNormal = assessDrift(now, past).level === 'normal';
  closeLearning(state);
  rows.set(profileKey(agent, String(replaces)), archive(state.past, entry.at) as Json);
  const own = isNormal ? rows.get<ProfileRow>(profileKey(agent, String(hash))) : undefined;
  const comparedWith = own ? '' : past.profile;
  const named = { declared: declared as Record<string, string>, profile: String(profile) };
  state.past = { ...state.past, ...named, comparedWith };
  if (own) resumeProfile(state, own);
}

/** Starts to compare with what a profile did before. */
function resumeProfile(state: Behaviour, own: ProfileRow): void {
  const { now, past } = state;
  // Names are only ever added, so the letters of an earlier profile mean the same.
  const dimensions = eachDimension((name) => ({
    ...newPast().dimensions[name],
    names: past.dimensions[name].names,
    reference: own.dimensions[name].reference,
  }));
  state.past = { ...past, dimensions };
  now.open = newBehaviour().open;
}

/** A reference that is still small gets the recent actions, too, before it is kept. */
function closeLearning(state: Behaviour): void {
  const { now, past } = state;
  const isSmall = (name: DimensionName): boolean =>
    totalOf(past.dimensions[name].reference) < driftParameters.referenceMin;
  const dimensions = eachDimension((name) => {
    const learned = past.dimensions[name];
    return isSmall(name) ? learnRecent(learned, now.open[name]) : learned;
  });
  now.open = eachDimension((name) => (isSmall(name) ? '' : now.open[name]));
  state.past = { ...past, dimensions };
}

function archive({ profile, dimensions }: BehaviourPastRow, replacedAt: number): ProfileRow {
  const kept = eachDimension((name) => {
    const { names, reference } = dimensions[name];
    return { names, reference };
  });
  return { profile, replacedAt, dimensions: kept };
}

function eachDimension<Value>(make: (name: DimensionName) => Value): Record<DimensionName, Value> {
  return Object.fromEntries(dimensionNames.map((name) => [name, make(name)])) as Record<
    DimensionName,
    Value
  >;
}
