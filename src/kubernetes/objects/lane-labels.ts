import { sha256 } from '../../kernel/index.ts';

export const laneLabel = 'surety.dev/lane';
export const serviceLabel = 'surety.dev/service';
export const managedLabel = 'app.kubernetes.io/managed-by';
export const manager = 'surety';

/** One run of one service in a lane, as its objects in the cluster are named. */
export interface LanePod {
  readonly lane: string;
  readonly service: string;
}

/** Labels of everything that belongs to a lane. Kubernetes allows no upper case in a name. */
export function laneLabels({ lane, service }: LanePod): Record<string, string> {
  return { [managedLabel]: manager, [laneLabel]: lane, [serviceLabel]: service };
}

/**
 * `surety-<hash of the lane>-<service>`: the hash keeps two teams apart whose lanes are named alike
 * in other letters, and the name below the 63 characters of a Service.
 */
export function objectName({ lane, service }: LanePod): string {
  return `${laneName(lane)}-${service}`;
}

export function laneName(lane: string): string {
  return `surety-${sha256(lane).slice(0, 12)}`;
}
