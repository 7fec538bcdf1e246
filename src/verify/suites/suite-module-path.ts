import { fileURLToPath } from 'node:url';

type Environment = Readonly<Record<string, string | undefined>>;

const resolver = fileURLToPath(new URL('../../suite/resolve.cjs', import.meta.url));
const pythonModules = fileURLToPath(new URL('../../../clients/python', import.meta.url));

/** By which programs find `surety/suite` and `surety_suite` where nobody has installed them. */
export function foundBy({ NODE_OPTIONS, PYTHONPATH }: Environment): Record<string, string> {
  return {
    NODE_OPTIONS: `${NODE_OPTIONS ?? ''} --require "${resolver}"`.trim(),
    PYTHONPATH: [PYTHONPATH, pythonModules].filter(Boolean).join(':'),
  };
}
