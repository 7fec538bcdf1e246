import type { Difference } from './difference.ts';
import { splitRecordings, type Transport, type VersionRecordings } from './recording.ts';

/** Where a service accepts weaker TLS on its own port than before. */
export function findWeakerTransport(recordings: VersionRecordings): Difference[] {
  const { known, candidate } = splitRecordings(recordings);
  return (candidate.transports ?? []).flatMap((now) => {
    const were = known.flatMap(({ transports = [] }) =>
      transports.filter(({ service }) => service === now.service),
    );
    const [first] = were;
    if (!first || were.length < known.length) return [];
    const isSpoken = were.every(({ versions }) => versions.length > 0);
    if (isSpoken && now.versions.length === 0) {
      return [weaker(now, 'tls-lost', first.versions.join(' or '), 'no TLS: plain text')];
    }
    return [...olderVersions(were, now), ...weakerCiphers(were, now), ...certificates(were, now)];
  });
}

const secure = ['TLSv1.3', 'TLSv1.2'];

function olderVersions(were: readonly Transport[], now: Transport): Difference[] {
  const had = new Set(were.flatMap(({ versions }) => versions));
  const added = now.versions.filter((version) => !secure.includes(version) && !had.has(version));
  if (added.length === 0 || had.size === 0) return [];
  return [weaker(now, 'tls-weakened', [...had].join(' or '), `also ${added.join(' and ')}`)];
}

function weakerCiphers(were: readonly Transport[], now: Transport): Difference[] {
  const had = new Set(were.flatMap(({ weakCiphers }) => weakCiphers));
  const added = now.weakCiphers.filter((cipher) => !had.has(cipher));
  if (added.length === 0) return [];
  return [weaker(now, 'cipher-weakened', 'refused', `agrees to ${added.join(' and ')}`)];
}

function certificates(were: readonly Transport[], now: Transport): Difference[] {
  const bits = Math.min(...were.map(({ keyBits }) => keyBits ?? 0));
  const isShorter = now.keyBits !== null && bits > now.keyBits && now.keyBits < 2_048;
  const isOver = now.isExpired && were.every(({ isExpired }) => !isExpired);
  return [
    ...(isShorter ? [weaker(now, 'key-shortened', `${bits} bits`, `${now.keyBits} bits`)] : []),
    ...(isOver ? [weaker(now, 'certificate-expired', 'valid', 'expired')] : []),
  ];
}

function weaker({ service }: Transport, what: string, before: string, after: string): Difference {
  return {
    class: 'security',
    what,
    service,
    hop: null,
    place: 'its own port',
    before,
    after,
    examples: { before: null, after: null },
    severity: 'fail',
    confidence: 0.95,
  };
}
