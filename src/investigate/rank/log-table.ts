import { BucketSums, namedRows } from './counted-rows.ts';
import { type Series, toSeconds } from './series.ts';

const columns = {
  time: ['timestamp', 'time'],
  service: ['container_name', 'service', 'serviceName'],
  message: ['message', 'text', 'log'],
};

const bucketSeconds = 5;
const complaint = /\b(?:error|err|exception|fail(?:ed|ure)?|fatal|panic|timed? ?out|refused)\b/i;

/** Lines that complain, and lines of all kinds, of each service over time. */
export async function readLogTable(file: string): Promise<Series[]> {
  const complaints = new BucketSums(file, bucketSeconds);
  const lines = new BucketSums(file, bucketSeconds);
  for await (const row of namedRows(file, columns)) {
    const time = toSeconds(Number(row('time')) || Date.parse(row('time')));
    if (!Number.isFinite(time) || row('service') === '') continue;
    lines.add(row('service'), time, 1);
    complaints.add(row('service'), time, complaint.test(row('message')) ? 1 : 0);
  }
  return [...complaints.series('log-errors'), ...lines.series('log-lines')];
}
