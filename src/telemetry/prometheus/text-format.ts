import { telemetryLimits } from '../limits.ts';
import { type MetricSample, readSample } from './sample-line.ts';

export type FamilyType = 'counter' | 'gauge' | 'histogram' | 'summary' | 'untyped';

/** The metrics of one program. */
export interface Exposition {
  readonly types: ReadonlyMap<string, FamilyType>;
  readonly units: ReadonlyMap<string, string>;
  readonly samples: readonly MetricSample[];
  /** Whether its times are in seconds. */
  readonly isOpenMetrics: boolean;
  /** Unreadable lines, and series beyond the limit. The others still count. */
  readonly unreadable: number;
  readonly beyond: number;
}

/** Types of OpenMetrics, mapped to ours. */
const types: Readonly<Record<string, FamilyType>> = {
  counter: 'counter',
  gauge: 'gauge',
  histogram: 'histogram',
  gaugehistogram: 'histogram',
  summary: 'summary',
  info: 'gauge',
  stateset: 'gauge',
};

const about = /^#[ \t]+(TYPE|UNIT)[ \t]+("(?:[^"\\]|\\.)*"|\S+)[ \t]+(\S+)/;

/** Reads the Prometheus text format and OpenMetrics, which differ little except for the times. */
export function readExposition(text: string, contentType = ''): Exposition {
  const read = { types: new Map<string, FamilyType>(), units: new Map<string, string>() };
  const samples: MetricSample[] = [];
  let [unreadable, beyond] = [0, 0];
  let isOpenMetrics = contentType.includes('openmetrics');
  for (const line of linesOf(text)) {
    if (line === '# EOF') {
      isOpenMetrics = true;
      break;
    }
    if (line.startsWith('#')) note(line, read);
    else {
      const sample = readSample(line);
      if (!sample) unreadable++;
      else if (samples.length >= telemetryLimits.scrapeSamplesMax) beyond++;
      else samples.push(sample);
    }
  }
  return { ...read, samples, isOpenMetrics, unreadable, beyond };
}

function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '');
}

function note(
  line: string,
  read: { types: Map<string, FamilyType>; units: Map<string, string> },
): void {
  const [, what, name = '', value = ''] = about.exec(line) ?? [];
  const plain = name.replace(/^"|"$/g, '');
  if (what === 'TYPE') read.types.set(plain, types[value] ?? 'untyped');
  if (what === 'UNIT') read.units.set(plain, value);
}
