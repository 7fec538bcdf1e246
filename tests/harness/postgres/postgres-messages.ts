import { join } from 'node:path';

/** The harness to the supervisor: start the server, or stop it first when it runs. */
export interface StartRequest {
  readonly port: number;
}

/** The supervisor to the harness. */
export type SupervisorReport =
  | { readonly kind: 'prepared'; readonly directory: string }
  | { readonly kind: 'started'; readonly pid: number }
  | { readonly kind: 'exited'; readonly pid: number }
  | { readonly kind: 'failed'; readonly message: string };

export function logFile(directory: string): string {
  return join(directory, 'server.log');
}
