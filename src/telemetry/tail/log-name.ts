export interface LogOrigin {
  readonly service: string;
  /** The lane of the candidate that wrote it; empty for the baseline. */
  readonly lane: string;
}

/** Surety's own processes write to the same directory. */
const own: ReadonlySet<string> = new Set(['daemon', 'keeper', 'router', 'telemetry']);

/**
 * `pricing.log` belongs to the baseline, `lane_….pricing.log` to a candidate, others to no service.
 */
export function originOfLog(file: string): LogOrigin | undefined {
  const [, lane = '', service = ''] = /^(?:(lane_[^.]+)\.)?([^.]+)\.log$/.exec(file) ?? [];
  return service === '' || (lane === '' && own.has(service)) ? undefined : { service, lane };
}

/** The same for an instance, `pricing/lane_…/run_…` or `pricing/baseline/run_…`. */
export function originOfInstance(instance: string, service: string): LogOrigin {
  const [name, lane = ''] = instance.split('/');
  return { service: name || service, lane: lane.startsWith('lane_') ? lane : '' };
}
