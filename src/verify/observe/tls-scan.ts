import { connect, type PeerCertificate, type SecureVersion } from 'node:tls';
import type { Transport } from '../compare/index.ts';

const versions: readonly SecureVersion[] = ['TLSv1.3', 'TLSv1.2', 'TLSv1.1', 'TLSv1'];
/** Without authentication, without encryption, or breakable. */
const weakCiphers = ['aNULL', 'eNULL', '3DES:RC4'];
const scanMsMax = 2_000;

/** What a port accepts; nothing but handshakes is sent. */
export async function scanTls(service: string, port: number): Promise<Transport> {
  const [spoken, weak] = await Promise.all([
    Promise.all(versions.map((version) => shake(port, version, 'ALL:@SECLEVEL=0'))),
    Promise.all(weakCiphers.map((ciphers) => shake(port, 'TLSv1.2', `${ciphers}:@SECLEVEL=0`))),
  ]);
  const certificate = spoken.find((one) => one !== null)?.certificate;
  return {
    service,
    versions: versions.filter((_, index) => spoken[index] !== null),
    weakCiphers: weakCiphers.filter((_, index) => weak[index] !== null),
    keyBits: certificate ? rsaBits(certificate) : null,
    isExpired: certificate ? isOver(certificate) : false,
  };
}

interface Handshake {
  readonly certificate: PeerCertificate;
}

/** Null if the handshake was refused. */
function shake(port: number, version: SecureVersion, ciphers: string): Promise<Handshake | null> {
  return new Promise((resolve) => {
    try {
      const own = { minVersion: version, maxVersion: version, ciphers };
      // The identity does not matter here, only what the service accepts.
      const options = { host: '127.0.0.1', port, rejectUnauthorized: false, ...own };
      const socket = connect(options, () => settle({ certificate: socket.getPeerCertificate() }));
      const settle = (handshake: Handshake | null): void => {
        socket.destroy();
        resolve(handshake);
      };
      socket.setTimeout(scanMsMax, () => settle(null));
      socket.on('error', () => settle(null));
      socket.on('close', () => resolve(null));
    } catch {
      // This machine's OpenSSL does not support it, so it can't be tried.
      resolve(null);
    }
  });
}

/** Bits of elliptic curves can't be compared with those of RSA. */
function rsaBits({ bits, asn1Curve }: PeerCertificate): number | null {
  return asn1Curve === undefined ? (bits ?? null) : null;
}

function isOver({ valid_to }: PeerCertificate): boolean {
  const end = new Date(valid_to).getTime();
  return Number.isFinite(end) && end < performance.timeOrigin + performance.now();
}
