import type { ChangeEvidence, UsualValue } from '../statistics/change-detector.ts';
import { noEvidence, noUsualValue } from '../statistics/change-detector.ts';

/** What the distributions are over. */
export const dimensionNames = ['tools', 'shapes', 'targets', 'outcomes', 'costs'] as const;
export type DimensionName = (typeof dimensionNames)[number];

/** Numbers whose mean may rise. The smallest rise that matters is beside each. */
export const scalarRises = { failures: 0.05, violations: 0.05, repeats: 0.1, cost: 0.02 } as const;
export type ScalarName = keyof typeof scalarRises;
export const scalarNames = Object.keys(scalarRises) as readonly ScalarName[];

/** What was counted about keeping to contracts. */
export type ComplianceTotals = {
  readonly steps: number;
  /** Calls that ran although they broke a hard rule: in observe mode, or by their result. */
  readonly hard: number;
  /** Calls that would have broken a hard rule, and were denied. */
  readonly prevented: number;
  /** Steps that broke a soft rule. */
  readonly soft: number;
  /** Runs of soft violations, and those that lasted longer than recovery may take. */
  readonly episodes: number;
  readonly unrecovered: number;
  /** Soft violations in a row, now. */
  readonly softInRow: number;
};

export const noCompliance: ComplianceTotals = {
  steps: 0,
  hard: 0,
  prevented: 0,
  soft: 0,
  episodes: 0,
  unrecovered: 0,
  softInRow: 0,
};

/** The part that every action rewrites: it stays some hundred bytes, however long the history. */
export type BehaviourRow = {
  /** The open block of each dimension, one letter per action. */
  readonly open: Readonly<Record<DimensionName, string>>;
  /** The last steps: `.` clean, `s` soft violation, `h` prevented, `H` hard violation. */
  readonly marks: string;
  /** The last calls, in short. */
  readonly calls: readonly string[];
  readonly scalars: Readonly<Record<ScalarName, readonly [evidence: number, since: number]>>;
  readonly totals: ComplianceTotals;
  readonly sessions: number;
  /** Sessions with a hard violation. */
  readonly brokenSessions: number;
  /** The session without a task: when its last step was, and whether it is broken. */
  readonly lastAt: number;
  readonly isBroken: boolean;
};

export type DimensionState = {
  /** The names of its categories; empty if the letters are the categories. */
  readonly names: readonly string[];
  readonly reference: readonly number[];
  /** Closed blocks that are not part of the reference, oldest first. */
  readonly blocks: readonly string[];
  /** Whether the recent window differs from the reference by more than chance. */
  readonly isShifted: boolean;
  readonly divergence: number;
  readonly p: number;
};

/** The part that changes once per block, or when something rare happens. */
export type BehaviourPastRow = {
  readonly dimensions: Readonly<Record<DimensionName, DimensionState>>;
  readonly usual: Readonly<Record<ScalarName, UsualValue & { readonly [field: string]: number }>>;
  /** By tool: hard violations, prevented ones and soft ones. */
  readonly contracts: Readonly<Record<string, readonly [number, number, number]>>;
  /** How often each tool was proposed, by its letter. */
  readonly toolTotals: readonly number[];
  /** What the agent declared, by field. */
  readonly declared: Readonly<Record<string, string>>;
  /** The version, framework and model that the agent declared; empty if it declared none. */
  readonly profile: string;
  /** The profile whose behaviour is the reference, if it is another one. */
  readonly comparedWith: string;
};

/** What is kept of a profile that another one replaced. */
export type ProfileRow = {
  readonly profile: string;
  readonly replacedAt: number;
  readonly dimensions: Readonly<
    Record<
      DimensionName,
      { readonly names: readonly string[]; readonly reference: readonly number[] }
    >
  >;
};

export const profileKey = (agent: string, profileHash: string): string =>
  `behaviour-profile/${agent}/${profileHash}`;

export const behaviourKey = (agent: string): string => `behaviour/${agent}`;
export const behaviourPastKey = (agent: string): string => `behaviour-past/${agent}`;
export const taskComplianceKey = (task: string): string => `compliance/${task}`;

const noDimension: DimensionState = {
  names: [],
  reference: [],
  blocks: [],
  isShifted: false,
  divergence: 0,
  p: 1,
};

export function newBehaviour(): BehaviourRow {
  return {
    open: each(dimensionNames, () => ''),
    marks: '',
    calls: [],
    scalars: each(scalarNames, () => [noEvidence.evidence, noEvidence.since] as const),
    totals: noCompliance,
    sessions: 0,
    brokenSessions: 0,
    lastAt: 0,
    isBroken: false,
  };
}

export function newPast(): BehaviourPastRow {
  return {
    dimensions: each(dimensionNames, () => noDimension),
    usual: each(scalarNames, () => ({ ...noUsualValue })),
    contracts: {},
    toolTotals: [],
    declared: {},
    profile: '',
    comparedWith: '',
  };
}

function each<Name extends string, Value>(
  names: readonly Name[],
  make: () => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, make()])) as Record<Name, Value>;
}

export const evidenceOf = ([evidence, since]: readonly [number, number]): ChangeEvidence => ({
  evidence,
  since,
});
