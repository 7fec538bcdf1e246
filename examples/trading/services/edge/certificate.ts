import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const REQUEST = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
const SUBJECT = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];

/** A certificate that nobody vouches for, made in this folder when there is none yet. */
export function selfSigned(folder: string): { cert: string; key: string } {
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  if (!existsSync(certFile)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const files = ['-keyout', keyFile, '-out', certFile, '-nodes', '-days', '30'];
    const made = spawnSync('openssl', [...REQUEST, ...SUBJECT, ...files], { encoding: 'utf8' });
    if (made.status !== 0) {
      throw new Error(`openssl made no certificate: ${made.error?.message ?? made.stderr}`);
    }
  }
  return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
}
