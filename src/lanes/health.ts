import { request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fault, limits } from '../kernel/index.ts';

const lookMsMax = 2_000;

/** Whether a service is ready: its health path answers 200, or its port takes a connection. */
export function isHealthy(port: number, path: string | undefined): Promise<boolean> {
  return path === undefined ? connects(port) : answers(port, path);
}

const lookEveryMs = 20;

/** The key of requests that only ask who is there. */
const askKey = 'surety-lane=surety-health';

/**
 * Until an instance itself answers on a port that it may share with the one before it. Each
 * connection goes to either of them, so it is asked again and again.
 */
export async function waitUntilServes(
  port: number,
  path: string | undefined,
  { service, instance }: { service: string; instance: string },
): Promise<void> {
  const deadline = performance.now() + limits.serviceStartMsMax;
  while (performance.now() < deadline) {
    if ((await servedBy(port, path ?? '/')) === instance) return;
    await delay(lookEveryMs);
  }
  const reason = `its new version never answered on port ${port}`;
  throw fault('SERVICE_UNHEALTHY', { service, reason, log: service });
}

function servedBy(port: number, path: string): Promise<string | null> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path, timeout: lookMsMax, agent: false };
    const call = request({ ...options, headers: { baggage: askKey } }, (response) => {
      response.resume();
      resolve(String(response.headers['x-surety-served'] ?? ''));
    });
    call.on('timeout', () => call.destroy());
    call.on('error', () => resolve(null));
    call.end();
  });
}

function answers(port: number, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const call = request({ host: '127.0.0.1', port, path, timeout: lookMsMax }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    call.on('timeout', () => call.destroy());
    call.on('error', () => resolve(false));
    call.end();
  });
}

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: lookMsMax });
    const settle = (healthy: boolean): void => {
      socket.destroy();
      resolve(healthy);
    };
    socket.on('connect', () => settle(true));
    socket.on('timeout', () => settle(false));
    socket.on('error', () => settle(false));
  });
}
