import type { Hop } from '../../lanes/index.ts';
import type { OutsideAnswer, VersionRecording, VersionRecordings } from './recording.ts';

let count = 0;

/** A call from pricing to validation that went well, unless it says otherwise. */
export function hop(more: Partial<Hop> = {}): Hop {
  count += 1;
  return {
    n: count,
    nth: count,
    at: count,
    key: 'lane_1',
    requestId: `req-${count}`,
    from: 'pricing',
    to: 'validation',
    instance: 'baseline',
    served: null,
    answered: true,
    startedAt: count,
    traceId: null,
    recovered: false,
    escaped: false,
    protocol: 'http1',
    method: 'POST',
    path: '/validations',
    status: 200,
    durationMs: 1,
    requestBody: null,
    requestBytes: 2,
    responseBody: null,
    responseBytes: 2,
    ...more,
  };
}

/** A request from outside to orders, with the calls that orders made for it. */
export function request(calls: readonly Partial<Hop>[], more: Partial<Hop> = {}): Hop[] {
  const root = hop({ from: null, to: 'orders', path: '/trades', status: 201, ...more });
  const { requestId } = root;
  return [root, ...calls.map((call) => hop({ from: 'orders', requestId, ...call }))];
}

export const recording = (
  hops: readonly Hop[],
  more: Partial<VersionRecording> = {},
): VersionRecording => ({
  hops,
  ...more,
});

/** Baseline and control were the same; what they did is made anew for each. */
export function against(
  known: () => VersionRecording,
  candidate: VersionRecording,
): VersionRecordings {
  return { baseline: known(), control: known(), candidate };
}

export const answer = (more: Partial<OutsideAnswer> = {}): OutsideAnswer => ({
  service: 'edge',
  method: 'GET',
  path: '/trades/trd_1',
  hasCredentials: true,
  status: 200,
  headers: {
    'set-cookie': ['session=1; Secure; HttpOnly; SameSite=Lax'],
    'content-security-policy': ["default-src 'self'"],
    'access-control-allow-origin': ['https://app.example'],
  },
  body: '{"id":"trd_1"}',
  tls: 'TLSv1.3',
  ...more,
});
