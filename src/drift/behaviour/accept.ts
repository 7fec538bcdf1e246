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
 * compared with what the same profile did before, or else with its predecessor.
 */
export function changeProfile(state: Behaviour, entry: Entry, agent: string, rows: Rows): void {
  const { now, past } = state;
  const { profile, hash, replaces, declared = {} } = entry.body;
  if (profile === past.profile) return;
  const closed = closeBlocks(state);
  rows.set(profileKey(agent, String(replaces)), archive(closed, entry.at) as Json);
  const own = rows.get<ProfileRow>(profileKey(agent, String(hash)));
  const learned = own?.dimensions ?? closed.dimensions;
  // Names are only ever added, so the letters of an earlier profile mean the same.
  const dimensions = eachDimension((name) => ({
    ...newPast().dimensions[name],
    names: closed.dimensions[name].names,
    reference: learned[name].reference,
  }));
  const comparedWith = own ? '' : past.profile;
  const named = { declared: declared as Record<string, string>, profile: String(profile) };
  state.past = { ...past, dimensions, ...named, comparedWith };
  const { open, scalars } = newBehaviour();
  Object.assign(now, { open, scalars });
}

/** What was learned so far, with recent behaviour too where that alone is little. */
function closeBlocks({ now, past }: Behaviour): BehaviourPastRow {
  const dimensions = eachDimension((name) => {
    const state = past.dimensions[name];
    const isEnough = totalOf(state.reference) >= driftParameters.referenceMin;
    return isEnough ? state : learnRecent(state, now.open[name]);
  });
  return { ...past, dimensions };
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
