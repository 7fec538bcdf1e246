import { fileURLToPath } from 'node:url';

type Environment = Readonly<Record<string, string | undefined>>;

const resolver = fileURLToPath(new URL('../../suite/resolve.cjs', import.meta.url));
const pythonModules = fileURLToPath(new URL('../../../clients/python', import.meta.url));

/** Lets programs import `surety/suite` and `surety_suite` without installing them. */
export function foundBy({ NODE_OPTIONS, PYTHONPATH }: Environment): Record<string, string> {
  return {
    NODE_OPTIONS: `${NODE_OPTIONS ?? ''} --require "${resolver}"`.trim(),
    PYTHONPATH: [PYTHONPATH, pythonModules].filter(Boolean).join(':'),
  };
}
