import { type Fault, fault, tryOr } from '../../kernel/index.ts';

/** A Status of the Kubernetes API as a fault. Quotas, rights and policies all answer 403. */
export function refusal(statusCode: number, body: string, what: string): Fault {
  const reason = messageOf(body) || `status ${statusCode}`;
  if (/exceeded quota|failed quota/.test(reason))
    return fault('KUBERNETES_QUOTA', { what, reason });
  if (statusCode === 401 || statusCode === 403) {
    return fault('KUBERNETES_FORBIDDEN', { what, reason });
  }
  return fault('KUBERNETES_REFUSED', { what, reason });
}

function messageOf(body: string): string {
  const status = tryOr<{ message?: unknown }>(() => JSON.parse(body), {});
  return typeof status.message === 'string' ? status.message : body.trim().slice(0, 500);
}
