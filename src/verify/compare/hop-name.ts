import type { Hop } from '../../lanes/index.ts';

/**
 * A hop of a request that was made for a change. What is unusual about the request is part of the
 * hop's name, so that it is compared only with the same request on the other version.
 */
export interface VariedHop extends Hop {
  /** `amount = 10000`. */
  readonly variant?: string;
}

/**
 * `pricing → validation POST /validations`: calls of the same name are compared. Requests that ask
 * for injected faults are compared with those that ask for the same.
 */
export function hopName({ from, to, method, path, faults, variant }: VariedHop): string {
  const under = faults === undefined ? '' : ` with ${faults}`;
  const varied = variant === undefined ? '' : `, ${variant}`;
  return `${from ?? 'outside'} → ${to} ${method} ${routeOf(path)}${under}${varied}`;
}

/** What is unusual about the request that was made for a change, by the name of a hop. */
export function variantIn(name: string | null): string | undefined {
  const [plain = '', ...varied] = (name ?? '').split(', ');
  return varied.length === 0 || isUnderFault(plain) ? undefined : varied.join(', ');
}

/** Whether the requests of a hop asked for injected faults, by its name. */
export function isUnderFault(name: string | null): boolean {
  return name?.includes(' with ') ?? false;
}

/** One hop on one line: caller, callee, serving instance and status. */
export function hopLine(hop: Hop): string {
  const { from, to, instance, served, method, path, status, injected } = hop;
  const met = injected === undefined ? '' : ` (injected: ${injected})`;
  const proof = served === null || instance === 'baseline' ? '' : ` served by ${served}`;
  return `${from ?? 'outside'} → ${to} (${instance}) ${method} ${path} ${status}${met}${proof}`;
}

/** `/orders/ord_1f3a/payment?x=1` → `/orders/(id)/payment`: ids differ from request to request. */
export function routeOf(path: string): string {
  const [route = ''] = path.split('?');
  return route
    .split('/')
    .map((segment) => (/\d/.test(segment) ? '(id)' : segment))
    .join('/');
}

/** It only reads, so it can be repeated. */
export function isSafe({ method }: Pick<Hop, 'method'>): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method);
}
