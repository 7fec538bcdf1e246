/** What a caller of a service says about it; https is the same over TLS. */
export type Scheme = 'http' | 'https';

export type Protocol = 'http' | 'https' | 'h2c' | 'grpc';

/** Where keyed requests go. The router gets the whole table each time, and knows nothing else. */
export interface RouteTable {
  /** The service that gets requests from outside; empty when there is none. */
  readonly ingress: string;
  /** One more header that may carry the key. */
  readonly header?: string;
  /** What the tags in trace ids are authenticated with: 32 bytes in hex. */
  readonly traceSecret?: string;
  readonly services: Readonly<Record<string, ServiceRoute>>;
  readonly doors?: readonly Door[];
  /** By key. */
  readonly lanes: Readonly<Record<string, LaneRoutes>>;
}

export interface ServiceRoute {
  readonly port: number;
  /** Defaults to this machine. */
  readonly host?: string;
  readonly scheme?: Scheme;
  /** Its protocol for requests from outside or by a door. */
  readonly protocol?: Protocol;
  /** Addresses that applications have for it: `pricing:80`, `pricing.internal:*`. */
  readonly aliases?: readonly string[];
}

/**
 * A port of the router that stands for a service. Who carries no key gets the baseline there, as if
 * the service itself were listening.
 */
export interface Door {
  readonly port: number;
  /** The service that uses this door; null for the one that is open to those outside. */
  readonly from: string | null;
  readonly to: string;
  /** The key of the lane whose own instance uses this door: all of its calls are the lane's. */
  readonly lane?: string;
}

export interface LaneRoutes {
  readonly lane: string;
  /** The candidates, by the service that they stand for. */
  readonly overrides: Readonly<Record<string, Override>>;
  /** Where its requests from outside enter, when elsewhere than those of others. */
  readonly ingress?: string;
  /** Its key is dead from then on, whether or not anybody says so; milliseconds of Unix time. */
  readonly expiresAt?: number;
  /** Its number in trace ids: 4 bytes in hex. */
  readonly trace?: string;
}

export interface Override {
  readonly port: number;
  readonly instance: string;
  /** Its protocol for requests from outside, if it differs from the baseline's. */
  readonly protocol?: Protocol;
}

export const emptyTable: RouteTable = { ingress: '', services: {}, lanes: {} };
