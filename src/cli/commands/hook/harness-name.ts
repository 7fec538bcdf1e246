import { harnesses } from '../../../hook/index.ts';
import { fault } from '../../../kernel/index.ts';

export function readHarness(command: string, given: string | boolean | undefined): string {
  if (typeof given === 'string' && Object.hasOwn(harnesses, given)) return given;
  const reason = `"${given ?? ''}" is none of ${Object.keys(harnesses).join(', ')}.`;
  throw fault('USAGE', { reason, help: `surety ${command} --help` });
}
