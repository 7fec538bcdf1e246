type Level = 'info' | 'warn' | 'error';
type Details = Record<string, unknown>;

/** One JSON object per line on stdout, with the same leading fields in every service. */
export interface Log {
  info(message: string, details?: Details): void;
  warn(message: string, details?: Details): void;
  error(message: string, details?: Details): void;
  with(details: Details): Log;
}

type Write = (line: string) => void;

const toStdout: Write = (line) => {
  process.stdout.write(line);
};

export function createLog(service: string, write: Write = toStdout, bound: Details = {}): Log {
  const line =
    (level: Level) =>
    (message: string, details: Details = {}) => {
      const time = new Date().toISOString();
      write(`${JSON.stringify({ time, level, service, message, ...bound, ...details })}\n`);
    };
  return {
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    with: (details) => createLog(service, write, { ...bound, ...details }),
  };
}
