import type { Instant, JsonObject } from '../../kernel/index.ts';
import type { Entry, Ledger, Projection } from '../../ledger/index.ts';
import type { CostRow } from './api-schema.ts';
import { weekOf } from './stats.ts';

/** What one verification, or one lane of somebody, took. */
export type VerificationCost = {
  readonly lanes: number;
  readonly cpuMs: number;
  readonly memoryMbSeconds: number;
  /** From the request to the verdict; 0 for a lane. */
  readonly verdictMs: number;
};

type CostTotals = VerificationCost & {
  readonly week: string;
  readonly actor: string;
  readonly verdicts: number;
};

const costPrefix = 'verify-cost/';
const costKey = (at: Instant, actor: string): string => `${costPrefix}${weekOf(at)}/${actor}`;

/** By week and by whoever asked; what a verification took is in its verdict, not in its lanes. */
export const verifyCosts: Projection = {
  kinds: ['verdict-reached', 'lane-closed'],
  keys: (entry) => [costKey(entry.at, payerOf(entry))],
  apply: (rows, entry) => {
    const cost = costOf(entry);
    if (cost === null) return;
    const actor = payerOf(entry);
    const key = costKey(entry.at, actor);
    const before = rows.get<CostTotals>(key);
    const isVerdict = entry.kind === 'verdict-reached';
    rows.set(key, {
      week: weekOf(entry.at),
      actor,
      verdicts: (before?.verdicts ?? 0) + (isVerdict ? 1 : 0),
      lanes: (before?.lanes ?? 0) + cost.lanes,
      cpuMs: (before?.cpuMs ?? 0) + cost.cpuMs,
      memoryMbSeconds: (before?.memoryMbSeconds ?? 0) + cost.memoryMbSeconds,
      verdictMs: (before?.verdictMs ?? 0) + cost.verdictMs,
    });
  },
};

function payerOf({ kind, actor, body }: Entry): string {
  return kind === 'lane-closed' ? String(body.owner) : actor;
}

function costOf({ kind, body }: Entry): VerificationCost | null {
  if (kind === 'verdict-reached') return (body.cost as VerificationCost | undefined) ?? null;
  const use = body.use as JsonObject | undefined;
  if (!use) return null;
  const { cpuMs, memoryMbSeconds } = use;
  return {
    lanes: 1,
    cpuMs: Number(cpuMs),
    memoryMbSeconds: Number(memoryMbSeconds),
    verdictMs: 0,
  };
}

/** The newest weeks first, in each the most expensive first. */
export async function readCosts(ledger: Pick<Ledger, 'rows'>, since: Instant): Promise<CostRow[]> {
  const totals: CostTotals[] = [];
  for await (const { value } of ledger.rows<CostTotals>(costPrefix)) totals.push(value);
  return totals
    .filter(({ week }) => week >= weekOf(since))
    .sort((one, other) => other.week.localeCompare(one.week) || other.cpuMs - one.cpuMs)
    .map(({ week, actor, verdicts, lanes, cpuMs, memoryMbSeconds, verdictMs }) => ({
      week,
      actor,
      verdicts,
      lanes,
      cpuSeconds: tenths(cpuMs / 1_000),
      memoryGbHours: Math.round((memoryMbSeconds / 1_024 / 3_600) * 1_000) / 1_000,
      verdictMinutes: tenths(verdictMs / 60_000),
    }));
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
