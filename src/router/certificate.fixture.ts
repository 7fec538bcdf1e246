import { execFileSync } from 'node:child_process';

/** A new key with a certificate for this machine that nobody has signed. */
export function makeCertificate(): { key: string; cert: string } {
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', '-', '-out', '-', '-nodes', '-days', '1'];
  const pem = execFileSync('openssl', [...request, ...subject, ...files], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { key: pem, cert: pem };
}
