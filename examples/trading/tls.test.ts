import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshDatabase } from '../../tests/harness/postgres/fresh-database.ts';
import { startSystem } from './system.ts';

const openssl = spawnSync('openssl', ['version']).status === 0;

it.skipIf(!openssl)('the edge speaks TLS when it is given a certificate', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trading-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  makeCertificate(key, cert);
  const environment = { TLS_KEY_FILE: key, TLS_CERT_FILE: cert };
  const databaseUrl = await freshDatabase();
  const system = await startSystem({ databaseUrl, ports: 'free', environment });
  try {
    const url = `${system.urls.edge.replace('http:', 'https:')}/trades/trd_none`;
    expect(await statusOf(url, readFileSync(cert, 'utf8'))).toBe(404);
  } finally {
    await system.stop();
    rmSync(folder, { recursive: true });
  }
});

function makeCertificate(key: string, cert: string): void {
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', key, '-out', cert, '-nodes', '-days', '1'];
  expect(spawnSync('openssl', [...request, ...subject, ...files]).status).toBe(0);
}

function statusOf(url: string, ca: string): Promise<number | undefined> {
  const headers = { authorization: 'Bearer trader-token' };
  return new Promise((resolve, reject) => {
    get(url, { ca, headers, agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    }).once('error', reject);
  });
}
