import { fileURLToPath } from 'node:url';

type Environment = Readonly<Record<string, string | undefined>>;

/** `.ts` in a clone, `.js` in the package. */
const extension = import.meta.url.slice(-3);
const resolver = new URL(`../suite/resolve${extension}`, import.meta.url).href;
const pythonModules = fileURLToPath(new URL('../../clients/python', import.meta.url));

/** By which programs find `surety/suite` and `surety_suite` where nobody has installed them. */
export function foundBy({ NODE_OPTIONS, PYTHONPATH }: Environment): Record<string, string> {
  return {
    NODE_OPTIONS: `${NODE_OPTIONS ?? ''} --import="${resolver}"`.trim(),
    PYTHONPATH: [PYTHONPATH, pythonModules].filter(Boolean).join(':'),
  };
}
