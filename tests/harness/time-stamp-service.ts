import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

export interface TimeStampService extends AsyncDisposable {
  readonly url: string;
  readonly certificate: string;
}

const settings = `
[req]
distinguished_name = name
[name]
[service]
extendedKeyUsage = critical,timeStamping
[tsa]
default_tsa = service_tsa
[service_tsa]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
`;

/** A time-stamp service as others run it: OpenSSL answers, behind HTTP. */
export async function startTimeStampService(directory: string): Promise<TimeStampService> {
  const openssl = (...words: string[]): Buffer =>
    execFileSync('openssl', words, { cwd: directory, stdio: ['ignore', 'pipe', 'ignore'] });
  writeFileSync(join(directory, 'settings'), settings);
  writeFileSync(join(directory, 'serial'), '01\n');
  const subject = ['-subj', '/CN=Time', '-days', '2', '-extensions', 'service'];
  const files = ['-keyout', 'key.pem', '-out', 'certificate.pem', '-config', 'settings'];
  openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, ...subject);
  const signer = ['-signer', 'certificate.pem', '-inkey', 'key.pem'];
  const server: Server = createServer(async (request, response) => {
    writeFileSync(join(directory, 'request'), await buffer(request));
    const asked = ['-queryfile', 'request', '-config', 'settings', '-section', 'service_tsa'];
    openssl('ts', '-reply', ...asked, ...signer, '-out', 'answer');
    response.setHeader('content-type', 'application/timestamp-reply');
    response.end(readFileSync(join(directory, 'answer')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    certificate: join(directory, 'certificate.pem'),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
