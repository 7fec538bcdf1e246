type Labels = Record<string, string>;

/** The part of Prometheus' text format that these services need. */
export interface Metrics {
  /** The same name gives the same counter. */
  counter(name: string, help: string): Counter;
  /** A value that is read when it is asked for. */
  read(name: string, help: string, type: 'counter' | 'gauge', value: () => number): void;
  histogram(name: string, help: string): Histogram;
  text(): string;
}

export interface Counter {
  /**
   * `add(labels, 0)` makes a series visible before its first event, so that an alert can see it
   * rise.
   */
  add(labels?: Labels, amount?: number): void;
}

export interface Histogram {
  observe(seconds: number, labels?: Labels): void;
}

interface Family {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  samples(): string[];
}

const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(): Metrics {
  const families: Family[] = [];
  const counters = new Map<string, Counter>();
  const newCounter = (name: string, help: string): Counter => {
    const values = new Map<string, number>();
    families.push({ name, help, type: 'counter', samples: () => lines(name, values) });
    return { add: (labels = {}, amount = 1) => increase(values, labels, amount) };
  };
  return {
    counter(name, help) {
      const counter = counters.get(name) ?? newCounter(name, help);
      counters.set(name, counter);
      return counter;
    },
    read(name, help, type, value) {
      families.push({ name, help, type, samples: () => [`${name} ${value()}`] });
    },
    histogram(name, help) {
      const buckets = new Map<string, number>();
      const sums = new Map<string, number>();
      const counts = new Map<string, number>();
      const samples = () => [
        ...lines(`${name}_bucket`, buckets),
        ...lines(`${name}_sum`, sums),
        ...lines(`${name}_count`, counts),
      ];
      families.push({ name, help, type: 'histogram', samples });
      return {
        observe(seconds, labels = {}) {
          for (const limit of [...BUCKETS_SECONDS, Number.POSITIVE_INFINITY]) {
            const le = limit === Number.POSITIVE_INFINITY ? '+Inf' : String(limit);
            increase(buckets, { ...labels, le }, seconds <= limit ? 1 : 0);
          }
          increase(sums, labels, seconds);
          increase(counts, labels, 1);
        },
      };
    },
    text: () => families.map(familyText).join(''),
  };
}

/** What a dashboard wants to know about any process. */
export function addProcessMetrics(metrics: Metrics): void {
  const memory = () => process.memoryUsage.rss();
  const cpu = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
  metrics.read('process_resident_memory_bytes', 'Resident memory.', 'gauge', memory);
  metrics.read('process_cpu_seconds_total', 'CPU time, user and system.', 'counter', cpu);
}

function increase(values: Map<string, number>, labels: Labels, amount: number): void {
  const key = labelText(labels);
  values.set(key, (values.get(key) ?? 0) + amount);
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function lines(name: string, values: Map<string, number>): string[] {
  return [...values].map(([labels, value]) => `${name}${labels} ${value}`);
}

function familyText(family: Family): string {
  const head = `# HELP ${family.name} ${family.help}\n# TYPE ${family.name} ${family.type}\n`;
  return (
    head +
    family
      .samples()
      .map((sample) => `${sample}\n`)
      .join('')
  );
}
