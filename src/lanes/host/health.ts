import { request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request as requestSecurely } from 'node:https';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fault } from '../../kernel/index.ts';
import { laneLimits } from '../limits.ts';
import { startAdvice } from './start-advice.ts';

const lookMsMax = 2_000;

/** Where a service is, and how to see that it is ready. */
export interface HealthTarget {
  readonly host?: string;
  readonly port: number;
  /** A path that answers 200; without one, a connection is enough. */
  readonly health?: string | undefined;
  readonly protocol?: 'http' | 'https' | 'h2c' | 'grpc' | 'tcp';
}

/** Whether a service is ready: its health path answers 200, or its port takes a connection. */
export async function isHealthy(target: HealthTarget): Promise<boolean> {
  const { health, protocol = 'http' } = target;
  if (health === undefined || protocol === 'tcp' || protocol === 'grpc') return connects(target);
  return (await ask(target, {}))?.status === 200;
}

/** What the health path answers; undefined if nothing does. */
export async function healthStatus(target: HealthTarget): Promise<number | undefined> {
  const { protocol } = target;
  if (protocol === 'tcp' || protocol === 'grpc') return undefined;
  return (await ask(target, {}))?.status;
}

const lookEveryMs = 20;

/** The key of requests that only identify the instance. */
const askKey = 'surety-lane=surety-health';

/**
 * Until an instance itself answers on a port that it may share with the one before it. Each
 * connection goes to either of them, so it is asked again and again.
 */
export async function waitUntilServes(
  target: HealthTarget,
  { service, instance }: { service: string; instance: string },
): Promise<void> {
  const deadline = performance.now() + laneLimits.serviceStartMsMax;
  while (performance.now() < deadline) {
    if ((await ask(target, { baggage: askKey }))?.served === instance) return;
    await delay(lookEveryMs);
  }
  const reason = `its new version never answered on port ${target.port}`;
  const advice = startAdvice(service, reason);
  throw fault('SERVICE_UNHEALTHY', { service, reason, log: service, lines: '', advice });
}

interface HealthResponse {
  readonly status: number;
  /** Which instance says that it answered. */
  readonly served: string;
}

function ask(
  target: HealthTarget,
  headers: Record<string, string>,
): Promise<HealthResponse | null> {
  const { protocol } = target;
  const isHttp2 = protocol === 'h2c' || protocol === 'grpc';
  return isHttp2 ? askByHttp2(target, headers) : askByHttp1(target, headers);
}

function askByHttp1(
  { host = '127.0.0.1', port, health: path = '/', protocol }: HealthTarget,
  headers: Record<string, string>,
): Promise<HealthResponse | null> {
  return new Promise((resolve) => {
    // Its certificate is for callers that use its name; this request only checks that it answers.
    const secure = { rejectUnauthorized: false };
    const options = { host, port, path, headers, timeout: lookMsMax, agent: false as const };
    const call =
      protocol === 'https' ? requestSecurely({ ...options, ...secure }) : request(options);
    call.on('response', (response) => {
      response.resume();
      const served = String(response.headers['x-surety-served'] ?? '');
      resolve({ status: response.statusCode ?? 0, served });
    });
    call.on('timeout', () => call.destroy());
    call.on('error', () => resolve(null));
    call.end();
  });
}

/** As a call of gRPC where that is spoken: its servers answer nothing else. */
function askByHttp2(
  { host = '127.0.0.1', port, health = '/', protocol }: HealthTarget,
  headers: Record<string, string>,
): Promise<HealthResponse | null> {
  const grpc = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' };
  return new Promise((resolve) => {
    const session = connectHttp2(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
    const settle = (answer: HealthResponse | null): void => {
      session.destroy();
      resolve(answer);
    };
    session.setTimeout(lookMsMax, () => settle(null));
    session.on('error', () => settle(null));
    const call = { ':path': health, ...(protocol === 'grpc' ? grpc : {}), ...headers };
    const stream = session.request(call);
    stream.on('error', () => settle(null));
    stream.on('response', (answer) => {
      settle({
        status: Number(answer[':status']),
        served: String(answer['x-surety-served'] ?? ''),
      });
    });
    stream.end();
  });
}

function connects({ host = '127.0.0.1', port }: HealthTarget): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: lookMsMax });
    const settle = (healthy: boolean): void => {
      socket.destroy();
      resolve(healthy);
    };
    socket.on('connect', () => settle(true));
    socket.on('timeout', () => settle(false));
    socket.on('error', () => settle(false));
  });
}
