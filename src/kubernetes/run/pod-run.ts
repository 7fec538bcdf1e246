import type { RouteParent } from '../objects/lane-routes.ts';

/** Everything that the process of one candidate in a cluster needs to know. */
export interface PodRun {
  readonly namespace: string;
  readonly context?: string | undefined;
  /** Where pods reach this machine; by default the address that leads to the baseline's pods. */
  readonly address?: string | undefined;
  readonly lane: string;
  readonly service: string;
  /** When the lane ends at the latest, in milliseconds of Unix time. */
  readonly endsAt: number;
  readonly deployment: string;
  readonly container?: string | undefined;
  /** The name of the image without its tag, for `build`. */
  readonly image?: string | undefined;
  /** The owner's command that makes the image named by SURETY_IMAGE. */
  readonly build?: string | undefined;
  /** A file of this version that has the Deployment; by default the one in the cluster. */
  readonly manifest?: string | undefined;
  /** The checkout of this version. */
  readonly directory: string;
  /** Where the container listens. */
  readonly port: number;
  readonly protocol: string;
  /** Where this process listens on 127.0.0.1, in place of the service. */
  readonly listenPort: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly preloadDirectory?: string | undefined;
  readonly routes: readonly RouteParent[];
  readonly hostnames?: readonly string[];
  readonly header?: string | undefined;
}

export const podRunVariable = 'SURETY_POD_RUN';

/** The last line that the process writes when its pod has a problem; the host reads it. */
export interface PodReport {
  readonly surety: 'pod-problem';
  readonly kind: string;
  readonly reason: string;
  readonly advice: string;
}

/** Null if the line is anything else. */
export function readPodReport(line: string | undefined): PodReport | null {
  if (!line?.startsWith('{"surety":"pod-problem"')) return null;
  try {
    return JSON.parse(line) as PodReport;
  } catch {
    return null;
  }
}

export function formatPodReport(report: Omit<PodReport, 'surety'>): string {
  const { kind, reason, advice } = report;
  return JSON.stringify({ surety: 'pod-problem', kind, reason, advice });
}
