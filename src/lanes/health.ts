import { request } from 'node:http';
import { connect } from 'node:net';

const lookMsMax = 2_000;

/** Whether a service is ready: its health path answers 200, or its port takes a connection. */
export function isHealthy(port: number, path: string | undefined): Promise<boolean> {
  return path === undefined ? connects(port) : answers(port, path);
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
