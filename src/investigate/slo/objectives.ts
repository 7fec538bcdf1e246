import type { Config, SloConfig } from '../../system/index.ts';
import { textLiteral, timeLiteral } from '../../telemetry/index.ts';

/** One number that requests of a service must keep to. */
export interface Objective {
  /** The name of its alert. */
  readonly alert: string;
  readonly kind: 'availability' | 'latency';
  readonly service: string;
  readonly route: string | undefined;
  readonly percent: number;
  readonly burn: SloConfig['burn'];
  /** SQL: true for a request that misses it. */
  readonly missed: string;
  /** Only instances that Surety started, and that have proven it, count. */
  readonly isStarted: boolean;
}

export function objectivesOf({ slo, services }: Config): Objective[] {
  return Object.entries(slo).flatMap(([name, { service, route, availability, latency, burn }]) => {
    const isStarted = services[service]?.command !== undefined;
    const common = { service, route, burn, isStarted };
    const available = (percent: number): Objective => ({
      ...common,
      alert: `${name}-availability`,
      kind: 'availability',
      percent,
      missed: 'is_error',
    });
    const fast = ({ percent, belowMs }: NonNullable<SloConfig['latency']>): Objective => ({
      ...common,
      alert: `${name}-latency`,
      kind: 'latency',
      percent,
      missed: `duration_ms >= ${belowMs}`,
    });
    return [
      ...(availability === undefined ? [] : [available(availability)]),
      ...(latency === undefined ? [] : [fast(latency)]),
    ];
  });
}

/** A sixtieth of the shortest window. */
export function bucketMsOf({ burn }: Objective): number {
  return Math.min(...burn.map(({ minutes }) => minutes)) * 1_000;
}

export function windowMsOf({ burn }: Objective): number {
  return Math.max(...burn.map(({ minutes }) => minutes)) * 60_000;
}

/** Counts requests of the baseline from an instant on, by buckets. */
export function bucketsSql(objective: Objective, from: number): string {
  const { service, route, missed, isStarted } = objective;
  const seconds = bucketMsOf(objective) / 1_000;
  const conditions = [
    `lane = '' AND time >= ${timeLiteral(from)} AND service = ${textLiteral(service)}`,
    ...(isStarted ? ["starts_with(instance, service || '/baseline/')"] : []),
    ...(route === undefined ? [] : [`method || ' ' || route = ${textLiteral(route)}`]),
  ];
  return `SELECT floor(epoch(time) / ${seconds}) * ${seconds} AS bucket, count(*) AS requests,
      count(*) FILTER (WHERE ${missed}) AS missed
    FROM requests WHERE ${conditions.join(' AND ')} GROUP BY bucket ORDER BY bucket`;
}
