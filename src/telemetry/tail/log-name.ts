export interface LogOrigin {
  readonly service: string;
  /** Whose candidate wrote it; empty for the baseline. */
  readonly lane: string;
}

/** Processes of Surety itself write beside the services. */
const own: ReadonlySet<string> = new Set(['daemon', 'keeper', 'router', 'telemetry']);

/** `pricing.log` is the baseline's, `lane_….pricing.log` a candidate's; others are no service's. */
export function originOfLog(file: string): LogOrigin | undefined {
  const [, lane = '', service = ''] = /^(?:(lane_[^.]+)\.)?([^.]+)\.log$/.exec(file) ?? [];
  return service === '' || (lane === '' && own.has(service)) ? undefined : { service, lane };
}

/** The same of an instance, `pricing/lane_…/run_…` or `pricing/baseline/run_…`. */
export function originOfInstance(instance: string, service: string): LogOrigin {
  const [name, lane = ''] = instance.split('/');
  return { service: name || service, lane: lane.startsWith('lane_') ? lane : '' };
}
